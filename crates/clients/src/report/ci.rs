//! Runs of CI that failed and then passed: what failed, and the commit that mended it.
//!
//! Reads `gh run list --json attempt,conclusion,createdAt,displayTitle,headBranch,headSha,workflowName` and `gh run view
//! ID --json …,jobs`, as lists or single values, and logs of failed runs beside them. What failed must be known, by a log
//! or by the step: that CI was red for a while teaches nothing. All of it is text from outside.

use std::collections::BTreeMap;

use hardwon_core::{OutsideWords, RawText, Signal};
use serde_json::Value;

use super::{
    FindFiles, Report, ReportError, ReportKind,
    ci_log::{StepError, find_errors},
    json::{find_list, find_text},
    points::join_sentences,
};

/// How many files of a commit are told.
const FILES_TOLD: usize = 4;

/// A run of a workflow.
struct CiRun {
    workflow: String,
    branch: String,
    sha: String,
    title: String,
    created: String,
    has_passed: bool,
    /// The job and the step that failed, if the run has its jobs.
    failed_step: Option<(String, Option<String>)>,
}

pub(super) fn read_ci(texts: &[String], find_files: FindFiles<'_>) -> Result<Report, ReportError> {
    let (mut runs, mut errors, mut has_runs) = (Vec::new(), Vec::new(), false);
    for text in texts {
        match serde_json::from_str::<Value>(text.trim_start_matches('\u{feff}')) {
            Ok(value @ (Value::Array(_) | Value::Object(_))) => {
                has_runs = true;
                let list = value.as_array().map(Vec::as_slice);
                let list = list.unwrap_or(std::slice::from_ref(&value));
                runs.extend(list.iter().filter_map(CiRun::read));
            }
            _ => errors.extend(find_errors(text)),
        }
    }
    if !has_runs {
        return Err(ReportError::new(
            "there are no runs in it: give what `gh run list --json \
             conclusion,createdAt,displayTitle,headBranch,headSha,workflowName` prints, and logs after it",
        ));
    }
    let mut report = pair_runs(runs, &errors, find_files);
    for text in texts {
        report.outside.extend(&OutsideWords::from_text(text));
    }
    Ok(report)
}

impl CiRun {
    /// Reads a run that has ended; `None` for another one.
    fn read(run: &Value) -> Option<Self> {
        let has_passed = match find_text(run, &["conclusion"])? {
            "success" => true,
            "failure" | "timed_out" => false,
            _ => return None,
        };
        let text = |names: &[&str]| find_text(run, names).unwrap_or_default().to_owned();
        Some(Self {
            workflow: text(&["workflowName", "name"]),
            branch: text(&["headBranch", "head_branch"]),
            sha: text(&["headSha", "head_sha"]),
            title: text(&["displayTitle", "display_title"]),
            created: text(&["createdAt", "created_at"]),
            has_passed,
            failed_step: find_failed_step(run),
        })
    }
}

fn find_failed_step(run: &Value) -> Option<(String, Option<String>)> {
    let has_failed = |it: &&Value| find_text(it, &["conclusion"]) == Some("failure");
    let job = find_list(run, &["jobs"]).iter().find(has_failed)?;
    let step = find_list(job, &["steps"]).iter().find(has_failed);
    let step = step.and_then(|step| find_text(step, &["name"]));
    Some((
        find_text(job, &["name"])?.to_owned(),
        step.map(str::to_owned),
    ))
}

/// Pairs each run that failed last with the one that passed next, of the same workflow and branch.
fn pair_runs(mut runs: Vec<CiRun>, errors: &[StepError], find_files: FindFiles<'_>) -> Report {
    runs.sort_by(|a, b| a.created.cmp(&b.created));
    let mut red: BTreeMap<(String, String), CiRun> = BTreeMap::new();
    let (mut signals, mut subjects) = (Vec::new(), Vec::new());
    for run in runs {
        let line = (run.workflow.clone(), run.branch.clone());
        if !run.has_passed {
            red.insert(line, run);
        } else if let Some(failed) = red.remove(&line)
            && let Some(cause) = word_cause(&failed, errors)
        {
            subjects.push(format!("{} {} {}", failed.workflow, failed.sha, run.sha));
            signals.push(Signal::RootCause {
                cause: RawText::from(cause),
                fix: Some(RawText::from(word_fix(&failed, &run, find_files))),
            });
        }
    }
    let mut report = Report::new(ReportKind::Ci, Some(subjects.join("\n")));
    report.signals = signals;
    report
}

/// Says what failed; `None` if nobody knows.
fn word_cause(failed: &CiRun, errors: &[StepError]) -> Option<String> {
    let is_of = |it: &&StepError| match (&failed.failed_step, &it.job) {
        (Some((job, _)), Some(named)) => job == named,
        _ => true,
    };
    let error = errors.iter().find(is_of);
    let failed_step = failed.failed_step.as_ref();
    let job = failed_step.map(|(job, _)| job);
    let job = job.or_else(|| error?.job.as_ref());
    let step = failed_step.and_then(|(_, step)| step.as_ref());
    let step = step.or_else(|| error?.step.as_ref());
    if error.is_none() && step.is_none() {
        return None;
    }
    let place = [("job", job), ("step", step)].into_iter();
    let place = place.filter_map(|(kind, name)| Some(format!(", {kind} `{}`", name?)));
    let place: String = place.collect();
    let message = error.map_or_else(String::new, |error| format!(" with: {}", error.message));
    let cause = format!("CI `{}`{place} failed{message}", failed.workflow);
    Some(join_sentences([cause]))
}

fn word_fix(failed: &CiRun, passed: &CiRun, find_files: FindFiles<'_>) -> String {
    if failed.sha == passed.sha {
        return "Run it again before looking for a cause in your change: it passed on the same commit.".to_owned();
    }
    let files = find_files(&passed.sha);
    let names = files.iter().take(FILES_TOLD);
    let names = names.map(|file| format!("`{file}`"));
    let names = names.collect::<Vec<_>>().join(", ");
    let change = match names.as_str() {
        "" => names,
        names => format!(" and changed {names}"),
    };
    join_sentences([format!("The commit \"{}\" mended it{change}", passed.title)])
}
