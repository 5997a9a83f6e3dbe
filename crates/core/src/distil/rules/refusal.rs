//! The form of words for a refusal that states its own remedy.

use super::{Words, tags_of, times};
use crate::{
    capture::{Refusal, Refused},
    distil::words::{code, codes},
    lesson::Cause,
    trace::{failure::Failure, stated::Stated},
};

pub(super) fn from_refusal(refusal: &Refusal) -> Option<Words> {
    let failure = &refusal.failure;
    let is_of_any_editor = failure.stated.is_some_and(Stated::is_of_any_editor);
    // Whichever of the client's editors refused, it is the same lesson.
    let name = if is_of_any_editor {
        "edit"
    } else {
        &failure.label
    };
    let label = code(name);
    let (title, text) = sentences(refusal, &label)?;
    let signature = match &refusal.what {
        // So is what a client says of the size.
        Refused::Call(Stated::TooLarge, _) => format!("{name} (file is too large)"),
        // What a client says behind its first sentence is what there happens to be.
        Refused::Call(..) => {
            let gist = failure.gist.split(". ").next().unwrap_or_default();
            let first = Failure {
                label: name.to_owned(),
                gist: gist.to_owned(),
                ..failure.clone()
            };
            first.pattern()
        }
        // Programs say so in many ways, and it is the same lesson.
        Refused::Option { command, option } => format!("{command} (unknown option {option})"),
        Refused::Pattern { command, name, .. } => format!("{command} (no matches found: {name})"),
    };
    Some(Words {
        title,
        signature,
        text,
        situation: None,
        mistake: Some(format!(
            "{label} was refused ({}).",
            times(refusal.failures)
        )),
        tags: tags_of(failure),
        tools: vec![failure.label.clone()],
        cause: Cause::Error,
        confidence: 0.7,
        note: format!("refused {}, then got over", times(refusal.failures)),
        names_failure: true,
    })
}

fn sentences(refusal: &Refusal, label: &str) -> Option<(String, String)> {
    let (stated, known) = match &refusal.what {
        Refused::Call(stated, known) => (*stated, known),
        Refused::Option { command, option } => {
            let (command, option) = (code(command), code(option));
            return Some((
                format!("Do without {option} with {command}"),
                format!(
                    "{command} does not know {option} here. Leave {option} out, or use another command."
                ),
            ));
        }
        Refused::Pattern {
            command,
            name,
            pattern,
        } => return Some(pattern_in_quotes(&code(command), name, pattern)),
    };
    Some(match stated {
        Stated::Unread => (
            format!("Read a file before {label}"),
            format!(
                "{label} refuses a file that was not read in this session. Read the file first, then edit or write it."
            ),
        ),
        Stated::Stale => (
            format!("Read the file again before {label}"),
            format!(
                "{label} refuses a file that changed since it was read, by a formatter or a person. Read it again first."
            ),
        ),
        Stated::Mismatch => (
            format!("Read the lines again before another {label}"),
            format!(
                "{label} did not find its text in the file. Read those lines again and copy them exactly, white space included."
            ),
        ),
        Stated::Ambiguous => (
            format!("Give {label} more surrounding lines"),
            format!(
                "{label} found its text more than once. Give more surrounding context so that it is unique, or set `replace_all` to change every place."
            ),
        ),
        Stated::TooLarge => (
            format!("Read large files in parts with {label}"),
            format!(
                "{label} refuses a file that is too large to read whole. Pass `offset` and `limit` to read a part, or search in it."
            ),
        ),
        Stated::UnknownName => (
            format!("Use a name that {label} knows"),
            format!(
                "{label} does not know that name. Known ones are {}.",
                codes(known, "and")
            ),
        ),
        Stated::Argument => return None,
    })
}

fn pattern_in_quotes(command: &str, name: &str, pattern: &str) -> (String, String) {
    let (word, quoted) = if name.starts_with('-') {
        (format!("{name}={pattern}"), format!("{name}='{pattern}'"))
    } else {
        (pattern.to_owned(), format!("'{pattern}'"))
    };
    (
        format!("Quote what {command} is to match"),
        format!(
            "The shell here takes {} for names of files before {command} sees it, and stops (*no matches found*). Quote it: {}.",
            code(&word),
            code(&quoted)
        ),
    )
}
