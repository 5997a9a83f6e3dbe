//! Sweeps: what the last ones did and why, a button that takes one back, the plans that are kept, and a look for
//! another.

use askama::Template;
use axum::{
    Router,
    extract::{Path, Query},
    response::Response,
};
use hardwon_core::{id::LessonId, plan::PlanId};
use hardwon_engine::{
    Desk,
    sweep::{KeptPlan, SweepRecord, SweptFate, SweptLesson},
};
use jiff::Timestamp;
use serde::Deserialize;

use super::{
    error::render,
    form::PostedForm,
    frame::{Frame, Notice, PlaceChoices, PlaceQuery, View},
    send_on,
    text::{TimeTag, VisibleText, format_count, pluralize},
    view::{show, take},
    visitor::Visitor,
};
use crate::{
    error::{ApiError, Result},
    state::SharedState,
    sweeps::{list_newest_first, not_found},
    workers::WorkKind,
};

#[derive(Debug, Deserialize)]
struct SweepsQuery {
    done: Option<String>,
}

#[derive(Template)]
#[template(path = "sweeps.html")]
struct SweepsView {
    frame: Frame,
    places: PlaceChoices,
    has_model: bool,
    last: Option<TimeTag>,
    plans: Vec<KeptPlanLine>,
    rows: Vec<SweepLine>,
}

struct KeptPlanLine {
    id: String,
    made: TimeTag,
    actor: VisibleText,
    items: String,
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
    id: i64,
    title: VisibleText,
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

fn list_sweeps(visitor: &Visitor, Query(query): Query<SweepsQuery>) -> Result<String> {
    visitor.check_may_curate()?;
    let desks = visitor.all_desks()?;
    let first = desks.first().ok_or_else(ApiError::unauthorized)?;
    let sweeps = list_newest_first(&desks, Desk::sweeps, |sweep| sweep.at)?;
    let plans = list_newest_first(&desks, Desk::kept_plans, |plan| plan.at)?;
    render(&SweepsView {
        frame: Frame::gather(visitor, first, View::Sweeps, query.done.as_deref())?,
        places: PlaceQuery::default().choices(first)?,
        has_model: visitor.state.group_model.is_some(),
        last: first.last_sweep()?.map(TimeTag),
        plans: plans.iter().map(KeptPlanLine::from).collect(),
        rows: sweeps.iter().map(SweepLine::from).collect(),
    })
}

fn show_sweep(
    visitor: &Visitor,
    (Path(id), Query(query)): (Path<String>, Query<SweepsQuery>),
) -> Result<String> {
    let id = parse_plan_id(&id)?;
    visitor.check_may_curate()?;
    let (desk, record) = visitor.find_for_some(|desk| desk.sweep(&id))?;
    let frame = Frame::gather(visitor, &desk, View::Sweeps, query.done.as_deref())?;
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
    check_sure(form)?;
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

/// Checks that a person ticked what a form asks twice.
pub(super) fn check_sure(form: &PostedForm) -> Result<()> {
    if form.fields.is_checked("sure") {
        Ok(())
    } else {
        Err(ApiError::bad_request("tick that you are sure"))
    }
}

/// Parses the name of a sweep or of a plan in a path.
pub(super) fn parse_plan_id(id: &str) -> Result<PlanId> {
    PlanId::parse(id).ok_or_else(not_found)
}

/// Returns the moment that a record names in milliseconds.
pub(super) fn tag_millis(millis: i64) -> TimeTag {
    TimeTag(Timestamp::from_millisecond(millis).unwrap_or_default())
}

impl From<&KeptPlan> for KeptPlanLine {
    fn from(plan: &KeptPlan) -> Self {
        Self {
            id: plan.id.clone(),
            made: tag_millis(plan.at),
            actor: VisibleText::line(&plan.actor),
            items: pluralize(plan.items as u64, "item"),
        }
    }
}

impl From<&SweepRecord> for SweepLine {
    fn from(record: &SweepRecord) -> Self {
        Self {
            id: record.id.clone(),
            at: tag_millis(record.at),
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
        Ok(Self {
            id: swept.lesson.0,
            title: find_title(desk, swept.lesson)?,
            what,
            by,
            why: VisibleText::line(&why),
        })
    }
}

/// Returns the title of a lesson; nothing of one that was erased.
fn find_title(desk: &Desk<'_>, id: LessonId) -> Result<VisibleText> {
    let lesson = desk.lesson_if_visible(id)?;
    let title = lesson.map(|lesson| VisibleText::line(lesson.content.title.as_str()));
    Ok(title.unwrap_or_default())
}
