//! Gemini CLI's payloads.
//!
//! A command that exits with 7 is no error here: its text says `Exit Code: 7` inside a wrapper. A call has no id. The
//! prompt may hold an earlier hook's reply, in a wrapper of the client's.

use crate::{
    claude_code,
    hook::{Fields, PayloadForm},
    transcript::{
        ReportedOutcome,
        call_report::{judge_json, judge_text},
        wire,
    },
};

/// The form of these payloads.
pub(super) const FORM: PayloadForm = PayloadForm {
    agent: &[],
    call: &[],
    message: &["prompt_response"],
    is_remote: |_, fields| fields.has("mcp_context"),
    call_end: |_, fields| Some(read_call_end(fields)),
    ..claude_code::hook::FORM
};

fn read_call_end<'a>(fields: &Fields<'a>) -> ReportedOutcome<'a> {
    let Some(response) = fields.read::<Fields<'_>>(&["tool_response"]) else {
        return ReportedOutcome::UNSEEN;
    };
    if response.has("error") {
        return response.stated_error();
    }
    let content = response.json(&["llmContent"]);
    // One part, or a list of them.
    match serde_json::from_str::<Fields<'_>>(content) {
        Ok(part) => {
            let text = part.text(&["text"]);
            let text = text.unwrap_or_else(|| wire::text_from_json(content).into_owned());
            judge_text(None, Some(false), &text).into_owned()
        }
        Err(_) => judge_json(None, Some(false), content),
    }
}
