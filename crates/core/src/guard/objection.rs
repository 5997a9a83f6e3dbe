//! What the guard has against the words of a person who writes a lesson, for a door to ask about. They may give orders, but
//! what reads like an attack is more often pasted than meant.

use super::inspect_text;
use crate::limits;
use crate::{Category, Reason, SuspicionLevel};

/// Returns why the guard would hold these texts from anybody but a person, if it would.
pub fn find_objection<'a>(texts: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let texts = texts.into_iter().filter(|text| !text.trim().is_empty());
    let texts: Vec<&str> = texts.collect();
    let is_long = |text: &&str| text.chars().count() > limits::TEXT_CHARS;
    // What is too long is refused whatever it says.
    if texts.iter().any(is_long) {
        return None;
    }
    let reasons = inspect_text(&texts.join(".\n"));
    // What a command does a person knows better; they are told, and not asked.
    let is_held = |reason: &&Reason| {
        reason.level >= SuspicionLevel::Hold && reason.category != Category::Command
    };
    let reasons: Vec<String> = reasons
        .iter()
        .filter(is_held)
        .map(ToString::to_string)
        .collect();
    (!reasons.is_empty()).then(|| {
        let reasons = reasons.join("; ");
        format!("the guard, which checks new lessons, objects: {reasons}")
    })
}
