//! Keeps text that came from anywhere from speaking as somebody else inside a prompt.

mod encoded;
mod fold;
mod inspect;
mod languages;
mod marker;
mod neutralise;
mod rules;

pub use inspect::{Category, Finding, Level, Reason, inspect};
pub use marker::{Marker, MarkerKind, find_markers};
pub use neutralise::neutralise;
