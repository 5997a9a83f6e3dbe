//! Whether a person types into a session, so that an agent may be kept from stopping.
//!
//! A print, exec or SDK run, a job, an engine that drives an agent: whoever reads their last message
//! and exit code must get what they would get without hardwon. So only a sure sign counts, and a client
//! that gives none is as good as a run that nobody types into. The signs were read off real clients.

use std::path::Path;

/// Reads one variable of the environment.
pub type EnvLookup<'e> = &'e dyn Fn(&str) -> Option<String>;

/// What is known of a session.
#[derive(Debug, Clone, Copy)]
pub struct SessionSigns<'a> {
    /// The client's name for it.
    pub session: &'a str,
    /// Its transcript.
    pub transcript: Option<&'a Path>,
    /// What our own plugin says.
    pub plugin_answer: Option<bool>,
}

/// Returns whether a run belongs to a job, which nobody types into.
pub(super) fn is_job(env: EnvLookup<'_>) -> bool {
    env("CI").is_some_and(|it| !it.is_empty() && it != "false")
}
