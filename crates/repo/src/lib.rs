//! What the night shift does with a git repository, by the `git` program.
//!
//! Lists what could ship, reads the index and history, and finds the hooks. For a review it names the state of a work tree,
//! copies it to where an engine may edit, and takes edits back; nothing else here writes, and nothing talks to a remote.
//! What a repository configures must not run: no shell, no pager, no hooks, no external diff or text
//! conversion, no file-system monitor, no fetching of missing objects; paths are bytes between zeros, never patterns.
//! What is found in a file is not judged here.

mod blobs;
mod changes;
mod error;
mod files;
mod git;
mod push;
mod repository;
mod work_tree;
mod workspace;
mod delivery;
mod take_back;

pub use blobs::BlobReader;
pub use changes::{Change, ChangeSet, FileKind, ObjectId};
pub use delivery::Delivery;
pub use error::RepositoryError;
pub use files::{ShippedFile, ShippedPlace};
pub use push::{PushedRef, parse_pushed_refs};
pub use repository::Repository;
pub use take_back::{TakeBackRefusal, TakenBack};
pub use workspace::Workspace;
