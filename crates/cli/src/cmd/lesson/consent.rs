//! Asks a person who types what the guard would hold from anybody else. They may give orders, but what
//! reads like an attack is more often pasted than meant.

use hardwon_core::{
    guard::{self, Category, SuspicionLevel},
    limits,
};

use crate::{cmd::ask, error::CliError, output};

/// What to do where nobody can be asked.
pub(super) const HINT: &str = "if you mean it, add --yes";

/// Returns why the guard would hold these texts from anybody but a person, if it would.
pub(super) fn find_objection<'a>(texts: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let texts: Vec<&str> = texts
        .into_iter()
        .filter(|text| !text.trim().is_empty())
        .collect();
    let is_long = |it: &&str| it.chars().count() > limits::TEXT_CHARS;
    // What is too long is refused whatever it says.
    if texts.iter().any(is_long) {
        return None;
    }
    let reasons = guard::inspect_text(&texts.join(".\n"));
    // What a command does a person knows better; they are told, and not asked.
    let held = reasons.iter().filter(|reason| {
        reason.level >= SuspicionLevel::Hold && reason.category != Category::Command
    });
    let reasons: Vec<String> = held.map(ToString::to_string).collect();
    (!reasons.is_empty()).then(|| {
        format!(
            "the guard, which checks new lessons, objects: {}",
            reasons.join("; ")
        )
    })
}

/// Shows why the guard would hold these texts, and asks whether they are meant.
///
/// # Errors
///
/// Fails when the answer is no, and when nobody can be asked and `yes` was not given.
pub(super) fn ask_consent<'a>(
    texts: impl IntoIterator<Item = &'a str>,
    yes: bool,
) -> Result<(), CliError> {
    let Some(why) = find_objection(texts).filter(|_| !yes) else {
        return Ok(());
    };
    if !ask::can_ask() {
        return Err(CliError::bad_input(why).with_hint(HINT));
    }
    output::print_note(&why.replacen("the", "The", 1));
    if ask::ask_yes_no("Store it anyway?", false)? {
        Ok(())
    } else {
        Err(CliError::bad_input("nothing was stored"))
    }
}
