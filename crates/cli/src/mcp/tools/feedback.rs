//! `feedback`: how a lesson fared.

use hardwon_core::{
    guard::{SuspicionLevel, inspect_text},
    id::LessonId,
    lesson::{Lesson, Status},
    limits,
    redact::redact,
    text::RawText,
};
use hardwon_engine::Opinion;
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

use super::{McpTool, ToolEffect, ToolReply};
use crate::{
    error::CliError,
    mcp::{Caller, caller::explain_refusal, lesson_view},
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FeedbackTool {
    /// The lesson's number, such as 14.
    id: i64,
    /// You did as it says; it spared you trouble; it misled you; it was right once and is no longer.
    verdict: FeedbackVerdict,
    /// What happened, in a sentence. It is kept for whoever reviews a stale lesson.
    #[serde(default)]
    #[schemars(length(max = limits::VERDICT_NOTE_CHARS))]
    note: String,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum FeedbackVerdict {
    Followed,
    Helped,
    Wrong,
    Stale,
}

/// What is known of the lesson now.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct JudgedLesson {
    /// The lesson's number.
    id: i64,
    /// Its state.
    status: &'static str,
    /// Why it is not active.
    #[serde(skip_serializing_if = "String::is_empty")]
    why: String,
    /// How many outcomes speak for it.
    helped: u64,
    /// How many outcomes speak against it.
    wrong: u64,
    /// Whether the verdict was counted. That a lesson is stale is not said of one that is out already.
    counted: bool,
}

impl JudgedLesson {
    fn new(lesson: &Lesson, counted: bool) -> Self {
        Self {
            id: lesson.id.0,
            status: lesson.status.name(),
            why: lesson_view::status_reason(lesson),
            helped: lesson.counts.helped,
            wrong: lesson.counts.harmed,
            counted,
        }
    }
}

impl McpTool for FeedbackTool {
    type Answer = JudgedLesson;

    const NAME: &'static str = "feedback";
    const TITLE: &'static str = "Judge a lesson";
    const DESCRIPTION: &'static str = "Say how a lesson fared after you used it. Call it once for \
        each lesson that helped you, misled you or turned out to be out of date.";
    const EFFECT: ToolEffect = ToolEffect::Adds;

    fn run(self, caller: &Caller) -> Result<ToolReply<JudgedLesson>, CliError> {
        let note = check_comment("the note", &self.note)?;
        let engine = caller.open_writer()?;
        let desk = engine.acting_as(caller.agent());
        let id = LessonId(self.id);
        let lesson = desk.lesson(id).map_err(explain_refusal)?;
        let now = match self.verdict {
            FeedbackVerdict::Followed => desk.report_opinion(id, Opinion::Followed),
            FeedbackVerdict::Helped => desk.report_opinion(id, Opinion::Helped),
            FeedbackVerdict::Wrong => desk.report_opinion(id, Opinion::Wrong),
            FeedbackVerdict::Stale if lesson.status == Status::Active => {
                desk.hold_for_review(id, &stale_reason(note))
            }
            FeedbackVerdict::Stale => Ok(lesson.clone()),
        };
        let now = now.map_err(explain_refusal)?;
        let is_kept = matches!(self.verdict, FeedbackVerdict::Followed);
        let is_counted = is_kept || now.counts != lesson.counts || now.status != lesson.status;
        Ok(JudgedLesson::new(&now, is_counted).into())
    }
}

fn stale_reason(note: &str) -> RawText {
    RawText::from(match note.trim() {
        "" => "an agent says that it is stale".to_owned(),
        note => format!("an agent says that it is stale: {note}"),
    })
}

/// Takes a remark that may be kept: other agents read it as the reason for a lesson's state, so it
/// is looked at as closely as a lesson is.
pub(super) fn check_comment<'a>(what: &str, remark: &'a str) -> Result<&'a str, CliError> {
    let chars = remark.chars().count();
    if chars > limits::VERDICT_NOTE_CHARS {
        let most = limits::VERDICT_NOTE_CHARS;
        let message = format!("{what} has {chars} characters; at most {most} are allowed");
        return Err(CliError::bad_input(message).with_hint("say it in a sentence"));
    }
    let reasons = inspect_text(&redact(remark));
    match reasons
        .iter()
        .find(|reason| reason.level >= SuspicionLevel::Hold)
    {
        Some(reason) => Err(
            CliError::bad_input(format!("{what} cannot be kept: {reason}"))
                .with_hint("say what happened, in plain words"),
        ),
        None => Ok(remark),
    }
}
