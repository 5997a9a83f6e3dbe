//! `hardwon demo`: the whole loop on recorded sessions, in a store that is gone at the end.
//!
//! The sessions are what real agents wrote down (`demo/README.md`). They are fed to the engine
//! event by event, as a hook would; everything printed here is what its stages made of them. The
//! clock stands still, so that every demo tells the same.

mod stages;

use std::{io::Cursor as Bytes, path::Path, process::ExitCode};

use hardwon_clients::{
    archive,
    transcript::{self, Cursor},
};
use hardwon_core::{
    credit::LessonJudgement,
    event::{CleanEvent, MessageRole, RawEvent, RunEvent, RunStatus, scrub_event},
    id::RunId,
    scope::Scope,
    trace::Trace,
};
use hardwon_engine::{
    Ask, Desk, Engine, FixedClock, LiveRun, Noted, Nudge, Policy, Principal,
    sessions::MemorySessions,
};
use hardwon_store::Memory;
use jiff::Timestamp;

use crate::{args::DemoArgs, error::Failure, output};

/// When the demo takes place: the day after its last session, in seconds.
const NOW: i64 = 1_773_219_600;
/// What somebody asks for at the end.
const TASK: &str = "Edit the generated routes, then run npm test.";

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
    let now = Timestamp::from_second(NOW).expect("it is a day in 2026");
    let engine = Engine::new(
        Box::new(Memory::new()),
        Policy::default(),
        Box::new(FixedClock(now)),
    );
    output::line("Seven sessions of real coding agents, one after the other. Nothing is kept.")?;
    for (number, session) in (1..).zip(SESSIONS) {
        output::line(&format!("\n{number}. {}", session.title))?;
        play(&engine, session)?;
    }
    output::line("\nThe next task, in whichever agent")?;
    say("asks", TASK)?;
    recall(&engine, TASK)?;
    sum_up(&engine)?;
    Ok(ExitCode::SUCCESS)
}

/// A session while it is played.
struct Stage<'a> {
    engine: &'a Engine,
    live: LiveRun<'a>,
    /// What is kept of the run, to show what the stages see in it.
    trace: Trace,
    /// What was asked and warned of last, which is not told twice.
    told: String,
}

/// Feeds a session to the engine, event by event, as a hook would have.
fn play(engine: &Engine, session: &Session) -> Result<(), Failure> {
    let name = RunId::parse(session.file).expect("a file name is a name");
    let format = archive::recognise(Path::new(session.file), session.bytes)
        .expect("the demo's sessions are of known formats");
    let sessions = MemorySessions::default();
    let mut stage = Stage {
        engine,
        live: desk(engine).follow_run(name.clone(), &sessions),
        trace: Trace::new(name.clone(), Scope::default()),
        told: String::new(),
    };
    for item in transcript::read(Bytes::new(session.bytes), format, Cursor::start(name)) {
        stage.step(item?.event)?;
    }
    Ok(())
}

impl Stage<'_> {
    fn step(&mut self, event: RawEvent) -> Result<(), Failure> {
        // What one agent learned serves the others. The samples share the names of their sessions.
        let mut event = event.without_agent_and_project();
        if let RunEvent::Run { run, .. } = &mut event {
            run.clone_from(self.trace.run());
        }
        let clean = scrub_event(event.clone());
        self.happens(&clean)?;
        self.trace.push(clean.clone());
        if let RunEvent::End { status, .. } = clean {
            say("ends", end(status))?;
            stages::show(&self.trace, self.engine.policy())?;
        }
        for nudge in self.live.observe(event)? {
            self.tell(&nudge)?;
        }
        Ok(())
    }

    /// Shows an event as the loop sees it: without its secrets.
    fn happens(&mut self, event: &CleanEvent) -> Result<(), Failure> {
        match event {
            RunEvent::Run {
                task: Some(task), ..
            } => self.asked(task.as_str()),
            RunEvent::Message {
                role: MessageRole::User,
                text,
            } => self.asked(text.as_str()),
            RunEvent::Tool(call) => {
                let shown = first_line(&format!("{} {}", call.tool, argument(call.args.as_str())));
                match call.status.errors().next() {
                    None => say("works", &shown),
                    Some(error) => {
                        say("fails", &format!("{shown}\n{}", first_line(error.as_str())))
                    }
                }
            }
            _ => Ok(()),
        }
    }

    /// Shows what a person says, and what is recalled before the agent answers.
    fn asked(&mut self, text: &str) -> Result<(), Failure> {
        if self.told == text {
            return Ok(());
        }
        self.told = text.to_owned();
        say("asks", text)?;
        recall(self.engine, text)
    }

    fn tell(&mut self, nudge: &Nudge) -> Result<(), Failure> {
        match nudge {
            Nudge::Loop { text, .. } if self.told == *text => say("warns", "… the same again"),
            Nudge::Loop { text, .. } => {
                self.told.clone_from(text);
                say("warns", text)
            }
            Nudge::Lesson { text, .. } => say("reminds", text),
            Nudge::Learned(learned) => {
                learned.credited.parts.iter().try_for_each(credited)?;
                learned.noted.iter().try_for_each(became)
            }
        }
    }
}

fn end(status: RunStatus) -> &'static str {
    match status {
        RunStatus::Completed => "completed",
        RunStatus::Failed => "failed",
        RunStatus::Aborted => "aborted",
    }
}

fn desk(engine: &Engine) -> Desk<'_> {
    engine.acting_as(Principal::person(Scope::default()))
}

fn recall(engine: &Engine, task: &str) -> Result<(), Failure> {
    let recalled = desk(engine).recall(&Ask::new(Scope::default(), task))?;
    match recalled.ranking.silence {
        Some(why) => say("recalls", &format!("nothing: {why}")),
        None => say("recalls", &recalled.preamble.text),
    }
}

/// Shows what a run said of a lesson that it was shown.
fn credited(part: &LessonJudgement) -> Result<(), Failure> {
    let followed = super::story::describe_outcome(part);
    say("credits", &format!("{}: {followed}", part.lesson))
}

fn became(noted: &Noted) -> Result<(), Failure> {
    match noted {
        Noted::Recorded(lesson) => say("LEARNED", &super::lesson::row(lesson)),
        Noted::Known(lesson) => say("CONFIRMED", &super::lesson::row(lesson)),
        Noted::Waiting(lesson) => say("FOR REVIEW", &super::lesson::row(lesson)),
        Noted::Refused(why) => say("REFUSED", why),
    }
}

/// Returns what a call is about: the file or the command among its arguments, else all of them.
fn argument(args: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(args).unwrap_or_default();
    let told = ["command", "cmd", "file_path", "path", "url"]
        .iter()
        .find_map(|name| value.get(name)?.as_str());
    told.unwrap_or(args).to_owned()
}

fn first_line(text: &str) -> String {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next().unwrap_or_default();
    let more = if lines.next().is_some() { " …" } else { "" };
    format!("{first}{more}")
}

/// Prints text beside a word; further lines are set under the first.
fn say(word: &str, text: &str) -> Result<(), Failure> {
    const WIDTH: usize = 100;
    for (index, line) in text.lines().filter(|line| !line.is_empty()).enumerate() {
        let word = if index == 0 { word } else { "" };
        for (part, line) in wrapped(&output::visible(line), WIDTH)
            .into_iter()
            .enumerate()
        {
            let word = if part == 0 { word } else { "" };
            output::line(&format!("   {word:<10} {line}"))?;
        }
    }
    Ok(())
}

/// Breaks a line at blanks, and inside a word only if it is longer than a line.
fn wrapped(line: &str, width: usize) -> Vec<String> {
    let indent = line.len() - line.trim_start().len();
    let mut lines = vec![line[..indent].to_owned()];
    for word in line.split_whitespace() {
        let mut last = lines.pop().unwrap_or_default();
        if last.trim().is_empty() {
            last.push_str(word);
            lines.push(last);
        } else if last.chars().count() + 1 + word.chars().count() <= width {
            lines.push(format!("{last} {word}"));
        } else {
            lines.push(last);
            lines.push(format!("  {word}"));
        }
    }
    lines
}

fn sum_up(engine: &Engine) -> Result<(), Failure> {
    let audit = desk(engine).audit()?;
    let verdict = if audit.is_sound() {
        "verifies"
    } else {
        "is broken"
    };
    output::line(&format!(
        "\n{}, {} in the journal, and its chain {verdict}.\n\n\
         Next:  hardwon init                 set up the coding agents of this machine\n       \
         hardwon learn                read the sessions that your own agents left here\n       \
         hardwon lesson list          see what they taught\n       \
         hardwon recall \"a task\"      what an agent would be told before it",
        output::count(audit.lessons, "lesson"),
        output::count(audit.head.sequence, "change"),
    ))
}
