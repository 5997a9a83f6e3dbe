//! Lessons that somebody sends to have them recorded, and what became of them.

use hardwon_core::{lesson::LessonContent, limits, preamble, text::RawText};
use hardwon_engine::NoteOutcome;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{agent::explain_status, published::name_note_outcome};

/// A lesson from a program, one a line. Keys that are not known are passed over.
#[derive(Debug, Deserialize)]
pub struct AddRequest {
    /// The caller's own name for it, given back with the answer.
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    /// What calls for it; may be absent.
    #[serde(default)]
    pub signature: Option<String>,
    /// What to do or avoid.
    pub text: String,
    /// Its topics; may be absent.
    #[serde(default)]
    pub tags: Option<Vec<String>>,
}

impl AddRequest {
    /// What a line that holds one looks like.
    pub const SHAPE: &str = r#"{"ref","signature","text","tags"}"#;
}

impl From<AddRequest> for LessonContent<RawText> {
    fn from(new: AddRequest) -> Self {
        let tags = new.tags.unwrap_or_default();
        Self {
            tags: tags.into_iter().map(RawText::from).collect(),
            reference: new.reference.map(RawText::from),
            ..Self::new(new.signature.unwrap_or_default(), new.text)
        }
    }
}

/// The name of a lesson of which the rest cannot be read.
#[derive(Debug, Deserialize)]
pub struct AddReference {
    /// As in [`AddRequest::reference`].
    #[serde(rename = "ref")]
    pub reference: Option<String>,
}

/// What became of a [`AddRequest`].
#[derive(Debug, Serialize)]
pub struct AddReply<'a> {
    /// The number of the lesson that now says it; null if it was refused.
    pub id: Option<i64>,
    /// The caller's own name for it; null if it had none.
    #[serde(rename = "ref")]
    pub reference: Option<&'a str>,
    /// Why it was refused; absent if it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'a str>,
}

/// A lesson from an agent. The comments on its fields are what a model reads about them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordRequest {
    /// What to do or avoid, in one to three imperative sentences.
    #[schemars(length(min = 1, max = limits::TEXT_CHARS))]
    pub text: String,
    /// What calls for the lesson: a command or the words of an error, such as `npm test`.
    #[serde(default)]
    #[schemars(length(max = limits::SIGNATURE_CHARS))]
    pub signature: String,
    /// When it applies.
    #[serde(default)]
    #[schemars(length(max = limits::SITUATION_CHARS))]
    pub situation: String,
    /// What went wrong.
    #[serde(default)]
    #[schemars(length(max = limits::SITUATION_CHARS))]
    pub mistake: String,
    /// Topics.
    #[serde(default)]
    #[schemars(length(max = limits::TAGS))]
    pub tags: Vec<String>,
    /// The names of the tools it is about.
    #[serde(default)]
    #[schemars(length(max = limits::TOOLS))]
    pub tools: Vec<String>,
    /// A key of your own: a call with the same key records nothing twice.
    #[serde(default, rename = "ref")]
    #[schemars(length(max = limits::REFERENCE_CHARS))]
    pub reference: String,
}

impl From<RecordRequest> for LessonContent<RawText> {
    fn from(request: RecordRequest) -> Self {
        let maybe = |text: String| (!text.trim().is_empty()).then(|| RawText::from(text));
        let all = |texts: Vec<String>| texts.into_iter().map(RawText::from).collect();
        Self {
            situation: maybe(request.situation),
            mistake: maybe(request.mistake),
            tags: all(request.tags),
            tools: all(request.tools),
            reference: maybe(request.reference),
            ..Self::new(request.signature, request.text)
        }
    }
}

/// What became of it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RecordedLesson {
    /// What became of it: recorded, known (it was there already) or waiting (a person looks first).
    pub outcome: &'static str,
    /// The number of the lesson that now says it.
    pub id: i64,
    /// That lesson's state.
    pub status: &'static str,
    /// Why it is not active.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// What to write otherwise next time.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
}

impl RecordedLesson {
    /// Says what became of a lesson.
    ///
    /// # Errors
    ///
    /// Returns why it was refused.
    pub fn from_noted(noted: &NoteOutcome) -> Result<Self, &str> {
        let lesson = noted.lesson()?;
        let text = lesson.content.text.as_str();
        Ok(Self {
            outcome: name_note_outcome(noted),
            id: lesson.id.0,
            status: lesson.status.name(),
            why: explain_status(lesson),
            note: preamble::describe_overlong_sentence(text).unwrap_or_default(),
        })
    }
}
