//! What may ship although it was found: by path and rule, and line by line as gitleaks has it.

use super::{LeakFinding, LeakRule};
use hardwon_core::glob::matches_glob;

/// Finds of some rules in some paths that may ship.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowRule {
    /// Globs of paths; none for every path. `*` stays within a part, `**` does not; a folder covers what is below it; one
    /// without a `/` matches at any depth.
    pub paths: Vec<String>,
    /// Names of rules, as they are printed; `secret` is every kind of secret. None for every rule.
    pub rules: Vec<String>,
}

/// A line of a `.gitleaksignore` file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct IgnoredLine {
    commit: Option<String>,
    path: String,
    rule: String,
    line: usize,
}

/// Everything that may ship although it was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowList {
    rules: Vec<AllowRule>,
    ignored: Vec<IgnoredLine>,
}

/// A line of an ignore file that is no fingerprint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} is neither `file:rule:line` nor `commit:file:rule:line`")]
pub struct IgnoreFileError {
    /// Its number, from 1.
    pub line: usize,
}

impl AllowList {
    /// Starts with these rules.
    pub fn new(rules: Vec<AllowRule>) -> Self {
        Self {
            rules,
            ignored: Vec::new(),
        }
    }

    /// Adds the lines of a `.gitleaksignore` file: `file:rule:line` or `commit:file:rule:line`, comments and blank lines.
    ///
    /// # Errors
    /// If a line is none of these.
    pub fn add_ignore_file(&mut self, text: &str) -> Result<(), IgnoreFileError> {
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let fingerprint =
                parse_fingerprint(line).ok_or(IgnoreFileError { line: number + 1 })?;
            self.ignored.push(fingerprint);
        }
        Ok(())
    }

    /// Returns whether a finding in this path may ship; `commit` is the one that brought it in, where that is asked.
    pub fn allows(&self, path: &str, finding: &LeakFinding, commit: Option<&str>) -> bool {
        self.rules.iter().any(|rule| rule.allows(path, finding))
            || self
                .ignored
                .iter()
                .any(|entry| entry.is_about(path, finding, commit))
    }
}

impl AllowRule {
    fn allows(&self, path: &str, finding: &LeakFinding) -> bool {
        let names = [finding.rule_name, finding.rule.name()];
        (self.rules.is_empty() || self.rules.iter().any(|rule| names.contains(&&**rule)))
            && (self.paths.is_empty() || self.paths.iter().any(|glob| matches_path(glob, path)))
    }
}

impl IgnoredLine {
    fn is_about(&self, path: &str, finding: &LeakFinding, commit: Option<&str>) -> bool {
        let is_same_rule = self.rule == finding.rule_name;
        // Another program has other names for the same secret.
        let is_foreign =
            finding.rule == LeakRule::Secret && LeakRule::from_name(&self.rule).is_none();
        self.line == finding.line
            && self.path == path
            && (is_same_rule || is_foreign)
            && (self.commit.is_none() || self.commit.as_deref() == commit)
    }
}

fn parse_fingerprint(line: &str) -> Option<IgnoredLine> {
    let mut parts = line.rsplitn(3, ':');
    let number = parts.next()?.parse().ok()?;
    let rule = parts.next().filter(|rule| !rule.is_empty())?.to_owned();
    let rest = parts.next().filter(|rest| !rest.is_empty())?;
    let is_commit = |it: &&str| it.len() >= 40 && it.bytes().all(|byte| byte.is_ascii_hexdigit());
    let (commit, path) = match rest.split_once(':') {
        Some((commit, path)) if is_commit(&commit) => (Some(commit.to_ascii_lowercase()), path),
        _ => (None, rest),
    };
    Some(IgnoredLine {
        commit,
        path: path.to_owned(),
        rule,
        line: number,
    })
}

/// Returns whether a path, or a folder that it is in, matches a glob.
fn matches_path(glob: &str, path: &str) -> bool {
    let folder = glob.strip_suffix('/').unwrap_or(glob);
    let path_glob = folder.strip_prefix('/').unwrap_or(folder);
    let globs: Vec<&str> = path_glob.split('/').collect();
    let parts: Vec<&str> = path.split('/').collect();
    let is_anywhere = globs.len() == 1 && !folder.starts_with('/');
    let starts = if is_anywhere { parts.len() } else { 1 };
    (0..starts).any(|start| matches_parts(&globs, &parts[start..]))
}

fn matches_parts(globs: &[&str], parts: &[&str]) -> bool {
    match (globs, parts) {
        // A folder covers what is below it.
        ([], _) => true,
        (["**"], _) => !parts.is_empty(),
        (["**", rest @ ..], _) => (0..=parts.len()).any(|skip| matches_parts(rest, &parts[skip..])),
        ([glob, globs @ ..], [part, parts @ ..]) => {
            matches_glob(glob, part) && matches_parts(globs, parts)
        }
        (_, []) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leak::LeakScanner;

    #[test]
    fn globs_of_paths() {
        for (glob, path, expected) in [
            ("*.pem", "a/b/key.pem", true),
            ("*.pem", "a/b/key.pem.txt", false),
            ("tests", "a/tests/x.rs", true),
            ("tests/", "tests/x.rs", true),
            ("/tests", "a/tests/x.rs", false),
            ("a/*.rs", "a/x.rs", true),
            ("a/*.rs", "a/b/x.rs", false),
            ("a/**/*.rs", "a/b/c/x.rs", true),
            ("a/**/*.rs", "a/x.rs", true),
            ("**/fixtures/**", "a/fixtures/b/c", true),
            ("**/fixtures/**", "fixtures", false),
            ("a", "ab/x", false),
        ] {
            assert_eq!(matches_path(glob, path), expected, "{glob} {path}");
        }
    }

    fn finding(line: usize) -> LeakFinding {
        let text = format!("{}see /home/kestrel/x", "\n".repeat(line - 1));
        LeakScanner::default()
            .scan_text("a.txt", &text)
            .findings
            .remove(0)
    }

    #[test]
    fn rules_and_fingerprints() {
        let commit = "0123456789abcdef0123456789abcdef01234567";
        let secret = LeakFinding {
            rule: LeakRule::Secret,
            rule_name: "jwt",
            ..finding(2)
        };
        for (line, expected) in [
            ("a:b.txt:home-path:2", [true, false, false]),
            ("a:b.txt:jwt:2", [false, true, true]),
            ("a:b.txt:generic-api-key:2", [false, true, true]),
            ("a:b.txt:generic-api-key:3", [false, false, false]),
            (
                "0123456789ABCDEF0123456789abcdef01234567:a:b.txt:jwt:2",
                [false, false, true],
            ),
        ] {
            let mut list = AllowList::default();
            list.add_ignore_file(&format!("# why\n\n {line}\n"))
                .unwrap();
            let allowed = [
                list.allows("a:b.txt", &finding(2), None),
                list.allows("a:b.txt", &secret, None),
                list.allows("a:b.txt", &secret, Some(commit)),
            ];
            assert_eq!(allowed, expected, "{line}");
            assert!(!list.allows("c.txt", &secret, Some(commit)), "{line}");
        }
        let mut list = AllowList::default();
        assert_eq!(
            list.add_ignore_file("#\nnonsense\n"),
            Err(IgnoreFileError { line: 2 })
        );
        for (paths, rules, expected) in [
            (&["*.txt"][..], &["secret"][..], true),
            (&[], &["jwt"], true),
            (&["*.rs"], &[], false),
            (&[], &["home-path"], false),
        ] {
            let owned = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect();
            let (paths, rules) = (owned(paths), owned(rules));
            let list = AllowList::new(vec![AllowRule { paths, rules }]);
            assert_eq!(list.allows("a/b.txt", &secret, None), expected);
        }
    }
}
