//! Placing lessons in a project's files: a plan as it is shown and given back, and what became of it.
//!
//! A plan that comes in says only what it was made for and from: it is made again, and carried out if it is the same.

use crate::place::PlaceChoice;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What placing would do.
#[derive(Debug, Clone, Serialize)]
pub struct PlacePlanDto {
    /// `place`.
    pub kind: String,
    /// Its name.
    pub id: String,
    /// A digest of the lessons and files that it was made from.
    pub basis: String,
    /// Whether the file may be made.
    pub create: bool,
    /// What becomes of files.
    pub files: Vec<PlacedFileDto>,
    /// The lessons of the block.
    pub placed: Vec<PlacedLessonDto>,
    /// The other active lessons of the project.
    pub left: Vec<PlacedLessonDto>,
    /// What else is to be said.
    pub notes: Vec<String>,
}

/// A plan that is given back: what it was made for and from. The rest of it is not read.
#[derive(Debug, Clone, Deserialize)]
pub struct PlacePlanRequest {
    /// `place`.
    pub kind: String,
    /// Its name.
    pub id: String,
    /// A digest of the lessons and files that it was made from.
    pub basis: String,
    /// Whether the file may be made.
    #[serde(default)]
    pub create: bool,
}

/// What becomes of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlacedFileDto {
    /// What is done with it, in words.
    #[serde(skip)]
    pub verb: &'static str,
    /// Its path from the root.
    pub path: String,
    /// Whether it is committed.
    pub commit: bool,
    /// The lines that leave.
    pub removed: Vec<String>,
    /// The lines that come.
    pub added: Vec<String>,
}

/// A lesson, and why it is in the block or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlacedLessonDto {
    /// Its number.
    pub id: i64,
    /// What stands behind it, or why it is left out.
    pub why: String,
}

/// What was found in the general memories.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditPlanDto {
    /// `audit`.
    pub kind: String,
    /// Its name.
    pub id: String,
    /// A digest of the lessons and files that it was made from.
    pub basis: String,
    /// The entries.
    pub entries: Vec<PlaceAuditEntryDto>,
    /// Files that could not be read.
    pub unread: Vec<UnreadMemoryDto>,
}

/// An entry of a general memory, and where it belongs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlaceAuditEntryDto {
    /// Its file; absent for a lesson.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its line in the file; absent for a lesson.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<i64>,
    /// The number of the lesson; absent for an entry of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lesson: Option<i64>,
    /// Its first words.
    pub head: String,
    /// `keep`, `condense`, `relocate` or `undecided`.
    pub verdict: String,
    /// The project that it belongs to, or those that it names.
    pub projects: Vec<String>,
    /// The words that name the project; absent unless there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named: Option<String>,
    /// What it comes to; absent but for `condense`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shorter: Option<String>,
    /// Whether applying the plan moves it.
    pub moves: bool,
    /// Why a person has to do it; absent if there is nothing to do, or applying the plan does it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// A file that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnreadMemoryDto {
    /// Its path.
    pub file: String,
    /// Why.
    pub why: String,
}

/// What became of an audit, or of taking one back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct AuditedDto {
    /// The name of the plan.
    pub id: String,
    /// The lessons that moved, came or have other words, or went back.
    pub lessons: Vec<i64>,
    /// The files that were written.
    pub files: Vec<String>,
    /// The commits that were made.
    pub commits: Vec<String>,
    /// What could not be done, and why.
    pub left: Vec<String>,
    /// Whether it was taken back.
    pub undone: bool,
}

/// What became of a plan, or of taking one back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlacedDto {
    /// The name of the plan.
    pub id: String,
    /// The files that were written.
    pub files: Vec<String>,
    /// The commit, if one was made.
    pub commit: Option<String>,
    /// Whether it was taken back.
    pub undone: bool,
}

/// A plan that was applied, and what taking it back would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AppliedPlanDto {
    /// The name of the plan.
    pub id: String,
    /// When it was applied.
    pub at: Timestamp,
    /// The repository; absent for an audit of general memories.
    pub root: Option<String>,
    /// The commit that it made.
    pub commit: Option<String>,
    /// Whether it was taken back.
    pub undone: bool,
    /// What taking it back would do to files.
    pub files: Vec<PlacedFileDto>,
    /// Files that it would put back whole, as they were.
    pub restored: Vec<String>,
    /// The lessons that it would move, rename or take out.
    pub lessons: Vec<i64>,
    /// Files that were changed since: it cannot be taken back while they are so.
    pub changed_since: Vec<String>,
}

impl PlacedLessonDto {
    /// Lists the lessons of a choice that are in the block, and those that are not.
    pub fn lists_from_choice(choice: &PlaceChoice) -> (Vec<Self>, Vec<Self>) {
        let row = |id: i64, why: &str| Self {
            id,
            why: why.to_owned(),
        };
        let placements = choice.placed.iter().map(|(id, it)| row(id.0, it.name()));
        let left = choice.left.iter().map(|(id, it)| row(id.0, it.name()));
        (placements.collect(), left.collect())
    }
}
