//! Asks a person who types what the guard would hold from anybody else. They may give orders, but what
//! reads like an attack is more often pasted than meant.

use hardwon_core::guard;

use crate::{CliError, Result, cmd::ask, output};

/// What to do where nobody can be asked.
pub(super) const HINT: &str = "if you mean it, add --yes";

/// Shows why the guard would hold these texts, and asks whether they are meant.
///
/// # Errors
///
/// Fails when the answer is no, and when nobody can be asked and `yes` was not given.
pub(super) fn ask_consent<'a>(texts: impl IntoIterator<Item = &'a str>, yes: bool) -> Result<()> {
    let Some(why) = guard::find_objection(texts).filter(|_| !yes) else {
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
