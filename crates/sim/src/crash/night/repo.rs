//! The repository in which processes are killed, with work in it that nobody may touch.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output},
};

use anyhow::{Context as _, ensure};

use crate::processes::ProgramHome;

/// The reviewing engine: mends a word, takes its time, and starts something that would be there much longer.
const ENGINE: &str = r#"if [ "$1" = linger ]; then sleep 60; exit; fi
sh "$0" linger > /dev/null 2>&1 &
nonce=$(sed -n 's/.*\("nonce": ".*"\).*/\1/p')
sleep 0.05
if grep -q wrnog app.sh; then
  sed -i s/wrnog/right/ app.sh
  echo "{$nonce,"'"verdict":"fixed","fixes":[{"what":"Say it right","anchors":["app.sh:2"]}]}'
else
  echo "{$nonce,"'"verdict":"approved"}'
fi
"#;

/// The repository, and the program that works in it.
pub(super) struct CrashRepo {
    pub(super) home: ProgramHome,
}

impl CrashRepo {
    pub(super) fn new(home: ProgramHome) -> anyhow::Result<Self> {
        let repo = Self { home };
        for folder in ["repo", "tmp", ".claude"] {
            fs::create_dir(repo.path_to(folder))?;
        }
        fs::write(repo.path_to("engine.sh"), ENGINE)?;
        repo.git(&["init", "-q", "-b", "main"])?;
        let origin = "https://example.com/acme/bluebird.git";
        repo.git(&["remote", "add", "origin", origin])?;
        // Claude Code notes where it worked.
        let worked = serde_json::json!({"projects": {repo.path_to("repo").to_string_lossy(): {}}});
        fs::write(repo.path_to(".claude.json"), worked.to_string())?;
        repo.write("AGENTS.md", "# Works\n\nOur own words.\n")?;
        repo.write("app.sh", "#!/bin/sh\n")?;
        repo.write("notes.txt", "one\n")?;
        repo.git(&["add", "-A"])?;
        repo.git(&["commit", "-q", "-m", "begin"])?;
        repo.git(&["checkout", "-q", "-b", "topic"])?;
        repo.write("notes.txt", "one\nmine\n")?;
        repo.write("draft.txt", "mine\n")?;
        repo.ask(&["lesson", "add", "make build", "Run `make first`."], &[0])?;
        Ok(repo)
    }

    pub(super) fn path_to(&self, name: &str) -> PathBuf {
        self.home.path_to(name)
    }

    /// The path of the reviewing engine, by which its processes are recognised.
    pub(super) fn engine(&self) -> String {
        self.path_to("engine.sh").display().to_string()
    }

    /// Counts the copies for a reviewing engine that are there.
    pub(super) fn count_copies(&self) -> anyhow::Result<usize> {
        let found = fs::read_dir(self.path_to("tmp"))?.flatten();
        let names = found.map(|path| path.file_name().to_string_lossy().into_owned());
        Ok(names
            .filter(|name| name.starts_with("hardwon-review-"))
            .count())
    }

    pub(super) fn write(&self, name: &str, text: &str) -> anyhow::Result<()> {
        fs::write(self.path_to("repo").join(name), text)?;
        Ok(())
    }

    pub(super) fn read(&self, name: &str) -> anyhow::Result<String> {
        let path = self.path_to("repo").join(name);
        fs::read_to_string(&path).with_context(|| path.display().to_string())
    }

    /// Returns what is in files, empty where one is not there.
    pub(super) fn read_all(&self, names: &[&str]) -> Vec<String> {
        let read = |name: &&str| self.read(name).unwrap_or_default();
        names.iter().map(read).collect()
    }

    /// Makes a call run in the repository, by somebody with a name.
    fn place_in_repo(&self, command: &mut Command) {
        command
            .current_dir(self.path_to("repo"))
            .env_remove("HARDWON_PROJECT")
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("TMPDIR", self.path_to("tmp"));
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "A");
            command.env(format!("GIT_{role}_EMAIL"), "a@example.com");
        }
    }

    pub(super) fn git(&self, args: &[&str]) -> anyhow::Result<String> {
        let mut command = Command::new("git");
        command.args(args).env_clear();
        command.env("GIT_CONFIG_GLOBAL", "/dev/null");
        self.place_in_repo(&mut command);
        let output = command.output()?;
        ensure!(output.status.success(), "git {args:?}: {output:?}");
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }

    pub(super) fn command(&self, args: &[&str]) -> Command {
        let mut command = self.home.command(args);
        self.place_in_repo(&mut command);
        command
    }

    /// Runs the program, which must end with one of these exit codes.
    pub(super) fn ask(&self, args: &[&str], codes: &[i32]) -> anyhow::Result<Output> {
        let output = self.command(args).output()?;
        let is_expected = output
            .status
            .code()
            .is_some_and(|code| codes.contains(&code));
        ensure!(
            is_expected,
            "{args:?} ended with {:?}, not {codes:?}: {}",
            output.status.code(),
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(output)
    }

    /// Returns the numbers of the lessons that carry a mark.
    pub(super) fn find_lessons(&self, mark: &str) -> anyhow::Result<Vec<String>> {
        let listed = self.ask(&["lesson", "list", "--all-projects", "--json"], &[0])?;
        let listed: serde_json::Value = serde_json::from_slice(&listed.stdout)?;
        let lessons = listed["lessons"]
            .as_array()
            .context("a list of lessons")?
            .iter();
        let marked = lessons.filter(|lesson| lesson.to_string().contains(mark));
        Ok(marked.map(|row| row["id"].to_string()).collect())
    }
}
