//! Kills processes at random moments and checks what must hold whenever that happens.
//!
//! Each kind of deed says what is killed and what must hold after each kill and at the end. What breaks is told in words;
//! what else there is to know is counted. The moments are drawn from a seed.

#[cfg(target_os = "linux")]
mod night;
mod queue;
#[cfg(feature = "load")]
mod server;
mod sweep;
mod writers;

use std::{
    collections::BTreeMap,
    io::Write as _,
    path::PathBuf,
    process::{Child, ExitCode},
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::processes::{ProgramHome, make_mark};

/// Kills processes at random moments and checks what must hold whenever that happens.
#[derive(Debug, clap::Args)]
pub(crate) struct CrashArgs {
    /// What is killed.
    kind: DeedKind,
    /// The program under test.
    #[arg(long)]
    hardwon: PathBuf,
    /// How often something is killed.
    #[arg(long, default_value_t = 200)]
    rounds: u64,
    /// Which random moments.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many processes or clients there are at the same time, where there are several.
    #[arg(long, default_value_t = 8)]
    writers: u32,
    /// Rounds until writers get a new store.
    #[arg(long, default_value_t = 25)]
    rounds_a_store: u64,
    /// A PostgreSQL database for a server to serve from: the tenants `t0` and so on are erased from it first.
    #[cfg(feature = "load")]
    #[arg(long)]
    postgres: Option<String>,
    /// Options of `hardwon serve`.
    #[cfg(feature = "load")]
    #[arg(last = true)]
    serve: Vec<String>,
}

/// What is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum DeedKind {
    /// Processes that add lessons, learn and recall, all on one file.
    Writers,
    /// A process that asks a model, in every state of a job.
    Queue,
    /// A sweep of a file.
    Sweep,
    /// Placements, audits and reviews, in turn.
    #[cfg(target_os = "linux")]
    Night,
    /// A server while clients add lessons.
    #[cfg(feature = "load")]
    Server,
}

impl CrashArgs {
    fn make_deed(&self) -> anyhow::Result<Box<dyn Deed>> {
        let home = || ProgramHome::new(&self.hardwon);
        Ok(match self.kind {
            DeedKind::Writers => Box::new(writers::Writers::new(self)),
            DeedKind::Queue => Box::new(queue::Queue::new(home()?)?),
            DeedKind::Sweep => Box::new(sweep::Sweep::new(home()?)?),
            #[cfg(target_os = "linux")]
            DeedKind::Night => Box::new(night::Night::new(home()?)?),
            #[cfg(feature = "load")]
            DeedKind::Server => Box::new(server::Server::new(self)?),
        })
    }
}

/// Something that is killed, round by round.
trait Deed {
    /// Makes something that there is to do, has it killed, and checks what is there.
    fn play(&mut self, round: &mut Round<'_>) -> anyhow::Result<()>;

    /// Does what is left, and checks that all of it is done.
    fn finish(&mut self, tally: &mut Tally) -> anyhow::Result<()>;
}

/// One round.
struct Round<'r> {
    number: u64,
    /// A made-up word of its own.
    mark: String,
    random: &'r mut fastrand::Rng,
    tally: &'r mut Tally,
}

/// What was found.
#[derive(Debug, Default)]
struct Tally {
    /// How many processes were killed, by what they were at.
    killed: BTreeMap<String, u64>,
    counts: BTreeMap<String, u64>,
    broken: Vec<String>,
}

pub(crate) fn run(args: &CrashArgs) -> anyhow::Result<ExitCode> {
    let mut deed = args.make_deed()?;
    let mut random = fastrand::Rng::with_seed(args.seed);
    let mut tally = Tally::default();
    for number in 0..args.rounds {
        deed.play(&mut Round {
            number,
            mark: make_mark(number),
            random: &mut random,
            tally: &mut tally,
        })?;
    }
    deed.finish(&mut tally)?;
    let ok = tally.broken.is_empty();
    let report = json!({
        "deed": format!("{:?}", args.kind), "rounds": args.rounds, "seed": args.seed,
        "killed": tally.killed, "counts": tally.counts, "broken": tally.broken, "ok": ok,
    });
    writeln!(std::io::stdout(), "{report}")?;
    Ok(ExitCode::from(u8::from(!ok)))
}

impl Tally {
    fn count(&mut self, what: impl Into<String>, more: u64) {
        *self.counts.entry(what.into()).or_default() += more;
    }

    /// Notes how a process that was to be killed came to its end.
    fn note_end(&mut self, what: &str, is_killed: bool) {
        if is_killed {
            *self.killed.entry(what.to_owned()).or_default() += 1;
        } else {
            self.count("ended before", 1);
        }
    }

    /// Notes what should not be, if it is so often.
    fn reject(&mut self, what: &str, count: u64) {
        if count > 0 {
            self.broken.push(format!("{count} {what}"));
        }
    }

    /// Notes what the program says is wrong with the journal.
    fn check_journal(&mut self, home: &ProgramHome) -> anyhow::Result<()> {
        self.broken.extend(home.verify_journal()?);
        Ok(())
    }
}

impl Round<'_> {
    /// Kills a process somewhere between its start and its end, which comes after `usual` as far as is known, and returns
    /// whether it was killed before that.
    fn kill(&mut self, child: &mut Child, usual: &mut Duration) -> anyhow::Result<bool> {
        let start = Instant::now();
        self.sleep_up_to(*usual)?;
        let is_killed = end(child)?;
        *usual = if is_killed {
            usual.mul_f64(1.02)
        } else {
            start.elapsed().max(Duration::from_millis(40))
        };
        Ok(is_killed)
    }

    fn sleep_up_to(&mut self, longest: Duration) -> anyhow::Result<()> {
        let micros = self.random.u64(0..u64::try_from(longest.as_micros())?);
        thread::sleep(Duration::from_micros(micros));
        Ok(())
    }
}

/// Kills a process and waits for its end; returns whether it had not ended by itself.
fn end(child: &mut Child) -> anyhow::Result<bool> {
    // It may have ended by itself.
    drop(child.kill());
    Ok(child.wait()?.code().is_none())
}
