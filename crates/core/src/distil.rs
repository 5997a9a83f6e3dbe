//! Writes drafts of lessons from episodes: short, imperative, and no more than the run showed.
//!
//! [`Distiller`] is the interface between capture and guard, and [`RuleDistiller`] the implementation that is always
//! available. The rules use a fixed form for each kind of episode. Arguments and error messages enter only normalised
//! and cut, tool output never; where the rules cannot say what to do, there is no draft. Whether a draft becomes a
//! lesson is not decided here.
//!
//! A model may be asked as well, later and about the whole run: [`plan_inquiries`] decides what to ask, an
//! [`Excerpt`](excerpt::Excerpt) is the record that it is shown, and [`four_blocks`] and [`judge`] write the question
//! and parse the reply; [`hyde`] asks for a text to search with. Nothing here calls a model.

pub mod excerpt;
pub mod four_blocks;
pub mod hyde;
mod inquiry;
pub mod judge;
mod reply;
mod rules;
#[cfg(test)]
#[path = "distil/tests/samples.rs"]
mod samples;
mod trigger;
mod words;

pub use inquiry::{Inquiry, InquiryFailure, InquiryOrigin, JobMethod, JobTask};
pub use reply::ModelPrompt;
pub use trigger::{InquiryTriggers, plan_inquiries};

use crate::{capture::Episode, lesson::Draft};

/// Writes drafts of lessons from episodes.
pub trait Distiller {
    /// The reason why an episode could not be processed.
    type Error: std::error::Error;

    /// Returns drafts of what the episode teaches; empty when there is nothing to act upon.
    ///
    /// # Errors
    ///
    /// Returns why the episode could not be processed at all (for example, an unreachable model), never that there
    /// was nothing to learn.
    fn distil(&self, episode: &Episode) -> Result<Vec<Draft>, Self::Error>;
}

/// Writes drafts by rules, without a model.
#[derive(Debug, Clone, Copy, Default)]
pub struct RuleDistiller;

impl Distiller for RuleDistiller {
    type Error = std::convert::Infallible;

    fn distil(&self, episode: &Episode) -> Result<Vec<Draft>, Self::Error> {
        Ok(rules::draft_episode(episode).into_iter().collect())
    }
}
