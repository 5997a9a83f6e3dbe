//! What the night shift does with a git repository, by the `git` program.
//!
//! Lists what could ship, reads the index and history, and finds the hooks. A few modules write, and only for who asks:
//! `work_file` a file of the work tree, `commit` one local commit; for a review `work_tree` names the state of a work tree,
//! `workspace` copies it to where an engine may edit, and `take_back` takes edits back. Nothing talks to a remote. What a
//! repository configures must not run: no shell, no pager, no hooks, no external diff or text
//! conversion, no file-system monitor, no fetching of missing objects; paths are bytes between zeros, never patterns.
//! What is found in a file is not judged here.

mod blobs;
mod changes;
mod commit;
mod copy_folder;
mod error;
mod files;
mod git;
mod push;
mod repository;
mod delivery;
mod take_back;
mod work_file;
mod work_tree;
mod workspace;

pub(crate) use error::Result;
pub(crate) use work_tree::TempIndex;

pub use blobs::BlobReader;
pub use changes::{ChangeSet, FileKind, ObjectId, TreeChange};
pub use commit::{FileVersion, PreparedCommit};
pub use delivery::{PatchForm, ReviewDelivery};
pub use error::RepositoryError;
pub use files::{ShippedFile, ShippedPlace};
pub use push::{PushedRef, parse_pushed_refs};
pub use repository::Repository;
pub use take_back::{TakeBackRefusal, TakenBack};
pub use work_file::{remove_whole, replace_whole};
pub use workspace::Workspace;
