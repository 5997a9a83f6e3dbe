//! Placements, audits and reviews: each is done whole or not at all, whenever it is killed.
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

use std::{os::unix::process::CommandExt as _, process::Child, thread, time::Duration};

use anyhow::Context as _;

use self::{deed::NightDeed, ended::wait_until_gone, repo::CrashRepo};
use super::{Deed, Round, Tally, end};
use crate::processes::ProgramHome;

/// Within what time after the first change of a file a late kill comes.
const LATE: Duration = Duration::from_millis(15);

/// What is killed in one repository, each with how long it takes, as far as is known.
pub(super) struct Night {
    repo: CrashRepo,
    deeds: [(NightDeed, Duration); 3],
}

/// Where the branch is, and what is in the files of a deed.
struct DeedState {
    head: String,
    texts: Vec<String>,
}

impl Night {
    pub(super) fn new(home: ProgramHome) -> anyhow::Result<Self> {
        Ok(Self {
            repo: CrashRepo::new(home)?,
            deeds: NightDeed::ALL.map(|deed| (deed, Duration::from_millis(400))),
        })
    }
}

impl Deed for Night {
    fn play(&mut self, round: &mut Round<'_>) -> anyhow::Result<()> {
        let (repo, turn) = (&self.repo, usize::try_from(round.number)?);
        let (deed, usual) = &mut self.deeds[turn % NightDeed::ALL.len()];
        let (deed, mark) = (*deed, round.mark.clone());
        deed.prepare(repo, &mark)?;
        let before = DeedState::read(repo, deed)?;
        let is_killed = start_and_kill(repo, deed, &before, usual, round)?;
        let engine = repo.engine();
        let is_gone = wait_until_gone(&|process| process.line.contains(&engine));
        round
            .tally
            .reject("engines that went on", (!is_gone).into());
        let (progress, broken) = check(repo, deed, &before, &mark)?;
        let what = format!("{}: {progress}", deed.name());
        round.tally.note_end(&what, is_killed);
        let named = broken
            .into_iter()
            .map(|what| format!("{}, {mark}: {what}", deed.name()));
        round.tally.broken.extend(named);
        Ok(())
    }

    fn finish(&mut self, tally: &mut Tally) -> anyhow::Result<()> {
        tally.check_journal(&self.repo.home)
    }
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

/// Starts a deed and kills it, and waits for what it started; returns whether it was killed before its end.
fn start_and_kill(
    repo: &CrashRepo,
    deed: NightDeed,
    before: &DeedState,
    usual: &mut Duration,
    round: &mut Round<'_>,
) -> anyhow::Result<bool> {
    let mut child = deed.command(repo).process_group(0).spawn()?;
    let is_killed = if round.random.bool() {
        wait_for_change(repo, deed, before, &mut child)?;
        round.sleep_up_to(LATE)?;
        end(&mut child)?
    } else {
        round.kill(&mut child, usual)?
    };
    // A `git` that it had started goes on to its own end.
    let group = child.id().to_string();
    wait_until_gone(&|process| process.group == group);
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
        if staged.lines().any(|line| line == *name) {
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
    if staged.lines().any(|line| !files.contains(&line)) {
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
