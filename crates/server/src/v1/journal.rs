//! `/v1/journal`: every change to the lessons of a tenant, whether the chain of them holds, and what became of one lesson.

use hardwon_api::v1::journal::{ChainedEntryDto, HistoryDto, JournalPageReply, VerificationDto};
use hardwon_store::JournalEntry;

use super::{prelude::*, query::check_after};

pub(super) fn verbs() -> Vec<VerbRow> {
    vec![
        verb("GET /v1/journal", Read, list_entries)
            .tells::<JournalPageReply>(200, "A page of entries")
            .or(404, "No such lesson, or not one that the key may see"),
        verb("GET /v1/journal/verify", Read, verify_journal)
            .tells::<VerificationDto>(200, "Whether it holds, and what is wrong if it does not"),
        verb("GET /v1/lessons/{id}/history", Read, show_history).tells::<HistoryDto>(
            200,
            "The lessons that replaced one another, and the changes to this one",
        ),
    ]
}

/// Which entries to list.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct JournalQuery {
    /// The `next_after` of the page before: entries with higher numbers.
    #[serde(default)]
    after: u64,
    /// Only entries about this lesson: the newest of them, in one page.
    lesson: Option<String>,
}

/// List the changes to lessons, the oldest first, at most 1000 a page.
///
/// The journal is of the whole tenant: a key that is tied to agents or projects reads that of single lessons only.
fn list_entries(door: &Door, QueryOf(query): QueryOf<JournalQuery>) -> Result<Response> {
    let lesson = parse_number(query.lesson.as_deref(), "lesson")?.map(LessonId);
    let after = check_after(query.after)?;
    let entries = match lesson {
        Some(id) => {
            let mut all = door.find_lesson(id, |desk| find_history(desk, id))?;
            all.retain(|row| row.sequence > after);
            all
        }
        None => door.read_desk(&AskedScope::default())?.journal(after)?,
    };
    let is_full = lesson.is_none() && entries.len() == limits::PAGE_ROWS;
    json(&JournalPageReply {
        entries: entries.iter().map(ChainedEntryDto::from).collect(),
        next_after: entries.last().filter(|_| is_full).map(|last| last.sequence),
    })
}

/// Verify the chain of changes, and every lesson against it.
///
/// The whole journal is read, which may take seconds.
fn verify_journal(door: &Door, _: ()) -> Result<Response> {
    let desk = door.read_desk(&AskedScope::default())?;
    json(&VerificationDto::from(&desk.audit_journal()?))
}

/// Read what became of a lesson over time. One that was erased still has a history, without words.
fn show_history(door: &Door, LessonNumber(id): LessonNumber) -> Result<Response> {
    let (entries, line) = door.find_lesson(id, |desk| {
        let entries = find_history(desk, id)?;
        let line = match desk.lesson_if_visible(id)? {
            Some(lesson) => desk.lineage(&lesson)?,
            None => Vec::new(),
        };
        Ok((entries, line))
    })?;
    json(&HistoryDto::from_lineage(id, &line, &entries))
}

/// Returns the entries of a lesson; one without any was never there.
fn find_history(desk: &Desk<'_>, id: LessonId) -> Result<Vec<JournalEntry>> {
    let entries = desk.history(id)?;
    if entries.is_empty() {
        Err(ApiError::lesson_not_found())
    } else {
        Ok(entries)
    }
}
