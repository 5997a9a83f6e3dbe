//! Converts rows and JSON lines to values and back, for every database.
//!
//! Domain types do not know how they are stored: JSON has structs of its own, with short names that never change
//! meaning. A value that cannot be parsed is reported as damage, never a panic. How a database hands over a column is
//! its own affair ([`ReadColumns`]), as are statements and keys.

use std::{borrow::Cow, collections::BTreeMap};

use hardwon_core::{
    change::{EvictionCandidate, Meaning, twin_key},
    evidence::{Evidence, EvidenceKind},
    id::{AgentId, ClientName, LessonId, ProjectId, RunId, TenantId},
    journal::{EntryBody, JournalComment, JournalEntry, JournalEntryKind, Sha256Hash},
    lesson::{
        AdmittedLesson, Cause, FailureKey, GaussianMessage, Lesson, LessonContent, LessonCounts,
        LessonTarget, Retirement, RunOutcome, Slug, Status, TargetKind, Trust, TrustClass,
    },
    limits,
    scope::Scope,
    text::CleanText,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    ConsideredLesson, Moment, PromptDigest, Recall, Result, StatusName, Treatment,
    error::damaged_error,
};

mod json_rows;
mod judgement_rows;
mod job_rows;
mod part_rows;
mod sealed;

pub use job_rows::{TaskRow, add_job_count, read_job, ready_column};
pub use json_rows::{AdmittedRow, RecallRow, parse_recall_line, render_recall_line};
pub use judgement_rows::JudgementRow;
use judgement_rows::{trial_from_json, trial_to_json};
pub use part_rows::{CANDIDATE_COLUMNS, LoosePartKind, read_candidate};
pub(crate) use part_rows::{read_cost, read_kept_answer};
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
        trust: Trust {
            class: row.next_word(TrustClass::from_name)?,
            tainted: row.next_flag()?,
        },
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
pub fn parse_scope(tenant: &TenantId, agent: &str, project: &str) -> Result<Scope> {
    let bad = |_| damaged_error("a scope has a name that cannot be");
    Ok(Scope {
        tenant: tenant.clone(),
        agent: AgentId::parse(agent).map_err(bad)?,
        project: match project {
            "" => None,
            name => Some(ProjectId::parse(name).map_err(bad)?),
        },
    })
}

/// Reads a lesson's agent and project, then [`LESSON_COLUMNS`].
pub fn read_lesson(row: &mut dyn ReadColumns, tenant: &TenantId, id: LessonId) -> Result<Lesson> {
    let scope = parse_scope(tenant, &row.next_string()?, &row.next_string()?)?;
    let status = StatusColumns {
        name: row.next_string()?,
        why: row.next_optional_text()?,
        by: row.next_optional_integer()?,
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
    let trust = Trust {
        class: row.next_word(TrustClass::from_name)?,
        tainted: row.next_flag()?,
    };
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
    let rest: LessonRest = from_json(&row.next_string()?)?;
    let status = status.parse(rest.retired.as_deref())?;
    let (evidence, supersedes, contradicts, task) = rest.into_parts(&mut content)?;
    Ok(Lesson {
        id,
        admitted: AdmittedLesson {
            scope,
            slug,
            content,
            cause,
            outcome,
            evidence,
            trust,
            confidence,
            failure,
            status,
            expires_at,
            supersedes,
            task,
        },
        counts,
        contradicts,
        created,
        updated,
    })
}

/// What the columns of a lesson's state hold.
struct StatusColumns {
    name: String,
    why: Option<CleanText>,
    by: Option<i64>,
}

impl StatusColumns {
    /// Returns the state. `retired` is why the lesson is archived, which rows of earlier versions have only in words.
    fn parse(self, retired: Option<&str>) -> Result<Status> {
        let Self { name, why, by } = self;
        let reason_or_error =
            || why.ok_or_else(|| damaged_error("a lesson's state lacks its reason"));
        Ok(match parse_word(&name, StatusName::from_name)? {
            StatusName::Active => Status::Active,
            StatusName::Pending => Status::Pending {
                why: reason_or_error()?,
            },
            StatusName::Quarantined => Status::Quarantined {
                why: reason_or_error()?,
            },
            StatusName::Archived => {
                let reason = reason_or_error()?;
                let by = match retired {
                    Some(word) => parse_word(word, Retirement::from_name)?,
                    None => Retirement::from_words(reason.as_str()),
                };
                Status::Archived { by, why: reason }
            }
            StatusName::Superseded => Status::Superseded {
                by: LessonId(
                    by.ok_or_else(|| damaged_error("a lesson's state lacks its successor"))?,
                ),
            },
        })
    }
}

fn status_columns(status: &Status) -> (Option<&str>, Option<i64>) {
    match status {
        Status::Active => (None, None),
        Status::Pending { why } | Status::Quarantined { why } | Status::Archived { why, .. } => {
            (Some(why.as_str()), None)
        }
        Status::Superseded { by } => (None, Some(by.0)),
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

/// The columns of [`lesson_values`].
pub const WRITTEN_LESSON_COLUMNS: [&str; 33] = [
    "status",
    "why",
    "by",
    "slug",
    "title",
    "signature",
    "text",
    "situation",
    "mistake",
    "reference",
    "cause",
    "outcome",
    "trust",
    "tainted",
    "confidence",
    "failure",
    "expires_at",
    "shown",
    "helped",
    "harmed",
    "last_seen",
    "created",
    "updated",
    "twin",
    "words",
    "rest",
    "precision",
    "shift",
    "trial",
    "well",
    "badly",
    "in_vain",
    "not_followed",
];

/// Returns the values of a lesson's row, in the order of [`WRITTEN_LESSON_COLUMNS`]. The duplicate keys may be left out
/// where the row has them already.
pub fn lesson_values(
    lesson: &Lesson,
    likeness: Option<DuplicateKeys>,
) -> Result<[ColumnValue<'_>; 33]> {
    type Value<'a> = ColumnValue<'a>;
    let (content, counts) = (&lesson.content, &lesson.counts);
    let (why, by) = status_columns(&lesson.status);
    let rest = to_json(&LessonRest::from_admitted(
        &lesson.admitted,
        &lesson.contradicts,
    ))?;
    Ok([
        Value::from(lesson.status.name()),
        Value::from(why),
        Value::from(by),
        Value::from(lesson.slug.as_str()),
        Value::from(content.title.as_str()),
        Value::from(content.signature.as_str()),
        Value::from(content.text.as_str()),
        Value::from(optional_str(content.situation.as_ref())),
        Value::from(optional_str(content.mistake.as_ref())),
        Value::from(optional_str(content.reference.as_ref())),
        Value::from(lesson.cause.name()),
        Value::from(lesson.outcome.name()),
        Value::from(lesson.trust.class.name()),
        Value::Flag(lesson.trust.tainted),
        Value::Real(lesson.confidence),
        Value::from(lesson.failure.as_ref().map(FailureKey::as_str)),
        Value::from(lesson.expires_at),
        Value::from(counts.shown),
        Value::from(counts.helped),
        Value::from(counts.harmed),
        Value::from(counts.last_shown),
        Value::from(lesson.created),
        Value::from(lesson.updated),
        Value::from(likeness.map(|likeness| likeness.twin)),
        Value::from(likeness.map(|likeness| likeness.words)),
        Value::from(rest),
        Value::from(counts.gaussian_message.precision),
        Value::from(counts.gaussian_message.shift),
        Value::from(trial_to_json(&counts.trial)?),
        Value::from(counts.went_well),
        Value::from(counts.went_badly),
        Value::from(counts.contradicted),
        Value::from(counts.not_followed),
    ])
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
    tags: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    targets: Vec<(String, String)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    metadata: BTreeMap<String, String>,
    evidence: Vec<EvidenceRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    supersedes: Vec<i64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    contradicts: Vec<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    task: Option<String>,
    /// Why the lesson is archived.
    #[serde(skip_serializing_if = "Option::is_none")]
    retired: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct EvidenceRow {
    kind: String,
    #[serde(rename = "ref")]
    reference: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

fn to_strings(texts: &[CleanText]) -> Vec<String> {
    texts.iter().map(|text| text.as_str().to_owned()).collect()
}

fn to_clean_texts(texts: Vec<String>) -> Vec<CleanText> {
    texts.into_iter().map(CleanText::from_stored).collect()
}

fn to_numbers(ids: &[LessonId]) -> Vec<i64> {
    ids.iter().map(|id| id.0).collect()
}

fn to_lesson_ids(numbers: Vec<i64>) -> Vec<LessonId> {
    numbers.into_iter().map(LessonId).collect()
}

type RestParts = (
    Vec<Evidence>,
    Vec<LessonId>,
    Vec<LessonId>,
    Option<CleanText>,
);

impl LessonRest {
    fn from_admitted(admitted: &AdmittedLesson, contradicts: &[LessonId]) -> Self {
        let content = &admitted.content;
        let target = |it: &LessonTarget| (it.kind.name().to_owned(), it.glob.as_str().to_owned());
        let pair = |(vendor, json): (&String, &CleanText)| (vendor.clone(), json.to_string());
        Self {
            tags: to_strings(&content.tags),
            targets: content.targets.iter().map(target).collect(),
            tools: to_strings(&content.tools),
            metadata: content.metadata.iter().map(pair).collect(),
            evidence: admitted
                .evidence
                .iter()
                .map(EvidenceRow::from_evidence)
                .collect(),
            supersedes: to_numbers(&admitted.supersedes),
            contradicts: to_numbers(contradicts),
            task: admitted.task.as_ref().map(CleanText::to_string),
            retired: match admitted.status {
                Status::Archived { by, .. } => Some(by.name().to_owned()),
                _ => None,
            },
        }
    }

    /// Sets the lists of the content, and returns evidence, superseded and contradicted lessons, and the task.
    fn into_parts(self, content: &mut LessonContent) -> Result<RestParts> {
        let target = |(kind, glob): (String, String)| -> Result<LessonTarget> {
            Ok(LessonTarget {
                kind: parse_word(&kind, TargetKind::from_name)?,
                glob: CleanText::from_stored(glob),
            })
        };
        content.tags = to_clean_texts(self.tags);
        content.targets = self
            .targets
            .into_iter()
            .map(target)
            .collect::<Result<_>>()?;
        content.tools = to_clean_texts(self.tools);
        let pair = |(vendor, json)| (vendor, CleanText::from_stored(json));
        content.metadata = self.metadata.into_iter().map(pair).collect();
        let evidence = self.evidence.into_iter().map(EvidenceRow::into_evidence);
        Ok((
            evidence.collect::<Result<_>>()?,
            to_lesson_ids(self.supersedes),
            to_lesson_ids(self.contradicts),
            self.task.map(CleanText::from_stored),
        ))
    }
}

impl EvidenceRow {
    fn from_evidence(evidence: &Evidence) -> Self {
        Self {
            kind: evidence.kind.name().to_owned(),
            reference: evidence.reference.to_string(),
            note: evidence.note.as_ref().map(CleanText::to_string),
        }
    }

    fn into_evidence(self) -> Result<Evidence> {
        Ok(Evidence {
            kind: parse_word(&self.kind, EvidenceKind::from_name)?,
            reference: CleanText::from_stored(self.reference),
            note: self.note.map(CleanText::from_stored),
        })
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
    if let Some(digest) = row.next_optional_hash()? {
        entry.body.comment = Some(JournalComment::from_stored(
            digest,
            row.next_optional_text()?,
        ));
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

/// Parses the runs of a candidate lesson.
pub fn parse_runs(json: &str) -> Result<Vec<RunId>> {
    let names: Vec<String> = from_json(json)?;
    let run = |name: &String| RunId::parse(name);
    let runs: std::result::Result<_, _> = names.iter().map(run).collect();
    runs.map_err(|_| damaged_error("a run has a name that cannot be"))
}

/// Writes the runs of a candidate lesson as JSON.
pub fn runs_to_json(runs: &[RunId]) -> Result<String> {
    let names: Vec<&str> = runs.iter().map(RunId::as_str).collect();
    to_json(&names)
}
