//! What is killed at night: what each deed changes, what there must be for it to do, and how to see that it was done.

use std::{fs, process::Command};

use anyhow::ensure;

use super::repo::CrashRepo;

/// What is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NightDeed {
    /// A block of lessons in a file.
    Place,
    /// The same, with a page for a long lesson.
    Docs,
    /// An entry of a general memory that moves into a project.
    Audit,
    /// A review that mends something.
    Review,
}

/// A general memory before anything is added that belongs in a project.
const GENERAL: &str = "# For all projects\n\n- Answer in British English.\n";
/// Where it is, from the repository.
const MEMORY: &str = "../.claude/CLAUDE.md";
const PAGE: &str = "docs/hardwon/run-make-pages-first.md";

/// Why pages come first, longer than a line has room for.
const REASON: &str = "The site is made of what the build left behind, and a build leaves nothing where a page is \
    missing. Whoever makes it in the other order sees last week's words, and nobody says so: the program that serves them takes \
    what it finds. Two releases went out like that before somebody looked at the dates. If the pages are there already, it is \
    over at once, so there is no reason to leave it out.";

impl NightDeed {
    pub(super) const ALL: [Self; 4] = [Self::Place, Self::Docs, Self::Audit, Self::Review];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Place => "place",
            Self::Docs => "place --docs",
            Self::Audit => "place --audit",
            Self::Review => "review",
        }
    }

    /// The files of the repository that it changes, in the order of their names.
    pub(super) fn committed_files(self) -> &'static [&'static str] {
        match self {
            Self::Place | Self::Audit => &["AGENTS.md"],
            Self::Docs => &["AGENTS.md", PAGE],
            Self::Review => &["app.sh"],
        }
    }

    /// All files that it changes.
    pub(super) fn files(self) -> Vec<&'static str> {
        let elsewhere = (self == Self::Audit).then_some(MEMORY);
        self.committed_files()
            .iter()
            .copied()
            .chain(elsewhere)
            .collect()
    }

    /// Makes something that there is to do.
    pub(super) fn prepare(self, repo: &CrashRepo, mark: &str) -> anyhow::Result<()> {
        let edit = |lesson: &str, text: String| {
            repo.ask(&["lesson", "edit", lesson, "--text", &text], &[0])?;
            self.save_plan(repo).map(drop)
        };
        match self {
            Self::Place => edit("1", format!("Run `make {mark}` before the build.")),
            Self::Docs => edit(
                "2",
                format!("Run `make pages` first. {mark} comes of it. {REASON}"),
            ),
            Self::Audit => {
                let entry = format!("- In bluebird, run `make {mark}` before `make test`.\n");
                repo.write(MEMORY, &format!("{GENERAL}{entry}"))?;
                self.save_plan(repo).map(drop)
            }
            Self::Review => {
                let text = repo.read("app.sh")?;
                repo.write("app.sh", &format!("{text}echo wrnog {mark}\n"))?;
                repo.git(&["commit", "-q", "-m", mark, "--", "app.sh"])
                    .map(drop)
            }
        }
    }

    /// Saves the plan of what there is to do; returns whether there is anything.
    fn save_plan(self, repo: &CrashRepo) -> anyhow::Result<bool> {
        let ask: &[&str] = match self {
            Self::Audit => &["place", "--audit", "--json"],
            _ => &["place", "--docs", "--json"],
        };
        let plan = repo.ask(ask, &[0, 1])?;
        fs::write(repo.path_to("plan.json"), plan.stdout)?;
        Ok(plan.status.code() == Some(1))
    }

    /// Returns the command that is killed.
    pub(super) fn command(self, repo: &CrashRepo) -> Command {
        let plan = repo.path_to("plan.json").display().to_string();
        let engine = format!("sh {}", repo.engine());
        let review = ["review", "--apply", "--base", "main", "--engine", &engine];
        match self {
            Self::Review => repo.command(&[&review[..], &["--test", "sleep 0.02"]].concat()),
            _ => repo.command(&["place", "--apply", &plan]),
        }
    }

    /// Returns the command that does the same again, to its end; `None` if there is nothing left to do.
    pub(super) fn command_again(self, repo: &CrashRepo) -> anyhow::Result<Option<Command>> {
        let is_left = self == Self::Review || self.save_plan(repo)?;
        Ok(is_left.then(|| self.command(repo)))
    }

    /// Returns whether all of it is there, once, given what was in its files before.
    pub(super) fn is_done(
        self,
        repo: &CrashRepo,
        before: &[String],
        mark: &str,
    ) -> anyhow::Result<bool> {
        let found = repo.read_all(&self.files());
        let is_placed =
            || found[0].contains(mark) && found[0].starts_with("# Works\n\nOur own words.\n");
        Ok(match self {
            Self::Place => is_placed(),
            Self::Docs => is_placed() && found[1].contains(mark),
            Self::Audit => is_placed() && found[1] == GENERAL && self.forget(repo, mark)? == 1,
            Self::Review => found[0] == before[0].replace("wrnog", "right"),
        })
    }

    /// Erases the lessons that an entry became, so that there is room for the next, and returns how many there were.
    fn forget(self, repo: &CrashRepo, mark: &str) -> anyhow::Result<usize> {
        let numbers = repo.find_lessons(mark)?;
        for number in &numbers {
            repo.ask(&["lesson", "erase", number, "--yes"], &[0])?;
        }
        ensure!(
            repo.find_lessons(mark)?.is_empty(),
            "an erased lesson is listed"
        );
        Ok(numbers.len())
    }
}
