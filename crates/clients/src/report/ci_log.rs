//! Logs of CI jobs: the errors of each step, from what `gh run view --log-failed` prints or a job's own log.

use std::collections::BTreeMap;

use crate::transcript::error_head::error_head;

/// Lines of a step that are kept for its error.
const LINES_KEPT: usize = 200;

/// The error of a step that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StepError {
    /// The job and the step, where the log has them.
    pub(super) job: Option<String>,
    pub(super) step: Option<String>,
    pub(super) message: String,
}

/// The job and the step that a line belongs to, where the log says so.
type LinePlace = (Option<String>, Option<String>);

/// What a step printed.
#[derive(Default)]
struct StepOutput {
    /// What it reported as errors.
    errors: Vec<String>,
    lines: Vec<String>,
}

/// Returns the errors of the steps in a log that failed.
pub(super) fn find_errors(log: &str) -> Vec<StepError> {
    let mut steps: Vec<(LinePlace, StepOutput)> = Vec::new();
    let mut places: BTreeMap<LinePlace, usize> = BTreeMap::new();
    for line in log.lines() {
        let (place, line) = split_place(line);
        let index = *places.entry(place.clone()).or_insert_with(|| {
            steps.push((place, StepOutput::default()));
            steps.len() - 1
        });
        steps[index].1.add_line(strip_time(line).trim_end());
    }
    let errors = steps.into_iter().filter_map(|((job, step), output)| {
        let message = output.find_message()?;
        Some(StepError { job, step, message })
    });
    errors.collect()
}

/// Splits off the job and the step that `gh` puts before each line.
fn split_place(line: &str) -> (LinePlace, &str) {
    let mut parts = line.splitn(3, '\t');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(job), Some(step), Some(rest)) if is_time(rest.trim_start_matches('\u{feff}')) => {
            let step = Some(step).filter(|step| *step != "UNKNOWN STEP");
            ((Some(job.to_owned()), step.map(str::to_owned)), rest)
        }
        _ => ((None, None), line),
    }
}

fn strip_time(line: &str) -> &str {
    let line = line.trim_start_matches('\u{feff}');
    match line.split_once(' ') {
        Some((time, rest)) if is_time(time) => rest,
        None if is_time(line) => "",
        _ => line,
    }
}

/// Returns whether a text begins with a time such as `2026-11-21T10:00:00.1234567Z`.
fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 20
        && bytes[..4].iter().all(u8::is_ascii_digit)
        && bytes[4] == b'-'
        && bytes[10] == b'T'
        && text.split(' ').next().unwrap_or_default().ends_with('Z')
}

impl StepOutput {
    fn add_line(&mut self, line: &str) {
        if let Some(error) = line.strip_prefix("##[error]") {
            self.errors.push(error.trim().to_owned());
        } else if !line.starts_with("##[") {
            if self.lines.len() == LINES_KEPT {
                self.lines.remove(0);
            }
            self.lines.push(line.to_owned());
        }
    }

    /// Returns the error in one line; `None` if the step reported none.
    fn find_message(&self) -> Option<String> {
        let first = self.errors.first()?;
        let says_more = |error: &&String| !error.starts_with("Process completed with exit code");
        if let Some(error) = self.errors.iter().find(says_more) {
            return Some(error.clone());
        }
        let head = error_head(&self.lines.join("\n"));
        let mut lines = head.lines().map(str::trim);
        Some(
            lines
                .find(|text| !text.is_empty())
                .unwrap_or(first)
                .to_owned(),
        )
    }
}
