//! The report of the leak gate.

use crate::leak::LeakFinding;
use serde::Serialize;

/// Something that must not be published; what it is, is nowhere in here.
#[derive(Debug, Serialize)]
pub struct LeakFindingDto {
    /// The path from the root, with private names in it replaced.
    pub path: String,
    /// The line, from 1; 0 if the path itself holds it.
    pub line: usize,
    /// The column, in characters from 1.
    pub column: usize,
    /// The name of the rule: a kind of secret, or what kind of name it is.
    pub rule: &'static str,
    /// What it is.
    pub message: &'static str,
    /// The line with everything replaced that was found in it.
    pub excerpt: String,
    /// The commit that brought it in, where that was asked.
    pub commit: Option<String>,
}

/// A file that could not be looked at.
#[derive(Debug, Serialize)]
pub struct UnreadFileDto {
    /// Its path.
    pub path: String,
    /// Why.
    pub reason: String,
}

impl LeakFindingDto {
    /// Makes one of a finding in this path.
    pub fn from_finding(path: &str, commit: Option<&str>, finding: &LeakFinding) -> Self {
        Self {
            path: path.to_owned(),
            line: finding.line,
            column: finding.column,
            rule: finding.rule_name,
            message: finding.rule.describe(),
            excerpt: finding.excerpt.clone(),
            commit: commit.map(str::to_owned),
        }
    }
}
