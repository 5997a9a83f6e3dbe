//! The wording for an error that session after session meets.

use super::{DraftWording, fix::from_fix, format_times};
use crate::{
    capture::Wall,
    distil::words::{code_span, emphasize_error, join_code_spans},
};

/// Words a wall; `None` if the run shows neither a way past it nor several tries in vain.
pub(super) fn from_wall(wall: &Wall) -> Option<DraftWording> {
    match &wall.way_past {
        Some(fix) => {
            let words = from_fix(fix)?;
            Some(DraftWording {
                text: format!(
                    "{} Several sessions met this error; that got past it last.",
                    words.text
                ),
                confidence: 0.5,
                ..words
            })
        }
        None => from_dead_end(wall),
    }
}

fn from_dead_end(wall: &Wall) -> Option<DraftWording> {
    let failure = &wall.failure;
    let (label, error) = (code_span(&failure.label), emphasize_error(&failure.gist));
    let attempts = join_code_spans(&wall.tried);
    let times = format_times(wall.failures);
    let title = format!("Do not try {label} again in other words");
    let text = format!(
        "{label} fails with {error} in session after session, and nothing got past it: {attempts} did not help. Do it without {label}, or ask the person."
    );
    (wall.tried.len() >= 2).then(|| DraftWording {
        mistake: Some(format!("{label} failed {times} and was not got to work.")),
        confidence: 0.4,
        note: format!("failed {times}, never worked"),
        ..DraftWording::from_failure(failure, title, text, &wall.names)
    })
}
