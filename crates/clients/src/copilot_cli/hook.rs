//! Copilot CLI's payloads, in its own spelling and in the one it uses for hooks registered under Claude Code's names.
//!
//! Its own spelling does not name the event. A call has no id, and a command that exits with 7 is a success whose text
//! ends with the exit code.

use std::{
    io,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use hardwon_core::limits;
use hardwon_engine::{SessionEventKind, regular_file};

use super::transcript::{find_last_message, has_reached_stop_hook};
use crate::{
    claude_code,
    hook::{Fields, HookEventKind, HookPayload, PayloadForm, payload::read_tail},
    transcript::{ReportedOutcome, call_report::judge_json},
};

/// The form of these payloads.
pub(super) const FORM: PayloadForm = PayloadForm {
    session: &["session_id", "sessionId"],
    agent: &[],
    transcript: &["transcript_path", "transcriptPath"],
    call: &[],
    tool: &["tool_name", "toolName"],
    args: &["tool_input", "toolArgs"],
    message: &[],
    call_end: |kind, fields| Some(read_call_end(kind, fields)),
    ..claude_code::hook::FORM
};

/// Longest wait for the events; they usually take a tenth of a second.
const EVENTS_TIMEOUT: Duration = Duration::from_millis(600);
/// Time between two looks at them.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

fn read_call_end<'a>(kind: HookEventKind, fields: &Fields<'a>) -> ReportedOutcome<'a> {
    if kind == HookEventKind::Failed {
        return fields.stated_error();
    }
    let Some(result) = fields.read::<Fields<'_>>(&["tool_result", "toolResult"]) else {
        return ReportedOutcome::UNSEEN;
    };
    let has_failed = match result.text(&["result_type", "resultType"]).as_deref() {
        Some("denied" | "rejected") => return ReportedOutcome::Rejected(None),
        kind => matches!(kind, Some("failure" | "error")),
    };
    let text = result.json(&["text_result_for_llm", "textResultForLlm"]);
    judge_json(None, Some(has_failed), text)
}

/// Looks up the agent's last message: `agentStop` does not hold it, while the client's event log does, a moment after
/// the hook was started.
pub(super) fn complete_last_message(incoming: &mut HookPayload) {
    let Some(transcript) = &incoming.transcript else {
        return;
    };
    for happened in &mut incoming.events {
        if let SessionEventKind::Stopped {
            last_message: said @ None,
            is_continuation: is_asked,
        } = happened
            && let Ok(tail) = read_up_to_stop_hook(transcript, *is_asked)
        {
            *said = find_last_message(&tail);
        }
    }
}

/// Returns the end of the event log once it includes the hook that runs now. In a short session the log itself is made
/// only then.
fn read_up_to_stop_hook(path: &Path, is_asked: bool) -> io::Result<Vec<u8>> {
    let began = Instant::now();
    loop {
        let tail = regular_file::if_there(read_tail(path, limits::TAIL_BYTES as u64))?;
        let tail = tail.unwrap_or_default();
        let has_reached = has_reached_stop_hook(&tail, is_asked);
        if has_reached || began.elapsed() > EVENTS_TIMEOUT {
            return Ok(tail);
        }
        thread::sleep(POLL_INTERVAL);
    }
}
