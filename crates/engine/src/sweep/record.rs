//! What is kept of sweeps: the lease and the time of the last one, and how to take back each of the newest.
//!
//! It is kept where progress in transcripts is, as records of the tenant by name, so every store has it.

use hardwon_core::{Change, CleanText, Evidence, EvidenceKind, LessonId, Status, TenantId, limits};
use hardwon_store::{Read, SourceProgress, Write, rows::StatusColumns};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{Desk, Result, Visibility};

/// The name of the record of the lease.
const STATE_NAME: &str = "hardwon sweep";
/// How many plans servers of earlier versions kept.
const OLD_PLANS: u64 = 8;

/// What is kept of sweeps as a whole.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct SweepState {
    /// How often the lease was taken; the number identifies its holder.
    pub(super) claims: u64,
    /// When the lease ends, in milliseconds.
    pub(super) leased_until: i64,
    /// When the last sweep ended, in milliseconds.
    pub(super) last_at: Option<i64>,
    /// How many sweeps were applied.
    pub(super) applied: u64,
}

impl SweepState {
    pub(super) fn load(reader: &dyn Read, tenant: &TenantId) -> Result<Self> {
        let progress = reader.source_progress(tenant, STATE_NAME)?;
        Ok(progress
            .and_then(|progress| serde_json::from_slice(&progress.state).ok())
            .unwrap_or_default())
    }

    pub(super) fn save(&self, tx: &mut dyn Write, now: Timestamp) -> Result<()> {
        save_row(tx, STATE_NAME, self.claims, self, now)
    }
}

/// A sweep that was applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepRecord {
    /// The name of its plan.
    pub id: String,
    /// When it was applied, in milliseconds since 1970.
    pub at: i64,
    /// Who applied it.
    pub actor: String,
    /// How many lessons it took out.
    pub retired: usize,
    /// How many lessons it added.
    pub added: usize,
    /// Whether it was taken back.
    pub is_undone: bool,
    /// How to take it back, in order.
    pub(super) steps: Vec<UndoStep>,
}

impl SweepRecord {
    /// Returns whether a principal sees everything that the sweep was about. Of a lesson that was erased nobody knows
    /// where it was, so only whoever sees the whole tenant does.
    pub(super) fn is_seen_by(&self, desk: &Desk<'_>, reader: &dyn Read) -> Result<bool> {
        if desk.principal.visibility == Visibility::Tenant {
            return Ok(true);
        }
        for step in &self.steps {
            let lesson = reader.lesson(desk.tenant(), step.lesson)?;
            if !lesson.is_some_and(|lesson| desk.principal.can_see(&lesson.scope)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the record without the words that it keeps of a lesson, also those that earlier versions noted beside; `None`
    /// if it is not about it.
    fn without_words_of(mut self, id: LessonId) -> Option<Self> {
        let mut is_about = false;
        for step in self.steps.iter_mut().filter(|step| step.lesson == id) {
            step.left = step.left.clone().without_reason();
            is_about = true;
        }
        is_about.then_some(self)
    }

    /// Loads the sweeps that are kept with their numbers, the newest first; a later one lies where the one that many before was.
    pub(super) fn load_all(reader: &dyn Read, tenant: &TenantId) -> Result<Vec<(u64, Self)>> {
        let count = SweepState::load(reader, tenant)?.applied;
        let mut records = Vec::new();
        for number in (count.saturating_sub(limits::SWEEPS_KEPT)..count).rev() {
            let progress = reader.source_progress(tenant, &record_name(number))?;
            let row = progress.filter(|progress| progress.position == number);
            let record = row.and_then(|row| serde_json::from_slice(&row.state).ok());
            records.extend(record.map(|record| (number, record)));
        }
        Ok(records)
    }

    /// Saves it as the sweep of this number, in place of the one that many sweeps before.
    pub(super) fn save(&self, tx: &mut dyn Write, number: u64, now: Timestamp) -> Result<()> {
        save_row(tx, &record_name(number), number, self, now)
    }
}

/// Forgets the words of a lesson that is erased: those that records of sweeps have of it, and plans that servers of earlier
/// versions kept, which may repeat them.
pub(crate) fn forget_lesson(
    tx: &mut dyn Write,
    tenant: &TenantId,
    id: LessonId,
    now: Timestamp,
) -> Result<()> {
    for (number, record) in SweepRecord::load_all(tx.reader(), tenant)? {
        if let Some(record) = record.without_words_of(id) {
            record.save(tx, number, now)?;
        }
    }
    for number in 0..OLD_PLANS {
        let name = format!("{STATE_NAME} plan {number}");
        let row = tx.reader().source_progress(tenant, &name)?;
        if row.is_some_and(|row| row.state.len() > "null".len()) {
            save_row(tx, &name, number, &(), now)?;
        }
    }
    Ok(())
}

fn record_name(number: u64) -> String {
    format!("{STATE_NAME} {}", number % limits::SWEEPS_KEPT)
}

pub(super) fn save_row(
    tx: &mut dyn Write,
    name: &str,
    position: u64,
    row: &impl Serialize,
    now: Timestamp,
) -> Result<()> {
    let source = SourceProgress {
        position,
        fingerprint: "sweep".to_owned(),
        state: serde_json::to_vec(row).expect("texts and numbers are JSON"),
        at: now,
    };
    Ok(tx.save_source_progress(name, &source)?)
}

/// One step of taking a sweep back, which is done only if the lesson is still in the state that the sweep left it in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct UndoStep {
    pub(super) lesson: LessonId,
    /// The state that the sweep left it in.
    left: StatusColumns,
    /// The state to go back to; `None` if the state was not changed.
    back: Option<StatusColumns>,
    /// The references of evidence to take back, with their kinds.
    evidence: Vec<(EvidenceKind, CleanText)>,
}

impl UndoStep {
    /// Makes the step that takes something back, by a change; `left` is the state that it left the lesson in.
    pub(super) fn from_reverse(change: &Change, left: &Status) -> Self {
        let (back, evidence) = match change {
            Change::SetStatus { status, .. } => {
                (Some(StatusColumns::from_status(status)), Vec::new())
            }
            Change::Retract { evidence, .. } => (None, name_sources(evidence)),
            _ => (None, Vec::new()),
        };
        Self {
            lesson: change.lesson_id(),
            left: StatusColumns::from_status(left),
            back,
            evidence,
        }
    }

    /// Returns whether a lesson is still in the state that the sweep left it in.
    pub(super) fn fits(&self, status: &Status) -> bool {
        self.left.to_status().is_ok_and(|left| left == *status)
    }

    /// Returns the changes of the step.
    pub(super) fn to_changes(&self) -> Vec<Change> {
        let id = self.lesson;
        let status = self.back.as_ref().and_then(|back| back.to_status().ok());
        let status = status.map(|status| Change::SetStatus { id, status });
        let source = |(kind, reference): &(EvidenceKind, CleanText)| Evidence {
            kind: *kind,
            reference: reference.clone(),
            note: None,
        };
        let evidence: Vec<Evidence> = self.evidence.iter().map(source).collect();
        let retract = (!evidence.is_empty()).then_some(Change::Retract { id, evidence });
        status.into_iter().chain(retract).collect()
    }
}

fn name_sources(evidence: &[Evidence]) -> Vec<(EvidenceKind, CleanText)> {
    let sources = evidence.iter();
    sources
        .map(|source| (source.kind, source.reference.clone()))
        .collect()
}
