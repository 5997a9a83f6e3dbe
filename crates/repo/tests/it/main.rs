//! The crate against the real git, in repositories made for each test.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test fails by panicking, as the test does"
)]

mod commit;
mod repository;
mod review;
