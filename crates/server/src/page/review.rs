//! The first view of whoever may decide: what waits, why, where it came from, and what it would replace.

use askama::Template;
use axum::{Router, extract::Query};
use hardwon_core::{
    lesson::Lesson,
    word_diff::{DiffPart, diff_words},
};
use hardwon_engine::{Desk, Relation};
use hardwon_store::{LessonListing, StatusName};
use serde::Deserialize;

use super::{
    error::render,
    frame::{Frame, View},
    lesson::LessonCard,
    text::{VisibleText, describe_source},
    view::show,
    visitor::Visitor,
};
use crate::{
    error::{ApiError, Result},
    state::SharedState,
};

/// Lessons of a page.
const PAGE_LESSONS: usize = 10;
/// Lessons that one is compared with.
const MAX_COMPARED: usize = 3;

#[derive(Debug, Deserialize)]
struct ReviewPageQuery {
    done: Option<String>,
}

#[derive(Template)]
#[template(path = "review.html")]
struct ReviewView {
    frame: Frame,
    cards: Vec<ReviewCard>,
    waiting: usize,
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
    source: &'static str,
    parts: Vec<(&'static str, VisibleText)>,
}

pub(super) fn routes() -> Router<SharedState> {
    Router::new().route("/review", show(show_queue))
}

fn show_queue(visitor: &Visitor, Query(query): Query<ReviewPageQuery>) -> Result<String> {
    visitor.check_may_curate()?;
    let desks = visitor.all_desks()?;
    let first = desks.first().ok_or_else(ApiError::unauthorized)?;
    let (mut cards, mut waiting) = (Vec::new(), 0);
    let mut entries: Vec<(Lesson, &Desk<'_>)> = Vec::new();
    for desk in &desks {
        entries.extend(
            find_waiting(desk)?
                .into_iter()
                .map(|waiting| (waiting, desk)),
        );
    }
    entries.sort_by_key(|(lesson, _)| std::cmp::Reverse(lesson.id));
    entries.dedup_by_key(|(lesson, _)| lesson.id);
    waiting += entries.len();
    for (lesson, desk) in entries.into_iter().take(PAGE_LESSONS) {
        cards.push(ReviewCard::gather(desk, &lesson)?);
    }
    let frame = Frame::gather(visitor, first, View::Review, query.done.as_deref())?;
    render(&ReviewView {
        frame,
        cards,
        waiting,
    })
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
            lesson: LessonCard::from(lesson),
            compared: relations
                .map(|(relation, other)| Comparison::new(*relation, other, lesson))
                .collect(),
        })
    }
}

impl Comparison {
    fn new(relation: Relation, other: &Lesson, lesson: &Lesson) -> Self {
        let relation = match relation {
            Relation::Replaced if !lesson.trust.is_at_least(other.trust) => {
                "Claims to replace, but is trusted less than,"
            }
            Relation::Replaced => "Would replace",
            Relation::Opposite => "Contradicts",
            Relation::Similar => "Is like",
        };
        let (old, new) = (&other.content, &lesson.content);
        let text = |signature: &str, text: &str| match signature {
            "" => text.to_owned(),
            signature => format!("{signature}: {text}"),
        };
        let diff = diff_words(
            &text(old.signature.as_str(), old.text.as_str()),
            &text(new.signature.as_str(), new.text.as_str()),
        );
        let parts = diff.0.iter().map(|part| match part {
            DiffPart::Kept(words) => ("kept", VisibleText::new(words)),
            DiffPart::Removed(words) => ("removed", VisibleText::new(words)),
            DiffPart::Added(words) => ("added", VisibleText::new(words)),
        });
        Self {
            relation,
            id: other.id.0,
            source: describe_source(other),
            parts: parts.collect(),
        }
    }
}
