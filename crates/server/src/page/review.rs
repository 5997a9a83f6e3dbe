//! The first view of whoever may decide: what waits, why, where it came from, and what it would replace.

use hardwon_api::word_diff::{DiffPart, diff_words};
use hardwon_engine::Relation;

use super::{
    lesson::{LessonCard, read_reason},
    prelude::*,
};

/// Lessons of a page.
const PAGE_LESSONS: usize = 10;
/// Lessons that one is compared with.
const MAX_COMPARED: usize = 3;

#[derive(Template)]
#[template(path = "review.html")]
struct ReviewView {
    frame: Frame,
    cards: Vec<ReviewCard>,
}

/// A lesson that waits, and what it is to be compared with.
struct ReviewCard {
    lesson: LessonCard,
    compared: Vec<Comparison>,
}

/// How a lesson differs from another one.
struct Comparison {
    relation: &'static str,
    id: i64,
    name: VisibleText,
    source: String,
    parts: Vec<(&'static str, VisibleText)>,
}

/// Approves, rejects or deletes the lessons that are ticked.
pub(super) fn decide_several(form: &PostedForm, _: ()) -> Result<Response> {
    let notice = match form.fields.text("then") {
        "approve" => Notice::Approved,
        "delete" => Notice::Archived,
        _ => Notice::Rejected,
    };
    let ids = form.fields.picked();
    if ids.is_empty() {
        return Err(ApiError::bad_request("tick the lessons first"));
    }
    for id in &ids {
        let id = parse_lesson_id(id)?;
        let (desk, _) = form.visitor.find_for_some(|desk| desk.lesson(id))?;
        if notice == Notice::Approved {
            desk.approve_lesson(id, None)?;
        } else {
            desk.archive_lesson(id, &read_reason(&form.fields))?;
        }
    }
    let (deed, ids) = (notice.name(), ids.join(","));
    let path = form.fields.path_back(&ids);
    Ok(send_on(&format!("{path}?done={deed}&ids={ids}")))
}

pub(super) fn show_queue(visitor: &Visitor, Query(query): Query<DoneQuery>) -> Result<String> {
    visitor.check_may_curate()?;
    let desks = visitor.all_desks()?;
    let first = desks.first().ok_or_else(ApiError::unauthorized)?;
    let mut entries: Vec<(Lesson, &Desk<'_>)> = Vec::new();
    for desk in &desks {
        entries.extend(find_waiting(desk)?.into_iter().zip(std::iter::repeat(desk)));
    }
    entries.sort_by_key(|(lesson, _)| std::cmp::Reverse(lesson.id));
    entries.dedup_by_key(|(lesson, _)| lesson.id);
    let first_entries = entries.iter().take(PAGE_LESSONS);
    let cards = first_entries.map(|(lesson, desk)| ReviewCard::gather(desk, lesson));
    let cards = cards.collect::<Result<_>>()?;
    let frame = Frame::gather(visitor, first, View::Review, &query)?;
    render(&ReviewView { frame, cards })
}

fn find_waiting(desk: &Desk<'_>) -> Result<Vec<Lesson>> {
    let mut waiting = Vec::new();
    for status in [StatusName::Pending, StatusName::Quarantined] {
        waiting.extend(desk.lessons(&LessonListing {
            status: Some(status),
            ..LessonListing::default()
        })?);
    }
    Ok(waiting)
}

impl ReviewCard {
    fn gather(desk: &Desk<'_>, lesson: &Lesson) -> Result<Self> {
        let relations = desk.related_lessons(lesson)?;
        let relations = relations.iter().take(MAX_COMPARED);
        Ok(Self {
            lesson: LessonCard::gather(desk, lesson)?,
            compared: relations
                .map(|(relation, other)| Comparison::new(*relation, other, lesson))
                .collect(),
        })
    }
}

impl Comparison {
    fn new(relation: Relation, other: &Lesson, lesson: &Lesson) -> Self {
        let (old, new) = (other.content.text.as_str(), lesson.content.text.as_str());
        // What contradicts it has other words altogether.
        let is_reworded = relation != Relation::Opposite;
        let diff = diff_words(old, if is_reworded { new } else { old });
        let parts = diff.0.iter().map(|part| match part {
            DiffPart::Kept(words) => ("kept", VisibleText::new(words)),
            DiffPart::Removed(words) => ("removed", VisibleText::new(words)),
            DiffPart::Added(words) => ("added", VisibleText::new(words)),
        });
        Self {
            relation: relation.words(lesson, other),
            id: other.id.0,
            name: show_lesson_line(other),
            source: other.trust.words(),
            parts: parts.collect(),
        }
    }
}
