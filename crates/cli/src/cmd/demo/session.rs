//! A recorded session, fed to an engine event by event, as a hook would; what is printed is what its stages made of it.
//!
//! The sessions are what real agents wrote down (`demo/README.md`). Nothing is judged here.

use std::{io::Cursor as Bytes, path::Path};

use hardwon_clients::{
    archive,
    transcript::{self, ResumePoint},
};
use hardwon_core::{
    capture::{self, Episode, EpisodeKind, EpisodeWeight},
    distil::draft_episode,
    event::{CleanEvent, MessageRole, RawEvent, RunEvent, ToolCall, scrub_event},
    guard::{self, GuardVerdict},
    id::RunId,
    lesson::Draft,
    scope::Scope,
    text::CleanText,
    trace::Trace,
};
use hardwon_engine::{Desk, LearnOutcome, LiveRun, NoteOutcome, Nudge, sessions::FileSessions};

use super::{super::lesson::render_row, print_labelled, show_recall};
use crate::error::CliError;

/// Plays a session, and shows what the loop makes of it.
pub(super) fn play_session(desk: &Desk<'_>, file: &str, bytes: &[u8]) -> Result<(), CliError> {
    let name = RunId::parse(file).expect("a file name is a name");
    let format = archive::recognise_format(Path::new(file), bytes)
        .expect("the demo's sessions are of known formats");
    let folder = tempfile::tempdir()?;
    let sessions = FileSessions::new(folder.path());
    let mut player = SessionPlayer {
        desk,
        live: desk.follow_run(name.clone(), &sessions),
        trace: Trace::new(name.clone(), Scope::default()),
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
    /// What is kept of the run, to show what the stages see in it.
    trace: Trace,
    /// What was asked and warned of last, which is not told twice.
    last_text: String,
}

impl SessionPlayer<'_> {
    fn play_event(&mut self, event: RawEvent) -> Result<(), CliError> {
        // What one agent learned serves the others. The samples share the names of their sessions.
        let mut event = event.without_agent_and_project();
        if let RunEvent::Run { run, .. } = &mut event {
            run.clone_from(self.trace.run());
        }
        // It is shown as the loop sees it: without its secrets.
        let clean = scrub_event(event.clone());
        self.trace.push(clean.clone());
        self.show_event(&clean)?;
        for nudge in self.live.observe_event(event)? {
            self.show_nudge(&nudge)?;
        }
        Ok(())
    }

    fn show_event(&mut self, event: &CleanEvent) -> Result<(), CliError> {
        match event {
            RunEvent::Run {
                task: Some(text), ..
            }
            | RunEvent::Message {
                role: MessageRole::User,
                text,
            } => self.show_prompt(text.as_str()),
            RunEvent::Tool(call) => show_call(call),
            RunEvent::End { status, .. } => {
                print_labelled("ends", status.name())?;
                show_capture(&self.trace, self.desk)
            }
            _ => Ok(()),
        }
    }

    /// Shows what a person says, and what is recalled before the agent answers.
    fn show_prompt(&mut self, text: &str) -> Result<(), CliError> {
        if self.last_text == text {
            return Ok(());
        }
        text.clone_into(&mut self.last_text);
        print_labelled("asks", text)?;
        show_recall(self.desk, text)
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
            Nudge::Learned(outcome) => show_outcome(outcome),
        }
    }
}

fn show_call(call: &ToolCall<CleanText>) -> Result<(), CliError> {
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

/// Shows what is captured of a run that ended, the drafts of it, and what the guard says.
fn show_capture(trace: &Trace, desk: &Desk<'_>) -> Result<(), CliError> {
    let capture = capture::capture_episodes(trace, &desk.policy().capture);
    if capture.episodes.is_empty() {
        let reasons: Vec<&str> = capture.skipped.keys().map(|skip| skip.text()).collect();
        return print_labelled("captures", &format!("nothing: {}", reasons.join("; ")));
    }
    for episode in &capture.episodes {
        print_labelled("captures", &describe_episode(episode))?;
        if let Some(draft) = draft_episode(episode) {
            show_draft(draft, desk)?;
        }
    }
    Ok(())
}

fn describe_episode(episode: &Episode) -> String {
    let kind = match &episode.kind {
        EpisodeKind::Fix(_) => "a call that failed, and the similar call that worked",
        EpisodeKind::Refusal(_) => "a refusal that says what to do",
        EpisodeKind::Correction(_) => "a person corrected the agent",
        _ => "something that can teach",
    };
    let weight = match episode.weight {
        EpisodeWeight::Lesson => "enough for a lesson",
        EpisodeWeight::CandidateLesson if episode.runs_needed() > 2 => {
            "a lesson once three runs have met it"
        }
        EpisodeWeight::CandidateLesson => "a lesson once two runs have met it",
        EpisodeWeight::Tentative => "a lesson once runs agree that it helps",
    };
    format!("{kind}; {weight}")
}

fn show_draft(draft: Draft, desk: &Desk<'_>) -> Result<(), CliError> {
    let (signature, text) = (&draft.content.signature, &draft.content.text);
    print_labelled(
        "distils",
        &format!("[{}] {}", signature.expose(), text.expose()),
    )?;
    let verdict = match guard::admit_draft(draft, &desk.policy().guard) {
        GuardVerdict::Admitted(lesson) => hardwon_engine::status_reason(&lesson.status)
            .map_or("clean: it may be recalled".to_owned(), |why| {
                format!("held for a person: {why}")
            }),
        GuardVerdict::Rejected { .. } => "refused".to_owned(),
    };
    print_labelled("guards", &verdict)
}

/// Shows what a run said of the lessons that it was shown, and what was learned of it.
fn show_outcome(outcome: &LearnOutcome) -> Result<(), CliError> {
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
    Ok(())
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
