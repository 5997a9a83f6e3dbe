//! The plan of a sweep: a form that makes one, its items with the words of the lessons, and a form that applies it.

use askama::Template;
use axum::{
    Router,
    extract::{Path, Query},
    response::Response,
};
use hardwon_api::v1::sweep::SweepPlanDto;
use hardwon_core::{
    id::LessonId,
    lesson::LessonContent,
    sweep::{SweepItem, render_digest},
};
use hardwon_engine::sweep::{KeptPlan, PlannedSweep};
use serde::Deserialize;

use super::{
    error::render,
    form::PostedForm,
    frame::{Frame, Notice, PlaceQuery, View},
    send_on,
    sweeps::{check_sure, parse_plan_id, tag_millis},
    text::{TimeTag, VisibleText, pluralize},
    view::{show, take},
    visitor::Visitor,
};
use crate::{
    error::{ApiError, Result},
    state::SharedState,
    sweeps::{self, SweepLook},
    workers::WorkKind,
};

/// Items of a page.
const PAGE_ITEMS: usize = 25;

#[derive(Debug, Deserialize)]
struct PlanQuery {
    /// How many items are on the pages before.
    #[serde(default)]
    from: usize,
}

#[derive(Template)]
#[template(path = "sweep_plan.html")]
struct PlanView {
    frame: Frame,
    id: String,
    made: TimeTag,
    actor: VisibleText,
    summary: VisibleText,
    first: usize,
    last: usize,
    count: usize,
    items: Vec<ItemCard>,
    refused: Vec<RefusedLine>,
}

/// One thing that would be done.
struct ItemCard {
    title: &'static str,
    lessons: Vec<ItemLesson>,
    why: VisibleText,
}

/// A lesson of an item.
struct ItemLesson {
    /// Its number; 0 for one that would be added.
    id: i64,
    what: &'static str,
    signature: VisibleText,
    text: VisibleText,
}

/// A group that stays as it is.
struct RefusedLine {
    members: Vec<i64>,
    why: VisibleText,
}

pub(super) fn routes() -> Router<SharedState> {
    Router::new()
        .route("/sweeps/plans", take(WorkKind::Learn, make_plan))
        .route("/sweeps/plans/{id}", show(show_plan))
        .route(
            "/sweeps/plans/{id}/apply",
            take(WorkKind::Write, apply_plan),
        )
}

/// Looks, and leads to the plan. It changes no lesson, but takes long enough, and may cost enough, to be asked for by a
/// form.
fn make_plan(form: &PostedForm, _: ()) -> Result<Response> {
    let place = PlaceQuery {
        agent: form.fields.text("agent").to_owned(),
        project: form.fields.text("project").to_owned(),
    };
    let scope = place.parse()?;
    form.visitor.check_may_curate()?;
    let desk = form.visitor.desk(&scope)?;
    let look = SweepLook {
        within: place.within(&desk),
        asks_model: form.fields.is_checked("model"),
        is_unattended: false,
    };
    let plan = sweeps::look(&form.visitor.state, &desk, &look)?;
    if sweeps::keep(&desk, &plan)? {
        return Ok(send_on(&format!("/sweeps/plans/{}", plan.plan.id())));
    }
    if plan.plan.items.is_empty() {
        let nothing = Notice::NothingToSweep.name();
        return Ok(send_on(&format!("/sweeps?done={nothing}")));
    }
    let message = "this plan is too long to be kept: look at one project at a time";
    Err(ApiError::refused(message))
}

fn show_plan(
    visitor: &Visitor,
    (Path(id), Query(query)): (Path<String>, Query<PlanQuery>),
) -> Result<String> {
    let id = parse_plan_id(&id)?;
    visitor.check_may_curate()?;
    let (desk, kept) = visitor.find_for_some(|desk| desk.kept_plan(&id))?;
    let plan = sweeps::read_kept(&kept)?;
    let kept_plan = sweeps::open_kept(&desk, &plan)?;
    let frame = Frame::gather(visitor, &desk, View::Sweeps, None)?;
    let frame = frame.with_title(format!("Plan {id}"));
    render(&PlanView::new(frame, &kept, &plan, &kept_plan, query.from))
}

fn apply_plan(form: &PostedForm, Path(id): Path<String>) -> Result<Response> {
    let id = parse_plan_id(&id)?;
    check_sure(form)?;
    let visitor = &form.visitor;
    visitor.check_may_curate()?;
    let (desk, kept) = visitor.find_for_some(|desk| desk.kept_plan(&id))?;
    let (plan, within) = sweeps::read_plan(&desk, &sweeps::read_kept(&kept)?)?;
    let sweep = desk.apply_sweep(&plan, &within, None)?;
    let notice = match (sweep.retired.is_empty(), sweep.left_out.first()) {
        (true, Some((_, why))) => {
            let message = format!("nothing of the plan could be done: {why}");
            return Err(ApiError::refused(message));
        }
        (_, Some(_)) => Notice::PartlySwept,
        (_, None) => Notice::Swept,
    };
    let id = sweep.id;
    Ok(send_on(&format!("/sweeps/{id}?done={}", notice.name())))
}

impl PlanView {
    fn new(
        frame: Frame,
        kept: &KeptPlan,
        plan: &SweepPlanDto,
        planned: &PlannedSweep,
        from: usize,
    ) -> Self {
        let count = planned.plan.items.len();
        let items = planned.plan.items.iter().skip(from).take(PAGE_ITEMS);
        let items: Vec<ItemCard> = items.map(|item| ItemCard::new(item, planned)).collect();
        let refusals = plan.refused.iter().map(|refusal| RefusedLine {
            members: refusal.members.clone(),
            why: VisibleText::line(&refusal.why),
        });
        Self {
            frame,
            id: kept.id.clone(),
            made: tag_millis(kept.at),
            actor: VisibleText::line(&kept.actor),
            summary: summarise(plan, planned),
            first: from + 1,
            last: from + items.len(),
            count,
            items,
            refused: refusals.take(PAGE_ITEMS).collect(),
        }
    }
}

/// Returns the sentence about the whole plan that its digest has, and what the digest cannot know of a plan that was
/// kept.
fn summarise(plan: &SweepPlanDto, planned: &PlannedSweep) -> VisibleText {
    let digest = render_digest(&planned.plan, &planned.lessons);
    let mut summary = digest.lines().nth(2).unwrap_or_default().to_owned();
    match (&*plan.model, &plan.model_error) {
        ("asked", _) => summary.push_str(" The model has named groups and worded them anew."),
        ("away", Some(why)) => {
            summary.push_str(&format!(
                " The model was away ({why}), so nothing was merged by meaning."
            ));
        }
        _ => {}
    }
    if plan.left_for_person > 0 {
        let left = pluralize(plan.left_for_person as u64, "more item");
        summary.push_str(&format!(
            " {left} would take out what a person wrote: look by hand to see them."
        ));
    }
    VisibleText::new(&summary)
}

impl ItemCard {
    fn new(item: &SweepItem, planned: &PlannedSweep) -> Self {
        let of = |id: &LessonId, what| ItemLesson::find(planned, *id, what);
        let all = |ids: &[LessonId], what| ids.iter().map(|id| of(id, what)).collect::<Vec<_>>();
        let (title, lessons, why) = match item {
            SweepItem::Merge { members, content } => {
                let mut lessons = vec![ItemLesson::new(0, "new", content)];
                lessons.extend(all(members, "is told by it"));
                ("Tell as one, in new words", lessons, "")
            }
            SweepItem::Propose { members, content } => {
                let mut lessons = vec![ItemLesson::new(0, "waits for a person", content)];
                lessons.extend(all(members, "stays"));
                ("Propose to tell as one", lessons, "")
            }
            SweepItem::Contradict { one, other } => {
                let lessons = vec![of(one, "stays"), of(other, "stays")];
                (
                    "Not both can hold",
                    lessons,
                    "one warns of what the other advises",
                )
            }
            SweepItem::Absorb { survivor, members } => {
                let mut lessons = vec![of(survivor, "stays")];
                lessons.extend(all(members, "is told by it"));
                ("Tell as one", lessons, "")
            }
            SweepItem::Supersede { old, by, why } => {
                let lessons = vec![of(by, "stays"), of(old, "is replaced")];
                ("Replace", lessons, why.as_str())
            }
            SweepItem::Hold { lesson, why } => (
                "Hold for review",
                vec![of(lesson, "waits for a person")],
                why.as_str(),
            ),
            SweepItem::Archive { lesson, why } => {
                ("Archive", vec![of(lesson, "leaves")], why.as_str())
            }
        };
        Self {
            title,
            lessons,
            why: VisibleText::new(why),
        }
    }
}

impl ItemLesson {
    fn new(id: i64, what: &'static str, content: &LessonContent) -> Self {
        Self {
            id,
            what,
            signature: VisibleText::line(content.signature.as_str()),
            text: VisibleText::new(content.text.as_str()),
        }
    }

    /// Finds a lesson of a plan; of one that is not there any more its number is shown.
    fn find(planned: &PlannedSweep, id: LessonId, what: &'static str) -> Self {
        match planned.lessons.get(&id) {
            Some(lesson) => Self::new(id.0, what, &lesson.content),
            None => Self {
                id: id.0,
                what,
                signature: VisibleText::default(),
                text: VisibleText::default(),
            },
        }
    }
}
