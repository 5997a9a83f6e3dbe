//! What a delivery says: which lessons wait since when it was last said, and how many do.

use hardwon_api::v1::webhook::{HeldLesson, HeldLessonsReport};
use hardwon_core::{
    access::Principal,
    digest,
    id::LessonId,
    journal::{JournalEntry, JournalEntryKind},
    lesson::Status,
    scope::Scope,
};
use hardwon_engine::Desk;

use crate::{error::Result, state::AppState, webhook::Webhook};

/// Most lessons that a delivery names.
const NAMED: usize = 100;

/// A part of the journal, and what there is to say about it.
pub(super) struct HeldReport {
    /// The last entry.
    pub(super) end: u64,
    /// What is sent; `None` if no lesson waits because of it.
    pub(super) message: Option<Message>,
}

/// What is sent.
#[derive(Debug)]
pub(super) struct Message {
    /// The same each time it is sent.
    pub(super) id: String,
    pub(super) body: String,
}

/// Reads what is to be told; `None` if nothing has changed.
pub(super) fn write_report(state: &AppState, webhook: &Webhook) -> Result<Option<HeldReport>> {
    // What a person of the tenant sees, of which numbers and states alone are told.
    let scope = Scope {
        tenant: webhook.record.tenant.clone(),
        ..Scope::default()
    };
    let desk = state.engine.acting_as(Principal::person(scope));
    let mut entries = desk.journal(webhook.progress.told)?;
    let unsent = webhook.progress.unsent;
    entries.retain(|it| unsent.is_none_or(|end| it.sequence <= end));
    let Some(last) = entries.last() else {
        return Ok(None);
    };
    let held = find_held(&desk, &entries)?;
    let message = match held.is_empty() {
        true => None,
        false => Some(Message {
            id: name_message(webhook.record.tenant.as_str(), last.sequence),
            body: write_body(&desk, &held, last)?,
        }),
    };
    Ok(Some(HeldReport {
        end: last.sequence,
        message,
    }))
}

/// Finds the lessons whose state these entries changed, or which they added, and which wait now.
fn find_held(desk: &Desk<'_>, entries: &[JournalEntry]) -> Result<Vec<(LessonId, &'static str)>> {
    let is_about_state = |it: &&JournalEntry| {
        matches!(
            it.body.kind,
            JournalEntryKind::Add | JournalEntryKind::Status
        )
    };
    let changed = entries.iter().filter(is_about_state);
    let mut ids: Vec<LessonId> = changed.map(|it| it.body.lesson).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut held = Vec::new();
    for id in ids {
        if let Some(lesson) = desk.lesson_if_visible(id)?
            && matches!(
                lesson.status,
                Status::Pending { .. } | Status::Quarantined { .. }
            )
        {
            held.push((id, lesson.status.name()));
        }
    }
    Ok(held)
}

fn write_body(
    desk: &Desk<'_>,
    held: &[(LessonId, &'static str)],
    last: &JournalEntry,
) -> Result<String> {
    let census = desk.census()?;
    let waiting = census.iter().map(|(_, it)| it.pending + it.quarantined);
    let named = held.iter().take(NAMED).map(|(id, state)| HeldLesson {
        id: id.0,
        state,
        path: format!("/lessons/{}", id.0),
    });
    let report = HeldLessonsReport {
        kind: "lessons.held",
        timestamp: last.body.at.to_string(),
        lessons: named.collect(),
        more: held.len().saturating_sub(NAMED),
        waiting: waiting.sum(),
        path: "/review",
    };
    serde_json::to_string(&report).map_err(|error| crate::error::ApiError::internal(&error))
}

/// Names a delivery by the last entry that it tells of. Tenants are not named to those who see it pass.
fn name_message(tenant: &str, end: u64) -> String {
    let parts = [
        "hardwon webhook 1".as_bytes(),
        tenant.as_bytes(),
        &end.to_be_bytes(),
    ];
    format!("msg_{}", &digest::to_hex(&digest::hash_parts(parts))[..32])
}
