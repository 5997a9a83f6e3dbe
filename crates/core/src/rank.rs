//! Ranks candidates, and selects the two or three worth showing, with reasons.
//!
//! A candidate's score states how well it matches the prompt, adjusted a little by its record, its age and whether it
//! is about a tool in use. Its relevance states whether it is about the prompt's topic at all: below the floor
//! nothing is shown, because silence is better than noise. Where an embedding compared the prompt with lessons, the
//! similarity counts as well, within bounds. Everything here is a pure function of the candidates; the store selects
//! the candidates, and [`preamble`](crate::preamble) words the chosen ones.

mod asides;
mod background;
mod explain;
mod fit;
mod gate;
mod grams;
mod merit;
mod similarity;
mod duplicates;

use hardwon_redact::clean_derived;
use jiff::Timestamp;

pub use asides::read_prompt;
pub use explain::Explanation;
pub use fit::TermScore;
pub use similarity::{SimilarityScore, list_near};

use crate::{
    bm25::CorpusStats,
    glob::matches_glob,
    id::LessonId,
    lesson::{Lesson, LessonContent, LessonTarget, TargetKind},
    limits,
    named_enum::named_enum,
    text::CleanText,
    tokens::{DocTerms, QueryTerms},
};

/// A candidate that the store found.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchHit {
    /// The lesson.
    pub lesson: Lesson,
    /// The terms of the lesson, in order.
    pub terms: DocTerms,
    /// Its BM25 score over the selected query terms; 0 if it was found by its vector alone.
    pub score: f32,
    /// The cosine similarity of its vector to the prompt's, if both have one.
    pub similarity: Option<f32>,
}

/// The result of a search in the store.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SearchResults {
    /// Statistics of all visible scopes together.
    pub stats: CorpusStats,
    /// Document frequency of each query term, in the order of `QueryTerms::terms`.
    pub df: Vec<u64>,
    /// The best candidates: falling score, then falling lesson number; after them the most similar ones that are not
    /// among them, where vectors were compared.
    pub hits: Vec<SearchHit>,
}

/// The agent that makes a request, as far as it is known.
///
/// If nothing is known, only lessons without targets are shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Requester {
    /// The tools about to be used, or named by the present call.
    pub tools: Vec<String>,
    /// The operator, the role and the skills of the agent.
    pub identities: Vec<(TargetKind, String)>,
    /// The topics of the task.
    pub tags: Vec<String>,
}

impl Requester {
    /// Makes the requester of an agent with these names, of which any may be blank.
    pub fn from_names<'a>(
        operator: &str,
        role: &str,
        skills: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let kinds = [(TargetKind::Operator, operator), (TargetKind::Role, role)];
        let skills = skills.into_iter().map(|skill| (TargetKind::Skill, skill));
        let all = kinds.into_iter().chain(skills.take(limits::TAGS));
        let all = all.map(|(kind, name)| (kind, name.trim().to_owned()));
        Self {
            identities: all.filter(|(_, name)| !name.is_empty()).collect(),
            ..Self::default()
        }
    }

    /// Returns whether a lesson is for this requester: it has no targets, or the requester is one of them.
    pub fn is_targeted_by(&self, content: &LessonContent) -> bool {
        let is_named = |target: &LessonTarget| {
            let mut names = self
                .identities
                .iter()
                .filter(|(kind, _)| *kind == target.kind);
            names.any(|(_, name)| matches_glob(target.glob.as_str(), name))
        };
        content.targets.is_empty() || content.targets.iter().any(is_named)
    }

    /// Adds default identities of those kinds of which the requester states none.
    #[must_use]
    pub fn with_default_identities(mut self, otherwise: &[(TargetKind, String)]) -> Self {
        let is_untold = |kind| !self.identities.iter().any(|(told, _)| *told == kind);
        let more = otherwise.iter().filter(|(kind, _)| is_untold(*kind));
        let more: Vec<_> = more.cloned().collect();
        self.identities.extend(more);
        self
    }
}

/// How many lessons to show, and how relevant they must be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankPolicy {
    /// The most lessons to show; never more than [`limits::CANDIDATES`]. A preamble asks for fewer.
    pub limit: usize,
    /// The least relevance of a shown lesson; 0 shows whatever matches.
    pub floor: f32,
}

named_enum! {
    /// How readily a lesson is shown for a prompt.
    #[derive(Default)]
    Silence {
        /// Only for a prompt that is clearly about it.
        Quiet = "quiet",
        /// As far as nine in ten prompts on other topics get nothing.
        #[default]
        Normal = "normal",
        /// Rather one too many: every second prompt on another topic gets something.
        Talkative = "talkative",
    }
}

impl Silence {
    /// Returns the least relevance of a shown lesson: a lesson below it is not shown for a prompt, and a prompt whose
    /// lessons are all below it gets none.
    pub const fn floor(self) -> f32 {
        match self {
            Self::Quiet => 1.5,
            Self::Normal => 1.0,
            Self::Talkative => 0.45,
        }
    }
}

impl Default for RankPolicy {
    fn default() -> Self {
        Self {
            limit: limits::SHOWN_DEFAULT,
            floor: Silence::default().floor(),
        }
    }
}

/// A lesson with its score, worth showing where nothing excludes it.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedLesson {
    /// The lesson.
    pub lesson: Lesson,
    /// The numbers behind its score.
    pub explanation: Explanation,
}

/// A candidate that is not shown.
#[derive(Debug, Clone, PartialEq)]
pub struct ExcludedLesson {
    /// The lesson.
    pub lesson: Lesson,
    /// The reason why it is not shown.
    pub why: ExclusionReason,
    /// The numbers behind its score.
    pub explanation: Explanation,
}

/// Why a candidate is not shown.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ExclusionReason {
    /// The lesson is pending, quarantined, superseded or archived.
    #[error("it is {state}")]
    Inactive {
        /// The name of its state.
        state: &'static str,
    },
    /// The lesson has expired.
    #[error("it expired at {at}")]
    Expired {
        /// When it expired.
        at: Timestamp,
    },
    /// The lesson has targets, and the requester is none of them.
    #[error("it is meant for another operator, role or skill")]
    NotTargeted,
    /// The lesson is hardly about the prompt's topic.
    #[error(
        "it has too little in common with the prompt: relevance {relevance:.2} of at least {floor:.2}"
    )]
    BelowFloor {
        /// The relevance that it reached.
        relevance: f32,
        /// The relevance that it needed.
        floor: f32,
    },
    /// A lesson that is shown says nearly the same.
    #[error("it says nearly the same as {of}")]
    NearDuplicate {
        /// The lesson that is shown.
        of: LessonId,
    },
    /// The lesson was shown earlier in the same session.
    #[error("it was shown earlier in this session")]
    AlreadyShown,
    /// The agent reads the lesson in a file of the project.
    #[error("the agent reads it in a file of the project (hardwon place)")]
    InProjectFile,
    /// The lesson is about a failure that the prompt does not mention, and is shown when that occurs.
    #[error("the prompt does not mention what it is about; it is shown when its failure happens")]
    WaitsForFailure,
    /// The lesson is withheld at random, to measure its effect.
    #[error(
        "it was left out at random (control group, setting `holdout`): every second time until its effect is known"
    )]
    HeldOut,
    /// The lesson names a call or a failure, and is to be shown there.
    #[error("it is shown only at its call or failure (setting show_at)")]
    WaitsForAction,
    /// Enough better lessons are shown.
    #[error("{limit} better ones are shown")]
    OverLimit {
        /// How many may be shown.
        limit: usize,
    },
}

impl ExclusionReason {
    /// Returns the reason as text to be stored. It consists of our own words, with numbers and a time, so there is
    /// nothing in it to redact.
    pub fn to_clean_text(&self) -> CleanText {
        clean_derived(&self.to_string())
    }
}

/// Why nothing is shown at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SilenceReason {
    /// The prompt has no word to search for.
    #[error("the prompt holds no word to search for")]
    NoSearchTerms,
    /// There are no lessons to search.
    #[error("there are no lessons here yet")]
    NoLessons,
    /// No lesson has any word of the prompt.
    #[error("no lesson shares a significant word with the prompt")]
    NoMatch,
    /// Every candidate was excluded, each for its own reason.
    #[error("no lesson fits well enough to show")]
    AllExcluded,
    /// What fits need not be shown now.
    #[error("what fits is in the context already, or waits for its call or failure")]
    NothingNew,
    /// What fits was withheld at random.
    #[error("what fits was left out at random (setting `holdout`)")]
    LeftOut,
}

impl SilenceReason {
    /// Returns the reason as text to be stored.
    pub fn to_clean_text(self) -> CleanText {
        clean_derived(&self.to_string())
    }
}

/// The result of ranking: the lessons to show and the others.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// The lessons to show, best first.
    pub shown: Vec<RankedLesson>,
    /// The other candidates, best first.
    pub excluded: Vec<ExcludedLesson>,
    /// Why nothing is shown; `None` if something is.
    pub silence: Option<SilenceReason>,
}

impl Ranking {
    /// Moves a shown lesson to the excluded ones, for this reason.
    #[must_use]
    pub fn exclude(mut self, lesson: LessonId, why: ExclusionReason) -> Self {
        let (kept, taken): (Vec<RankedLesson>, Vec<RankedLesson>) =
            (self.shown.into_iter()).partition(|ranked| ranked.lesson.id != lesson);
        self.shown = kept;
        self.excluded
            .extend(taken.into_iter().map(|candidate| ExcludedLesson {
                lesson: candidate.lesson,
                why: why.clone(),
                explanation: candidate.explanation,
            }));
        self.excluded.sort_by_key(|row| row.explanation.position);
        if self.shown.is_empty() && self.silence.is_none() {
            self.silence = Some(match why {
                ExclusionReason::HeldOut => SilenceReason::LeftOut,
                _ => SilenceReason::NothingNew,
            });
        }
        self
    }
}

/// Ranks the candidates and decides which of them to show.
pub fn rank_candidates(
    query: &QueryTerms,
    found: SearchResults,
    asker: &Requester,
    policy: RankPolicy,
    now: Timestamp,
) -> Ranking {
    let silence = silence_reason(query, &found);
    let mut candidates = score_hits(query, found, asker, now);
    candidates.sort_by(|a, b| {
        let newer = || b.lesson.id.cmp(&a.lesson.id);
        b.explanation
            .score
            .total_cmp(&a.explanation.score)
            .then_with(newer)
    });
    let gate = gate::RankGate {
        query,
        asker,
        policy,
        now,
    };
    let mut shown: Vec<RankedLesson> = Vec::new();
    let mut excluded = Vec::new();
    for (place, mut candidate) in (1..).zip(candidates) {
        candidate.explanation.position = place;
        match gate.exclusion_reason(&candidate, &shown) {
            None => shown.push(candidate),
            Some(why) => excluded.push(ExcludedLesson {
                lesson: candidate.lesson,
                why,
                explanation: candidate.explanation,
            }),
        }
    }
    let is_silent = shown.is_empty();
    Ranking {
        shown,
        excluded,
        silence: is_silent.then(|| silence.unwrap_or(SilenceReason::AllExcluded)),
    }
}

/// Returns why a search could not find anything; `None` if it found candidates.
fn silence_reason(query: &QueryTerms, found: &SearchResults) -> Option<SilenceReason> {
    if query.terms.is_empty() {
        Some(SilenceReason::NoSearchTerms)
    } else if found.stats.docs == 0 {
        Some(SilenceReason::NoLessons)
    } else if found.hits.is_empty() {
        Some(SilenceReason::NoMatch)
    } else {
        None
    }
}

/// Scores every hit by its words and by its similarity.
fn score_hits(
    query: &QueryTerms,
    found: SearchResults,
    asker: &Requester,
    now: Timestamp,
) -> Vec<RankedLesson> {
    let view = fit::PromptView::new(query, found.stats, &found.df);
    let docs = found.stats.docs;
    let score_hit = |hit: SearchHit| {
        let fit = view.fit_lesson(&hit.terms);
        let merit = merit::measure_merit(&hit.lesson, asker, now);
        let near = hit
            .similarity
            .map(|cosine| similarity::score_similarity(fit.sums.score(), cosine, docs));
        RankedLesson {
            explanation: Explanation::new(fit, merit, near),
            lesson: hit.lesson,
        }
    };
    found.hits.into_iter().map(score_hit).collect()
}

#[cfg(test)]
mod tests;
