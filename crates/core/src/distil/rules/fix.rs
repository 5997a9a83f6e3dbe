//! The wording for a failure and its fix.

use super::{DraftWording, format_calls, format_times};
use crate::{
    Difference, Fix,
    distil::words::{code_span, emphasize_error, join_code_spans},
};

pub(super) fn from_fix(fix: &Fix) -> Option<DraftWording> {
    let failure = &fix.failure;
    let error = emphasize_error(&failure.gist);
    let (title, text) = fix_sentences(fix, &error)?;
    let label = code_span(&failure.label);
    let times = format_times(fix.failures);
    Some(DraftWording {
        situation: Some(format!("{label} stops with {error}.")),
        mistake: Some(format!("{label} was called in a way that fails ({times}).")),
        confidence: if fix.failures >= 2 { 0.7 } else { 0.6 },
        note: format!("failed {times}, worked {} later", format_calls(fix.steps)),
        ..DraftWording::from_failure(failure, title, text, &fix.names)
    })
}

fn fix_sentences(fix: &Fix, error: &str) -> Option<(String, String)> {
    let label = code_span(&fix.failure.label);
    let code = |text: &String| code_span(text);
    // Without an error to tell it by, only the same command fails so.
    let name_command = |command: &String| {
        let is_program = fix.failure.gist.is_empty() && !command.contains(' ');
        code_span(if is_program {
            &fix.failure.label
        } else {
            command
        })
    };
    Some(match &fix.difference {
        Difference::Program {
            missing,
            used,
            shown,
        } => {
            let text = program_sentences(missing, used, shown);
            let [missing, used] = [missing, used].map(code);
            (format!("Use {used} where {missing} is missing"), text)
        }
        Difference::Runner { from, to } => {
            let [from, to] = [from, to].map(code);
            (
                format!("Run {to} instead of {from}"),
                format!("{from} fails with {error}. Run {to} instead."),
            )
        }
        Difference::Elsewhere { program, path } => {
            let [program, path] = [program, path].map(code);
            (
                format!("Run {program} as {path}"),
                format!(
                    "{program} is installed here, but not on PATH ({error}). Run it as {path}, or put its folder on PATH first."
                ),
            )
        }
        Difference::Wrapper { wrapper, command } => {
            let [wrapper, command] = [wrapper, command].map(code);
            (
                format!("Run {command} without {wrapper}"),
                format!("{wrapper} before {command} fails with {error}. Run {command} without it."),
            )
        }
        Difference::Instead { command } => {
            let command = code_span(command);
            (
                format!("Use {command} instead of {label}"),
                format!("{label} fails with {error}. Use {command} instead."),
            )
        }
        Difference::Options {
            command,
            removed,
            added,
        } => options_sentences(&name_command(command), removed, added, error),
        Difference::Order { behind, option } => {
            let [behind, option] = [behind, option].map(code);
            (
                format!("Put {option} right behind {behind}"),
                format!(
                    "{label} fails with {error} if {option} stands too late. Put it first, right behind {behind}."
                ),
            )
        }
        Difference::Folder { command, folder } => {
            let [command, folder] = [name_command(command), code(folder)];
            (
                format!("Run {command} in the {folder} folder"),
                format!(
                    "{command} fails with {error} outside the {folder} folder. Change into {folder} first."
                ),
            )
        }
        Difference::Env { command, variables } => {
            let [command, variables] = [name_command(command), code(&variables.join(" "))];
            (
                format!("Set {variables} for {command}"),
                format!("{command} fails with {error}. Set {variables} for it; then it works."),
            )
        }
        Difference::First { command, first } => {
            let [command, first] = [name_command(command), code(first)];
            (
                format!("Run {first} before {command}"),
                format!(
                    "{command} fails with {error}. Run {first} first; after it the same command worked."
                ),
            )
        }
        Difference::Edit {
            command,
            file,
            line,
        } => {
            let [command, file, line] = [name_command(command), code(file), code(line)];
            (
                format!("Write {line} into {file} for {command}"),
                format!(
                    "{command} fails with {error}. Write {line} into {file}; after it the same command worked."
                ),
            )
        }
        Difference::Keys { removed, added } => keys_sentences(&label, removed, added, error)?,
        Difference::Value { key, values } => value_sentences(&label, key, values.as_ref(), error),
        Difference::Indentation => (
            format!("Give {label} its text with the file's own indentation"),
            format!(
                "{label} refuses text whose indentation does not fit the file ({error}). Write each line with the indentation it has in the file: the same text with other white space was accepted."
            ),
        ),
    })
}

/// Words a replaced program; the whole command is shown only where it adds to the program's name.
fn program_sentences(missing: &str, used: &str, shown: &str) -> String {
    let link = if shown == used || shown == format!("{used} …") {
        "; it".to_owned()
    } else {
        format!(": {}", code_span(shown))
    };
    let [missing, used] = [missing, used].map(code_span);
    format!("{missing} is not installed here. Use {used} instead{link} worked in its place.")
}

fn options_sentences(
    command: &str,
    removed: &[String],
    added: &[String],
    error: &str,
) -> (String, String) {
    let [gone, new] = [removed, added].map(join_code_spans);
    if added.is_empty() {
        (
            format!("Leave {gone} out of {command}"),
            format!(
                "{command} with {gone} fails with {error}. Leave {gone} out; the rest of the command works."
            ),
        )
    } else if removed.is_empty() {
        (
            format!("Call {command} with {new}"),
            format!(
                "{command} without {new} fails with {error}. Add {new}; with it the same command worked."
            ),
        )
    } else {
        (
            format!("Use {new} instead of {gone} with {command}"),
            format!(
                "{command} with {gone} fails with {error}. Use {new} instead; with it the command worked."
            ),
        )
    }
}

fn keys_sentences(
    label: &str,
    removed: &[String],
    added: &[String],
    error: &str,
) -> Option<(String, String)> {
    let [gone, new] = [removed, added].map(join_code_spans);
    Some(match (removed.is_empty(), added.is_empty()) {
        (false, false) => (
            format!("Call {label} with {new}, not {gone}"),
            format!("{label} fails with {error} when called with {gone}. It takes {new} instead."),
        ),
        (true, false) => (
            format!("Give {label} the argument {new}"),
            format!(
                "{label} without {new} fails with {error}. Pass {new}; with it the call worked."
            ),
        ),
        (false, true) => (
            format!("Call {label} without {gone}"),
            format!(
                "{label} with {gone} fails with {error}. Leave {gone} out; without it the call worked."
            ),
        ),
        (true, true) => return None,
    })
}

fn value_sentences(
    label: &str,
    key: &str,
    values: Option<&(String, String)>,
    error: &str,
) -> (String, String) {
    let key = code_span(key);
    match values {
        Some((from, to)) => {
            let [from, to] = [from, to].map(|value| code_span(value));
            (
                format!("Call {label} with {key} {to}, not {from}"),
                format!(
                    "{label} fails with {error} when {key} is {from}. With {to} the same call worked."
                ),
            )
        }
        None => (
            format!("Check {key} before calling {label}"),
            format!(
                "{label} refused a call with {error}, and took it once {key} alone was changed. Check {key} against that rule before calling."
            ),
        ),
    }
}
