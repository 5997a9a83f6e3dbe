//! The leak gate at work: reads what could ship, has the core search it, and gathers what it finds.
//!
//! What is a leak is decided in `gates::leak`; what git has, `hardwon-repo` says. Here files are read, several at once, and
//! whatever cannot be read is kept as such: the gate fails then.

pub mod commits;
pub mod files;
pub mod names;
pub mod rules_file;
pub mod sarif;

use hardwon_gates::{
    json::leak::{LeakFindingDto, UnreadFileDto},
    leak::{AllowRule, LeakScan, LeakScanner},
};
use serde::Serialize;

/// Most findings of a report. More only say the same again.
const HITS_MAX: usize = 10_000;

/// Everything that a run found out.
#[derive(Debug, Default, Serialize)]
pub struct LeakReport {
    /// What must not be published, in order.
    #[serde(rename = "findings")]
    pub hits: Vec<LeakFindingDto>,
    /// How many files were looked at.
    pub files: usize,
    /// How many commits were looked at.
    pub commits: usize,
    /// How many finds were passed over as made up.
    pub doubtful: usize,
    /// How many finds are allowed.
    pub allowed: usize,
    /// What could not be read, and why.
    pub unread: Vec<UnreadFileDto>,
    /// What else is to be said.
    pub notes: Vec<String>,
}

/// What is searched for, and what may pass.
#[derive(Debug)]
pub struct LeakGate {
    /// What is searched for.
    pub scanner: LeakScanner,
    /// What may pass.
    pub allowed: Vec<AllowRule>,
}

impl LeakGate {
    /// Adds what a scan of a file found to the report.
    pub fn add_scan(
        &self,
        report: &mut LeakReport,
        path: &str,
        commit: Option<&str>,
        scan: LeakScan,
    ) {
        if scan.is_cut {
            let path = self.scanner.redact_path(path);
            report
                .notes
                .push(format!("{path} has more findings than are listed"));
        }
        report.doubtful += scan.doubtful;
        report.allowed += scan.allowed;
        for finding in scan.findings {
            if self.allowed.iter().any(|rule| rule.allows(path, &finding)) {
                report.allowed += 1;
            } else {
                let path = self.scanner.redact_path(path);
                let entry = LeakFindingDto::from_finding(&path, commit, &finding);
                report.hits.push(entry);
            }
        }
        if report.hits.len() > HITS_MAX {
            report.hits.truncate(HITS_MAX);
            let note = format!("there are more findings than the {HITS_MAX} that are listed");
            if !report.notes.contains(&note) {
                report.notes.push(note);
            }
        }
    }

    /// Adds a file that could not be read.
    pub fn add_unread(&self, report: &mut LeakReport, path: &str, why: &str) {
        report.unread.push(UnreadFileDto {
            path: self.scanner.redact_path(path),
            reason: why.to_owned(),
        });
    }
}
