//! Runs many sessions at once, each event of each in a process of its own, as agents do.
//!
//! Every event is sent once, so afterwards each must be in its session's memory once. The slowest are shown beside a
//! bare SQLite process that took turns with them, because on a busy machine any process may wait for a core.

use std::{fs, io::Write as _, path::PathBuf, process::ExitCode, thread, time::Instant};

use anyhow::ensure;
use hardwon_core::digest;
use serde_json::{Value, json};

use crate::bench::{
    bank::{BenchBank, BenchBanks},
    hooks::{HookRunner, HookSession},
    process::BenchProgram,
};

/// Runs hooks of many sessions at once and checks that no event is lost.
#[derive(Debug, clap::Args)]
pub(crate) struct HooksArgs {
    /// The program under test.
    #[arg(long)]
    hardwon: PathBuf,
    /// Sessions at the same time.
    #[arg(long, default_value_t = 16)]
    sessions: usize,
    /// Tool events in all.
    #[arg(long, default_value_t = 2000)]
    events: usize,
    /// How many lessons the scope holds.
    #[arg(long, default_value_t = 1000)]
    lessons: u32,
    /// Where the databases are kept; those already there are used again.
    #[arg(long, default_value = "target/bench")]
    dir: PathBuf,
    /// After how many tool events a turn ends.
    #[arg(long, default_value_t = 40)]
    turn: usize,
}

/// The times of one session's events.
#[derive(Default)]
struct SessionTimes {
    name: String,
    /// Milliseconds, by kind of event.
    times: Vec<(&'static str, f64)>,
    floors: Vec<f64>,
}

pub(crate) fn run(args: &HooksArgs) -> anyhow::Result<ExitCode> {
    let floor = std::env::current_exe()?.with_file_name("floor");
    ensure!(floor.exists(), "the floor is not built");
    let program = std::path::absolute(&args.hardwon)?;
    let bank = BenchBanks::new(&args.dir, Some(&program))?.open_or_create(args.lessons, 0)?;
    let home = tempfile::tempdir()?;
    let hooks = HookRunner::new(&program, &bank.ours, home.path());
    let floor = BenchProgram::new(&floor, "row {db}");
    let share = args.events.div_ceil(args.sessions.max(1));
    let start = Instant::now();
    let mut told = Vec::new();
    thread::scope(|scope| {
        let threads: Vec<_> = (0..args.sessions)
            .map(|number| {
                let (hooks, floor, bank) = (&hooks, &floor, &bank);
                scope.spawn(move || play_session(hooks, floor, bank, number, share, args.turn))
            })
            .collect();
        for thread in threads {
            told.push(thread.join().expect("a session's thread does not panic")?);
        }
        anyhow::Ok(())
    })?;
    let seconds = start.elapsed().as_secs_f64();
    let report = build_report(&hooks, &told, seconds);
    writeln!(std::io::stdout(), "{report:#}")?;
    Ok(ExitCode::from(u8::from(report["ok"] != true)))
}

/// Plays one session: turns of calls, one in eight of which fails.
fn play_session(
    hooks: &HookRunner,
    floor: &BenchProgram,
    bank: &BenchBank,
    number: usize,
    share: usize,
    turn: usize,
) -> anyhow::Result<SessionTimes> {
    let name = format!("session-{number}");
    let session = HookSession::new(&name);
    let mut told = SessionTimes {
        name,
        ..SessionTimes::default()
    };
    let mut tell = |kind, event: Value| -> anyhow::Result<()> {
        let (time, _) = hooks.time_hook(&event)?;
        told.times.push((kind, time));
        if told.times.len().is_multiple_of(8) {
            told.floors.push(floor.time_run(&bank.floor, "")?);
        }
        Ok(())
    };
    tell("start", session.start_payload())?;
    for index in 0..share.div_ceil(2) {
        if index % turn.max(1) == 0 {
            if index > 0 {
                tell("stop", session.stop_payload())?;
            }
            tell(
                "prompt",
                session.prompt_payload(&format!("do step {index} of the work")),
            )?;
        }
        let (id, line) = (format!("call-{index}"), format!("make part-{index}"));
        let ok = index % 8 != 7;
        tell("calling", session.calling_payload(&id, &line))?;
        let kind = if ok { "called" } else { "failed" };
        tell(kind, session.called_payload(&id, &line, ok))?;
    }
    tell("stop", session.stop_payload())?;
    Ok(told)
}

fn build_report(hooks: &HookRunner, told: &[SessionTimes], seconds: f64) -> Value {
    let sent: usize = told.iter().map(|told| told.times.len()).sum();
    let (mut lost, mut twice) = (0, 0);
    for told in told {
        let kept = count_kept_events(hooks, &told.name);
        lost += told.times.len().saturating_sub(kept);
        twice += kept.saturating_sub(told.times.len());
    }
    let log = fs::read_to_string(hooks.state_dir().join("hook.log")).unwrap_or_default();
    let all: Vec<f64> = told
        .iter()
        .flat_map(|run| &run.times)
        .map(|time| time.1)
        .collect();
    let floors: Vec<f64> = told.iter().flat_map(|run| run.floors.clone()).collect();
    let mut kinds = serde_json::Map::new();
    for kind in ["start", "prompt", "calling", "called", "failed", "stop"] {
        let times = told.iter().flat_map(|run| &run.times);
        let times: Vec<f64> = times
            .filter(|time| time.0 == kind)
            .map(|time| time.1)
            .collect();
        kinds.insert(kind.to_owned(), percentiles(times));
    }
    json!({
        "sessions": told.len(), "events": sent, "seconds": (seconds * 10.0).round() / 10.0,
        "lost": lost, "twice": twice, "errors": log.lines().collect::<Vec<_>>(),
        "all": percentiles(all), "floor": percentiles(floors), "kinds": kinds,
        "ok": lost == 0 && twice == 0 && log.is_empty(),
    })
}

/// Counts the events in a session's memory.
fn count_kept_events(hooks: &HookRunner, session: &str) -> usize {
    let key = digest::to_hex(&digest::hash_parts([session.as_bytes()])[..16]);
    let path = hooks
        .state_dir()
        .join("sessions")
        .join(format!("{key}.jsonl"));
    let text = fs::read_to_string(path).unwrap_or_default();
    let is_event = |line: &&str| {
        let line: Value = serde_json::from_str(line).unwrap_or_default();
        line["line"]["event"].is_array()
    };
    text.lines().filter(is_event).count()
}

/// Returns the median, the 90th and 99th percentile and the maximum, in milliseconds.
fn percentiles(mut times: Vec<f64>) -> Value {
    times.sort_by(f64::total_cmp);
    let at = |share: usize| {
        let place = (times.len() * share / 100).min(times.len().saturating_sub(1));
        times
            .get(place)
            .map_or(0.0, |time| (time * 100.0).round() / 100.0)
    };
    json!({"count": times.len(), "p50": at(50), "p90": at(90), "p99": at(99), "max": at(100)})
}
