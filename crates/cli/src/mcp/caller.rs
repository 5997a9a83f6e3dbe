//! Who makes a call, and where: one call's settings and what it may touch.

use std::path::Path;

use hardwon_core::{
    id::ClientName,
    lesson::{Lesson, LessonContent, Status},
    preamble::PreambleFormat,
    rank::Requester,
    scope::Scope,
    text::RawText,
};
use hardwon_engine::{
    AccessError, Engine, Error, Principal, RecallOutcome, RecallRequest, embed,
    sessions::{FileSessions, Sessions as _},
};
use hardwon_store::Moment;

use crate::{
    args::GlobalArgs,
    config::{self, Settings},
    error::CliError,
    open, output,
};

/// One call of one client.
#[derive(Debug)]
pub(super) struct Caller {
    settings: Settings,
    client: Option<ClientName>,
}

impl Caller {
    /// Reads the settings as they are now, for the folder that the client works in.
    pub(super) fn new(
        global: &GlobalArgs,
        folder: Option<&Path>,
        client: Option<&str>,
    ) -> Result<Self, CliError> {
        let settings = Settings::load_in(global, folder)?;
        let client = client.and_then(|name| ClientName::parse(name).ok());
        Ok(Self { settings, client })
    }

    /// Returns whose lessons are meant.
    pub(super) fn scope(&self) -> &Scope {
        &self.settings.scope
    }

    /// Returns the agent that calls. What it says after it read content from outside may be that
    /// content's.
    pub(super) fn agent(&self) -> Principal {
        let state = config::state_folder();
        let is_tainted =
            state.is_ok_and(|state| FileSessions::new(&state).is_tainted(self.scope()));
        self.agent_with_taint(is_tainted)
    }

    /// Returns the agent that calls, where it is known what its word is worth.
    pub(super) fn agent_with_taint(&self, is_tainted: bool) -> Principal {
        Principal::agent(self.scope().clone(), is_tainted)
    }

    /// Returns whether a lesson may say what a session of this scope has read from outside.
    pub(super) fn may_be_from_outside(&self, content: &LessonContent<RawText>) -> bool {
        let state = config::state_folder();
        state.is_ok_and(|state| {
            let words = FileSessions::new(&state).outside_words_in_scope(self.scope());
            words.has_unknown() || words.are_in_lesson(content)
        })
    }

    /// Opens the database for reading.
    pub(super) fn open_reader(&self) -> Result<Engine, CliError> {
        open::open_flushed(&self.settings)
    }

    /// Opens the database for writing.
    pub(super) fn open_writer(&self) -> Result<Engine, CliError> {
        open::open_writer(&self.settings)
    }

    /// Recalls what fits a text, for an agent of these names, in this form of preamble or the settings'.
    ///
    /// That it cannot be noted what was shown is no reason to show nothing.
    pub(super) fn recall(
        &self,
        query: String,
        requester: Requester,
        limit: Option<usize>,
        format: Option<PreambleFormat>,
    ) -> Result<RecallOutcome, CliError> {
        let engine = open::open_reader(&self.settings)?;
        let ask = RecallRequest {
            requester,
            limit,
            format,
            client: self.client.clone(),
            moment: Moment::Requested,
            ..RecallRequest::new(self.scope().clone(), RawText::from(query))
        };
        let desk = engine.acting_as(self.agent_with_taint(false));
        let recalled = desk.explain_recall(&ask)?;
        if let Some(trouble) = &recalled.embedding_error {
            output::print_note(&embed::explain_fallback(trouble));
        }
        if let Err(error) = desk.record_recall(&ask, &recalled) {
            output::print_note(&CliError::from(error).to_string());
        }
        Ok(recalled)
    }
}

/// Returns a lesson for an agent to read. Of one that is held back there is nothing to read.
pub(super) fn require_readable(lesson: Lesson) -> Result<Lesson, Error> {
    match lesson.status {
        Status::Pending { .. } | Status::Quarantined { .. } => {
            Err(AccessError::AwaitsReview(lesson.id).into())
        }
        Status::Active | Status::Superseded { .. } | Status::Archived { .. } => Ok(lesson),
    }
}

/// Says why a lesson was not touched, and what an agent can do now.
pub(super) fn explain_refusal(error: Error) -> CliError {
    match error {
        Error::Denied(denied @ AccessError::NotFound(_)) => CliError::negative(denied.to_string())
            .with_hint("`search` and `list` give the numbers of those there are"),
        Error::Denied(AccessError::AwaitsReview(id)) => CliError::bad_input(format!(
            "{id} is held back"
        ))
        .with_hint("a person looks at it with `hardwon lesson show` and decides; go on without it"),
        Error::Curation(unfit) => CliError::bad_input(unfit.to_string())
            .with_hint("tell the user what is wrong with it, and go on without it"),
        other => other.into(),
    }
}
