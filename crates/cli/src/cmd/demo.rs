//! `hardwon demo`: the whole loop on recorded sessions, in a store that is gone at the end.
//!
//! The sessions are what real agents wrote down (`demo/README.md`); everything printed here is what
//! the engine made of them.

use std::{io::Cursor as Bytes, ops::ControlFlow, path::Path, process::ExitCode};

use hardwon_core::{
    event::{CallStatus, EventOf, RawEvent},
    id::RunId,
    redact,
    scope::Scope,
};
use hardwon_engine::{
    Ask, Engine, Noted, Nudge, Policy, SystemClock, Watch,
    transcript::{self, Cursor},
};
use hardwon_store::Memory;

use crate::{args::DemoArgs, error::Failure, output};

/// One recorded session.
struct Session {
    title: &'static str,
    file: &'static str,
    bytes: &'static [u8],
}

macro_rules! session {
    ($title:literal, $file:literal) => {
        Session {
            title: $title,
            file: $file,
            bytes: include_bytes!(concat!("../../demo/", $file)),
        }
    };
}

const SESSIONS: &[Session] = &[
    session!(
        "Claude Code runs the tests of a shop",
        "1-missing-script.jsonl"
    ),
    session!(
        "two days later, another session in the same project",
        "2-missing-script-again.jsonl"
    ),
    session!(
        "Codex edits a generated file, and the person objects",
        "3-user-correction.jsonl"
    ),
    session!(
        "Gemini CLI asks a dead service again and again",
        "4-loop.jsonl"
    ),
    session!(
        "Qwen Code types a token into a command",
        "5-secret-in-command.jsonl"
    ),
    session!(
        "pi reads a page that tries to give it orders",
        "6-injection-in-page.jsonl"
    ),
    session!(
        "Claude Code renames a function, and all is well",
        "7-good-run.jsonl"
    ),
];

pub(super) fn run(_: &DemoArgs) -> Result<ExitCode, Failure> {
    let engine = Engine::new(
        Box::new(Memory::new()),
        Policy::default(),
        Box::new(SystemClock),
    );
    output::line("Seven sessions of real coding agents, one after the other. Nothing is kept.")?;
    for (number, session) in (1..).zip(SESSIONS) {
        output::line(&format!("\n{number}. {} ({})", session.title, session.file))?;
        play(&engine, session)?;
    }
    sum_up(&engine)?;
    Ok(ExitCode::SUCCESS)
}

/// Feeds a session to a watch, event by event, as a hook would have.
fn play(engine: &Engine, session: &Session) -> Result<(), Failure> {
    let name = RunId::parse(session.file).expect("a file name is a name");
    let format = transcript::recognise(Path::new(session.file), session.bytes)
        .expect("the demo's sessions are of known formats");
    let mut watch = engine.watch(name.clone(), Scope::default());
    let mut played = Ok(());
    let mut sink = |item: transcript::Item<'_>| {
        played = step(engine, &mut watch, item.event);
        if played.is_ok() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    transcript::read(
        Bytes::new(session.bytes),
        format,
        Cursor::start(name),
        &mut sink,
    )?;
    played
}

fn step(engine: &Engine, watch: &mut Watch<'_>, event: RawEvent) -> Result<(), Failure> {
    match redact::scrub(event.clone()) {
        EventOf::Run {
            task: Some(task), ..
        } => {
            say("asked", task.as_str())?;
            let recalled = engine.recall(&Ask::new(Scope::default(), task.as_str()))?;
            say("recalls", &recalled.preamble.text)?;
        }
        EventOf::Tool(call) => {
            let how = if call.status == CallStatus::Ok {
                "works"
            } else {
                "fails"
            };
            say(how, &format!("{} {}", call.tool, call.args))?;
            if let CallStatus::Error(error) = call.status {
                say("", error.as_str().lines().next().unwrap_or_default())?;
            }
        }
        _ => {}
    }
    watch.observe(event)?.iter().try_for_each(tell)
}

fn tell(nudge: &Nudge) -> Result<(), Failure> {
    match nudge {
        Nudge::Loop { text, .. } => say("warns", text),
        Nudge::Lesson { text, .. } => say("reminds", text),
        Nudge::Learned(learned) => {
            for noted in &learned.noted {
                match noted {
                    Noted::Recorded(lesson) => say("LEARNED", &super::lesson::row(lesson))?,
                    Noted::Known(lesson) => say("confirms", &super::lesson::row(lesson))?,
                    Noted::Waiting(lesson) => {
                        let why = hardwon_engine::why(&lesson.status).unwrap_or_default();
                        say(
                            "HELD",
                            &format!("{}\nbecause {why}", super::lesson::row(lesson)),
                        )?;
                    }
                    Noted::Refused(why) => say("refused", why)?,
                }
            }
            if learned.witnessed > 0 {
                say(
                    "witness",
                    "seen once; it becomes a lesson when another run meets it",
                )?;
            }
            if learned.noted.is_empty() && learned.witnessed == 0 {
                let why: Vec<&str> = learned.skipped.keys().map(|skip| skip.text()).collect();
                say("nothing", &why.join("; "))?;
            }
            Ok(())
        }
    }
}

/// Prints text beside a word; further lines are set under the first.
fn say(word: &str, text: &str) -> Result<(), Failure> {
    const WIDTH: usize = 96;
    for (index, line) in text.lines().filter(|line| !line.is_empty()).enumerate() {
        let word = if index == 0 { word } else { "" };
        let mut shown: String = line.chars().take(WIDTH).collect();
        if shown.len() < line.len() {
            shown.push('…');
        }
        output::line(&format!("   {word:<9} {shown}"))?;
    }
    Ok(())
}

fn sum_up(engine: &Engine) -> Result<(), Failure> {
    let tenant = Scope::default().tenant;
    let audit = engine.audit(&tenant)?;
    output::line(&format!(
        "\n{} lessons, {} changes in the journal; the chain {}.",
        audit.lessons,
        audit.head.sequence,
        if audit.is_sound() {
            "verifies"
        } else {
            "is broken"
        }
    ))?;
    output::line("Next: `hardwon learn` reads the sessions that your own agents have left here.")
}
