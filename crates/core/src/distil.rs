//! Writes drafts of lessons from episodes: short, imperative, and no more than the run showed.
//!
//! [`draft_episode`] stands between capture and guard: rules with a fixed form for each kind of episode, without a
//! model. Arguments and error messages enter only normalised and cut, tool output never; where the rules cannot say
//! what to do, there is no draft. Whether a draft becomes a lesson is not decided here.
//!
//! A model may be asked as well, later and about the whole run: [`plan_inquiries`] decides what to ask, an
//! [`Excerpt`](excerpt::Excerpt) is the record that it is shown, and [`four_blocks`] and [`judge`] write the question
//! and parse the reply; what the
//! engine asks besides has [`objects`] and [`reply`] in common with them. Nothing here calls a model.

pub mod excerpt;
pub mod four_blocks;
mod inquiry;
pub mod judge;
pub mod objects;
pub mod reply;
mod rules;
#[cfg(test)]
#[path = "distil/tests/samples.rs"]
mod samples;
mod trigger;
mod words;

pub use inquiry::{Inquiry, InquiryFailure, InquiryOrigin, JobMethod, JobTask};
pub use reply::{ModelPrompt, ModelReplyError};
pub use rules::draft_episode;
pub use trigger::{InquiryTriggers, plan_inquiries};
pub use words::derive_title;
