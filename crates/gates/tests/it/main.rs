//! The contract of the gates' JSON: what each type looks like, and what is taken in.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test fails by panicking, as the test does"
)]

mod final_review;
mod leak;
mod place;
mod requests;
mod samples;
