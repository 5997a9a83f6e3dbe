//! `hardwon demo`: stories for somebody who watches, played step by step while they are told.
//!
//! A story is a table ([`tables`]), so that who watches it and the test that checks it see the same. Nothing is told that
//! did not happen: a session is fed to an engine, a line is run by a shell ([`folder`]). Nothing is kept.

pub mod folder;
mod session;
pub mod tables;

use hardwon_core::Scope;
use hardwon_engine::{Desk, Engine, FixedClock, Policy, Principal, RecallRequest};
use hardwon_store::SqliteStore;
use jiff::Timestamp;

use self::{folder::StoryFolder, session::play_session};
use crate::{Result, args::DemoPlay, output};

/// How wide it is told at most, in columns.
const WIDTH: usize = 100;
/// When sessions are played, so that each telling is the same: the day after the last one, in seconds.
const SESSION_TIME_SECONDS: i64 = 1_773_219_600;

/// A step of a story.
#[derive(Debug, Clone, Copy)]
pub enum StoryStep {
    /// A heading: a day, a session.
    Heading(&'static str),
    /// What a viewer should know.
    Say(&'static str),
    /// What agents and people did meanwhile: a script that is not shown.
    Meanwhile(&'static str),
    /// A command line that succeeds, and the parts of which one stands in each line of its output that is shown; with none,
    /// all are.
    Run(&'static str, &'static [&'static str]),
    /// A command line that ends with exit code 1, and its parts.
    Fail(&'static str, &'static [&'static str]),
    /// A recorded session: its file's name and bytes.
    Session(&'static str, &'static [u8]),
    /// A task, before which is recalled what the sessions taught.
    Ask(&'static str),
    /// How many lessons and changes there are now.
    Audit,
}

pub(super) fn run(play: Option<DemoPlay>) -> Result<()> {
    match play {
        None => tell_story(tables::SESSIONS, None),
        Some(DemoPlay::Night) => {
            let program = std::env::current_exe()?;
            tell_story(tables::WEEK, Some(&StoryFolder::set_up(&program)?))
        }
    }
}

/// Tells a story; its command lines are run in the folder.
fn tell_story(steps: &[StoryStep], folder: Option<&StoryFolder>) -> Result<()> {
    let now = Timestamp::from_second(SESSION_TIME_SECONDS).expect("it is a day in 2026");
    let store = Box::new(SqliteStore::in_memory()?);
    let engine = Engine::new(store, Policy::default(), Box::new(FixedClock(now)));
    let desk = engine.acting_as(Principal::person(Scope::default()));
    for step in steps {
        show_step(step, &desk)?;
        if let Some(folder) = folder {
            show_output(step, &folder.play(step)?)?;
        }
        if !matches!(
            step,
            StoryStep::Heading(_) | StoryStep::Say(_) | StoryStep::Meanwhile(_)
        ) {
            output::print_line("")?;
        }
    }
    Ok(())
}

fn show_step(step: &StoryStep, desk: &Desk<'_>) -> Result<()> {
    match step {
        StoryStep::Heading(text) => output::print_line(&output::bold(text)),
        StoryStep::Say(text) => print_wrapped(text),
        StoryStep::Meanwhile(_) => Ok(()),
        StoryStep::Run(line, _) | StoryStep::Fail(line, _) => {
            print_line!("  $ {}", output::bold(line))
        }
        StoryStep::Session(file, bytes) => play_session(desk, file, bytes),
        StoryStep::Ask(task) => {
            print_labelled("asks", task)?;
            show_recall(desk, task)
        }
        StoryStep::Audit => show_audit(desk),
    }
}

/// Shows those lines of what a command line printed that the story has a part of.
fn show_output(step: &StoryStep, text: &str) -> Result<()> {
    let (StoryStep::Run(_, parts) | StoryStep::Fail(_, parts)) = step else {
        return Ok(());
    };
    let context = read_hook_context(text);
    for line in context.as_deref().unwrap_or(text).lines() {
        if parts.is_empty() || parts.iter().any(|part| line.contains(part)) {
            print_wrapped(&format!("    {}", output::replace_controls(line)))?;
        }
    }
    match step {
        StoryStep::Fail(..) => output::print_line("    (exit code 1)"),
        _ => Ok(()),
    }
}

/// Returns what a hook answers its agent, if an output is that.
fn read_hook_context(text: &str) -> Option<String> {
    let answer: serde_json::Value = serde_json::from_str(text).ok()?;
    let context = answer.pointer("/hookSpecificOutput/additionalContext")?;
    context.as_str().map(str::to_owned)
}

fn show_recall(desk: &Desk<'_>, task: &str) -> Result<()> {
    let recall = desk.recall(&RecallRequest::new(Scope::default(), task))?;
    match recall.ranking.silence {
        Some(why) => print_labelled("recalls", &format!("nothing: {why}")),
        None => print_labelled("recalls", &recall.preamble.text),
    }
}

fn show_audit(desk: &Desk<'_>) -> Result<()> {
    let audit = desk.audit_journal()?;
    let verdict = if audit.is_sound() {
        "verifies"
    } else {
        "is broken"
    };
    let lessons = output::pluralize(audit.lessons, "lesson");
    let changes = output::pluralize(audit.head.sequence, "change");
    print_wrapped(&format!(
        "{lessons}, {changes} in the journal, and its chain {verdict}."
    ))
}

/// Prints text beside a word; further lines are set under the first.
fn print_labelled(word: &str, text: &str) -> Result<()> {
    let words = std::iter::once(word).chain(std::iter::repeat(""));
    for (word, line) in words.zip(text.lines().filter(|line| !line.is_empty())) {
        let line = output::replace_controls(line);
        print_wrapped(&format!("   {word:<10} {line}"))?;
    }
    Ok(())
}

fn print_wrapped(text: &str) -> Result<()> {
    let columns = output::layout_width(WIDTH);
    output::print_line(&output::wrap_lines(text, Some(columns)))
}
