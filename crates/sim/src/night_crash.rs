//! Kills `place --apply` and `review --apply` at random moments and checks that each was done whole or not at all.
//!
//! All run in one repository with work in it that is not committed. Every round kills one real process somewhere
//! between its start and its end, or within a few milliseconds of its first change of a file, where the steps are short
//! that must not be torn apart; what it had started by then is waited for. Then each file must be as before or as after,
//! the commit whole or absent, nothing of the uncommitted work touched or staged, and no reviewing engine may go on.
//! The next run must then go to its end and leave a clean index, and what it moved once. Linux only: processes are looked
//! for in `/proc`.

mod deed;
mod ended;
mod repo;

use std::{
    collections::BTreeMap,
    io::Write as _,
    os::unix::process::CommandExt as _,
    path::PathBuf,
    process::{Child, ExitCode},
    thread,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use serde_json::json;

use self::{deed::NightDeed, ended::wait_until_gone, repo::CrashRepo};
use crate::processes::{ProgramHome, make_mark};

/// Kills `place` and `review` at random moments and checks that each was done whole or not at all.
#[derive(Debug, clap::Args)]
pub(crate) struct NightCrashArgs {
    /// The program under test.
    #[arg(long)]
    hardwon: PathBuf,
    /// How many processes are killed, of all kinds in turn; those that ended before do not count.
    #[arg(long, default_value_t = 200)]
    kills: u32,
    /// Which random moments.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Within how many microseconds after the first change of a file a late kill comes.
const LATE_MICROS: u64 = 15_000;

/// Where the branch is, and what is in the files of a deed.
struct DeedState {
    head: String,
    texts: Vec<String>,
}

#[derive(Default)]
struct NightTotals {
    killed: BTreeMap<&'static str, u32>,
    ended: u32,
    /// How far those that were killed had come.
    found: BTreeMap<String, u32>,
    engines_left: u32,
    broken: Vec<String>,
}

impl NightTotals {
    fn add_kill(&mut self, deed: NightDeed, progress: &str) {
        *self.killed.entry(deed.name()).or_default() += 1;
        let how = format!("{}: {progress}", deed.name());
        *self.found.entry(how).or_default() += 1;
    }
}

pub(crate) fn run(args: &NightCrashArgs) -> anyhow::Result<ExitCode> {
    let repo = CrashRepo::new(ProgramHome::new(&args.hardwon)?)?;
    let mut random = fastrand::Rng::with_seed(args.seed);
    let mut totals = NightTotals::default();
    let mut deeds = NightDeed::ALL.map(|it| (it, Duration::from_millis(400)));
    for round in 0_u64.. {
        if totals.killed.values().sum::<u32>() >= args.kills {
            break;
        }
        let mark = make_mark(round);
        let turn = usize::try_from(round)? % deeds.len();
        let (deed, longest) = &mut deeds[turn];
        deed.prepare(&repo, &mark)?;
        let before = DeedState::read(&repo, *deed)?;
        let is_killed = start_and_kill(&repo, *deed, &before, longest, &mut random)?;
        totals.engines_left += u32::from(!wait_for_engine(&repo));
        let (progress, broken) = check(&repo, *deed, &before, &mark)?;
        match is_killed {
            true => totals.add_kill(*deed, progress),
            false => totals.ended += 1,
        }
        let named = broken
            .into_iter()
            .map(|it| format!("{}, {mark}: {it}", deed.name()));
        totals.broken.extend(named);
    }
    report(args, &repo, &totals)
}

fn report(
    args: &NightCrashArgs,
    repo: &CrashRepo,
    totals: &NightTotals,
) -> anyhow::Result<ExitCode> {
    let unsound = repo.verify_journal()?;
    let ok = totals.broken.is_empty() && totals.engines_left == 0 && unsound.is_none();
    let report = json!({
        "kills": args.kills, "seed": args.seed, "killed": totals.killed, "ended_before": totals.ended,
        "found": totals.found, "engines_left": totals.engines_left, "broken": totals.broken, "unsound": unsound, "ok": ok,
    });
    writeln!(std::io::stdout(), "{report}")?;
    Ok(ExitCode::from(u8::from(!ok)))
}

impl DeedState {
    fn read(repo: &CrashRepo, deed: NightDeed) -> anyhow::Result<Self> {
        Ok(Self {
            head: repo.git(&["rev-parse", "HEAD"])?,
            texts: repo.read_all(&deed.files()),
        })
    }

    /// Says how far a deed had come that left this.
    fn describe_progress(&self, before: &Self, staged: &str) -> &'static str {
        match (
            self.head != before.head,
            !staged.is_empty(),
            self.texts != before.texts,
        ) {
            (true, ..) => "committed",
            (false, true, _) => "staged",
            (false, false, true) => "written",
            (false, false, false) => "untouched",
        }
    }

    /// Returns what is neither as before nor as after.
    fn judge(&self, before: &Self, after: &Self) -> Vec<String> {
        let mut broken = Vec::new();
        for (at, text) in self.texts.iter().enumerate() {
            if *text != before.texts[at] && *text != after.texts[at] {
                broken.push(format!("file {at} is between before and after"));
            }
        }
        if self.head != before.head && self.head != after.head {
            broken.push("a commit is there that is no part of what came after".to_owned());
        }
        broken
    }
}

/// Starts a deed and kills it, and waits for what it started; returns whether it was killed before its end. `longest` is how
/// long it takes, as far as is known.
fn start_and_kill(
    repo: &CrashRepo,
    deed: NightDeed,
    before: &DeedState,
    longest: &mut Duration,
    random: &mut fastrand::Rng,
) -> anyhow::Result<bool> {
    let start = Instant::now();
    let mut child = deed.command(repo).process_group(0).spawn()?;
    let is_late = random.bool();
    let wait = if is_late {
        wait_for_change(repo, deed, before, &mut child)?;
        random.u64(0..LATE_MICROS)
    } else {
        random.u64(0..u64::try_from(longest.as_micros())?)
    };
    thread::sleep(Duration::from_micros(wait));
    // It may have ended by itself.
    drop(child.kill());
    let is_killed = child.wait()?.code().is_none();
    match (is_late, is_killed) {
        (true, _) => {}
        (false, true) => *longest = longest.mul_f64(1.02),
        (false, false) => *longest = start.elapsed(),
    }
    // A `git` that it had started goes on to its own end.
    let group = child.id().to_string();
    wait_until_gone(&|it| it.group == group);
    Ok(is_killed)
}

/// Waits until a file is another one, or the process has ended.
fn wait_for_change(
    repo: &CrashRepo,
    deed: NightDeed,
    before: &DeedState,
    child: &mut Child,
) -> anyhow::Result<()> {
    while child.try_wait()?.is_none() && repo.read_all(&deed.files()) == before.texts {
        thread::sleep(Duration::from_micros(100));
    }
    Ok(())
}

/// Waits until no reviewing engine is at work; returns whether that came.
fn wait_for_engine(repo: &CrashRepo) -> bool {
    let engine = repo.engine();
    wait_until_gone(&|it| it.line.contains(&engine))
}

/// Returns how far a deed had come, and what is not as it should be, now and after another run.
fn check(
    repo: &CrashRepo,
    deed: NightDeed,
    before: &DeedState,
    mark: &str,
) -> anyhow::Result<(&'static str, Vec<String>)> {
    let found = DeedState::read(repo, deed)?;
    let staged = repo.git(&["diff", "--cached", "--name-only"])?;
    let mut staged_texts = Vec::new();
    for (at, name) in deed.committed_files().iter().enumerate() {
        if staged.lines().any(|it| it == *name) {
            staged_texts.push((at, repo.git(&["show", &format!(":{name}")])?));
        }
    }
    let mut broken = find_touched_work(repo, deed, &staged)?;
    // What the next run makes of it is how it should be.
    broken.extend(go_on(repo, deed)?);
    let after = DeedState::read(repo, deed)?;
    broken.extend(found.judge(before, &after));
    for (at, text) in staged_texts {
        if text != after.texts[at].trim() {
            broken.push("something else is staged".to_owned());
        }
    }
    broken.extend(find_unfinished(repo, deed, before, mark)?);
    Ok((found.describe_progress(before, &staged), broken))
}

/// Returns what became of the work that is not committed, where it is not as it was.
fn find_touched_work(
    repo: &CrashRepo,
    deed: NightDeed,
    staged: &str,
) -> anyhow::Result<Vec<String>> {
    let mut broken = Vec::new();
    let is_same = repo.read("notes.txt")? == "one\nmine\n" && repo.read("draft.txt")? == "mine\n";
    if !is_same {
        broken.push("uncommitted work was touched".to_owned());
    }
    let files = deed.committed_files();
    if staged.lines().any(|it| !files.contains(&it)) {
        broken.push(format!("staged: {staged}"));
    }
    if repo.path_to("repo/.git/index.lock").exists() {
        broken.push("the index is locked".to_owned());
    }
    Ok(broken)
}

/// Does the same again, to its end; returns what went wrong.
fn go_on(repo: &CrashRepo, deed: NightDeed) -> anyhow::Result<Option<String>> {
    let Some(mut command) = deed.command_again(repo)? else {
        return Ok(None);
    };
    let output = command.output().context("going on")?;
    let is_done = output.status.code() == Some(0);
    let said = String::from_utf8_lossy(&output.stderr);
    Ok((!is_done).then(|| format!("the next run failed: {}", said.trim())))
}

/// Returns what is not as it should be once the next run has ended.
fn find_unfinished(
    repo: &CrashRepo,
    deed: NightDeed,
    before: &DeedState,
    mark: &str,
) -> anyhow::Result<Vec<String>> {
    let mut broken = Vec::new();
    let mut expect = |what: &str, found: String, expected: &str| {
        if found != expected {
            broken.push(format!("{what}: {found}"));
        }
    };
    let status = repo.git(&["status", "--porcelain"])?;
    expect("the state", status, "M notes.txt\n?? draft.txt");
    expect("parent", repo.git(&["rev-parse", "HEAD^"])?, &before.head);
    let changed = repo.git(&["show", "--name-only", "--format=", "HEAD"])?;
    expect(
        "the commit's files",
        changed,
        &deed.committed_files().join("\n"),
    );
    let copies = repo.count_copies()?;
    expect("copies that were left", copies.to_string(), "0");
    let is_done = deed.is_done(repo, &before.texts, mark)?;
    expect("all of it is there", is_done.to_string(), "true");
    Ok(broken)
}
