//! OpenHands: a list of events, actions and the observations they caused.
//!
//! Up to version 0 an action has `action` and `args`, an observation `observation`, `content` and
//! `cause`. From version 1 on an event has a `kind`, and calls have ids. A command states its exit
//! code in the observation's metadata.

use std::borrow::Cow;

use hardwon_core::event::RunStatus;
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use crate::transcript::{
    Broken, FormatReader,
    failure::{CallOutcome, Report, judge},
    format::{FormatRow, has_text, text_at},
    home::SessionHome,
    session::Session,
    tool,
    wire::{PlainContent, Text, raw_of, str_of},
};

/// Where the sessions are.
pub(crate) static SESSION_HOMES: [SessionHome; 1] = [SessionHome {
    client: "openhands",
    settings: &[],
    default: ".openhands/sessions",
}];

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    document: |opening| opening.any(&EVENT_KEYS, is_openhands),
    ..FormatRow::new("openhands", Some("openhands"), || Box::new(OpenHands))
};

fn is_openhands(event: &Value) -> bool {
    let is_classic = has_text(event, "source")
        && (event.get("action").is_some_and(Value::is_string) && event.get("args").is_some()
            || event.get("observation").is_some_and(Value::is_string)
                && event.get("content").is_some());
    let is_kinded = [
        "MessageEvent",
        "ActionEvent",
        "ObservationEvent",
        "SystemPromptEvent",
    ]
    .contains(&text_at(event, "kind"));
    is_classic || is_kinded
}

/// One event of either version, exactly as OpenHands writes it.
#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    source: Option<Text<'a>>,
    #[serde(borrow, default)]
    action: Option<&'a RawValue>,
    #[serde(borrow, default)]
    args: Option<&'a RawValue>,
    #[serde(borrow, default)]
    observation: Option<&'a RawValue>,
    #[serde(borrow, default)]
    cause: Option<&'a RawValue>,
    #[serde(borrow, default)]
    content: PlainContent<'a>,
    #[serde(borrow, default)]
    extras: Option<&'a RawValue>,
    // version 1
    #[serde(borrow, default)]
    kind: Option<Text<'a>>,
    #[serde(borrow, default)]
    llm_message: Option<Message<'a>>,
    #[serde(borrow, default)]
    thought: PlainContent<'a>,
    #[serde(borrow, default)]
    tool_name: Option<Text<'a>>,
    #[serde(borrow, default)]
    tool_call_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    tool_call: Option<ToolCall<'a>>,
    #[serde(borrow, default)]
    error: Option<Text<'a>>,
    #[serde(borrow, default)]
    rejection_reason: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    content: PlainContent<'a>,
}

#[derive(Deserialize)]
struct ToolCall<'a> {
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

/// The arguments of an action of version 0 that matter.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Args<'a> {
    #[serde(borrow)]
    content: Option<Text<'a>>,
    #[serde(borrow)]
    thought: Option<Text<'a>>,
    #[serde(borrow)]
    command: Option<Text<'a>>,
    #[serde(borrow)]
    code: Option<Text<'a>>,
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    path: Option<Text<'a>>,
    #[serde(borrow)]
    url: Option<Text<'a>>,
}

/// What an observation states about its end, in version 0 beside the content and in version 1
/// with it.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Stated<'a> {
    exit_code: Option<i64>,
    is_error: Option<bool>,
    error: Option<bool>,
    metadata: Option<Metadata>,
    #[serde(borrow)]
    content: PlainContent<'a>,
    #[serde(borrow)]
    output: PlainContent<'a>,
    #[serde(borrow)]
    agent_state: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct Metadata {
    #[serde(default)]
    exit_code: Option<i64>,
}

struct OpenHands;

/// The members under which a document may hold the events.
const EVENT_KEYS: [&str; 4] = ["", "trajectory", "history", "events"];

impl FormatReader for OpenHands {
    fn value(&mut self, key: &str, json: &str, session: &mut Session) -> Result<(), Broken> {
        if !EVENT_KEYS.contains(&key) {
            return Ok(());
        }
        let event: Event<'_> = serde_json::from_str(json)?;
        if session.runs.is_empty() {
            session.enter_next_unnamed();
        }
        match &event.kind {
            Some(kind) => kinded(kind.as_str(), &event, session),
            None => classic(&event, session)?,
        }
        Ok(())
    }

    fn document_end(&mut self, session: &mut Session) {
        session.close();
    }
}

/// An event of version 0.
fn classic(event: &Event<'_>, session: &mut Session) -> Result<(), Broken> {
    if event.observation.is_some() {
        return observation(event, session);
    }
    let Some(action) = event.action else {
        return Ok(());
    };
    let action: Text<'_> = serde_json::from_str(action.get())?;
    let args: Args<'_> = match event.args {
        Some(args) => serde_json::from_str(args.get())?,
        None => Args::default(),
    };
    session.assistant(str_of(args.thought.as_ref()));
    let said = str_of(args.content.as_ref());
    match action.as_str() {
        "message" if str_of(event.source.as_ref()) == "user" => session.user(said),
        "message" => session.assistant(said),
        "finish" => session.end(RunStatus::Completed, None),
        "reject" => session.end(RunStatus::Failed, None),
        "system" | "recall" | "think" | "change_agent_state" | "condensation" | "null"
        | "pause" | "resume" | "stop" => {}
        name => {
            let (name, text) = call_of(name, &args, raw_of(event.args));
            session.call(raw_of(event.id), &name, text);
        }
    }
    Ok(())
}

/// The tool and the arguments of an action: a command, code, or what it works on.
fn call_of<'t>(name: &'t str, args: &'t Args<'_>, json: &str) -> (Cow<'t, str>, String) {
    let line = |text: &Text<'_>| tool::plain(text.as_str());
    match name {
        "run" => (
            "bash".into(),
            args.command.as_ref().map(line).unwrap_or_default(),
        ),
        "run_ipython" => (
            "ipython".into(),
            args.code.as_ref().map(line).unwrap_or_default(),
        ),
        "call_tool_mcp" => {
            let name = str_of(args.name.as_ref());
            (
                format!("mcp__{name}").into(),
                tool::args(name, raw_of(args.arguments)),
            )
        }
        _ => {
            let object = args.path.as_ref().or(args.url.as_ref());
            (
                name.into(),
                object.map_or_else(|| tool::args(name, json), line),
            )
        }
    }
}

fn observation(event: &Event<'_>, session: &mut Session) -> Result<(), Broken> {
    let kind: Text<'_> = serde_json::from_str(raw_of(event.observation))?;
    let stated: Stated<'_> = match event.extras {
        Some(extras) => serde_json::from_str(extras.get()).unwrap_or_default(),
        None => Stated::default(),
    };
    let text = event.content.joined();
    let outcome = match kind.as_str() {
        "user_rejected" => CallOutcome::Rejected(None),
        "error" => judge(Report {
            failed: Some(true),
            text: &text,
            ..Report::default()
        }),
        "agent_state_changed" => {
            if str_of(stated.agent_state.as_ref()) == "error" {
                session.end(RunStatus::Failed, None);
            }
            return Ok(());
        }
        _ => stated_outcome(&stated, &text),
    };
    session.result(raw_of(event.cause), outcome);
    Ok(())
}

fn stated_outcome<'t>(stated: &Stated<'_>, text: &'t str) -> CallOutcome<'t> {
    let metadata = stated.metadata.as_ref();
    let exit = stated
        .exit_code
        .or_else(|| metadata.and_then(|m| m.exit_code));
    judge(Report {
        // -1 means that the command still runs.
        exit: exit.filter(|code| *code != -1),
        failed: stated.is_error.or(stated.error),
        text,
    })
}

/// An event of version 1.
fn kinded(kind: &str, event: &Event<'_>, session: &mut Session) {
    let call = str_of(event.tool_call_id.as_ref());
    match kind {
        "MessageEvent" => {
            let text = event
                .llm_message
                .as_ref()
                .map(|message| message.content.joined());
            match str_of(event.source.as_ref()) {
                "user" => session.user(&text.unwrap_or_default()),
                "agent" => session.assistant(&text.unwrap_or_default()),
                _ => {}
            }
        }
        "ActionEvent" => {
            session.assistant(&event.thought.joined());
            let name = str_of(event.tool_name.as_ref());
            if name == "finish" {
                session.end(RunStatus::Completed, None);
            } else if name != "think" {
                let args = event.tool_call.as_ref().and_then(|call| call.arguments);
                session.call(call, name, tool::args(name, raw_of(args.or(event.action))));
            }
        }
        "ObservationEvent" => {
            let stated: Stated<'_> =
                serde_json::from_str(raw_of(event.observation)).unwrap_or_default();
            let text = match &stated.content {
                PlainContent::Other => stated.output.joined(),
                content => content.joined(),
            };
            session.result(call, stated_outcome(&stated, &text));
        }
        "AgentErrorEvent" => {
            let outcome = judge(Report {
                failed: Some(true),
                text: str_of(event.error.as_ref()),
                ..Report::default()
            });
            session.result(call, outcome);
        }
        "UserRejectObservation" => {
            let reason = event
                .rejection_reason
                .as_ref()
                .map(|reason| reason.0.to_string());
            session.result(call, CallOutcome::Rejected(reason));
        }
        _ => {}
    }
}
