//! Takes a page of changes in, as a server sent it.

use std::collections::BTreeMap;

use hardwon_core::{
    evidence::{Evidence, EvidenceKind},
    guard::{self, GuardVerdict, Memo},
    id::LessonId,
    lesson::{
        AdmittedLesson, Cause, Draft, FailureKey, GaussianMessage, Lesson, LessonContent,
        LessonCounts, LessonTarget, RunOutcome, Slug, TargetKind, Trial, Trust, TrustClass,
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

/// What was made of pages of changes.
#[derive(Debug)]
pub struct TakenIn {
    /// What a replica is to do.
    pub update: ReplicaUpdate,
    /// Lessons that the guard refused, or that cannot be read; they are among those that are gone.
    pub refused: Vec<LessonId>,
}

/// Why a page of changes cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnusableChanges {
    /// It is more than a page.
    #[error("the server sent more than a page")]
    TooLarge,
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
    ) -> Result<TakenIn, UnusableChanges> {
        let mut memo = Memo::default();
        let mut refused = Vec::new();
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
                let id = LessonId(lesson.id);
                match lesson.into_copy(scope, &mut memo) {
                    Some(copy) => update.lessons.push(copy),
                    // A newer server may have words that are not known here, and any server some that the guard
                    // refuses: the others are of use all the same.
                    None => refused.push(id),
                }
            }
        }
        update.gone.extend(&refused);
        Ok(TakenIn { update, refused })
    }
}

/// Cleans a text that is no part of a prompt, of secrets and of what could divide one.
fn clean(text: String, chars: usize) -> CleanText {
    let text = redact::clean_to_chars(&RawText::new(text), chars);
    redact::clean_to_chars(&RawText::from(&*guard::neutralise(text.as_str())), chars)
}

fn cut(text: String, chars: usize) -> RawText {
    match text.char_indices().nth(chars) {
        Some((end, _)) => RawText::from(&text[..end]),
        None => RawText::new(text),
    }
}

fn cut_all(texts: Vec<String>, most: usize, chars: usize) -> Vec<RawText> {
    let texts = texts.into_iter().take(most);
    texts.map(|it| cut(it, chars)).collect()
}

fn time(seconds: i64) -> Option<Timestamp> {
    Timestamp::from_second(seconds).ok()
}

impl ReceivedLesson {
    /// Makes a lesson of it; `None` if a member cannot be.
    fn into_copy(self, scope: &Scope, memo: &mut Memo) -> Option<LessonCopy> {
        let id = (self.id > 0).then_some(LessonId(self.id))?;
        let (created, updated) = (time(self.created_at)?, time(self.updated_at)?);
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
            admitted: self.into_admitted(scope, memo)?,
        };
        Some(LessonCopy::new(lesson, terms))
    }

    fn counts(&self) -> Option<LessonCounts> {
        let record = self.record;
        Some(LessonCounts {
            shown: self.hit_count,
            helped: self.helped,
            harmed: self.wrong,
            contradicted: record.contradicted,
            went_well: record.went_well,
            went_badly: record.went_badly,
            not_followed: record.not_followed,
            last_shown: match self.hit_count {
                0 => None,
                _ => Some(time(self.last_seen_at)?),
            },
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

    /// Makes a lesson of it by way of the guard, as of any text from outside.
    fn into_admitted(self, scope: &Scope, memo: &mut Memo) -> Option<AdmittedLesson> {
        let slug = Slug::parse(&self.slug)?;
        let evidence = self.evidence.iter().take(limits::EVIDENCE_ENTRIES);
        let evidence = evidence
            .map(ReceivedEvidence::to_evidence)
            .collect::<Option<_>>()?;
        match guard::admit_received(self.into_draft(scope)?, memo) {
            GuardVerdict::Admitted(admitted) => Some(AdmittedLesson {
                slug,
                evidence,
                ..*admitted
            }),
            GuardVerdict::Rejected { .. } => None,
        }
    }

    fn into_draft(self, scope: &Scope) -> Option<Draft> {
        let expires_at = self.expires_at.map(time);
        let supersedes = self.supersedes.iter().take(limits::PAGE_ROWS);
        let failure = self
            .failure
            .as_ref()
            .map(|it| it.chars().filter(char::is_ascii_hexdigit));
        Some(Draft {
            scope: match &self.project {
                Some(_) => scope.clone(),
                None => scope.without_project(),
            },
            cause: Cause::from_name(&self.cause)?,
            outcome: RunOutcome::from_name(&self.outcome)?,
            // What supports a lesson is no part of a prompt: it is cleaned apart from it, and not judged.
            evidence: vec![Evidence {
                kind: EvidenceKind::Run,
                reference: RawText::from("server"),
                note: None,
            }],
            trust: Trust {
                class: TrustClass::from_name(&self.trust)?,
                tainted: self.tainted,
            },
            confidence: self.confidence.clamp(0.0, 1.0),
            failure: failure
                .map(|it| FailureKey::new(it.take(limits::FAILURE_KEY_CHARS).collect())),
            expires_at: match expires_at {
                None => None,
                Some(end) => Some(end?),
            },
            supersedes: supersedes.copied().map(LessonId).collect(),
            task: None,
            content: self.into_content()?,
        })
    }

    /// Returns what it says, cut to the limits of a lesson: the guard cleans and judges it.
    fn into_content(self) -> Option<LessonContent<RawText>> {
        let targets = self.targets.into_iter().take(limits::TOOLS).map(|it| {
            Some(LessonTarget {
                kind: TargetKind::from_name(&it.kind)?,
                glob: cut(it.glob, limits::TAG_CHARS),
            })
        });
        let long = |text: Option<String>| text.map(|it| cut(it, limits::SITUATION_CHARS));
        Some(LessonContent {
            title: cut(self.title, limits::TITLE_CHARS),
            signature: cut(self.signature, limits::SIGNATURE_CHARS),
            text: cut(self.lesson_text, limits::TEXT_CHARS),
            situation: long(self.situation),
            mistake: long(self.mistake),
            tags: cut_all(self.tags, limits::TAGS, limits::TAG_CHARS),
            targets: targets.collect::<Option<_>>()?,
            tools: cut_all(self.tools, limits::TOOLS, limits::TAG_CHARS),
            reference: self.reference.map(|it| cut(it, limits::REFERENCE_CHARS)),
            metadata: BTreeMap::new(),
        })
    }
}

impl ReceivedEvidence {
    fn to_evidence(&self) -> Option<Evidence> {
        let note = self.note.clone();
        Some(Evidence {
            kind: EvidenceKind::from_name(&self.kind)?,
            reference: clean(self.reference.clone(), limits::EVIDENCE_REF_CHARS),
            note: note.map(|it| clean(it, limits::EVIDENCE_NOTE_CHARS)),
        })
    }
}

/// Returns whether a text is one term, as the index packs them.
fn is_term(text: &str) -> bool {
    !text.is_empty() && text.len() <= TERM_CHARS && !text.contains(char::is_whitespace)
}
