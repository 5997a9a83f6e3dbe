//! Asks the store for what an event calls for: lessons, and the carrying out of writs.
//!
//! Each moment has its own way to the lessons. At a prompt they are ranked and a floor keeps the
//! others out; before a call and at a failure nothing is ranked, because a lesson is shown only when
//! it is about just that.

use hardwon_core::{
    change::Actor,
    id::LessonId,
    lesson::{Lesson, Trust, TrustClass},
    limits,
    preamble::{Budget, Preamble, STANDING},
    rank::{Ranking, WhyNot},
    text::RawText,
    tokens::QueryTerms,
    trace::{
        call::{self, Call},
        failure::Failure,
        naming,
    },
    writ::{Spotted, Writ},
};
use hardwon_store::{Moment, Query, Recall};

use super::{Happening, Session, Turn, session::Look};
use crate::{Ask, Engine, Lots, Result, model::ModelError, recall};

/// What was found.
#[derive(Debug, Default)]
pub struct Looked {
    /// The lessons, worded.
    pub(super) preamble: Option<String>,
    /// Which they are.
    pub(super) shown: Vec<LessonId>,
    /// Those that are held back from now on.
    pub(super) held: Vec<LessonId>,
    /// What is to be noted about it.
    pub(super) recalls: Vec<Recall>,
    /// What the writs came to.
    pub(super) answers: Vec<Answer>,
    /// Why the embedding that is set had no say.
    pub trouble: Option<ModelError>,
}

/// What a writ came to.
#[derive(Debug)]
pub(super) struct Answer {
    /// What its writer reads back.
    pub(super) reply: String,
    /// Whether it was a question.
    pub(super) is_question: bool,
}

impl Engine {
    /// Looks up what an event calls for, and carries its writs out.
    pub fn look(&self, session: &Session, event: &Happening, turn: &Turn) -> Result<Looked> {
        let answers = self.answers(event, turn)?;
        let Some(look) = &turn.look else {
            return Ok(Looked {
                answers,
                ..Looked::default()
            });
        };
        let now = self.clock.now();
        let is_new = |lesson: &Lesson| {
            let is_meant = lesson.is_recallable(now) && lesson.content.targets.is_empty();
            is_meant && !session.was_shown(look.moment(), lesson.id)
        };
        let only_new = |found: Vec<Lesson>| found.into_iter().filter(&is_new).collect();
        let about = |what, tokens| About {
            moment: look.moment(),
            what,
            tokens,
        };
        let at = At { session, event };
        let looked = match look {
            Look::Standing => {
                let proven = only_new(self.store.proven(&event.scope, now)?);
                let about = about("", limits::STANDING_TOKENS);
                let looked = self.exactly(at, &about, proven, STANDING.len());
                let lessons = looked.preamble.as_deref().unwrap_or_default();
                Looked {
                    preamble: Some(format!("{STANDING}{lessons}")),
                    ..looked
                }
            }
            Look::Prompt(prompt) => self.for_prompt(at, prompt, is_new)?,
            Look::Call(called) => {
                let call = call::read(called);
                let naming = only_new(self.naming(event, &call)?);
                self.exactly(at, &about(&call.text(), usize::MAX), naming, 0)
            }
            Look::Failure(called) => {
                let about_it = match Failure::of(called) {
                    Some(failure) => self.store.about_failure(&event.scope, &failure.key)?,
                    None => Vec::new(),
                };
                let warning = turn.looped.as_ref().map_or(0, |found| found.text().len());
                let about = about(called.args.as_str(), usize::MAX);
                self.exactly(at, &about, only_new(about_it), warning)
            }
        };
        Ok(Looked { answers, ..looked })
    }

    fn answers(&self, event: &Happening, turn: &Turn) -> Result<Vec<Answer>> {
        let by = Actor::agent(&event.scope.agent);
        let word = Trust {
            class: TrustClass::Agent,
            tainted: turn.is_tainted,
        };
        let mut answers = Vec::new();
        for Spotted { writ, .. } in turn.writs.iter().take(limits::WRITS) {
            let is_question = matches!(writ, Ok(Writ::List | Writ::Search { .. } | Writ::Show(_)));
            answers.push(Answer {
                reply: self.writ(&event.scope, writ, word, &by)?.reply,
                is_question,
            });
        }
        Ok(answers)
    }

    fn for_prompt(
        &self,
        at: At<'_>,
        prompt: &RawText,
        is_new: impl Fn(&Lesson) -> bool,
    ) -> Result<Looked> {
        let ask = at.ask(Moment::Turn, prompt.expose());
        let (ranking, trouble) = self.ranked_to_show(&ask)?;
        let ranking = without_known(ranking, is_new);
        let lots = self.lots(at, ranking.shown.iter().map(|it| &it.lesson));
        let recalled = self.worded(ranking, lots, trouble);
        Ok(Looked {
            recalls: vec![self.record(&ask, &recalled)],
            held: at.newly(recalled.lots.held),
            trouble: recalled.trouble,
            ..said(recalled.preamble)
        })
    }

    /// Draws lots for lessons that are to be shown.
    ///
    /// What is held back once is held back all through a session, or its trouble would call for
    /// it and only the runs without trouble would count as runs without the lesson. What was shown
    /// once is in the context, and holding it back would tell nothing.
    fn lots<'a>(&self, at: At<'_>, lessons: impl Iterator<Item = &'a Lesson>) -> Lots {
        let (held, rest): (Vec<&Lesson>, Vec<&Lesson>) =
            lessons.partition(|it| at.session.is_held(it.id));
        let is_open = |it: &&Lesson| !at.session.was_ever_shown(it.id);
        let mut lots = self.draw(Some(&at.event.run), rest.into_iter().filter(is_open));
        lots.held.extend(held.iter().map(|it| it.id));
        lots
    }

    /// Returns the lessons that name a call.
    fn naming(&self, event: &Happening, call: &Call) -> Result<Vec<Lesson>> {
        let found = self.store.search(&Query {
            scope: event.scope.clone(),
            terms: QueryTerms::of(&naming::words(call)),
            limit: limits::CALL_CANDIDATES,
            now: self.clock.now(),
            near: None,
        })?;
        let lessons = found.hits.into_iter().map(|hit| hit.lesson);
        Ok(lessons
            .filter(|lesson| naming::names(&lesson.content, call))
            .collect())
    }

    /// Words lessons that are about just this, in the room that `taken` bytes leave.
    fn exactly(
        &self,
        at: At<'_>,
        about: &About<'_>,
        mut lessons: Vec<Lesson>,
        taken: usize,
    ) -> Looked {
        lessons.truncate(self.policy.shown.min(limits::SHOWN_MAX));
        let room = limits::SAID_BYTES.saturating_sub(taken + 1);
        let budget = Budget {
            bytes: self.policy.budget.bytes.min(room),
            tokens: self.policy.budget.tokens.min(about.tokens),
        };
        let lots = self.lots(at, lessons.iter());
        let is_shown = |it: &&Lesson| !lots.held.contains(&it.id);
        let shown: Vec<&Lesson> = lessons.iter().filter(is_shown).collect();
        let preamble = self.render_within(&shown, budget);
        let recalls = match preamble.shown.is_empty() && lots.held.is_empty() {
            true => Vec::new(),
            false => vec![self.record_of(
                &at.ask(about.moment, about.what),
                recall::exact(&lessons, &preamble.shown, &lots),
            )],
        };
        Looked {
            recalls,
            held: at.newly(lots.held),
            ..said(preamble)
        }
    }
}

/// Where something is looked up.
#[derive(Clone, Copy)]
struct At<'a> {
    session: &'a Session,
    event: &'a Happening,
}

impl At<'_> {
    /// Returns what is asked here, and about what.
    fn ask(self, moment: Moment, what: &str) -> Ask {
        Ask {
            run: Some(self.event.run.clone()),
            client: Some(self.event.client.clone()),
            moment,
            ..Ask::new(self.event.scope.clone(), what)
        }
    }

    /// Returns those of the lessons held back that were not before.
    fn newly(self, mut held: Vec<LessonId>) -> Vec<LessonId> {
        held.retain(|it| !self.session.is_held(*it));
        held
    }
}

/// What lessons are about that were not ranked.
struct About<'a> {
    moment: Moment,
    /// The call, as text; nothing at the beginning of a session.
    what: &'a str,
    /// Most tokens that they may take.
    tokens: usize,
}

fn said(preamble: Preamble) -> Looked {
    Looked {
        preamble: Some(preamble.text).filter(|text| !text.is_empty()),
        shown: preamble.shown,
        ..Looked::default()
    }
}

/// Passes over what was shown before: it is still in the context.
fn without_known(ranking: Ranking, is_new: impl Fn(&Lesson) -> bool) -> Ranking {
    let known = ranking.shown.iter().filter(|it| !is_new(&it.lesson));
    let known: Vec<LessonId> = known.map(|it| it.lesson.id).collect();
    let pass_over = |ranking: Ranking, id| ranking.without(id, WhyNot::Known);
    known.into_iter().fold(ranking, pass_over)
}
