//! Converts rows and JSON lines to values and back, for every database.
//!
//! Domain types do not know how they are stored, down to names, words and texts: JSON has structs of its own, with short
//! names that never change meaning. A value that cannot be parsed is reported as damage, never a panic. How a database hands over a column is
//! its own affair ([`ReadColumns`]), as are statements and keys.

use std::{borrow::Cow, collections::BTreeMap, mem};

use hardwon_core::{
    AdmittedLesson, AgentId, Cause, CleanText, ClientName, EvictionCandidate, Evidence, FailureKey,
    GaussianMessage, Lesson, LessonContent, LessonCounts, LessonId, LessonTarget, Meaning,
    ProjectId, Retirement, RunId, RunOutcome, Scope, Slug, Status, TargetKind, TenantId, Trust,
    TrustClass, change::twin_key, limits,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    ConsideredLesson, EntryBody, JournalComment, JournalEntry, Moment, PromptDigest, Recall,
    Result, Sha256Hash, StatusName, Treatment, damaged_error, journal::JournalEntryKind,
};

mod json_rows;
mod judgement_rows;
mod job_rows;
mod candidate_rows;
mod sealed;

pub use candidate_rows::{CANDIDATE_COLUMNS, read_candidate};
pub(crate) use candidate_rows::{read_cost, read_kept_answer};
pub use job_rows::{TaskRow, add_job_count, read_job, ready_column};
pub use json_rows::{AdmittedRow, RecallRow, parse_recall_line, render_recall_line};
pub use judgement_rows::JudgementRow;
use judgement_rows::{trial_from_json, trial_to_json};
pub(crate) use sealed::is_unedited;
pub use sealed::to_sealed_json;

/// The columns that [`read_lesson`] reads after the agent and the project, of a lesson `l`.
pub const LESSON_COLUMNS: &str = "l.status, l.why, l.by, l.slug, \
     l.title, l.signature, l.text, l.situation, l.mistake, l.reference, l.cause, l.outcome, \
     l.trust, l.tainted, l.confidence, l.failure, l.expires_at, l.shown, l.helped, l.harmed, \
     l.well, l.badly, l.in_vain, l.not_followed, l.last_seen, l.precision, l.shift, l.trial, l.created, \
     l.updated, l.rest";

/// The columns that [`read_eviction_candidate`] reads.
pub const EVICTION_COLUMNS: &str = "trust, tainted, shown, helped, harmed, not_followed, \
     last_seen, precision, shift, created, expires_at";

/// A row of a database, whose columns are read one after another.
pub trait ReadColumns {
    /// Reads a whole number, or nothing.
    fn next_optional_integer(&mut self) -> Result<Option<i64>>;

    /// Reads a string, or nothing.
    fn next_optional_string(&mut self) -> Result<Option<String>>;

    /// Reads a number.
    fn next_real(&mut self) -> Result<f64>;

    /// Reads a yes or no.
    fn next_flag(&mut self) -> Result<bool>;

    /// Reads bytes, or nothing.
    fn next_optional_bytes(&mut self) -> Result<Option<&[u8]>>;

    /// Reads bytes.
    fn next_bytes(&mut self) -> Result<&[u8]> {
        require_value(self.next_optional_bytes()?)
    }

    /// Reads the bytes of a hash, or nothing.
    fn next_optional_hash(&mut self) -> Result<Option<Sha256Hash>> {
        let bytes = self.next_optional_bytes()?.map(<[u8; 32]>::try_from);
        let bytes = bytes.transpose();
        let bytes = bytes.map_err(|_| damaged_error("a hash has another length"))?;
        Ok(bytes.map(Sha256Hash::from_bytes))
    }

    /// Reads a whole number.
    fn next_integer(&mut self) -> Result<i64> {
        require_value(self.next_optional_integer()?)
    }

    /// Reads a string.
    fn next_string(&mut self) -> Result<String> {
        require_value(self.next_optional_string()?)
    }

    /// Reads a text.
    fn next_text(&mut self) -> Result<CleanText> {
        self.next_string().map(CleanText::from_stored)
    }

    /// Reads a text, or nothing.
    fn next_optional_text(&mut self) -> Result<Option<CleanText>> {
        Ok(self.next_optional_string()?.map(CleanText::from_stored))
    }

    /// Reads a time.
    fn next_time(&mut self) -> Result<Timestamp> {
        parse_time(self.next_integer()?)
    }

    /// Reads a time, or nothing.
    fn next_optional_time(&mut self) -> Result<Option<Timestamp>> {
        self.next_optional_integer()?.map(parse_time).transpose()
    }

    /// Reads a count.
    fn next_count(&mut self) -> Result<u64> {
        parse_count(self.next_integer()?)
    }

    /// Reads a small count.
    fn next_small_count(&mut self) -> Result<u32> {
        let count = u32::try_from(self.next_integer()?);
        count.map_err(|_| damaged_error("a count is out of range"))
    }

    /// Reads a hash.
    fn next_hash(&mut self) -> Result<Sha256Hash> {
        require_value(self.next_optional_hash()?)
    }
}

impl dyn ReadColumns + '_ {
    /// Reads one of our words.
    pub fn next_word<T>(&mut self, read: impl FnOnce(&str) -> Option<T>) -> Result<T> {
        parse_word(&self.next_string()?, read)
    }
}

fn require_value<T>(value: Option<T>) -> Result<T> {
    value.ok_or_else(|| damaged_error("a row lacks a value"))
}

/// Reads what the choice of a lesson to evict needs: [`EVICTION_COLUMNS`].
pub fn read_eviction_candidate(
    row: &mut dyn ReadColumns,
    id: LessonId,
) -> Result<EvictionCandidate> {
    Ok(EvictionCandidate {
        id,
        trust: Trust::new(row.next_word(TrustClass::from_name)?, row.next_flag()?),
        counts: LessonCounts {
            shown: row.next_count()?,
            helped: row.next_count()?,
            harmed: row.next_count()?,
            not_followed: row.next_integer()?,
            last_shown: row.next_optional_time()?,
            gaussian_message: GaussianMessage {
                precision: row.next_integer()?,
                shift: row.next_integer()?,
            },
            ..LessonCounts::default()
        },
        created: row.next_time()?,
        expires_at: row.next_optional_time()?,
    })
}

/// Parses one of our stored words; any other is damage.
pub fn parse_word<T>(name: &str, read: impl FnOnce(&str) -> Option<T>) -> Result<T> {
    read(name).ok_or_else(|| damaged_error(format!("{name:?} is not a word of ours")))
}

/// Parses a stored time.
pub fn parse_time(milliseconds: i64) -> Result<Timestamp> {
    Timestamp::from_millisecond(milliseconds).map_err(|_| damaged_error("a time is out of range"))
}

/// Parses a stored count.
pub fn parse_count(count: i64) -> Result<u64> {
    u64::try_from(count).map_err(|_| damaged_error("a count is below zero"))
}

/// Converts a count to an SQL type. No real count exceeds 63 bits.
pub fn to_sql_count(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Returns a project as it is stored: an empty string for none.
pub fn project_column(scope: &Scope) -> &str {
    scope.project.as_ref().map_or("", ProjectId::as_str)
}

/// Parses a stored scope.
pub fn parse_scope(tenant: &TenantId, agent: String, project: String) -> Result<Scope> {
    let bad = |_| damaged_error("a scope has a name that cannot be");
    Ok(Scope {
        tenant: tenant.clone(),
        agent: AgentId::from_stored(agent).map_err(bad)?,
        project: match project.as_str() {
            "" => None,
            _ => Some(ProjectId::from_stored(project).map_err(bad)?),
        },
    })
}

/// Reads a lesson's agent and project, then [`LESSON_COLUMNS`].
pub fn read_lesson(row: &mut dyn ReadColumns, tenant: &TenantId, id: LessonId) -> Result<Lesson> {
    let scope = parse_scope(tenant, row.next_string()?, row.next_string()?)?;
    let mut status = StatusColumns {
        name: row.next_word(StatusName::from_name)?,
        why: row.next_optional_text()?,
        by: row.next_optional_integer()?.map(LessonId),
        retired: None,
    };
    let slug = row.next_word(Slug::parse)?;
    let mut content = LessonContent {
        title: row.next_text()?,
        signature: row.next_text()?,
        text: row.next_text()?,
        situation: row.next_optional_text()?,
        mistake: row.next_optional_text()?,
        tags: Vec::new(),
        targets: Vec::new(),
        tools: Vec::new(),
        reference: row.next_optional_text()?,
        metadata: BTreeMap::new(),
    };
    let (cause, outcome) = (
        row.next_word(Cause::from_name)?,
        row.next_word(RunOutcome::from_name)?,
    );
    let trust = Trust::new(row.next_word(TrustClass::from_name)?, row.next_flag()?);
    let confidence = row.next_real()?;
    let failure = row.next_optional_string()?.map(FailureKey::new);
    let expires_at = row.next_optional_time()?;
    let counts = LessonCounts {
        shown: row.next_count()?,
        helped: row.next_count()?,
        harmed: row.next_count()?,
        went_well: row.next_count()?,
        went_badly: row.next_count()?,
        contradicted: row.next_count()?,
        not_followed: row.next_integer()?,
        last_shown: row.next_optional_time()?,
        gaussian_message: GaussianMessage {
            precision: row.next_integer()?,
            shift: row.next_integer()?,
        },
        trial: trial_from_json(row.next_optional_string()?.as_deref())?,
    };
    let (created, updated) = (row.next_time()?, row.next_time()?);
    let mut rest: LessonRest = from_json(&row.next_string()?)?;
    status.retired = rest.retired;
    rest.fill_content(&mut content);
    Ok(Lesson {
        id,
        admitted: AdmittedLesson {
            scope,
            slug,
            content,
            cause,
            outcome,
            evidence: rest.evidence,
            trust,
            confidence,
            failure,
            status: status.to_status()?,
            expires_at,
            supersedes: rest.supersedes,
            task: rest.task,
        },
        counts,
        contradicts: rest.contradicts,
        created,
        updated,
    })
}

/// A lesson's state, as columns and in JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusColumns {
    #[serde(rename = "status", alias = "name")]
    name: StatusName,
    why: Option<CleanText>,
    by: Option<LessonId>,
    /// Why the lesson is archived; rows of earlier versions have it only in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    retired: Option<Retirement>,
}

impl StatusColumns {
    /// Returns the columns of a state.
    pub fn from_status(status: &Status) -> Self {
        let (why, by, retired) = match status {
            Status::Active => (None, None, None),
            Status::Pending { why } | Status::Quarantined { why } => (Some(why), None, None),
            Status::Archived { by, why } => (Some(why), None, Some(*by)),
            Status::Superseded { by } => (None, Some(*by), None),
        };
        Self {
            name: StatusName::from_status(status),
            why: why.cloned(),
            by,
            retired,
        }
    }

    /// Returns the state. A reason that was erased is empty.
    ///
    /// # Errors
    ///
    /// If it lacks its successor.
    pub fn to_status(&self) -> Result<Status> {
        let reason = self.why.clone().unwrap_or_default();
        Ok(match self.name {
            StatusName::Active => Status::Active,
            StatusName::Pending => Status::Pending { why: reason },
            StatusName::Quarantined => Status::Quarantined { why: reason },
            StatusName::Archived => Status::Archived {
                by: (self.retired).unwrap_or_else(|| Retirement::from_words(reason.as_str())),
                why: reason,
            },
            StatusName::Superseded => Status::Superseded {
                by: self
                    .by
                    .ok_or_else(|| damaged_error("a lesson's state lacks its successor"))?,
            },
        })
    }

    /// Returns the state without its reason.
    #[must_use]
    pub fn without_reason(self) -> Self {
        Self { why: None, ..self }
    }
}

/// The keys by which duplicates are found, as a row stores them.
#[derive(Debug, Clone, Copy)]
pub struct DuplicateKeys {
    /// Of the exact words.
    pub twin: i64,
    /// Of the words in any order.
    pub words: i64,
}

impl DuplicateKeys {
    /// Returns the keys of these words.
    pub fn from_content(content: &LessonContent) -> Self {
        Self {
            twin: twin_key(content).0,
            words: Meaning::from_content(content).key().0,
        }
    }
}

/// A value on its way into a column.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnValue<'a> {
    /// A whole number, or nothing.
    Integer(Option<i64>),
    /// A text, or nothing.
    Text(Option<Cow<'a, str>>),
    /// A number.
    Real(f64),
    /// A yes or no.
    Flag(bool),
    /// Bytes, or nothing.
    Bytes(Option<Cow<'a, [u8]>>),
    /// A list of whole numbers.
    Integers(Vec<i64>),
}

/// Has values be made of what they hold.
macro_rules! make_of {
    ($($kind:ty: $value:ident => $made:expr;)*) => { $(
        impl<'a> From<$kind> for ColumnValue<'a> {
            fn from($value: $kind) -> Self {
                $made
            }
        }
    )* };
}

make_of! {
    bool: value => Self::Flag(value);
    i64: value => Self::Integer(Some(value));
    u32: value => Self::Integer(Some(value.into()));
    u64: value => Self::Integer(Some(to_sql_count(value)));
    Option<i64>: value => Self::Integer(value);
    Option<Timestamp>: value => Self::Integer(value.map(Timestamp::as_millisecond));
    Timestamp: value => Self::Integer(Some(value.as_millisecond()));
    &'a str: value => Self::Text(Some(Cow::Borrowed(value)));
    String: value => Self::Text(Some(Cow::Owned(value)));
    Option<&'a str>: value => Self::Text(value.map(Cow::Borrowed));
    Option<String>: value => Self::Text(value.map(Cow::Owned));
    &'a [u8]: value => Self::Bytes(Some(Cow::Borrowed(value)));
    Vec<u8>: value => Self::Bytes(Some(Cow::Owned(value)));
    &'a Sha256Hash: value => Self::from(&value.as_bytes()[..]);
    Option<&'a Sha256Hash>: value => Self::Bytes(value.map(|hash| Cow::Borrowed(&hash.as_bytes()[..])));
    Vec<i64>: value => Self::Integers(value);
}

/// A column by its name, with a value for it.
pub type Column<'v> = (&'static str, ColumnValue<'v>);

/// Returns the columns of a lesson that writers of every database set, beside those that name its place.
///
/// Without `likeness` it leaves the keys of duplicates out, which a row whose words stay has already.
///
/// # Errors
///
/// A value cannot be written down.
pub fn written_columns(
    lesson: &Lesson,
    likeness: Option<DuplicateKeys>,
) -> Result<Vec<Column<'_>>> {
    let (content, counts) = (&lesson.content, &lesson.counts);
    let status = StatusColumns::from_status(&lesson.status);
    let rest = LessonRest::from_admitted(&lesson.admitted, &lesson.contradicts);
    let mut columns: Vec<Column<'_>> = vec![
        ("status", lesson.status.name().into()),
        ("why", status.why.map(|why| why.to_string()).into()),
        ("by", status.by.map(|by| by.0).into()),
        ("slug", lesson.slug.as_str().into()),
        ("title", content.title.as_str().into()),
        ("signature", content.signature.as_str().into()),
        ("text", content.text.as_str().into()),
        ("situation", optional_str(content.situation.as_ref()).into()),
        ("mistake", optional_str(content.mistake.as_ref()).into()),
        ("reference", optional_str(content.reference.as_ref()).into()),
        ("cause", lesson.cause.name().into()),
        ("outcome", lesson.outcome.name().into()),
        ("trust", lesson.trust.class.name().into()),
        ("tainted", ColumnValue::Flag(lesson.trust.tainted)),
        ("confidence", ColumnValue::Real(lesson.confidence)),
        (
            "failure",
            lesson.failure.as_ref().map(FailureKey::as_str).into(),
        ),
        ("expires_at", lesson.expires_at.into()),
        ("shown", counts.shown.into()),
        ("helped", counts.helped.into()),
        ("harmed", counts.harmed.into()),
        ("last_seen", counts.last_shown.into()),
        ("created", lesson.created.into()),
        ("updated", lesson.updated.into()),
        ("rest", to_json(&rest)?.into()),
        ("precision", counts.gaussian_message.precision.into()),
        ("shift", counts.gaussian_message.shift.into()),
        ("trial", trial_to_json(&counts.trial)?.into()),
        ("well", counts.went_well.into()),
        ("badly", counts.went_badly.into()),
        ("in_vain", counts.contradicted.into()),
        ("not_followed", counts.not_followed.into()),
    ];
    if let Some(keys) = likeness {
        columns.extend([("twin", keys.twin.into()), ("words", keys.words.into())]);
    }
    Ok(columns)
}

fn optional_str(text: Option<&CleanText>) -> Option<&str> {
    text.map(CleanText::as_str)
}

/// Writes a value as JSON.
pub fn to_json<T: Serialize>(value: &T) -> Result<String> {
    serde_json::to_string(value)
        .map_err(|error| damaged_error(format!("a value cannot be written down ({error})")))
}

/// Reads a value from JSON.
pub fn from_json<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T> {
    serde_json::from_str(text)
        .map_err(|error| damaged_error(format!("a value cannot be read back ({error})")))
}

/// A lesson's lists, as JSON.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct LessonRest {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<CleanText>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    targets: Vec<(TargetKind, CleanText)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<CleanText>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    metadata: BTreeMap<String, CleanText>,
    evidence: Vec<Evidence>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    supersedes: Vec<LessonId>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    contradicts: Vec<LessonId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    task: Option<CleanText>,
    /// Why the lesson is archived.
    #[serde(skip_serializing_if = "Option::is_none")]
    retired: Option<Retirement>,
}

impl LessonRest {
    fn from_admitted(admitted: &AdmittedLesson, contradicts: &[LessonId]) -> Self {
        let content = &admitted.content;
        let target = |target: &LessonTarget| (target.kind, target.glob.clone());
        Self {
            tags: content.tags.clone(),
            targets: content.targets.iter().map(target).collect(),
            tools: content.tools.clone(),
            metadata: content.metadata.clone(),
            evidence: admitted.evidence.clone(),
            supersedes: admitted.supersedes.clone(),
            contradicts: contradicts.to_vec(),
            task: admitted.task.clone(),
            retired: StatusColumns::from_status(&admitted.status).retired,
        }
    }

    /// Hands the lists of the content over to it.
    fn fill_content(&mut self, content: &mut LessonContent) {
        let target = |(kind, glob)| LessonTarget { kind, glob };
        content.tags = mem::take(&mut self.tags);
        content.targets = self.targets.drain(..).map(target).collect();
        content.tools = mem::take(&mut self.tools);
        content.metadata = mem::take(&mut self.metadata);
    }
}

/// The columns of a journal entry that [`read_entry`] reads.
pub const ENTRY_COLUMNS: &str =
    "sequence, at, kind, lesson, actor, content, previous, hash, remark_hash, remark";

/// Reads the columns of [`ENTRY_COLUMNS`].
pub fn read_entry(row: &mut dyn ReadColumns) -> Result<JournalEntry> {
    let mut entry = JournalEntry {
        sequence: row.next_count()?,
        body: EntryBody {
            at: row.next_time()?,
            kind: row.next_word(JournalEntryKind::from_name)?,
            lesson: LessonId(row.next_integer()?),
            actor: hardwon_core::change::Actor(row.next_text()?),
            content: row.next_hash()?,
            comment: None,
        },
        previous: row.next_hash()?,
        hash: row.next_hash()?,
    };
    let (digest, words) = (row.next_optional_hash()?, row.next_optional_text()?);
    // Words without a digest were never written: with one that is no hash they break the chain.
    if digest.is_some() || words.is_some() {
        let digest = digest.unwrap_or(Sha256Hash::ZERO);
        entry.body.comment = Some(JournalComment::from_stored(digest, words));
    }
    Ok(entry)
}

/// Converts a page limit to an SQL type, at most `limits::PAGE_ROWS`.
pub fn to_sql_page_limit(rows: usize) -> i64 {
    to_sql_bound(rows.min(limits::PAGE_ROWS))
}

/// Converts a row limit to an SQL type.
pub fn to_sql_bound(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}

/// Parses a stored tenant.
pub fn parse_tenant(name: &str) -> Result<TenantId> {
    TenantId::parse(name).map_err(|_| damaged_error("a tenant has a name that cannot be"))
}
