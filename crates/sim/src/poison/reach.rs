//! Every way from the store to a prompt, tried with what fits a payload best.

use hardwon_core::{
    event::{CallStatus, EventOf, ToolCall},
    id::ClientName,
    scope::Scope,
    text::RawText,
    writ,
};
use hardwon_engine::{
    Ask, Nudge,
    attend::{Happened, Happening, Hears, Say, Session, Start},
    sessions::MemorySessions,
};
use jiff::{Timestamp, ToSpan as _};

use super::{
    payload::Payload,
    room::{Room, run},
    seen::{Frame, Sight, look},
};
use crate::desk::{agent, person};

/// The trouble that every payload comes around.
pub(super) const TROUBLE: &str = "npm test";
/// What it says.
pub(super) const ERROR: &str = "npm error Missing script: \"test\"";

/// Shows everything that can be shown in a scope, and looks at it.
pub(super) fn everything(room: &Room, scope: &Scope, payload: &Payload) -> anyhow::Result<Sight> {
    let recalled = recalled(room, scope, payload)?;
    let hooked = hooked(room, scope, payload)?;
    let answered = answered(room, scope, payload)?;
    Ok(recalled
        .and(hooked)
        .and(answered)
        .and(nudged(room, scope, payload)?))
}

fn recalled(room: &Room, scope: &Scope, payload: &Payload) -> anyhow::Result<Sight> {
    let mut sight = Sight::default();
    let trouble = format!("{TROUBLE} fails: {ERROR}");
    for (form, engine) in &room.forms {
        for prompt in [payload.head(2000), trouble.clone()] {
            let recalled = person(engine, scope).recall(&Ask::new(scope.clone(), prompt))?;
            let text = &recalled.preamble.text;
            sight = sight.and(look(Frame::Preamble(*form), text, payload));
        }
    }
    Ok(sight)
}

fn call(args: &str, error: Option<RawText>) -> ToolCall<RawText> {
    ToolCall {
        turn: 0,
        tool: "Bash".into(),
        args: args.into(),
        status: error.map_or(CallStatus::Ok, CallStatus::Error),
        outside: None,
    }
}

/// Plays a session through hooks, in which everything that could call for a lesson happens.
fn hooked(room: &Room, scope: &Scope, payload: &Payload) -> anyhow::Result<Sight> {
    let run = run("hooked", scope)?;
    let mut session = Session::new(run.clone(), scope.clone());
    let mut now = Timestamp::from_second(1_800_000_000)?;
    let failed = |args: &str| Happened::Called {
        call: None,
        what: call(args, Some(ERROR.into())),
        printed: None,
    };
    let with_payload = format!("{TROUBLE} {}", payload.line(400));
    let mut happened = vec![
        Happened::Started(Start::Fresh),
        Happened::Prompted(payload.line(2000).into()),
        Happened::Prompted(format!("{TROUBLE} fails: {ERROR}").into()),
        Happened::Calling {
            call: None,
            tool: "Bash".into(),
            args: TROUBLE.into(),
        },
    ];
    happened.extend([failed(TROUBLE), failed(TROUBLE)]);
    let before = happened.len();
    happened.extend([failed(&with_payload), failed(&with_payload)]);
    let mut sight = Sight::default();
    for (number, what) in happened.into_iter().enumerate() {
        now += 60.seconds();
        let event = Happening {
            run: run.clone(),
            client: ClientName::parse("claude-code")?,
            scope: scope.clone(),
            in_subagent: false,
            hears: Hears::Context,
            may_be_asked: false,
            what,
        };
        let turn = session.take(&event, now);
        let looked = agent(&room.engine, scope, false).look(&session, &event, &turn)?;
        if let Say::Context(text) | Say::GoOn(text) = session.say(turn, looked, now).say {
            let seen = look(Frame::Blocks, &text, payload);
            // What it repeats of a call is the agent's own.
            sight = sight.and(if number < before {
                seen
            } else {
                seen.of_own_words()
            });
        }
    }
    Ok(sight)
}

/// Asks by writs for whatever there is.
fn answered(room: &Room, scope: &Scope, payload: &Payload) -> anyhow::Result<Sight> {
    let mut sight = Sight::default();
    let lessons = room.lessons(scope)?;
    let shows = lessons.iter().map(|it| format!("/lesson show {}", it.id.0));
    let words = payload.line(60);
    let search = words.split(' ').filter(|it| it.len() > 3).take(1);
    let search = search.map(|word| format!("/lesson search {word}"));
    for text in shows.chain(search).chain(["/lesson list".to_owned()]) {
        for spotted in writ::parse(&text) {
            let done = agent(&room.engine, scope, false).writ(&spotted.writ)?;
            sight = sight.and(look(Frame::Blocks, &done.reply, payload));
        }
    }
    Ok(sight)
}

/// Watches a run that meets the trouble.
fn nudged(room: &Room, scope: &Scope, payload: &Payload) -> anyhow::Result<Sight> {
    let sessions = MemorySessions::default();
    let mut live = agent(&room.engine, scope, false).follow_run(run("watched", scope)?, &sessions);
    let mut sight = Sight::default();
    for _ in 0..2 {
        let event = EventOf::Tool(call(TROUBLE, Some(ERROR.into())));
        for nudge in live.observe(event)? {
            if let Nudge::Loop { text, .. } | Nudge::Lesson { text, .. } = nudge {
                sight = sight.and(look(Frame::Blocks, &text, payload));
            }
        }
    }
    Ok(sight)
}
