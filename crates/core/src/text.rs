//! How a text reads: what stands behind disguises, what a writer only quotes.
//!
//! Text from outside and text that has been cleaned are types of [`hardwon_redact`], which alone makes the second of the
//! first. They are passed on here because events and lessons are made of them: whoever holds a value of this crate needs
//! their names, and not how they are made.

mod decode;
pub(crate) mod encoded;
pub(crate) mod fold;
pub mod quoted;
pub(crate) mod word_hash;
pub(crate) mod word_table;

pub use hardwon_redact::{CleanText, RawText, floor_char_boundary};
