//! Rows of candidate lessons, of kept answers and of what models cost.
//!
//! Which statement selects them is a database's own affair; the columns and their order are not.

use hardwon_core::{ModelCost, RunId, TenantId};

use super::from_json;
use crate::{AdmittedRow, CandidateLesson, KeptAnswer, ReadColumns, Result, damaged_error};

/// The columns that [`read_candidate`] reads, of a row `w`.
pub const CANDIDATE_COLUMNS: &str = "w.runs, w.first, w.last, w.lesson";

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

/// Reads calls and tokens.
pub(crate) fn read_cost(row: &mut dyn ReadColumns) -> Result<ModelCost> {
    Ok(ModelCost {
        calls: row.next_count()?,
        tokens: row.next_count()?,
    })
}
