//! The run behind a lesson: where its transcript is, and the steps that taught it.
//!
//! A lesson keeps the names of its runs and nothing of their contents, so the steps are read again
//! from where the agents of a machine keep their sessions, as long as they do. Those of files
//! that were learned from elsewhere are not looked for.

use std::path::{Path, PathBuf};

use hardwon_core::{
    AgentId, CallFailure, CallStatus, EvidenceKind, Lesson, RunId, StepKind, Trace, TraceStep,
};

use jiff::Timestamp;

use super::{
    ArchiveEntry, SessionsFound, list_entries, order::read_told_start, run::read_run_of_client,
};

/// Runs that are looked for.
const MAX_RUNS: usize = 3;
/// Files whose name tells of a run that are looked into for it.
const MAX_FILES: usize = 8;
/// Steps that are shown.
const MAX_STEPS: usize = 12;
/// Least characters of a run's name by which its file is found; some clients put no more there.
const MIN_NAME_CHARS: usize = 8;

/// The run that taught a lesson.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceRun {
    /// Its name.
    pub run: RunId,
    /// The transcript that it is in.
    pub path: PathBuf,
    /// When that says that it began.
    pub began: Option<Timestamp>,
    /// The client that ran it, if that is known.
    pub client: Option<AgentId>,
    /// The steps around the lesson's own trouble, or the first ones; without secrets.
    pub steps: Vec<SourceStep>,
}

/// One step of a run, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceStep {
    /// What it was or how it went, in a word: `said`, `ok`, `partly`, `failed`.
    pub mark: &'static str,
    /// What was said, or the arguments of the call.
    pub words: String,
    /// What the call failed with; may be empty.
    pub error: String,
}

impl SourceRun {
    /// Finds the run that taught a lesson where clients keep their sessions; `None` if no transcript of it is there.
    pub fn find(lesson: &Lesson, places: &[SessionsFound]) -> Option<Self> {
        let evidence = lesson.evidence.iter();
        let runs = evidence.filter(|evidence| evidence.kind == EvidenceKind::Run);
        let runs = runs.filter_map(|run| RunId::parse(run.reference.as_str()).ok());
        let runs: Vec<RunId> = runs.take(MAX_RUNS).collect();
        if runs.is_empty() {
            return None;
        }
        let paths = places.iter().map(|place| place.path.clone());
        let files = list_entries(paths).filter_map(|entry| match entry {
            ArchiveEntry::File(path) => Some(path),
            ArchiveEntry::Unreadable(..) => None,
        });
        let files: Vec<PathBuf> = files.collect();
        runs.into_iter().find_map(|run| {
            let (path, (trace, client)) = read_named_file(&files, &run)?;
            let steps = steps_around(lesson, &trace).map(SourceStep::from).collect();
            Some(Self {
                run,
                began: read_told_start(&path).ok().flatten(),
                path,
                client,
                steps,
            })
        })
    }
}

/// Reads a run from the file that is named after it.
fn read_named_file(files: &[PathBuf], run: &RunId) -> Option<(PathBuf, (Trace, Option<AgentId>))> {
    let is_named = |path: &&PathBuf| contains_run_name(path, run.as_str());
    let mut candidates = files.iter().filter(is_named).take(MAX_FILES);
    candidates.find_map(|path| {
        let trace = read_run_of_client(path, run).ok().flatten()?;
        Some((path.clone(), trace))
    })
}

fn contains_run_name(path: &Path, run: &str) -> bool {
    let text = path.to_string_lossy();
    let start = run.get(..MIN_NAME_CHARS).unwrap_or(run);
    text.contains(run) || (start.len() == MIN_NAME_CHARS && text.contains(start))
}

/// Returns the steps around the lesson's own trouble, or the first ones.
fn steps_around<'a>(lesson: &Lesson, trace: &'a Trace) -> impl Iterator<Item = &'a TraceStep> {
    let is_trouble = |step: &TraceStep| match &step.kind {
        StepKind::Call(call) => {
            let failure = CallFailure::from_call(call).map(|failure| failure.key);
            failure.is_some() && failure == lesson.failure
        }
        StepKind::UserMessage { .. } => false,
    };
    let at = trace.steps().iter().position(is_trouble).unwrap_or(0);
    trace
        .steps()
        .iter()
        .skip(at.saturating_sub(1))
        .take(MAX_STEPS)
}

impl From<&TraceStep> for SourceStep {
    fn from(step: &TraceStep) -> Self {
        let (mark, words, error) = match &step.kind {
            StepKind::UserMessage { text, .. } => ("said", text.as_str(), ""),
            StepKind::Call(call) => match &call.status {
                CallStatus::Ok | CallStatus::Doubtful(_) => ("ok", call.args.as_str(), ""),
                CallStatus::PartlyFailed(steps) => {
                    let error = steps.first().map_or("", |step| step.error.as_str());
                    ("partly", call.args.as_str(), error)
                }
                CallStatus::Error(error) => ("failed", call.args.as_str(), error.as_str()),
            },
        };
        Self {
            mark,
            words: words.to_owned(),
            error: error.to_owned(),
        }
    }
}
