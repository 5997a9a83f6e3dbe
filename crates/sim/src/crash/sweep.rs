//! Sweeps: each is done whole or not at all, whenever it is killed.
//!
//! Every round adds a group of lessons that belong together, by an agent, and starts a real process that sweeps them
//! unattended, with a model that is a script and takes its time. The process is killed before it takes the lease, while
//! it holds it, while the model is asked, or while the plan is applied. Then every group must be untouched, or told as one
//! with all its lessons superseded by a lesson that is there. A lease that was left behind ends by itself after a time;
//! the simulation ends it at once, and the next sweep must go on.

use std::{fs, time::Duration};

use hardwon_core::{Lesson, ProjectId, Status, TenantId};
use hardwon_engine::{Engine, LessonContent, Note, Policy, Scope, SystemClock};
use hardwon_store::{Commit as _, SourceProgress};

use super::{Deed, Round, Tally};
use crate::{
    desk::agent_desk,
    processes::{ProgramHome, list_lessons},
};

/// The script that answers for the model: lessons that hold the same mark are one group.
const MODEL: &str = r#"#!/bin/sh
sleep 0.02
awk '
    /^LESSON / { lesson = $2 }
    match($0, /mark[a-z]+/) {
        mark = substr($0, RSTART, RLENGTH)
        if (!((mark, lesson) in seen)) {
            seen[mark, lesson] = 1
            count[mark]++
            members[mark] = members[mark] (count[mark] > 1 ? "," : "") lesson
        }
    }
    END {
        printf "{\"groups\": ["
        for (mark in members) if (count[mark] > 1) {
            printf "%s{\"members\": [%s], \"situation\": \"the %s feed is empty\",", comma, members[mark], mark
            printf "\"correction\": \"Skip an empty %s feed before the %s importer stalls.\"}", mark, mark
            comma = ","
        }
        print "]}"
    }'
"#;

/// The record of the lease.
const STATE_NAME: &str = "hardwon sweep";

/// Sweeps of one file.
pub(super) struct Sweep {
    home: ProgramHome,
    marks: Vec<String>,
    /// How long a sweep takes, as far as is known.
    usual: Duration,
}

impl Sweep {
    pub(super) fn new(home: ProgramHome) -> anyhow::Result<Self> {
        let script = home.path_to("model.sh");
        fs::write(&script, MODEL)?;
        home.set_all(&[
            ("model", "command"),
            ("model_command", &format!("/bin/sh {}", script.display())),
            ("model_tokens_per_day", "0"),
            ("autonomy", "local"),
            ("sweep_min_hours", "0"),
            ("sweep_min_lessons", "0"),
        ])?;
        Ok(Self {
            home,
            marks: Vec::new(),
            usual: Duration::from_millis(400),
        })
    }

    /// Adds three lessons that say the same of one feed.
    fn add_group(&self, mark: &str) -> anyhow::Result<()> {
        let (store, policy) = (self.home.open_store()?, Policy::default());
        let engine = Engine::new(Box::new(store), policy, Box::new(SystemClock));
        // The project that the program's environment names.
        let project = Some(ProjectId::parse("works")?);
        let scope = Scope {
            project,
            ..Scope::default()
        };
        for text in [
            format!(
                "The {mark} importer stalls when the {mark} feed is empty; skip an empty {mark} feed."
            ),
            format!("Skip the {mark} feed when it is empty, or the {mark} importer stalls on it."),
            format!(
                "When the {mark} feed is empty the importer stalls: skip an empty {mark} feed in the {mark} importer."
            ),
        ] {
            let content = LessonContent::new(format!("{mark} feed"), text);
            agent_desk(&engine, &scope, false).note(Note::new(content))?;
        }
        Ok(())
    }

    /// Sweeps to the end; returns whether that succeeded.
    fn sweep(&self) -> anyhow::Result<bool> {
        let swept = self.home.command(&["sweep", "--unattended"]).output()?;
        Ok(swept.status.success())
    }

    /// Ends a lease that was left behind; returns whether there was one.
    fn end_lease(&self) -> anyhow::Result<bool> {
        let (store, tenant) = (self.home.open_store()?, TenantId::default());
        store.commit(&tenant, |tx| -> anyhow::Result<bool> {
            let Some(kept) = tx.reader().source_progress(&tenant, STATE_NAME)? else {
                return Ok(false);
            };
            let mut state: serde_json::Value = serde_json::from_slice(&kept.state)?;
            let is_left = state["leased_until"].as_i64().unwrap_or(0) > 0;
            state["leased_until"] = 0.into();
            let state = serde_json::to_vec(&state)?;
            tx.save_source_progress(STATE_NAME, &SourceProgress { state, ..kept })?;
            Ok(is_left)
        })
    }

    /// Returns the lessons of each group.
    fn read_groups(&self) -> anyhow::Result<Vec<Vec<Lesson>>> {
        let lessons = list_lessons(&self.home.open_store()?)?;
        let of = |mark: &String| {
            let has = |lesson: &&Lesson| {
                let mut words = lesson
                    .content
                    .text
                    .as_str()
                    .split(|c: char| !c.is_alphanumeric());
                words.any(|word| word == mark)
            };
            lessons.iter().filter(has).cloned().collect()
        };
        Ok(self.marks.iter().map(of).collect())
    }
}

/// Returns whether a group is untouched, or told as one.
fn is_whole(group: &[Lesson]) -> bool {
    let active = group.iter().filter(|group| group.status == Status::Active);
    let active: Vec<_> = active.map(|lesson| lesson.id).collect();
    let replaced = |lesson: &&Lesson| match lesson.status {
        Status::Superseded { by } => active.contains(&by),
        _ => false,
    };
    match (group.len(), active.len()) {
        (3, 3) => true,
        (4, 1) => group.iter().filter(replaced).count() == 3,
        _ => false,
    }
}

impl Deed for Sweep {
    fn play(&mut self, round: &mut Round<'_>) -> anyhow::Result<()> {
        // The script knows it by its beginning, and no part of it counts as a number.
        let mark = format!("mark{}", round.mark);
        self.add_group(&mark)?;
        self.marks.push(mark);
        let mut child = self.home.command(&["sweep", "--unattended"]).spawn()?;
        let is_killed = round.kill(&mut child, &mut self.usual)?;
        round.tally.note_end("sweep", is_killed);
        round.tally.count("leases left", self.end_lease()?.into());
        for (mark, group) in self.marks.iter().zip(self.read_groups()?) {
            if !is_whole(&group) {
                let what = format!("{mark}: {} lessons", group.len());
                round.tally.broken.push(what);
            }
        }
        if round.random.bool() {
            // What was left is done, so that the next kill meets a sweep that is soon over.
            self.sweep()?;
            self.end_lease()?;
            self.usual = Duration::from_millis(250);
        }
        Ok(())
    }

    /// Sweeps until all that was added is told as one.
    fn finish(&mut self, tally: &mut Tally) -> anyhow::Result<()> {
        for _ in 0..self.marks.len() / 50 {
            self.sweep()?;
        }
        tally.reject("sweeps that do not go on", (!self.sweep()?).into());
        let groups = self.read_groups()?;
        let untouched = groups.iter().filter(|group| group.len() == 3).count();
        tally.count("groups", u64::try_from(groups.len())?);
        tally.reject("groups not merged", u64::try_from(untouched)?);
        tally.check_journal(&self.home)
    }
}
