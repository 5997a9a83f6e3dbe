//! `hardwon demo`: the whole loop on recorded sessions, in a store that is gone at the end; `demo night` is a week.
//!
//! The sessions are what real agents wrote down (`demo/README.md`). They are fed to the engine
//! event by event, as a hook would; everything printed here is what its stages made of them. The
//! clock stands still, so that every demo tells the same.

mod night;
mod stages;

use std::{io::Cursor as Bytes, path::Path, process::ExitCode};

use hardwon_clients::{
    archive,
    transcript::{self, ResumePoint},
};
use hardwon_core::{
    credit::LessonJudgement,
    event::{CleanEvent, MessageRole, RawEvent, RunEvent, RunStatus, scrub_event},
    id::RunId,
    scope::Scope,
    trace::Trace,
};
use hardwon_engine::{
    Desk, Engine, FixedClock, LiveRun, NoteOutcome, Nudge, Policy, Principal, RecallRequest,
    sessions::MemorySessions,
};
use hardwon_store::SqliteStore;
use jiff::Timestamp;

use crate::{
    args::{DemoArgs, DemoPlay},
    error::CliError,
    output,
};

/// When the demo takes place: the day after its last session, in seconds.
const DEMO_TIME_SECONDS: i64 = 1_773_219_600;
/// What somebody asks for at the end.
const LAST_TASK: &str = "Edit the generated routes, then run npm test.";

/// One recorded session.
struct DemoSession {
    title: &'static str,
    file: &'static str,
    bytes: &'static [u8],
}

macro_rules! session {
    ($title:literal, $file:literal) => {
        DemoSession {
            title: $title,
            file: $file,
            bytes: include_bytes!(concat!("../../demo/", $file)),
        }
    };
}

const DEMO_SESSIONS: &[DemoSession] = &[
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

pub(super) fn run(args: &DemoArgs) -> Result<ExitCode, CliError> {
    match args.play {
        None => show_loop(),
        Some(DemoPlay::Night) => night::run(),
    }
}

fn show_loop() -> Result<ExitCode, CliError> {
    let now = Timestamp::from_second(DEMO_TIME_SECONDS).expect("it is a day in 2026");
    let engine = Engine::new(
        Box::new(SqliteStore::in_memory()?),
        Policy::default(),
        Box::new(FixedClock(now)),
    );
    output::print_line(
        "Seven sessions of real coding agents, one after the other. Nothing is kept.",
    )?;
    for (number, session) in (1..).zip(DEMO_SESSIONS) {
        output::print_line(&format!("\n{number}. {}", session.title))?;
        play_session(&engine, session)?;
    }
    output::print_line("\nThe next task, in whichever agent")?;
    print_labelled("asks", LAST_TASK)?;
    show_recall(&engine, LAST_TASK)?;
    print_summary(&engine)?;
    Ok(ExitCode::SUCCESS)
}

/// A session while it is played.
struct DemoPlayer<'a> {
    engine: &'a Engine,
    live: LiveRun<'a>,
    /// What is kept of the run, to show what the stages see in it.
    trace: Trace,
    /// What was asked and warned of last, which is not told twice.
    last_text: String,
}

/// Feeds a session to the engine, event by event, as a hook would have.
fn play_session(engine: &Engine, session: &DemoSession) -> Result<(), CliError> {
    let name = RunId::parse(session.file).expect("a file name is a name");
    let format = archive::recognise_format(Path::new(session.file), session.bytes)
        .expect("the demo's sessions are of known formats");
    let sessions = MemorySessions::default();
    let mut stage = DemoPlayer {
        engine,
        live: demo_desk(engine).follow_run(name.clone(), &sessions),
        trace: Trace::new(name.clone(), Scope::default()),
        last_text: String::new(),
    };
    for item in
        transcript::read_transcript(Bytes::new(session.bytes), format, ResumePoint::start(name))
    {
        stage.play_event(item?.event)?;
    }
    Ok(())
}

impl DemoPlayer<'_> {
    fn play_event(&mut self, event: RawEvent) -> Result<(), CliError> {
        // What one agent learned serves the others. The samples share the names of their sessions.
        let mut event = event.without_agent_and_project();
        if let RunEvent::Run { run, .. } = &mut event {
            run.clone_from(self.trace.run());
        }
        let clean = scrub_event(event.clone());
        self.show_event(&clean)?;
        self.trace.push(clean.clone());
        if let RunEvent::End { status, .. } = clean {
            print_labelled("ends", describe_end(status))?;
            stages::show_capture(&self.trace, demo_desk(self.engine).policy())?;
        }
        for nudge in self.live.observe_event(event)? {
            self.show_nudge(&nudge)?;
        }
        Ok(())
    }

    /// Shows an event as the loop sees it: without its secrets.
    fn show_event(&mut self, event: &CleanEvent) -> Result<(), CliError> {
        match event {
            RunEvent::Run {
                task: Some(task), ..
            } => self.show_prompt(task.as_str()),
            RunEvent::Message {
                role: MessageRole::User,
                text,
            } => self.show_prompt(text.as_str()),
            RunEvent::Tool(call) => {
                let shown = first_line(&format!(
                    "{} {}",
                    call.tool,
                    main_argument(call.args.as_str())
                ));
                match call.status.errors().next() {
                    None => print_labelled("works", &shown),
                    Some(error) => {
                        print_labelled("fails", &format!("{shown}\n{}", first_line(error.as_str())))
                    }
                }
            }
            _ => Ok(()),
        }
    }

    /// Shows what a person says, and what is recalled before the agent answers.
    fn show_prompt(&mut self, text: &str) -> Result<(), CliError> {
        if self.last_text == text {
            return Ok(());
        }
        self.last_text = text.to_owned();
        print_labelled("asks", text)?;
        show_recall(self.engine, text)
    }

    fn show_nudge(&mut self, nudge: &Nudge) -> Result<(), CliError> {
        match nudge {
            Nudge::Loop { text, .. } if self.last_text == *text => {
                print_labelled("warns", "… the same again")
            }
            Nudge::Loop { text, .. } => {
                self.last_text.clone_from(text);
                print_labelled("warns", text)
            }
            Nudge::Lesson { text, .. } => print_labelled("reminds", text),
            Nudge::Learned(learned) => {
                learned.credit.lessons.iter().try_for_each(show_credit)?;
                learned.note_outcomes.iter().try_for_each(show_noted)
            }
        }
    }
}

fn describe_end(status: RunStatus) -> &'static str {
    match status {
        RunStatus::Completed => "completed",
        RunStatus::Failed => "failed",
        RunStatus::Aborted => "aborted",
    }
}

fn demo_desk(engine: &Engine) -> Desk<'_> {
    engine.acting_as(Principal::person(Scope::default()))
}

fn show_recall(engine: &Engine, task: &str) -> Result<(), CliError> {
    let recalled = demo_desk(engine).recall(&RecallRequest::new(Scope::default(), task))?;
    match recalled.ranking.silence {
        Some(why) => print_labelled("recalls", &format!("nothing: {why}")),
        None => print_labelled("recalls", &recalled.preamble.text),
    }
}

/// Shows what a run said of a lesson that it was shown.
fn show_credit(part: &LessonJudgement) -> Result<(), CliError> {
    let followed = super::recall_story::describe_outcome(part);
    print_labelled("credits", &format!("{}: {followed}", part.lesson))
}

fn show_noted(noted: &NoteOutcome) -> Result<(), CliError> {
    match noted {
        NoteOutcome::Recorded(lesson) => {
            print_labelled("LEARNED", &super::lesson::render_row(lesson))
        }
        NoteOutcome::AlreadyKnown(lesson) => {
            print_labelled("CONFIRMED", &super::lesson::render_row(lesson))
        }
        NoteOutcome::Pending(lesson) => {
            print_labelled("FOR REVIEW", &super::lesson::render_row(lesson))
        }
        NoteOutcome::Refused(why) => print_labelled("REFUSED", why),
    }
}

/// Returns what a call is about: the file or the command among its arguments, else all of them.
fn main_argument(args: &str) -> String {
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

/// The columns before a text: the word that it stands beside, with what is around that.
const LABEL_WIDTH: usize = 14;

/// Prints text beside a word; further lines are set under the first.
fn print_labelled(word: &str, text: &str) -> Result<(), CliError> {
    let width = output::layout_width(LABEL_WIDTH + 100) - LABEL_WIDTH;
    for (index, line) in text.lines().filter(|line| !line.is_empty()).enumerate() {
        let word = if index == 0 { word } else { "" };
        for (part, line) in wrap_line(&output::replace_controls(line), width)
            .into_iter()
            .enumerate()
        {
            let word = if part == 0 { word } else { "" };
            output::print_line(&format!("   {word:<10} {line}"))?;
        }
    }
    Ok(())
}

/// Breaks a line at blanks, and inside a word only if it is longer than a line.
fn wrap_line(line: &str, width: usize) -> Vec<String> {
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

fn print_summary(engine: &Engine) -> Result<(), CliError> {
    let audit = demo_desk(engine).audit_journal()?;
    let verdict = if audit.is_sound() {
        "verifies"
    } else {
        "is broken"
    };
    output::print_line(&format!(
        "\n{}, {} in the journal, and its chain {verdict}.\n\n\
         Next:  hardwon init                 set up the coding agents of this machine\n       \
         hardwon learn                read the sessions that your own agents left here\n       \
         hardwon lesson list          see what they taught\n       \
         hardwon recall \"a task\"      what an agent would be told before it",
        output::pluralize(audit.lessons, "lesson"),
        output::pluralize(audit.head.sequence, "change"),
    ))
}
