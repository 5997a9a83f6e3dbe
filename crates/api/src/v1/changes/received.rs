//! Takes a page of changes in, as a server sent it.

use std::collections::BTreeMap;

use hardwon_core::{
    evidence::{Evidence, EvidenceKind},
    id::LessonId,
    lesson::{
        AdmittedLesson, Cause, FailureKey, GaussianMessage, Lesson, LessonContent, LessonCounts,
        LessonTarget, RunOutcome, Slug, Status, TargetKind, Trial, Trust, TrustClass,
    },
    limits, redact,
    scope::Scope,
    text::{CleanText, RawText},
};
use hardwon_store::{LessonCopy, ReplicaUpdate};
use jiff::Timestamp;
use serde::Deserialize;

use super::{RecordDto, TargetDto};

/// Longest name of a position.
const POSITION_CHARS: usize = 64;
/// Longest term of a task.
const TERM_CHARS: usize = 80;

/// A page of changes, as it was received.
#[derive(Debug, Deserialize)]
pub struct ReceivedChanges {
    lessons: Vec<ReceivedLesson>,
    gone: Vec<i64>,
    /// Where to go on.
    pub next: String,
    /// Whether these are all lessons.
    pub reset: bool,
    /// Where the next page of all lessons begins; `None` on the last one.
    #[serde(default)]
    pub cursor: Option<String>,
    /// Whether there is more already.
    pub more: bool,
}

/// Why a page of changes cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnusableChanges {
    /// It is more than a page.
    #[error("the server sent more than a page")]
    TooLarge,
    /// A lesson has a member that cannot be.
    #[error("the server sent a lesson whose {0} cannot be")]
    Member(&'static str),
}

/// The members of a lesson that a replica keeps.
#[derive(Debug, Deserialize)]
struct ReceivedLesson {
    id: i64,
    signature: String,
    lesson_text: String,
    hit_count: u64,
    created_at: i64,
    updated_at: i64,
    last_seen_at: i64,
    slug: String,
    title: String,
    #[serde(default)]
    situation: Option<String>,
    #[serde(default)]
    mistake: Option<String>,
    tags: Vec<String>,
    tools: Vec<String>,
    #[serde(default, rename = "ref")]
    reference: Option<String>,
    project: Option<String>,
    cause: String,
    outcome: String,
    trust: String,
    tainted: bool,
    confidence: f64,
    evidence: Vec<ReceivedEvidence>,
    helped: u64,
    wrong: u64,
    expires_at: Option<i64>,
    supersedes: Vec<i64>,
    contradicts: Vec<i64>,
    targets: Vec<TargetDto>,
    #[serde(default)]
    failure: Option<String>,
    task_terms: Vec<String>,
    record: RecordDto,
}

#[derive(Debug, Deserialize)]
struct ReceivedEvidence {
    kind: String,
    #[serde(rename = "ref")]
    reference: String,
    #[serde(default)]
    note: Option<String>,
}

impl ReceivedChanges {
    /// Makes an update of the pages that belong together: one of changes, or all up to one without a cursor.
    ///
    /// `scope` is the scope that the replica serves: a lesson is its project's, or holds everywhere.
    pub fn into_update(
        pages: Vec<Self>,
        scope: &Scope,
        now: Timestamp,
    ) -> Result<ReplicaUpdate, UnusableChanges> {
        let mut update = ReplicaUpdate {
            is_whole: pages.first().is_some_and(|it| it.reset),
            lessons: Vec::new(),
            gone: Vec::new(),
            position: String::new(),
            at: now,
        };
        for page in pages {
            let bound = limits::PAGE_ROWS;
            if page.lessons.len() > bound || page.gone.len() > bound {
                return Err(UnusableChanges::TooLarge);
            }
            if update.position.is_empty() {
                update.position = page.next.chars().take(POSITION_CHARS).collect();
            }
            update.gone.extend(page.gone.into_iter().map(LessonId));
            for lesson in page.lessons {
                update.lessons.push(lesson.into_copy(scope)?);
            }
        }
        Ok(update)
    }
}

fn clean(text: String, chars: usize) -> CleanText {
    redact::clean_to_chars(&RawText::new(text), chars)
}

fn clean_all(texts: Vec<String>, most: usize, chars: usize) -> Vec<CleanText> {
    let texts = texts.into_iter().take(most);
    texts.map(|it| clean(it, chars)).collect()
}

/// Reads one of our words; an error names the member.
fn word<T>(
    name: &str,
    member: &'static str,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<T, UnusableChanges> {
    read(name).ok_or(UnusableChanges::Member(member))
}

fn time(seconds: i64, member: &'static str) -> Result<Timestamp, UnusableChanges> {
    Timestamp::from_second(seconds).map_err(|_| UnusableChanges::Member(member))
}

impl ReceivedLesson {
    fn into_copy(self, scope: &Scope) -> Result<LessonCopy, UnusableChanges> {
        let id = match self.id > 0 {
            true => LessonId(self.id),
            false => return Err(UnusableChanges::Member("number")),
        };
        let (created, updated) = (
            time(self.created_at, "created_at")?,
            time(self.updated_at, "updated_at")?,
        );
        let counts = self.counts()?;
        let contradicts = self.contradicts.iter().take(limits::PAGE_ROWS);
        let contradicts = contradicts.copied().map(LessonId).collect();
        let terms = self.task_terms.iter().take(limits::TASK_TERMS);
        let terms = terms.filter(|it| is_term(it)).cloned().collect();
        let lesson = Lesson {
            id,
            counts,
            contradicts,
            created,
            updated,
            admitted: self.into_admitted(scope)?,
        };
        Ok(LessonCopy::new(lesson, terms))
    }

    fn counts(&self) -> Result<LessonCounts, UnusableChanges> {
        let record = self.record;
        let last_shown = (self.hit_count > 0).then(|| time(self.last_seen_at, "last_seen_at"));
        Ok(LessonCounts {
            shown: self.hit_count,
            helped: self.helped,
            harmed: self.wrong,
            contradicted: record.contradicted,
            went_well: record.went_well,
            went_badly: record.went_badly,
            not_followed: record.not_followed,
            last_shown: last_shown.transpose()?,
            gaussian_message: GaussianMessage {
                precision: record.precision,
                shift: record.shift,
            },
            trial: Trial {
                shown: record.trial_shown.into(),
                control: record.trial_control.into(),
            },
        })
    }

    fn into_admitted(self, scope: &Scope) -> Result<AdmittedLesson, UnusableChanges> {
        let expires_at = self.expires_at.map(|at| time(at, "expires_at"));
        let supersedes = self.supersedes.iter().take(limits::PAGE_ROWS);
        let failure = self
            .failure
            .as_ref()
            .map(|it| it.chars().filter(char::is_ascii_hexdigit));
        let evidence = self.evidence.iter().take(limits::EVIDENCE_ENTRIES);
        Ok(AdmittedLesson {
            scope: match &self.project {
                Some(_) => scope.clone(),
                None => scope.without_project(),
            },
            slug: word(&self.slug, "slug", Slug::parse)?,
            cause: word(&self.cause, "cause", Cause::from_name)?,
            outcome: word(&self.outcome, "outcome", RunOutcome::from_name)?,
            evidence: evidence
                .map(ReceivedEvidence::to_evidence)
                .collect::<Result<_, _>>()?,
            trust: Trust {
                class: word(&self.trust, "trust", TrustClass::from_name)?,
                tainted: self.tainted,
            },
            confidence: self.confidence.clamp(0.0, 1.0),
            failure: failure
                .map(|it| FailureKey::new(it.take(limits::FAILURE_KEY_CHARS).collect())),
            status: Status::Active,
            expires_at: expires_at.transpose()?,
            supersedes: supersedes.copied().map(LessonId).collect(),
            task: None,
            content: self.into_content()?,
        })
    }

    fn into_content(self) -> Result<LessonContent, UnusableChanges> {
        let targets = self.targets.into_iter().take(limits::TAGS).map(|it| {
            Ok(LessonTarget {
                kind: word(&it.kind, "target", TargetKind::from_name)?,
                glob: clean(it.glob, limits::NAME_CHARS),
            })
        });
        let long = |text: Option<String>| text.map(|it| clean(it, limits::SITUATION_CHARS));
        Ok(LessonContent {
            title: clean(self.title, limits::TITLE_CHARS),
            signature: clean(self.signature, limits::SIGNATURE_CHARS),
            text: clean(self.lesson_text, limits::TEXT_CHARS),
            situation: long(self.situation),
            mistake: long(self.mistake),
            tags: clean_all(self.tags, limits::TAGS, limits::TAG_CHARS),
            targets: targets.collect::<Result<_, _>>()?,
            tools: clean_all(self.tools, limits::TOOLS, limits::NAME_CHARS),
            reference: self.reference.map(|it| clean(it, limits::REFERENCE_CHARS)),
            metadata: BTreeMap::new(),
        })
    }
}

impl ReceivedEvidence {
    fn to_evidence(&self) -> Result<Evidence, UnusableChanges> {
        let note = self.note.clone();
        Ok(Evidence {
            kind: word(&self.kind, "evidence", EvidenceKind::from_name)?,
            reference: clean(self.reference.clone(), limits::EVIDENCE_REF_CHARS),
            note: note.map(|it| clean(it, limits::EVIDENCE_NOTE_CHARS)),
        })
    }
}

/// Returns whether a text is one term, as the index packs them.
fn is_term(text: &str) -> bool {
    !text.is_empty() && text.len() <= TERM_CHARS && !text.contains(char::is_whitespace)
}
