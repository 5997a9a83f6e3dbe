//! A remark about a lesson that is kept with it, such as why it is stale.
//!
//! Other agents read it as the reason for a lesson's state, so it is looked at as closely as a lesson is.

use hardwon_redact::redact;

use super::inspect_text;
use crate::limits;
use crate::{Reason, SuspicionLevel};

/// Why a remark cannot be kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadComment {
    /// It is too long.
    #[error(
        "has {chars} characters; at most {} are allowed",
        limits::VERDICT_NOTE_CHARS
    )]
    TooLong {
        /// Its length.
        chars: usize,
    },
    /// It might instruct whoever reads it.
    #[error("cannot be kept: {0}")]
    Suspicious(Reason),
}

/// Checks a remark that may be kept.
///
/// # Errors
///
/// Returns why it cannot be kept; the words go after the name of what was remarked.
pub fn check_comment(remark: &str) -> Result<(), BadComment> {
    let chars = remark.chars().count();
    if chars > limits::VERDICT_NOTE_CHARS {
        return Err(BadComment::TooLong { chars });
    }
    let mut reasons = inspect_text(&redact(remark)).into_iter();
    match reasons.find(|reason| reason.level >= SuspicionLevel::Hold) {
        Some(reason) => Err(BadComment::Suspicious(reason)),
        None => Ok(()),
    }
}
