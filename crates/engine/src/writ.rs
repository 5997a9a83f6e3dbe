//! Carrying out writs: the `/lesson` lines of agents and people.

use hardwon_core::{
    capture::question::Question,
    change::{Actor, retracted},
    id::{LessonId, RunId},
    lesson::{Content, Lesson, Status, Trust, TrustClass},
    scope::Scope,
    text::{CleanText, RawText},
    writ::{Reply, Writ, WritError, render},
};
use hardwon_store::{Listing, Order, StatusName, Within};

use crate::{Engine, Met, Note, Noted, Opinion, Result};

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

impl Engine {
    /// Carries out a writ that stood in an agent's or a person's text.
    ///
    /// `word` is what the writer's word is worth: an agent's, since nobody can tell who put the writ
    /// into its text, and tainted if it had read content from outside by then. It cannot erase: what
    /// it takes out is archived, and what stands on a better word stays.
    pub fn writ(&self, scope: &Scope, writ: &Written, word: Trust, by: &Actor) -> Result<WritDone> {
        self.carry_writ_out(scope, writ, word, by, None)
    }

    /// Carries out a writ of a run. A lesson that it makes is found by the words of the run's task; if it
    /// answers what was asked, it is about that trouble, and comes up at that failure.
    pub(crate) fn answer(
        &self,
        scope: &Scope,
        writ: &Written,
        word: Trust,
        by: &Actor,
        behind: Behind<'_>,
    ) -> Result<WritDone> {
        self.carry_writ_out(scope, writ, word, by, Some(behind))
    }

    fn carry_writ_out(
        &self,
        scope: &Scope,
        writ: &Written,
        word: Trust,
        by: &Actor,
        behind: Option<Behind<'_>>,
    ) -> Result<WritDone> {
        let report = |lesson: Lesson, opinion| match is_held_back(&lesson) {
            true => Ok(Answer::Failed(held_back(&lesson))),
            false => {
                let after = self.report(&lesson, opinion, word, by)?;
                Ok(match after.counts == lesson.counts {
                    true => Answer::Failed(UNCOUNTED.to_owned()),
                    false => Answer::Counted(after),
                })
            }
        };
        let parsed = match writ {
            Ok(parsed) => parsed,
            Err(error) => return Ok(done(writ, &Reply::Failed(&error.to_string()), None)),
        };
        match parsed {
            Writ::Create { signature, text } => {
                let content = Content::new(signature.clone(), text.clone());
                self.writ_note(scope, writ, noted(content, word, behind), by)
            }
            Writ::Reflect { text } => {
                let content = Content::new(RawText::default(), text.clone());
                self.writ_note(scope, writ, noted(content, word, behind), by)
            }
            Writ::List => self.writ_found(scope, writ, "", LISTED),
            Writ::Search { query } => self.writ_found(scope, writ, query.expose(), SEARCHED),
            Writ::Show(id) => self.about(scope, writ, *id, |lesson| Ok(Answer::Shown(lesson))),
            Writ::Delete(id) => self.about(scope, writ, *id, |lesson| {
                if is_held_back(&lesson) {
                    return Ok(Answer::Failed(held_back(&lesson)));
                }
                let gone = match word.class {
                    TrustClass::Person => self.forget(&lesson, &TYPED.into(), word, by)?,
                    _ => self.withdraw(&lesson, retracted(), word, by)?,
                };
                Ok(gone.map_or_else(Answer::Failed, |lesson| Answer::Deleted(lesson.id)))
            }),
            Writ::Helped(id) => {
                self.about(scope, writ, *id, |lesson| report(lesson, Opinion::Helped))
            }
            Writ::Wrong(id) => {
                self.about(scope, writ, *id, |lesson| report(lesson, Opinion::Wrong))
            }
        }
    }

    fn writ_note(&self, scope: &Scope, writ: &Written, note: Note, by: &Actor) -> Result<WritDone> {
        Ok(match self.note(scope, note, by)? {
            Noted::Recorded(lesson) => done(writ, &Reply::Recorded(&lesson), Some(lesson.id)),
            Noted::Known(lesson) => done(writ, &Reply::Known(&lesson), Some(lesson.id)),
            Noted::Waiting(lesson) => {
                let why = crate::why(&lesson.status).unwrap_or_default();
                done(writ, &Reply::Waiting(&lesson, &why), Some(lesson.id))
            }
            Noted::Refused(why) => done(writ, &Reply::Failed(&why), None),
        })
    }

    fn writ_found(
        &self,
        scope: &Scope,
        writ: &Written,
        words: &str,
        limit: usize,
    ) -> Result<WritDone> {
        let listing = Listing {
            within: Within::Visible(scope.clone()),
            // The reply goes into a prompt, and what waits for a person is kept out of those.
            status: Some(StatusName::Active),
            text: words.to_owned(),
            order: Order::Shown,
            limit,
            ..Listing::default()
        };
        // What was shown a moment ago counts for the order.
        drop(self.store.settle());
        let lessons = match words {
            "" => self.lessons(&scope.tenant, &listing)?,
            _ => self.search_words(&scope.tenant, &listing)?,
        };
        Ok(done(writ, &Reply::Found(&lessons), None))
    }

    /// Finds the lesson a writ names; one that cannot be seen from this scope is not there.
    fn about(
        &self,
        scope: &Scope,
        writ: &Written,
        id: LessonId,
        act: impl FnOnce(Lesson) -> Result<Answer>,
    ) -> Result<WritDone> {
        let found = self.lesson(&scope.tenant, id)?;
        let Some(lesson) = found.filter(|lesson| lesson.scope.is_visible_from(scope)) else {
            return Ok(done(
                writ,
                &Reply::Failed(&format!("there is no lesson {id}")),
                None,
            ));
        };
        Ok(match act(lesson)? {
            Answer::Shown(lesson) => done(writ, &Reply::Shown(&lesson), Some(id)),
            Answer::Deleted(id) => done(writ, &Reply::Deleted(id), Some(id)),
            Answer::Counted(lesson) => done(writ, &Reply::Counted(&lesson), Some(id)),
            Answer::Failed(why) => done(writ, &Reply::Failed(&why), Some(id)),
        })
    }
}

/// What became of a lesson that a writ named.
enum Answer {
    Shown(Lesson),
    Deleted(LessonId),
    Counted(Lesson),
    /// It stays as it is, for this reason.
    Failed(String),
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

/// What a writer of this trust wants to be remembered.
fn noted(content: Content<RawText>, word: Trust, behind: Option<Behind<'_>>) -> Note {
    let task = behind.as_ref().and_then(|behind| behind.task);
    let task = task.map(|task| RawText::from(task.as_str()));
    let met = behind.and_then(|behind| Some((behind.run.clone(), behind.met?)));
    let (run, met) = met.unzip();
    Note {
        by: word.class,
        tainted: word.tainted,
        met,
        task,
        ..Note::by_agent(content, run)
    }
}

/// Returns which of the troubles that an agent was asked about a writ is about.
pub(crate) fn met_by(asked: &Question, writ: &Writ) -> Option<Met> {
    let (signature, text) = match writ {
        Writ::Create { signature, text } => (signature.expose(), text.expose()),
        Writ::Reflect { text } => ("", text.expose()),
        _ => return None,
    };
    Some(Met {
        failure: asked.meant_by(signature, text).key.clone(),
        what: asked.gist().into(),
    })
}

/// Returns whether a lesson waits for a person, so that it is not for an agent to judge.
fn is_held_back(lesson: &Lesson) -> bool {
    matches!(
        lesson.status,
        Status::Pending { .. } | Status::Quarantined { .. }
    )
}

fn held_back(lesson: &Lesson) -> String {
    let id = lesson.id;
    format!(
        "{id} is held back; a person decides about it with hardwon lesson show {}",
        id.0
    )
}

fn done(writ: &Written, reply: &Reply<'_>, id: Option<LessonId>) -> WritDone {
    let ok = !matches!(reply, Reply::Failed(_));
    WritDone {
        ok,
        id,
        reply: render(writ, reply),
    }
}
