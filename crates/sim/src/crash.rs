//! Kills writers at random moments and checks that nothing acknowledged is lost.
//!
//! Each round starts real processes that write to one database, kills each with SIGKILL at a random moment, and then
//! checks: every acknowledged lesson is there, once; the journal verifies; the store opens. A lesson that was sent and
//! not acknowledged is sent again in the next round, as a client would, and must not be there twice either. A store
//! lives for some rounds, so that creating one is also interrupted.

use std::{
    fs::OpenOptions,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    path::PathBuf,
    process::{Child, ExitCode},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use serde_json::json;

use crate::processes::{ProgramHome, find_marks, lesson_line, make_mark, parse_acknowledged};

/// Kills writers at random moments and checks that nothing acknowledged is lost.
#[derive(Debug, clap::Args)]
pub(crate) struct CrashArgs {
    /// The program under test.
    #[arg(long)]
    hardwon: PathBuf,
    /// How often all writers are killed.
    #[arg(long, default_value_t = 300)]
    rounds: u32,
    /// Processes that write at the same time.
    #[arg(long, default_value_t = 8)]
    writers: usize,
    /// Rounds until a new store is made.
    #[arg(long, default_value_t = 25)]
    rounds_a_store: u32,
    /// Longest life of a writer, in milliseconds.
    #[arg(long, default_value_t = 300)]
    longest: u64,
    /// Which random moments.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(crate) fn run(args: &CrashArgs) -> anyhow::Result<ExitCode> {
    let mut random = fastrand::Rng::with_seed(args.seed);
    let mut total = CrashTotals::default();
    let mut numbers = 0;
    let stores = args.rounds.div_ceil(args.rounds_a_store);
    for store in 0..stores {
        let home = ProgramHome::new(&args.hardwon)?;
        let mut writers: Vec<CrashWriter> = (0..args.writers).map(CrashWriter::new).collect();
        let rounds = args
            .rounds_a_store
            .min(args.rounds - store * args.rounds_a_store);
        let mut tally = CrashTotals::default();
        for _ in 0..rounds {
            let deadlines = writers
                .iter()
                .map(|_| random.u64(1..=args.longest))
                .collect();
            numbers = play_round(&home, &mut writers, deadlines, numbers)?;
            tally.check_store(&home, &writers)?;
        }
        total.add(tally, &writers);
    }
    let trouble = total.has_failure();
    let report = json!({
        "rounds": args.rounds, "writers": args.writers, "stores": stores, "seed": args.seed,
        "kills": total.kills, "acknowledged": total.acknowledged, "recalls": total.recalls,
        "lost": total.lost, "twice": total.twice, "recalls_lost": total.recalls_lost,
        "unsound": total.unsound, "slowest_look_ms": u64::try_from(total.slowest.as_millis())?,
        "errors": total.errors, "ok": !trouble,
    });
    writeln!(std::io::stdout(), "{report}")?;
    Ok(ExitCode::from(u8::from(trouble)))
}

/// Plays one round: all writers write until each is killed; returns the next free number.
fn play_round(
    home: &ProgramHome,
    writers: &mut [CrashWriter],
    deadlines: Vec<u64>,
    numbers: u64,
) -> anyhow::Result<u64> {
    let numbers = Mutex::new(numbers);
    let leashes: Vec<KillSwitch> = writers.iter().map(|_| KillSwitch::default()).collect();
    let start = Instant::now();
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for (writer, leash) in writers.iter_mut().zip(&leashes) {
            threads.push(scope.spawn(|| writer.write_until_killed(home, leash, &numbers)));
        }
        let mut order: Vec<(u64, &KillSwitch)> = deadlines.into_iter().zip(&leashes).collect();
        order.sort_by_key(|(deadline, _)| *deadline);
        for (deadline, leash) in order {
            thread::sleep(Duration::from_millis(deadline).saturating_sub(start.elapsed()));
            leash.kill();
        }
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().expect("a writer's thread does not panic"))
    })?;
    Ok(numbers.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Lets another thread kill a writer's process.
#[derive(Default)]
struct KillSwitch {
    ended: AtomicBool,
    child: Mutex<Option<Child>>,
}

impl KillSwitch {
    /// Attaches a process; one that was started too late is killed at once.
    fn attach(&self, mut child: Child) -> std::io::Result<()> {
        let mut held = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_over() {
            child.kill()?;
        }
        *held = Some(child);
        Ok(())
    }

    /// Waits for the attached process; returns whether it ended by itself.
    fn wait(&self) -> std::io::Result<bool> {
        let child = self
            .child
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        child.map_or(Ok(false), |mut child| {
            child.wait().map(|status| status.success())
        })
    }

    fn kill(&self) {
        self.ended.store(true, Ordering::SeqCst);
        let mut held = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(child) = held.as_mut() {
            // It may have ended by itself.
            drop(child.kill());
        }
    }

    fn is_over(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
    }
}

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

/// One writer, over all rounds of a store.
struct CrashWriter {
    name: usize,
    role: WriterRole,
    /// Marks that were sent and not acknowledged yet.
    sent: Vec<String>,
    acknowledged: Vec<String>,
    recalls: u64,
    kills: u64,
    errors: Vec<String>,
}

impl CrashWriter {
    fn new(name: usize) -> Self {
        Self {
            name,
            role: ROLES[name % ROLES.len()],
            sent: Vec::new(),
            acknowledged: Vec::new(),
            recalls: 0,
            kills: 0,
            errors: Vec::new(),
        }
    }

    /// Writes until it is killed.
    fn write_until_killed(
        &mut self,
        home: &ProgramHome,
        leash: &KillSwitch,
        numbers: &Mutex<u64>,
    ) -> anyhow::Result<()> {
        let fresh = || {
            let mut number = numbers.lock().unwrap_or_else(PoisonError::into_inner);
            *number += 1;
            make_mark(*number)
        };
        while !leash.is_over() {
            match self.role {
                WriterRole::Add(together) => self.add_lessons(home, leash, together, &fresh)?,
                WriterRole::Learn => self.learn_run(home, leash, &fresh)?,
                WriterRole::Recall => self.run_recall(home, leash)?,
            }
        }
        self.kills += 1;
        Ok(())
    }

    /// Streams lessons into one process until it is killed.
    fn add_lessons(
        &mut self,
        home: &ProgramHome,
        leash: &KillSwitch,
        together: usize,
        fresh: &dyn Fn() -> String,
    ) -> anyhow::Result<()> {
        let mut command = home.command(&["lesson", "add", "--jsonl"]);
        let mut child = command.stdin(std::process::Stdio::piped()).spawn()?;
        let mut input = child.stdin.take().context("a pipe was asked for")?;
        let mut answers = BufReader::new(child.stdout.take().context("a pipe was asked for")?);
        let mut complaints = child.stderr.take().context("a pipe was asked for")?;
        leash.attach(child)?;
        'alive: loop {
            while self.sent.len() < together {
                self.sent.push(fresh());
            }
            let lines: String = self
                .sent
                .iter()
                .map(|mark| lesson_line(mark) + "\n")
                .collect();
            if input.write_all(lines.as_bytes()).is_err() {
                break;
            }
            while !self.sent.is_empty() {
                let mut answer = String::new();
                answers.read_line(&mut answer)?;
                if !answer.ends_with('\n') {
                    break 'alive;
                }
                match parse_acknowledged(&answer) {
                    Ok(mark) => {
                        self.sent.retain(|sent| *sent != mark);
                        self.acknowledged.push(mark);
                    }
                    Err(error) => self.errors.push(error.to_string()),
                }
            }
        }
        drop(input);
        self.finish_process(leash, &mut complaints)?;
        Ok(())
    }

    /// Adds a run to its transcript and learns from it.
    fn learn_run(
        &mut self,
        home: &ProgramHome,
        leash: &KillSwitch,
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
        OpenOptions::new()
            .create(true)
            .append(true)
            .open(&transcript)?
            .write_all(text.as_bytes())?;
        let (out, _) = self.run_process(
            home,
            leash,
            &["learn", "--json", &transcript.to_string_lossy()],
        )?;
        for told in out
            .lines()
            .filter(|told| told.starts_with("{\"became\":\"learned\""))
        {
            let told: serde_json::Value = serde_json::from_str(told)?;
            let text = told["lesson"]["text"].as_str().unwrap_or_default();
            self.acknowledged
                .extend(find_marks(text).next().map(str::to_owned));
        }
        Ok(())
    }

    fn run_recall(&mut self, home: &ProgramHome, leash: &KillSwitch) -> anyhow::Result<()> {
        let prompt = "which port does the build listen on, and what to start before it?";
        let (out, finished) = self.run_process(home, leash, &["recall", "--json", prompt])?;
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
        leash: &KillSwitch,
        args: &[&str],
    ) -> anyhow::Result<(String, bool)> {
        let mut child = home.command(args).spawn()?;
        let mut out = child.stdout.take().context("a pipe was asked for")?;
        let mut complaints = child.stderr.take().context("a pipe was asked for")?;
        leash.attach(child)?;
        let mut text = String::new();
        out.read_to_string(&mut text)?;
        text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
        let finished = self.finish_process(leash, &mut complaints)?;
        Ok((text, finished))
    }

    /// Waits for the end of a process; any output on stderr is an error.
    fn finish_process(
        &mut self,
        leash: &KillSwitch,
        complaints: &mut impl std::io::Read,
    ) -> anyhow::Result<bool> {
        let mut complaint = String::new();
        complaints.read_to_string(&mut complaint)?;
        let finished = leash.wait()?;
        if !complaint.is_empty() {
            self.errors
                .push(format!("{:?}: {}", self.role, complaint.trim()));
        }
        Ok(finished)
    }
}

/// The figures of all rounds.
#[derive(Debug, Default)]
struct CrashTotals {
    kills: u64,
    acknowledged: usize,
    recalls: u64,
    lost: u64,
    twice: u64,
    recalls_lost: u64,
    unsound: u64,
    /// The longest check of the store; one that waits for a dead writer takes long.
    slowest: Duration,
    errors: Vec<String>,
}

impl CrashTotals {
    /// Checks the store after a round.
    fn check_store(&mut self, home: &ProgramHome, writers: &[CrashWriter]) -> anyhow::Result<()> {
        let start = Instant::now();
        if let Some(trouble) = home.verify_journal()? {
            self.unsound += 1;
            self.errors.push(trouble);
        }
        let contents = home.read_contents()?;
        let (lost, _) =
            contents.count_lost_and_twice(writers.iter().flat_map(|it| &it.acknowledged));
        let (_, twice) = contents.count_lost_and_twice(contents.lessons_by_mark.keys());
        let recalls: u64 = writers.iter().map(|it| it.recalls).sum();
        self.slowest = self.slowest.max(start.elapsed());
        // Each round counts anew, so the last one holds the total of this store.
        self.lost = lost;
        self.twice = twice;
        self.recalls_lost = recalls.saturating_sub(contents.recalls);
        Ok(())
    }

    fn add(&mut self, other: Self, writers: &[CrashWriter]) {
        self.lost += other.lost;
        self.twice += other.twice;
        self.recalls_lost += other.recalls_lost;
        self.unsound += other.unsound;
        self.slowest = self.slowest.max(other.slowest);
        self.errors.extend(other.errors);
        for writer in writers {
            self.kills += writer.kills;
            self.acknowledged += writer.acknowledged.len();
            self.recalls += writer.recalls;
            self.errors.extend(writer.errors.iter().cloned());
        }
    }

    fn has_failure(&self) -> bool {
        let bad = self.lost + self.twice + self.recalls_lost + self.unsound;
        bad > 0 || !self.errors.is_empty()
    }
}
