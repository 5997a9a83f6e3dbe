//! The run behind a lesson: where its transcript is, and the steps that taught it.
//!
//! A lesson keeps the names of its runs and nothing of their contents, so the steps are read again
//! from where the agents of this machine keep their sessions, as long as they do. Those of files
//! that were learned from elsewhere are not looked for.

use std::path::{Path, PathBuf};

use hardwon_clients::archive;
use hardwon_core::{
    CallFailure, CallStatus, EvidenceKind, Lesson, RunId, StepKind, Trace, TraceStep,
};

use crate::{input, output};

/// Runs that are looked for.
const MAX_RUNS: usize = 3;
/// Files whose name tells of a run that are looked into for it.
const MAX_FILES: usize = 8;
/// Steps that are shown.
const MAX_STEPS: usize = 12;
/// Columns that a step gets.
const STEP_COLUMNS: usize = 100;
/// Least characters of a run's name by which its file is found; some clients put no more there.
const MIN_NAME_CHARS: usize = 8;

/// Says which run taught a lesson, and what happened in it; nothing where no transcript is there.
pub(super) fn describe_run(lesson: &Lesson) -> String {
    let runs = lesson
        .evidence
        .iter()
        .filter(|evidence| evidence.kind == EvidenceKind::Run);
    let runs = runs.filter_map(|run| RunId::parse(run.reference.as_str()).ok());
    let runs: Vec<RunId> = runs.take(MAX_RUNS).collect();
    if runs.is_empty() {
        return String::new();
    }
    let files = find_session_files();
    let run_and_trace = runs
        .iter()
        .find_map(|run| Some((run, read_named_file(&files, run)?)));
    run_and_trace.map_or_else(String::new, |(run, (path, trace))| {
        let place = output::to_one_line(&path.display().to_string());
        let lines: String = steps_around(lesson, &trace).map(render_step).collect();
        format!("\nrun {run}, {place}\n{lines}")
    })
}

/// Returns the files in which the agents of this machine keep their sessions.
fn find_session_files() -> Vec<PathBuf> {
    let places = input::locate_sessions();
    let paths = places.into_iter().map(|place| place.path).collect();
    input::list_files(paths).0
}

/// Reads a run from the file that is named after it.
fn read_named_file(files: &[PathBuf], run: &RunId) -> Option<(PathBuf, Trace)> {
    let is_named = |path: &&PathBuf| contains_run_name(path, run.as_str());
    let candidates = files.iter().filter(is_named).take(MAX_FILES);
    candidates.into_iter().find_map(|path| {
        let trace = archive::read_run(path, run).ok().flatten()?;
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

fn render_step(step: &TraceStep) -> String {
    let (mark, words, error) = match &step.kind {
        StepKind::UserMessage { text, .. } => ("said", text.as_str(), None),
        StepKind::Call(call) => match &call.status {
            CallStatus::Ok | CallStatus::Doubtful(_) => ("ok", call.args.as_str(), None),
            CallStatus::PartlyFailed(steps) => {
                let error = steps.first().map(|step| step.error.as_str());
                ("partly", call.args.as_str(), error)
            }
            CallStatus::Error(error) => ("failed", call.args.as_str(), Some(error.as_str())),
        },
    };
    let mut line = format!("  {mark:<7} {}\n", output::cut_line(words, STEP_COLUMNS));
    if let Some(error) = error {
        line += &format!("  {:<7} {}\n", "", output::cut_line(error, STEP_COLUMNS));
    }
    line
}
