//! Asks the store for what an event calls for: lessons, and the carrying out of writs.
//!
//! Each moment has its own way to the lessons. At a prompt they are ranked and a floor keeps the
//! others out; before a call and at a failure nothing is ranked, because a lesson is shown only when
//! it is about just that.

use hardwon_core::{
    change::Actor,
    id::LessonId,
    lesson::Lesson,
    limits,
    preamble::{Budget, Preamble, STANDING},
    rank::{PassedOver, Ranked, Silence, WhyNot},
    text::RawText,
    tokens::QueryTerms,
    trace::{
        call::{self, Call},
        failure::Failure,
        naming,
    },
    writ::{Spotted, Writ},
};
use hardwon_store::{Considered, Moment, Prompt, Query, Recall};

use super::{Happening, Session, Turn, session::Look};
use crate::{Ask, Engine, Recalled, Result, recall};

/// What was found.
#[derive(Debug, Default)]
pub struct Looked {
    /// The lessons, worded.
    pub(super) preamble: Option<String>,
    /// Which they are.
    pub(super) shown: Vec<LessonId>,
    /// What is to be noted about it.
    pub(super) recalls: Vec<Recall>,
    /// What the writs came to.
    pub(super) answers: Vec<Answer>,
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
        let answers = self.answers(event, &turn.writs)?;
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
        let looked = match look {
            Look::Standing => {
                let proven = only_new(self.store.proven(&event.scope, now)?);
                let about = about("", limits::STANDING_TOKENS);
                let looked = self.exactly(event, &about, proven, STANDING.len());
                let lessons = looked.preamble.as_deref().unwrap_or_default();
                Looked {
                    preamble: Some(format!("{STANDING}{lessons}")),
                    ..looked
                }
            }
            Look::Prompt(prompt) => self.for_prompt(event, prompt, is_new)?,
            Look::Call(called) => {
                let call = call::read(called);
                let naming = only_new(self.naming(event, &call)?);
                self.exactly(event, &about(&call.text(), usize::MAX), naming, 0)
            }
            Look::Failure(called) => {
                let about_it = match Failure::of(called) {
                    Some(failure) => self.store.about_failure(&event.scope, &failure.key)?,
                    None => Vec::new(),
                };
                let warning = turn.looped.as_ref().map_or(0, |found| found.text().len());
                let about = about(called.args.as_str(), usize::MAX);
                self.exactly(event, &about, only_new(about_it), warning)
            }
        };
        Ok(Looked { answers, ..looked })
    }

    fn answers(&self, event: &Happening, writs: &[Spotted]) -> Result<Vec<Answer>> {
        let by = Actor::agent(&event.scope.agent);
        let mut answers = Vec::new();
        for Spotted { writ, .. } in writs.iter().take(limits::WRITS) {
            let is_question = matches!(writ, Ok(Writ::List | Writ::Search { .. } | Writ::Show(_)));
            answers.push(Answer {
                reply: self.writ(&event.scope, writ, &by)?.reply,
                is_question,
            });
        }
        Ok(answers)
    }

    fn for_prompt(
        &self,
        event: &Happening,
        prompt: &RawText,
        is_new: impl Fn(&Lesson) -> bool,
    ) -> Result<Looked> {
        let ask = Ask {
            run: Some(event.run.clone()),
            client: Some(event.client.clone()),
            ..Ask::new(event.scope.clone(), prompt.clone())
        };
        let recalled = without_known(self.explain(&ask)?, is_new);
        let lessons: Vec<&Lesson> = recalled.ranking.shown.iter().map(|it| &it.lesson).collect();
        let recalled = Recalled {
            preamble: self.render(&lessons),
            ..recalled
        };
        Ok(Looked {
            recalls: vec![self.record(&ask, &recalled)],
            answers: Vec::new(),
            ..said(recalled.preamble)
        })
    }

    /// Returns the lessons that name a call.
    fn naming(&self, event: &Happening, call: &Call) -> Result<Vec<Lesson>> {
        let found = self.store.search(&Query {
            scope: event.scope.clone(),
            terms: QueryTerms::of(&naming::words(call)),
            limit: limits::CALL_CANDIDATES,
            now: self.clock.now(),
        })?;
        let lessons = found.hits.into_iter().map(|hit| hit.lesson);
        Ok(lessons
            .filter(|lesson| naming::names(&lesson.content, call))
            .collect())
    }

    /// Words lessons that are about just this, in the room that `taken` bytes leave.
    fn exactly(
        &self,
        event: &Happening,
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
        let shown: Vec<&Lesson> = lessons.iter().collect();
        let preamble = self.render_within(&shown, budget);
        let recalls = match preamble.shown.is_empty() {
            true => Vec::new(),
            false => vec![self.record_exact(event, about, &lessons, &preamble)],
        };
        Looked {
            recalls,
            ..said(preamble)
        }
    }

    fn record_exact(
        &self,
        event: &Happening,
        about: &About<'_>,
        lessons: &[Lesson],
        preamble: &Preamble,
    ) -> Recall {
        let considered = lessons.iter().map(|lesson| Considered {
            lesson: lesson.id,
            score: 1.0,
            treatment: recall::treatment(lesson.id, preamble),
            chance: 0.0,
        });
        Recall {
            scope: event.scope.clone(),
            run: Some(event.run.clone()),
            client: Some(event.client.clone()),
            at: self.clock.now(),
            moment: about.moment,
            prompt: Prompt::of(about.what),
            considered: considered.collect(),
            silent: None,
        }
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
fn without_known(recalled: Recalled, is_new: impl Fn(&Lesson) -> bool) -> Recalled {
    let mut ranking = recalled.ranking;
    let (fresh, known): (Vec<Ranked>, Vec<Ranked>) = std::mem::take(&mut ranking.shown)
        .into_iter()
        .partition(|ranked| is_new(&ranked.lesson));
    if fresh.is_empty() && !known.is_empty() {
        ranking.silence = Some(Silence::NothingPassed);
    }
    ranking.shown = fresh;
    ranking
        .passed_over
        .extend(known.into_iter().map(|ranked| PassedOver {
            lesson: ranked.lesson,
            why: WhyNot::Known,
            explanation: ranked.explanation,
        }));
    Recalled {
        ranking,
        ..recalled
    }
}
