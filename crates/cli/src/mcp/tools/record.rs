//! `record`: a lesson on the agent's word.

use hardwon_core::{lesson::LessonContent, limits, preamble, text::RawText};
use hardwon_engine::{Note, NoteOutcome};
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

use super::{McpTool, ToolEffect, ToolReply};
use crate::{
    error::CliError,
    mcp::{Caller, lesson_view},
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordTool {
    /// What to do or avoid, in one to three imperative sentences.
    #[schemars(length(min = 1, max = limits::TEXT_CHARS))]
    text: String,
    /// What calls for the lesson: a command or the words of an error, such as `npm test`.
    #[serde(default)]
    #[schemars(length(max = limits::SIGNATURE_CHARS))]
    signature: String,
    /// When it applies.
    #[serde(default)]
    #[schemars(length(max = limits::SITUATION_CHARS))]
    situation: String,
    /// What went wrong.
    #[serde(default)]
    #[schemars(length(max = limits::SITUATION_CHARS))]
    mistake: String,
    /// Topics.
    #[serde(default)]
    #[schemars(length(max = limits::TAGS))]
    tags: Vec<String>,
    /// The names of the tools it is about.
    #[serde(default)]
    #[schemars(length(max = limits::TOOLS))]
    tools: Vec<String>,
    /// A key of your own: a call with the same key records nothing twice.
    #[serde(default, rename = "ref")]
    #[schemars(length(max = limits::REFERENCE_CHARS))]
    reference: String,
}

/// What became of it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RecordedLesson {
    /// What became of it: recorded, known (it was there already) or waiting (a person looks first).
    outcome: &'static str,
    /// The number of the lesson that now says it.
    id: i64,
    /// That lesson's state.
    status: &'static str,
    /// Why it is not active.
    #[serde(skip_serializing_if = "String::is_empty")]
    why: String,
    /// What to write otherwise next time.
    #[serde(skip_serializing_if = "String::is_empty")]
    note: String,
}

impl McpTool for RecordTool {
    type Answer = RecordedLesson;

    const NAME: &'static str = "record";
    const TITLE: &'static str = "Record a lesson";
    const DESCRIPTION: &'static str = "Record what you learned the hard way, so that later \
        sessions know it. Call it when something cost you more than one try and will come up \
        again; not for what went well, and never with secrets.";
    const EFFECT: ToolEffect = ToolEffect::Adds;

    fn run(self, caller: &Caller) -> Result<ToolReply<RecordedLesson>, CliError> {
        let engine = caller.open_writer()?;
        let content = self.into_content();
        let agent = caller.agent_with_taint(caller.may_be_from_outside(&content));
        let noted = engine.acting_as(agent).note_once(Note::new(content))?;
        let (outcome, lesson) = match noted {
            NoteOutcome::Recorded(lesson) => ("recorded", lesson),
            NoteOutcome::Pending(lesson) => ("waiting", lesson),
            NoteOutcome::AlreadyKnown(lesson) => ("known", lesson),
            NoteOutcome::Refused(why) => {
                return Err(CliError::bad_input(format!("it is no lesson: {why}"))
                    .with_hint("say it otherwise and shorter, as advice, and record it again"));
            }
        };
        Ok(ToolReply::from(RecordedLesson {
            outcome,
            id: lesson.id.0,
            status: lesson.status.name(),
            why: lesson_view::status_reason(&lesson),
            note: preamble::describe_overlong_sentence(lesson.content.text.as_str())
                .unwrap_or_default(),
        }))
    }
}

impl RecordTool {
    fn into_content(self) -> LessonContent<RawText> {
        let maybe = |text: String| (!text.trim().is_empty()).then(|| RawText::from(text));
        let all = |texts: Vec<String>| texts.into_iter().map(RawText::from).collect();
        LessonContent {
            situation: maybe(self.situation),
            mistake: maybe(self.mistake),
            tags: all(self.tags),
            tools: all(self.tools),
            reference: maybe(self.reference),
            ..LessonContent::new(self.signature, self.text)
        }
    }
}
