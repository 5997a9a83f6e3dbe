//! What happens in a client's session, one event at a time, and what is said to the agent.
//!
//! A client tells about its session through hooks: each event may come in a process of its own.
//! [`SessionEvent`] is such an event in our words, whichever client sent it; which client spells it
//! how is the door's business, and so is where an [`AgentSession`] is kept between two events.
//!
//! Attending has three steps, so that a store is opened only where it is needed:
//! [`AgentSession::take_event`] folds the event in and says what it calls for, [`Desk::look_up_and_answer`](crate::Desk::look_up_and_answer) asks the store
//! for that, and [`AgentSession::compose_reply`] decides what is said. [`Desk::attend_event`](crate::Desk::attend_event) does all three.

mod duplicates;
mod memory_line;
mod lookup;
mod reply;
mod session;
mod step;

#[cfg(test)]
mod tests;

use hardwon_core::{
    access::Rights,
    capture::question::TurnQuestion,
    event::ToolCall,
    id::{ClientName, LessonId, RunId},
    loops::DetectedLoop,
    outside::OutsideWords,
    scope::Scope,
    text::RawText,
};
use hardwon_store::Recall;

pub use session::AgentSession;
pub use step::{Lookup, SessionStep, StoreAccess};

use crate::{Desk, Result};

/// Something that happened in a client's session.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionEvent {
    /// Which session.
    pub run: RunId,
    /// Which client.
    pub client: ClientName,
    /// Whose lessons are meant.
    pub scope: Scope,
    /// Whether it happened in a sub-agent, whose prompt is its parent's. It is a run of its own.
    pub in_subagent: bool,
    /// What can be said back.
    pub reply_channel: ReplyChannel,
    /// Whether the agent may be asked what a later session should know, where it hears a reason to go on.
    pub may_ask_agent: bool,
    /// What.
    pub kind: SessionEventKind,
}

/// What a client takes at an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReplyChannel {
    /// Nothing.
    #[default]
    None,
    /// Something that the model should know from here on.
    Context,
    /// A reason to go on instead of stopping.
    Continue,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionEventKind {
    /// The session began, or went on from where it was.
    Started(SessionStartKind),
    /// The agent is about to be given a prompt.
    Prompted(RawText),
    /// A tool is about to be used.
    BeforeCall {
        /// The client's name for the call, where it has one.
        call_id: Option<String>,
        /// The tool, as the agent calls it.
        tool: RawText,
        /// Its arguments: a command line for a shell, compact JSON for the rest.
        args: RawText,
    },
    /// A tool was used.
    AfterCall {
        /// The client's name for the call, where it has one.
        call_id: Option<String>,
        /// What was called, and how it ended. The turn is not known and is 0.
        tool_call: ToolCall<RawText>,
        /// What it returned, where that is known.
        output: Option<RawText>,
    },
    /// The agent came to the end of its turn.
    Stopped {
        /// Its last message, where the client tells.
        last_message: Option<RawText>,
        /// Whether it only goes on because a hook asked it to.
        is_continuation: bool,
    },
    /// What was said so far is about to be summed up and forgotten.
    Compacting,
    /// The session is over.
    Ended,
}

impl SessionEventKind {
    /// Returns the words of a result that was written elsewhere; unknown ones, where it is not known.
    #[must_use]
    pub fn outside_words(printed: Option<&RawText>) -> OutsideWords {
        let known = printed.map(|text| OutsideWords::from_text(text.expose()));
        known.unwrap_or_else(OutsideWords::unknown)
    }
}

/// How a session began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionStartKind {
    /// It is new.
    Fresh,
    /// It was taken up again.
    Resumed,
    /// It goes on after its context was cleared or summed up.
    Cleared,
}

/// What is said to an agent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum HookReply {
    /// Nothing.
    #[default]
    Empty,
    /// Something that it should know from here on.
    Context(String),
    /// Something that it should know before it stops, so that it goes on.
    Continue(String),
}

/// What an event came to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AttendOutcome {
    /// What is said.
    pub reply: HookReply,
    /// The loop that it warns of.
    pub detected_loop: Option<DetectedLoop>,
    /// The lessons in it.
    pub shown: Vec<LessonId>,
    /// What is to be noted once it is said: [`Desk::note_recall`](crate::Desk::note_recall).
    pub recalls: Vec<Recall>,
    /// Whether the session so far is to be learned from.
    pub is_capture_due: bool,
    /// What the agent is asked, if it is asked what a later session should know.
    pub question: Option<TurnQuestion>,
    /// The lessons that it answered with; none if it was not asked before.
    pub answer_lessons: Option<Vec<LessonId>>,
}

impl Desk<'_> {
    /// Takes an event of a session in, and says what there is to say about it.
    ///
    /// Who needs what is said even where nothing can be written hands it out before it notes the
    /// recalls.
    pub fn attend_event(
        &self,
        session: &mut AgentSession,
        event: &SessionEvent,
    ) -> Result<AttendOutcome> {
        self.check_access(Rights::Write, &event.scope)?;
        let now = self.now();
        let turn = session.take_event(event, now);
        let looked = match turn.store_access() {
            StoreAccess::None => Lookup::default(),
            StoreAccess::ReadLessons | StoreAccess::ChangeLessons => {
                self.look_up_and_answer(session, event, &turn)?
            }
        };
        Ok(session.compose_reply(turn, looked, now))
    }
}
