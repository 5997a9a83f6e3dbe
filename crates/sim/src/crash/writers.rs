//! Writers: no lesson and no recall that a process acknowledged is lost or there twice.
//!
//! Each round starts real processes that write to one file and kills each at a random moment. Every acknowledged lesson is
//! there afterwards, once; the journal verifies; the store opens. A lesson that was sent and not acknowledged is sent again
//! in the next round, as a client would, and must not be there twice either. A store lives for some rounds, so that
//! creating one is also interrupted.

use std::{
    fs::OpenOptions,
    io::{Read as _, Write as _},
    path::PathBuf,
    process::{Child, ChildStderr, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::Context as _;

use super::{CrashArgs, Deed, Round, Tally};
use crate::processes::{LessonStream, ProgramHome, find_marks, make_mark};

/// Longest life of a writer, in milliseconds.
const LONGEST: u64 = 300;

/// The work of a writer.
#[derive(Debug, Clone, Copy)]
enum WriterRole {
    /// Adds lessons, so many lines at a time before it waits for their answers.
    Add(usize),
    /// Learns from a transcript that grows.
    Learn,
    /// Recalls.
    Recall,
}

const ROLES: [WriterRole; 8] = [
    WriterRole::Add(1),
    WriterRole::Learn,
    WriterRole::Add(20),
    WriterRole::Recall,
    WriterRole::Add(1),
    WriterRole::Add(3),
    WriterRole::Learn,
    WriterRole::Add(1),
];

/// The output of a recall before any lesson was learned.
const NO_LESSONS: &str = "there are no lessons here yet";

/// Processes that write to one store after another.
pub(super) struct Writers {
    program: PathBuf,
    count: usize,
    rounds_a_store: u64,
    store: Option<(ProgramHome, Vec<Writer>)>,
    numbers: AtomicU64,
}

impl Writers {
    pub(super) fn new(args: &CrashArgs) -> Self {
        Self {
            program: args.hardwon.clone(),
            count: args.writers as usize,
            rounds_a_store: args.rounds_a_store.max(1),
            store: None,
            numbers: AtomicU64::new(0),
        }
    }
}

impl Deed for Writers {
    fn play(&mut self, round: &mut Round<'_>) -> anyhow::Result<()> {
        if round.number.is_multiple_of(self.rounds_a_store) {
            self.finish(round.tally)?;
            let writers = (0..self.count).map(Writer::new).collect();
            self.store = Some((ProgramHome::new(&self.program)?, writers));
        }
        let (home, writers) = self.store.as_mut().expect("it was just made");
        let (home, numbers, start) = (&*home, &self.numbers, Instant::now());
        thread::scope(|scope| {
            let mut threads = Vec::new();
            for writer in &mut *writers {
                let life = Duration::from_millis(round.random.u64(1..=LONGEST));
                threads.push(scope.spawn(move || writer.write_until(home, start + life, numbers)));
            }
            threads
                .into_iter()
                .try_for_each(|thread| thread.join().expect("a writer's thread does not panic"))
        })?;
        for writer in writers.iter() {
            round.tally.note_end(&format!("{:?}", writer.role), true);
        }
        round.tally.check_journal(home)
    }

    /// Checks the store that there is.
    fn finish(&mut self, tally: &mut Tally) -> anyhow::Result<()> {
        let Some((home, writers)) = self.store.take() else {
            return Ok(());
        };
        tally.check_journal(&home)?;
        let contents = home.read_contents()?;
        let acknowledged: Vec<&String> = writers
            .iter()
            .flat_map(|writer| &writer.acknowledged)
            .collect();
        let recalls: u64 = writers.iter().map(|writer| writer.recalls).sum();
        tally.count("lessons acknowledged", u64::try_from(acknowledged.len())?);
        tally.count("recalls", recalls);
        let (lost, _) = contents.count_lost_and_twice(acknowledged);
        let (_, twice) = contents.count_lost_and_twice(contents.lessons_by_mark.keys());
        tally.reject("lessons lost", lost);
        tally.reject("lessons twice", twice);
        tally.reject("recalls lost", recalls.saturating_sub(contents.recalls));
        tally
            .broken
            .extend(writers.into_iter().flat_map(|writer| writer.errors));
        Ok(())
    }
}

/// A process that is killed at a time, by a thread.
struct DoomedProcess {
    child: Arc<Mutex<Child>>,
    stderr: ChildStderr,
}

impl DoomedProcess {
    fn new(mut child: Child, deadline: Instant) -> anyhow::Result<Self> {
        let stderr = child.stderr.take().context("a pipe was asked for")?;
        let child = Arc::new(Mutex::new(child));
        let doomed = Arc::clone(&child);
        thread::spawn(move || {
            thread::sleep(deadline.saturating_duration_since(Instant::now()));
            let mut doomed = doomed.lock().unwrap_or_else(PoisonError::into_inner);
            // It may have ended by itself.
            drop(doomed.kill());
        });
        Ok(Self { child, stderr })
    }

    /// Waits for the end of a process that has closed its output; returns whether it ended by itself, and what it
    /// complained about.
    fn wait(mut self) -> anyhow::Result<(bool, String)> {
        let mut complaint = String::new();
        self.stderr.read_to_string(&mut complaint)?;
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        Ok((child.wait()?.success(), complaint))
    }
}

/// One writer, over all rounds of a store.
struct Writer {
    name: usize,
    role: WriterRole,
    /// Marks that were sent and not acknowledged yet.
    sent: Vec<String>,
    acknowledged: Vec<String>,
    recalls: u64,
    errors: Vec<String>,
}

impl Writer {
    fn new(name: usize) -> Self {
        Self {
            name,
            role: ROLES[name % ROLES.len()],
            sent: Vec::new(),
            acknowledged: Vec::new(),
            recalls: 0,
            errors: Vec::new(),
        }
    }

    /// Writes until its processes are killed.
    fn write_until(
        &mut self,
        home: &ProgramHome,
        deadline: Instant,
        numbers: &AtomicU64,
    ) -> anyhow::Result<()> {
        let fresh = || make_mark(numbers.fetch_add(1, Ordering::SeqCst) + 1);
        while Instant::now() < deadline {
            match self.role {
                WriterRole::Add(together) => self.add_lessons(home, deadline, together, &fresh)?,
                WriterRole::Learn => self.learn_run(home, deadline, &fresh)?,
                WriterRole::Recall => self.run_recall(home, deadline)?,
            }
        }
        Ok(())
    }

    /// Streams lessons into one process until it is killed.
    fn add_lessons(
        &mut self,
        home: &ProgramHome,
        deadline: Instant,
        together: usize,
        fresh: &dyn Fn() -> String,
    ) -> anyhow::Result<()> {
        let (mut stream, child) = LessonStream::start(home)?;
        let doomed = DoomedProcess::new(child, deadline)?;
        loop {
            while self.sent.len() < together {
                self.sent.push(fresh());
            }
            let (acknowledged, errors) = stream.add(&self.sent)?;
            self.sent.retain(|mark| !acknowledged.contains(mark));
            self.acknowledged.extend(acknowledged);
            self.errors.extend(errors);
            if !self.sent.is_empty() {
                break;
            }
        }
        drop(stream);
        self.wait_for(doomed).map(drop)
    }

    /// Adds a run to its transcript and learns from it.
    fn learn_run(
        &mut self,
        home: &ProgramHome,
        deadline: Instant,
        fresh: &dyn Fn() -> String,
    ) -> anyhow::Result<()> {
        let transcript = home.path_to(&format!("agent-{}.jsonl", self.name));
        let (cause, fix) = (fresh(), fresh());
        let text = format!(
            "{{\"type\":\"run\",\"run\":\"{cause}\"}}\n\
             {{\"type\":\"tool\",\"tool\":\"bash\",\"args\":\"make {cause}\",\"status\":\"ok\"}}\n\
             {{\"type\":\"signal\",\"kind\":\"root_cause\",\"detail\":\
             {{\"cause\":\"the port of {cause} is taken\",\"fix\":\"start {fix} before {cause}\"}}}}\n\
             {{\"type\":\"end\",\"status\":\"completed\"}}\n"
        );
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&transcript)?;
        file.write_all(text.as_bytes())?;
        let args = ["learn", "--json", &transcript.to_string_lossy()];
        let (out, _) = self.run_process(home, deadline, &args)?;
        let learned = |line: &&str| line.starts_with("{\"became\":\"learned\"");
        for line in out.lines().filter(learned) {
            let line: serde_json::Value = serde_json::from_str(line)?;
            let text = line["lesson"]["text"].as_str().unwrap_or_default();
            self.acknowledged
                .extend(find_marks(text).next().map(str::to_owned));
        }
        Ok(())
    }

    fn run_recall(&mut self, home: &ProgramHome, deadline: Instant) -> anyhow::Result<()> {
        let prompt = "which port does the build listen on, and what to start before it?";
        let (out, finished) = self.run_process(home, deadline, &["recall", "--json", prompt])?;
        // The agent is served before the record is made, so only a process that ended by itself has promised one; and
        // one that came before there was a store could not record it.
        let is_promised = finished && out.ends_with('\n') && !out.contains(NO_LESSONS);
        self.recalls += u64::from(is_promised);
        Ok(())
    }

    /// Runs one process and returns the complete lines that it printed, and whether it ended by itself.
    fn run_process(
        &mut self,
        home: &ProgramHome,
        deadline: Instant,
        args: &[&str],
    ) -> anyhow::Result<(String, bool)> {
        let mut child = home.command(args).stdin(Stdio::null()).spawn()?;
        let mut out = child.stdout.take().context("a pipe was asked for")?;
        let doomed = DoomedProcess::new(child, deadline)?;
        let mut text = String::new();
        out.read_to_string(&mut text)?;
        text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
        Ok((text, self.wait_for(doomed)?))
    }

    /// Waits for the end of a process; any output on stderr is an error.
    fn wait_for(&mut self, doomed: DoomedProcess) -> anyhow::Result<bool> {
        let (finished, complaint) = doomed.wait()?;
        if !complaint.is_empty() {
            let said = format!("{:?}: {}", self.role, complaint.trim());
            self.errors.push(said);
        }
        Ok(finished)
    }
}
