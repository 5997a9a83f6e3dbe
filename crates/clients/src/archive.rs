//! The sessions that clients left on a machine: found, recognised, put in order and opened.
//!
//! Each format knows what its records mean; here they are files, and sessions in a client's database that have a path
//! like a file.

mod encoding;
mod file;
mod find;
mod order;
mod recognise;
mod run;
mod source_run;
mod start_time;

pub use file::ClientTranscript;
pub use find::{ArchiveEntry, SessionsFound, entry_size, list_entries, locate_sessions};
pub use order::{keep_newest, sort_by_time};
pub use recognise::recognise_format;
pub use run::read_run;
pub use source_run::{SourceRun, SourceStep};
