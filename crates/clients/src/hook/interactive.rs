//! Decides whether a person types into a session, so that an agent may be kept from stopping.
//!
//! Whoever reads the last message and exit code of a print, exec or SDK run, a job or a driven agent must get what they
//! would get without hardwon. So only a sure sign counts, and a client that gives none counts as non-interactive. The
//! signs were observed with real clients.

use std::path::Path;

/// Reads an environment variable.
pub type EnvLookup<'e> = &'e dyn Fn(&str) -> Option<String>;

/// The signs by which a session may be recognised as interactive.
#[derive(Debug, Clone, Copy)]
pub struct SessionSigns<'a> {
    /// The client's name of the session.
    pub session: &'a str,
    /// The path of its transcript, if it is known.
    pub transcript: Option<&'a Path>,
    /// What our own plugin reports; `None` if it does not.
    pub plugin_answer: Option<bool>,
}

/// Returns whether the environment is that of a CI job, which nobody types into.
pub(super) fn is_job(env: EnvLookup<'_>) -> bool {
    env("CI").is_some_and(|value| !value.is_empty() && value != "false")
}
