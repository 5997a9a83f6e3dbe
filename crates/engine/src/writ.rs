//! Carrying out writs: the `/lesson` lines of agents and people.

use hardwon_core::{
    access::AccessError,
    capture::question::TurnQuestion,
    change::retracted_status,
    id::{LessonId, RunId},
    lesson::{Lesson, LessonContent, TrustClass},
    text::{CleanText, RawText},
    writ::{Writ, WritError, WritReply, render_reply},
};
use hardwon_store::{Listing, Order, StatusName, Within};

use crate::{Desk, Error, Met, Note, Noted, Opinion, Result};

/// Lessons that `/lesson list` answers with.
const LISTED: usize = 25;
/// Lessons that `/lesson search` answers with.
const SEARCHED: usize = 10;

/// Why a lesson leaves that a person deletes with a line of theirs.
const TYPED: &str = "a person deleted it";

/// Why a word about a lesson changes nothing.
const UNCOUNTED: &str = "what is said after reading content from outside does not count";

/// A writ as it was read, or what is wrong with it.
pub(crate) type Written = std::result::Result<Writ, WritError>;

/// What a writ came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WritDone {
    /// Whether it could be carried out.
    pub ok: bool,
    /// The lesson it was about or made, if it was about one.
    pub id: Option<LessonId>,
    /// What the writer reads back.
    pub reply: String,
}

impl Desk<'_> {
    /// Carries out a writ that stood in an agent's or a person's text.
    ///
    /// It cannot erase: what it takes out is archived, and what stands on a better word stays.
    pub fn writ(&self, writ: &Written) -> Result<WritDone> {
        self.answer(writ, None)
    }

    /// Carries out a writ, perhaps one of a run. A lesson that it makes is found by the words of the
    /// run's task; if it answers what was asked, it is about that trouble, and comes up at that failure.
    pub(crate) fn answer(&self, writ: &Written, behind: Option<Behind<'_>>) -> Result<WritDone> {
        let parsed = match writ {
            Ok(parsed) => parsed,
            Err(error) => return Ok(done(writ, &WritReply::Failed(&error.to_string()), None)),
        };
        match parsed {
            Writ::Create { signature, text } => {
                let content = LessonContent::new(signature.clone(), text.clone());
                self.answer_note(writ, noted(content, behind))
            }
            Writ::Reflect { text } => {
                let content = LessonContent::new(RawText::default(), text.clone());
                self.answer_note(writ, noted(content, behind))
            }
            Writ::List => self.answer_found(writ, "", LISTED),
            Writ::Search { query } => self.answer_found(writ, query.expose(), SEARCHED),
            Writ::Show(id) => answer_about(writ, *id, self.lesson(*id), |it| WritReply::Shown(it)),
            Writ::Delete(id) => {
                let gone = match self.who.trust.class {
                    TrustClass::Person => self.forget(*id, &TYPED.into()),
                    _ => self.withdraw(*id, &retracted_status()),
                };
                answer_about(writ, *id, gone, |it| WritReply::Deleted(it.id))
            }
            Writ::Helped(id) => self.answer_report(writ, *id, Opinion::Helped),
            Writ::Wrong(id) => self.answer_report(writ, *id, Opinion::Wrong),
        }
    }

    fn answer_note(&self, writ: &Written, note: Note) -> Result<WritDone> {
        Ok(match self.note(note)? {
            Noted::Recorded(lesson) => done(writ, &WritReply::Recorded(&lesson), Some(lesson.id)),
            Noted::Known(lesson) => done(writ, &WritReply::AlreadyKnown(&lesson), Some(lesson.id)),
            Noted::Waiting(lesson) => {
                let why = crate::why(&lesson.status).unwrap_or_default();
                done(writ, &WritReply::Pending(&lesson, &why), Some(lesson.id))
            }
            Noted::Refused(why) => done(writ, &WritReply::Failed(&why), None),
        })
    }

    fn answer_found(&self, writ: &Written, words: &str, limit: usize) -> Result<WritDone> {
        let listing = Listing {
            within: Within::Visible(self.who.scope.clone()),
            // The reply goes into a prompt, and what waits for a person is kept out of those.
            status: Some(StatusName::Active),
            text: words.to_owned(),
            order: Order::Shown,
            limit,
            ..Listing::default()
        };
        // What was shown a moment ago counts for the order.
        drop(self.engine.store.flush(self.tenant()));
        let lessons = match words {
            "" => self.lessons(&listing)?,
            _ => self.search_words(&listing)?,
        };
        Ok(done(writ, &WritReply::Found(&lessons), None))
    }

    fn answer_report(&self, writ: &Written, id: LessonId, opinion: Opinion) -> Result<WritDone> {
        let before = match self.lesson(id) {
            Ok(before) => before,
            refused => return answer_about(writ, id, refused, |it| WritReply::Counted(it)),
        };
        let after = self.report(id, opinion);
        answer_about(writ, id, after, |after| {
            match after.counts == before.counts {
                true => WritReply::Failed(UNCOUNTED),
                false => WritReply::Counted(after),
            }
        })
    }
}

/// Words what became of a lesson that a writ names, or why nothing did.
fn answer_about(
    writ: &Written,
    id: LessonId,
    outcome: Result<Lesson>,
    reply: impl FnOnce(&Lesson) -> WritReply<'_>,
) -> Result<WritDone> {
    let refusal = match outcome {
        Ok(lesson) => return Ok(done(writ, &reply(&lesson), Some(id))),
        Err(error @ Error::Denied(AccessError::NotFound(_))) => {
            return Ok(done(writ, &WritReply::Failed(&error.to_string()), None));
        }
        Err(Error::Denied(refusal)) => format!(
            "{refusal}; a person decides about it with `hardwon lesson show {}`",
            id.0
        ),
        Err(Error::Unfit(refusal)) => refusal.to_string(),
        Err(error) => return Err(error),
    };
    Ok(done(writ, &WritReply::Failed(&refusal), Some(id)))
}

/// The run in which a writ was written.
#[derive(Debug, Clone)]
pub(crate) struct Behind<'a> {
    pub(crate) run: &'a RunId,
    /// What the run met that the writ is about, asked for or not.
    pub(crate) met: Option<Met>,
    /// What the agent was to do.
    pub(crate) task: Option<&'a CleanText>,
}

/// What a writer wants to be remembered.
fn noted(content: LessonContent<RawText>, behind: Option<Behind<'_>>) -> Note {
    let task = behind.as_ref().and_then(|behind| behind.task);
    let task = task.map(|task| RawText::from(task.as_str()));
    let met = behind.and_then(|behind| Some((behind.run.clone(), behind.met?)));
    let (run, met) = met.unzip();
    Note {
        run,
        met,
        task,
        ..Note::new(content)
    }
}

/// Returns which of the troubles that an agent was asked about a writ is about.
pub(crate) fn met_by(asked: &TurnQuestion, writ: &Writ) -> Option<Met> {
    let (signature, text) = match writ {
        Writ::Create { signature, text } => (signature.expose(), text.expose()),
        Writ::Reflect { text } => ("", text.expose()),
        _ => return None,
    };
    Some(Met {
        failure: asked.failure_answered_by(signature, text).key.clone(),
        what: asked.gist().into(),
    })
}

fn done(writ: &Written, reply: &WritReply<'_>, id: Option<LessonId>) -> WritDone {
    let ok = !matches!(reply, WritReply::Failed(_));
    WritDone {
        ok,
        id,
        reply: render_reply(writ, reply),
    }
}
