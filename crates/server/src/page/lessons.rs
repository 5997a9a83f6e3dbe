//! The lessons there are: searched, and narrowed to an agent, a project and a state; and the form that adds one.

use hardwon_core::LessonContent;
use hardwon_engine::{Clock as _, Note, NoteOutcome, SystemClock};
use hardwon_store::LessonOrder;
use jiff::SignedDuration;

use super::{consent::ask_consent, prelude::*};

/// Lessons of a page.
const PAGE_LESSONS: usize = 25;
/// Days back to which the list can be narrowed.
const LATELY: [(&str, &str); 3] = [
    ("1", "last day"),
    ("7", "last 7 days"),
    ("30", "last 30 days"),
];

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct LessonsQuery {
    q: String,
    state: String,
    /// How many days ago they were learned at most; empty for any time.
    days: String,
    before: String,
    #[serde(flatten)]
    done: DoneQuery,
}

#[derive(Template)]
#[template(path = "lessons.html")]
struct LessonsView {
    frame: Frame,
    places: PlaceChoices,
    states: [Choice; 5],
    lately: [Choice; 3],
    query: LessonsQuery,
    rows: Vec<LessonLine>,
    next: String,
    /// Whether a search may have found more.
    is_cut: bool,
    is_narrowed: bool,
    may_curate: bool,
}

struct LessonLine {
    id: i64,
    line: VisibleText,
    signature: VisibleText,
    place: Scope,
    status: &'static str,
    state_name: &'static str,
    is_caution: bool,
    is_retired: bool,
    shown: u64,
    origin: &'static str,
    created: TimeTag,
}

impl From<&Lesson> for LessonLine {
    fn from(lesson: &Lesson) -> Self {
        Self {
            id: lesson.id.0,
            line: show_lesson_line(lesson),
            signature: VisibleText::line(lesson.content.signature.as_str()),
            place: lesson.scope.clone(),
            status: describe_status(lesson.status.name()),
            state_name: lesson.status.name(),
            is_caution: lesson.is_caution(),
            is_retired: lesson.status.is_retired(),
            shown: lesson.counts.shown,
            origin: lesson.trust.class.origin(),
            created: TimeTag(lesson.created),
        }
    }
}

/// Writes a lesson down, and leads to it.
pub(super) fn add_lesson(form: &PostedForm, _: ()) -> Result<Response> {
    form.visitor.check_may_curate()?;
    let fields = &form.fields;
    let text = fields.required("text", "a lesson needs words: say what to do or avoid")?;
    let text = text.replace("\r\n", "\n");
    let desk = PlaceQuery::from_form(fields).open_desk(&form.visitor)?;
    let signature = fields.text("signature");
    if let Some(question) = ask_consent(form, &desk, [signature, &text])? {
        return Ok(question);
    }
    let content = LessonContent::<RawText>::new(signature, &*text);
    let outcome = desk.note(Note::new(content))?;
    let notice = match &outcome {
        NoteOutcome::AlreadyKnown(_) => Notice::Known,
        _ => Notice::Added,
    };
    let lesson = outcome.into_lesson().map_err(ApiError::refused)?;
    let (id, deed) = (lesson.id.0, notice.name());
    Ok(send_on(&format!("/lessons/{id}?done={deed}&ids={id}")))
}

pub(super) fn list_lessons(visitor: &Visitor, Query(query): Query<LessonsQuery>) -> Result<String> {
    let scope = visitor.place.parse()?;
    let desk = visitor.desk(&scope)?;
    let listing = LessonListing {
        within: visitor.place.within(&desk),
        ..query.parse_listing()?
    };
    let lessons = if listing.search_text.is_empty() {
        desk.lessons(&listing)?
    } else {
        desk.search_words(&listing)?
    };
    let is_full = lessons.len() == PAGE_LESSONS;
    let is_search = !listing.search_text.is_empty();
    let last = lessons.last().filter(|_| is_full && !is_search);
    let visible_lessons = lessons
        .iter()
        .filter(|lesson| listing.status.is_some() || is_search || !lesson.status.is_retired());
    let frame = Frame::gather(visitor, &desk, View::Lessons, &query.done)?;
    render(&LessonsView {
        places: visitor.place.choices(&frame.names),
        frame,
        states: StatusName::ALL
            .map(|status| Choice::new(status.name(), describe_status(status.name()), &query.state)),
        lately: LATELY.map(|(days, words)| Choice::new(days, words, &query.days)),
        rows: visible_lessons.map(LessonLine::from).collect(),
        next: last.map(|last| last.id.0.to_string()).unwrap_or_default(),
        is_cut: is_full && is_search,
        is_narrowed: query.is_narrowed(&visitor.place),
        may_curate: visitor.may(Capability::Curate),
        query,
    })
}

impl LessonsQuery {
    fn parse_listing(&self) -> Result<LessonListing> {
        let not_a_page = || ApiError::bad_request("there is no such page: begin with the first");
        let before = Some(&*self.before).filter(|before| !before.is_empty());
        let before = before.map(|before| before.parse::<LessonId>());
        let days = self.days.parse().ok().map(|days: u16| i64::from(days) * 24);
        let since = days.map(|hours| SystemClock.now() - SignedDuration::from_hours(hours));
        Ok(LessonListing {
            status: StatusName::from_name(&self.state),
            search_text: self.q.trim().to_owned(),
            since,
            order: LessonOrder::for_person(since),
            before: before.transpose().map_err(|_| not_a_page())?,
            limit: PAGE_LESSONS,
            ..LessonListing::default()
        })
    }

    fn is_narrowed(&self, place: &PlaceQuery) -> bool {
        let PlaceQuery { agent, project } = place;
        [agent, project, &self.q, &self.state, &self.days]
            .into_iter()
            .any(|text| !text.is_empty())
    }
}
