//! What was shown to whom, when and why; what was passed over; and what followed.

use hardwon_core::{LessonJudgement, RecallId};
use hardwon_engine::{RecallSelection, RecallStory, StoryLesson};
use hardwon_store::{RecallListing, Treatment};

use super::prelude::*;

/// Recalls of a page.
const PAGE_RECALLS: usize = 25;
/// Most recalls that are looked through for a page of those that showed something.
const MAX_LOOKED_AT: usize = 1000;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RecallsPageQuery {
    silent: String,
    before: String,
    /// The lesson that was shown; empty for all.
    lesson: String,
}

#[derive(Template)]
#[template(path = "recalls.html")]
struct RecallsView {
    frame: Frame,
    places: PlaceChoices,
    includes_silent: bool,
    lesson: String,
    rows: Vec<RecallLine>,
    next: String,
}

/// A recall as it is told: when, where, for what, and what it found.
struct RecallLine {
    id: i64,
    at: TimeTag,
    moment: &'static str,
    asked: VisibleText,
    place: Scope,
    client: VisibleText,
    lessons: Vec<ConsideredLine>,
    silence: VisibleText,
}

/// A lesson that a recall found.
struct ConsideredLine {
    lesson: LessonLink,
    is_shown: bool,
    treatment: &'static str,
    why: VisibleText,
    followed: String,
}

/// A lesson as it is now, in a list: its failure with its remedy.
pub(super) struct LessonLink {
    pub(super) id: i64,
    pub(super) line: VisibleText,
}

#[derive(Template)]
#[template(path = "recall.html")]
struct RecallView {
    frame: Frame,
    recall: RecallLine,
    /// The run's name, which tells nobody much, and what it was; empty if there was none.
    run: VisibleText,
    run_kind: String,
    /// What became of lessons that are not listed; empty if there are none.
    others: VisibleText,
}

pub(super) fn list_recalls(
    visitor: &Visitor,
    Query(query): Query<RecallsPageQuery>,
) -> Result<String> {
    let scope = visitor.place.parse()?;
    let before = match &*query.before {
        "" => None,
        before => Some(parse_recall_id(before)?),
    };
    let lesson = match &*query.lesson {
        "" => None,
        lesson => Some(parse_lesson_id(lesson)?),
    };
    let desk = visitor.desk(&scope)?;
    let includes_silent = query.silent == "yes";
    let listing = RecallListing {
        within: visitor.place.within(&desk),
        before,
        ..RecallListing::default()
    };
    let selection = desk.select_recalls(&RecallSelection {
        lesson,
        includes_silent,
        includes_left_out: includes_silent,
        max_read: MAX_LOOKED_AT,
        ..RecallSelection::newest(listing, PAGE_RECALLS)
    })?;
    let rows = selection.rows.into_iter().map(|(id, recall)| {
        let story = desk.tell_recall((id, recall), desk.query_text(id)?, false)?;
        Ok(RecallLine::from(&story))
    });
    let frame = Frame::gather(visitor, &desk, View::Recalls, &DoneQuery::default())?;
    render(&RecallsView {
        places: visitor.place.choices(&frame.names),
        frame,
        includes_silent,
        lesson: query.lesson,
        rows: rows.collect::<Result<_>>()?,
        next: selection
            .next
            .map(|id| id.0.to_string())
            .unwrap_or_default(),
    })
}

pub(super) fn show_recall(visitor: &Visitor, Path(id): Path<String>) -> Result<String> {
    let id = parse_recall_id(&id)?;
    for desk in visitor.all_desks()? {
        if let Some(found) = desk.find_recall(ScopeFilter::Tenant, id)? {
            let story = desk.tell_recall(found, desk.query_text(id)?, true)?;
            let frame = Frame::gather(visitor, &desk, View::Recalls, &DoneQuery::default())?;
            let title = format!("Shown {}", story.recall.moment.words());
            let frame = frame.with_title(VisibleText::new(&title));
            let run = story.recall.run.as_ref();
            let client = story.recall.client.as_ref();
            let client = client.map_or_else(String::new, |client| format!(" of {client}"));
            return render(&RecallView {
                run_kind: format!("a run{client}, {}", format_day(story.recall.at)),
                run: VisibleText::line(run.map_or("", |run| run.as_str())),
                others: VisibleText::new(story.describe_others().unwrap_or_default()),
                recall: RecallLine::from(&story),
                frame,
            });
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

impl From<&RecallStory> for RecallLine {
    fn from(story: &RecallStory) -> Self {
        let recall = &story.recall;
        let client = recall.client.as_ref();
        let silence = recall.silence.as_ref();
        Self {
            id: story.id.0,
            at: TimeTag(recall.at),
            moment: recall.moment.words(),
            asked: VisibleText::new(&story.describe_query().unwrap_or_default()),
            place: recall.scope.clone(),
            client: VisibleText::line(client.map_or("by hand", |client| client.as_str())),
            lessons: story.lessons.iter().map(ConsideredLine::from).collect(),
            silence: VisibleText::line(silence.map_or("", |why| why.as_str())),
        }
    }
}

impl LessonLink {
    pub(super) fn new(id: i64, lesson: Option<&Lesson>) -> Self {
        let missing_note = || VisibleText::line("it is no longer there");
        Self {
            id,
            line: lesson.map_or_else(missing_note, show_lesson_line),
        }
    }
}

impl From<&StoryLesson> for ConsideredLine {
    fn from(found: &StoryLesson) -> Self {
        let candidate = &found.considered;
        let outcome = found.outcome.as_ref();
        Self {
            lesson: LessonLink::new(candidate.lesson.0, found.lesson.as_ref()),
            is_shown: candidate.treatment == Treatment::Shown,
            treatment: candidate.treatment.words(),
            why: VisibleText::new(&found.why),
            followed: outcome.map_or(String::new(), LessonJudgement::words),
        }
    }
}
