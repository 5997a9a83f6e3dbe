//! Puts an episode into words: short, imperative, and no more than the run showed.
//!
//! [`Distiller`] is the seam between capture and guard; a model is one implementation (engine),
//! [`Rules`] the one that is always there. The rules write from a fixed form for each kind of episode.
//! Arguments and error heads enter only normalised and capped, tool output never; where the rules
//! cannot say what to do, there is no draft. Whether a draft becomes a lesson is not decided here.

mod rules;
mod words;

use crate::{capture::Episode, lesson::Draft};

/// Makes drafts of lessons out of episodes.
pub trait Distiller {
    /// Why it could not try.
    type Error: std::error::Error;

    /// Returns what the episode teaches, in drafts; none when there is nothing to act upon.
    ///
    /// # Errors
    ///
    /// Returns why the episode could not be worked on at all (a model that is away), never that
    /// there was nothing to learn.
    fn distil(&self, episode: &Episode) -> Result<Vec<Draft>, Self::Error>;
}

/// Distils by rules, without a model.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rules;

impl Distiller for Rules {
    type Error = std::convert::Infallible;

    fn distil(&self, episode: &Episode) -> Result<Vec<Draft>, Self::Error> {
        Ok(rules::draft(episode).into_iter().collect())
    }
}
