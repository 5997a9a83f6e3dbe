//! Kills sweeps at random moments and checks that each was done whole or not at all.
//!
//! Every round adds a group of lessons that belong together, by an agent, and starts a real process that sweeps them
//! unattended, with a model that is a script and takes its time. The process is killed somewhere between its start and
//! its end: before it takes the lease, while it holds it, while the model is asked, while the plan is applied. Then
//! every group must be untouched, or told as one with all its lessons superseded by a lesson that is there. A lease
//! that was left behind ends by itself after a time; the simulation ends it at once, and the next sweep must go on.

use std::{
    collections::BTreeMap,
    fs,
    io::Write as _,
    path::PathBuf,
    process::ExitCode,
    thread,
    time::{Duration, Instant},
};

use hardwon_core::{
    id::{LessonId, ProjectId, TenantId},
    lesson::{Lesson, Status},
};
use hardwon_engine::{Engine, LessonContent, Note, Policy, Principal, Scope, SystemClock};
use hardwon_store::{Commit as _, LessonListing, SourceProgress, SqliteStore, Store as _};
use serde_json::json;

use crate::processes::{ProgramHome, make_mark};

/// Kills sweeps at random moments and checks that each was done whole or not at all.
#[derive(Debug, clap::Args)]
pub(crate) struct SweepCrashArgs {
    /// The program under test.
    #[arg(long)]
    hardwon: PathBuf,
    /// How many sweeps are killed.
    #[arg(long, default_value_t = 200)]
    rounds: u32,
    /// Which random moments.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

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

#[derive(Default)]
struct SweepTotals {
    killed: u32,
    ended: u32,
    leases_left: u32,
    broken: Vec<String>,
}

pub(crate) fn run(args: &SweepCrashArgs) -> anyhow::Result<ExitCode> {
    let home = ProgramHome::new(&args.hardwon)?;
    configure(&home)?;
    let mut random = fastrand::Rng::with_seed(args.seed);
    let mut totals = SweepTotals::default();
    let mut marks = Vec::new();
    let mut longest = Duration::from_millis(400);
    for round in 0..args.rounds {
        let mark = make_group_mark(u64::from(round));
        add_group(&home, &mark)?;
        marks.push(mark);
        let wait = random.u64(0..u64::try_from(longest.as_micros())?);
        let start = Instant::now();
        let mut child = home.command(&["sweep", "--unattended"]).spawn()?;
        thread::sleep(Duration::from_micros(wait));
        // It may have ended by itself.
        drop(child.kill());
        match child.wait()?.code() {
            None => {
                totals.killed += 1;
                // Groups that nobody merged pile up, so sweeps take longer.
                longest = longest.mul_f64(1.03);
            }
            Some(_) => {
                totals.ended += 1;
                longest = start.elapsed().max(Duration::from_millis(40));
            }
        }
        totals.leases_left += u32::from(end_lease(&home)?);
        totals.broken.extend(find_broken(&home, &marks)?);
        if random.bool() {
            // What was left is done, so that the next kill meets a sweep that is soon over.
            home.command(&["sweep", "--unattended"]).output()?;
            end_lease(&home)?;
            longest = Duration::from_millis(250);
        }
    }
    for _ in 0..args.rounds / 50 {
        home.command(&["sweep", "--unattended"]).output()?;
    }
    let last = home.command(&["sweep", "--unattended"]).output()?;
    let goes_on = last.status.code() == Some(0);
    let unsound = home.verify_journal()?;
    let undone = count_untouched(&home, &marks)?;
    let ok = totals.broken.is_empty() && goes_on && unsound.is_none() && undone == 0;
    let report = json!({
        "rounds": args.rounds, "seed": args.seed, "killed": totals.killed, "ended_before": totals.ended,
        "leases_left": totals.leases_left, "broken": totals.broken, "groups": marks.len(), "groups_not_merged": undone,
        "next_sweep_goes_on": goes_on, "unsound": unsound, "ok": ok,
    });
    writeln!(std::io::stdout(), "{report}")?;
    Ok(ExitCode::from(u8::from(!ok)))
}

/// Makes a mark of letters alone, so that no part of it counts as a number.
fn make_group_mark(number: u64) -> String {
    let letters = make_mark(number)
        .bytes()
        .map(|it| char::from(b'a' + it % 26))
        .collect::<String>();
    let digits = number
        .to_string()
        .bytes()
        .map(|it| char::from(b'k' + (it - b'0')))
        .collect::<String>();
    format!("mark{letters}{digits}")
}

fn configure(home: &ProgramHome) -> anyhow::Result<()> {
    let script = home.path_to("model.sh");
    fs::write(&script, MODEL)?;
    let command = format!("/bin/sh {}", script.display());
    home.set_all(&[
        ("model", "command"),
        ("model_command", command.as_str()),
        ("model_tokens_per_day", "0"),
        ("autonomy", "local"),
        ("sweep_min_hours", "0"),
        ("sweep_min_lessons", "0"),
    ])
}

fn open(home: &ProgramHome) -> anyhow::Result<SqliteStore> {
    Ok(SqliteStore::open(&home.path_to("hardwon.db"))?)
}

/// Adds three lessons that say the same of one feed.
fn add_group(home: &ProgramHome, mark: &str) -> anyhow::Result<()> {
    let engine = Engine::new(
        Box::new(open(home)?),
        Policy::default(),
        Box::new(SystemClock),
    );
    // The project that the program's environment names.
    let scope = Scope {
        project: Some(ProjectId::parse("works")?),
        ..Scope::default()
    };
    let desk = engine.acting_as(Principal::agent(scope, false));
    for text in [
        format!(
            "The {mark} importer stalls when the {mark} feed is empty; skip an empty {mark} feed."
        ),
        format!("Skip the {mark} feed when it is empty, or the {mark} importer stalls on it."),
        format!(
            "When the {mark} feed is empty the importer stalls: skip an empty {mark} feed in the {mark} importer."
        ),
    ] {
        desk.note(Note::new(LessonContent::new(format!("{mark} feed"), text)))?;
    }
    Ok(())
}

/// Ends a lease that was left behind; returns whether there was one.
fn end_lease(home: &ProgramHome) -> anyhow::Result<bool> {
    let (store, tenant) = (open(home)?, TenantId::default());
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

fn read_lessons(home: &ProgramHome) -> anyhow::Result<BTreeMap<LessonId, Lesson>> {
    let (store, tenant) = (open(home)?, TenantId::default());
    let mut listing = LessonListing::default();
    let mut lessons = BTreeMap::new();
    loop {
        let page = store.snapshot()?.lessons(&tenant, &listing)?;
        let Some(last) = page.last() else {
            return Ok(lessons);
        };
        listing.before = Some(last.id);
        lessons.extend(page.into_iter().map(|it| (it.id, it)));
    }
}

/// Returns the lessons of each group, by its mark.
fn split_groups<'a>(
    lessons: &'a BTreeMap<LessonId, Lesson>,
    marks: &[String],
) -> Vec<Vec<&'a Lesson>> {
    let of = |mark: &String| -> Vec<&Lesson> {
        let has = |it: &&Lesson| {
            it.content
                .text
                .as_str()
                .split(|c: char| !c.is_alphanumeric())
                .any(|word| word == mark)
        };
        lessons.values().filter(has).collect()
    };
    marks.iter().map(of).collect()
}

/// Returns what is neither untouched nor whole.
fn find_broken(home: &ProgramHome, marks: &[String]) -> anyhow::Result<Vec<String>> {
    let lessons = read_lessons(home)?;
    let mut broken = Vec::new();
    for (mark, group) in marks.iter().zip(split_groups(&lessons, marks)) {
        let active: Vec<LessonId> = group
            .iter()
            .filter(|it| it.status == Status::Active)
            .map(|it| it.id)
            .collect();
        let superseded = group.iter().filter(|it| match it.status {
            Status::Superseded { by } => active.contains(&by),
            _ => false,
        });
        let is_whole = match (group.len(), active.len()) {
            (3, 3) => true,
            (4, 1) => superseded.count() == 3,
            _ => false,
        };
        if !is_whole {
            broken.push(format!(
                "{mark}: {} lessons, {} active",
                group.len(),
                active.len()
            ));
        }
    }
    Ok(broken)
}

fn count_untouched(home: &ProgramHome, marks: &[String]) -> anyhow::Result<usize> {
    let lessons = read_lessons(home)?;
    Ok(split_groups(&lessons, marks)
        .iter()
        .filter(|it| it.len() == 3)
        .count())
}
