//! One lesson: what it says, how it fared, where it came from and what became of it; and the forms that change it.

use askama::Template;
use axum::{
    Router,
    extract::{Path, Query},
    response::Response,
};
use hardwon_core::{
    journal::{JournalEntry, JournalEntryKind},
    lesson::{Lesson, Status, TrialVerdict, TriggerEdit},
    text::RawText,
    trigger,
};
use hardwon_engine::{Desk, LessonEdit, LessonStanding};
use serde::Deserialize;

use super::{
    error::render,
    form::{FormFields, PostedForm, parse_lesson_id},
    frame::{Frame, Notice, View},
    journal::EntryRow,
    send_on,
    text::{
        TimeTag, VisibleText, describe_scope, describe_source, describe_status, format_count,
        format_effect,
    },
    view::{show, take},
    visitor::Visitor,
};
use crate::{
    api_key::Capability,
    error::{ApiError, Result},
    state::SharedState,
    workers::WorkKind,
};

/// Newest entries of a history that are listed.
const HISTORY_ROWS: usize = 50;

/// The words of a lesson and what is said of it, as a card shows them.
pub(super) struct LessonCard {
    pub(super) id: i64,
    pub(super) title: VisibleText,
    /// Whether the title says something else than the words.
    pub(super) has_own_title: bool,
    pub(super) signature: VisibleText,
    pub(super) text: VisibleText,
    pub(super) situation: VisibleText,
    pub(super) mistake: VisibleText,
    pub(super) tags: VisibleText,
    pub(super) tools: VisibleText,
    pub(super) comes_up: VisibleText,
    pub(super) place: VisibleText,
    pub(super) source: &'static str,
    pub(super) status: &'static str,
    pub(super) why: VisibleText,
    pub(super) created: TimeTag,
    pub(super) evidence: Vec<EvidenceLine>,
    pub(super) edit: EditFields,
    /// Whether it waits for a person.
    pub(super) is_waiting: bool,
    /// Whether it left for good.
    pub(super) is_retired: bool,
}

/// One source of a lesson.
pub(super) struct EvidenceLine {
    pub(super) kind: &'static str,
    pub(super) reference: VisibleText,
    pub(super) note: VisibleText,
}

/// What the form to edit a lesson holds at first.
pub(super) struct EditFields {
    pub(super) signature: VisibleText,
    pub(super) text: VisibleText,
    pub(super) tags: VisibleText,
}

impl From<&Lesson> for LessonCard {
    fn from(lesson: &Lesson) -> Self {
        let content = &lesson.content;
        let join_texts = |all: &[hardwon_core::text::CleanText]| {
            all.iter()
                .map(|text| text.as_str())
                .collect::<Vec<_>>()
                .join(", ")
        };
        let show = |text: Option<&hardwon_core::text::CleanText>| {
            text.map(|text| VisibleText::new(text.as_str()))
                .unwrap_or_default()
        };
        let reason = hardwon_engine::status_reason(&lesson.status).unwrap_or_default();
        Self {
            id: lesson.id.0,
            title: VisibleText::line(content.title.as_str()),
            has_own_title: content.title != content.text,
            signature: VisibleText::new(content.signature.as_str()),
            text: VisibleText::new(content.text.as_str()),
            situation: show(content.situation.as_ref()),
            mistake: show(content.mistake.as_ref()),
            tags: VisibleText::line(&join_texts(&content.tags)),
            tools: VisibleText::line(&join_texts(&content.tools)),
            comes_up: VisibleText::line(&trigger::describe_moments(lesson).join("; ")),
            place: describe_scope(&lesson.scope),
            source: describe_source(lesson),
            status: describe_status(lesson.status.name()),
            why: VisibleText::new(&reason),
            created: TimeTag(lesson.created),
            evidence: lesson.evidence.iter().map(EvidenceLine::from).collect(),
            edit: EditFields {
                signature: VisibleText::to_edit(content.signature.as_str()),
                text: VisibleText::to_edit(content.text.as_str()),
                tags: VisibleText::to_edit(&join_texts(&content.tags)),
            },
            is_waiting: matches!(
                lesson.status,
                Status::Pending { .. } | Status::Quarantined { .. }
            ),
            is_retired: lesson.status.is_retired(),
        }
    }
}

impl From<&hardwon_core::evidence::Evidence> for EvidenceLine {
    fn from(evidence: &hardwon_core::evidence::Evidence) -> Self {
        Self {
            kind: evidence.kind.name(),
            reference: VisibleText::line(evidence.reference.as_str()),
            note: evidence
                .note
                .as_ref()
                .map(|note| VisibleText::line(note.as_str()))
                .unwrap_or_default(),
        }
    }
}

#[derive(Debug, Deserialize)]
struct LessonPageQuery {
    done: Option<String>,
}

#[derive(Template)]
#[template(path = "lesson.html")]
struct LessonView {
    frame: Frame,
    lesson: LessonCard,
    facts: Vec<(&'static str, String)>,
    last_shown: Option<TimeTag>,
    expires: Option<TimeTag>,
    lineage: Vec<LineageRow>,
    history: Vec<EntryRow>,
    credited: usize,
    may_curate: bool,
    may_erase: bool,
}

/// One lesson of those that replaced one another.
struct LineageRow {
    id: i64,
    title: VisibleText,
    status: &'static str,
    is_this: bool,
}

pub(super) fn routes() -> Router<SharedState> {
    Router::new()
        .route("/lessons/{id}", show(show_lesson))
        .route(
            "/lessons/{id}/approve",
            take(WorkKind::Write, approve_lesson),
        )
        .route("/lessons/{id}/revise", take(WorkKind::Write, revise_lesson))
        .route("/lessons/{id}/reject", take(WorkKind::Write, reject_lesson))
        .route("/lessons/{id}/erase", take(WorkKind::Write, erase_lesson))
}

fn show_lesson(
    visitor: &Visitor,
    (Path(id), Query(query)): (Path<String>, Query<LessonPageQuery>),
) -> Result<String> {
    let id = parse_lesson_id(&id)?;
    let (desk, lesson) = visitor.find_for_some(|desk| desk.lesson(id))?;
    let may_curate = visitor.may_curate();
    let history = if may_curate {
        desk.history(id)?
    } else {
        Vec::new()
    };
    let measured = desk.measure_effects(Some(id))?;
    let frame = Frame::gather(visitor, &desk, View::Lessons, query.done.as_deref())?;
    let is_outcome = |it: &JournalEntry| it.body.kind == JournalEntryKind::Credit;
    let (credited, history): (Vec<_>, Vec<_>) = history.into_iter().partition(is_outcome);
    render(&LessonView {
        frame: frame.with_title(format!("Lesson {id}")),
        credited: credited.len(),
        facts: list_facts(&lesson, measured.lessons.first()),
        last_shown: lesson.counts.last_shown.map(TimeTag),
        expires: lesson.expires_at.map(TimeTag),
        lineage: list_lineage(&desk, &lesson)?,
        history: list_history(&history),
        lesson: LessonCard::from(&lesson),
        may_curate,
        may_erase: visitor.may(Capability::Erase),
    })
}

/// Lists what is known of how a lesson fared.
fn list_facts(lesson: &Lesson, standing: Option<&LessonStanding>) -> Vec<(&'static str, String)> {
    let counts = &lesson.counts;
    let effect = standing.map(|standing| match (standing.verdict(), standing.effect) {
        (TrialVerdict::TooEarly { controls, needed }, _) => {
            format!("no telling yet: {controls} of about {needed} occasions without it")
        }
        (_, Some(effect)) => format!("{} points", format_effect(effect)),
        (_, None) => String::new(),
    });
    vec![
        ("Shown", format_count(counts.shown)),
        ("Speaks for it", format_count(counts.helped)),
        ("Speaks against it", format_count(counts.harmed)),
        ("Occasions that went well", format_count(counts.went_well)),
        ("Occasions that went badly", format_count(counts.went_badly)),
        ("Effect on its occasions", effect.unwrap_or_default()),
    ]
}

fn list_lineage(desk: &Desk<'_>, lesson: &Lesson) -> Result<Vec<LineageRow>> {
    let line = desk.lineage(lesson)?;
    let rows = line
        .into_iter()
        .map(|line| desk.principal().hide_inactive_words(line.lesson));
    let rows = rows.map(|row| LineageRow {
        id: row.id.0,
        title: VisibleText::line(row.content.title.as_str()),
        status: describe_status(row.status.name()),
        is_this: row.id == lesson.id,
    });
    Ok(rows.collect::<Vec<_>>()).map(|rows| if rows.len() > 1 { rows } else { Vec::new() })
}

fn list_history(entries: &[JournalEntry]) -> Vec<EntryRow> {
    entries
        .iter()
        .rev()
        .take(HISTORY_ROWS)
        .map(EntryRow::from)
        .collect()
}

/// Carries out what a form says about a lesson, and leads back to the queue, or to the lesson.
fn change_lesson(
    form: &PostedForm,
    id: &str,
    change: impl FnOnce(&Desk<'_>, &Lesson, &FormFields) -> Result<Notice>,
) -> Result<Response> {
    let id = parse_lesson_id(id)?;
    let (desk, lesson) = form.visitor.find_for_some(|desk| desk.lesson(id))?;
    let deed = change(&desk, &lesson, &form.fields)?.name();
    Ok(send_on(&match form.fields.text("back") {
        "review" => format!("/review?done={deed}"),
        _ => format!("/lessons/{}?done={deed}", id.0),
    }))
}

fn approve_lesson(form: &PostedForm, Path(id): Path<String>) -> Result<Response> {
    change_lesson(form, &id, |desk, lesson, _| {
        desk.approve_lesson(lesson.id, None)?;
        Ok(Notice::Approved)
    })
}

/// Saves new words, and approves them as well if the button said so.
fn revise_lesson(form: &PostedForm, Path(id): Path<String>) -> Result<Response> {
    change_lesson(form, &id, |desk, lesson, fields| {
        let text = fields.required("text", "a lesson needs words: say what to do or avoid")?;
        let edit = LessonEdit {
            signature: Some(RawText::from(fields.text("signature"))),
            text: Some(RawText::from(&*text.replace("\r\n", "\n"))),
            tags: Some(fields.list("tags").map(RawText::from).collect()),
            hold: None,
            triggers: TriggerEdit::default(),
        };
        match fields.text("then") {
            "approve" => {
                desk.revise_and_approve_lesson(lesson.id, &edit)?;
                Ok(Notice::Approved)
            }
            _ => {
                desk.revise_lesson(lesson.id, &edit)?;
                Ok(Notice::Revised)
            }
        }
    })
}

/// Takes a lesson out of use, whether it waited or not.
fn reject_lesson(form: &PostedForm, Path(id): Path<String>) -> Result<Response> {
    change_lesson(form, &id, |desk, lesson, fields| {
        let reason = fields.required("why", "say why, for whoever looks at it later")?;
        desk.archive_lesson(lesson.id, &RawText::from(reason))?;
        Ok(match lesson.status {
            Status::Active => Notice::Archived,
            _ => Notice::Rejected,
        })
    })
}

fn erase_lesson(form: &PostedForm, Path(id): Path<String>) -> Result<Response> {
    let id = parse_lesson_id(&id)?;
    if !form.fields.is_checked("sure") {
        let message = "tick the box first: nothing brings an erased lesson back";
        return Err(ApiError::bad_request(message));
    }
    let (desk, _) = form.visitor.find_for_some(|desk| desk.lesson(id))?;
    desk.erase_lesson(id)?;
    Ok(send_on(&format!("/lessons?done={}", Notice::Erased.name())))
}
