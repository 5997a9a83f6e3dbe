//! Puts an episode into words: short, imperative, and no more than the run showed.
//!
//! [`Distiller`] is the seam between capture and guard, and [`RuleDistiller`] the implementation that is
//! always there. The rules write from a fixed form for each kind of episode. Arguments and error
//! heads enter only normalised and capped, tool output never; where the rules cannot say what to
//! do, there is no draft. Whether a draft becomes a lesson is not decided here.
//!
//! A model may be asked as well, later and about the whole run: [`plan_inquiries`] decides what, an
//! [`Excerpt`](excerpt::Excerpt) is what it is shown, and [`four_blocks`] and [`judge`] write the
//! question and read the reply; [`hyde`] asks for something to search with. Nothing here calls a model.

pub mod excerpt;
pub mod four_blocks;
pub mod hyde;
mod inquiry;
pub mod judge;
mod reply;
mod rules;
#[cfg(test)]
mod samples;
mod trigger;
mod words;

pub use inquiry::{Inquiry, InquiryFailure, InquiryOrigin, JobMethod, JobTask};
pub use reply::ModelPrompt;
pub use trigger::{InquiryTriggers, plan_inquiries};

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
pub struct RuleDistiller;

impl Distiller for RuleDistiller {
    type Error = std::convert::Infallible;

    fn distil(&self, episode: &Episode) -> Result<Vec<Draft>, Self::Error> {
        Ok(rules::draft_episode(episode).into_iter().collect())
    }
}
