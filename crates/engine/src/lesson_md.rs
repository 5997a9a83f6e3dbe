//! Lessons as files: LESSON.md (AIP-11, `learning/v1`), one lesson a file.
//!
//! [`LessonFile`] is a file that was read: what it says, checked against the specification, and
//! the source with the place of every value. [`LessonFields`] is what a file says, whether it was read off
//! a file or off a lesson. [`admit_file`] makes a lesson of a file, through the guard like everything
//! else; [`render_lesson`] makes a file of a lesson. A lesson that came from a file keeps the file's text,
//! and rendering replaces only what changed since, so unknown sections, comments, quoting and
//! folding survive byte for byte. [`lint_folder`] is the lint of a whole folder, [`index`] its
//! `_index.md`.
//!
//! No file is opened here, and nothing is decided about which side wins when a file and a lesson
//! differ. `docs/lesson-md.md` says how the specification is kept.

mod body;
mod yaml;
mod emit;
mod finding;
mod parts;
mod fields;
mod schema;
mod file;
mod render;
mod convert;
mod lint;
mod index;
#[cfg(test)]
mod tests;

pub use convert::{admit_file, content_without_file, render_lesson};
pub use fields::{LessonFields, ReadableText};
pub use file::{LessonFile, ParsedLessonFile};
pub use finding::{FileFinding, FindingCode, Severity};
pub use index::render_index;
pub use lint::{LessonFolder, lint_folder};

/// What the front matter's `schema` must say.
pub const SCHEMA: &str = "learning/v1";

/// The name of a folder's list of lessons.
pub const INDEX: &str = "_index.md";

/// The folder, inside a folder of lessons, of those that left it.
pub const ARCHIVE: &str = "_archive";

/// The vendor under which our own fields stand in `metadata`.
const VENDOR: &str = "hardwon";
