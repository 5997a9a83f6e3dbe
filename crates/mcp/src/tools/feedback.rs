//! `feedback`: how a lesson fared.

use hardwon_api::v1::outcome::{FeedbackRequest, FeedbackVerdict, JudgedLesson};
use hardwon_core::{
    guard::{SuspicionLevel, inspect_text},
    id::LessonId,
    lesson::Status,
    limits,
    redact::redact,
    text::RawText,
};
use hardwon_engine::Opinion;

use super::{McpTool, ToolEffect, ToolReply};
use crate::{EngineUse, McpError, caller::Caller};

impl McpTool for FeedbackRequest {
    type Answer = JudgedLesson;

    const NAME: &'static str = "feedback";
    const TITLE: &'static str = "Judge a lesson";
    const DESCRIPTION: &'static str = "Say how a lesson fared after you used it. Call it once for \
        each lesson that helped you, misled you or turned out to be out of date.";
    const EFFECT: ToolEffect = ToolEffect::Adds;

    fn run(self, caller: Caller<'_>) -> Result<ToolReply<JudgedLesson>, McpError> {
        let note = check_comment("the note", &self.note)?;
        let engine = caller.open_engine(EngineUse::Write)?;
        let desk = engine.acting_as(caller.agent());
        let id = LessonId(self.id);
        let lesson = desk.lesson(id)?;
        let now = match self.verdict {
            FeedbackVerdict::Followed => desk.report_opinion(id, Opinion::Followed),
            FeedbackVerdict::Helped => desk.report_opinion(id, Opinion::Helped),
            FeedbackVerdict::Wrong => desk.report_opinion(id, Opinion::Wrong),
            FeedbackVerdict::Stale if lesson.status == Status::Active => {
                desk.hold_for_review(id, &stale_reason(note))
            }
            FeedbackVerdict::Stale => Ok(lesson.clone()),
        };
        let now = now?;
        let is_kept = matches!(self.verdict, FeedbackVerdict::Followed);
        let is_counted = is_kept || now.counts != lesson.counts || now.status != lesson.status;
        Ok(JudgedLesson::from_lesson(&now, is_counted).into())
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
pub(crate) fn check_comment<'a>(what: &str, remark: &'a str) -> Result<&'a str, McpError> {
    let chars = remark.chars().count();
    if chars > limits::VERDICT_NOTE_CHARS {
        let most = limits::VERDICT_NOTE_CHARS;
        let message = format!("{what} has {chars} characters; at most {most} are allowed");
        return Err(McpError::refused(message).with_hint("say it in a sentence"));
    }
    let reasons = inspect_text(&redact(remark));
    match reasons
        .iter()
        .find(|reason| reason.level >= SuspicionLevel::Hold)
    {
        Some(reason) => Err(
            McpError::refused(format!("{what} cannot be kept: {reason}"))
                .with_hint("say what happened, in plain words"),
        ),
        None => Ok(remark),
    }
}
