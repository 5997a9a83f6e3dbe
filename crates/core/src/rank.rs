//! From candidates to the two or three worth showing, with reasons.
//!
//! A candidate's score says how well it matches the prompt, bent a little by how it fared, how
//! old it is and whether it is about a tool in hand. Its relevance says whether it is about the
//! prompt's topic at all: below the floor nothing is shown, because silence is better than noise.
//! Where an embedding compared the prompt with lessons, its word counts as well, in bounds.
//! Everything here is a pure function of the candidates; which lessons become candidates is the
//! store's work, how the chosen ones are worded is [`preamble`](crate::preamble)'s.

mod background;
mod explain;
mod fit;
mod found;
mod gate;
mod grams;
mod merit;
mod nearness;
mod twins;

use jiff::Timestamp;

pub(crate) use background::is_common_word;
pub use explain::Explanation;
pub use fit::TermScore;
pub use found::order_found;
pub use nearness::Nearness;

use crate::{
    bm25::Stats,
    id::LessonId,
    lesson::{Content, Lesson, Target, TargetKind},
    limits,
    text::CleanText,
    tokens::{DocTerms, QueryTerms},
    vector::Spread,
};

/// A candidate that the store selected.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The lesson.
    pub lesson: Lesson,
    /// Its terms in order.
    pub terms: DocTerms,
    /// Its BM25 score over the selected query terms; 0 if it was found by its vector alone.
    pub score: f32,
    /// How similar its vector is to the prompt's, where both have one.
    pub similarity: Option<f32>,
}

/// What the store found for a query.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found {
    /// Statistics of the visible scopes together.
    pub stats: Stats,
    /// Document frequency of each query term, in the order of `QueryTerms::terms`.
    pub df: Vec<u64>,
    /// The best candidates: falling score, then falling lesson number; after them the nearest ones
    /// that are not among them, where vectors were compared.
    pub hits: Vec<Hit>,
    /// How similar the visible lessons are all in all; of none where they were not all compared.
    pub spread: Spread,
}

/// Who asks, as far as it is known.
///
/// With nothing known, only lessons that name no targets are shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Asker {
    /// The tools about to be used, or named by the call in hand.
    pub tools: Vec<String>,
    /// The operator, the role and the skills of the agent.
    pub names: Vec<(TargetKind, String)>,
    /// Topics of the task.
    pub tags: Vec<String>,
}

impl Asker {
    /// Returns whether a lesson is for this asker: it names nobody, or the asker among others.
    #[must_use]
    pub fn is_meant_by(&self, content: &Content) -> bool {
        let is_named = |target: &Target| {
            let mut names = self.names.iter().filter(|(kind, _)| *kind == target.kind);
            names.any(|(_, name)| gate::glob(target.glob.as_str(), name))
        };
        content.targets.is_empty() || content.targets.iter().any(is_named)
    }

    /// Returns the same asker with what is known of it otherwise: names of a kind of which it tells
    /// none.
    #[must_use]
    pub fn or_named(mut self, otherwise: &[(TargetKind, String)]) -> Self {
        let is_untold = |kind| !self.names.iter().any(|(told, _)| *told == kind);
        let more = otherwise.iter().filter(|(kind, _)| is_untold(*kind));
        let more: Vec<_> = more.cloned().collect();
        self.names.extend(more);
        self
    }
}

/// How much to show, and how sure to be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Policy {
    /// Lessons to show; never more than [`limits::CANDIDATES`]. A preamble asks for fewer.
    pub limit: usize,
    /// The least relevance a shown lesson must have; 0 shows whatever matches.
    pub floor: f32,
}

/// The relevance that 97 of 100 right lessons reach, and 7 of 100 prompts on another topic with
/// their best lesson, in banks of hundreds to thousands (`hardwon-sim silence`).
const FLOOR: f32 = 1.0;

impl Default for Policy {
    fn default() -> Self {
        Self {
            limit: limits::SHOWN_DEFAULT,
            floor: FLOOR,
        }
    }
}

/// A lesson worth showing.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// The lesson.
    pub lesson: Lesson,
    /// How it came here.
    pub explanation: Explanation,
}

/// A candidate that is not shown.
#[derive(Debug, Clone, PartialEq)]
pub struct PassedOver {
    /// The lesson.
    pub lesson: Lesson,
    /// Why not.
    pub why: WhyNot,
    /// How it scored all the same.
    pub explanation: Explanation,
}

/// Why a candidate is not shown.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WhyNot {
    /// It is pending, quarantined, superseded or archived.
    #[error("it is {state}")]
    Inactive {
        /// The state's name.
        state: &'static str,
    },
    /// Its time is over.
    #[error("it expired at {at}")]
    Expired {
        /// When.
        at: Timestamp,
    },
    /// It names targets, and the asker is none of them.
    #[error("it is meant for another operator, role or skill")]
    NotForYou,
    /// It is hardly about the prompt's topic.
    #[error("its relevance {relevance:.2} is below the threshold {floor:.2}")]
    BelowFloor {
        /// What it reached.
        relevance: f32,
        /// What it had to reach.
        floor: f32,
    },
    /// A lesson that is shown says nearly the same.
    #[error("it says nearly the same as {of}")]
    Twin {
        /// The lesson shown.
        of: LessonId,
    },
    /// It was shown earlier in the same session.
    #[error("it was shown earlier in this session")]
    Known,
    /// It is about a failure that the prompt does not speak of, and comes up when that comes.
    #[error("the prompt does not mention what it is about; it is shown when its failure happens")]
    AtItsFailure,
    /// Chance holds it back, to see how it goes without it.
    #[error("it was left out at random this time (control group), to measure its effect")]
    HeldBack,
    /// Chance leaves it to a later moment, to see at which it does more.
    #[error(
        "it was left for a later moment at random this time, to measure which moment works better"
    )]
    LeftForLater,
    /// It names a call or a failure, and is to come up there.
    #[error("it is shown only at its call or failure (setting show_at)")]
    AtItsAction,
    /// Enough better ones are shown.
    #[error("{limit} better ones are shown")]
    Beyond {
        /// How many may be shown.
        limit: usize,
    },
}

impl WhyNot {
    /// Returns it in words, as it is kept. They are ours, with numbers and a time between them, so
    /// there is nothing in them to be cleaned.
    #[must_use]
    pub fn in_words(&self) -> CleanText {
        CleanText::assume(self.to_string())
    }
}

/// Why nothing is shown at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Silence {
    /// The prompt holds no word to search for.
    #[error("the prompt holds no word to search for")]
    NoWords,
    /// There are no lessons to search.
    #[error("there are no lessons here yet")]
    NoLessons,
    /// No lesson holds any word of the prompt.
    #[error("no lesson shares a significant word with the prompt")]
    NothingKnown,
    /// Every candidate was passed over, each for its own reason.
    #[error("no lesson fits well enough to show")]
    NothingPassed,
}

impl Silence {
    /// Returns it in words, as it is kept.
    #[must_use]
    pub fn in_words(self) -> CleanText {
        CleanText::assume(self.to_string())
    }
}

/// The outcome: what to show, and what not.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// The lessons to show, best first.
    pub shown: Vec<Ranked>,
    /// The other candidates, best first.
    pub passed_over: Vec<PassedOver>,
    /// Why nothing is shown; none if something is.
    pub silence: Option<Silence>,
}

impl Ranking {
    /// Moves a lesson that was to be shown to those that are not, for this reason.
    #[must_use]
    pub fn without(mut self, lesson: LessonId, why: WhyNot) -> Self {
        let (kept, taken): (Vec<Ranked>, Vec<Ranked>) =
            (self.shown.into_iter()).partition(|ranked| ranked.lesson.id != lesson);
        self.shown = kept;
        self.passed_over
            .extend(taken.into_iter().map(|it| PassedOver {
                lesson: it.lesson,
                why: why.clone(),
                explanation: it.explanation,
            }));
        self.passed_over.sort_by_key(|it| it.explanation.place);
        if self.shown.is_empty() && self.silence.is_none() {
            self.silence = Some(Silence::NothingPassed);
        }
        self
    }

    /// Returns every candidate's explanation, best first, whether it is shown or not.
    #[must_use]
    pub fn in_order(&self) -> Vec<(LessonId, &Explanation)> {
        let shown = self.shown.iter().map(|it| (it.lesson.id, &it.explanation));
        let others = self
            .passed_over
            .iter()
            .map(|it| (it.lesson.id, &it.explanation));
        let mut all: Vec<_> = shown.chain(others).collect();
        all.sort_by_key(|(_, explanation)| explanation.place);
        all
    }
}

/// Ranks the candidates and decides which of them to show.
#[must_use]
pub fn rank(
    query: &QueryTerms,
    found: Found,
    asker: &Asker,
    policy: Policy,
    now: Timestamp,
) -> Ranking {
    let silence = why_silent(query, &found);
    let mut candidates = weighed(query, found, asker, now);
    candidates.sort_by(|a, b| {
        let newer = || b.lesson.id.cmp(&a.lesson.id);
        b.explanation
            .score
            .total_cmp(&a.explanation.score)
            .then_with(newer)
    });
    let gate = gate::Gate {
        query,
        asker,
        policy,
        now,
    };
    let mut shown: Vec<Candidate> = Vec::new();
    let mut passed_over = Vec::new();
    for (place, mut candidate) in (1..).zip(candidates) {
        candidate.explanation.place = place;
        match gate.why_not(&candidate, &shown) {
            None => shown.push(candidate),
            Some(why) => passed_over.push(PassedOver {
                lesson: candidate.lesson,
                why,
                explanation: candidate.explanation,
            }),
        }
    }
    let is_silent = shown.is_empty();
    Ranking {
        shown: shown.into_iter().map(Candidate::ranked).collect(),
        passed_over,
        silence: is_silent.then(|| silence.unwrap_or(Silence::NothingPassed)),
    }
}

/// Returns why a search could not find anything, if it could not.
fn why_silent(query: &QueryTerms, found: &Found) -> Option<Silence> {
    if query.terms.is_empty() {
        Some(Silence::NoWords)
    } else if found.stats.docs == 0 {
        Some(Silence::NoLessons)
    } else if found.hits.is_empty() {
        Some(Silence::NothingKnown)
    } else {
        None
    }
}

/// Weighs every hit, by its words and by its nearness.
fn weighed(query: &QueryTerms, found: Found, asker: &Asker, now: Timestamp) -> Vec<Candidate> {
    let view = fit::View::new(query, found.stats, &found.df);
    let measured: Vec<(Hit, fit::Fit, merit::Merit)> = (found.hits.into_iter())
        .map(|hit| {
            let fit = view.fit(&hit.terms);
            let merit = merit::of(&hit.lesson, asker, now);
            (hit, fit, merit)
        })
        .collect();
    let sides = measured.iter().map(|(hit, fit, merit)| nearness::Sides {
        words: fit.sums.score() * merit.factor(),
        similarity: hit.similarity,
    });
    let near = nearness::of(&sides.collect::<Vec<_>>(), found.spread);
    let candidates = measured.into_iter().zip(near);
    let candidate = |((hit, fit, merit), near): ((Hit, fit::Fit, merit::Merit), _)| Candidate {
        explanation: Explanation::new(fit, merit, near),
        lesson: hit.lesson,
        terms: hit.terms,
    };
    candidates.map(candidate).collect()
}

/// A hit, weighed.
struct Candidate {
    lesson: Lesson,
    terms: DocTerms,
    explanation: Explanation,
}

impl Candidate {
    fn ranked(self) -> Ranked {
        Ranked {
            lesson: self.lesson,
            explanation: self.explanation,
        }
    }
}

#[cfg(test)]
mod tests;
