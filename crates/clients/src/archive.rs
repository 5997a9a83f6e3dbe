//! The sessions that clients left on a machine: found, recognised, put in order and opened.
//!
//! What their records mean is known by each format; here they are files, and sessions in a client's
//! database that go by a path like a file.

mod file;
mod find;
mod order;
mod recognise;
mod run;
mod when;

pub use file::ClientTranscript;
pub use find::{ArchiveEntry, SessionsFound, locate, size_of, sources};
pub use order::{in_order, newest};
pub use recognise::recognise;
pub use run::read_run;
