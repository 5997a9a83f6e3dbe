//! `hardwon demo`: a story for somebody who watches, played step by step while it is told.
//!
//! The story is a table ([`tables`]). Nothing is told that did not happen: a session is fed to an engine. Nothing is kept.

mod session;
mod tables;

use hardwon_core::Scope;
use hardwon_engine::{Desk, Engine, FixedClock, Policy, Principal, RecallRequest};
use hardwon_store::SqliteStore;
use jiff::Timestamp;

use self::session::play_session;
use crate::{Result, output};

/// How wide it is told at most, in columns.
const WIDTH: usize = 100;
/// When sessions are played, so that each telling is the same: the day after the last one, in seconds.
const SESSION_TIME_SECONDS: i64 = 1_773_219_600;

/// A step of the story.
enum StoryStep {
    /// The heading of a session.
    Heading(&'static str),
    /// What a viewer should know.
    Say(&'static str),
    /// A recorded session: its file's name and bytes.
    Session(&'static str, &'static [u8]),
    /// A task, before which is recalled what the sessions taught.
    Ask(&'static str),
    /// How many lessons and changes there are now.
    Audit,
}

pub(super) fn run() -> Result<()> {
    let now = Timestamp::from_second(SESSION_TIME_SECONDS).expect("it is a day in 2026");
    let store = Box::new(SqliteStore::in_memory()?);
    let engine = Engine::new(store, Policy::default(), Box::new(FixedClock(now)));
    let desk = engine.acting_as(Principal::person(Scope::default()));
    for step in tables::SESSIONS {
        show_step(step, &desk)?;
        if !matches!(step, StoryStep::Heading(_) | StoryStep::Say(_)) {
            output::print_line("")?;
        }
    }
    Ok(())
}

fn show_step(step: &StoryStep, desk: &Desk<'_>) -> Result<()> {
    match step {
        StoryStep::Heading(text) => output::print_line(&output::bold(text)),
        StoryStep::Say(text) => print_wrapped(text),
        StoryStep::Session(file, bytes) => play_session(desk, file, bytes),
        StoryStep::Ask(task) => {
            print_labelled("asks", task)?;
            show_recall(desk, task)
        }
        StoryStep::Audit => show_audit(desk),
    }
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
