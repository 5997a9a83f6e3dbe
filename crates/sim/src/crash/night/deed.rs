//! What is killed at night: what each deed changes, what there must be for it to do, and how to see that it was done.

use std::{fs, process::Command};

use anyhow::ensure;

use super::repo::CrashRepo;

/// What is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NightDeed {
    /// A block of lessons in a file.
    Place,
    /// An entry of a general memory that moves into a project.
    Audit,
    /// A review that mends something.
    Review,
}

/// A general memory before anything is added that belongs in a project.
const GENERAL: &str = "# For all projects\n\n- Answer in British English.\n";
/// Where it is, from the repository.
const MEMORY: &str = "../.claude/CLAUDE.md";

impl NightDeed {
    pub(super) const ALL: [Self; 3] = [Self::Place, Self::Audit, Self::Review];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Place => "place",
            Self::Audit => "place --audit",
            Self::Review => "review",
        }
    }

    /// The files of the repository that it changes, in the order of their names.
    pub(super) fn committed_files(self) -> &'static [&'static str] {
        match self {
            Self::Place | Self::Audit => &["AGENTS.md"],
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
        match self {
            Self::Place => {
                let text = format!("Run `make {mark}` before the build.");
                repo.ask(&["lesson", "edit", "1", "--text", &text], &[0])?;
                self.save_plan(repo).map(drop)
            }
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
            _ => &["place", "--json"],
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
