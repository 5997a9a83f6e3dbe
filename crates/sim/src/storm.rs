//! Adds lessons from many processes at once.
//!
//! Three ways: each process streams its own share; all stream the same lessons; and each lesson is added by a process
//! of its own. Afterwards every lesson is there, none twice, and no process printed an error. A fourth way measures how
//! fairly writers are served: each sends a line only when it has the answer to the one before, and the waiting times
//! are printed.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    path::PathBuf,
    process::{Child, ExitCode, Stdio},
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use serde_json::{Value, json};

use crate::processes::{ProgramHome, lesson_line, make_mark, parse_acknowledged};

/// Adds lessons from many processes at once and checks that all are there, none twice.
#[derive(Debug, clap::Args)]
pub(crate) struct StormArgs {
    /// The program under test.
    #[arg(long)]
    hardwon: PathBuf,
    /// Processes at the same time.
    #[arg(long, default_value_t = 32)]
    processes: usize,
    /// Different lessons in all.
    #[arg(long, default_value_t = 1000)]
    lessons: usize,
}

/// The work of every process.
#[derive(Debug, Clone, Copy)]
enum StormMode {
    Shares,
    Same,
    Singly,
    Lockstep,
}

pub(crate) fn run(args: &StormArgs) -> anyhow::Result<ExitCode> {
    let marks: Vec<String> = (0..).take(args.lessons).map(make_mark).collect();
    let mut all_well = true;
    for way in [
        StormMode::Shares,
        StormMode::Same,
        StormMode::Singly,
        StormMode::Lockstep,
    ] {
        let home = ProgramHome::new(&args.hardwon)?;
        let share = marks.len().div_ceil(args.processes.max(1));
        let parts: Vec<&[String]> = match way {
            StormMode::Shares | StormMode::Singly | StormMode::Lockstep => {
                marks.chunks(share.max(1)).collect()
            }
            StormMode::Same => vec![&marks; args.processes],
        };
        let start = Instant::now();
        let waits = Mutex::new(Vec::new());
        let errors = match way {
            StormMode::Singly => run_each_part(&parts, |part| add_singly(&home, part))?,
            StormMode::Shares | StormMode::Same => run_streams(&home, &parts)?,
            StormMode::Lockstep => {
                run_each_part(&parts, |part| add_in_lockstep(&home, part, &waits))?
            }
        };
        let seconds = start.elapsed().as_secs_f64();
        let mut report = build_report(way, &home, &marks, errors, seconds)?;
        let mut waits = waits.into_inner().expect("no thread panicked");
        waits.sort_unstable();
        if let Some(worst) = waits.last() {
            let ms = |wait: Duration| (wait.as_secs_f64() * 10_000.0).round() / 10.0;
            report["median_ms"] = json!(ms(waits[waits.len() / 2]));
            report["worst_ms"] = json!(ms(*worst));
        }
        all_well &= report["ok"] == true;
        writeln!(std::io::stdout(), "{report}")?;
    }
    Ok(ExitCode::from(u8::from(!all_well)))
}

fn build_report(
    way: StormMode,
    home: &ProgramHome,
    marks: &[String],
    mut errors: Vec<String>,
    seconds: f64,
) -> anyhow::Result<Value> {
    errors.extend(home.verify_journal()?);
    let contents = home.read_contents()?;
    let (lost, twice) = contents.count_lost_and_twice(marks);
    let ok = lost == 0 && twice == 0 && errors.is_empty();
    Ok(json!({
        "way": format!("{way:?}").to_lowercase(), "seconds": (seconds * 10.0).round() / 10.0,
        "lessons": marks.len(), "stored": contents.lessons, "lost": lost, "twice": twice,
        "errors": errors, "ok": ok,
    }))
}

/// Starts a process for each part, and only then sends each its lines.
fn run_streams(home: &ProgramHome, parts: &[&[String]]) -> anyhow::Result<Vec<String>> {
    let mut running = Vec::new();
    for part in parts {
        let mut command = home.command(&["lesson", "add", "--jsonl"]);
        running.push((command.stdin(Stdio::piped()).spawn()?, *part));
    }
    let mut errors = Vec::new();
    thread::scope(|scope| {
        let threads: Vec<_> = running
            .into_iter()
            .map(|(child, part)| scope.spawn(move || feed_stream(child, part)))
            .collect();
        for thread in threads {
            errors.extend(thread.join().expect("a stream's thread does not panic")?);
        }
        Ok(errors)
    })
}

fn feed_stream(mut child: Child, part: &[String]) -> anyhow::Result<Vec<String>> {
    let mut input = child.stdin.take().context("a pipe was asked for")?;
    let lines: String = part.iter().map(|mark| lesson_line(mark) + "\n").collect();
    let output = thread::scope(|scope| {
        let feeding = scope.spawn(move || input.write_all(lines.as_bytes()));
        let output = child.wait_with_output();
        feeding.join().expect("feeding does not panic").and(output)
    })?;
    let answers = String::from_utf8(output.stdout)?;
    let mut errors: Vec<String> = answers
        .lines()
        .filter_map(|answer| parse_acknowledged(answer).err())
        .map(|error| error.to_string())
        .collect();
    let missing = part.len() - answers.lines().count().min(part.len());
    if !output.status.success() || !output.stderr.is_empty() || missing > 0 {
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        errors.push(format!(
            "{}, {missing} answers missing: {complaint}",
            output.status
        ));
    }
    Ok(errors)
}

/// Adds each lesson by a process of its own.
fn add_singly(home: &ProgramHome, part: &[String]) -> anyhow::Result<Vec<String>> {
    let mut errors = Vec::new();
    for mark in part {
        let text = format!("Start {mark} before the build.");
        let mut child = home.command(&["lesson", "add", mark, &text]).spawn()?;
        let mut complaint = String::new();
        let stderr = child.stderr.as_mut().context("a pipe was asked for")?;
        stderr.read_to_string(&mut complaint)?;
        let status = child.wait()?;
        if !status.success() || !complaint.is_empty() {
            errors.push(format!("{status}: {complaint}"));
        }
    }
    Ok(errors)
}

/// Adds lessons by one process, each when the one before is stored, and records how long each took. The first is left
/// out: it starts the process.
fn add_in_lockstep(
    home: &ProgramHome,
    part: &[String],
    waits: &Mutex<Vec<Duration>>,
) -> anyhow::Result<Vec<String>> {
    let mut command = home.command(&["lesson", "add", "--jsonl"]);
    let mut child = command.stdin(Stdio::piped()).spawn()?;
    let mut input = child.stdin.take().context("a pipe was asked for")?;
    let mut answers = BufReader::new(child.stdout.take().context("a pipe was asked for")?);
    let (mut errors, mut own) = (Vec::new(), Vec::new());
    for mark in part {
        let (asked, mut answer) = (Instant::now(), String::new());
        writeln!(input, "{}", lesson_line(mark))?;
        answers.read_line(&mut answer)?;
        own.push(asked.elapsed());
        errors.extend(
            parse_acknowledged(&answer)
                .err()
                .map(|error| error.to_string()),
        );
    }
    drop(input);
    let status = child.wait()?;
    errors.extend((!status.success()).then(|| status.to_string()));
    let mut waits = waits.lock().expect("no thread panicked");
    waits.extend(own.into_iter().skip(1));
    Ok(errors)
}

/// Runs `work` on each part, all at the same time.
fn run_each_part(
    parts: &[&[String]],
    work: impl Fn(&[String]) -> anyhow::Result<Vec<String>> + Sync,
) -> anyhow::Result<Vec<String>> {
    let mut all = Vec::new();
    thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = parts
            .iter()
            .map(|part| scope.spawn(move || work(part)))
            .collect();
        for thread in threads {
            all.extend(thread.join().expect("a part's thread does not panic")?);
        }
        Ok(all)
    })
}
