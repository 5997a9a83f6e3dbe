//! Runs writs: the `/lesson` lines of agents and people.

mod kept_writs;
mod queue_orders;
mod reply;

pub use kept_writs::KeptWrit;
pub(crate) use reply::{WritReply, render_reply};

use hardwon_core::{
    CleanText, Lesson, LessonContent, LessonId, RawText, RunId, TrustClass, TurnQuestion, Writ,
    WritError, change::withdrawn_status, guard::neutralise,
};
use hardwon_store::{LessonListing, LessonOrder, ScopeFilter, StatusName};

use crate::{
    AccessError, Desk, Error, Note, NoteOutcome, NotedFailure, Opinion, PraiseRefusal, Result,
};

/// Most lessons in the answer to `/lesson list`.
const LISTED_LESSONS: usize = 25;
/// Most lessons in the answer to `/lesson search`.
const SEARCHED_LESSONS: usize = 10;

/// The recorded reason when a person deletes a lesson by a writ.
const TYPED_REASON: &str = "a person deleted it";

/// What a person is told of a writ that waits because it may be pasted.
const BELOW_WORDS: &str =
    ", as other words stand before it; a line that begins the message counts as typed";

/// A parsed writ, or what is wrong with it.
pub(crate) type ParsedWrit = std::result::Result<Writ, WritError>;

/// The outcome of a writ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WritOutcome {
    /// Whether it could be run.
    pub is_done: bool,
    /// The lesson it made or was about, if any.
    pub id: Option<LessonId>,
    /// The text for its writer.
    pub reply: String,
    /// Why it was not carried out, or not yet; `None` if it was.
    pub why_undone: Option<String>,
}

impl Desk<'_> {
    /// Runs a writ from an agent's or a person's text.
    ///
    /// It cannot erase: a lesson it deletes is archived, and one from a more trusted source stays.
    pub fn run_writ(&self, writ: &ParsedWrit) -> Result<WritOutcome> {
        self.run_session_writ(writ, None)
    }

    /// Runs a writ, perhaps one of a run. A lesson that it makes is found by the words of the run's task; if it answers
    /// a question, it is about that failure, and is shown when it recurs.
    pub(crate) fn run_session_writ(
        &self,
        writ: &ParsedWrit,
        behind: Option<WritContext<'_>>,
    ) -> Result<WritOutcome> {
        let good_writ = match writ {
            Ok(parsed) => parsed,
            Err(error) => return Ok(refuse_writ(writ, &error.to_string(), None)),
        };
        match good_writ {
            Writ::Create { signature, text } => self.answer_note(writ, signature, text, behind),
            Writ::Reflect { text } => self.answer_note(writ, &RawText::default(), text, behind),
            Writ::Queue(order) => self.answer_queue(writ, *order),
            Writ::List => self.answer_found(writ, "", LISTED_LESSONS),
            Writ::Search { query } => self.answer_found(writ, query.expose(), SEARCHED_LESSONS),
            Writ::Show(id) => answer_about(writ, *id, self.lesson(*id), |lesson| {
                WritReply::Shown(lesson)
            }),
            Writ::Delete(id) => {
                let result = match self.principal.trust.class {
                    TrustClass::Person => self.archive_within_trust(*id, &TYPED_REASON.into()),
                    _ => self.withdraw_lesson(*id, &withdrawn_status()),
                };
                answer_about(writ, *id, result, |lesson| WritReply::Deleted(lesson.id))
            }
            Writ::Helped(id) => self.answer_report(writ, *id, Opinion::Helped, behind),
            Writ::Wrong(id) => self.answer_report(writ, *id, Opinion::Wrong, behind),
        }
    }

    fn answer_note(
        &self,
        writ: &ParsedWrit,
        signature: &RawText,
        text: &RawText,
        behind: Option<WritContext<'_>>,
    ) -> Result<WritOutcome> {
        let is_below_words = (behind.as_ref()).is_some_and(|behind| behind.is_below_words);
        let content = LessonContent::new(signature.clone(), text.clone());
        let outcome = self.note(build_note(content, behind))?;
        let mut reason = String::new();
        let reply = match &outcome {
            NoteOutcome::Recorded(lesson) => WritReply::Recorded(lesson),
            NoteOutcome::AlreadyKnown(lesson) => WritReply::AlreadyKnown(lesson),
            NoteOutcome::Pending(lesson) => {
                reason += &crate::status_reason(&lesson.status).unwrap_or_default();
                reason += if is_below_words { BELOW_WORDS } else { "" };
                WritReply::Pending(lesson, &reason)
            }
            NoteOutcome::Refused(_) | NoteOutcome::Logged => {
                WritReply::Failed(outcome.lesson().err().unwrap_or_default())
            }
        };
        Ok(build_outcome(writ, &reply, outcome.id()))
    }

    fn answer_found(&self, writ: &ParsedWrit, words: &str, limit: usize) -> Result<WritOutcome> {
        let listing = LessonListing {
            within: ScopeFilter::Visible(self.principal.scope.clone()),
            // The reply goes into a prompt, and lessons that wait for a person are kept out of those.
            status: Some(StatusName::Active),
            search_text: words.to_owned(),
            order: LessonOrder::LastShownFirst,
            limit,
            ..LessonListing::default()
        };
        let lessons = match words {
            "" => self.lessons_as_shown(&listing)?,
            _ => self.search_words(&listing)?,
        };
        Ok(build_outcome(writ, &WritReply::Found(&lessons), None))
    }

    fn answer_report(
        &self,
        writ: &ParsedWrit,
        id: LessonId,
        opinion: Opinion,
        behind: Option<WritContext<'_>>,
    ) -> Result<WritOutcome> {
        let before = match self.lesson(id) {
            Ok(before) => before,
            refused => return answer_about(writ, id, refused, |lesson| WritReply::Counted(lesson)),
        };
        let run = behind.map(|behind| behind.run);
        let (after, refusal) = match self.report_opinion_in(id, opinion, run) {
            Ok((after, refusal)) => (Ok(after), refusal),
            Err(error) => (Err(error), None),
        };
        answer_about(writ, id, after, |after| match refusal {
            Some(why) => WritReply::Failed(why.name()),
            None if after.counts == before.counts => {
                WritReply::Failed(PraiseRefusal::Tainted.name())
            }
            None => WritReply::Counted(after),
        })
    }
}

/// Answers a writ about a lesson: with its outcome, or why nothing changed.
fn answer_about(
    writ: &ParsedWrit,
    id: LessonId,
    outcome: Result<Lesson>,
    reply: impl FnOnce(&Lesson) -> WritReply<'_>,
) -> Result<WritOutcome> {
    let refusal = match outcome {
        Ok(lesson) => return Ok(build_outcome(writ, &reply(&lesson), Some(id))),
        Err(error @ Error::Denied(AccessError::NotFound(_))) => {
            return Ok(refuse_writ(writ, &error.to_string(), None));
        }
        Err(Error::Denied(refusal)) => format!(
            "{refusal}; a person decides about it with `hardwon lesson show {}`",
            id.0
        ),
        Err(Error::Curation(refusal)) => refusal.to_string(),
        Err(error) => return Err(error),
    };
    Ok(refuse_writ(writ, &refusal, Some(id)))
}

/// The run in which a writ was written.
#[derive(Debug, Clone)]
pub(crate) struct WritContext<'a> {
    pub(crate) run: &'a RunId,
    /// The run's failure that the writ is about, whether or not a question asked for it.
    pub(crate) failure: Option<NotedFailure>,
    /// The agent's task.
    pub(crate) task: Option<&'a CleanText>,
    /// Whether it stands in a prompt below other words, which may be pasted with it.
    pub(crate) is_below_words: bool,
}

/// Makes a note of a lesson in a writ.
fn build_note(content: LessonContent<RawText>, behind: Option<WritContext<'_>>) -> Note {
    let task = behind.as_ref().and_then(|behind| behind.task);
    let task = task.map(|task| RawText::from(task.as_str()));
    let is_below_words = (behind.as_ref()).is_some_and(|behind| behind.is_below_words);
    let noted_failure = behind.and_then(|behind| Some((behind.run.clone(), behind.failure?)));
    let (run, noted_failure) = noted_failure.unzip();
    Note {
        run,
        failure: noted_failure,
        task,
        is_below_words,
        ..Note::new(content)
    }
}

/// Returns which of the failures in a question to an agent a writ is about.
pub(crate) fn find_noted_failure(asked: &TurnQuestion, writ: &Writ) -> Option<NotedFailure> {
    let (signature, text) = match writ {
        Writ::Create { signature, text } => (signature.expose(), text.expose()),
        Writ::Reflect { text } => ("", text.expose()),
        _ => return None,
    };
    Some(NotedFailure {
        failure: asked.failure_answered_by(signature, text).key.clone(),
        description: asked.gist().into(),
    })
}

fn refuse_writ(writ: &ParsedWrit, why: &str, id: Option<LessonId>) -> WritOutcome {
    build_outcome(writ, &WritReply::Failed(why), id)
}

fn build_outcome(writ: &ParsedWrit, reply: &WritReply<'_>, id: Option<LessonId>) -> WritOutcome {
    let why_undone = match reply {
        WritReply::Failed(why) => Some((*why).to_owned()),
        WritReply::Pending(_, why) => Some(format!("it waits for review: {}", neutralise(why))),
        _ => None,
    };
    WritOutcome {
        is_done: !matches!(reply, WritReply::Failed(_)),
        id,
        reply: render_reply(writ, reply),
        why_undone,
    }
}
