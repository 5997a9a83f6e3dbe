//! `record`: a lesson on the agent's word.

use hardwon_core::{LessonContent, RawText, limits, preamble};
use hardwon_engine::{Note, NoteOutcome};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Verb, VerbCall, VerbEffect, VerbError};
use crate::v1::lesson::{agent::explain_status, published::name_note_outcome};

/// A lesson from an agent. The comments on its fields are what a model reads about them.
#[derive(Debug, Clone, Deserialize, JsonSchema, ToSchema)]
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
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
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

impl Verb for RecordRequest {
    type Reply = RecordedLesson;

    const NAME: &'static str = "record";
    const TITLE: &'static str = "Record a lesson";
    const DESCRIPTION: &'static str = "Record what you learned the hard way, so that later \
        sessions know it. Call it when something cost you more than one try and will come up \
        again; not for what went well, and never with secrets.";
    const EFFECT: VerbEffect = VerbEffect::Adds;

    fn run(self, call: &VerbCall<'_>) -> Result<RecordedLesson, VerbError> {
        let outcome = call.desk.note_once(Note::new(self.into()))?;
        RecordedLesson::from_noted(&outcome).map_err(|why| {
            let hint = "say it otherwise and shorter, as advice, and record it again";
            VerbError::refuse("text", format!("it is no lesson: {why}"), hint)
        })
    }

    fn content(&self) -> Option<LessonContent<RawText>> {
        Some(self.clone().into())
    }
}
