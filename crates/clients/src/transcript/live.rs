//! The transcript readers' rules for hooks, one call or prompt at a time.
//!
//! A hook's payload holds the same data as a line of a transcript, so the same rules decide what a person typed and how
//! much of it is read, as [`call_report`](super::call_report) decides how a call ended; a session must not look one way
//! while it runs and another when its transcript is learned from. Nothing here keeps state.

use hardwon_core::{limits, text::RawText};

use super::{speech, text};

/// Returns the words that a person typed in a prompt, without what clients put around them; `None` when a client wrote
/// it all.
pub(crate) fn find_typed_text(prompt: &str) -> Option<RawText> {
    match speech::classify_turn(prompt) {
        speech::UserTurn::Typed(words) => Some(bound_text(&words)),
        speech::UserTurn::Nothing | speech::UserTurn::Interrupted => None,
    }
}

pub(crate) use super::speech::find_typed_command;

/// Cuts a text to the length that intake reads.
pub(crate) fn bound_text(said: &str) -> RawText {
    text::shorten(text::trim_lines(said), limits::INTAKE_BYTES).into()
}

/// Cuts a name to the length of names.
pub(crate) fn bound_name(name: &str) -> &str {
    text::prefix_within(name, limits::NAME_CHARS)
}
