//! The findings that were there before the gate: they stay as they are, new ones do not.
//!
//! A fingerprint is made of rule, path and the value's digest with a salt of the file, so it survives a line that moves and
//! shows no value. It does confirm a guess, as every digest of a password does: what is listed should be changed.

use std::{collections::BTreeSet, fmt};

use serde::{Deserialize, Serialize};

use super::LeakFinding;
use hardwon_core::digest::{hash_parts, to_hex};

/// The version of the file's form.
const VERSION: u32 = 1;
/// The length of a salt, in hexadecimal digits.
const SALT_DIGITS: usize = 32;
/// The length of a fingerprint, in hexadecimal digits.
const PRINT_DIGITS: usize = 32;

/// The findings of an earlier run that may stay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Baseline {
    salt: String,
    entries: BTreeSet<BaselineEntry>,
}

/// One finding, as the file has it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BaselineEntry {
    path: String,
    rule: String,
    fingerprint: String,
}

/// The whole file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BaselineFile {
    version: u32,
    /// Called a nonce in the file: what settings call a salt often has to stay secret, so the gate would stop it.
    #[serde(rename = "nonce", alias = "salt")]
    salt: String,
    findings: Vec<BaselineEntry>,
}

/// Why a file is no baseline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaselineError(String);

impl fmt::Display for BaselineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Baseline {
    /// Starts one without findings; the salt should be random.
    pub fn new(salt: [u8; SALT_DIGITS / 2]) -> Self {
        Self {
            salt: to_hex(&salt),
            entries: BTreeSet::new(),
        }
    }

    /// Starts one without findings that keeps the salt of this one, so that what stays keeps its fingerprint.
    pub fn without_findings(&self) -> Self {
        Self {
            salt: self.salt.clone(),
            entries: BTreeSet::new(),
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it is no baseline of this version.
    pub fn parse(text: &str) -> Result<Self, BaselineError> {
        let file: BaselineFile = serde_json::from_str(text).map_err(|error| {
            BaselineError(format!("line {}, column {}", error.line(), error.column()))
        })?;
        if file.version != VERSION {
            return Err(BaselineError(format!(
                "version {} is not known",
                file.version
            )));
        }
        let is_hex = |text: &str, digits| {
            text.len() == digits && text.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        let is_print = |entry: &BaselineEntry| is_hex(&entry.fingerprint, PRINT_DIGITS);
        if is_hex(&file.salt, SALT_DIGITS) && file.findings.iter().all(is_print) {
            Ok(Self {
                salt: file.salt,
                entries: file.findings.into_iter().collect(),
            })
        } else {
            Err(BaselineError(
                "a salt or a fingerprint has not its length".to_owned(),
            ))
        }
    }

    /// Adds a finding.
    pub fn add(&mut self, path: &str, finding: &LeakFinding) {
        let entry = self.make_entry(path, finding);
        self.entries.insert(entry);
    }

    /// Returns whether a finding was there before.
    pub fn contains(&self, path: &str, finding: &LeakFinding) -> bool {
        self.entries.contains(&self.make_entry(path, finding))
    }

    /// Returns how many findings there are.
    pub fn count(&self) -> usize {
        self.entries.len()
    }

    /// Writes the file: one finding a line, sorted, so that a change shows as one.
    pub fn render(&self) -> String {
        let line = |entry: &BaselineEntry| {
            let text = serde_json::to_string(entry);
            format!("    {}", text.expect("an entry consists of strings"))
        };
        let lines: Vec<String> = self.entries.iter().map(line).collect();
        let findings = if lines.is_empty() {
            String::new()
        } else {
            format!("\n{}\n  ", lines.join(",\n"))
        };
        format!(
            "{{\n  \"version\": {VERSION},\n  \"nonce\": \"{}\",\n  \"findings\": [{findings}]\n}}\n",
            self.salt
        )
    }

    fn make_entry(&self, path: &str, finding: &LeakFinding) -> BaselineEntry {
        let rule = finding.rule_name;
        let parts = [
            self.salt.as_bytes(),
            rule.as_bytes(),
            path.as_bytes(),
            finding.value.as_bytes(),
        ];
        BaselineEntry {
            path: path.to_owned(),
            rule: rule.to_owned(),
            fingerprint: to_hex(&hash_parts(parts)[..PRINT_DIGITS / 2]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leak::LeakScanner;

    fn finding(text: &str) -> LeakFinding {
        LeakScanner::default()
            .scan_text("a.txt", text)
            .findings
            .remove(0)
    }

    /// A baseline is a file of the repository, so that it is looked at like any other.
    #[test]
    fn a_baseline_is_no_leak_itself() {
        for number in 0_u32..2000 {
            let digest = hash_parts([&number.to_le_bytes()[..]]);
            let mut baseline = Baseline::new(*digest.first_chunk().unwrap());
            baseline.add("a.txt", &finding("see /home/kestrel/x"));
            let file = baseline.render();
            let found = LeakScanner::default().scan_text("known.json", &file);
            assert!(found.findings.is_empty(), "{file} {:?}", found.findings);
        }
    }

    #[test]
    fn a_moved_line_stays_and_another_value_does_not() {
        let mut baseline = Baseline::new([7; 16]);
        baseline.add("a.txt", &finding("see /home/kestrel/x"));
        let read = Baseline::parse(&baseline.render()).unwrap();
        assert_eq!(read, baseline);
        for (path, text, expected) in [
            ("a.txt", "\n\nmoved: /home/kestrel/y", true),
            ("b.txt", "see /home/kestrel/x", false),
            ("a.txt", "see /home/merlin/x", false),
        ] {
            assert_eq!(
                read.contains(path, &finding(text)),
                expected,
                "{path} {text}"
            );
        }
        assert_eq!(read.without_findings().count(), 0);
        assert!(!baseline.render().contains("kestrel"));
        let other = Baseline::new([8; 16]);
        assert_ne!(
            other.make_entry("a.txt", &finding("see /home/kestrel/x")),
            baseline.make_entry("a.txt", &finding("see /home/kestrel/x"))
        );
    }

    #[test]
    fn a_damaged_file_is_none() {
        let good = Baseline::new([7; 16]).render();
        assert!(Baseline::parse(&good).is_ok());
        let older = good.replace("nonce", "salt");
        assert_eq!(Baseline::parse(&older), Baseline::parse(&good));
        for (from, to) in [
            ("\"version\": 1", "\"version\": 2"),
            ("0707", "07"),
            ("[]", "[{}]"),
            ("}", ""),
            ("\"nonce\"", "\"more\": 1, \"nonce\""),
        ] {
            assert!(
                Baseline::parse(&good.replacen(from, to, 1)).is_err(),
                "{from}"
            );
        }
    }
}
