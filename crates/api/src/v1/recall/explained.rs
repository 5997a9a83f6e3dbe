//! Every candidate of a recall with its numbers, and why it is shown or not.

use hardwon_core::Explanation;
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
    /// The numbers; their keys stand beside the others.
    #[serde(flatten)]
    pub explanation: &'a Explanation,
}

impl<'a> From<&'a RecallCandidate<'a>> for CandidateDto<'a> {
    fn from(candidate: &'a RecallCandidate<'a>) -> Self {
        Self {
            id: candidate.lesson.id.0,
            reference: author_reference(candidate.lesson),
            shown: candidate.exclusion.is_none(),
            why: candidate.exclusion.as_deref(),
            explanation: candidate.explanation,
        }
    }
}
