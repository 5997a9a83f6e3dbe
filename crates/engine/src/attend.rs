//! Attends a client's session, one event at a time, and composes replies to the agent.
//!
//! A client reports its session through hooks: each event may come in a process of its own. [`SessionEvent`] is such an
//! event in our words, whichever client sent it; the door translates each client's spelling and decides where an
//! [`AgentSession`] is kept between two events.
//!
//! Attending has three steps, so that a store is opened only where it is needed: [`AgentSession::take_event`] applies
//! the event and says what it calls for, [`Desk::look_up_and_answer`](crate::Desk::look_up_and_answer) queries the
//! store for that, and [`AgentSession::compose_reply`] decides the reply.
//! [`Desk::attend_event`](crate::Desk::attend_event) does all three.

mod duplicates;
mod memory_line;
mod lookup;
mod reply;
mod reported;
mod session;
mod step;

#[cfg(test)]
mod tests;

use hardwon_core::{
    ClientName, Lesson, LessonId, OutsideWords, RawText, RunId, Scope, ToolCall, TurnQuestion, writ,
};
use hardwon_store::Recall;

use crate::{Desk, Result, Rights, loops::LoopedCall};

pub use lookup::LookupContext;
pub use session::AgentSession;
pub use step::{Lookup, SessionStep, StoreAccess, UndoneWrit};

/// An event in a client's session.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionEvent {
    /// The session.
    pub run: RunId,
    /// The client that reported the event.
    pub client: ClientName,
    /// The scope whose lessons apply.
    pub scope: Scope,
    /// Whether it happened in a sub-agent, whose prompts come from its parent. It is a run of its own.
    pub in_subagent: bool,
    /// The kind of reply that the client passes on.
    pub reply_channel: ReplyChannel,
    /// Whether the client can refuse the call that is about to be made.
    pub may_hold: bool,
    /// Whether the agent may be asked what a later session should know, where the client passes on a reason to
    /// continue.
    pub may_ask_agent: bool,
    /// Whether surely nobody types into the session, so that a program wrote its prompts.
    pub is_unattended: bool,
    /// The kind of event, with its details.
    pub kind: SessionEventKind,
}

/// The kind of reply that a client passes on at an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReplyChannel {
    /// None: a reply would reach nobody.
    #[default]
    None,
    /// Context for the model's next steps.
    Context,
    /// A reason to continue instead of stopping.
    Continue,
}

/// The kinds of session events.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionEventKind {
    /// The session began, or was resumed.
    Started(SessionStartKind),
    /// The agent is about to be given a prompt.
    Prompted(RawText),
    /// A tool is about to be used.
    BeforeCall {
        /// The client's id of the call, where it has one.
        call_id: Option<String>,
        /// The tool's name, as the agent calls it.
        tool: RawText,
        /// Its arguments: a command line for a shell, compact JSON for the rest.
        args: RawText,
        /// The task that the call gives to a sub-agent, if it starts one.
        delegates: Option<RawText>,
    },
    /// A tool was used.
    AfterCall {
        /// The client's id of the call, where it has one.
        call_id: Option<String>,
        /// The call and its status. The turn is not known and is 0.
        tool_call: ToolCall<RawText>,
        /// The tool's output; `None` where the client does not report it.
        output: Option<RawText>,
        /// Its arguments as they were, where it writes a file; those of the call are shortened.
        written: Option<RawText>,
    },
    /// The agent ended its turn.
    Stopped {
        /// Its last message, where the client reports it.
        last_message: Option<RawText>,
        /// Whether it only continued because a hook asked it to.
        is_continuation: bool,
    },
    /// The client is about to compact the context.
    Compacting,
    /// The session is over.
    Ended,
}

impl SessionEventKind {
    /// Returns whether a person or an agent wrote a line in it that changes lessons.
    pub fn has_writ(&self) -> bool {
        let text = match self {
            Self::Prompted(said) => Some(said),
            Self::Stopped { last_message, .. } => last_message.as_ref(),
            _ => None,
        };
        text.is_some_and(|text| {
            !writ::parse(&hardwon_redact::strip_own_blocks(text.expose())).is_empty()
        })
    }

    /// Returns the words of a result that was written elsewhere; an unknown set where the result is not known.
    pub fn outside_words(printed: Option<&RawText>) -> OutsideWords {
        let words = printed.map(|text| OutsideWords::from_text(text.expose()));
        words.unwrap_or_else(OutsideWords::unknown)
    }
}

hardwon_core::named_enum! {
    /// How a session began.
    SessionStartKind {
        /// It is new.
        Fresh = "fresh",
        /// It was resumed.
        Resumed = "resumed",
        /// It continues after its context was cleared.
        Cleared = "cleared",
        /// It continues with a summary of its context.
        Compacted = "compacted",
    }
}

/// A reply to an agent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum HookReply {
    /// Nothing.
    #[default]
    Empty,
    /// Context for its next steps.
    Context(String),
    /// Something that it should know before it stops, so that it continues.
    Continue(String),
    /// Why its call is not made this time.
    Hold(String),
}

/// The outcome of attending an event.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AttendOutcome {
    /// The reply to the agent.
    pub reply: HookReply,
    /// The loop that the reply warns of.
    pub detected_loop: Option<LoopedCall>,
    /// The lessons in the reply.
    pub shown: Vec<LessonId>,
    /// What a single earlier session did, if that is in the reply.
    pub seen_once: Option<Lesson>,
    /// Recalls to record once the reply is out: [`Desk::note_recall`](crate::Desk::note_recall).
    pub recalls: Vec<Recall>,
    /// Whether it is time to learn from the session so far.
    pub is_capture_due: bool,
    /// The question to the agent about what a later session should know, if it is asked one.
    pub question: Option<TurnQuestion>,
    /// The lessons that it answered with; `None` if it was not asked before.
    pub answer_lessons: Option<Vec<LessonId>>,
    /// The event's writs that were not carried out, or not yet.
    pub undone: Vec<UndoneWrit>,
}

impl Desk<'_> {
    /// Takes a session's event in, and returns the reply to it.
    ///
    /// A caller whose agent needs the reply even where nothing can be written hands it out before recording the
    /// recalls.
    pub fn attend_event(
        &self,
        session: &mut AgentSession,
        event: &SessionEvent,
    ) -> Result<AttendOutcome> {
        self.check_access(Rights::Write, &event.scope)?;
        let now = self.now();
        let step = session.take_event(event, now);
        let lookup = match step.store_access() {
            StoreAccess::None => Lookup::default(),
            StoreAccess::ReadLessons | StoreAccess::ChangeLessons => {
                self.look_up_and_answer(step.seen_in(session, event))?
            }
        };
        Ok(session.compose_reply(step, lookup, now))
    }
}
