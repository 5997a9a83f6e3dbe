//! Runs with a payload in what tools, files, persons and runtimes said, around a real failure and its fix. Each is
//! played twice, as two runs, because once may be chance.

use std::io::Write as _;

use hardwon_core::{
    CallStatus, MessageRole, OutsideWords, RawEvent, RawText, RunEvent, RunStatus, Scope, Signal,
    ToolCall,
};

use super::{Door, DoorResult, every_run_policy, new_door};
use crate::desk::agent_desk;
use crate::poison::{
    careless_reader::{Exposure, TextFrame, find_exposure},
    payload::PoisonPayload,
    reach::{FAILING_COMMAND, FAILURE_ERROR},
    room::{PoisonRoom, run_id},
};
use hardwon_clients::archive::ClientTranscript;
use hardwon_engine::{FileSessions, Nudge};

const FIXED_COMMAND: &str = "npm run test:unit";

pub(super) fn doors() -> Vec<Door> {
    let plain = Door {
        policy: every_run_policy,
        ..new_door("run: its task, every run kept", |room, scope, payload| {
            play_two_runs(
                room,
                scope,
                payload,
                Some(payload.truncated(4000)),
                fixed_failure("", ""),
            )
        })
    };
    vec![
        new_door("run: text of the error", |room, scope, it| {
            play_two_runs(room, scope, it, None, fixed_failure(&it.text, ""))
        }),
        new_door("run: behind a real error", |room, scope, it| {
            play_two_runs(
                room,
                scope,
                it,
                None,
                fixed_failure(&format!("{FAILURE_ERROR}\n{}", it.text), ""),
            )
        }),
        new_door("run: error never got over", |room, scope, it| {
            let events = (0..4).map(|n| bash_event(&format!("make it{n}"), Some(&it.text)));
            play_two_runs(room, scope, it, None, events.collect())
        }),
        new_door("run: in what is typed", |room, scope, it| {
            play_two_runs(room, scope, it, None, fixed_failure("", &it.one_line(300)))
        }),
        new_door("run: in a file that is written", |room, scope, it| {
            let args = serde_json::json!({"file_path": "a.md", "content": it.text}).to_string();
            let write = |error| tool_event("Write", &args, error);
            let mut events = vec![write(Some("the file was not read yet")), write(None)];
            events.extend(fixed_failure("", ""));
            play_two_runs(room, scope, it, None, events)
        }),
        new_door("run: a person's correction", |room, scope, it| {
            let mut events = fixed_failure("", "");
            let text = format!(
                "No, don't use npm in this repository. {}",
                it.truncated(400)
            );
            events.push(message_event(MessageRole::User, text));
            play_two_runs(room, scope, it, None, events)
        }),
        new_door("run: what the agent said", |room, scope, it| {
            let mut events = vec![message_event(MessageRole::Assistant, it.text.clone())];
            events.extend(fixed_failure("", ""));
            play_two_runs(room, scope, it, None, events)
        }),
        new_door("run: what its runtime found", |room, scope, it| {
            play_two_runs(room, scope, it, None, signal_events(it))
        }),
        new_door("run: the same after a page", |room, scope, it| {
            let mut events = vec![page_event(it)];
            events.extend(signal_events(it));
            play_two_runs(room, scope, it, None, events)
        }),
        new_door("run: a page before the error", |room, scope, it| {
            let mut events = vec![page_event(it)];
            events.extend(fixed_failure(
                &format!("{FAILURE_ERROR}\n{}", it.text),
                &it.one_line(200),
            ));
            play_two_runs(room, scope, it, None, events)
        }),
        plain,
        new_door("transcript: output of a tool", read_transcript),
    ]
}

fn tool_event(tool: &str, args: &str, error: Option<&str>) -> RawEvent {
    RunEvent::Tool(ToolCall {
        turn: 0,
        tool: tool.into(),
        args: args.into(),
        status: error.map_or(CallStatus::Ok, |error| CallStatus::Error(error.into())),
        outside: None,
    })
}

fn bash_event(args: &str, error: Option<&str>) -> RawEvent {
    tool_event("Bash", args, error)
}

fn page_event(payload: &PoisonPayload) -> RawEvent {
    RunEvent::Tool(ToolCall {
        turn: 0,
        tool: "WebFetch".into(),
        args: "https://docs.example".into(),
        status: CallStatus::Ok,
        outside: Some(OutsideWords::from_text(&payload.text)),
    })
}

fn message_event(role: MessageRole, text: String) -> RawEvent {
    RunEvent::Message {
        role,
        text: text.into(),
    }
}

/// Makes a failure that happens twice and is fixed; `error` replaces its usual words, `more` follows the commands.
fn fixed_failure(error: &str, more: &str) -> Vec<RawEvent> {
    let error = if error.is_empty() {
        FAILURE_ERROR
    } else {
        error
    };
    let more = match more {
        "" => String::new(),
        more => format!(" -- {more}"),
    };
    vec![
        bash_event(&format!("{FAILING_COMMAND}{more}"), Some(error)),
        bash_event(&format!("{FAILING_COMMAND}{more}"), Some(error)),
        bash_event("cat package.json", None),
        bash_event(&format!("{FIXED_COMMAND}{more}"), None),
    ]
}

fn signal_events(payload: &PoisonPayload) -> Vec<RawEvent> {
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
    all.into_iter().map(RunEvent::Signal).collect()
}

fn play_two_runs(
    room: &PoisonRoom,
    scope: &Scope,
    payload: &PoisonPayload,
    task: Option<String>,
    events: Vec<RawEvent>,
) -> anyhow::Result<DoorResult> {
    let mut entered = DoorResult::default();
    for name in ["first", "second"] {
        let run = run_id(name, scope)?;
        let folder = tempfile::tempdir()?;
        let sessions = FileSessions::new(folder.path());
        let desk = agent_desk(&room.engine, scope, false);
        let mut live = desk.follow_run(run.clone(), &sessions);
        let begun = RunEvent::Run {
            run,
            agent: None,
            project: None,
            task: task.clone().map(RawText::from),
        };
        let ended = RunEvent::End {
            status: RunStatus::Completed,
            score: None,
        };
        for event in [begun].into_iter().chain(events.clone()).chain([ended]) {
            entered.exposure = entered
                .exposure
                .merge(merge_nudges(live.observe_event(event)?, payload));
        }
    }
    Ok(entered)
}

fn merge_nudges(nudges: Vec<Nudge>, payload: &PoisonPayload) -> Exposure {
    let look = |sight: Exposure, nudge| match nudge {
        // The arguments are the agent's own.
        Nudge::Loop { text, .. } => {
            sight.merge(find_exposure(TextFrame::Blocks, &text, payload).without_own_words())
        }
        Nudge::Lesson { text, .. } => sight.merge(find_exposure(TextFrame::Blocks, &text, payload)),
        Nudge::Learned(_) => sight,
    };
    nudges.into_iter().fold(Exposure::default(), look)
}

/// Reads a client's transcript whose tools print the payload.
fn read_transcript(
    room: &PoisonRoom,
    scope: &Scope,
    payload: &PoisonPayload,
) -> anyhow::Result<DoorResult> {
    for name in ["first", "second"] {
        let run = run_id(name, scope)?;
        let path = room.home.path().join(format!("{name}.jsonl"));
        let mut file = std::fs::File::create(&path)?;
        for line in claude_transcript(run.as_str(), &payload.text) {
            writeln!(file, "{line}")?;
        }
        let project = scope.project.clone();
        agent_desk(&room.engine, scope, false).read_transcript::<ClientTranscript>(
            &path,
            &|_| project.clone(),
            &mut |_| {},
        )?;
    }
    Ok(DoorResult::default())
}

fn claude_transcript(session: &str, text: &str) -> Vec<serde_json::Value> {
    use serde_json::json;
    let line = |kind: &str, content: serde_json::Value| json!({"type": kind, "sessionId": session, "cwd": "/w", "message": {"role": kind, "content": content}});
    let mut lines = vec![line("user", json!("run the tests"))];
    let calls = [
        (FAILING_COMMAND, true),
        (FAILING_COMMAND, true),
        ("cat README.md", false),
        (FIXED_COMMAND, false),
    ];
    for (number, (command, fails)) in calls.into_iter().enumerate() {
        let id = format!("t{number}");
        lines.push(line(
            "assistant",
            json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}]),
        ));
        let output = if fails {
            format!("{FAILURE_ERROR}\n{text}")
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
