//! The runs that taught a lesson and met it again, summed up in a line.

use std::collections::BTreeSet;

use hardwon_core::{CleanText, ClientName, EvidenceKind, Lesson};
use jiff::Timestamp;

use crate::{Desk, Result};

/// The runs that a lesson's evidence refers to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EvidenceRuns {
    /// How many.
    pub count: u64,
    /// When the first and the last of them were, as far as their recalls are kept.
    pub span: Option<(Timestamp, Timestamp)>,
    /// The clients that they ran in, as far as that is known.
    pub clients: BTreeSet<ClientName>,
    /// What happened there, if it is a single one.
    pub note: Option<CleanText>,
}

impl Desk<'_> {
    /// Sums up the runs that a lesson's evidence refers to.
    pub fn sum_up_runs(&self, lesson: &Lesson) -> Result<EvidenceRuns> {
        let evidence = lesson.evidence.iter();
        let runs = evidence.filter(|evidence| evidence.kind == EvidenceKind::Run);
        let mut sum = EvidenceRuns::default();
        for run in runs {
            sum.count += 1;
            sum.note = run.note.clone().filter(|_| sum.count == 1);
            if let Some((_, recall)) = self.find_recall_of(run)? {
                let (from, until) = sum.span.unwrap_or((recall.at, recall.at));
                sum.span = Some((from.min(recall.at), until.max(recall.at)));
                sum.clients.extend(recall.client);
            }
        }
        Ok(sum)
    }
}
