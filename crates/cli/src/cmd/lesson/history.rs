//! `hardwon lesson history`: which lesson replaced which, and what the journal says of one.

use hardwon_api::v1::journal::HistoryDto;
use hardwon_core::LessonId;
use hardwon_engine::{AccessError, Error, LineageLink};
use hardwon_store::{JournalEntry, journal::JournalEntryKind};

use crate::{Result, Settings, args::HistoryArgs, open, output, time};

pub(super) fn run(settings: &Settings, args: &HistoryArgs) -> Result<()> {
    let engine = open::open_reader(settings)?;
    let desk = engine.acting_as(settings.person());
    let id = super::parse_id(&args.id)?;
    // One that was erased still has a history.
    let lesson = match desk.lesson(id) {
        Err(Error::Denied(AccessError::NotFound(_))) => None,
        _ => Some(super::find_lesson(&desk, settings, &args.id)?),
    };
    let entries = desk.history(id)?;
    if entries.is_empty() {
        return Err(AccessError::NotFound(id).into());
    }
    let line = match lesson {
        Some(lesson) => desk.lineage(&lesson)?,
        None => Vec::new(),
    };
    if args.json {
        return output::print_json(&HistoryDto::from_lineage(id, &line, &entries));
    }
    output::print(&render_history(settings, id, &line, &entries))
}

fn render_history(
    settings: &Settings,
    id: LessonId,
    line: &[LineageLink],
    entries: &[JournalEntry],
) -> String {
    let mut text = String::new();
    for link in line.iter().filter(|_| line.len() > 1) {
        text += &format!("{}\n", super::render_row(&link.lesson));
        if let Some(entry) = &link.retired_by {
            text += &format!("  {}\n", render_change(settings, entry));
        }
    }
    if line.len() > 1 {
        text.push('\n');
    }
    match line.iter().find(|link| link.lesson.id == id) {
        Some(link) => text.push_str(&format!("changes of {}\n", super::render_row(&link.lesson))),
        None => text.push_str(&format!("changes of {id}, which was erased\n")),
    }
    let is_outcome = |entry: &&JournalEntry| entry.body.kind == JournalEntryKind::Credit;
    let (outcomes, changes): (Vec<_>, Vec<_>) = entries.iter().partition(is_outcome);
    for entry in changes {
        text += &format!("  {}\n", render_change(settings, entry));
    }
    if !outcomes.is_empty() {
        let count = output::pluralize(outcomes.len() as u64, "outcome");
        text += &format!("and {count}: `hardwon effect {}`\n", id.0);
    }
    text
}

/// Tells one change: when, by whom, what, and what there is to say about it.
fn render_change(settings: &Settings, entry: &JournalEntry) -> String {
    let change = &entry.body;
    let remark = match &change.comment {
        Some(remark) => remark
            .text()
            .map_or_else(|| " (erased)".to_owned(), |text| format!(": {text}")),
        None => String::new(),
    };
    let actor = crate::cmd::name_key(settings, change.actor.0.as_str());
    let time = time::format_local(change.at);
    output::to_one_line(&format!("{time} {actor} {}{remark}", change.kind.words()))
}
