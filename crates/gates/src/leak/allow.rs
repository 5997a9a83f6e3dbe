//! What may ship although it was found, by path and rule.

use super::LeakFinding;
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

impl AllowRule {
    /// Returns whether a finding in this path may ship.
    pub fn allows(&self, path: &str, finding: &LeakFinding) -> bool {
        let names = [finding.rule_name, finding.rule.name()];
        (self.rules.is_empty() || self.rules.iter().any(|rule| names.contains(&&**rule)))
            && (self.paths.is_empty() || self.paths.iter().any(|glob| matches_path(glob, path)))
    }
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
    use crate::leak::{LeakRule, LeakScanner};

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

    #[test]
    fn rules_and_paths() {
        let text = "see /home/kestrel/x";
        let home = LeakScanner::default().scan_text("a.txt", text);
        let secret = LeakFinding {
            rule: LeakRule::Secret,
            rule_name: "jwt",
            ..home.findings[0].clone()
        };
        for (paths, rules, expected) in [
            (&["*.txt"][..], &["secret"][..], true),
            (&[], &["jwt"], true),
            (&["*.rs"], &[], false),
            (&[], &["home-path"], false),
        ] {
            let owned = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect();
            let (paths, rules) = (owned(paths), owned(rules));
            let rule = AllowRule { paths, rules };
            assert_eq!(rule.allows("a/b.txt", &secret), expected);
        }
    }
}
