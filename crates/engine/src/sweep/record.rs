//! What is kept of sweeps: the lease and the time of the last one, and how to take back each of the newest.
//!
//! It is kept where progress in transcripts is, as records of the tenant by name, so every store has it.

use hardwon_core::{
    access::Visibility,
    change::Change,
    evidence::{Evidence, EvidenceKind},
    id::{LessonId, TenantId},
    lesson::{Retirement, Status},
    limits,
    text::CleanText,
};
use hardwon_store::{Read, SourceProgress, Write};
use jiff::Timestamp;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{Desk, Result};

/// The name of the record of the lease.
const STATE_NAME: &str = "hardwon sweep";

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
    /// How many plans were kept.
    #[serde(default)]
    pub(super) planned: u64,
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

/// What a sweep did with a lesson.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SweptLesson {
    /// Its number.
    pub lesson: LessonId,
    /// What became of it.
    pub fate: SweptFate,
}

/// What became of a lesson in a sweep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SweptFate {
    /// It was added, to be told for others.
    Added,
    /// Another one is told for it, or replaced it.
    Superseded {
        /// That one.
        by: LessonId,
        /// Why; empty for sweeps of earlier versions.
        why: String,
    },
    /// It waits for a person.
    Held {
        /// Why.
        why: String,
    },
    /// It left.
    Archived {
        /// Why.
        why: String,
    },
}

impl SweepRecord {
    /// Returns what the sweep did, in order.
    pub fn swept_lessons(&self) -> Vec<SweptLesson> {
        let swept = self.steps.iter().rev().filter_map(|step| {
            Some(SweptLesson {
                lesson: LessonId(step.lesson),
                fate: step.find_fate()?,
            })
        });
        swept.collect()
    }

    /// Returns whether a principal sees everything that the sweep was about. Of a lesson that was erased nobody knows
    /// where it was, so only whoever sees the whole tenant does.
    pub(super) fn is_seen_by(&self, desk: &Desk<'_>, reader: &dyn Read) -> Result<bool> {
        if desk.principal.visibility == Visibility::Tenant {
            return Ok(true);
        }
        for step in &self.steps {
            let lesson = reader.lesson(desk.tenant(), LessonId(step.lesson))?;
            if !lesson.is_some_and(|lesson| desk.principal.can_see(&lesson.scope)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the record without the words that it keeps of a lesson; `None` if it keeps none.
    pub(super) fn without_words_of(&self, id: LessonId) -> Option<Self> {
        let has_words =
            |it: &UndoStep| it.lesson == id.0 && (it.left.why.is_some() || it.why.is_some());
        if !self.steps.iter().any(has_words) {
            return None;
        }
        let mut record = self.clone();
        for step in record.steps.iter_mut().filter(|step| step.lesson == id.0) {
            step.left.why = None;
            step.why = None;
        }
        Some(record)
    }

    /// Loads the sweeps that are kept, the newest first.
    pub(super) fn load_all(reader: &dyn Read, tenant: &TenantId) -> Result<Vec<(u64, Self)>> {
        let sweep_count = SweepState::load(reader, tenant)?.applied;
        load_newest(
            reader,
            tenant,
            sweep_count,
            limits::SWEEPS_KEPT,
            record_name,
        )
    }

    /// Saves it as the sweep of this number, in place of the one that many sweeps before.
    pub(super) fn save(&self, tx: &mut dyn Write, number: u64, now: Timestamp) -> Result<()> {
        save_row(tx, &record_name(number), number, self, now)
    }
}

fn record_name(number: u64) -> String {
    format!("{STATE_NAME} {}", number % limits::SWEEPS_KEPT)
}

/// Loads the newest of so many rows with their numbers, the newest first; a later row lies where the one that many before
/// was.
pub(super) fn load_newest<T: DeserializeOwned>(
    reader: &dyn Read,
    tenant: &TenantId,
    count: u64,
    kept: u64,
    name: impl Fn(u64) -> String,
) -> Result<Vec<(u64, T)>> {
    let mut rows = Vec::new();
    for number in (count.saturating_sub(kept)..count).rev() {
        let progress = reader.source_progress(tenant, &name(number))?;
        let row = progress.filter(|progress| progress.position == number);
        let row = row.and_then(|row| serde_json::from_slice(&row.state).ok());
        rows.extend(row.map(|row| (number, row)));
    }
    Ok(rows)
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
    pub(super) lesson: i64,
    /// The state that the sweep left it in.
    left: KeptStatus,
    /// The state to go back to; `None` if the state was not changed.
    back: Option<KeptStatus>,
    /// The references of evidence to take back, with the names of their kinds.
    evidence: Vec<(String, String)>,
    /// Why the sweep did it, where its state does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct KeptStatus {
    name: String,
    why: Option<String>,
    by: Option<i64>,
    /// Why the lesson is archived; records of earlier versions have it only in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    retired: Option<String>,
}

impl KeptStatus {
    fn from_status(status: &Status) -> Self {
        let (why, by) = match status {
            Status::Active => (None, None),
            Status::Superseded { by } => (None, Some(by.0)),
            Status::Pending { why }
            | Status::Quarantined { why }
            | Status::Archived { why, .. } => (Some(why.to_string()), None),
        };
        let retirement = match status {
            Status::Archived { by, .. } => Some(by.name().to_owned()),
            _ => None,
        };
        Self {
            name: status.name().to_owned(),
            why,
            by,
            retired: retirement,
        }
    }

    fn to_status(&self) -> Option<Status> {
        let reason = || CleanText::from_stored(self.why.clone().unwrap_or_default());
        Some(match self.name.as_str() {
            "active" => Status::Active,
            "pending" => Status::Pending { why: reason() },
            "quarantined" => Status::Quarantined { why: reason() },
            "archived" => Status::Archived {
                by: match &self.retired {
                    Some(word) => Retirement::from_name(word)?,
                    None => Retirement::from_words(reason().as_str()),
                },
                why: reason(),
            },
            "superseded" => Status::Superseded {
                by: LessonId(self.by?),
            },
            _ => return None,
        })
    }
}

impl UndoStep {
    /// Makes the step that takes back what was done, by a change; `left` is the state that it left the lesson in.
    pub(super) fn from_reverse(done: &Change, change: &Change, left: &Status) -> Self {
        let reason = match done {
            Change::Supersede { why, .. } => why.as_ref().map(ToString::to_string),
            _ => None,
        };
        let (back, evidence) = match change {
            Change::SetStatus { status, .. } => (Some(KeptStatus::from_status(status)), Vec::new()),
            Change::Retract { evidence, .. } => (None, evidence.iter().map(name_source).collect()),
            _ => (None, Vec::new()),
        };
        Self {
            lesson: change.lesson_id().0,
            left: KeptStatus::from_status(left),
            back,
            evidence,
            why: reason,
        }
    }

    /// Returns what the sweep did with the lesson; `None` if it only gave it evidence.
    fn find_fate(&self) -> Option<SweptFate> {
        self.back.as_ref()?;
        let reason = || self.left.why.clone().unwrap_or_default();
        Some(match self.left.to_status()? {
            Status::Active => SweptFate::Added,
            Status::Superseded { by } => SweptFate::Superseded {
                by,
                why: self.why.clone().unwrap_or_default(),
            },
            Status::Pending { .. } | Status::Quarantined { .. } => {
                SweptFate::Held { why: reason() }
            }
            Status::Archived { .. } => SweptFate::Archived { why: reason() },
        })
    }

    /// Returns whether a lesson is still in the state that the sweep left it in.
    pub(super) fn fits(&self, status: &Status) -> bool {
        self.left.to_status().as_ref() == Some(status)
    }

    /// Returns the changes of the step.
    pub(super) fn to_changes(&self) -> Vec<Change> {
        let id = LessonId(self.lesson);
        let status = self.back.as_ref().and_then(KeptStatus::to_status);
        let status = status.map(|status| Change::SetStatus { id, status });
        let evidence: Vec<Evidence> = self.evidence.iter().filter_map(parse_source).collect();
        let retract = (!evidence.is_empty()).then_some(Change::Retract { id, evidence });
        status.into_iter().chain(retract).collect()
    }
}

fn name_source(it: &Evidence) -> (String, String) {
    (it.kind.name().to_owned(), it.reference.to_string())
}

fn parse_source((kind, reference): &(String, String)) -> Option<Evidence> {
    let kind = EvidenceKind::ALL
        .iter()
        .find(|entry| entry.name() == kind)?;
    Some(Evidence {
        kind: *kind,
        reference: CleanText::from_stored(reference.clone()),
        note: None,
    })
}
