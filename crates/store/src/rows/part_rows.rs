//! Rows of the parts of a tenant that no listing has, and of candidate lessons.
//!
//! Which statement selects them is a database's own affair; the columns and their order are not.

use hardwon_core::{BaselineKey, FailureKey, GaussianMessage, ModelCost, RunId, TenantId};

use super::{from_json, parse_scope};
use crate::{AdmittedRow, ReadColumns};
use crate::{CandidateLesson, KeptAnswer, Result, TenantPart, error::damaged_error};

/// The columns that [`read_candidate`] reads, of a row `w`.
pub const CANDIDATE_COLUMNS: &str = "w.runs, w.first, w.last, w.lesson";

/// A kind of parts that no listing has, beside the scopes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoosePartKind {
    /// What runs of a kind come to without lessons.
    Baseline,
    /// A failure that was seen, and perhaps the lesson that waits until it is seen again.
    Candidate,
    /// What models cost on a day.
    Cost,
    /// The answer to a request that may be made again.
    Answer,
}

impl LoosePartKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Baseline, Self::Candidate, Self::Cost, Self::Answer];

    /// Returns the columns that [`read_part`](Self::read_part) reads; of a candidate those after the agent, the project
    /// and the failure.
    pub fn columns(self) -> &'static str {
        match self {
            Self::Baseline => "about, precision, shift",
            Self::Candidate => CANDIDATE_COLUMNS,
            Self::Cost => "day, calls, tokens, micros",
            Self::Answer => "name, request, answer, at",
        }
    }

    /// Reads a part of this kind.
    ///
    /// # Errors
    ///
    /// If a column holds what no program of ours wrote.
    pub fn read_part(self, row: &mut dyn ReadColumns, tenant: &TenantId) -> Result<TenantPart> {
        Ok(match self {
            Self::Baseline => {
                let about = row.next_word(BaselineKey::from_name)?;
                let (precision, shift) = (row.next_integer()?, row.next_integer()?);
                TenantPart::Baseline(about, GaussianMessage { precision, shift })
            }
            Self::Candidate => {
                let (agent, project) = (row.next_string()?, row.next_string()?);
                let scope = parse_scope(tenant, &agent, &project)?;
                let failure = FailureKey::new(row.next_string()?);
                let candidate = read_candidate(row, tenant)?;
                TenantPart::Candidate(scope, failure, Box::new(candidate))
            }
            Self::Cost => TenantPart::Cost(row.next_integer()?, read_cost(row)?),
            Self::Answer => TenantPart::Answer(row.next_hash()?, read_kept_answer(row)?),
        })
    }
}

/// Reads the [`CANDIDATE_COLUMNS`] of a row.
///
/// # Errors
///
/// If a column holds what no program of ours wrote.
pub fn read_candidate(row: &mut dyn ReadColumns, tenant: &TenantId) -> Result<CandidateLesson> {
    let runs = parse_runs(&row.next_string()?)?;
    let (first_seen, last_seen) = (row.next_time()?, row.next_time()?);
    let lesson = row.next_optional_string()?;
    let lesson = lesson.map(|json| from_json::<AdmittedRow>(&json)?.into_admitted(tenant));
    Ok(CandidateLesson {
        runs,
        first_seen,
        last_seen,
        lesson: lesson.transpose()?,
    })
}

/// Parses the names of runs, which a failure that many runs met has many of.
fn parse_runs(json: &str) -> Result<Vec<RunId>> {
    let names: Vec<String> = from_json(json)?;
    let runs: Result<_, _> = names.into_iter().map(RunId::from_stored).collect();
    runs.map_err(|error| damaged_error(format!("a run has a name that cannot be ({error})")))
}

/// Reads a request's digest, its answer and its time.
pub(crate) fn read_kept_answer(row: &mut dyn ReadColumns) -> Result<KeptAnswer> {
    Ok(KeptAnswer {
        digest: row.next_hash()?,
        answer: row.next_optional_string()?,
        at: row.next_time()?,
    })
}

/// Reads calls, tokens and micros.
pub(crate) fn read_cost(row: &mut dyn ReadColumns) -> Result<ModelCost> {
    Ok(ModelCost {
        calls: row.next_count()?,
        tokens: row.next_count()?,
        micros: row.next_count()?,
    })
}
