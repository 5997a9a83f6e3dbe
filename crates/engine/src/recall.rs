//! Bringing lessons back: terms, search, rank, render, remember.

use hardwon_core::{
    credit::{self, Candidate},
    digest,
    id::{ClientName, LessonId, RunId},
    lesson::Lesson,
    limits,
    preamble::{self, Budget, Preamble, Shown},
    rank::{self, Asker, Ranking, WhyNot},
    redact,
    scope::Scope,
    text::{CleanText, RawText},
    tokens::QueryTerms,
};
use hardwon_store::{Considered, Moment, Prompt, Query, Recall, Spool, Treatment};

use crate::{Engine, Result};

/// Who asks, where, and for what.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// Where it is asked.
    pub scope: Scope,
    /// The prompt. It is neither kept nor sent anywhere.
    pub prompt: RawText,
    /// What is known of the asker.
    pub asker: Asker,
    /// How many lessons to show at most; none for the policy's number. A preamble never shows more
    /// than [`limits::SHOWN_MAX`].
    pub limit: Option<usize>,
    /// The run, when it is asked in one.
    pub run: Option<RunId>,
    /// The client that asks, when one does.
    pub client: Option<ClientName>,
    /// At which moment of the run.
    pub moment: Moment,
}

impl Ask {
    /// Asks with a prompt before a turn.
    #[must_use]
    pub fn new(scope: Scope, prompt: impl Into<RawText>) -> Self {
        Self {
            scope,
            prompt: prompt.into(),
            asker: Asker::default(),
            limit: None,
            run: None,
            client: None,
            moment: Moment::Turn,
        }
    }
}

/// What a recall gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Recalled {
    /// What to put before the turn; empty when no lesson fits.
    pub preamble: Preamble,
    /// Every candidate, with reasons.
    pub ranking: Ranking,
    /// How likely each lesson was to be held back, where that was left to chance.
    pub chances: Vec<(LessonId, f32)>,
}

impl Engine {
    /// Brings back the lessons that fit a prompt, and remembers what was shown.
    pub fn recall(&self, ask: &Ask) -> Result<Recalled> {
        let recalled = self.explain(ask)?;
        self.remember(ask, &recalled)?;
        Ok(recalled)
    }

    /// Remembers what was shown for a prompt. Who needs the lessons even where nothing can be
    /// written hands them out before.
    pub fn remember(&self, ask: &Ask, recalled: &Recalled) -> Result<()> {
        self.note_recall(&self.record(ask, recalled))
    }

    /// Remembers a recall that is put together already.
    pub fn note_recall(&self, recall: &Recall) -> Result<()> {
        let spool = self.store.remember(recall)?;
        if spool == Spool::Due {
            // It is on record by now; if it cannot be counted at this moment, the next one tries.
            drop(self.store.settle());
        }
        Ok(())
    }

    /// Says what a recall would show, without remembering that it was asked.
    pub fn explain(&self, ask: &Ask) -> Result<Recalled> {
        let limit = self.limit(ask).min(limits::SHOWN_MAX);
        let (ranking, chances) = self.held_out(ask, self.ranked(ask, limit)?);
        let shown: Vec<&Lesson> = ranking.shown.iter().map(|ranked| &ranked.lesson).collect();
        let preamble = self.render(&shown);
        Ok(Recalled {
            preamble,
            ranking,
            chances,
        })
    }

    /// Holds a lesson back now and then.
    ///
    /// The lots are drawn from the names of the run and the lesson: what is held back once is held
    /// back all through a run, nothing has to be kept for it, and it can be told again. Without a
    /// run nobody could ever tell how it went, and who asks by himself gets what he asked for.
    fn held_out(&self, ask: &Ask, ranking: Ranking) -> (Ranking, Vec<(LessonId, f32)>) {
        let Some(run) = ask.run.as_ref().filter(|_| self.policy.holdout) else {
            return (ranking, Vec::new());
        };
        if ask.moment == Moment::Asked {
            return (ranking, Vec::new());
        }
        let ids: Vec<LessonId> = ranking.shown.iter().map(|it| it.lesson.id).collect();
        let candidates: Vec<Candidate> = ranking
            .shown
            .iter()
            .map(|it| Candidate {
                shown: it.lesson.counts.shown,
                trial: it.lesson.counts.trial,
                lot: lot(run, it.lesson.id),
            })
            .collect();
        let drawn = credit::draw(&candidates);
        let ranking = match drawn.held {
            Some(place) => ranking.without(ids[place], WhyNot::HeldBack),
            None => ranking,
        };
        (ranking, ids.into_iter().zip(drawn.chances).collect())
    }

    /// Ranks lessons for a program that makes its own of them: up to [`limits::CANDIDATES`], in no
    /// preamble, and not remembered.
    pub fn rank(&self, ask: &Ask) -> Result<Ranking> {
        self.ranked(ask, self.limit(ask))
    }

    fn limit(&self, ask: &Ask) -> usize {
        ask.limit.unwrap_or(self.policy.shown)
    }

    fn ranked(&self, ask: &Ask, limit: usize) -> Result<Ranking> {
        // What we said ourselves in an earlier turn says nothing about this one.
        let prompt = redact::strip_own(ask.prompt.expose());
        let now = self.clock.now();
        let query = Query {
            scope: ask.scope.clone(),
            terms: QueryTerms::of(&prompt),
            limit: limits::CANDIDATES,
            now,
        };
        let found = self.store.search(&query)?;
        let policy = rank::Policy {
            limit,
            ..self.policy.rank
        };
        Ok(rank::rank(&query.terms, found, &ask.asker, policy, now))
    }

    /// Words lessons for a prompt, within the policy's budget.
    pub(crate) fn render(&self, lessons: &[&Lesson]) -> Preamble {
        self.render_within(lessons, self.policy.budget)
    }

    /// Words lessons within a budget.
    pub(crate) fn render_within(&self, lessons: &[&Lesson], budget: Budget) -> Preamble {
        let shown: Vec<Shown<'_>> = lessons.iter().map(|lesson| Shown { lesson }).collect();
        preamble::render(&shown, self.policy.form, budget)
    }

    /// Puts together what is remembered of a recall.
    pub(crate) fn record(&self, ask: &Ask, recalled: &Recalled) -> Recall {
        Recall {
            scope: ask.scope.clone(),
            run: ask.run.clone(),
            client: ask.client.clone(),
            at: self.clock.now(),
            moment: ask.moment,
            prompt: Prompt::of(ask.prompt.expose()),
            considered: considered(recalled),
            silent: recalled.ranking.silence.map(|why| clean(&why.to_string())),
        }
    }
}

/// Lists what was found as it is kept: a lesson that the budget left no room for was not shown.
fn considered(recalled: &Recalled) -> Vec<Considered> {
    let chance = |id: LessonId| {
        let found = recalled.chances.iter().find(|it| it.0 == id);
        found.map_or(0.0, |it| it.1)
    };
    let shown = recalled.ranking.shown.iter().map(|ranked| Considered {
        lesson: ranked.lesson.id,
        score: ranked.explanation.score,
        treatment: treatment(ranked.lesson.id, &recalled.preamble),
        chance: chance(ranked.lesson.id),
    });
    let others = recalled
        .ranking
        .passed_over
        .iter()
        .map(|passed| Considered {
            lesson: passed.lesson.id,
            score: passed.explanation.score,
            treatment: match &passed.why {
                WhyNot::HeldBack => Treatment::HeldBack,
                why => Treatment::PassedOver {
                    why: clean(&why.to_string()),
                },
            },
            chance: match &passed.why {
                WhyNot::HeldBack => chance(passed.lesson.id),
                _ => 0.0,
            },
        });
    shown.chain(others).take(limits::CANDIDATES).collect()
}

/// Returns what became of a lesson that was chosen.
pub(crate) fn treatment(lesson: LessonId, preamble: &Preamble) -> Treatment {
    if preamble.shown.contains(&lesson) {
        return Treatment::Shown;
    }
    let why = clean("the preamble had no room for it");
    Treatment::PassedOver { why }
}

fn clean(why: &str) -> CleanText {
    redact::clean(&RawText::from(why), limits::REASON_CHARS)
}

/// Returns a number from 0 to 1, as good as drawn, and always the same for a run and a lesson.
fn lot(run: &RunId, lesson: LessonId) -> f64 {
    let digest = digest::of([run.as_str().as_bytes(), &lesson.0.to_be_bytes()]);
    let (&head, _) = digest.split_first_chunk().expect("32 bytes hold 4");
    f64::from(u32::from_be_bytes(head)) / (f64::from(u32::MAX) + 1.0)
}
