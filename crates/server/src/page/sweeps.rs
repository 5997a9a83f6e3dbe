//! Sweeps: what the last ones did and why, and a button that takes one back. Plans are made and applied elsewhere.

use askama::Template;
use axum::{
    Router,
    extract::{Path, Query},
    response::Response,
};
use hardwon_core::plan::PlanId;
use hardwon_engine::{
    Desk,
    sweep::{SweepRecord, SweptFate, SweptLesson},
};
use jiff::Timestamp;

use super::{
    error::render,
    form::PostedForm,
    frame::{DoneQuery, Frame, Notice, View},
    recalls::LessonLink,
    send_on,
    text::{TimeTag, VisibleText, format_count},
    view::{show, take},
    visitor::Visitor,
};
use crate::{
    error::{ApiError, Result},
    state::SharedState,
    sweeps::{list_newest_first, not_found},
    workers::WorkKind,
};

#[derive(Template)]
#[template(path = "sweeps.html")]
struct SweepsView {
    frame: Frame,
    last: Option<TimeTag>,
    rows: Vec<SweepLine>,
}

struct SweepLine {
    id: String,
    at: TimeTag,
    actor: VisibleText,
    retired: String,
    added: String,
    is_undone: bool,
}

#[derive(Template)]
#[template(path = "sweep.html")]
struct SweepView {
    frame: Frame,
    sweep: SweepLine,
    rows: Vec<SweptRow>,
}

/// What became of a lesson.
struct SweptRow {
    lesson: LessonLink,
    what: &'static str,
    by: i64,
    why: VisibleText,
}

pub(super) fn routes() -> Router<SharedState> {
    Router::new()
        .route("/sweeps", show(list_sweeps))
        .route("/sweeps/{id}", show(show_sweep))
        .route("/sweeps/{id}/undo", take(WorkKind::Write, undo_sweep))
}

fn list_sweeps(visitor: &Visitor, Query(query): Query<DoneQuery>) -> Result<String> {
    visitor.check_may_curate()?;
    let desks = visitor.all_desks()?;
    let first = desks.first().ok_or_else(ApiError::unauthorized)?;
    let sweeps = list_newest_first(&desks, Desk::sweeps, |sweep| sweep.at)?;
    render(&SweepsView {
        frame: Frame::gather(visitor, first, View::Sweeps, &query)?,
        last: first.last_sweep()?.map(TimeTag),
        rows: sweeps.iter().map(SweepLine::from).collect(),
    })
}

fn show_sweep(
    visitor: &Visitor,
    (Path(id), Query(query)): (Path<String>, Query<DoneQuery>),
) -> Result<String> {
    let id = parse_plan_id(&id)?;
    visitor.check_may_curate()?;
    let (desk, record) = visitor.find_for_some(|desk| desk.sweep(&id))?;
    let frame = Frame::gather(visitor, &desk, View::Sweeps, &query)?;
    let swept = record.swept_lessons().into_iter();
    let rows = swept.map(|swept| SweptRow::gather(&desk, swept));
    render(&SweepView {
        frame: frame.with_title(format!("Sweep {id}")),
        sweep: SweepLine::from(&record),
        rows: rows.collect::<Result<_>>()?,
    })
}

fn undo_sweep(form: &PostedForm, Path(id): Path<String>) -> Result<Response> {
    let id = parse_plan_id(&id)?;
    if !form.fields.is_checked("sure") {
        return Err(ApiError::bad_request("tick that you are sure"));
    }
    let visitor = &form.visitor;
    visitor.check_may_curate()?;
    let (_, undone) = visitor.find_for_some(|desk| desk.undo_sweep(&id))?;
    let notice = if undone.left.is_empty() {
        Notice::TakenBack
    } else {
        Notice::PartlyTakenBack
    };
    let id = undone.id;
    Ok(send_on(&format!("/sweeps/{id}?done={}", notice.name())))
}

/// Parses the name of a sweep in a path.
fn parse_plan_id(id: &str) -> Result<PlanId> {
    PlanId::parse(id).ok_or_else(not_found)
}

impl From<&SweepRecord> for SweepLine {
    fn from(record: &SweepRecord) -> Self {
        Self {
            id: record.id.clone(),
            at: TimeTag(Timestamp::from_millisecond(record.at).unwrap_or_default()),
            actor: VisibleText::line(&record.actor),
            retired: format_count(record.retired as u64),
            added: format_count(record.added as u64),
            is_undone: record.is_undone,
        }
    }
}

impl SweptRow {
    fn gather(desk: &Desk<'_>, swept: SweptLesson) -> Result<Self> {
        let (what, by, why) = match swept.fate {
            SweptFate::Added => ("was added", 0, String::new()),
            SweptFate::Superseded { by, why } => ("is told by", by.0, why),
            SweptFate::Held { why } => ("waits for review", 0, why),
            SweptFate::Archived { why } => ("was archived", 0, why),
        };
        let lesson = desk.lesson_if_visible(swept.lesson)?;
        Ok(Self {
            lesson: LessonLink::new(swept.lesson.0, lesson.as_ref()),
            what,
            by,
            why: VisibleText::line(&why),
        })
    }
}
