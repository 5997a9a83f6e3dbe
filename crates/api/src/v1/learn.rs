//! What transcripts taught.

use std::{borrow::Cow, collections::BTreeMap};

use hardwon_engine::NoteOutcome;
use serde::Serialize;
use utoipa::ToSchema;

use super::lesson::{LessonDto, published::PublishedLesson};

/// A lesson and the transcript that it came from.
#[derive(Debug, Serialize)]
pub struct LearnedLessonDto<'a> {
    /// The transcript's path.
    pub file: Cow<'a, str>,
    /// `learned`, `seen again` or `for review`.
    pub became: &'static str,
    /// The lesson.
    pub lesson: LessonDto<'a>,
}

/// What came of all transcripts.
#[derive(Debug, Default, Serialize)]
pub struct LearnSummaryDto {
    /// Transcripts that were read.
    pub files: u64,
    /// Transcripts that were read before, and are unchanged since.
    pub unchanged: u64,
    /// Files of no known format.
    pub not_transcripts: u64,
    /// What could not be read, a sentence each.
    pub unreadable: Vec<String>,
    /// Runs in the transcripts.
    pub runs: u64,
    /// Lines that could not be read.
    pub broken_lines: u64,
    /// What became of the proposed lessons; its keys stand beside the others.
    #[serde(flatten)]
    pub noted: NoteCounts,
    /// Failures that were seen once, and become a lesson when another run meets them.
    pub witnessed: u64,
    /// Runs that a model is to be asked about; absent if none.
    #[serde(skip_serializing_if = "crate::v1::is_zero")]
    pub asks: u64,
    /// How often something taught nothing, by the reason's name; `docs/cli.md` lists them.
    pub skipped: BTreeMap<&'static str, u64>,
    /// Whether nothing was stored.
    pub dry_run: bool,
}

/// What came of a report about work that is over.
#[derive(Debug, Serialize)]
pub struct ReportDto<'a> {
    /// The kind of the report, such as `review`.
    pub kind: &'static str,
    /// The name by which it is known again.
    pub run: &'a str,
    /// `learned`, `known` (the same was learned from before) or `nothing` (there was no struggle, or no advice in it).
    pub became: &'static str,
    /// What became of the proposed lessons; its keys stand beside the others.
    #[serde(flatten)]
    pub noted: NoteCounts,
    /// The lessons.
    pub lessons: Vec<LessonDto<'a>>,
    /// Whether nothing was stored.
    pub dry_run: bool,
}

/// What came of a transcript that was sent.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct SentRunsReply<'a> {
    /// The format in which it is, such as `plain-trace`.
    pub format: &'static str,
    /// Runs in it.
    pub runs: u64,
    /// Lines that could not be read.
    pub broken_lines: u64,
    /// What became of the proposed lessons; its keys stand beside the others.
    #[serde(flatten)]
    pub noted: NoteCounts,
    /// Failures that were seen once, and become a lesson when another run meets them.
    pub witnessed: u64,
    /// Runs that a model is to be asked about.
    pub asks: u64,
    /// How often something taught nothing, by the reason's name; `docs/cli.md` lists them.
    pub skipped: BTreeMap<&'static str, u64>,
    /// The lessons, the first 200 of them.
    pub lessons: Vec<TaughtLesson<'a>>,
}

/// A lesson that a transcript taught.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaughtLesson<'a> {
    /// `recorded`, `known` (it was there already) or `waiting` (a person looks first).
    pub outcome: &'static str,
    /// The lesson.
    pub lesson: PublishedLesson<'a>,
}

/// What became of proposed lessons.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub struct NoteCounts {
    /// New lessons.
    pub learned: u64,
    /// Lessons that were known.
    pub seen_again: u64,
    /// New lessons that wait for a person.
    pub for_review: u64,
    /// Proposals that the guard refused.
    pub refused: u64,
    /// Lessons that were written to a log and not kept.
    #[serde(skip_serializing_if = "crate::v1::is_zero")]
    #[schema(required = false)]
    pub logged: u64,
}

impl NoteCounts {
    /// Counts one more.
    pub fn add(&mut self, noted: &NoteOutcome) {
        *match noted {
            NoteOutcome::Recorded(_) => &mut self.learned,
            NoteOutcome::AlreadyKnown(_) => &mut self.seen_again,
            NoteOutcome::Pending(_) => &mut self.for_review,
            NoteOutcome::Refused(_) => &mut self.refused,
            NoteOutcome::Logged => &mut self.logged,
        } += 1;
    }
}

impl<'a> FromIterator<&'a NoteOutcome> for NoteCounts {
    fn from_iter<I: IntoIterator<Item = &'a NoteOutcome>>(noted: I) -> Self {
        let mut counts = Self::default();
        noted.into_iter().for_each(|outcome| counts.add(outcome));
        counts
    }
}
