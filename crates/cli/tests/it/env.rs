//! A home of its own for each test, and the binary run in it.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use tempfile::TempDir;

/// A temporary home with a work folder in it.
pub(crate) struct TestEnv {
    root: TempDir,
}

/// What a run of the binary gave, without what changes from run to run.
pub(crate) struct Ran {
    /// The exit code.
    pub(crate) code: i32,
    /// Standard output.
    pub(crate) out: String,
    /// Standard error.
    pub(crate) err: String,
}

impl Ran {
    /// Everything that a person sees, for a snapshot.
    pub(crate) fn told(&self) -> String {
        let mut told = self.out.clone();
        for line in self.err.lines() {
            told.push_str(&format!("! {line}\n"));
        }
        if self.code != 0 {
            told.push_str(&format!("[exit {}]\n", self.code));
        }
        told
    }
}

impl TestEnv {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("repo")).unwrap();
        fs::create_dir(root.path().join("tmp")).unwrap();
        Self { root }
    }

    /// The folder that commands run in.
    pub(crate) fn work(&self) -> PathBuf {
        self.root.path().join("repo")
    }

    /// The folder of temporary files.
    pub(crate) fn temp(&self) -> PathBuf {
        self.root.path().join("tmp")
    }

    /// The database file.
    pub(crate) fn db(&self) -> PathBuf {
        self.root.path().join("data/hardwon/hardwon.db")
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.work().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// A command with nothing of the outer environment, whose search path is the folder `bin` of the home.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hardwon"));
        command
            .current_dir(self.work())
            .env_clear()
            .env("PATH", self.root.path().join("bin"))
            .env("HOME", self.root.path())
            .env("TMPDIR", self.temp())
            .env("XDG_DATA_HOME", self.root.path().join("data"))
            .env("XDG_CONFIG_HOME", self.root.path().join("config"))
            .env("XDG_STATE_HOME", self.root.path().join("state"))
            .env("TZ", "UTC");
        command
    }

    /// Puts programs of the system on the search path.
    pub(crate) fn with_programs(&self, names: &[&str]) {
        let bin = self.root.path().join("bin");
        fs::create_dir_all(&bin).unwrap();
        for name in names {
            if !bin.join(name).exists() {
                std::os::unix::fs::symlink(Path::new("/bin").join(name), bin.join(name)).unwrap();
            }
        }
    }

    /// A command of a program that is on the search path, with the same environment and folder.
    pub(crate) fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.root.path().join("bin").join(name));
        command.current_dir(self.work()).env_clear();
        for (name, value) in self.command().get_envs() {
            command.env(name, value.unwrap_or_default());
        }
        command
    }

    /// Runs git, which has to succeed, and returns what it prints.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let ran = self.ran(self.program("git").args(args).output().unwrap());
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.err);
        ran.out.trim().to_owned()
    }

    /// Makes a repository of the folder that commands run in, with a remote of this address.
    pub(crate) fn init_repository(&self, remote: &str) {
        self.with_programs(&["git"]);
        self.git(&["init", "-q", "-b", "main"]);
        for (key, value) in [("user.name", "A"), ("user.email", "a@example.com")] {
            self.git(&["config", key, value]);
        }
        self.git(&["remote", "add", "origin", remote]);
    }

    pub(crate) fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "x"]);
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.run_with(args, "")
    }

    /// Runs the binary with this on stdin.
    pub(crate) fn run_with(&self, args: &[&str], stdin: impl AsRef<[u8]>) -> Ran {
        let mut child = self
            .command()
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A command that does not read its stdin may have closed it already.
        let _ignored = child.stdin.take().unwrap().write_all(stdin.as_ref());
        self.ran(child.wait_with_output().unwrap())
    }

    /// Runs the binary, expects success, and returns its output.
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        self.ok_with(args, "")
    }

    /// Runs the binary with this on stdin, expects success, and returns its output.
    pub(crate) fn ok_with(&self, args: &[&str], stdin: impl AsRef<[u8]>) -> String {
        let ran = self.run_with(args, stdin);
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.err);
        ran.out
    }

    /// Runs the binary, and returns everything that a person sees.
    pub(crate) fn told(&self, args: &[&str]) -> String {
        self.run(args).told()
    }

    /// Runs the binary with this on stdin, and returns everything that a person sees.
    pub(crate) fn told_with(&self, args: &[&str], stdin: impl AsRef<[u8]>) -> String {
        self.run_with(args, stdin).told()
    }

    /// Records lessons from `(signature, text)` pairs, numbered from 1.
    pub(crate) fn lessons(&self, lessons: &[(&str, &str)]) {
        for (signature, text) in lessons {
            self.ok(&["lesson", "add", signature, text]);
        }
    }

    /// Waits for a process that was started by hand.
    pub(crate) fn ran(&self, output: Output) -> Ran {
        let text = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).unwrap();
            steady(&text.replace(&*self.root.path().to_string_lossy(), "[HOME]"))
        };
        Ran {
            code: output.status.code().unwrap_or(-1),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }
}

/// Replaces commits and the ids of plans, which are made of what differs between runs.
pub(crate) fn mask_ids(text: &str) -> String {
    let is_id = |word: &str| word.len() >= 12 && word.bytes().all(|it| it.is_ascii_hexdigit());
    let parts = text.split_inclusive(|c: char| !c.is_ascii_alphanumeric());
    let masked = parts.map(|part| {
        let word = part.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        if is_id(word) {
            format!("[ID]{}", &part[word.len()..])
        } else {
            part.to_owned()
        }
    });
    masked.collect()
}

/// Replaces times and hashes, which no two runs share.
fn steady(text: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '.' | '-');
    let mut steady = String::new();
    let mut chunks = text.split_inclusive(|c: char| !is_part(c)).peekable();
    while let Some(chunk) = chunks.next() {
        // A date alone may be anything, such as a protocol's version.
        let is_clock_after = chunks
            .peek()
            .is_some_and(|next| next.matches(':').count() == 2);
        let word = chunk.trim_end_matches(|c: char| !is_part(c));
        let is_hash = word.len() == 64 && word.chars().all(|c| c.is_ascii_hexdigit());
        if is_hash {
            steady.push_str("[HASH]");
        } else if word.parse::<jiff::Timestamp>().is_ok() {
            steady.push_str("[TIME]");
        } else if word.len() == 10 && is_clock_after && word.parse::<jiff::civil::Date>().is_ok() {
            steady.push_str("[DATE]");
        } else if word.len() == 8 && word.parse::<jiff::civil::Time>().is_ok() {
            steady.push_str("[CLOCK]");
        } else {
            steady.push_str(word);
        }
        steady.push_str(&chunk[word.len()..]);
    }
    steady
}

/// Replaces numbers with a decimal point, which a better ranking changes.
pub(crate) fn unscored(text: &str) -> String {
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    let mut unscored = String::new();
    for chunk in text.split_inclusive(|c: char| !is_part(c)) {
        let number = chunk.trim_end_matches(|c: char| !is_part(c));
        let is_score =
            !number.ends_with('.') && number.contains('.') && number.parse::<f64>().is_ok();
        unscored.push_str(if is_score { "N" } else { number });
        unscored.push_str(&chunk[number.len()..]);
    }
    unscored
}

/// The root of the repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
