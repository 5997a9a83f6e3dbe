//! A small agent runtime with a memory: an example of embedding hardwon.
//!
//! The "agent" is a list of shell commands it would try; the runtime runs them, reports each result to the engine, and
//! puts the engine's nudges before the next step. Run it with `cargo run -p hardwon-engine --example embed`: the second
//! session starts with the lesson that the first one learned.

use std::{env, process::Command};

use hardwon_engine::{
    Engine, FileSessions, Nudge, Policy, Principal, RecallRequest, Result, Scope, SystemClock,
    event::{CallStatus, RawEvent, RunEvent, RunStatus, ToolCall},
    id::RunId,
    store::SqliteStore,
};

fn main() -> Result<()> {
    let engine = Engine::new(
        Box::new(SqliteStore::in_memory()?),
        Policy::default(),
        Box::new(SystemClock),
    );
    let task = "list the files of this folder in long form with the tool lsx";
    session(
        &engine,
        "monday",
        task,
        &["lsx -l .", "lsx -l .", "ls -l ."],
    )?;
    session(&engine, "tuesday", task, &["ls -l ."])
}

/// Runs one session: recall, act, observe, learn.
fn session(engine: &Engine, name: &str, task: &str, plan: &[&str]) -> Result<()> {
    say(&format!("== {name}: {task}"));
    let scope = Scope::default();
    let desk = engine.acting_as(Principal::agent(scope.clone(), false));
    let recalled = desk.recall(&RecallRequest::new(scope, task))?;
    say(&recalled.preamble.text);

    let run = RunId::parse(name).expect("the name of a day is a name");
    // What must not be forgotten between two runs, such as which words came from a page.
    let sessions = FileSessions::new(&env::temp_dir().join("hardwon-embed"));
    let mut live = desk.follow_run(run.clone(), &sessions);
    let task = Some(task.into());
    live.observe_event(RunEvent::Run {
        run,
        agent: None,
        project: None,
        task,
    })?;
    for command in plan {
        say(&format!("$ {command}"));
        tell(&live.observe_event(call(command))?);
    }
    tell(&live.observe_event(RunEvent::End {
        status: RunStatus::Completed,
        score: None,
    })?);
    Ok(())
}

/// Runs a command and makes an event of it: its status and error, not its output.
fn call(command: &str) -> RawEvent {
    let ran = Command::new("sh").args(["-c", command]).output();
    let status = match ran {
        Ok(output) if output.status.success() => CallStatus::Ok,
        Ok(output) => CallStatus::Error(String::from_utf8_lossy(&output.stderr).as_ref().into()),
        Err(error) => CallStatus::Error(error.to_string().into()),
    };
    let (tool, args) = ("bash".into(), command.into());
    RunEvent::Tool(ToolCall {
        turn: 0,
        tool,
        args,
        status,
        outside: None,
    })
}

fn tell(nudges: &[Nudge]) {
    for nudge in nudges {
        match nudge {
            Nudge::Loop { text, .. } | Nudge::Lesson { text, .. } => say(text),
            Nudge::Learned(learned) => {
                for lesson in learned
                    .note_outcomes
                    .iter()
                    .cloned()
                    .filter_map(|noted| noted.into_lesson().ok())
                {
                    say(&format!("learned {}: {}", lesson.id, lesson.content.text));
                }
            }
        }
    }
}

#[expect(clippy::print_stdout, reason = "an example shows what it does")]
fn say(text: &str) {
    println!("{text}");
}
