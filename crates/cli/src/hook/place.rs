//! Where a hook's events happened, and what they come to there: the session's memory and the
//! engine, put together.
//!
//! The memory is locked while the events are decided. A store in trouble costs the lessons, not the
//! rest: a loop is told of, an event is remembered. Without a memory nothing is said before a call,
//! for it would be said before each.

use std::{
    env, mem,
    path::{Path, PathBuf},
};

use hardwon_clients::{
    Client,
    hook::{AnswerForm, HookEvent, SessionSigns},
};
use hardwon_core::{
    id::{ClientName, RunId},
    limits,
};
use hardwon_engine::{
    Desk, Engine, Principal,
    attend::{Attended, Happened, Happening, Hears, Looked, Needs, Say, Session, Turn},
    sessions::{Due, KeptWrit, OpenMemory, Sessions},
};
use jiff::Timestamp;

use super::{log, questions};
use crate::{
    config::{AskWhen, Settings},
    error::Failure,
    open,
};

/// What events came to, and the engine, if one was needed.
#[derive(Default)]
pub(super) struct Answered {
    pub(super) attended: Attended,
    pub(super) engine: Option<Engine>,
    /// Whether the engine changed something.
    pub(super) has_written: bool,
    /// What went wrong on the way and cost no more than a part of the answer.
    pub(super) trouble: Option<String>,
}

/// Returns the desk of the agent that an event is about.
fn desk<'e>(engine: &'e Engine, event: &Happening) -> Desk<'e> {
    engine.acting_as(Principal::agent(event.scope.clone(), false))
}

/// Where events happened.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) client: Client,
    pub(super) name: ClientName,
    pub(super) event: &'static HookEvent,
    pub(super) settings: Settings,
    pub(super) run: RunId,
    pub(super) in_subagent: bool,
    pub(super) is_typed: Option<bool>,
    /// Where the session works.
    pub(super) folder: Option<PathBuf>,
    pub(super) transcript: Option<PathBuf>,
    pub(super) now: Timestamp,
}

impl Place {
    /// Attends events, one after the other.
    pub(super) fn attend(
        &self,
        state: &Path,
        sessions: &dyn Sessions,
        happened: Vec<Happened>,
    ) -> Answered {
        let note = |doing: &str, what: String| {
            log::note(state, self.client.name(), &format!("{doing}{what}"));
        };
        let (run, scope) = (self.run.clone(), self.settings.scope.clone());
        let memory = sessions.open(&run, self.reach(&happened));
        let mut session = match &memory {
            Ok(memory) => memory.session(run, scope),
            Err(error) => {
                note("opening the session's memory: ", error.to_string());
                Session::new(run, scope)
            }
        };
        let ends = |what: &Happened| matches!(what, Happened::Stopped { .. });
        if session.has_read_outside()
            && happened.iter().any(ends)
            && let Some(words) = sessions.outside_of(&self.settings.scope, &self.run)
        {
            session.know_outside(words);
        }
        let mut answered = Answered::default();
        for what in happened {
            let hears = self.hears(&what, memory.as_deref().ok());
            let event = self.happening(state, hears, what);
            let turn = session.take(&event, self.now);
            let looked = self.look(sessions, &session, &event, &turn, &mut answered);
            let looked = looked.unwrap_or_else(|failure| {
                note("", failure.to_string());
                Looked::default()
            });
            let attended = session.say(turn, looked, self.now);
            answered.attended = joined(mem::take(&mut answered.attended), attended);
        }
        if let Some(words) = session.take_outside() {
            sessions.add_outside(&self.settings.scope, &self.run, &words);
        }
        if let Ok(memory) = memory
            && let Err(error) = memory.append(&session.take_fresh())
        {
            note("writing the session's memory: ", error.to_string());
        }
        answered
    }

    /// Returns how much of the session's memory is looked at: of a turn that ends, all of it.
    fn reach(&self, happened: &[Happened]) -> usize {
        let ends = |what: &Happened| matches!(what, Happened::Stopped { .. });
        let goes_on = matches!(self.event.answer, AnswerForm::GoOn(_));
        match goes_on && self.settings.ask != AskWhen::Off && happened.iter().any(ends) {
            true => limits::QUESTION_TAIL_BYTES,
            false => limits::SESSION_TAIL_BYTES,
        }
    }

    /// Returns whether the agent may be asked now what a later session should know.
    fn may_ask(&self, state: &Path) -> bool {
        let signs = SessionSigns {
            session: self.run.as_str(),
            transcript: self.transcript.as_deref(),
            told: self.is_typed,
        };
        let is_meant = match self.settings.ask {
            AskWhen::Off => false,
            AskWhen::On => self
                .client
                .row()
                .is_typed(&signs, &|name| env::var(name).ok()),
            AskWhen::Always => true,
        };
        is_meant && questions::count_of_day(state, self.now) < self.settings.asks_per_day
    }

    fn look(
        &self,
        sessions: &dyn Sessions,
        session: &Session,
        event: &Happening,
        turn: &Turn,
        answered: &mut Answered,
    ) -> Result<Looked, Failure> {
        let opened = match (turn.needs(), answered.engine.take()) {
            (Needs::Nothing, engine) => {
                answered.engine = engine;
                return Ok(Looked::default());
            }
            (Needs::Lessons, Some(engine)) => engine,
            (Needs::Lessons, None) => open::once(&self.settings)?,
            (Needs::Changes, _) => {
                return self.look_and_change(sessions, session, event, turn, answered);
            }
        };
        let engine = answered.engine.insert(opened);
        let looked = desk(engine, event).look(session, event, turn)?;
        answered.trouble = embedding_trouble(&looked);
        Ok(looked)
    }

    /// Carries out what is asked for besides. What cannot be stored just now is kept, and the lessons
    /// are looked up all the same.
    fn look_and_change(
        &self,
        sessions: &dyn Sessions,
        session: &Session,
        event: &Happening,
        turn: &Turn,
        answered: &mut Answered,
    ) -> Result<Looked, Failure> {
        let stored = open::hasty_writer(&self.settings).and_then(|engine| {
            answered.has_written = true;
            Ok(desk(answered.engine.insert(engine), event).look(session, event, turn)?)
        });
        let failure = match stored {
            Ok(looked) => {
                answered.trouble = embedding_trouble(&looked);
                return Ok(looked);
            }
            Err(failure) => failure,
        };
        let kept = turn.kept_writs(session, event);
        if kept.is_empty() || sessions.add_due(&self.due(&kept)).is_err() {
            return Err(failure);
        }
        let what = format!("{}; it is kept and tried again", failure.message());
        answered.trouble = Some(what);
        let looked = open::once(&self.settings).and_then(|engine| {
            let engine = answered.engine.insert(engine);
            Ok(desk(engine, event).look_up(session, event, turn)?)
        });
        Ok(looked.unwrap_or_default().with_kept(&kept))
    }

    /// Returns what is to be known to carry writs out later.
    fn due(&self, writs: &[KeptWrit]) -> Due {
        Due {
            run: self.run.as_str().to_owned(),
            client: self.client.name().to_owned(),
            folder: self.folder.clone(),
            transcript: None,
            tries: 0,
            writs: writs.to_vec(),
        }
    }

    /// Returns what can be said back. A sub-agent's prompt is its parent's, which was answered.
    fn hears(&self, what: &Happened, memory: Option<&dyn OpenMemory>) -> Hears {
        let is_told = matches!(what, Happened::Started(_) | Happened::Prompted(_));
        let is_answered = self.in_subagent && !self.settings.subagents && is_told;
        let may_speak = match memory {
            Some(memory) => memory.is_locked(),
            None => !matches!(what, Happened::Calling { .. }),
        };
        match self.event.answer {
            _ if is_answered || !may_speak => Hears::Nothing,
            AnswerForm::Nothing => Hears::Nothing,
            AnswerForm::Context(_) => Hears::Context,
            AnswerForm::GoOn(_) => Hears::GoOn,
        }
    }

    fn happening(&self, state: &Path, hears: Hears, what: Happened) -> Happening {
        let ends = matches!(what, Happened::Stopped { .. });
        Happening {
            run: self.run.clone(),
            client: self.name.clone(),
            scope: self.settings.scope.clone(),
            in_subagent: self.in_subagent,
            hears,
            may_be_asked: ends && hears == Hears::GoOn && self.may_ask(state),
            what,
        }
    }
}

/// Returns why a prompt was not compared by its meaning, where it was to be.
fn embedding_trouble(looked: &Looked) -> Option<String> {
    let trouble = looked.trouble.as_ref();
    trouble.map(|it| format!("embedding the prompt: {it}"))
}

/// Puts together what two events of one payload came to.
fn joined(mut one: Attended, two: Attended) -> Attended {
    one.say = match (mem::take(&mut one.say), two.say) {
        (Say::Nothing, said) | (said, Say::Nothing) => said,
        (Say::Context(one), Say::Context(two)) => Say::Context(format!("{one}\n{two}")),
        (Say::GoOn(one), Say::Context(two) | Say::GoOn(two))
        | (Say::Context(one), Say::GoOn(two)) => Say::GoOn(format!("{one}\n{two}")),
    };
    one.looped = two.looped.or(one.looped);
    one.shown.extend(two.shown);
    one.recalls.extend(two.recalls);
    one.is_capture_due |= two.is_capture_due;
    one.asked = one.asked.or(two.asked);
    one.answered = one.answered.or(two.answered);
    one
}
