//! The transcript readers' rules for hooks, one call or prompt at a time.
//!
//! A hook's payload holds the same data as a line of a transcript, so the same rules decide the form of a call's
//! arguments, whether it failed and what a person typed; a session must not look one way while it runs and another when
//! its transcript is learned from. Nothing here keeps state.

use hardwon_core::{limits, text::RawText};

use super::{call_report, speech, text, wire};

pub(crate) use super::call_end::CallEnd;

/// Decides how a call ended: by its exit code if there is one, then by the client's flag, then, where there is none, by
/// the text.
pub(crate) fn judge_text(exit: Option<i64>, failed: Option<bool>, said: &str) -> CallEnd {
    let text = said;
    call_report::judge_report(call_report::CallReport { exit, failed, text }).into()
}

/// Decides how a call ended whose result is still JSON, a string or a list of blocks.
pub(crate) fn judge_json(exit: Option<i64>, failed: Option<bool>, json: &str) -> CallEnd {
    call_report::judge_json(exit, failed, json).into()
}

/// Returns the message of an error that is a JSON string, or an object with a message.
pub(crate) fn error_message(json: &str) -> String {
    call_report::error_message(json).into_owned()
}

/// Returns the text of content that is JSON: a string, or a list of blocks.
pub(crate) fn text_in(json: &str) -> String {
    wire::text_from_json(json).into_owned()
}

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
