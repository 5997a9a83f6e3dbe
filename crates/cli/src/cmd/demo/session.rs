//! A recorded session, fed to an engine event by event, as a hook would; what is printed is what became of it.
//!
//! The sessions are what real agents wrote down (`demo/README.md`). Nothing is judged here.

use std::{io::Cursor as Bytes, path::Path};

use hardwon_clients::{
    archive,
    transcript::{self, ResumePoint},
};
use hardwon_core::{
    CleanEvent, CleanText, MessageRole, RawEvent, RunEvent, RunId, ToolCall, event::scrub_event,
};
use hardwon_engine::{Desk, FileSessions, LearnOutcome, LiveRun, NoteOutcome, Nudge};

use super::{super::lesson::render_row, print_labelled, show_recall};
use crate::Result;

/// Plays a session, and shows what the loop makes of it.
pub(super) fn play_session(desk: &Desk<'_>, file: &str, bytes: &[u8]) -> Result<()> {
    let name = RunId::parse(file).expect("a file name is a name");
    let format = archive::recognise_format(Path::new(file), bytes)
        .expect("the demo's sessions are of known formats");
    let folder = tempfile::tempdir()?;
    let sessions = FileSessions::new(folder.path());
    let mut player = SessionPlayer {
        desk,
        live: desk.follow_run(name.clone(), &sessions),
        name: name.clone(),
        last_text: String::new(),
    };
    let start = ResumePoint::start(name);
    for item in transcript::read_transcript(Bytes::new(bytes), format, start) {
        player.play_event(item?.event)?;
    }
    Ok(())
}

/// A session while it is played.
struct SessionPlayer<'a> {
    desk: &'a Desk<'a>,
    live: LiveRun<'a>,
    /// The name of its run.
    name: RunId,
    /// What was asked and warned of last, which is not told twice.
    last_text: String,
}

impl SessionPlayer<'_> {
    fn play_event(&mut self, event: RawEvent) -> Result<()> {
        // What one agent learned serves the others. The samples share the names of their sessions.
        let mut event = event.without_agent_and_project();
        if let RunEvent::Run { run, .. } = &mut event {
            run.clone_from(&self.name);
        }
        // It is shown as the loop sees it: without its secrets.
        self.show_event(&scrub_event(event.clone()))?;
        for nudge in self.live.observe_event(event)? {
            self.show_nudge(&nudge)?;
        }
        Ok(())
    }

    fn show_event(&mut self, event: &CleanEvent) -> Result<()> {
        match event {
            RunEvent::Run {
                task: Some(text), ..
            }
            | RunEvent::Message {
                role: MessageRole::User,
                text,
            } => self.show_prompt(text.as_str()),
            RunEvent::Tool(call) => show_call(call),
            RunEvent::End { status, .. } => print_labelled("ends", status.name()),
            _ => Ok(()),
        }
    }

    /// Shows what a person says, and what is recalled before the agent answers.
    fn show_prompt(&mut self, text: &str) -> Result<()> {
        if self.last_text == text {
            return Ok(());
        }
        text.clone_into(&mut self.last_text);
        print_labelled("asks", text)?;
        show_recall(self.desk, text)
    }

    fn show_nudge(&mut self, nudge: &Nudge) -> Result<()> {
        match nudge {
            Nudge::Loop { text, .. } if self.last_text == *text => {
                print_labelled("warns", "… the same again")
            }
            Nudge::Loop { text, .. } => {
                self.last_text.clone_from(text);
                print_labelled("warns", text)
            }
            Nudge::Lesson { text, .. } => print_labelled("reminds", text),
            Nudge::Learned(outcome) => show_outcome(outcome),
        }
    }
}

fn show_call(call: &ToolCall<CleanText>) -> Result<()> {
    let argument = main_argument(call.args.as_str());
    let call_line = first_line(&format!("{} {argument}", call.tool));
    match call.status.errors().next() {
        None => print_labelled("works", &call_line),
        Some(error) => print_labelled(
            "fails",
            &format!("{call_line}\n{}", first_line(error.as_str())),
        ),
    }
}

/// Shows what a run said of the lessons that it was shown, and what was learned of it.
fn show_outcome(outcome: &LearnOutcome) -> Result<()> {
    for part in &outcome.credit.lessons {
        print_labelled("credits", &format!("{}: {}", part.lesson, part.words()))?;
    }
    for note in &outcome.note_outcomes {
        match note {
            NoteOutcome::Recorded(lesson) => print_labelled("LEARNED", &render_row(lesson))?,
            NoteOutcome::AlreadyKnown(lesson) => print_labelled("CONFIRMED", &render_row(lesson))?,
            NoteOutcome::Pending(lesson) => print_labelled("FOR REVIEW", &render_row(lesson))?,
            NoteOutcome::Refused(why) => print_labelled("REFUSED", why)?,
            NoteOutcome::Logged => {}
        }
    }
    if !outcome.note_outcomes.is_empty() {
        return Ok(());
    }
    let again = (outcome.candidate_lessons > 0).then_some("seen once, a lesson if it comes again");
    let reasons = outcome.skipped.keys().map(|skip| skip.text());
    let reasons: Vec<&str> = again.into_iter().chain(reasons).collect();
    print_labelled("learns", &format!("nothing: {}", reasons.join("; ")))
}

/// Returns what a call is about: the file or the command among its arguments, else all of them.
fn main_argument(args: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(args).unwrap_or_default();
    let argument = ["command", "cmd", "file_path", "path", "url"]
        .iter()
        .find_map(|name| value.get(name)?.as_str());
    argument.unwrap_or(args).to_owned()
}

fn first_line(text: &str) -> String {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next().unwrap_or_default();
    let more = if lines.next().is_some() { " …" } else { "" };
    format!("{first}{more}")
}
