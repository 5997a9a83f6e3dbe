//! The statuses that a line prints of its own steps: `echo "rc=$?"`, `echo "$key -> $?"`.
//!
//! Each such echo ends a share of the output, and so does one of fixed words (`echo "== lint"`): what was printed
//! before it came from the steps before it.

use std::ops::Range;

use hardwon_core::{Join, ShellCommand, ShellLine, shell::is_listed};

use super::role;

/// The output of some steps of a line.
#[derive(Debug)]
pub(super) struct OutputShare<'l> {
    /// The steps.
    pub(super) steps: Range<usize>,
    /// Their lines.
    pub(super) lines: Vec<&'l str>,
    /// Their echoed status, and of which end of a pipe it is.
    status: Option<(i64, PipeEnd)>,
    /// Whether a pipe fails with any of its parts (`pipefail`).
    has_pipefail: bool,
}

/// The part of a pipe that a status belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PipeEnd {
    First,
    Last,
}

impl OutputShare<'_> {
    /// Returns the step that failed according to the echoed status, with that status.
    pub(super) fn failed_by_status(&self, line: &ShellLine) -> Option<(usize, i64)> {
        let (code, end) = self.status.filter(|(code, _)| *code != 0)?;
        const REPORTING: &str = "echo printf write-host write-output";
        let is_work = |step: &usize| {
            let command = &line.commands[*step];
            !command.is_substitution && !is_listed(REPORTING, &role::listed_name(command))
        };
        let mut steps = self.steps.clone().rev().filter(is_work);
        let last = steps.next()?;
        if line.commands[last].program() == "wait" {
            return Some((find_waited_step(line, last)?, code));
        }
        let first_of_pipe = || {
            let parts = (self.steps.start..=last).rev();
            let pipe = parts.take_while(|step| line.commands[*step].join == Join::Pipe);
            pipe.last().map_or(last, |step| step.saturating_sub(1))
        };
        let is_filter = line.commands[last].is_filter();
        let step = match end {
            PipeEnd::First => first_of_pipe(),
            PipeEnd::Last if is_filter && self.has_pipefail => first_of_pipe(),
            PipeEnd::Last if is_filter => return None,
            PipeEnd::Last => last,
        };
        self.steps.contains(&step).then_some((step, code))
    }
}

/// Returns the step that a `wait` waits for.
fn find_waited_step(line: &ShellLine, wait: usize) -> Option<usize> {
    let word = line.commands[wait].words.get(1)?;
    let variable = word.text.trim_start_matches('$');
    let variable = variable.trim_matches(['{', '}']);
    let earlier = (0..wait).rev();
    let is_it = |step: &usize| {
        let job = line.commands[*step].job_variable.as_deref();
        job.is_some_and(|job| job == variable || variable == "!")
    };
    let step = earlier.into_iter().find(is_it)?;
    // A killed step does not count as failed.
    let is_kill = |it: &ShellCommand| is_listed("kill pkill killall", it.program());
    let is_left_alone = !line.commands[step..wait].iter().any(is_kill);
    is_left_alone.then_some(step)
}

/// Divides an output among the steps of a line.
pub(super) fn split_output<'l>(
    text: &str,
    line: &ShellLine,
    lines: &'l [String],
) -> Vec<OutputShare<'l>> {
    let variables = find_status_variables(text);
    let has_pipefail = text.contains("pipefail");
    let mut shares = Vec::new();
    let (mut from, mut at) = (0, 0);
    for (step, command) in line.commands.iter().enumerate() {
        let Some(report) = StatusReport::from_command(command, &variables) else {
            continue;
        };
        let mut rest = lines.iter().enumerate().skip(at);
        let status_line = rest.find_map(|(index, said)| Some((index, report.match_line(said)?)));
        let Some((end, told)) = status_line else {
            continue;
        };
        shares.push(OutputShare {
            steps: from..step,
            lines: lines[at..end].iter().map(String::as_str).collect(),
            status: match told {
                // `x && echo ok || echo FAILED`
                ReportLine::Words if is_failure_alternative(line, from, step) => {
                    Some((1, PipeEnd::Last))
                }
                ReportLine::Words => None,
                ReportLine::Status(code, end) => Some((code, end)),
            },
            has_pipefail,
        });
        (from, at) = (step + 1, end + 1);
    }
    shares.push(OutputShare {
        steps: from..line.commands.len(),
        lines: lines[at..].iter().map(String::as_str).collect(),
        status: None,
        has_pipefail,
    });
    shares
}

/// Returns whether a step that echoes words is an alternative, and they say that the attempt before it failed; after an
/// `if` the condition must be known to be the whole attempt.
fn is_failure_alternative(line: &ShellLine, from: usize, step: usize) -> bool {
    let mut between = line.commands[from..step].iter();
    let mut rest = between.clone().skip(1);
    let is_clear = between.all(|command| !command.is_condition)
        || rest.all(|command| command.program() == "echo");
    line.commands[step].join == Join::Or && is_clear && admits_failure(&line.commands[step])
}

/// Returns whether the words that a step echoes say that something failed.
fn admits_failure(command: &ShellCommand) -> bool {
    const WORDS: &str = "fail failed failure failing error err bad broken ko";
    let is_mark = |c: char| !c.is_alphanumeric();
    let mut words = command.arg_texts().flat_map(|text| text.split(is_mark));
    words.any(|word| is_listed(WORDS, &word.to_lowercase()))
}

/// Returns the variables in which a line keeps a status: `rc=$?`.
fn find_status_variables(text: &str) -> Vec<(String, PipeEnd)> {
    let marks = [
        ("=$?", PipeEnd::Last),
        (" = $LASTEXITCODE", PipeEnd::Last),
        ("=${PIPESTATUS[0]}", PipeEnd::First),
        ("=${pipestatus[1]}", PipeEnd::First),
    ];
    let mut variables = Vec::new();
    for (mark, end) in marks {
        for (at, _) in text.match_indices(mark) {
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let before = &text[..at];
            let name = &before[before.trim_end_matches(is_part).len()..];
            if !name.is_empty() {
                variables.push((name.to_owned(), end));
            }
        }
    }
    variables
}

/// A printed line that matches a report.
enum ReportLine {
    /// It has the report's fixed words.
    Words,
    /// It has this status, of this end of a pipe.
    Status(i64, PipeEnd),
}

/// A command that prints fixed words, or a status and the words around the number.
enum StatusReport {
    Words(String),
    /// Words that admit a failure, before a substituted value: `|| echo "BAD $f"`.
    Beginning(String),
    Status {
        before: String,
        after: String,
        end: PipeEnd,
    },
}

impl StatusReport {
    fn from_command(command: &ShellCommand, kept: &[(String, PipeEnd)]) -> Option<Self> {
        let is_printf = command.program() == "printf";
        let is_text = command.words[0].raw.starts_with(['"', '$']);
        if !is_printf
            && !is_text
            && !is_listed("echo write-host write-output", &role::listed_name(command))
        {
            return None;
        }
        // In `PowerShell` a text alone is printed.
        let words = command.words[usize::from(!is_text)..].iter();
        let words = words.map(|word| word.text.as_str());
        let words: Vec<&str> = words
            .filter(|word| !is_listed("-e -n -ne -en", word))
            .collect();
        let text = words.join(" ");
        let Some((at, length, end)) = find_status_mark(&text, kept) else {
            let is_fixed =
                !is_printf && !text.contains(['$', '`', '\\']) && !text.trim().is_empty();
            if command.join == Join::Or && !is_fixed && admits_failure(command) {
                let before = text.split(['$', '`', '\\', '%']).next().unwrap_or_default();
                return (before.trim().len() > 2)
                    .then(|| Self::Beginning(before.trim().to_owned()));
            }
            return is_fixed.then(|| Self::Words(text.trim().to_owned()));
        };
        let (before, after) = match text.split_once('%').filter(|_| is_printf) {
            Some((before, rest)) => {
                let after = rest.get(1..).unwrap_or_default();
                (
                    before,
                    after.split(['\\', '%', ' ']).next().unwrap_or_default(),
                )
            }
            None => (&text[..at], first_literal(&text[at + length..])),
        };
        Some(Self::Status {
            before: last_literal(before).to_owned(),
            after: after.to_owned(),
            end,
        })
    }

    /// Matches a printed line with the report; `None` if it is another line.
    fn match_line(&self, said: &str) -> Option<ReportLine> {
        match self {
            Self::Words(words) => (said == words).then_some(ReportLine::Words),
            Self::Beginning(words) => said
                .starts_with(words.as_str())
                .then_some(ReportLine::Words),
            Self::Status { before, after, end } => {
                let code = read_status(said, before.trim_start(), after.trim())?;
                Some(ReportLine::Status(code, *end))
            }
        }
    }
}

/// Parses the number between these words at the end of a line.
fn read_status(said: &str, before: &str, wanted: &str) -> Option<i64> {
    // Earlier output may not have ended its line.
    let places: Vec<usize> = if before.is_empty() {
        vec![0]
    } else {
        said.match_indices(before)
            .map(|(at, _)| at + before.len())
            .collect()
    };
    places.into_iter().rev().find_map(|at| {
        let rest = said[at..].trim_start();
        if let ("True" | "False", "") = (rest, wanted) {
            return Some(i64::from(rest == "False"));
        }
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let after = rest[digits..].trim_start();
        let fits = match wanted {
            "" => after.is_empty(),
            wanted => after.starts_with(wanted),
        };
        fits.then(|| rest[..digits].parse().ok())?
    })
}

/// Returns the position of a status in a text, the length of its mark, and which end of a pipe it is of.
fn find_status_mark(text: &str, kept: &[(String, PipeEnd)]) -> Option<(usize, usize, PipeEnd)> {
    let fixed_marks = [
        ("$LASTEXITCODE", PipeEnd::Last),
        ("$?", PipeEnd::Last),
        ("${PIPESTATUS[0]}", PipeEnd::First),
        ("$PIPESTATUS", PipeEnd::First),
        ("${pipestatus[1]}", PipeEnd::First),
    ];
    let mut marks: Vec<(String, PipeEnd)> =
        fixed_marks.map(|(mark, end)| (mark.to_owned(), end)).into();
    for (name, end) in kept {
        marks.push((format!("${{{name}}}"), *end));
        marks.push((format!("${name}"), *end));
    }
    marks.into_iter().find_map(|(mark, end)| {
        let at = text.find(&mark)?;
        let is_longer =
            text[at + mark.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
        (!is_longer || mark.ends_with(['?', '}'])).then_some((at, mark.len(), end))
    })
}

/// Returns the fixed text before a printed status: after the last substituted value.
fn last_literal(text: &str) -> &str {
    let Some(at) = text.rfind(['$', '`']) else {
        return text.rsplit("\\n").next().unwrap_or(text);
    };
    let rest = &text[at..];
    let end = rest.find([' ', ':', '=', '-', '>', ',', ';', '"', ')']);
    end.map_or("", |end| &rest[end..])
}

fn first_literal(text: &str) -> &str {
    let end = text.find(['$', '`', '\\']).unwrap_or(text.len());
    &text[..end]
}
