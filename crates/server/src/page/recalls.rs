//! What was shown to whom, when and why; what was passed over; and what followed.

use askama::Template;
use axum::{
    Router,
    extract::{Path, Query},
};
use hardwon_core::{credit::LessonJudgement, id::RecallId, lesson::Lesson};
use hardwon_engine::{Desk, RecallStory, StoryLesson};
use hardwon_store::{Moment, Recall, RecallListing, ScopeFilter, Treatment};
use serde::Deserialize;

use super::{
    error::render,
    frame::{Frame, PlaceChoices, PlaceQuery, View},
    text::{TimeTag, VisibleText, describe_scope},
    view::show,
    visitor::Visitor,
};
use crate::{
    error::{ApiError, Result},
    state::SharedState,
};

/// Recalls of a page.
const PAGE_RECALLS: usize = 25;
/// Most recalls that are looked through for a page of those that showed something.
const MAX_LOOKED_AT: usize = 1000;

#[derive(Debug, Deserialize)]
struct RecallsPageQuery {
    #[serde(flatten)]
    place: PlaceQuery,
    #[serde(default)]
    silent: String,
    #[serde(default)]
    before: String,
}

#[derive(Template)]
#[template(path = "recalls.html")]
struct RecallsView {
    frame: Frame,
    places: PlaceChoices,
    query: RecallsPageQuery,
    includes_silent: bool,
    rows: Vec<RecallLine>,
    next: String,
}

/// A recall in the list.
struct RecallLine {
    id: i64,
    at: TimeTag,
    moment: &'static str,
    place: VisibleText,
    client: VisibleText,
    shown: Vec<LessonLink>,
    silence: VisibleText,
}

/// A lesson that was shown, as it is now.
struct LessonLink {
    id: i64,
    title: VisibleText,
}

#[derive(Template)]
#[template(path = "recall.html")]
struct RecallView {
    frame: Frame,
    recall: RecallLine,
    asked: VisibleText,
    run: VisibleText,
    considered: Vec<ConsideredLine>,
}

/// A lesson that a recall found.
struct ConsideredLine {
    lesson: LessonLink,
    what: &'static str,
    why: VisibleText,
    score: String,
    followed: String,
}

pub(super) fn routes() -> Router<SharedState> {
    Router::new()
        .route("/recalls", show(list_recalls))
        .route("/recalls/{id}", show(show_recall))
}

fn list_recalls(visitor: &Visitor, Query(query): Query<RecallsPageQuery>) -> Result<String> {
    let scope = query.place.parse()?;
    let before = match &*query.before {
        "" => None,
        before => Some(parse_recall_id(before)?),
    };
    let desk = visitor.desk(&scope)?;
    let includes_silent = query.silent == "yes";
    let listing = RecallListing {
        within: query.place.within(&desk),
        before,
        limit: if includes_silent {
            PAGE_RECALLS
        } else {
            MAX_LOOKED_AT
        },
        ..RecallListing::default()
    };
    let recalls = desk.recalls(&listing)?;
    let is_full = recalls.len() == listing.limit;
    let rows = recalls
        .iter()
        .filter(|(_, it)| includes_silent || it.shown_lessons().next().is_some());
    let rows: Vec<_> = rows.take(PAGE_RECALLS).collect();
    let last = if rows.len() == PAGE_RECALLS {
        rows.last().map(|(id, _)| *id)
    } else {
        recalls.last().filter(|_| is_full).map(|(id, _)| *id)
    };
    let rows = rows
        .iter()
        .map(|(id, recall)| RecallLine::gather(&desk, *id, recall));
    render(&RecallsView {
        frame: Frame::gather(visitor, &desk, View::Recalls, None)?,
        places: query.place.choices(&desk)?,
        includes_silent,
        rows: rows.collect::<Result<_>>()?,
        next: last.map(|id| id.0.to_string()).unwrap_or_default(),
        query,
    })
}

fn show_recall(visitor: &Visitor, Path(id): Path<String>) -> Result<String> {
    let id = parse_recall_id(&id)?;
    for desk in visitor.all_desks()? {
        if let Some(found) = desk.find_recall(ScopeFilter::Tenant, Some(id))? {
            let story = desk.tell_recall_in_full(found, desk.query_text(id)?)?;
            let frame = Frame::gather(visitor, &desk, View::Recalls, None)?;
            let frame = frame.with_title(format!("Recall {}", id.0));
            return render(&RecallView::gather(frame, &desk, &story)?);
        }
    }
    Err(no_such_recall())
}

fn parse_recall_id(id: &str) -> Result<RecallId> {
    let number = id.parse().ok().filter(|parse| *parse > 0);
    number.map(RecallId).ok_or_else(no_such_recall)
}

fn no_such_recall() -> ApiError {
    ApiError::not_found("there is no such recall")
}

impl RecallLine {
    fn gather(desk: &Desk<'_>, id: RecallId, recall: &Recall) -> Result<Self> {
        let lessons = recall.shown_lessons().map(|id| {
            let lesson = desk.lesson_if_visible(id)?;
            Ok(LessonLink::new(id.0, lesson.as_ref()))
        });
        let client = recall
            .client
            .as_ref()
            .map_or("by hand", |client| client.as_str());
        let silence = recall
            .silence
            .as_ref()
            .map_or("", |silence| silence.as_str());
        Ok(Self {
            id: id.0,
            at: TimeTag(recall.at),
            moment: describe_moment(recall.moment),
            place: describe_scope(&recall.scope),
            client: VisibleText::line(client),
            shown: lessons.collect::<Result<_>>()?,
            silence: VisibleText::line(silence),
        })
    }
}

impl LessonLink {
    fn new(id: i64, lesson: Option<&Lesson>) -> Self {
        let title = lesson.map_or("it is no longer there", |lesson| {
            lesson.content.title.as_str()
        });
        Self {
            id,
            title: VisibleText::line(title),
        }
    }
}

impl RecallView {
    fn gather(frame: Frame, desk: &Desk<'_>, story: &RecallStory) -> Result<Self> {
        let recall = &story.recall;
        let candidates = story.lessons.iter();
        let query_text = match (&story.query_text, recall.prompt.chars) {
            (Some(text), _) => text.to_string(),
            (None, 0) => String::new(),
            (None, chars) => format!("{chars} characters, not kept"),
        };
        Ok(Self {
            considered: candidates
                .map(|found| ConsideredLine::new(recall.moment, found))
                .collect(),
            recall: RecallLine::gather(desk, story.id, recall)?,
            asked: VisibleText::new(&query_text),
            run: VisibleText::line(recall.run.as_ref().map_or("", |run| run.as_str())),
            frame,
        })
    }
}

impl ConsideredLine {
    fn new(moment: Moment, told: &StoryLesson) -> Self {
        let candidate = &told.considered;
        let (what, why) = match &candidate.treatment {
            Treatment::Shown => ("shown", describe_match(moment).to_owned()),
            Treatment::HeldOut => (
                "held back",
                "left out at random, to compare with".to_owned(),
            ),
            Treatment::Deferred => ("later", "left at random for a later moment".to_owned()),
            Treatment::Excluded { why } => ("not shown", why.to_string()),
        };
        let outcome = told.outcome.as_ref();
        Self {
            lesson: LessonLink::new(candidate.lesson.0, told.lesson.as_ref()),
            what,
            why: VisibleText::new(&why),
            score: format!("{:.2}", candidate.score),
            followed: outcome.map_or(String::new(), describe_outcome),
        }
    }
}

/// Says when in a run a recall was made.
fn describe_moment(moment: Moment) -> &'static str {
    match moment {
        Moment::SessionStart => "at a session's start",
        Moment::Prompt => "at a prompt",
        Moment::BeforeCall => "before a tool call",
        Moment::Failure => "at a failure",
        Moment::Requested => "on request",
    }
}

fn describe_match(moment: Moment) -> &'static str {
    match moment {
        Moment::SessionStart => "it is one of this project's",
        Moment::BeforeCall => "it names this call",
        Moment::Failure => "it is about this failure",
        Moment::Prompt | Moment::Requested => "its words fit",
    }
}

/// Says what became of a lesson's occasion, in one of five words.
fn describe_outcome(part: &LessonJudgement) -> String {
    let words = part.outcome.words();
    if part.is_control {
        format!("without it: {words}")
    } else {
        words
    }
}
