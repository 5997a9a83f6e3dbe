//! What follows a hook's reply: records of what was shown and asked, and the process that learns from the session.
//!
//! The agent has its reply already, so nothing here may cost it anything.

use std::{mem, path::Path};

use hardwon_core::TurnQuestion;
use hardwon_engine::{AttendOutcome, DueSession, FileSessions, Principal, sessions::Sessions as _};

use super::{
    activity, capture,
    context::{HookContext, HookOutcome},
    log, questions,
    undone::note_undone,
};
use crate::{AskedQuestion, GlobalArgs, HookPlace, Result, remote::follow};

/// Where records go, and with which options the next process is started.
pub(super) struct Aftermath<'a> {
    pub(super) state: &'a Path,
    pub(super) global: &'a GlobalArgs,
    pub(super) context: &'a HookContext,
}

impl Aftermath<'_> {
    /// Records what was said, unless it came too late, and lets what is due be done.
    pub(super) fn carry_out(
        &self,
        outcome: HookOutcome,
        was_printed: bool,
        is_turn_edge: bool,
    ) -> Result<()> {
        let (state, client) = (self.state, self.context.client.name());
        let is_shown = !outcome.attended.shown.is_empty();
        let is_due = outcome.attended.is_capture_due;
        let failure = outcome.failure.clone();
        let record_result = if was_printed {
            self.record_reply(outcome)
        } else {
            Ok(())
        };
        if let Some(place) = &self.context.settings.server
            && let Err(error) = follow::keep_following(place)
        {
            log::write_note(state, client, &format!("following the server: {error}"));
        }
        record_result?;
        if let Some(failure) = failure {
            log::write_note(state, client, &failure);
        }
        let (event, now) = (self.context.event.name, self.context.now);
        activity::write_activity(state, client, event, now, is_shown);
        let sessions = FileSessions::new(state);
        if is_due {
            sessions.add_due(&self.due_session())?;
        }
        if is_due || (is_turn_edge && !sessions.list_due().is_empty()) {
            capture::start_capture(state, self.global)?;
        }
        Ok(())
    }

    fn record_reply(&self, outcome: HookOutcome) -> Result<()> {
        let reply = outcome.attended;
        for undone in &reply.undone {
            let (client, scope) = (self.context.client.name(), &self.context.settings.scope);
            note_undone(self.state, client, &self.context.run, scope, undone)?;
        }
        self.record_question(&reply)?;
        if let Some(place) = &self.context.settings.server {
            let mut recalls = reply.recalls.iter();
            recalls.try_for_each(|recall| place.spool().add_recall(recall))?;
        }
        let Some(engine) = outcome.engine else {
            return Ok(());
        };
        let mut recalls = reply.recalls.iter();
        let result = recalls.try_for_each(|recall| {
            let agent = Principal::agent(recall.scope.clone(), false);
            engine.acting_as(agent).note_recall(recall)
        });
        if !outcome.has_written {
            // The process ends soon, and the system closes the file faster than this code could. A writer leaves no log
            // behind that the next reader would have to go through.
            mem::forget(engine);
        }
        Ok(result?)
    }

    /// Records the agent's question or its answer.
    fn record_question(&self, reply: &AttendOutcome) -> Result<()> {
        let run = self.context.run.as_str();
        if let Some(question) = &reply.question {
            questions::note_asked(self.state, self.asked_question(question))?;
        }
        if let Some(lessons) = &reply.answer_lessons {
            let lessons = lessons.iter().map(|id| id.0).collect();
            questions::note_answered(self.state, run, lessons)?;
        }
        Ok(())
    }

    fn asked_question(&self, question: &TurnQuestion) -> AskedQuestion {
        let HookContext {
            client,
            settings,
            run,
            now,
            ..
        } = self.context;
        AskedQuestion {
            at: *now,
            place: HookPlace::new(client.name(), run.as_str(), &settings.scope),
            failures: question.gist(),
            lessons: None,
        }
    }

    /// Makes the entry with which the session is learned from.
    fn due_session(&self) -> DueSession {
        let context = self.context;
        DueSession {
            parent: context.parent.as_ref().map(ToString::to_string),
            transcript: context.transcript.clone(),
            is_unattended: context.is_unattended(),
            ..context.due_session(&[])
        }
    }
}
