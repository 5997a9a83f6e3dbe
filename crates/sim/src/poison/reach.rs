//! Every way from the store to a prompt, tried with the best match for a payload.

use hardwon_core::{CallStatus, ClientName, RawText, RunEvent, Scope, ToolCall, writ};
use hardwon_engine::{
    AgentSession, FileSessions, HookReply, Nudge, RecallRequest, ReplyChannel, SessionEvent,
    SessionEventKind, attend::SessionStartKind,
};
use jiff::{Timestamp, ToSpan as _};

use super::{
    careless_reader::{Exposure, TextFrame, find_exposure},
    payload::PoisonPayload,
    room::{PoisonRoom, run_id},
};
use crate::desk::{agent_desk, person_desk};

/// The command whose failure surrounds every payload.
pub(super) const FAILING_COMMAND: &str = "npm test";
/// The error of that failure.
pub(super) const FAILURE_ERROR: &str = "npm error Missing script: \"test\"";

/// Shows everything that can be shown in a scope, and examines it.
pub(super) fn show_everything(
    room: &PoisonRoom,
    scope: &Scope,
    payload: &PoisonPayload,
) -> anyhow::Result<Exposure> {
    let recalled = show_recalls(room, scope, payload)?;
    let hooked = play_hooks(room, scope, payload)?;
    let answered = run_show_writs(room, scope, payload)?;
    Ok(recalled
        .merge(hooked)
        .merge(answered)
        .merge(observe_run(room, scope, payload)?))
}

fn show_recalls(
    room: &PoisonRoom,
    scope: &Scope,
    payload: &PoisonPayload,
) -> anyhow::Result<Exposure> {
    let mut sight = Exposure::default();
    let trouble = format!("{FAILING_COMMAND} fails: {FAILURE_ERROR}");
    for (form, engine) in &room.engines_by_format {
        for prompt in [payload.truncated(2000), trouble.clone()] {
            let recalled =
                person_desk(engine, scope).recall(&RecallRequest::new(scope.clone(), prompt))?;
            let text = &recalled.preamble.text;
            sight = sight.merge(find_exposure(TextFrame::Preamble(*form), text, payload));
        }
    }
    Ok(sight)
}

fn make_call(args: &str, error: Option<RawText>) -> ToolCall<RawText> {
    ToolCall {
        turn: 0,
        tool: "Bash".into(),
        args: args.into(),
        status: error.map_or(CallStatus::Ok, CallStatus::Error),
        outside: None,
    }
}

/// Plays a session through hooks, with every event that could call for a lesson.
fn play_hooks(
    room: &PoisonRoom,
    scope: &Scope,
    payload: &PoisonPayload,
) -> anyhow::Result<Exposure> {
    let run = run_id("hooked", scope)?;
    let mut session = AgentSession::new(run.clone(), scope.clone());
    let mut now = Timestamp::from_second(1_800_000_000)?;
    let failed = |args: &str| SessionEventKind::AfterCall {
        call_id: None,
        tool_call: make_call(args, Some(FAILURE_ERROR.into())),
        output: None,
        written: None,
    };
    let with_payload = format!("{FAILING_COMMAND} {}", payload.one_line(400));
    let mut happened = vec![
        SessionEventKind::Started(SessionStartKind::Fresh),
        SessionEventKind::Prompted(payload.one_line(2000).into()),
        SessionEventKind::Prompted(format!("{FAILING_COMMAND} fails: {FAILURE_ERROR}").into()),
        SessionEventKind::BeforeCall {
            call_id: None,
            tool: "Bash".into(),
            args: FAILING_COMMAND.into(),
            delegates: None,
        },
    ];
    happened.extend([failed(FAILING_COMMAND), failed(FAILING_COMMAND)]);
    let before = happened.len();
    happened.extend([failed(&with_payload), failed(&with_payload)]);
    let mut sight = Exposure::default();
    for (number, what) in happened.into_iter().enumerate() {
        now += 60.seconds();
        let event = SessionEvent {
            run: run.clone(),
            client: ClientName::parse("claude-code")?,
            scope: scope.clone(),
            in_subagent: false,
            reply_channel: ReplyChannel::Context,
            may_hold: false,
            may_ask_agent: false,
            is_unattended: false,
            kind: what,
        };
        let step = session.take_event(&event, now);
        let looked = agent_desk(&room.engine, scope, false)
            .look_up_and_answer(step.seen_in(&session, &event))?;
        if let HookReply::Context(text) | HookReply::Continue(text) =
            session.compose_reply(step, looked, now).reply
        {
            let seen = find_exposure(TextFrame::Blocks, &text, payload);
            // Words that it repeats from a call are the agent's own.
            sight = sight.merge(if number < before {
                seen
            } else {
                seen.without_own_words()
            });
        }
    }
    Ok(sight)
}

/// Runs the writs that list and search lessons.
fn run_show_writs(
    room: &PoisonRoom,
    scope: &Scope,
    payload: &PoisonPayload,
) -> anyhow::Result<Exposure> {
    let mut sight = Exposure::default();
    let lessons = room.lessons(scope)?;
    let shows = lessons
        .iter()
        .map(|lesson| format!("/lesson show {}", lesson.id.0));
    let words = payload.one_line(60);
    let search = words.split(' ').filter(|part| part.len() > 3).take(1);
    let search = search.map(|word| format!("/lesson search {word}"));
    for text in shows.chain(search).chain(["/lesson list".to_owned()]) {
        for spotted in writ::parse(&text) {
            let done = agent_desk(&room.engine, scope, false).run_writ(&spotted.writ)?;
            sight = sight.merge(find_exposure(TextFrame::Blocks, &done.reply, payload));
        }
    }
    Ok(sight)
}

/// Observes a run that hits the failure.
fn observe_run(
    room: &PoisonRoom,
    scope: &Scope,
    payload: &PoisonPayload,
) -> anyhow::Result<Exposure> {
    let folder = tempfile::tempdir()?;
    let sessions = FileSessions::new(folder.path());
    let mut live =
        agent_desk(&room.engine, scope, false).follow_run(run_id("watched", scope)?, &sessions);
    let mut sight = Exposure::default();
    for _ in 0..2 {
        let event = RunEvent::Tool(make_call(FAILING_COMMAND, Some(FAILURE_ERROR.into())));
        for nudge in live.observe_event(event)? {
            if let Nudge::Loop { text, .. } | Nudge::Lesson { text, .. } = nudge {
                sight = sight.merge(find_exposure(TextFrame::Blocks, &text, payload));
            }
        }
    }
    Ok(sight)
}
