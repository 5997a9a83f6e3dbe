//! Gates for a repository: what must not leave it, what of a memory belongs in its files, and the last look before a
//! delivery.
//!
//! Every decision is a pure function of texts, as in [`hardwon_core`], which knows none of this: a recall and a learning
//! need no gate. Listing what ships, reading files and running `git` are for others.

pub mod json;
pub mod leak;
pub mod place;
pub mod review;
