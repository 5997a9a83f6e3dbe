//! Completes Codex's payloads from its rollout.
//!
//! Its payloads are Claude Code's. `PostToolUse` does not say whether a command failed, while the end of the rollout,
//! already written, does.

use hardwon_core::limits;
use hardwon_engine::SessionEventKind;

use super::transcript::find_end_in_tail;
use crate::{
    claude_code,
    hook::{EnvLookup, HookPayload, PayloadCall, PayloadForm, SessionSigns, payload::read_tail},
    transcript::call_report::{ReportedOutcome, judge_json},
};

/// The form of these payloads. A command's output is sent alone, without a status, so only its text can show a failure.
pub(super) const FORM: PayloadForm = PayloadForm {
    is_agent_session: true,
    call_end: |kind, fields| {
        let json = fields.json(&["tool_response"]);
        if json.starts_with('"') {
            Some(judge_json(None, None, json))
        } else {
            claude_code::hook::read_call_end(kind, fields)
        }
    },
    ..claude_code::hook::FORM
};

/// Most bytes of a rollout's end that are searched for the start of its turn.
const TURN_BYTES: u64 = 4 * 1024 * 1024;

/// Looks up how calls ended, and what no hook told of.
pub(super) fn complete_payload(incoming: &mut HookPayload) {
    complete_calls(incoming);
    add_searches(incoming);
}

/// Adds that the agent searched the web, before a message in which it writes a lesson: no hook tells of it, and what it
/// read is in no file.
fn add_searches(incoming: &mut HookPayload) {
    const SEARCH: &[u8] = br#""web_search_call""#;
    let writes = |event: &SessionEventKind| {
        matches!(event, SessionEventKind::Stopped { .. }) && event.has_writ()
    };
    let path = (incoming.transcript.as_deref()).filter(|_| incoming.events.iter().any(writes));
    let rollout = path.and_then(|path| read_tail(path, TURN_BYTES).ok());
    let mut parts = rollout
        .iter()
        .flat_map(|rollout| rollout.windows(SEARCH.len()));
    if parts.any(|part| part == SEARCH) {
        let search = PayloadCall::new(None, "web_search", "{}");
        let search = search.called_event(ReportedOutcome::UNSEEN);
        incoming.events.splice(0..0, search);
    }
}

fn complete_calls(incoming: &mut HookPayload) {
    let is_call = |event: &SessionEventKind| {
        matches!(
            event,
            SessionEventKind::AfterCall {
                call_id: Some(_),
                ..
            }
        )
    };
    // Most hooks end no call, and need not read a file.
    if !incoming.events.iter().any(is_call) {
        return;
    }
    let rollout = incoming.transcript.as_deref();
    let tail = rollout.and_then(|path| read_tail(path, limits::TAIL_BYTES as u64).ok());
    if let Some(tail) = tail {
        let events = incoming.events.drain(..);
        incoming.events = events
            .filter_map(|event| complete_call(event, &tail))
            .collect();
    }
}

/// Completes an event from the rollout; `None` for a call that never ran.
fn complete_call(mut event: SessionEventKind, tail: &[u8]) -> Option<SessionEventKind> {
    if let SessionEventKind::AfterCall {
        call_id: Some(id),
        tool_call: call,
        output,
        ..
    } = &mut event
        && let Some(ended) = find_end_in_tail(tail, id)
    {
        *output = ended.printed().map(|text| text.into_owned().into());
        if call.outside.is_some() {
            call.outside = Some(SessionEventKind::outside_words(output.as_ref()));
        }
        call.status = ended.status(call.tool.expose(), call.args.expose())?;
    }
    Some(event)
}

/// The rollout decides, because a session may be resumed both in a terminal and by `codex exec`.
pub(super) fn is_interactive(signs: &SessionSigns<'_>, _: EnvLookup<'_>) -> Option<bool> {
    let tail = (signs.transcript).and_then(|path| read_tail(path, TURN_BYTES).ok())?;
    find_turn_trigger(&tail).map(|trigger| trigger == "user")
}

/// Returns what began the latest turn, according to a rollout. Messages in it are escaped and cannot look like this
/// field.
fn find_turn_trigger(rollout: &[u8]) -> Option<String> {
    const KEY: &[u8] = br#""turn_trigger":""#;
    let at = rollout.windows(KEY.len()).rposition(|pair| pair == KEY)?;
    let value = rollout[at + KEY.len()..].split(|byte| *byte == b'"').next();
    Some(String::from_utf8_lossy(value?).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_is_known_where_a_lesson_is_written() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("rollout.jsonl");
        let searched =
            r#"{"type":"response_item","payload":{"type":"web_search_call","status":"completed"}}"#;
        let said = serde_json::to_string(searched).unwrap();
        for (rollout, message, expected) in [
            (searched, "Done.\n/lesson deploys: warm up first", 2),
            (searched, "Done.", 1),
            (&said, "Done.\n/lesson deploys: warm up first", 1),
        ] {
            std::fs::write(&path, rollout).unwrap();
            let stop = serde_json::json!({"session_id": "s", "hook_event_name": "Stop",
                "transcript_path": path, "last_assistant_message": message});
            let row = crate::Client::Codex.hook_row();
            let parsed = crate::hook::parse_payload(row, None, stop.to_string().as_bytes());
            let mut incoming = parsed.unwrap();
            complete_payload(&mut incoming);
            assert_eq!(incoming.events.len(), expected, "{rollout} {message}");
        }
    }

    #[test]
    fn the_latest_turn_of_a_rollout_counts() {
        let turn = |by: &str| {
            format!(
                r#"{{"type":"event_msg","payload":{{"type":"task_started","turn_attribution":{{"turn_id":"t","turn_trigger":"{by}"}}}}}}"#
            )
        };
        let began = |rollout: &str| find_turn_trigger(rollout.as_bytes());
        assert_eq!(began(""), None);
        assert_eq!(began(&turn("user")).as_deref(), Some("user"));
        let both = format!("{}\n{}\n", turn("user"), turn("exec"));
        assert_eq!(began(&both).as_deref(), Some("exec"));
        let said = serde_json::to_string(&turn("user")).unwrap();
        assert_eq!(
            began(&format!("{}\n{said}", turn("exec"))).as_deref(),
            Some("exec")
        );
    }
}
