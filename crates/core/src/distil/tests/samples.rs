//! Short runs for the tests of questions to a model.

use crate::{
    CallStatus, MessageRole, OutsideWords, RawEvent, Scope, ToolCall, Trace,
    event::{RunStatus, scrub_event},
    id::RunId,
};

pub(super) fn trace(events: Vec<RawEvent>) -> Trace {
    let run = RunId::parse("r1").expect("a name");
    let mut trace = Trace::new(run, Scope::default());
    for event in events {
        trace.push(scrub_event(event));
    }
    trace
}

pub(super) fn call(tool: &str, args: &str) -> RawEvent {
    tool_call(tool, args, CallStatus::Ok, false)
}

pub(super) fn failed(tool: &str, args: &str, error: &str) -> RawEvent {
    tool_call(tool, args, CallStatus::Error(error.into()), false)
}

pub(super) fn fetched(args: &str) -> RawEvent {
    tool_call("fetch", args, CallStatus::Ok, true)
}

fn tool_call(
    tool: &str,
    args: &str,
    status: CallStatus<crate::text::RawText>,
    external: bool,
) -> RawEvent {
    RawEvent::Tool(ToolCall {
        turn: 0,
        tool: tool.into(),
        args: args.into(),
        status,
        outside: external.then(OutsideWords::unknown),
    })
}

pub(super) fn said(text: &str) -> RawEvent {
    RawEvent::Message {
        role: MessageRole::User,
        text: text.into(),
    }
}

pub(super) fn end(status: RunStatus) -> RawEvent {
    RawEvent::End {
        status,
        score: None,
    }
}
