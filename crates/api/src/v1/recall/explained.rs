//! Every candidate of a recall with its numbers, and why it is shown or not.

use hardwon_core::rank::{SimilarityScore, TermScore};
use hardwon_engine::{RecallCandidate, RecallOutcome};
use serde::Serialize;

use crate::v1::lesson::author_reference;

/// A recall with all that was considered.
#[derive(Debug, Serialize)]
pub struct ExplanationDto<'a> {
    /// The candidates, the best first.
    pub candidates: Vec<CandidateDto<'a>>,
    /// The relevance from which on a lesson may be shown.
    pub floor: f32,
    /// Why nothing is shown; null if something is.
    pub silent: Option<String>,
}

impl<'a> ExplanationDto<'a> {
    /// Builds it from the candidates of a recall and the least relevance that its policy asks for.
    #[must_use]
    pub fn from_candidates(
        recalled: &RecallOutcome,
        candidates: &'a [RecallCandidate<'a>],
        floor: f32,
    ) -> Self {
        Self {
            candidates: candidates.iter().map(CandidateDto::from).collect(),
            floor,
            silent: recalled.ranking.silence.map(|why| why.to_string()),
        }
    }
}

/// A candidate, with the parts that its score is made of.
#[derive(Debug, Serialize)]
pub struct CandidateDto<'a> {
    /// The lesson's number.
    pub id: i64,
    /// The name that its author gave it; null if they gave none.
    #[serde(rename = "ref")]
    pub reference: Option<&'a str>,
    /// Whether it is shown.
    pub shown: bool,
    /// Why it is not shown; null if it is.
    pub why: Option<&'a str>,
    /// What it is ranked by.
    pub score: f32,
    /// How surely it is about the prompt's topic; what `floor` is compared with.
    pub relevance: f32,
    /// The words that it shares with the prompt, those that bring most first.
    pub words: &'a [TermScore],
    /// What neighbouring words that are neighbours in both bring.
    pub pairs: f32,
    /// What like spelling brings.
    pub likeness: f32,
    /// The share of its signature's words that are in the prompt, 0 to 1.
    pub signature: f32,
    /// What an embedding has to say; absent where there is none, or it does not know the lesson.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearness: Option<SimilarityDto>,
    /// The factor for how runs went that were shown it, 0.75 to 1.25.
    pub utility: f32,
    /// The factor for whether it was followed of late, 0.6 or 1.
    pub heed: f32,
    /// The factor for its age, 0.9 to 1.
    pub freshness: f32,
    /// The factor for being about a tool in hand, 1 or 1.2.
    pub tool: f32,
}

/// What an embedding made of a candidate.
#[derive(Debug, Serialize)]
pub struct SimilarityDto {
    /// What it adds to the score.
    pub worth: f32,
    /// The cosine of the lesson's vector and the prompt's, -1 to 1.
    pub similarity: f32,
    /// The same in standard deviations from the mean of all lessons.
    pub standing: f32,
    /// The place by similarity, from 1.
    pub place: usize,
    /// The place by words, from 1; null if no word is shared.
    pub place_by_words: Option<usize>,
}

impl<'a> From<&'a RecallCandidate<'a>> for CandidateDto<'a> {
    fn from(candidate: &'a RecallCandidate<'a>) -> Self {
        let it = candidate.explanation;
        Self {
            id: candidate.lesson.id.0,
            reference: author_reference(candidate.lesson),
            shown: candidate.exclusion.is_none(),
            why: candidate.exclusion.as_deref(),
            score: it.score,
            relevance: it.relevance,
            words: &it.matched_terms,
            pairs: it.pairs,
            likeness: it.likeness,
            signature: it.signature,
            nearness: it.similarity.map(SimilarityDto::from),
            utility: it.utility,
            heed: it.heed,
            freshness: it.freshness,
            tool: it.tool,
        }
    }
}

impl From<SimilarityScore> for SimilarityDto {
    fn from(near: SimilarityScore) -> Self {
        Self {
            worth: near.boost,
            similarity: near.cosine,
            standing: near.standard_score,
            place: near.position,
            place_by_words: near.position_by_words,
        }
    }
}
