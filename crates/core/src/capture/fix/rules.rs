//! One rule of similarity for each kind of failure.
//!
//! Every rule gets the failed command and one later line that worked, and returns the difference if the two are
//! similar in its sense. The order matters: the first rule that applies wins.

pub(in crate::capture) mod options;
pub(in crate::capture) mod setup;

use self::{options::match_options, setup::match_same_command};
use super::{alike, has_same_words, program_family, working_commands};
use crate::{
    CallFailure, Difference, ShellCommand, ShellLine,
    capture::{Skip, parsed_run::ParsedRun, show},
    shell::{self, is_listed},
    trace::family::FailureFamily,
};

/// The failed call whose fix is searched for.
pub(super) struct FixContext<'a> {
    pub(super) reading: &'a ParsedRun<'a>,
    pub(super) index: usize,
    pub(super) failure: &'a CallFailure,
    pub(super) line: &'a ShellLine,
    pub(super) command: &'a ShellCommand,
}

impl FixContext<'_> {
    fn error(&self) -> &str {
        self.reading.calls[self.index].error
    }
}

/// Returns what the line at `later` did differently, if a rule applies; an error ends the search.
pub(super) fn match_any_rule(
    context: &FixContext<'_>,
    later: usize,
    line: &ShellLine,
) -> Result<Option<Difference>, Skip> {
    if let Some(found) = match_same_command(context, later, line)? {
        return Ok(Some(found));
    }
    if let Some(found) = match_without_wrapper(context, line) {
        return Ok(Some(found));
    }
    let family = context.failure.family;
    if family == FailureFamily::CommandMissing {
        return match_program(context, line);
    }
    if context.reading.edited_between(context.index, later) {
        return Ok(None);
    }
    if family == FailureFamily::ScriptMissing {
        return match_script(context, line);
    }
    // What was done between may have been what helped, and the options of no account.
    let has_acted = || (context.reading).acted_between(context.index, later, context.command);
    Ok(match_options(context, line).filter(|_| !has_acted()))
}

/// Matches the same command without the program before it: `rtk bun test` and `bun test`. The arguments may differ,
/// because the error is about the program's name.
fn match_without_wrapper(context: &FixContext<'_>, line: &ShellLine) -> Option<Difference> {
    let first_command = context.command;
    let inner = ShellCommand {
        words: first_command.words.get(1..)?.to_vec(),
        ..first_command.clone()
    };
    let name = inner.words.first()?.text.as_str();
    let is_program = !name.starts_with('-') && !name.contains(['/', '=', '$']);
    let is_about_it = context.failure.subject.as_deref() == Some(name)
        || context.failure.family == FailureFamily::CommandMissing;
    let is_inner = |worked: &ShellCommand| {
        let is_same = || worked.label() == inner.label() && has_same_words(worked, &inner);
        worked.program() == name && (is_about_it || is_same())
    };
    let is_wrapped = is_program
        && !is_interpreter(first_command.program())
        && working_commands(line).any(|(_, worked)| is_inner(worked));
    is_wrapped.then(|| Difference::Wrapper {
        wrapper: first_command.program().to_owned(),
        command: name.to_owned(),
    })
}

/// Matches another program that did the work of a missing one.
fn match_program(context: &FixContext<'_>, line: &ShellLine) -> Result<Option<Difference>, Skip> {
    let missing = context.failure.label.as_str();
    for (_, worked) in working_commands(line) {
        let program = worked.program();
        if program == missing {
            continue;
        }
        let goal = goal_words(context.line, context.command);
        let shares = alike::shares_goal(&goal, &goal_words(line, worked));
        let same = worked.texts()[1..] == context.command.texts()[1..];
        let does_it = same || shares || is_docker_compose(worked);
        if does_it && alike::can_replace(missing, program) {
            return Ok(Some(Difference::Program {
                missing: missing.to_owned(),
                used: if is_docker_compose(worked) {
                    worked.label()
                } else {
                    worked.words[0].text.clone()
                },
                shown: show::render_bare(worked),
            }));
        }
        // The name of a program is no typo, though it may be missing: `gradle`, `./gradlew`.
        if alike::is_typo(missing, program) && !shell::is_program_by_name(missing) {
            return Err(Skip::Typo);
        }
    }
    Ok(None)
}

fn is_docker_compose(command: &ShellCommand) -> bool {
    command.label().starts_with("docker compose")
}

/// Returns the words that identify what a command works on, with those of a command piped into it.
fn goal_words<'a>(line: &'a ShellLine, command: &'a ShellCommand) -> Vec<&'a str> {
    let is_fed = command.join == crate::shell::Join::Pipe;
    let feeding = line.commands.iter().filter(|_| is_fed);
    let words = command
        .args()
        .iter()
        .chain(feeding.flat_map(ShellCommand::args));
    words.map(|word| word.text.as_str()).collect()
}

/// Matches another script that did the work of a missing one.
fn match_script(context: &FixContext<'_>, line: &ShellLine) -> Result<Option<Difference>, Skip> {
    let Some(missing) = context.failure.subject.as_deref() else {
        return Ok(None);
    };
    let first_command = context.command;
    let alike_programs = |one: &str, two: &str| {
        let is_runner = is_listed("npm yarn pnpm bun", one);
        one == two || is_runner && is_listed("npm yarn pnpm bun npx node bunx", two)
    };
    for (_, worked) in working_commands(line) {
        if !alike_programs(first_command.program(), worked.program()) {
            continue;
        }
        let label = worked.label();
        let name = label.rsplit(' ').next().unwrap_or_default();
        if alike::is_typo(missing, name) {
            return Err(Skip::Typo);
        }
        let purpose = alike::find_purpose(missing);
        let same_purpose = purpose.is_some() && purpose == alike::find_purpose(name);
        let longer = missing.len() >= 3 && name != missing && name.contains(missing);
        if name != missing && (same_purpose || longer) {
            return Ok(Some(Difference::Runner {
                from: first_command.label(),
                to: label,
            }));
        }
    }
    Ok(None)
}

/// Returns whether a program runs any script that it is given.
pub(super) fn is_script_runner(program: &str) -> bool {
    is_interpreter(program) || is_listed("bash sh zsh awk sed xargs", program)
}

/// Returns whether a program's options are the agent's own code or choice.
fn is_interpreter(program: &str) -> bool {
    program_family(program) == "python" || is_listed("node ruby perl php deno", program)
}
