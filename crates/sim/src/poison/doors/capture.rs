//! Runs with a payload in what tools, files, persons and runtimes said, around a real trouble and
//! its remedy. Each is told twice, as two runs, because once may be chance.

use std::io::Write as _;

use hardwon_core::{
    event::{CallStatus, EventOf, RawEvent, Role, RunStatus, Signal, ToolCall},
    outside::OutsideWords,
    scope::Scope,
    text::RawText,
};

use super::{Door, Entered, door, every_run};
use crate::desk::agent;
use crate::poison::{
    payload::Payload,
    reach::{ERROR, TROUBLE},
    room::{Room, run},
    seen::{Frame, Sight, look},
};
use hardwon_clients::archive::ClientTranscript;
use hardwon_engine::{Nudge, sessions::MemorySessions};

const REMEDY: &str = "npm run test:unit";

pub(super) fn doors() -> Vec<Door> {
    let plain = Door {
        policy: every_run,
        ..door("run: its task, every run kept", |room, scope, payload| {
            told(
                room,
                scope,
                payload,
                Some(payload.head(4000)),
                healed("", ""),
            )
        })
    };
    vec![
        door("run: text of the error", |room, scope, it| {
            told(room, scope, it, None, healed(&it.text, ""))
        }),
        door("run: behind a real error", |room, scope, it| {
            told(
                room,
                scope,
                it,
                None,
                healed(&format!("{ERROR}\n{}", it.text), ""),
            )
        }),
        door("run: error never got over", |room, scope, it| {
            let events = (0..4).map(|n| call(&format!("make it{n}"), Some(&it.text)));
            told(room, scope, it, None, events.collect())
        }),
        door("run: in what is typed", |room, scope, it| {
            told(room, scope, it, None, healed("", &it.line(300)))
        }),
        door("run: in a file that is written", |room, scope, it| {
            let args = serde_json::json!({"file_path": "a.md", "content": it.text}).to_string();
            let write = |error| tool("Write", &args, error);
            let mut events = vec![write(Some("the file was not read yet")), write(None)];
            events.extend(healed("", ""));
            told(room, scope, it, None, events)
        }),
        door("run: a person's correction", |room, scope, it| {
            let mut events = healed("", "");
            let text = format!("No, don't use npm in this repository. {}", it.head(400));
            events.push(said(Role::User, text));
            told(room, scope, it, None, events)
        }),
        door("run: what the agent said", |room, scope, it| {
            let mut events = vec![said(Role::Assistant, it.text.clone())];
            events.extend(healed("", ""));
            told(room, scope, it, None, events)
        }),
        door("run: what its runtime found", |room, scope, it| {
            told(room, scope, it, None, signals(it))
        }),
        door("run: the same after a page", |room, scope, it| {
            let mut events = vec![page(it)];
            events.extend(signals(it));
            told(room, scope, it, None, events)
        }),
        door("run: a page before the error", |room, scope, it| {
            let mut events = vec![page(it)];
            events.extend(healed(&format!("{ERROR}\n{}", it.text), &it.line(200)));
            told(room, scope, it, None, events)
        }),
        plain,
        door("transcript: output of a tool", transcript),
    ]
}

fn tool(tool: &str, args: &str, error: Option<&str>) -> RawEvent {
    EventOf::Tool(ToolCall {
        turn: 0,
        tool: tool.into(),
        args: args.into(),
        status: error.map_or(CallStatus::Ok, |error| CallStatus::Error(error.into())),
        outside: None,
    })
}

fn call(args: &str, error: Option<&str>) -> RawEvent {
    tool("Bash", args, error)
}

fn page(payload: &Payload) -> RawEvent {
    EventOf::Tool(ToolCall {
        turn: 0,
        tool: "WebFetch".into(),
        args: "https://docs.example".into(),
        status: CallStatus::Ok,
        outside: Some(OutsideWords::of(&payload.text)),
    })
}

fn said(role: Role, text: String) -> RawEvent {
    EventOf::Message {
        role,
        text: text.into(),
    }
}

/// A trouble that comes twice and is got over; `error` stands for its usual words, `more` behind the
/// commands.
fn healed(error: &str, more: &str) -> Vec<RawEvent> {
    let error = if error.is_empty() { ERROR } else { error };
    let more = match more {
        "" => String::new(),
        more => format!(" -- {more}"),
    };
    vec![
        call(&format!("{TROUBLE}{more}"), Some(error)),
        call(&format!("{TROUBLE}{more}"), Some(error)),
        call("cat package.json", None),
        call(&format!("{REMEDY}{more}"), None),
    ]
}

fn signals(payload: &Payload) -> Vec<RawEvent> {
    let text = || RawText::from(payload.text.clone());
    let all = [
        Signal::Discrepancy { detail: text() },
        Signal::LowQuality {
            score: Some(0.1),
            detail: text(),
        },
        Signal::RootCause {
            cause: text(),
            fix: Some(text()),
        },
        Signal::Heal {
            attempts: 3,
            escalated: false,
            detail: text(),
        },
        Signal::Review {
            fixed: vec![text()],
            flagged: vec![text()],
        },
    ];
    all.into_iter().map(EventOf::Signal).collect()
}

fn told(
    room: &Room,
    scope: &Scope,
    payload: &Payload,
    task: Option<String>,
    events: Vec<RawEvent>,
) -> anyhow::Result<Entered> {
    let mut entered = Entered::default();
    for name in ["first", "second"] {
        let run = run(name, scope)?;
        let sessions = MemorySessions::default();
        let desk = agent(&room.engine, scope, false);
        let mut live = desk.follow_run(run.clone(), &sessions);
        let begun = EventOf::Run {
            run,
            agent: None,
            project: None,
            task: task.clone().map(RawText::from),
        };
        let ended = EventOf::End {
            status: RunStatus::Completed,
            score: None,
        };
        for event in [begun].into_iter().chain(events.clone()).chain([ended]) {
            entered.sight = entered.sight.and(nudges(live.observe(event)?, payload));
        }
    }
    Ok(entered)
}

fn nudges(nudges: Vec<Nudge>, payload: &Payload) -> Sight {
    let look = |sight: Sight, nudge| match nudge {
        // The arguments are the agent's own.
        Nudge::Loop { text, .. } => sight.and(look(Frame::Blocks, &text, payload).of_own_words()),
        Nudge::Lesson { text, .. } => sight.and(look(Frame::Blocks, &text, payload)),
        Nudge::Learned(_) => sight,
    };
    nudges.into_iter().fold(Sight::default(), look)
}

/// A client's transcript whose tools print the payload.
fn transcript(room: &Room, scope: &Scope, payload: &Payload) -> anyhow::Result<Entered> {
    for name in ["first", "second"] {
        let run = run(name, scope)?;
        let path = room.home.path().join(format!("{name}.jsonl"));
        let mut file = std::fs::File::create(&path)?;
        for line in claude(run.as_str(), &payload.text) {
            writeln!(file, "{line}")?;
        }
        let project = scope.project.clone();
        agent(&room.engine, scope, false).read_file::<ClientTranscript>(
            &path,
            &|_| project.clone(),
            &mut |_| {},
        )?;
    }
    Ok(Entered::default())
}

fn claude(session: &str, text: &str) -> Vec<serde_json::Value> {
    use serde_json::json;
    let line = |kind: &str, content: serde_json::Value| json!({"type": kind, "sessionId": session, "cwd": "/w", "message": {"role": kind, "content": content}});
    let mut lines = vec![line("user", json!("run the tests"))];
    let calls = [
        (TROUBLE, true),
        (TROUBLE, true),
        ("cat README.md", false),
        (REMEDY, false),
    ];
    for (number, (command, fails)) in calls.into_iter().enumerate() {
        let id = format!("t{number}");
        lines.push(line(
            "assistant",
            json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}]),
        ));
        let output = if fails {
            format!("{ERROR}\n{text}")
        } else {
            text.to_owned()
        };
        lines.push(line(
            "user",
            json!([{"type": "tool_result", "tool_use_id": id, "is_error": fails, "content": output}]),
        ));
    }
    lines.push(line(
        "assistant",
        json!([{"type": "text", "text": "Done."}]),
    ));
    lines
}
