//! What happens in a client's session, one event at a time, and what is said to the agent.
//!
//! A client tells about its session through hooks: each event may come in a process of its own.
//! [`Happening`] is such an event in our words, whichever client sent it; which client spells it
//! how is the door's business, and so is where a [`Session`] is kept between two events.
//!
//! Attending has three steps, so that a store is opened only where it is needed:
//! [`Session::take`] folds the event in and says what it calls for, [`Desk::look`](crate::Desk::look) asks the store
//! for that, and [`Session::say`] decides what is said. [`Desk::attend`](crate::Desk::attend) does all three.

mod double;
mod line;
mod look;
mod say;
mod session;

#[cfg(test)]
mod tests;

use hardwon_core::{
    capture::question::TurnQuestion,
    event::ToolCall,
    id::{ClientName, LessonId, RunId},
    loops::DetectedLoop,
    outside::OutsideWords,
    scope::Scope,
    text::RawText,
};
use hardwon_store::Recall;

pub use look::Looked;
pub use session::{Needs, Session, Turn};

use crate::{Engine, Result};

/// Something that happened in a client's session.
#[derive(Debug, Clone, PartialEq)]
pub struct Happening {
    /// Which session.
    pub run: RunId,
    /// Which client.
    pub client: ClientName,
    /// Whose lessons are meant.
    pub scope: Scope,
    /// Whether it happened in a sub-agent, whose prompt is its parent's. It is a run of its own.
    pub in_subagent: bool,
    /// What can be said back.
    pub hears: Hears,
    /// Whether the agent may be asked what a later session should know, where it hears a reason to go on.
    pub may_be_asked: bool,
    /// What.
    pub what: Happened,
}

/// What a client takes at an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hears {
    /// Nothing.
    #[default]
    Nothing,
    /// Something that the model should know from here on.
    Context,
    /// A reason to go on instead of stopping.
    GoOn,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Happened {
    /// The session began, or went on from where it was.
    Started(Start),
    /// The agent is about to be given a prompt.
    Prompted(RawText),
    /// A tool is about to be used.
    Calling {
        /// The client's name for the call, where it has one.
        call: Option<String>,
        /// The tool, as the agent calls it.
        tool: RawText,
        /// Its arguments: a command line for a shell, compact JSON for the rest.
        args: RawText,
    },
    /// A tool was used.
    Called {
        /// The client's name for the call, where it has one.
        call: Option<String>,
        /// What was called, and how it ended. The turn is not known and is 0.
        what: ToolCall<RawText>,
        /// What it returned, where that is known.
        printed: Option<RawText>,
    },
    /// The agent came to the end of its turn.
    Stopped {
        /// Its last message, where the client tells.
        said: Option<RawText>,
        /// Whether it only goes on because a hook asked it to.
        is_asked: bool,
    },
    /// What was said so far is about to be summed up and forgotten.
    Compacting,
    /// The session is over.
    Ended,
}

impl Happened {
    /// Returns the words of a result that was written elsewhere; unknown ones, where it is not known.
    #[must_use]
    pub fn words_of(printed: Option<&RawText>) -> OutsideWords {
        let known = printed.map(|text| OutsideWords::from_text(text.expose()));
        known.unwrap_or_else(OutsideWords::unknown)
    }
}

/// How a session began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// It is new.
    Fresh,
    /// It was taken up again.
    Resumed,
    /// It goes on after its context was cleared or summed up.
    Cleared,
}

/// What is said to an agent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Say {
    /// Nothing.
    #[default]
    Nothing,
    /// Something that it should know from here on.
    Context(String),
    /// Something that it should know before it stops, so that it goes on.
    GoOn(String),
}

/// What an event came to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Attended {
    /// What is said.
    pub say: Say,
    /// The loop that it warns of.
    pub looped: Option<DetectedLoop>,
    /// The lessons in it.
    pub shown: Vec<LessonId>,
    /// What is to be noted once it is said: [`Desk::note_recall`](crate::Desk::note_recall).
    pub recalls: Vec<Recall>,
    /// Whether the session so far is to be learned from.
    pub is_capture_due: bool,
    /// What the agent is asked, if it is asked what a later session should know.
    pub asked: Option<TurnQuestion>,
    /// The lessons that it answered with; none if it was not asked before.
    pub answered: Option<Vec<LessonId>>,
}

impl Engine {
    pub(crate) fn attend(&self, session: &mut Session, event: &Happening) -> Result<Attended> {
        let now = self.clock.now();
        let turn = session.take(event, now);
        let looked = match turn.needs() {
            Needs::Nothing => Looked::default(),
            Needs::Lessons | Needs::Changes => self.look(session, event, &turn)?,
        };
        Ok(session.say(turn, looked, now))
    }
}
