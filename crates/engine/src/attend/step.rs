//! What an event calls for, and what was found for it: what a session asks of the store and what it is
//! answered.
//!
//! A [`SessionStep`] is made by a session, a [`Lookup`] by whoever asks the store. Nothing here decides.

use hardwon_core::{
    CleanText, Lesson, LessonId, RawText, SpottedWrit, ToolCall, TurnQuestion, limits,
};
use hardwon_store::{Moment, Recall};

use super::{ReplyChannel, SessionStartKind};
use crate::{
    KeptWrit, ModelError,
    loops::LoopedCall,
    writ::{WritReply, render_reply},
};

/// What an event calls for.
#[derive(Debug, Default)]
pub struct SessionStep {
    pub(super) lookup: Option<LookupKind>,
    pub(super) detected_loop: Option<LoopedCall>,
    pub(super) writs: Vec<SpottedWrit>,
    /// When the event was taken in, in milliseconds since 1970.
    pub(super) at_ms: i64,
    pub(super) reply_channel: ReplyChannel,
    pub(super) is_capture_due: bool,
    /// Who wrote the writs.
    pub(super) writer: WritWriter,
    /// The question that the ending turn is worth.
    pub(super) question: Option<TurnQuestion>,
    /// The question that the writs answer.
    pub(super) answered_question: Option<TurnQuestion>,
    /// The question that they answer before it was asked.
    pub(super) forestalled_question: Option<TurnQuestion>,
}

/// Who wrote the writs of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum WritWriter {
    /// An agent, who may repeat what it has read from outside.
    #[default]
    Agent,
    /// A person in a prompt: what stands below other words may be pasted, and is anybody's.
    Person,
    /// A program in a prompt, which may have put anybody's words there.
    Program,
}

/// What to look up.
#[derive(Debug)]
pub(super) enum LookupKind {
    /// The lessons that a session begins with.
    SessionStart(SessionStartKind),
    /// The lessons that match a prompt.
    Prompt(RawText),
    /// The lessons that name a call.
    BeforeCall(ToolCall<CleanText>),
    /// The lessons about the failure of a call.
    Failure(ToolCall<CleanText>),
}

impl LookupKind {
    /// Returns the moment at which the result is shown.
    pub(super) fn moment(&self) -> Moment {
        match self {
            Self::SessionStart(_) => Moment::SessionStart,
            Self::Prompt(_) => Moment::Prompt,
            Self::BeforeCall(_) => Moment::BeforeCall,
            Self::Failure(_) => Moment::Failure,
        }
    }
}

/// How much access to the store an event needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreAccess {
    /// Nothing: the store need not be opened.
    None,
    /// To read lessons.
    ReadLessons,
    /// To change lessons.
    ChangeLessons,
}

impl SessionStep {
    /// Returns how much access to the store the event needs.
    pub fn store_access(&self) -> StoreAccess {
        match (&self.lookup, &self.question, self.writs.is_empty()) {
            (_, _, false) => StoreAccess::ChangeLessons,
            (Some(_), _, true) | (_, Some(_), true) => StoreAccess::ReadLessons,
            (None, None, true) => StoreAccess::None,
        }
    }
}

/// The result of looking up what an event calls for.
#[derive(Debug, Default)]
pub struct Lookup {
    /// The rendered lessons; `None` if there are none.
    pub(super) preamble: Option<String>,
    /// The lessons in it.
    pub(super) shown: Vec<LessonId>,
    /// What a single earlier session did, if that is in place of lessons.
    pub(super) seen_once: Option<Lesson>,
    /// Whether they hold the call.
    pub(super) holds_call: bool,
    /// Lessons left out at random from now on.
    pub(super) controls: Vec<LessonId>,
    /// Recalls to record.
    pub(super) recalls: Vec<Recall>,
    /// The answers to writs.
    pub(super) answers: Vec<WritAnswer>,
    /// The question to the agent, if there is one.
    pub(super) question: Option<TurnQuestion>,
    /// Why the configured embedding was not used.
    pub embedding_error: Option<ModelError>,
}

/// The answer to a writ.
#[derive(Debug)]
pub(super) struct WritAnswer {
    /// The text for its writer.
    pub(super) reply: String,
    /// Whether the writ was a query.
    pub(super) is_query: bool,
    /// The lesson that it made or was about.
    pub(super) lesson: Option<LessonId>,
    /// Why it was not carried out, or not yet.
    pub(super) why_undone: Option<String>,
}

/// A writ that was not carried out, or not yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoneWrit {
    /// The writ, as the answer to it names it.
    pub writ: String,
    /// The reason.
    pub why: String,
}

impl UndoneWrit {
    /// Names a writ by the answer to it.
    pub fn new(reply: &str, why: &str) -> Self {
        let head = reply.lines().next().unwrap_or_default();
        let head = head.strip_prefix('[').unwrap_or(head);
        Self {
            writ: head.strip_suffix(']').unwrap_or(head).to_owned(),
            why: why.to_owned(),
        }
    }
}

impl WritAnswer {
    /// Makes the answer to a writ that is not carried out here.
    fn undone(said: &str, why: &str) -> Self {
        Self {
            reply: format!("[/lesson]\n{said}\n[END LESSON]"),
            is_query: false,
            lesson: None,
            why_undone: Some(why.to_owned()),
        }
    }

    /// Makes the answer for all writs of a message that are more than are carried out.
    pub(super) fn surplus(writs: usize) -> Option<Self> {
        let surplus = writs
            .checked_sub(limits::WRITS)
            .filter(|count| *count > 0)?;
        let reason = format!(
            "of a message the first {} writs are carried out; {surplus} more were not",
            limits::WRITS
        );
        Some(Self::undone(&format!("ERR: {reason}"), &reason))
    }

    pub(super) fn to_undone(&self) -> Option<UndoneWrit> {
        let reason = self.why_undone.as_deref()?;
        Some(UndoneWrit::new(&self.reply, reason))
    }
}

impl Lookup {
    /// Adds the answers to writs that were kept and will be run later, and to those beside them that are not.
    #[must_use]
    pub fn with_kept_writs(self, step: &SessionStep, kept: &[KeptWrit]) -> Self {
        let reason = format!(
            "the database is busy; {} will be stored as soon as it is free",
            name_all(kept)
        );
        let answer = WritAnswer::undone(&format!("KEPT: {reason}"), &reason);
        self.with_answers(answer, step)
    }

    /// Adds the answers to writs that are on their way to the server that keeps the lessons, and to those beside them
    /// that are not.
    #[must_use]
    pub fn with_sent_writs(self, step: &SessionStep, sent: &[KeptWrit]) -> Self {
        let text = format!("SENT: {} will be carried out by the server", name_all(sent));
        let answer = WritAnswer {
            why_undone: None,
            ..WritAnswer::undone(&text, "")
        };
        self.with_answers(answer, step)
    }

    /// Adds an answer, and those to the writs that cannot be kept.
    fn with_answers(mut self, answer: WritAnswer, step: &SessionStep) -> Self {
        self.answers.push(answer);
        let writs = step.writs.iter().take(limits::WRITS);
        for SpottedWrit { writ, .. } in writs {
            let reason = match writ {
                Err(error) => error.to_string(),
                Ok(asked) if asked.is_query() => {
                    "ask again when nothing else is written".to_owned()
                }
                Ok(_) => continue,
            };
            let reply = render_reply(writ, &WritReply::Failed(&reason));
            self.answers.push(WritAnswer {
                reply,
                ..WritAnswer::undone("", &reason)
            });
        }
        self.answers.extend(WritAnswer::surplus(step.writs.len()));
        self
    }
}

fn name_all(writs: &[KeptWrit]) -> String {
    match writs.len() {
        1 => "it".to_owned(),
        count => format!("all {count}"),
    }
}
