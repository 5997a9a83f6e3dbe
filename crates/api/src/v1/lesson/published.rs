//! A lesson in the shape that REST clients of other lesson stores know, with what else we know of it beside.
//!
//! The first eight members of [`PublishedLesson`] are the published ones: names, types and units (seconds since 1970) are
//! fixed. The others are ours; their times have the same unit.

use hardwon_core::{Lesson, LessonContent, RawText, TriggerEdit};
use hardwon_engine::{LessonEdit, NoteOutcome};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::LessonFacts;

/// One lesson.
#[derive(Debug, Serialize, ToSchema)]
pub struct PublishedLesson<'a> {
    /// Its number within the tenant.
    pub id: i64,
    /// The agent whose lesson it is.
    pub agent_id: &'a str,
    /// The command or the words of an error that call for it; at most 200 characters.
    pub signature: &'a str,
    /// What to do or avoid; at most 4096 characters.
    pub lesson_text: &'a str,
    /// Recalls that showed it.
    pub hit_count: u64,
    /// When it was recorded.
    pub created_at: i64,
    /// When its words or its state last changed.
    pub updated_at: i64,
    /// When it was last shown, or recorded if it never was.
    pub last_seen_at: i64,

    /// What is said of it in every form.
    #[serde(flatten)]
    pub facts: LessonFacts<'a>,
    /// The project that it belongs to; null if it applies everywhere.
    pub project: Option<&'a str>,
    /// When it stops being true; null if there is no such time.
    pub expires_at: Option<i64>,
}

impl<'a> From<&'a Lesson> for PublishedLesson<'a> {
    fn from(lesson: &'a Lesson) -> Self {
        let content = &lesson.content;
        let last_seen = lesson.counts.last_shown.unwrap_or(lesson.created);
        Self {
            id: lesson.id.0,
            agent_id: lesson.scope.agent.as_str(),
            signature: content.signature.as_str(),
            lesson_text: content.text.as_str(),
            hit_count: lesson.counts.shown,
            created_at: lesson.created.as_second(),
            updated_at: lesson.updated.as_second(),
            last_seen_at: last_seen.as_second(),
            facts: LessonFacts::from(lesson),
            project: lesson.scope.project_name(),
            expires_at: lesson.expires_at.map(|at| at.as_second()),
        }
    }
}

/// An answer that is one lesson.
#[derive(Debug, Serialize, ToSchema)]
pub struct LessonReply<'a> {
    /// The lesson.
    pub lesson: PublishedLesson<'a>,
    /// What became of a proposed one: `recorded`, `known` (it was there already) or `waiting` (a person looks first);
    /// absent where none was proposed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<&'static str>,
}

impl<'a> From<&'a Lesson> for LessonReply<'a> {
    fn from(lesson: &'a Lesson) -> Self {
        Self {
            lesson: PublishedLesson::from(lesson),
            outcome: None,
        }
    }
}

/// Names what became of a proposed lesson: `recorded`, `known`, `waiting`, `refused` or `logged`.
pub fn name_note_outcome(outcome: &NoteOutcome) -> &'static str {
    match outcome {
        NoteOutcome::Recorded(_) => "recorded",
        NoteOutcome::AlreadyKnown(_) => "known",
        NoteOutcome::Pending(_) => "waiting",
        NoteOutcome::Refused(_) => "refused",
        NoteOutcome::Logged => "logged",
    }
}

/// A page of lessons.
#[derive(Debug, Serialize, ToSchema)]
pub struct LessonPageReply<'a> {
    /// The lessons, the one shown last first; of a search the most similar first.
    pub lessons: Vec<PublishedLesson<'a>>,
    /// What to give as `cursor` for the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// An answer that something is gone.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeletedReply {
    /// Always true: what is not there to delete is an error.
    pub deleted: bool,
}

/// A lesson that a program proposes. `signature` and `lesson_text` are required; members that are not known are passed
/// over.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct LessonProposal {
    /// What calls for it: a command or the words of an error; at most 200 characters.
    #[schema(value_type = String, required = true, min_length = 1, max_length = 200)]
    pub signature: Option<String>,
    /// What to do or avoid, in one to three imperative sentences; at most 4096 characters.
    #[schema(value_type = String, required = true, min_length = 1, max_length = 4096)]
    pub lesson_text: Option<String>,
    /// The agent that learned it; if absent the key's, else the server's default.
    pub agent_id: Option<String>,
    /// The project that it belongs to; absent if it applies everywhere.
    pub project: Option<String>,
    /// When it applies.
    pub situation: Option<String>,
    /// What went wrong.
    pub mistake: Option<String>,
    /// Its topics.
    #[serde(default)]
    pub tags: Vec<String>,
    /// The names of the tools that it is about.
    #[serde(default)]
    pub tools: Vec<String>,
    /// A name of the caller's own: a request with the same one records nothing twice.
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    /// The numbers of lessons that it replaces.
    #[serde(default)]
    pub supersedes: Vec<i64>,
}

impl From<LessonProposal> for LessonContent<RawText> {
    fn from(proposal: LessonProposal) -> Self {
        let words = |text: Option<String>| text.map(RawText::from);
        let all = |texts: Vec<String>| texts.into_iter().map(RawText::from).collect();
        Self {
            situation: words(proposal.situation),
            mistake: words(proposal.mistake),
            tags: all(proposal.tags),
            tools: all(proposal.tools),
            reference: words(proposal.reference),
            ..Self::new(
                proposal.signature.unwrap_or_default(),
                proposal.lesson_text.unwrap_or_default(),
            )
        }
    }
}

/// New words for a lesson; members that are absent stay as they are, and at least one must be there.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct LessonPatch {
    /// As in a proposal.
    #[schema(min_length = 1, max_length = 200)]
    pub signature: Option<String>,
    /// As in a proposal.
    #[schema(min_length = 1, max_length = 4096)]
    pub lesson_text: Option<String>,
    /// Its topics, in place of all earlier ones.
    pub tags: Option<Vec<String>>,
}

impl LessonPatch {
    /// Returns whether nothing is to change.
    pub fn is_empty(&self) -> bool {
        self.signature.is_none() && self.lesson_text.is_none() && self.tags.is_none()
    }
}

impl From<LessonPatch> for LessonEdit {
    fn from(patch: LessonPatch) -> Self {
        let tags = patch.tags;
        Self {
            signature: patch.signature.map(RawText::from),
            text: patch.lesson_text.map(RawText::from),
            tags: tags.map(|all| all.into_iter().map(RawText::from).collect()),
            // A person's decision, at their own machine.
            hold: None,
            triggers: TriggerEdit::default(),
        }
    }
}
