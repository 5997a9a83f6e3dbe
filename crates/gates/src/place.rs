//! Where lessons belong: a project's own in the project's files, where every agent that works there reads them.
//!
//! [`choose_for_block`] decides which lessons of a project go into its `AGENTS.md`, and [`ProjectBlock`] is what they
//! look like there: one block between two markers. [`AgentsFile`] finds the block in a file and says what the file
//! would be with another one; of a file whose markers are not in order it says only that. [`audit_entry`] says which
//! entries of a general memory belong in a project. Reading and writing files, git, and the store are for others. The reasons are in `docs/place.md`.

mod audit;
mod block;
mod choose;
mod document;
mod line;
#[cfg(test)]
mod tests;

pub use audit::{AuditVerdict, KnownProject, KnownProjects, audit_entry};
pub use block::{PROJECT_HEADING, ProjectBlock};
pub use choose::{
    PlaceCandidate, PlaceChoice, PlaceTarget, PlacementGround, PlacementRefusal, choose_for_block,
};
pub use document::{AgentsFile, BlockFault, FoundBlock};
