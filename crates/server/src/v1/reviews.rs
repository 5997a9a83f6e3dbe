//! `/v1/reviews`: the lessons that wait for a person, and what the person decides.

use hardwon_api::v1::{
    lesson::published::{LessonPatch, LessonReply},
    review::{ApprovalBody, PublishedReview, RejectionBody, ReviewPageReply, ReviewReply},
};
use hardwon_core::{Lesson, RawText};
use hardwon_engine::Relation;

use super::{lessons::parse_edit, prelude::*};

/// Lessons of a page, unless the request says how many; and most of them.
const LISTED: (usize, usize) = (20, 50);

pub(super) fn verbs() -> Vec<VerbRow> {
    vec![
        verb("GET /v1/reviews", Read, list_reviews)
            .tells::<ReviewPageReply>(200, "A page of lessons, each with those to compare it with"),
        verb("GET /v1/reviews/{id}", Read, show_review)
            .tells::<ReviewReply>(200, "The lesson")
            .or(404, "No such lesson that waits"),
        verb("POST /v1/reviews/{id}/approve", Write, approve_lesson)
            .sends("Why, if there is a reason to record")
            .tells::<LessonReply>(200, "The lesson as it is now")
            .or(404, "No such lesson that waits")
            .or(409, "It does not fit the lessons that are there"),
        verb("POST /v1/reviews/{id}/edit", Write, edit_lesson)
            .sends("The new words")
            .tells::<LessonReply>(200, "The lesson as it is now")
            .or(404, "No such lesson that waits")
            .or(409, "Another lesson says the same")
            .or(422, "The words were refused, with the reason"),
        verb("POST /v1/reviews/{id}/reject", Write, reject_lesson)
            .sends("Why")
            .tells::<LessonReply>(200, "The lesson as it is now")
            .or(404, "No such lesson that waits"),
    ]
}

/// Which lessons that wait to list.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ReviewQuery {
    /// Only lessons of this agent.
    agent_id: Option<String>,
    /// Only lessons of this project.
    project: Option<String>,
    /// How many: 20 unless said, at most 50.
    limit: Option<String>,
    /// The `next_cursor` of the page before.
    cursor: Option<String>,
}

/// List the lessons that wait for a person, the oldest first.
fn list_reviews(door: &Door, QueryOf(query): QueryOf<ReviewQuery>) -> Result<Response> {
    let scope = parse_asked_scope(query.agent_id, query.project)?;
    let limit = parse_limit(query.limit.as_deref(), LISTED.0, LISTED.1)?;
    let after = parse_number(query.cursor.as_deref(), "cursor")?;
    let desk = door.read_desk(&scope)?;
    let within = filter_by_names(&desk, &scope);
    let after = LessonId(after.unwrap_or(0));
    let waiting = desk.waiting_lessons(&within, after, limit)?;
    let entries = waiting
        .into_iter()
        .map(|waiting| find_related(&desk, waiting))
        .collect::<Result<Vec<_>>>()?;
    let last = entries.last().filter(|_| entries.len() == limit);
    json(&ReviewPageReply {
        next_cursor: last.map(|(it, _)| it.id.0.to_string()),
        reviews: entries
            .iter()
            .map(|(lesson, beside)| PublishedReview::from_related(lesson, beside))
            .collect(),
    })
}

fn find_related(desk: &Desk<'_>, lesson: Lesson) -> Result<(Lesson, Vec<(Relation, Lesson)>)> {
    let beside = desk.related_lessons(&lesson)?;
    Ok((lesson, beside))
}

/// Read one lesson that waits, beside those to compare it with.
fn show_review(door: &Door, LessonNumber(id): LessonNumber) -> Result<Response> {
    let (lesson, beside) = door.find(|desk| find_related(desk, desk.waiting_lesson(id)?))?;
    let review = PublishedReview::from_related(&lesson, &beside);
    json(&ReviewReply { review })
}

/// Approve a lesson, so that it may be recalled.
///
/// Lessons that it replaces step back, unless a more trusted source stands behind them.
fn approve_lesson(
    door: &Door,
    (LessonNumber(id), JsonBody(body)): (LessonNumber, JsonBody<ApprovalBody>),
) -> Result<Response> {
    let reason = body.why.map(RawText::from);
    decide(door, id, |desk| desk.approve_lesson(id, reason.as_ref()))
}

/// Change the words of a lesson that waits, and approve it.
fn edit_lesson(
    door: &Door,
    (LessonNumber(id), JsonBody(patch)): (LessonNumber, JsonBody<LessonPatch>),
) -> Result<Response> {
    let edit = parse_edit(patch)?;
    decide(door, id, |desk| desk.revise_and_approve_lesson(id, &edit))
}

/// Reject a lesson. It stays on record, and is never recalled.
fn reject_lesson(
    door: &Door,
    (LessonNumber(id), JsonBody(body)): (LessonNumber, JsonBody<RejectionBody>),
) -> Result<Response> {
    let reason = body.why.filter(|text| !text.trim().is_empty());
    let missing = || ApiError::bad_request("required field: why").with_field("why");
    let reason = RawText::from(reason.ok_or_else(missing)?);
    decide(door, id, |desk| desk.archive_lesson(id, &reason))
}

/// Carries a decision about a lesson that waits out, and answers with the lesson as it is then.
fn decide(
    door: &Door,
    id: LessonId,
    decision: impl Fn(&Desk<'_>) -> hardwon_engine::Result<Lesson>,
) -> Result<Response> {
    door.change(&AskedScope::default(), |desk| {
        desk.waiting_lesson(id)?;
        decision(desk)?;
        json(&LessonReply::from(&desk.lesson(id)?))
    })
}
