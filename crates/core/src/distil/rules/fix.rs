//! The wording for a failure and its fix.

use super::{DraftWording, failure_tags, format_calls, format_times};
use crate::{
    capture::{Difference, Fix},
    distil::words::{code_span, emphasize_error, join_code_spans},
    lesson::Cause,
};

pub(super) fn from_fix(fix: &Fix) -> Option<DraftWording> {
    let failure = &fix.failure;
    let error = emphasize_error(&failure.gist);
    let (title, text) = fix_sentences(fix, &error)?;
    Some(DraftWording {
        title,
        signature: failure.signature(),
        text,
        situation: Some(format!("{} stops with {error}.", code_span(&failure.label))),
        mistake: Some(format!(
            "{} was called in a way that fails ({}).",
            code_span(&failure.label),
            format_times(fix.failures)
        )),
        tags: failure_tags(failure),
        tools: fix.names.clone(),
        cause: Cause::Error,
        confidence: if fix.failures >= 2 { 0.7 } else { 0.6 },
        note: format!(
            "failed {}, worked {} later",
            format_times(fix.failures),
            format_calls(fix.steps)
        ),
        names_failure: true,
    })
}

fn fix_sentences(fix: &Fix, error: &str) -> Option<(String, String)> {
    let label = code_span(&fix.failure.label);
    Some(match &fix.difference {
        Difference::Program {
            missing,
            used,
            shown,
        } => (
            format!("Use {} where {} is missing", code_span(used), code_span(missing)),
            program_sentences(missing, used, shown),
        ),
        Difference::Runner { from, to } => (
            format!("Run {} instead of {}", code_span(to), code_span(from)),
            format!(
                "{} fails with {error}. Run {} instead.",
                code_span(from),
                code_span(to)
            ),
        ),
        Difference::Elsewhere { program, path } => (
            format!("Run {} as {}", code_span(program), code_span(path)),
            format!(
                "{} is installed here, but not on PATH ({error}). Run it as {}, or put its folder on PATH first.",
                code_span(program),
                code_span(path)
            ),
        ),
        Difference::Wrapper { wrapper, command } => (
            format!("Run {} without {}", code_span(command), code_span(wrapper)),
            format!(
                "{} before {} fails with {error}. Run {} without it.",
                code_span(wrapper),
                code_span(command),
                code_span(command)
            ),
        ),
        Difference::Instead { command } => (
            format!("Use {} instead of {label}", code_span(command)),
            format!("{label} fails with {error}. Use {} instead.", code_span(command)),
        ),
        Difference::Options {
            command,
            removed,
            added,
        } => options_sentences(command, removed, added, error),
        Difference::Word { command, from, to } => (
            format!("Do not give {} {}", code_span(command), code_span(from)),
            format!(
                "{} does not take {} ({error}). It took {} in the same place.",
                code_span(command),
                code_span(from),
                code_span(to)
            ),
        ),
        Difference::Folder { command, folder } => (
            format!("Run {} in the {} folder", code_span(command), code_span(folder)),
            format!(
                "{} fails with {error} outside the {} folder. Change into {} first.",
                code_span(command),
                code_span(folder),
                code_span(folder)
            ),
        ),
        Difference::Env { command, variables } => (
            format!("Set {} for {}", code_span(&variables.join(" ")), code_span(command)),
            format!(
                "{} fails with {error}. Set {} for it; then it works.",
                code_span(command),
                code_span(&variables.join(" "))
            ),
        ),
        Difference::SudoAdded { command } => (
            format!("Run {} with `sudo`", code_span(command)),
            format!(
                "{} fails with {error}. It needs root here: run it with `sudo`.",
                code_span(command)
            ),
        ),
        Difference::SudoDropped { command } => (
            format!("Run {} without `sudo`", code_span(command)),
            format!(
                "`sudo` does not work here ({error}). Run {} without it; that works.",
                code_span(command)
            ),
        ),
        Difference::First { command, first } => (
            format!("Run {} before {}", code_span(first), code_span(command)),
            format!(
                "{} fails with {error}. Run {} first; after it the same command worked.",
                code_span(command),
                code_span(first)
            ),
        ),
        Difference::Edit { command, file, line } => (
            format!("Write {} into {} for {}", code_span(line), code_span(file), code_span(command)),
            format!(
                "{} fails with {error}. Write {} into {}; after it the same command worked.",
                code_span(command),
                code_span(line),
                code_span(file)
            ),
        ),
        Difference::Keys { removed, added } => keys_sentences(&label, removed, added, error)?,
        Difference::Value { key, values } => value_sentences(&label, key, values.as_ref(), error),
        Difference::Dialect { word, instead } => (
            format!("Do without {} in {label} statements", code_span(word)),
            match instead {
                Some(instead) => format!("The database does not know {} ({error}). Write the statement without it: one with {} ran.", code_span(word), code_span(instead)),
                None => format!("The database does not know {} ({error}). Write the statement without it; one without it ran.", code_span(word)),
            },
        ),
        Difference::FullGroupBy => (
            "Group by every selected column".to_owned(),
            "The database runs with `ONLY_FULL_GROUP_BY`: it refuses a statement that selects a column which is neither in `GROUP BY` nor inside an aggregate. Name every selected column in `GROUP BY`, or aggregate it.".to_owned(),
        ),
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
    let (missing, used_code) = (code_span(missing), code_span(used));
    if shown == used || shown == format!("{used} …") {
        format!("{missing} is not installed here. Use {used_code} instead; it worked in its place.")
    } else {
        format!(
            "{missing} is not installed here. Use {used_code} instead: {} worked in its place.",
            code_span(shown)
        )
    }
}

fn options_sentences(
    command: &str,
    removed: &[String],
    added: &[String],
    error: &str,
) -> (String, String) {
    let command = code_span(command);
    let (gone, new) = (
        join_code_spans(removed, "and"),
        join_code_spans(added, "and"),
    );
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
    let (gone, new) = (
        join_code_spans(removed, "and"),
        join_code_spans(added, "and"),
    );
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
        Some((from, to)) => (
            format!(
                "Call {label} with {key} {}, not {}",
                code_span(to),
                code_span(from)
            ),
            format!(
                "{label} fails with {error} when {key} is {}. With {} the same call worked.",
                code_span(from),
                code_span(to)
            ),
        ),
        None => (
            format!("Check {key} before calling {label}"),
            format!(
                "{label} refused a call with {error}, and took it once {key} alone was changed. Check {key} against that rule before calling."
            ),
        ),
    }
}
