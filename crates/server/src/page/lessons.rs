//! The lessons there are: searched, and narrowed to an agent, a project and a state.

use askama::Template;
use axum::{Router, extract::Query};
use hardwon_core::{id::LessonId, lesson::Lesson};
use hardwon_store::{LessonListing, LessonOrder, StatusName};
use serde::Deserialize;

use super::{
    error::render,
    frame::{Choice, Frame, PlaceChoices, PlaceQuery, View},
    text::{TimeTag, VisibleText, describe_scope, describe_status, format_count},
    view::show,
    visitor::Visitor,
};
use crate::{
    error::{ApiError, Result},
    state::SharedState,
};

/// Lessons of a page.
const PAGE_LESSONS: usize = 25;

#[derive(Debug, Deserialize)]
struct LessonsQuery {
    #[serde(flatten)]
    place: PlaceQuery,
    #[serde(default)]
    q: String,
    #[serde(default)]
    state: String,
    #[serde(default)]
    before: String,
    done: Option<String>,
}

#[derive(Template)]
#[template(path = "lessons.html")]
struct LessonsView {
    frame: Frame,
    places: PlaceChoices,
    states: Vec<Choice>,
    query: LessonsQuery,
    rows: Vec<LessonLine>,
    next: String,
    is_narrowed: bool,
}

struct LessonLine {
    id: i64,
    title: VisibleText,
    signature: VisibleText,
    place: VisibleText,
    status: &'static str,
    state_name: &'static str,
    is_caution: bool,
    shown: String,
    updated: TimeTag,
}

impl From<&Lesson> for LessonLine {
    fn from(lesson: &Lesson) -> Self {
        Self {
            id: lesson.id.0,
            title: VisibleText::line(lesson.content.title.as_str()),
            signature: VisibleText::line(lesson.content.signature.as_str()),
            place: describe_scope(&lesson.scope),
            status: describe_status(lesson.status.name()),
            state_name: lesson.status.name(),
            is_caution: lesson.is_caution(),
            shown: format_count(lesson.counts.shown),
            updated: TimeTag(lesson.updated),
        }
    }
}

pub(super) fn routes() -> Router<SharedState> {
    Router::new().route("/lessons", show(list_lessons))
}

fn list_lessons(visitor: &Visitor, Query(query): Query<LessonsQuery>) -> Result<String> {
    let scope = query.place.parse()?;
    let desk = visitor.desk(&scope)?;
    let listing = LessonListing {
        within: query.place.within(&desk),
        ..query.parse_listing()?
    };
    let lessons = if listing.search_text.is_empty() {
        desk.lessons(&listing)?
    } else {
        desk.search_words(&listing)?
    };
    let is_full = lessons.len() == PAGE_LESSONS && listing.search_text.is_empty();
    let last = lessons.last().filter(|_| is_full);
    let visible_lessons = lessons
        .iter()
        .filter(|lesson| listing.status.is_some() || !lesson.status.is_retired());
    render(&LessonsView {
        frame: Frame::gather(visitor, &desk, View::Lessons, query.done.as_deref())?,
        places: query.place.choices(&desk)?,
        states: list_states(&query.state),
        rows: visible_lessons.map(LessonLine::from).collect(),
        next: last.map(|last| last.id.0.to_string()).unwrap_or_default(),
        is_narrowed: query.is_narrowed(),
        query,
    })
}

impl LessonsQuery {
    fn parse_listing(&self) -> Result<LessonListing> {
        let before = Some(&*self.before).filter(|before| !before.is_empty());
        let before = before.map(|before| before.parse::<LessonId>().map_err(|_| not_a_page()));
        Ok(LessonListing {
            status: StatusName::from_name(&self.state),
            search_text: self.q.trim().to_owned(),
            order: LessonOrder::LastShownFirst,
            before: before.transpose()?,
            limit: PAGE_LESSONS,
            ..LessonListing::default()
        })
    }

    fn is_narrowed(&self) -> bool {
        let PlaceQuery { agent, project } = &self.place;
        [agent, project, &self.q, &self.state]
            .into_iter()
            .any(|text| !text.is_empty())
    }
}

fn not_a_page() -> ApiError {
    ApiError::bad_request("there is no such page: begin with the first")
}

fn list_states(chosen: &str) -> Vec<Choice> {
    let choices = StatusName::ALL.into_iter().map(|name| Choice {
        value: name.name().to_owned(),
        label: VisibleText::line(describe_status(name.name())),
        is_chosen: name.name() == chosen,
    });
    choices.collect()
}
