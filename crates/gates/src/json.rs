//! The JSON of the gates: reports, plans, and what is kept of a review. `hardwon_api` says what holds for such types.

pub mod final_review;
pub mod leak;
pub mod place;
