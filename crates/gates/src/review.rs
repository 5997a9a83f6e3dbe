//! The last review before a delivery: what a reviewer is given, what its verdict must be, and what is made of it.
//!
//! A verdict is text from outside: it is parsed in one form, its words are redacted and cut, and each place that it names
//! must be in the diff ([`DiffPlaces`]). Whether tests pass is not for it to say, and neither is whether its edits are
//! taken. No engine is started here and no repository is looked at.

mod bundle;
mod delivery_steps;
mod edits;
mod places;
mod size;
mod section;
mod verdict;
#[cfg(test)]
mod tests;

pub use bundle::{BundleText, render_bundle, render_checklist};
pub use delivery_steps::render_steps;
pub use edits::{EditedKind, EditedPath, find_objections, list_edits, object};
pub use places::{DiffAnchor, DiffPlaces};
pub use section::{SECTION_TITLE, put_section};
pub use size::{IssueSize, find_labelled_size, is_too_small};
pub use verdict::{FinalReview, FinalVerdict, Finding, ReviewFinding, VerdictFlaw, parse_verdict};
