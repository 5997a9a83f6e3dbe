//! The journal: every change to a lesson, and a button that checks that none was altered.

use axum::response::Html;
use hardwon_core::CleanText;
use hardwon_engine::{AuditReport, pluralize};
use hardwon_store::{JournalEntry, journal::JournalEntryKind};

use super::{place_names::PlaceNames, prelude::*};

/// Entries of a page.
const PAGE_ENTRIES: u64 = 50;
/// Faults that are listed.
const MAX_FAULTS: usize = 20;

#[derive(Debug, Deserialize)]
pub(super) struct JournalPageQuery {
    /// Show the entries up to this one.
    until: Option<u64>,
}

#[derive(Template)]
#[template(path = "journal.html")]
struct JournalView {
    frame: Frame,
    entries: Vec<EntryRow>,
    count: String,
    audit: Option<AuditText>,
    older: u64,
}

/// What an audit found, in words.
struct AuditText {
    is_sound: bool,
    summary: String,
    faults: Vec<String>,
    head: String,
}

/// One change, as a row shows it.
struct EntryRow {
    sequence: u64,
    at: TimeTag,
    actor: VisibleText,
    lesson: i64,
    /// The lesson's words; empty if it is no longer there.
    title: VisibleText,
    verb: &'static str,
    comment: VisibleText,
    hash: String,
}

pub(super) fn show_journal(
    visitor: &Visitor,
    Query(query): Query<JournalPageQuery>,
) -> Result<String> {
    render_journal(visitor, query.until, false)
}

/// Checks the whole journal. It changes nothing, but takes long enough to be asked for by a form.
pub(super) fn verify_journal(form: &PostedForm, _: ()) -> Result<Html<String>> {
    render_journal(&form.visitor, None, true).map(Html)
}

fn render_journal(visitor: &Visitor, until: Option<u64>, is_to_verify: bool) -> Result<String> {
    let desks = visitor.all_desks()?;
    let desk = desks.first().ok_or_else(ApiError::unauthorized)?;
    let count = desk.count_entries()?;
    let until = until.unwrap_or(count).min(count);
    let after = until.saturating_sub(PAGE_ENTRIES);
    let entries = desk.journal(after)?;
    let entries = entries.iter().take_while(|entry| entry.sequence <= until);
    let frame = Frame::gather(visitor, desk, View::Journal, &DoneQuery::default())?;
    let entries = entries.map(|entry| EntryRow::gather(visitor, (desk, &frame.names), entry));
    let mut entries: Vec<EntryRow> = entries.collect::<Result<_>>()?;
    entries.reverse();
    let audit = if is_to_verify {
        Some(AuditText::from(desk.audit_journal()?))
    } else {
        None
    };
    render(&JournalView {
        frame,
        entries,
        count: pluralize(count, "change"),
        audit,
        older: after,
    })
}

impl From<AuditReport> for AuditText {
    fn from(report: AuditReport) -> Self {
        Self {
            is_sound: report.is_sound(),
            summary: format!(
                "{} and {} checked",
                pluralize(report.head.sequence, "change"),
                pluralize(report.lessons, "lesson")
            ),
            faults: report.troubles().take(MAX_FAULTS).collect(),
            head: report.head.hash.to_string(),
        }
    }
}

impl EntryRow {
    fn gather(
        visitor: &Visitor,
        (desk, names): (&Desk<'_>, &PlaceNames),
        entry: &JournalEntry,
    ) -> Result<Self> {
        let body = &entry.body;
        let lesson = desk.lesson_if_visible(body.lesson)?;
        // Which run taught it again is no name that anybody knows.
        let is_run = body.kind == JournalEntryKind::Reinforce;
        let comment = body.comment.as_ref().filter(|_| !is_run);
        let comment_text =
            comment.map(|comment| comment.text().map_or("erased", CleanText::as_str));
        Ok(Self {
            sequence: entry.sequence,
            at: TimeTag(body.at),
            actor: VisibleText::line(&visitor.name_key(body.actor.0.as_str())?),
            lesson: body.lesson.0,
            title: lesson.as_ref().map(show_lesson_line).unwrap_or_default(),
            verb: body.kind.words(),
            comment: VisibleText::line(&names.shorten(comment_text.unwrap_or_default())),
            hash: entry.hash.to_string()[..12].to_owned(),
        })
    }
}
