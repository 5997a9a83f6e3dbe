//! The numbers behind a rank, for people: the output of `--explain`.

use std::fmt;

use serde::Serialize;

use super::{
    fit::{LessonFit, TermScore},
    merit::Merit,
    similarity::SimilarityScore,
};

/// Most words named in one line of explanation.
const WORDS_NAMED: usize = 8;

/// How a candidate got its score and its place.
///
/// The score is ((words + 0.4 pairs + 0.4 likeness) × (1 + 0.4 signature) + similarity boost) × utility × heed ×
/// freshness × tool. Relevance is computed separately and is compared with the floor. Its JSON is part of an explained recall.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The place among the candidates, from 1.
    #[serde(skip)]
    pub position: usize,
    /// The score by which it is ranked.
    pub score: f32,
    /// How certainly it is about the prompt's topic; see [`RankPolicy::floor`](super::RankPolicy::floor).
    pub relevance: f32,
    /// Whether its relevance comes from the prompt being a task like the one that taught it.
    #[serde(skip)]
    pub is_by_task: bool,
    /// The prompt's words that the lesson contains, by falling score.
    #[serde(rename = "words")]
    pub matched_terms: Vec<TermScore>,
    /// The score of word pairs that are neighbours both in the prompt and in the lesson.
    pub pairs: f32,
    /// The score of words that are only partly spelt like words of the prompt.
    pub likeness: f32,
    /// The share of the signature's words that the prompt contains, 0 to 1.
    pub signature: f32,
    /// The result of the embedding; `None` without one, or without a vector of the lesson.
    #[serde(rename = "nearness", skip_serializing_if = "Option::is_none")]
    pub similarity: Option<SimilarityScore>,
    /// The factor for its record, 0.75 to 1.25.
    pub utility: f32,
    /// The factor for whether runs followed it of late, 0.8 or 1.
    pub heed: f32,
    /// The factor for its age, 0.9 to 1.
    pub freshness: f32,
    /// The factor for being about a tool in use, 1 or 1.2.
    pub tool: f32,
}

impl Explanation {
    /// Returns the sum of the scores of the matched words.
    pub fn words_score(&self) -> f32 {
        // An ordinary sum of no values would be a negative zero.
        (self.matched_terms.iter()).fold(0.0, |sum, word| sum + word.score)
    }

    pub(super) fn new(fit: LessonFit, merit: Merit, similarity: Option<SimilarityScore>) -> Self {
        let worth = similarity.map_or(0.0, |near| near.boost);
        Self {
            position: 0,
            score: (fit.sums.score() + worth) * merit.factor(),
            relevance: fit.relevance,
            is_by_task: fit.is_by_task,
            matched_terms: fit.words,
            pairs: fit.sums.pairs,
            likeness: fit.sums.likeness,
            signature: fit.sums.signature,
            similarity,
            utility: merit.utility,
            heed: merit.heed,
            freshness: merit.freshness,
            tool: merit.tool,
        }
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.words_score();
        write!(
            f,
            "score {:.2}, relevance {:.2}: ",
            self.score, self.relevance
        )?;
        write!(
            f,
            "words {words:.2}, pairs {:.2}, likeness {:.2}, ",
            self.pairs, self.likeness
        )?;
        write!(f, "signature {:.0} %, ", self.signature * 100.0)?;
        if self.is_by_task {
            write!(f, "a task like its own, ")?;
        }
        if let Some(near) = &self.similarity {
            write!(f, "nearness {:.2} ({:.2}), ", near.boost, near.cosine)?;
        }
        write!(f, "utility × {:.2}, ", self.utility)?;
        if self.heed < 1.0 {
            write!(f, "heed × {:.2}, ", self.heed)?;
        }
        write!(f, "freshness × {:.2}, ", self.freshness)?;
        write!(f, "tool × {:.2}", self.tool)?;
        for (index, word) in self.matched_terms.iter().take(WORDS_NAMED).enumerate() {
            let lead = if index == 0 { "; " } else { ", " };
            write!(f, "{lead}{} {:.2}", word.term, word.score)?;
        }
        let more = self.matched_terms.len().saturating_sub(WORDS_NAMED);
        if more > 0 {
            write!(f, " and {more} more")?;
        }
        Ok(())
    }
}
