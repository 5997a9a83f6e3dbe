//! Keeps text that came from anywhere from speaking as somebody else inside a prompt.

mod fold;
mod marker;
mod neutralise;

pub use marker::{Marker, MarkerKind, find_markers};
pub use neutralise::neutralise;
