//! The journal: its entries, whether its chain holds, and what it says of one lesson.

use hardwon_core::{CleanText, LessonId, Status};
use hardwon_engine::{AuditReport, LineageLink};
use hardwon_store::{JournalComment, JournalEntry};
use serde::Serialize;
use utoipa::ToSchema;

/// A change to a lesson.
#[derive(Debug, Serialize, ToSchema)]
pub struct JournalEntryDto<'a> {
    /// Its number, from 1, without gaps in the whole journal.
    pub sequence: u64,
    /// When it was made.
    pub at: String,
    /// What was done, such as `add`, `revise` or `status`.
    pub kind: &'static str,
    /// The lesson's number; absent in the history of one lesson.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lesson: Option<i64>,
    /// Who did it.
    pub actor: &'a str,
    /// What there is to say about it; absent if nothing, and once it was erased.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<&'a str>,
}

/// A change to a lesson as the whole journal tells it: with its place in the chain.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChainedEntryDto<'a> {
    /// The change; its keys stand beside the others.
    #[serde(flatten)]
    pub entry: JournalEntryDto<'a>,
    /// Its place in the chain; its keys stand beside the others.
    #[serde(flatten)]
    pub link: ChainLinkDto,
}

/// The digests that make an entry a link of the chain: SHA-256, in lower-case hexadecimal digits.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChainLinkDto {
    /// That of the remark; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark_hash: Option<String>,
    /// That of the lesson's words after the change.
    pub content: String,
    /// That of the entry before.
    pub previous: String,
    /// That of this entry.
    pub hash: String,
}

impl<'a> From<&'a JournalEntry> for ChainedEntryDto<'a> {
    fn from(entry: &'a JournalEntry) -> Self {
        let remark = entry.body.comment.as_ref();
        Self {
            entry: JournalEntryDto {
                lesson: Some(entry.body.lesson.0),
                ..JournalEntryDto::for_history(entry)
            },
            link: ChainLinkDto {
                remark_hash: remark.map(|remark| remark.digest().to_string()),
                content: entry.body.content.to_string(),
                previous: entry.previous.to_string(),
                hash: entry.hash.to_string(),
            },
        }
    }
}

impl<'a> JournalEntryDto<'a> {
    /// Makes an entry of the history of one lesson.
    pub fn for_history(entry: &'a JournalEntry) -> Self {
        let remark = entry.body.comment.as_ref();
        Self {
            sequence: entry.sequence,
            at: entry.body.at.to_string(),
            kind: entry.body.kind.name(),
            lesson: None,
            actor: entry.body.actor.0.as_str(),
            remark: remark.and_then(JournalComment::text).map(CleanText::as_str),
        }
    }
}

/// A page of the journal, the oldest entry first.
#[derive(Debug, Serialize, ToSchema)]
pub struct JournalPageReply<'a> {
    /// The entries.
    pub entries: Vec<ChainedEntryDto<'a>>,
    /// What to give as `after` for the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_after: Option<u64>,
}

/// Whether the journal's chain holds and says what the lessons are.
#[derive(Debug, Serialize, ToSchema)]
pub struct VerificationDto {
    /// Whether it does.
    pub sound: bool,
    /// How many entries there are.
    pub entries: u64,
    /// How many lessons there are.
    pub lessons: u64,
    /// The digest of the newest entry.
    pub head: String,
    /// What is wrong, a sentence each; empty if nothing is.
    pub troubles: Vec<String>,
}

impl From<&AuditReport> for VerificationDto {
    fn from(audit: &AuditReport) -> Self {
        Self {
            sound: audit.is_sound(),
            entries: audit.head.sequence,
            lessons: audit.lessons,
            head: audit.head.hash.to_string(),
            troubles: audit.troubles().collect(),
        }
    }
}

/// What became of a lesson over time.
#[derive(Debug, Serialize, ToSchema)]
pub struct HistoryDto<'a> {
    /// The lesson's number.
    pub id: i64,
    /// The lessons that replaced one another, it among them, the oldest first; empty if it was erased.
    pub lineage: Vec<LineageLinkDto<'a>>,
    /// The changes to it, the oldest first.
    pub changes: Vec<JournalEntryDto<'a>>,
}

impl<'a> HistoryDto<'a> {
    /// Builds it from the lessons that replaced one another and the changes to this one.
    pub fn from_lineage(
        id: LessonId,
        lineage: &'a [LineageLink],
        changes: &'a [JournalEntry],
    ) -> Self {
        Self {
            id: id.0,
            lineage: lineage.iter().map(LineageLinkDto::from).collect(),
            changes: changes.iter().map(JournalEntryDto::for_history).collect(),
        }
    }
}

/// One lesson in a line of successors.
#[derive(Debug, Serialize, ToSchema)]
pub struct LineageLinkDto<'a> {
    /// Its number.
    pub id: i64,
    /// Its first line.
    pub title: &'a str,
    /// Its state.
    pub status: &'static str,
    /// The number of its successor; absent unless its state is `superseded`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<i64>,
    /// The change by which it stepped back; absent unless its state is `superseded`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stepped_back: Option<JournalEntryDto<'a>>,
}

impl<'a> From<&'a LineageLink> for LineageLinkDto<'a> {
    fn from(link: &'a LineageLink) -> Self {
        let lesson = &link.lesson;
        Self {
            id: lesson.id.0,
            title: lesson.content.title.as_str(),
            status: lesson.status.name(),
            superseded_by: match lesson.status {
                Status::Superseded { by } => Some(by.0),
                _ => None,
            },
            stepped_back: link.retired_by.as_ref().map(JournalEntryDto::for_history),
        }
    }
}
