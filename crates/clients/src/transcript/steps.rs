//! Finds the steps of a command line that failed although the client reports the line as a success.
//!
//! `a; b`, `a 2>&1 | tail -3` and `a; echo rc=$?` succeed whatever the status of `a`. What the line itself prints shows
//! it all the same: the status that it echoes, and the lines in which a shell or one of its programs says what is
//! wrong. The output is read for that and discarded; of a failed step the head of its error stays. In doubt there is no
//! failure: a line with `error:` in it may be any file's text, so it must be attributable to a step of the line.

mod closing;
mod complaint;
mod role;
mod silent;
mod speakers;
mod status;

use std::{borrow::Cow, mem};

use hardwon_core::{CallStatus, FailedStep, Join, RawText, ShellCommand, ShellLine, limits, shell};

use self::{speakers::Speakers, status::OutputShare};
use super::error_head::error_head;

/// Longest output that is read for failed steps, in bytes; of a longer one its two ends.
const READ_BYTES: usize = 32 * 1024;

/// Returns the status of a shell call that succeeded with this output.
pub(super) fn passed_line_status<'p>(
    line: &str,
    printed: impl FnOnce() -> Cow<'p, str>,
) -> CallStatus<RawText> {
    let raw = |it: StepFailure| FailedStep {
        step: it.step,
        error: it.error.into(),
    };
    match judge_line(line, printed) {
        LineVerdict::Worked => CallStatus::Ok,
        LineVerdict::InDoubt(step) => CallStatus::Doubtful(raw(step)),
        LineVerdict::Failed(steps) => {
            CallStatus::PartlyFailed(steps.into_iter().map(raw).collect())
        }
    }
}

/// What the output of a line says of its steps.
#[derive(Debug)]
enum LineVerdict {
    Worked,
    /// A step printed what reads like an error.
    InDoubt(StepFailure),
    /// These failed, in order.
    Failed(Vec<StepFailure>),
}

/// A step that failed.
#[derive(Debug)]
struct StepFailure {
    step: usize,
    /// The head of its error.
    error: String,
    /// Whether the step reported it itself; else its status did, and the error is what was printed before.
    is_stated: bool,
}

/// Finds the steps that failed, or else the one that may have.
fn judge_line<'p>(text: &str, printed: impl FnOnce() -> Cow<'p, str>) -> LineVerdict {
    // The client knows how a lone command ended.
    if !text.contains(['|', ';', '&', '\n', '`']) && !text.contains("$(") {
        return LineVerdict::Worked;
    }
    let line = shell::parse_line(text);
    if line.commands.len() < 2 {
        return LineVerdict::Worked;
    }
    let lines = printed_lines(&printed());
    let mut failures: Vec<StepFailure> = Vec::new();
    let shares = status::split_output(text, &line, &lines);
    for share in &shares {
        for it in find_failures_in(&line, share) {
            let is_new = !failures.iter().any(|known| known.step == it.step);
            if is_new && failures.len() < limits::FAILED_STEPS {
                failures.push(it);
            }
        }
    }
    if failures.is_empty() {
        let mut doubts = shares.iter().filter_map(|share| find_doubt(&line, share));
        return doubts
            .next()
            .map_or(LineVerdict::Worked, LineVerdict::InDoubt);
    }
    failures.sort_by_key(|failure| failure.step);
    for failure in failures.iter_mut().filter(|failure| !failure.is_stated) {
        let shown =
            find_shown_log(&line, failure.step, &shares).map(|log| complaint_head(&log.lines));
        failure.error = shown.unwrap_or_else(|| mem::take(&mut failure.error));
    }
    silent::assign_own_lines(&line, &lines, &mut failures);
    LineVerdict::Failed(failures)
}

/// Returns the share in which a later step shows what this one wrote to a file: `a > log 2>&1; echo $?; tail log`.
fn find_shown_log<'s, 'l>(
    line: &ShellLine,
    step: usize,
    shares: &'s [OutputShare<'l>],
) -> Option<&'s OutputShare<'l>> {
    let mut later = shares.iter().filter(|share| share.steps.start > step);
    later.find(|share| !share.lines.is_empty() && shows_log_of(line, share, step))
}

/// Returns whether a share holds what a step wrote to a file.
fn shows_log_of(line: &ShellLine, share: &OutputShare<'_>, step: usize) -> bool {
    let written = &line.commands[step];
    let mut later = share.steps.clone();
    later.any(|later| line.commands[later].shows_output_of(written))
}

/// Returns the step of a share that can have printed what reads like an error, the last of several, or that wrote it to the
/// file that the share shows.
fn find_doubt(line: &ShellLine, share: &OutputShare<'_>) -> Option<StepFailure> {
    let may_fail =
        |step: usize| role::may_fail_unnamed(&line.commands[step]) && is_masked(line, step);
    let speakers = Speakers::from_steps(line, share.steps.clone(), &share.lines);
    let is_loud = |(step, command): &(usize, &ShellCommand)| !command.muted && may_fail(*step);
    let own = speakers.steps().rfind(is_loud).map(|(step, _)| step);
    let own = own.filter(|_| speakers.reads_like_error());
    let logged = || {
        let mut logged = (0..share.steps.start).rev().filter(|step| may_fail(*step));
        let is_shown = |step: &usize| shows_log_of(line, share, *step);
        let logged = logged.find(is_shown);
        logged.filter(|_| complaint::read_like_error(&share.lines))
    };
    Some(StepFailure {
        step: own.or_else(logged)?,
        error: complaint_head(&share.lines),
        is_stated: true,
    })
}

/// Returns whether the status of a line does not tell that this step of it failed.
fn is_masked(line: &ShellLine, step: usize) -> bool {
    let rest = &line.commands[step + 1..];
    let is_piped = rest.first().is_some_and(|next| next.join == Join::Pipe);
    is_piped || (rest.iter()).any(|later| matches!(later.join, Join::Then | Join::Or))
}

/// Returns the steps that failed among those whose output is one share of the whole.
fn find_failures_in(line: &ShellLine, share: &OutputShare<'_>) -> Vec<StepFailure> {
    let speakers = Speakers::from_steps(line, share.steps.clone(), &share.lines);
    let mut groups: Vec<(usize, Vec<&str>)> = Vec::new();
    for said in &share.lines {
        if let Some(step) = speakers.find_complaining_step(said) {
            match groups.iter_mut().find(|(known, _)| *known == step) {
                Some((_, lines)) => lines.push(said),
                None => groups.push((step, vec![said])),
            }
        }
    }
    // Of a lone program all that it printed is its own, as if the client had told its status.
    let is_own = !speakers.prints && !speakers.relays;
    let lone = speakers
        .find_only(role::may_fail_unnamed)
        .filter(|_| is_own);
    let mut failures: Vec<StepFailure> = groups
        .into_iter()
        .filter(|(step, lines)| {
            // Where errors go is decided before a program runs, but not before the shell reads the words.
            let is_muted = line.commands[*step].muted;
            let by_shell = || lines.iter().any(|said| complaint::is_about_words(said));
            !is_question(line, *step) && (!is_muted || by_shell())
        })
        .map(|(step, lines)| StepFailure {
            step,
            error: complaint_head(if lone == Some(step) {
                &share.lines
            } else {
                &lines
            }),
            is_stated: true,
        })
        .collect();
    if let Some((step, code)) = share.failed_by_status(line)
        && !failures
            .iter()
            .any(|known| is_chained(line, known.step, step))
        && !is_answer(line, step, code)
    {
        // After a `cat`, nothing that was printed is the error of this step.
        let lines = if speakers.prints {
            &[][..]
        } else {
            &share.lines
        };
        failures.push(StepFailure {
            step,
            error: status_head(lines, code),
            is_stated: false,
        });
    }
    failures
}

/// Returns the most informative of a step's complaints, the first if none is.
fn complaint_head(lines: &[&str]) -> String {
    let head = error_head(&lines.join("\n"));
    if head.is_empty() {
        super::text::shorten(lines[0], limits::ERROR_HEAD_BYTES / 2)
    } else {
        head
    }
}

/// Returns whether the status of the later step is that of the earlier: it is the same, or only `&&` and pipes are
/// between them.
fn is_chained(line: &ShellLine, earlier: usize, later: usize) -> bool {
    let between = line.commands.get(earlier + 1..=later).unwrap_or_default();
    earlier == later
        || (earlier < later
            && between
                .iter()
                .all(|between| matches!(between.join, Join::And | Join::Pipe)))
}

fn status_head(lines: &[&str], code: i64) -> String {
    let head = error_head(&lines.join("\n"));
    match (code, head.is_empty()) {
        (124, _) => "timed out (exit code 124)".to_owned(),
        (_, true) => format!("exit code {code}"),
        (_, false) => head,
    }
}

/// Programs that answer a question with their status: a status of 1 is a no, not a failure.
const ASKING_PROGRAMS: &str = "grep egrep fgrep rg ag ack test [ [[ diff cmp which whereis type command hash pgrep pkill killall \
    expr let jq ls stat true false";

/// Returns whether a status is only an answer.
fn is_answer(line: &ShellLine, step: usize, code: i64) -> bool {
    let command = &line.commands[step];
    let asks = shell::is_listed(ASKING_PROGRAMS, command.program());
    let compares = command.program() == "git"
        && command.texts().iter().any(|word| {
            matches!(
                *word,
                "--quiet" | "--exit-code" | "--verify" | "--is-ancestor" | "grep"
            )
        });
    let waits = shell::is_listed("wait kill", command.program());
    let tells = command.texts().contains(&"-detailed-exitcode");
    waits || tells || (code == 1 && (asks || compares))
}

/// Returns whether a step only asks whether something exists, with an alternative if not.
fn is_question(line: &ShellLine, step: usize) -> bool {
    const PROBES: &str = "which whereis type command hash test [ [[ ls stat pgrep";
    let command = &line.commands[step];
    let falls_back = line
        .commands
        .get(step + 1)
        .is_some_and(|next| next.join == Join::Or);
    let probes = shell::is_listed(PROBES, command.program())
        || (command.program() == "git" && command.texts().contains(&"rev-parse"));
    (falls_back || command.is_condition) && probes
}

/// Returns the lines of an output, without colours; of a long one those of its two ends.
fn printed_lines(printed: &str) -> Vec<String> {
    let half = READ_BYTES / 2;
    let (head, tail) = if printed.len() > READ_BYTES {
        (
            super::text::prefix_within(printed, half),
            super::text::suffix_within(printed, half),
        )
    } else {
        (printed, "")
    };
    let lines = head.lines().chain(tail.lines());
    lines
        .map(super::error_head::clean_line)
        .map(Cow::into_owned)
        .filter(|line| !line.is_empty())
        .collect()
}

#[cfg(test)]
mod tests;
