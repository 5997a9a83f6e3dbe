//! The format of our own plugins for opencode and pi: one JSON object on stdin per event.
//!
//! The plugins run inside their client and only translate; everything is decided here. So that a
//! plugin can stay as it is for years, the format states its version, and a reader ignores what it
//! does not know. Version 1:
//!
//! ```json
//! {
//!   "v": 1,
//!   "client": "opencode",
//!   "event": "called",
//!   "session": "ses_1",
//!   "parent": null,
//!   "cwd": "/home/dev/shop",
//!   "transcript": null,
//!   "source": "startup",
//!   "prompt": "Fix the cart.",
//!   "call": "call_1",
//!   "tool": "bash",
//!   "args": {"command": "npm test"},
//!   "output": "npm error Missing script: \"test\"",
//!   "exit": 1,
//!   "failed": true,
//!   "external": false,
//!   "interrupted": false,
//!   "refused": false,
//!   "said": "Done.",
//!   "asked": false,
//!   "typed": true
//! }
//! ```
//!
//! `v`, `client`, `event` and `session` are always there; the others belong to some events, and
//! `null` is the same as absent.
//!
//! | event | when | fields of its own | the reply |
//! |---|---|---|---|
//! | `start` | a session begins, is resumed, or was cleared | `source`: `startup`, `resume`, `clear` or `compact` | `{"context": text}` |
//! | `prompt` | a person's prompt is about to reach the model | `prompt` | `{"context": text}` |
//! | `calling` | before a tool | `call`, `tool`, `args` | `{"context": text}`, or `{"hold": text}` |
//! | `called` | after a tool | `call`, `tool`, `args`, `output`, and any known ones of the rest | `{"context": text}` |
//! | `stop` | the agent is idle again | `said`: its last message; `asked`: it continued because we asked, or cannot continue; `typed`: a person types into the session, absent where that is not known | `{"goOn": text}` |
//! | `compact` | before the conversation is compacted | | |
//! | `end` | the session is closed | | |
//!
//! - `session` is the client's own id of the session, as in its transcripts; `parent` is the id of the
//!   session that started a sub-agent's.
//! - `args` is the arguments as the client has them; `output` is text, or the tool's content blocks.
//! - `exit` is a command's exit code, where the client has it in a field of its own; `failed` is the
//!   client's own flag (opencode: a tool that threw; pi: `isError`), absent when it has none.
//! - `interrupted`: a person stopped the tool; `refused`: a person or a setting did not let it run.
//! - `external`: the tool is another server's, where the client knows.
//!
//! The reply on stdout is empty, or one JSON object on one line. The plugin passes `context` to the model
//! at the place of the event: with the prompt, or after the tool's result. It passes `goOn` to the agent
//! as a message, once. With `hold` it does not let the tool run this time, and the text is the reason. Exit code and stderr mean nothing.

use crate::{
    hook::{
        EnvLookup, Fields, HookEvent, HookEventKind, PayloadForm, SessionSigns,
        table::{GO_ON_PLAIN, NOTHING, PLAIN, hook_event},
    },
    transcript::{ReportedOutcome, call_report::judge_json},
};

/// The version of the format that the plugins of this program write.
pub const PLUGIN_FORMAT_VERSION: u32 = 1;

/// The form of these payloads.
pub(crate) const FORM: PayloadForm = PayloadForm {
    version: Some(PLUGIN_FORMAT_VERSION),
    event: &["event"],
    session: &["session"],
    agent: &[],
    is_agent_session: false,
    parent: &["parent"],
    cwd: &["cwd"],
    folders: &[],
    transcript: &["transcript"],
    source: &["source"],
    prompt: &["prompt"],
    typed_part: |prompt| prompt,
    typed: &["typed"],
    call: &["call"],
    tool: &["tool"],
    args: &["args"],
    message: &["said"],
    continued: &["asked"],
    is_remote: |_, fields| fields.is_true("external"),
    call_end: |_, fields| read_call_end(fields),
    own_events: |_, _| None,
};

/// The events that our own plugins forward, the same for each client.
pub(crate) static PLUGIN_EVENTS: [HookEvent; 7] = [
    hook_event("start", HookEventKind::Start, PLAIN),
    hook_event("prompt", HookEventKind::Prompt, PLAIN),
    hook_event("calling", HookEventKind::Calling, PLAIN),
    hook_event("called", HookEventKind::Called, PLAIN),
    hook_event("stop", HookEventKind::Stop, GO_ON_PLAIN),
    hook_event("compact", HookEventKind::Compact, NOTHING),
    hook_event("end", HookEventKind::End, NOTHING),
];

fn read_call_end<'a>(fields: &Fields<'a>) -> Option<ReportedOutcome<'a>> {
    if fields.is_true("interrupted") {
        return None;
    }
    if fields.is_true("refused") {
        return Some(ReportedOutcome::Rejected(None));
    }
    let has_failed = fields.read(&["failed"]).or(Some(false));
    let (exit, output) = (fields.read(&["exit"]), fields.json(&["output"]));
    Some(judge_json(exit, has_failed, output))
}

/// The plugin itself reports it.
pub(crate) fn is_interactive(signs: &SessionSigns<'_>, _: EnvLookup<'_>) -> Option<bool> {
    signs.plugin_answer
}
