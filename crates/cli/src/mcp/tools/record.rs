//! `record`: a lesson on the agent's word.

use hardwon_core::{lesson::LessonContent, limits, preamble, text::RawText};
use hardwon_engine::{Note, Noted};
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

use super::{Call, Effect, Reply};
use crate::{
    error::Failure,
    mcp::{Caller, told},
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Record {
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
pub(super) struct Recorded {
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

impl Call for Record {
    type Answer = Recorded;

    const NAME: &'static str = "record";
    const TITLE: &'static str = "Record a lesson";
    const DESCRIPTION: &'static str = "Record what you learned the hard way, so that later \
        sessions know it. Call it when something cost you more than one try and will come up \
        again; not for what went well, and never with secrets.";
    const EFFECT: Effect = Effect::Adds;

    fn run(self, caller: &Caller) -> Result<Reply<Recorded>, Failure> {
        let engine = caller.writer()?;
        let content = self.content();
        let agent = caller.agent_whose_word(caller.may_be_from_outside(&content));
        let noted = engine.acting_as(agent).note_once(Note::new(content))?;
        let (outcome, lesson) = match noted {
            Noted::Recorded(lesson) => ("recorded", lesson),
            Noted::Waiting(lesson) => ("waiting", lesson),
            Noted::Known(lesson) => ("known", lesson),
            Noted::Refused(why) => {
                return Err(Failure::input(format!("it is no lesson: {why}"))
                    .hint("say it otherwise and shorter, as advice, and record it again"));
            }
        };
        Ok(Reply::from(Recorded {
            outcome,
            id: lesson.id.0,
            status: lesson.status.name(),
            why: told::why(&lesson),
            note: preamble::describe_overlong_sentence(lesson.content.text.as_str())
                .unwrap_or_default(),
        }))
    }
}

impl Record {
    fn content(self) -> LessonContent<RawText> {
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
