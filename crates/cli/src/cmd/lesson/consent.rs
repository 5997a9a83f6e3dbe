//! Asks a person who types what the guard would hold from anybody else. They may give orders, but what
//! reads like an attack is more often pasted than meant.

use std::io::{self, BufRead as _, IsTerminal as _};

use hardwon_core::{
    guard::{self, Level},
    limits,
};

use crate::{error::Failure, output};

/// Shows why the guard would hold these texts, and asks whether they are meant.
///
/// # Errors
///
/// Fails when the answer is no, and when nobody can be asked and `yes` was not given.
pub(super) fn ask<'a>(texts: impl IntoIterator<Item = &'a str>, yes: bool) -> Result<(), Failure> {
    let texts: Vec<&str> = texts
        .into_iter()
        .filter(|it| !it.trim().is_empty())
        .collect();
    // What is too long is refused whatever it says.
    if texts
        .iter()
        .any(|it| it.chars().count() > limits::TEXT_CHARS)
    {
        return Ok(());
    }
    let reasons = guard::inspect(&texts.join(".\n"));
    let held = reasons.iter().filter(|it| it.level >= Level::Hold);
    let why: Vec<String> = held.map(ToString::to_string).collect();
    if why.is_empty() || yes {
        return Ok(());
    }
    let why = why.join("; ");
    if !io::stdin().is_terminal() {
        return Err(Failure::input(format!(
            "the guard, which checks new lessons, objects: {why}"
        ))
        .hint("if you mean it, add --yes"));
    }
    output::note(&format!(
        "The guard, which checks new lessons, objects: {why}\nStore it anyway? [y/N]"
    ));
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(Failure::input("nothing was stored")),
    }
}
