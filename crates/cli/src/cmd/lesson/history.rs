//! `hardwon lesson history`: which lesson replaced which, and what the journal says of one.

use hardwon_core::{
    id::LessonId,
    journal::{JournalEntry, JournalEntryKind},
    lesson::{Lesson, Status},
};
use hardwon_engine::{AccessError, Desk, Error};
use serde::Serialize;

use crate::{args::HistoryArgs, config::Settings, error::Failure, open, output, when};

pub(super) fn run(settings: &Settings, args: &HistoryArgs) -> Result<(), Failure> {
    let engine = open::reader(settings)?;
    let desk = engine.acting_as(settings.person());
    let id = super::number(&args.id)?;
    // One that was erased still has a history.
    let lesson = match desk.lesson(id) {
        Err(Error::Denied(AccessError::NotFound(_))) => None,
        _ => Some(super::find(&desk, settings, &args.id)?),
    };
    let entries = desk.history(id)?;
    if entries.is_empty() {
        return Err(AccessError::NotFound(id).into());
    }
    let line = match lesson {
        Some(lesson) => line(&desk, &lesson)?,
        None => Vec::new(),
    };
    if args.json {
        return output::json(&Dto {
            id: id.0,
            lineage: line.iter().map(LinkDto::from).collect(),
            changes: entries.iter().map(ChangeDto::from).collect(),
        });
    }
    output::print(&told(id, &line, &entries))
}

/// One lesson of a line of successors, and how it came to step back.
struct Link {
    lesson: Lesson,
    stepped_back: Option<JournalEntry>,
}

fn line(desk: &Desk<'_>, lesson: &Lesson) -> Result<Vec<Link>, Failure> {
    let mut line = Vec::new();
    for lesson in desk.lineage(lesson)? {
        let mut stepped_back = None;
        if matches!(lesson.status, Status::Superseded { .. }) {
            let entries = desk.history(lesson.id)?;
            let mut newest = entries.into_iter().rev();
            stepped_back = newest.find(|it| it.body.kind == JournalEntryKind::Status);
        }
        line.push(Link {
            lesson,
            stepped_back,
        });
    }
    Ok(line)
}

fn told(id: LessonId, line: &[Link], entries: &[JournalEntry]) -> String {
    let mut text = String::new();
    for link in line.iter().filter(|_| line.len() > 1) {
        text.push_str(&format!("{}\n", super::row(&link.lesson)));
        if let Some(entry) = &link.stepped_back {
            text.push_str(&format!("  {}\n", sentence(entry)));
        }
    }
    if line.len() > 1 {
        text.push('\n');
    }
    match line.iter().find(|link| link.lesson.id == id) {
        Some(link) => text.push_str(&format!("changes of {}\n", super::row(&link.lesson))),
        None => text.push_str(&format!("changes of {id}, which was deleted\n")),
    }
    for entry in entries {
        text.push_str(&format!("  {}\n", sentence(entry)));
    }
    text
}

/// Tells one change: when, by whom, what, and what there is to say about it.
fn sentence(entry: &JournalEntry) -> String {
    let deed = &entry.body;
    let remark = deed.comment.as_ref();
    let said = remark.and_then(|it| it.text());
    let what = match (deed.kind, said) {
        (JournalEntryKind::Status, Some(said)) => format!("made it {said}"),
        (JournalEntryKind::Move, Some(place)) => format!("moved it to {place}"),
        (JournalEntryKind::Contradict, Some(other)) => {
            format!("marked it as contradicted by {other}")
        }
        (kind, Some(said)) => format!("{}: {said}", verb(kind)),
        (kind, None) if remark.is_some() => format!("{} (erased)", verb(kind)),
        (kind, None) => verb(kind).to_owned(),
    };
    let (time, actor) = (when::local(deed.at), &deed.actor.0);
    output::one_line(&format!("{time} {actor} {what}"))
}

fn verb(kind: JournalEntryKind) -> &'static str {
    match kind {
        JournalEntryKind::Add => "added it",
        JournalEntryKind::Reinforce => "reinforced it",
        JournalEntryKind::Vouch => "vouched for it",
        JournalEntryKind::Revise => "edited it",
        JournalEntryKind::Amend => "amended what is said about it",
        JournalEntryKind::Status => "changed its state",
        JournalEntryKind::Contradict => "marked it as contradicted",
        JournalEntryKind::Move => "moved it",
        JournalEntryKind::Credit => "counted an outcome",
        JournalEntryKind::Delete => "deleted it",
    }
}

/// A lesson's history as JSON shows it.
#[derive(Debug, Serialize)]
struct Dto<'a> {
    id: i64,
    lineage: Vec<LinkDto<'a>>,
    changes: Vec<ChangeDto<'a>>,
}

/// One lesson of a line of successors, as JSON shows it.
#[derive(Debug, Serialize)]
struct LinkDto<'a> {
    id: i64,
    title: &'a str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    superseded_by: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stepped_back: Option<ChangeDto<'a>>,
}

/// One change as JSON shows it.
#[derive(Debug, Serialize)]
struct ChangeDto<'a> {
    sequence: u64,
    at: String,
    kind: &'static str,
    actor: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    remark: Option<&'a str>,
}

impl<'a> From<&'a Link> for LinkDto<'a> {
    fn from(link: &'a Link) -> Self {
        Self {
            id: link.lesson.id.0,
            title: link.lesson.content.title.as_str(),
            status: link.lesson.status.name(),
            superseded_by: match link.lesson.status {
                Status::Superseded { by } => Some(by.0),
                _ => None,
            },
            stepped_back: link.stepped_back.as_ref().map(ChangeDto::from),
        }
    }
}

impl<'a> From<&'a JournalEntry> for ChangeDto<'a> {
    fn from(entry: &'a JournalEntry) -> Self {
        let remark = entry.body.comment.as_ref();
        Self {
            sequence: entry.sequence,
            at: entry.body.at.to_string(),
            kind: entry.body.kind.name(),
            actor: entry.body.actor.0.as_str(),
            remark: remark.and_then(|it| it.text()).map(|it| it.as_str()),
        }
    }
}
