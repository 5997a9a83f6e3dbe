//! Who makes a call, and where: one call's settings and what it may touch.

use std::path::Path;

use hardwon_core::{
    id::{ClientName, LessonId},
    lesson::{Content, Lesson, Status, TargetKind, Trust, TrustClass},
    rank::Asker,
    scope::Scope,
    text::RawText,
};
use hardwon_engine::{
    Actor, Ask, Engine, Recalled,
    sessions::{FileSessions, Sessions as _},
};
use hardwon_store::Moment;

use crate::{
    args::{Global, PreambleForm},
    config::{self, Settings},
    embedding,
    error::Failure,
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
        global: &Global,
        folder: Option<&Path>,
        client: Option<&str>,
    ) -> Result<Self, Failure> {
        let settings = Settings::load_in(global, folder)?;
        let client = client.and_then(|name| ClientName::parse(name).ok());
        Ok(Self { settings, client })
    }

    /// Returns whose lessons are meant.
    pub(super) fn scope(&self) -> &Scope {
        &self.settings.scope
    }

    /// Returns who the journal says it was.
    pub(super) fn actor(&self) -> Actor {
        Actor::agent(&self.settings.scope.agent)
    }

    /// Returns what its word is worth: what it says after it read content from outside may be that
    /// content's.
    pub(super) fn word(&self) -> Trust {
        let state = config::state_folder();
        Trust {
            class: TrustClass::Agent,
            tainted: state.is_ok_and(|state| FileSessions::new(&state).is_tainted(self.scope())),
        }
    }

    /// Returns whether a lesson may say what a session of this scope has read from outside.
    pub(super) fn may_be_from_outside(&self, content: &Content<RawText>) -> bool {
        let state = config::state_folder();
        state.is_ok_and(|state| {
            let words = FileSessions::new(&state).outside_in(self.scope());
            words.has_unknown() || words.are_in(content)
        })
    }

    /// Returns the form of preamble that the user wants.
    pub(super) fn form(&self) -> PreambleForm {
        self.settings.form
    }

    /// Opens the database for reading.
    pub(super) fn reader(&self) -> Result<Engine, Failure> {
        open::settled(&self.settings)
    }

    /// Opens the database for writing.
    pub(super) fn writer(&self) -> Result<Engine, Failure> {
        open::writer(&self.settings)
    }

    /// Recalls what fits a text, for an agent of these names, in this form of preamble.
    ///
    /// That it cannot be noted what was shown is no reason to show nothing.
    pub(super) fn recall(
        &self,
        query: String,
        names: Vec<(TargetKind, String)>,
        limit: Option<usize>,
        form: PreambleForm,
    ) -> Result<Recalled, Failure> {
        let engine = open::reader(&Settings {
            form,
            ..self.settings.clone()
        })?;
        let ask = Ask {
            asker: Asker {
                names,
                ..Asker::default()
            },
            limit,
            client: self.client.clone(),
            moment: Moment::Asked,
            ..Ask::new(self.scope().clone(), RawText::from(query))
        };
        let recalled = engine.explain(&ask)?;
        if let Some(trouble) = &recalled.trouble {
            output::note(&embedding::by_words(trouble));
        }
        if let Err(error) = engine.remember(&ask, &recalled) {
            output::note(&Failure::from(error).to_string());
        }
        Ok(recalled)
    }

    /// Finds a lesson that this agent may see in this project, in whatever state.
    pub(super) fn find(&self, engine: &Engine, id: LessonId) -> Result<Option<Lesson>, Failure> {
        let found = engine.lesson(&self.scope().tenant, id)?;
        Ok(found.filter(|lesson| lesson.scope.is_visible_from(self.scope())))
    }

    /// Finds a lesson that was named; one that waits for a person is not for an agent to judge.
    pub(super) fn named(&self, engine: &Engine, id: i64) -> Result<Lesson, Failure> {
        let id = LessonId(id);
        let lesson = self.find(engine, id)?.ok_or_else(|| {
            Failure::nothing(format!("there is no lesson {id}"))
                .hint("`search` and `list` give the numbers of those there are")
        })?;
        match lesson.status {
            Status::Pending { .. } | Status::Quarantined { .. } => Err(Failure::input(format!(
                "{id} is held back"
            ))
            .hint("a person looks at it with `hardwon lesson show` and decides; go on without it")),
            Status::Active | Status::Superseded { .. } | Status::Archived { .. } => Ok(lesson),
        }
    }
}
