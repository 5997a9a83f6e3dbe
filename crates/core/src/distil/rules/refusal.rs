//! The wording for a refusal that states its own fix.

use super::{DraftWording, format_times};
use crate::{
    capture::{Refusal, RefusalKind},
    distil::words::{code_span, join_code_spans},
    trace::client_refusal::ClientRefusal,
};

pub(super) fn from_refusal(refusal: &Refusal) -> Option<DraftWording> {
    let failure = &refusal.failure;
    // It is the same lesson whichever of the client's editors refused.
    let name = match failure.client_refusal {
        Some(stated) if stated.applies_to_any_editor() => "edit",
        _ => &failure.label,
    };
    let label = code_span(name);
    let (title, text) = refusal_sentences(refusal, &label)?;
    let signature = match &refusal.kind {
        // It is also the same lesson whatever size the client states.
        RefusalKind::Call(ClientRefusal::TooLarge, _) => format!("{name} (file is too large)"),
        // After its first sentence a client only lists what happens to exist.
        RefusalKind::Call(..) => {
            let mut first = failure.clone();
            first.label = name.to_owned();
            first.gist = failure
                .gist
                .split(". ")
                .next()
                .unwrap_or_default()
                .to_owned();
            first.signature()
        }
        // Programs word this in many ways, and it is the same lesson.
        RefusalKind::Option { command, option } => format!("{command} (unknown option {option})"),
        RefusalKind::Pattern { command, name, .. } if name.is_empty() => {
            format!("{command} (no matches found)")
        }
        RefusalKind::Pattern { command, name, .. } => {
            format!("{command} (no matches found: {name})")
        }
        RefusalKind::KeptFolder => "cd (No such file or directory)".to_owned(),
    };
    let times = format_times(refusal.failures);
    let tools = [failure.label.clone()];
    Some(DraftWording {
        signature,
        mistake: Some(format!("{label} was refused ({times}).")),
        confidence: 0.7,
        note: format!("refused {times}, then got over"),
        ..DraftWording::from_failure(failure, title, text, &tools)
    })
}

fn refusal_sentences(refusal: &Refusal, label: &str) -> Option<(String, String)> {
    let (stated, known) = match &refusal.kind {
        RefusalKind::Call(stated, known) => (*stated, known),
        RefusalKind::Option { command, option } => {
            let (command, option) = (code_span(command), code_span(option));
            return Some((
                format!("Do without {option} with {command}"),
                format!(
                    "{command} does not know {option} here. Leave {option} out, or use another command."
                ),
            ));
        }
        RefusalKind::Pattern {
            command,
            name,
            pattern,
        } => return Some(pattern_in_quotes(&code_span(command), name, pattern)),
        RefusalKind::KeptFolder => {
            return Some((
                "Mind that the shell keeps its folder between calls".to_owned(),
                "The shell here keeps its folder from one call to the next: after a `cd` in one call, a relative path in a later one is looked for inside that folder (*No such file or directory*). Give `cd` the whole path, or write paths from the folder that the shell is in.".to_owned(),
            ));
        }
    };
    Some(match stated {
        ClientRefusal::Unread => (
            format!("Read a file before {label}"),
            format!(
                "{label} refuses a file that was not read in this session. Read the file first, then edit or write it."
            ),
        ),
        ClientRefusal::Stale => (
            format!("Read the file again before {label}"),
            format!(
                "{label} refuses a file that changed since it was read, by a formatter or a person. Read it again first."
            ),
        ),
        ClientRefusal::Mismatch => (
            format!("Read the lines again before another {label}"),
            format!(
                "{label} did not find its text in the file. Read those lines again and copy them exactly, white space included."
            ),
        ),
        ClientRefusal::Ambiguous => (
            format!("Give {label} more surrounding lines"),
            format!(
                "{label} found its text more than once. Give more surrounding context so that it is unique, or set `replace_all` to change every place."
            ),
        ),
        ClientRefusal::TooLarge => (
            format!("Read large files in parts with {label}"),
            format!(
                "{label} refuses a file that is too large to read whole. Pass `offset` and `limit` to read a part, or search in it."
            ),
        ),
        ClientRefusal::UnknownName => (
            format!("Use a name that {label} knows"),
            format!(
                "{label} does not know that name. Known ones are {}.",
                join_code_spans(known)
            ),
        ),
        ClientRefusal::Argument => return None,
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
            code_span(&word),
            code_span(&quoted)
        ),
    )
}
