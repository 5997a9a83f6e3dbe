//! Converts rows and JSON lines to values and back.
//!
//! Domain types do not know how they are stored: JSON has structs of its own, with short names that never change
//! meaning. A value that cannot be parsed is reported as damage, never a panic.

use std::collections::BTreeMap;

use hardwon_core::{
    change::{EvictionCandidate, Meaning, twin_key},
    evidence::{Evidence, EvidenceKind},
    id::{AgentId, ClientName, LessonId, ProjectId, RunId, TenantId},
    journal::{EntryBody, JournalComment, JournalEntry, JournalEntryKind, Sha256Hash},
    lesson::{
        AdmittedLesson, Cause, FailureKey, GaussianMessage, Lesson, LessonContent, LessonCounts,
        LessonTarget, RunOutcome, Slug, Status, TargetKind, Trust, TrustClass,
    },
    limits,
    scope::Scope,
    text::CleanText,
};
use jiff::Timestamp;
use rusqlite::{Row, ToSql, types::FromSql};
use serde::{Deserialize, Serialize};

use super::errors::damaged_error;
use crate::{ConsideredLesson, Moment, PromptDigest, Recall, Result, StatusName, Treatment};

mod json_rows;
mod judgement_rows;
pub(super) use json_rows::{AdmittedRow, RecallRow};
pub(super) use judgement_rows::JudgementRow;
use judgement_rows::{trial_from_json, trial_to_json};

/// Bits of a key below the tenant's number.
const LESSON_BITS: u32 = 32;

/// Returns the key of a lesson; `None` if the number is out of range.
pub(super) fn lesson_key(tenant: i64, id: LessonId) -> Option<i64> {
    let number = u32::try_from(id.0).ok()?;
    Some(tenant << LESSON_BITS | i64::from(number))
}

/// Returns the range of keys of a tenant's lessons with numbers below `before`.
pub(super) fn lesson_key_range(tenant: i64, before: Option<LessonId>) -> std::ops::Range<i64> {
    let first = tenant << LESSON_BITS;
    let all = 1 << LESSON_BITS;
    first..first + before.map_or(all, |id| id.0.clamp(0, all))
}

/// Converts a page limit to SQLite's type, at most `limits::PAGE_ROWS`.
pub(super) fn to_sql_page_limit(rows: usize) -> i64 {
    i64::try_from(rows.min(limits::PAGE_ROWS)).expect("a page is short")
}

fn lesson_id_from_key(key: i64) -> LessonId {
    LessonId(key & ((1 << LESSON_BITS) - 1))
}

/// Returns the columns of a lesson `l` that [`read_lesson`] reads. `scope` names its agent and its project: two columns
/// of a `scope`, or two parameters where both are known.
pub(super) fn lesson_columns(scope: &str) -> String {
    format!("l.key, {scope}, {LESSON_COLUMNS}")
}

const LESSON_COLUMNS: &str = "l.status, l.why, l.by, l.slug, \
     l.title, l.signature, l.text, l.situation, l.mistake, l.reference, l.cause, l.outcome, \
     l.trust, l.tainted, l.confidence, l.failure, l.expires_at, l.shown, l.helped, l.harmed, \
     l.well, l.badly, l.in_vain, l.not_followed, l.last_seen, l.precision, l.shift, l.trial, l.created, \
     l.updated, l.rest";

/// The columns that [`read_eviction_candidate`] reads.
pub(super) const EVICTION_COLUMNS: &str = "key, trust, tainted, shown, helped, harmed, not_followed, \
     last_seen, precision, shift, created, expires_at";

/// Reads what the choice of a lesson to evict needs.
pub(super) fn read_eviction_candidate(row: &Row<'_>) -> Result<EvictionCandidate> {
    let mut row = ColumnReader::new(row);
    Ok(EvictionCandidate {
        id: lesson_id_from_key(row.next_value()?),
        trust: Trust {
            class: row.next_word(TrustClass::from_name)?,
            tainted: row.next_value()?,
        },
        counts: LessonCounts {
            shown: row.next_count()?,
            helped: row.next_count()?,
            harmed: row.next_count()?,
            not_followed: row.next_value()?,
            last_shown: row.next_optional_time()?,
            gaussian_message: GaussianMessage {
                precision: row.next_value()?,
                shift: row.next_value()?,
            },
            ..LessonCounts::default()
        },
        created: row.next_time()?,
        expires_at: row.next_optional_time()?,
    })
}

/// Reads columns one after another.
pub(super) struct ColumnReader<'r, 's> {
    row: &'r Row<'s>,
    next: usize,
}

impl<'r, 's> ColumnReader<'r, 's> {
    pub(super) fn new(row: &'r Row<'s>) -> Self {
        Self { row, next: 0 }
    }

    pub(super) fn next_value<T: FromSql>(&mut self) -> Result<T> {
        let value = self.row.get(self.next)?;
        self.next += 1;
        Ok(value)
    }

    pub(super) fn next_text(&mut self) -> Result<CleanText> {
        self.next_value().map(CleanText::from_stored)
    }

    pub(super) fn next_optional_text(&mut self) -> Result<Option<CleanText>> {
        Ok(self
            .next_value::<Option<String>>()?
            .map(CleanText::from_stored))
    }

    pub(super) fn next_time(&mut self) -> Result<Timestamp> {
        parse_time(self.next_value()?)
    }

    pub(super) fn next_optional_time(&mut self) -> Result<Option<Timestamp>> {
        self.next_value::<Option<i64>>()?
            .map(parse_time)
            .transpose()
    }

    pub(super) fn next_count(&mut self) -> Result<u64> {
        parse_count(self.next_value()?)
    }

    pub(super) fn next_word<T>(&mut self, read: impl FnOnce(&str) -> Option<T>) -> Result<T> {
        parse_word(&self.next_value::<String>()?, read)
    }

    pub(super) fn next_hash(&mut self) -> Result<Sha256Hash> {
        self.next_value().map(Sha256Hash::from_bytes)
    }
}

/// Parses one of our stored words; any other is damage.
pub(super) fn parse_word<T>(name: &str, read: impl FnOnce(&str) -> Option<T>) -> Result<T> {
    read(name).ok_or_else(|| damaged_error(format!("{name:?} is not a word of ours")))
}

pub(super) fn parse_time(milliseconds: i64) -> Result<Timestamp> {
    Timestamp::from_millisecond(milliseconds).map_err(|_| damaged_error("a time is out of range"))
}

pub(super) fn parse_count(count: i64) -> Result<u64> {
    u64::try_from(count).map_err(|_| damaged_error("a count is below zero"))
}

/// Converts a count to SQLite's type. No real count exceeds 63 bits.
pub(super) fn to_sql_count(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Returns a project as it is stored: an empty string for none.
pub(super) fn project_column(scope: &Scope) -> &str {
    scope.project.as_ref().map_or("", ProjectId::as_str)
}

pub(super) fn parse_scope(tenant: &TenantId, agent: &str, project: &str) -> Result<Scope> {
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

/// Reads the columns of [`lesson_columns`].
pub(super) fn read_lesson(row: &Row<'_>, tenant: &TenantId) -> Result<Lesson> {
    let mut row = ColumnReader::new(row);
    let id = lesson_id_from_key(row.next_value()?);
    let scope = parse_scope(
        tenant,
        &row.next_value::<String>()?,
        &row.next_value::<String>()?,
    )?;
    let status = parse_status(
        &row.next_value::<String>()?,
        row.next_optional_text()?,
        row.next_value()?,
    )?;
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
        tainted: row.next_value()?,
    };
    let confidence = row.next_value()?;
    let failure = row.next_value::<Option<String>>()?.map(FailureKey::new);
    let expires_at = row.next_optional_time()?;
    let counts = LessonCounts {
        shown: row.next_count()?,
        helped: row.next_count()?,
        harmed: row.next_count()?,
        went_well: row.next_count()?,
        went_badly: row.next_count()?,
        contradicted: row.next_count()?,
        not_followed: row.next_value()?,
        last_shown: row.next_optional_time()?,
        gaussian_message: GaussianMessage {
            precision: row.next_value()?,
            shift: row.next_value()?,
        },
        trial: trial_from_json(row.next_value::<Option<String>>()?.as_deref())?,
    };
    let (created, updated) = (row.next_time()?, row.next_time()?);
    let rest: LessonRest = from_json(&row.next_value::<String>()?)?;
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

fn parse_status(name: &str, why: Option<CleanText>, by: Option<i64>) -> Result<Status> {
    let why = || why.ok_or_else(|| damaged_error("a lesson's state lacks its reason"));
    Ok(match parse_word(name, StatusName::from_name)? {
        StatusName::Active => Status::Active,
        StatusName::Pending => Status::Pending { why: why()? },
        StatusName::Quarantined => Status::Quarantined { why: why()? },
        StatusName::Archived => Status::Archived { why: why()? },
        StatusName::Superseded => Status::Superseded {
            by: LessonId(by.ok_or_else(|| damaged_error("a lesson's state lacks its successor"))?),
        },
    })
}

fn status_columns(status: &Status) -> (Option<&str>, Option<i64>) {
    match status {
        Status::Active => (None, None),
        Status::Pending { why } | Status::Quarantined { why } | Status::Archived { why } => {
            (Some(why.as_str()), None)
        }
        Status::Superseded { by } => (None, Some(by.0)),
    }
}

/// The keys by which duplicates are found, as a row stores them.
#[derive(Debug, Clone, Copy)]
pub(super) struct DuplicateKeys {
    pub(super) twin: i64,
    pub(super) words: i64,
}

impl DuplicateKeys {
    pub(super) fn from_content(content: &LessonContent) -> Self {
        Self {
            twin: twin_key(content).0,
            words: Meaning::from_content(content).key().0,
        }
    }
}

/// Writes a lesson's row with one of the statements below. The duplicate keys may be left out where the row has them
/// already.
pub(super) fn write_lesson(
    statement: &mut rusqlite::Statement<'_>,
    key: i64,
    scope: i64,
    lesson: &Lesson,
    likeness: Option<DuplicateKeys>,
) -> Result<()> {
    let (content, counts) = (&lesson.content, &lesson.counts);
    let (why, by) = status_columns(&lesson.status);
    let text = |text: &Option<CleanText>| text.as_ref().map(|it| it.as_str().to_owned());
    let milliseconds = |time: Option<Timestamp>| time.map(Timestamp::as_millisecond);
    let values: [&dyn ToSql; 35] = [
        &key,
        &scope,
        &lesson.status.name(),
        &why,
        &by,
        &lesson.slug.as_str(),
        &content.title.as_str(),
        &content.signature.as_str(),
        &content.text.as_str(),
        &text(&content.situation),
        &text(&content.mistake),
        &text(&content.reference),
        &lesson.cause.name(),
        &lesson.outcome.name(),
        &lesson.trust.class.name(),
        &lesson.trust.tainted,
        &lesson.confidence,
        &lesson.failure.as_ref().map(FailureKey::as_str),
        &milliseconds(lesson.expires_at),
        &to_sql_count(counts.shown),
        &to_sql_count(counts.helped),
        &to_sql_count(counts.harmed),
        &milliseconds(counts.last_shown),
        &lesson.created.as_millisecond(),
        &lesson.updated.as_millisecond(),
        &likeness.map(|it| it.twin),
        &likeness.map(|it| it.words),
        &to_json(&LessonRest::from_admitted(
            &lesson.admitted,
            &lesson.contradicts,
        ))?,
        &counts.gaussian_message.precision,
        &counts.gaussian_message.shift,
        &trial_to_json(&counts.trial)?,
        &to_sql_count(counts.went_well),
        &to_sql_count(counts.went_badly),
        &to_sql_count(counts.contradicted),
        &counts.not_followed,
    ];
    statement.execute(values.as_slice())?;
    Ok(())
}

/// Inserts the row of [`write_lesson`].
pub(super) const INSERT_LESSON: &str = "INSERT INTO lesson (key, scope, status, why, by, slug, \
     title, signature, text, situation, mistake, reference, cause, outcome, trust, tainted, \
     confidence, failure, expires_at, shown, helped, harmed, last_seen, created, updated, twin, \
     words, rest, precision, shift, trial, well, badly, in_vain, \
     not_followed) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, \
     ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, \
     ?32, ?33, ?34, ?35)";

/// Updates the row of [`write_lesson`].
pub(super) const UPDATE_LESSON: &str = "UPDATE lesson SET scope = ?2, status = ?3, why = ?4, \
     by = ?5, slug = ?6, title = ?7, signature = ?8, text = ?9, situation = ?10, mistake = ?11, \
     reference = ?12, cause = ?13, outcome = ?14, trust = ?15, tainted = ?16, confidence = ?17, \
     failure = ?18, expires_at = ?19, shown = ?20, helped = ?21, harmed = ?22, last_seen = ?23, \
     created = ?24, updated = ?25, twin = coalesce(?26, twin), words = coalesce(?27, words), \
     rest = ?28, precision = ?29, shift = ?30, trial = ?31, well = ?32, badly = ?33, \
     in_vain = ?34, not_followed = ?35 WHERE key = ?1";

pub(super) fn to_json<T: Serialize>(value: &T) -> Result<String> {
    serde_json::to_string(value)
        .map_err(|error| damaged_error(format!("a value cannot be written down ({error})")))
}

pub(super) fn from_json<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T> {
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
    texts.iter().map(|it| it.as_str().to_owned()).collect()
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
pub(super) const ENTRY_COLUMNS: &str =
    "sequence, at, kind, lesson, actor, content, previous, hash, remark_hash, remark";

/// Reads the columns of [`ENTRY_COLUMNS`].
pub(super) fn read_entry(row: &Row<'_>) -> Result<JournalEntry> {
    let mut row = ColumnReader::new(row);
    let mut entry = JournalEntry {
        sequence: row.next_count()?,
        body: EntryBody {
            at: row.next_time()?,
            kind: row.next_word(JournalEntryKind::from_name)?,
            lesson: LessonId(row.next_value()?),
            actor: hardwon_core::change::Actor(row.next_text()?),
            content: row.next_hash()?,
            comment: None,
        },
        previous: row.next_hash()?,
        hash: row.next_hash()?,
    };
    if let Some(digest) = row.next_value::<Option<[u8; 32]>>()? {
        let digest = Sha256Hash::from_bytes(digest);
        entry.body.comment = Some(JournalComment::from_stored(
            digest,
            row.next_optional_text()?,
        ));
    }
    Ok(entry)
}

/// Converts a row limit to SQLite's type.
pub(super) fn to_sql_bound(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}

pub(super) fn parse_tenant(name: &str) -> Result<TenantId> {
    TenantId::parse(name).map_err(|_| damaged_error("a tenant has a name that cannot be"))
}

pub(super) fn parse_runs(json: &str) -> Result<Vec<RunId>> {
    let names: Vec<String> = from_json(json)?;
    let run = |name: &String| RunId::parse(name);
    let runs: std::result::Result<_, _> = names.iter().map(run).collect();
    runs.map_err(|_| damaged_error("a run has a name that cannot be"))
}

pub(super) fn runs_to_json(runs: &[RunId]) -> Result<String> {
    let names: Vec<&str> = runs.iter().map(RunId::as_str).collect();
    to_json(&names)
}
