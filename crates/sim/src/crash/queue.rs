//! A queue: however processes that ask a model are killed, each job is done once.
//!
//! The model is a script, which notes when it has a question and when it has given an answer: so a process is killed
//! before it claims a job, while it waits, with the answer in its hands, and while it commits. The script words every
//! answer differently, so a job that is done twice leaves two lessons. An abandoned claim expires after a time; the
//! simulation makes it expire at once.

use std::{
    fs,
    process::{Child, Stdio},
    thread,
    time::Duration,
};

use anyhow::ensure;
use hardwon_core::{Job, JobState, TenantId, TrustClass};
use hardwon_store::{Commit as _, JobListing, Store as _};
use jiff::Timestamp;

use super::{Deed, Round, Tally, end};
use crate::processes::{ProgramHome, StoreContents, list_lessons, make_mark};

/// Jobs that each round adds.
const JOBS: u64 = 3;

/// The script that answers for the model.
const MODEL: &str = r#"#!/bin/sh
moments=$1
echo asked >> "$moments"
mark=$(sed -n 's/^trouble: \(qz[a-z]*\).*/\1/p')
number=$(wc -l < "$moments")
sleep 0.02
echo "<situation>$mark cannot go</situation><correction>Start $mark with step $number before \`$mark --go\`.</correction><tags>steps</tags>"
echo answered >> "$moments"
"#;

/// Where it notes how far it is.
const NOTES: &str = "moments";

/// The state of a job when its process is killed, and the word that the script notes before.
const MOMENTS: [(&str, Option<&str>); 4] = [
    ("before a claim", None),
    ("while the model is asked", Some("asked")),
    ("with the answer", Some("answered")),
    ("while it is stored", Some("answered")),
];
/// How late the kill comes, which for two of the moments is at once.
const DELAYS: [u64; 4] = [4_000, 18_000, 1, 6_000];

/// Processes that drain a queue.
pub(super) struct Queue {
    home: ProgramHome,
    jobs: Vec<String>,
}

impl Queue {
    pub(super) fn new(home: ProgramHome) -> anyhow::Result<Self> {
        let script = home.path_to("model.sh");
        fs::write(&script, MODEL)?;
        let notes = home.path_to(NOTES);
        let command = format!("/bin/sh {} {}", script.display(), notes.display());
        home.set_all(&[
            ("model", "command"),
            ("model_command", &command),
            ("model_quiet", "0"),
            ("model_tokens_per_day", "0"),
        ])?;
        let jobs = Vec::new();
        Ok(Self { home, jobs })
    }

    /// Learns from failed runs, each of which leaves a question for the model.
    fn learn_failed_runs(&self, round: u64, marks: &[String]) -> anyhow::Result<()> {
        let path = self.home.path_to(&format!("round-{round}.jsonl"));
        let run = |mark: &String| {
            format!(
                "{{\"type\":\"run\",\"run\":\"{mark}\"}}\n\
                 {{\"type\":\"tool\",\"tool\":\"bash\",\"args\":\"{mark} --go\",\
                 \"status\":\"error\",\"error\":\"{mark} cannot go\"}}\n\
                 {{\"type\":\"end\",\"status\":\"failed\"}}\n"
            )
        };
        fs::write(&path, marks.iter().map(run).collect::<String>())?;
        let args = ["learn", "--json", &path.to_string_lossy()];
        let learned = self.home.ask(&args)?;
        let told = String::from_utf8_lossy(&learned.stdout);
        let asks = format!("\"asks\":{}", marks.len());
        ensure!(told.contains(&asks), "no job was made: {told}");
        Ok(())
    }

    /// Counts how often the script has noted a word.
    fn count_notes(&self, word: &str) -> usize {
        let notes = fs::read_to_string(self.home.path_to(NOTES)).unwrap_or_default();
        notes.lines().filter(|line| *line == word).count()
    }

    /// Waits until the script has noted a word so often, or the process has ended.
    fn wait_for(&self, word: &str, count: usize, child: &mut Child) -> anyhow::Result<()> {
        while self.count_notes(word) < count && child.try_wait()?.is_none() {
            thread::sleep(Duration::from_micros(100));
        }
        Ok(())
    }

    /// Makes all claims expire.
    fn expire_claims(&self) -> anyhow::Result<()> {
        let tenant = TenantId::default();
        let store = self.home.open_store()?;
        store.commit(&tenant, |tx| -> anyhow::Result<()> {
            let listing = JobListing {
                state: Some("running"),
                ..JobListing::default()
            };
            for job in tx.reader().jobs(&tenant, &listing)? {
                let until = Timestamp::UNIX_EPOCH;
                let state = JobState::Running { until };
                tx.update_job(&Job { state, ..job })?;
            }
            Ok(())
        })
    }
}

impl Deed for Queue {
    fn play(&mut self, round: &mut Round<'_>) -> anyhow::Result<()> {
        let first = u64::try_from(self.jobs.len())? + 1;
        let fresh: Vec<String> = (first..first + JOBS).map(make_mark).collect();
        self.learn_failed_runs(round.number, &fresh)?;
        self.jobs.extend(fresh);
        let turn = usize::try_from(round.number)? % MOMENTS.len();
        let (moment, word) = MOMENTS[turn];
        let word = word.map(|word| (word, self.count_notes(word)));
        let mut command = self.home.command(&["queue", "drain", "--now"]);
        let mut child = command.stdout(Stdio::null()).spawn()?;
        if let Some((word, before)) = word {
            let calls = usize::try_from(round.random.u64(1..=JOBS))?;
            self.wait_for(word, before + calls, &mut child)?;
        }
        round.sleep_up_to(Duration::from_micros(DELAYS[turn]))?;
        let is_killed = end(&mut child)?;
        round.tally.note_end(moment, is_killed);
        self.expire_claims()
    }

    /// Has the remaining jobs done by a process that is not killed.
    fn finish(&mut self, tally: &mut Tally) -> anyhow::Result<()> {
        self.home
            .ask(&["queue", "drain", "--now", "-n", "100000"])?;
        let store = self.home.open_store()?;
        let mut lessons = list_lessons(&store)?;
        lessons.retain(|lesson| lesson.trust.class == TrustClass::Distilled);
        let contents = StoreContents::from_lessons(&lessons);
        let (lost, twice) = contents.count_lost_and_twice(&self.jobs);
        let tenant = TenantId::default();
        let queue = store.snapshot()?.count_jobs(&tenant, Timestamp::now())?;
        let jobs = self.jobs.len() as u64;
        tally.count("jobs", jobs);
        tally.count("calls of the model", self.count_notes("asked") as u64);
        tally.reject("jobs lost", lost);
        tally.reject("jobs done twice", twice);
        tally.reject("jobs not done", jobs.abs_diff(queue.done));
        tally.check_journal(&self.home)
    }
}
