//! What the night shift does with a git repository, by the `git` program.
//!
//! Lists what could ship, reads the index and history, and finds the hooks. Two modules write, and only for who asks:
//! `work_file` a file of the work tree, `commit` one local commit. Nothing is ever pushed. What a repository configures must not run: no shell, no pager, no hooks, no external diff or text
//! conversion, no file-system monitor, no fetching of missing objects; paths are bytes between zeros, never patterns.
//! What is found in a file is not judged here.

mod blobs;
mod changes;
mod commit;
mod error;
mod files;
mod git;
mod push;
mod repository;
mod work_file;

pub use blobs::BlobReader;
pub use changes::{Change, ChangeSet, FileKind, ObjectId};
pub use commit::{FileVersion, PreparedCommit};
pub use error::RepositoryError;
pub use files::{ShippedFile, ShippedPlace};
pub use push::{PushedRef, parse_pushed_refs};
pub use repository::Repository;
pub use work_file::{remove_whole, replace_whole};
