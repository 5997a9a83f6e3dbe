//! Adds lessons from many processes at once.
//!
//! Three ways: each process streams its own share; all stream the same lessons; and each lesson is added by a process
//! of its own. Afterwards every lesson is there, none twice, and no process printed an error. A fourth way measures how
//! fairly writers are served: each sends a line only when it has the answer to the one before, and the waiting times
//! are printed.

use std::{
    io::Write as _,
    path::PathBuf,
    process::ExitCode,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::processes::{LessonStream, ProgramHome, make_mark};

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

/// How lessons are added.
#[derive(Debug, Clone, Copy)]
struct StormWay {
    name: &'static str,
    /// Whether all that run at the same time add the same lessons.
    is_same: bool,
    /// Lessons of one process.
    a_process: usize,
    /// Lines that a process gets before its answers are read, which pipes hold.
    together: usize,
}

const WAYS: [StormWay; 4] = [
    StormWay::new("shares", false, usize::MAX, 100),
    StormWay::new("same", true, usize::MAX, 100),
    StormWay::new("singly", false, 1, 1),
    StormWay::new("lockstep", false, usize::MAX, 1),
];

impl StormWay {
    const fn new(name: &'static str, is_same: bool, a_process: usize, together: usize) -> Self {
        Self {
            name,
            is_same,
            a_process,
            together,
        }
    }
}

pub(crate) fn run(args: &StormArgs) -> anyhow::Result<ExitCode> {
    let marks: Vec<String> = (0..).take(args.lessons).map(make_mark).collect();
    let mut all_well = true;
    for way in WAYS {
        let report = play(way, args, &marks)?;
        all_well &= report["ok"] == true;
        writeln!(std::io::stdout(), "{report}")?;
    }
    Ok(ExitCode::from(u8::from(!all_well)))
}

fn play(way: StormWay, args: &StormArgs, marks: &[String]) -> anyhow::Result<Value> {
    let home = ProgramHome::new(&args.hardwon)?;
    let parts: Vec<&[String]> = if way.is_same {
        vec![marks; args.processes]
    } else {
        let share = marks.len().div_ceil(args.processes.max(1));
        marks.chunks(share.max(1)).collect()
    };
    let start = Instant::now();
    let (mut errors, mut waits) = (Vec::new(), Vec::new());
    thread::scope(|scope| {
        let (way, home) = (&way, &home);
        let start = |part| scope.spawn(move || way.add_part(home, part));
        let threads: Vec<_> = parts.into_iter().map(start).collect();
        for thread in threads {
            let (wrong, waited) = thread.join().expect("a part's thread does not panic")?;
            errors.extend(wrong);
            waits.extend(waited);
        }
        anyhow::Ok(())
    })?;
    let seconds = start.elapsed().as_secs_f64();
    errors.extend(home.verify_journal()?);
    let contents = home.read_contents()?;
    let (lost, twice) = contents.count_lost_and_twice(marks);
    waits.sort_unstable();
    let ms =
        |wait: Option<&Duration>| wait.map(|wait| (wait.as_secs_f64() * 10_000.0).round() / 10.0);
    Ok(json!({
        "way": way.name, "seconds": (seconds * 10.0).round() / 10.0,
        "lessons": marks.len(), "stored": contents.lessons, "lost": lost, "twice": twice,
        "median_ms": ms(waits.get(waits.len() / 2)), "worst_ms": ms(waits.last()),
        "ok": lost == 0 && twice == 0 && errors.is_empty(), "errors": errors,
    }))
}

impl StormWay {
    /// Adds a part of the lessons; returns what went wrong, and how long answers took but for the first of a process,
    /// which starts it.
    fn add_part(
        &self,
        home: &ProgramHome,
        part: &[String],
    ) -> anyhow::Result<(Vec<String>, Vec<Duration>)> {
        let (mut errors, mut waits) = (Vec::new(), Vec::new());
        for marks in part.chunks(self.a_process) {
            let (mut stream, child) = LessonStream::start(home)?;
            for (at, marks) in marks.chunks(self.together).enumerate() {
                let asked = Instant::now();
                let (acknowledged, refused) = stream.add(marks)?;
                waits.extend((at > 0).then(|| asked.elapsed()));
                errors.extend(refused);
                let missing = marks.len() - acknowledged.len();
                errors.extend((missing > 0).then(|| format!("{missing} answers missing")));
            }
            drop(stream);
            let output = child.wait_with_output()?;
            if !output.status.success() || !output.stderr.is_empty() {
                let complaint = String::from_utf8_lossy(&output.stderr);
                errors.push(format!("{}: {complaint}", output.status));
            }
        }
        Ok((errors, waits))
    }
}
