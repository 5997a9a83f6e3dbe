//! Finds out programs' versions: of a package of npm by its `package.json`, of others by asking them, in parallel and with
//! a time limit.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::Duration,
};

use serde_json::Value;

use super::program::read_output;

/// Longest time for a program to print its version; some load a great deal first.
const VERSION_TIMEOUT: Duration = Duration::from_secs(5);

/// Returns the versions of programs, in the same order; `None` for one that prints no version in time.
pub fn read_versions(programs: &[Option<PathBuf>]) -> Vec<Option<String>> {
    thread::scope(|scope| {
        let threads: Vec<_> = programs
            .iter()
            .map(|program| {
                scope.spawn(move || {
                    let program = program.as_ref()?;
                    read_package_version(program).or_else(|| read_version(program))
                })
            })
            .collect();
        let answers = threads
            .into_iter()
            .map(|thread| thread.join().ok().flatten());
        answers.collect()
    })
}

/// Reads the version of the package of npm that a program belongs to: to start Node.js takes a second or more.
fn read_package_version(program: &Path) -> Option<String> {
    let program = dunce::canonicalize(program).ok()?;
    let mut folders = program.ancestors().skip(1);
    let package = folders.find(|folder| {
        let above = folder
            .parent()
            .into_iter()
            .flat_map(Path::ancestors)
            .take(2);
        let mut names = above.filter_map(Path::file_name);
        names.any(|name| name == "node_modules") && folder.join("package.json").is_file()
    })?;
    let text = fs::read(package.join("package.json")).ok()?;
    let about: Value = serde_json::from_slice(&text).ok()?;
    Some(about["version"].as_str()?.to_owned())
}

fn read_version(program: &Path) -> Option<String> {
    let mut command = Command::new(program);
    parse_version(&read_output(command.arg("--version"), VERSION_TIMEOUT)?)
}

/// Returns whether a version is older than another, by its numbers; false where it has none.
pub fn is_older(version: &str, other: &str) -> bool {
    let numbers = |version: &str| -> Vec<u64> {
        let parts = version.split(['.', '-', '+']);
        parts.map_while(|part| part.parse().ok()).collect()
    };
    let (ours, others) = (numbers(version), numbers(other));
    let length = ours.len().min(others.len());
    ours[..length] < others[..length]
}

/// Returns the first word that looks like a version.
fn parse_version(text: &str) -> Option<String> {
    let trim_word = |word: &str| {
        word.trim_matches(|c: char| !c.is_ascii_alphanumeric())
            .to_owned()
    };
    let words = text.split_whitespace().map(trim_word);
    let is_version = |word: &String| {
        let word = word.strip_prefix('v').unwrap_or(word);
        word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.')
    };
    let version = words.into_iter().find(is_version)?;
    Some(version.strip_prefix('v').unwrap_or(&version).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        for (version, other, expected) in [
            ("0.23.3", "0.23.4", true),
            ("0.23.4", "0.23.4", false),
            ("0.9", "0.23.4", true),
            ("2.1.400", "2.1.329", false),
            ("2.1.99", "2.1.329", true),
            ("1.0.0-rc.1", "1.0.0", false),
            ("unknown", "1.0.0", false),
        ] {
            assert_eq!(is_older(version, other), expected, "{version} {other}");
        }
    }

    #[test]
    fn a_version_is_found_among_the_words() {
        for (said, version) in [
            ("2.1.329 (Claude Code)\n", Some("2.1.329")),
            ("codex-cli 0.169.0", Some("0.169.0")),
            (
                "GitHub Copilot CLI 1.0.102.\nRun 'copilot update'\n",
                Some("1.0.102"),
            ),
            ("v0.74.2-rc.1", Some("0.74.2-rc.1")),
            ("usage: pi FILE", None),
            ("", None),
        ] {
            assert_eq!(parse_version(said).as_deref(), version, "{said}");
        }
    }
}
