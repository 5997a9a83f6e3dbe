//! The statuses that a line prints of its own steps: `echo "rc=$?"`, `echo "$key -> $?"`.
//!
//! Each such echo ends a share of the output, and so does one of fixed words (`echo "== lint"`): what
//! was printed before it came from the steps before it.

use std::ops::Range;

use hardwon_core::trace::shell::{Join, ShellCommand, ShellLine, is_listed};

use super::role;

/// What some steps of a line printed.
#[derive(Debug)]
pub(super) struct Share<'l> {
    /// Which steps.
    pub(super) steps: Range<usize>,
    /// What they printed.
    pub(super) lines: Vec<&'l str>,
    /// The status that was echoed of them, and of which end of a pipe.
    status: Option<(i64, End)>,
    /// Whether a pipe fails with any of its parts.
    has_pipefail: bool,
}

/// Which part of a pipe a status is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    First,
    Last,
}

impl Share<'_> {
    /// Returns the step that failed by the status that the line echoes, with that status.
    pub(super) fn failed_by_status(&self, line: &ShellLine) -> Option<(usize, i64)> {
        let (code, end) = self.status.filter(|(code, _)| *code != 0)?;
        let reports = |step: &usize| {
            is_listed(
                "echo printf write-host write-output",
                &role::name(&line.commands[*step]),
            )
        };
        let is_put_in = |step: &usize| line.commands[*step].is_substitution;
        let mut steps = self.steps.clone().rev();
        let mut steps = steps
            .by_ref()
            .filter(|step| !reports(step) && !is_put_in(step));
        let last = steps.next()?;
        if line.commands[last].program() == "wait" {
            return Some((waited_for(line, last)?, code));
        }
        let first_of_pipe = || {
            let parts = (self.steps.start..=last).rev();
            let piped = parts.take_while(|step| line.commands[*step].join == Join::Pipe);
            piped.last().map_or(last, |step| step.saturating_sub(1))
        };
        let is_filter = line.commands[last].is_filter();
        let step = match end {
            End::First => first_of_pipe(),
            End::Last if is_filter && self.has_pipefail => first_of_pipe(),
            End::Last if is_filter => return None,
            End::Last => last,
        };
        self.steps.contains(&step).then_some((step, code))
    }
}

/// Returns the step that a `wait` is told to wait for.
fn waited_for(line: &ShellLine, wait: usize) -> Option<usize> {
    let word = line.commands[wait].words.get(1)?;
    let variable = word.text.trim_start_matches('$');
    let variable = variable.trim_matches(['{', '}']);
    let started = (0..wait).rev();
    let is_it = |step: &usize| {
        let job = line.commands[*step].job_variable.as_deref();
        job.is_some_and(|job| job == variable || variable == "!")
    };
    let step = started.into_iter().find(is_it)?;
    // What is killed does not fail.
    let is_kill = |it: &ShellCommand| is_listed("kill pkill killall", it.program());
    let is_left_alone = !line.commands[step..wait].iter().any(is_kill);
    is_left_alone.then_some(step)
}

/// Divides an output among the steps of a line.
pub(super) fn shares<'l>(text: &str, line: &ShellLine, lines: &'l [String]) -> Vec<Share<'l>> {
    let kept = kept_statuses(text);
    let has_pipefail = text.contains("pipefail");
    let mut shares = Vec::new();
    let (mut from, mut at) = (0, 0);
    for (step, command) in line.commands.iter().enumerate() {
        let Some(report) = Report::of(command, &kept) else {
            continue;
        };
        let found = lines[at..]
            .iter()
            .enumerate()
            .find_map(|(index, said)| Some((at + index, report.read(said)?)));
        let Some((end, told)) = found else {
            continue;
        };
        shares.push(Share {
            steps: from..step,
            lines: lines[at..end].iter().map(String::as_str).collect(),
            status: match told {
                // `x && echo ok || echo FAILED`
                Told::Words if is_owned(line, from, step) => Some((1, End::Last)),
                Told::Words => None,
                Told::Status(code, end) => Some((code, end)),
            },
            has_pipefail,
        });
        (from, at) = (step + 1, end + 1);
    }
    shares.push(Share {
        steps: from..line.commands.len(),
        lines: lines[at..].iter().map(String::as_str).collect(),
        status: None,
        has_pipefail,
    });
    shares
}

/// Returns whether words that a step echoes are those of an alternative, and say that what was tried
/// before it failed; of an `if` it must be known that its condition was all of that.
fn is_owned(line: &ShellLine, from: usize, step: usize) -> bool {
    let mut between = line.commands[from..step].iter();
    let is_clear = between.all(|it| !it.is_condition)
        || line.commands[from..step]
            .iter()
            .skip(1)
            .all(|it| it.program() == "echo");
    line.commands[step].join == Join::Or && is_clear && owns_up(&line.commands[step])
}

/// Returns whether the words that a line echoes say that something failed.
fn owns_up(command: &ShellCommand) -> bool {
    const WORDS: &str = "fail failed failure failing error err bad broken ko";
    let words = command
        .args()
        .iter()
        .flat_map(|it| it.text.split(|c: char| !c.is_alphanumeric()));
    words
        .into_iter()
        .any(|word| is_listed(WORDS, &word.to_lowercase()))
}

/// Returns the variables that a line keeps a status in: `rc=$?`.
fn kept_statuses(text: &str) -> Vec<(String, End)> {
    let marks = [
        ("=$?", End::Last),
        (" = $LASTEXITCODE", End::Last),
        ("=${PIPESTATUS[0]}", End::First),
        ("=${pipestatus[1]}", End::First),
    ];
    let mut kept = Vec::new();
    for (mark, end) in marks {
        for (at, _) in text.match_indices(mark) {
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let before = &text[..at];
            let name = &before[before.trim_end_matches(is_part).len()..];
            if !name.is_empty() {
                kept.push((name.to_owned(), end));
            }
        }
    }
    kept
}

/// What a printed line tells of a report.
enum Told {
    /// Its words stand here.
    Words,
    /// This is the status, of this end of a pipe.
    Status(i64, End),
}

/// A command that prints fixed words, or a status and the words around the number.
enum Report {
    Words(String),
    /// Words that own up, before something that is put in: `|| echo "BAD $f"`.
    Beginning(String),
    Status {
        before: String,
        after: String,
        end: End,
    },
}

impl Report {
    fn of(command: &ShellCommand, kept: &[(String, End)]) -> Option<Self> {
        let is_printf = command.program() == "printf";
        let is_text = command.words[0].raw.starts_with(['"', '$']);
        if !is_printf
            && !is_text
            && !is_listed("echo write-host write-output", &role::name(command))
        {
            return None;
        }
        // A text alone is what `PowerShell` prints.
        let words = command.words[usize::from(!is_text)..].iter();
        let words = words.map(|word| word.text.as_str());
        let words: Vec<&str> = words
            .filter(|word| !is_listed("-e -n -ne -en", word))
            .collect();
        let text = words.join(" ");
        let Some((at, length, end)) = status_in(&text, kept) else {
            let is_fixed =
                !is_printf && !text.contains(['$', '`', '\\']) && !text.trim().is_empty();
            if command.join == Join::Or && !is_fixed && owns_up(command) {
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

    /// Returns the status that a printed line tells, if the report is of one; none if the line is
    /// another.
    fn read(&self, said: &str) -> Option<Told> {
        match self {
            Self::Words(words) => (said == words).then_some(Told::Words),
            Self::Beginning(words) => said.starts_with(words.as_str()).then_some(Told::Words),
            Self::Status { before, after, end } => {
                let code = read_status(said, before.trim_start(), after.trim())?;
                Some(Told::Status(code, *end))
            }
        }
    }
}

/// Reads the number that stands between these words at the end of a line.
fn read_status(said: &str, before: &str, wanted: &str) -> Option<i64> {
    // What was printed before may have left its line open.
    let places: Vec<usize> = match before.is_empty() {
        true => vec![0],
        false => said
            .match_indices(before)
            .map(|(at, _)| at + before.len())
            .collect(),
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

/// Returns where a text holds a status, how long the mark is, and of which end of a pipe it is.
fn status_in(text: &str, kept: &[(String, End)]) -> Option<(usize, usize, End)> {
    let fixed = [
        ("$LASTEXITCODE", End::Last),
        ("$?", End::Last),
        ("${PIPESTATUS[0]}", End::First),
        ("$PIPESTATUS", End::First),
        ("${pipestatus[1]}", End::First),
    ];
    let mut marks: Vec<(String, End)> = fixed.map(|(mark, end)| (mark.to_owned(), end)).into();
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

/// Returns what stands before a status as it is printed: after the last thing that is put in.
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
