//! Parses the payload that a client sends to the hook command into one [`HookPayload`].
//!
//! [`parse_payload`] is a pure function of the payload. The client's [`HookRow`] says what each event means, and its
//! [`PayloadForm`] under which names the rest is. Unknown keys are ignored.
//!
//! A call that was refused never ran and is no event. A call of our own tools is none either: nothing is to be learned
//! from the memory's own output.

use std::{
    io::{self, Read as _, Seek as _, SeekFrom},
    path::Path,
};

use hardwon_core::limits;
use hardwon_engine::{SessionEventKind, regular_file};

use super::{
    Fields, HookEvent, HookEventKind, HookPayload, HookRow, PayloadCall, PayloadForm,
    incoming::{
        PayloadError, prompt_events, session_name, start_events, stop_events, to_path, zero_or_one,
    },
};
use crate::transcript::{json_text::to_json_text, live};

/// Parses a client's payload.
///
/// `hint` is the event that the command was registered for; it counts where the payload does not name its event.
///
/// # Errors
///
/// When the payload is too long, is not what this client sends, or names no session.
pub fn parse_payload(
    row: &HookRow,
    hint: Option<&str>,
    stdin: &[u8],
) -> Result<HookPayload, PayloadError> {
    if stdin.len() > limits::HOOK_BYTES {
        return Err(PayloadError::TooLong);
    }
    // Windows shells put a byte order mark before piped text.
    let json = to_json_text(stdin);
    let fields: Fields<'_> = serde_json::from_str(&json)?;
    let form = &row.form;
    if form.version.is_some() && fields.read(&["v"]) != form.version {
        let message = "the plugin is of another version";
        return Err(PayloadError::Malformed(message.to_owned()));
    }
    let event = row.find_named(fields.text(form.event).as_deref(), hint);
    let session = fields.text(form.session);
    let agent = fields.text(form.agent);
    let in_subagent = agent.is_some();
    let parent = fields.text(form.parent);
    Ok(HookPayload {
        in_subagent: in_subagent || parent.is_some(),
        parent: (parent.or(session.clone().filter(|_| in_subagent)))
            .and_then(|parent| session_name(&parent)),
        session: run_name(form, session, agent)
            .and_then(|name| session_name(&name))
            .ok_or(PayloadError::NoSession)?,
        cwd: find_folder(form, &fields).and_then(to_path),
        transcript: find_transcript(form, event, &fields).and_then(to_path),
        is_interactive: fields.read(form.typed),
        events: event.map_or_else(Vec::new, |event| read_events(form, event, &fields)),
    })
}

/// Leaves a call's result out of a payload that is too long: what the call printed is not known then.
pub fn shorten_payload(stdin: Vec<u8>) -> Vec<u8> {
    match find_long_response(&stdin) {
        Some(before) => [before, b"}"].concat(),
        None => stdin,
    }
}

/// Returns what stands before a call's result in a payload that is too long.
fn find_long_response(stdin: &[u8]) -> Option<&[u8]> {
    const NAME: &[u8] = b"\"tool_response\":";
    let is_long = stdin.len() > limits::HOOK_BYTES;
    let mut places = stdin.windows(NAME.len()).take_while(|_| is_long);
    let before = stdin[..places.position(|part| part == NAME)?].trim_ascii_end();
    before.strip_suffix(b",")
}

/// Returns the name of the run as the client's transcript has it: a sub-agent is a run of its own.
fn run_name(form: &PayloadForm, session: Option<String>, agent: Option<String>) -> Option<String> {
    match agent {
        None => session,
        Some(agent) if form.is_agent_session => Some(agent),
        Some(agent) => session.map(|session| format!("{session}/{agent}")),
    }
}

fn find_folder(form: &PayloadForm, fields: &Fields<'_>) -> Option<String> {
    let folders = || fields.read::<Vec<String>>(form.folders)?.into_iter().next();
    fields.text(form.cwd).or_else(folders)
}

fn find_transcript(
    form: &PayloadForm,
    event: Option<&HookEvent>,
    fields: &Fields<'_>,
) -> Option<String> {
    let ends_subagent = event.is_some_and(|event| event.kind == HookEventKind::SubagentStop);
    let own = fields.text(&["agent_transcript_path"]);
    own.filter(|_| ends_subagent)
        .or_else(|| fields.text(form.transcript))
}

fn read_events(
    form: &PayloadForm,
    event: &HookEvent,
    fields: &Fields<'_>,
) -> Vec<SessionEventKind> {
    if let Some(events) = (form.own_events)(event, fields) {
        return events;
    }
    let source = fields.text(form.source);
    let source = source.as_deref();
    match event.kind {
        HookEventKind::Start => start_events(source),
        HookEventKind::SubagentStart => start_events(None),
        HookEventKind::Prompt if source.is_some_and(live::is_clients_source) => Vec::new(),
        HookEventKind::Prompt => {
            let prompt = fields.text(form.prompt);
            prompt_events(prompt.as_deref().map(form.typed_part))
        }
        HookEventKind::Calling | HookEventKind::Called | HookEventKind::Failed => {
            zero_or_one(read_call(form, event.kind, fields))
        }
        HookEventKind::Batch => Vec::new(),
        HookEventKind::Stop | HookEventKind::SubagentStop => {
            let rounds = fields.json(form.continued);
            let is_continued = rounds == "true" || rounds.parse::<i64>().is_ok_and(|n| n > 0);
            stop_events(fields.text(form.message).as_deref(), is_continued)
        }
        HookEventKind::Compact => vec![SessionEventKind::Compacting],
        HookEventKind::End => vec![SessionEventKind::Ended],
    }
}

fn read_call(
    form: &PayloadForm,
    kind: HookEventKind,
    fields: &Fields<'_>,
) -> Option<SessionEventKind> {
    let tool = fields.text(form.tool).unwrap_or_default();
    let id = fields.text(form.call);
    let call = PayloadCall {
        id: id.as_deref(),
        tool: &tool,
        args: fields.json(form.args),
        is_remote: (form.is_remote)(&tool, fields),
    };
    if kind == HookEventKind::Calling {
        return call.calling_event();
    }
    call.called_event((form.call_end)(kind, fields)?)
}

/// Returns the registered event of a payload, to reply in its form; `None` if it is not registered.
pub fn find_event(row: &HookRow, hint: Option<&str>, stdin: &[u8]) -> Option<&'static HookEvent> {
    let json = to_json_text(stdin);
    let fields: Fields<'_> = serde_json::from_str(&json).unwrap_or_default();
    row.find_named(fields.text(row.form.event).as_deref(), hint)
}

/// Completes a payload from the transcript: how its calls ended, the last message.
///
/// If the file cannot be read, the payload stays as it was parsed.
pub fn complete_payload(row: &HookRow, incoming: &mut HookPayload) {
    if let Some(complete) = row.complete {
        complete(incoming);
    }
}

/// Reads the end of a file, at most `bytes` bytes.
pub(crate) fn read_tail(path: &Path, bytes: u64) -> io::Result<Vec<u8>> {
    let mut file = regular_file::open(path)?;
    let start = file.metadata()?.len().saturating_sub(bytes);
    file.seek(SeekFrom::Start(start))?;
    let mut tail = Vec::new();
    file.take(bytes).read_to_end(&mut tail)?;
    Ok(tail)
}
