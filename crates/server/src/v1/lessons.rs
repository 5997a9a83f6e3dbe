//! `/v1/lessons`: write, list, read, change and delete lessons, in the published shapes.

use hardwon_api::v1::lesson::published::{
    DeletedReply, LessonPageReply, LessonPatch, LessonProposal, LessonReply, PublishedLesson,
    name_note_outcome,
};
use hardwon_core::{Cause, Lesson, Status, guard::normalise_tag};
use hardwon_engine::{LessonEdit, Note};
use hardwon_store::{LessonListing, LessonOrder, StatusName};

use super::prelude::*;

/// Lessons of a page, unless the request says how many; and most of them.
const BROWSED: (usize, usize) = (100, 200);
/// The same of a search.
const SEARCHED: (usize, usize) = (20, 50);

pub(super) fn verbs() -> Vec<VerbRow> {
    vec![
        verb("POST /v1/lessons", Write, add_lesson)
            .sends("The lesson")
            .tells::<LessonReply>(201, "The lesson that now says it")
            .or(422, "The words were refused, with the reason"),
        verb("GET /v1/lessons", Read, list_lessons)
            .counts_recalls()
            .tells::<LessonPageReply>(200, "A page of lessons"),
        verb("GET /v1/lessons/{id}", Read, show_lesson)
            .counts_recalls()
            .tells::<LessonReply>(200, "The lesson")
            .or(
                403,
                "The lesson waits for a review that the key may not make",
            ),
        verb("PATCH /v1/lessons/{id}", Write, revise_lesson)
            .sends("The new words")
            .tells::<LessonReply>(200, "The lesson as it is now")
            .or(409, "Another lesson says the same")
            .or(422, "The words were refused, with the reason"),
        verb("DELETE /v1/lessons/{id}", Write, delete_lesson)
            .tells::<DeletedReply>(200, "It is gone"),
    ]
}

/// Record a lesson.
///
/// A lesson that says the same as one that is known adds to that one's evidence, and the answer is that one. One that
/// a person has to look at first waits, and is not recalled until then.
fn add_lesson(door: &Door, JsonBody(proposal): JsonBody<LessonProposal>) -> Result<Response> {
    let (signature, text) = (&proposal.signature, &proposal.lesson_text);
    check_words(signature.as_deref(), text.as_deref())?;
    if signature.is_none() || text.is_none() {
        return Err(ApiError::bad_request(REQUIRED));
    }
    let scope = parse_asked_scope(proposal.agent_id.as_ref(), proposal.project.as_ref())?;
    let desk = door.write_desk(&scope)?;
    let is_named = proposal.reference.is_some();
    let note = Note {
        supersedes: proposal.supersedes.iter().copied().map(LessonId).collect(),
        ..Note::new(proposal.into())
    };
    let outcome = if is_named {
        desk.note_once(note)?
    } else {
        desk.note(note)?
    };
    let name = name_note_outcome(&outcome);
    door.state.metrics.count_lesson(name);
    let lesson = outcome.into_lesson().map_err(ApiError::refused)?;
    // What waits is shown to whoever may decide about it only.
    let lesson = desk.lesson(lesson.id)?;
    json(&LessonReply {
        outcome: Some(name),
        ..LessonReply::from(&lesson)
    })
}

/// Which lessons to list.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Only lessons of this agent.
    agent_id: Option<String>,
    /// Only lessons of this project.
    project: Option<String>,
    /// Only lessons that hold all these words, in their slug, title, signature, text, situation, mistake or tags; the
    /// most similar first.
    q: Option<String>,
    /// Only lessons with this tag.
    tag: Option<String>,
    /// Only lessons of this cause, such as `error` or `manual`.
    cause: Option<String>,
    /// How many: 100 unless said, at most 200; of a search 20, at most 50. What is no number from 1 on stands for the
    /// usual number.
    limit: Option<String>,
    /// Only lessons in this state: `active`, `pending`, `quarantined`, `superseded` or `archived`. Unless said,
    /// all that were not replaced or archived.
    status: Option<String>,
    /// The `next_cursor` of the page before.
    cursor: Option<String>,
}

/// List lessons, or search them.
fn list_lessons(door: &Door, QueryOf(query): QueryOf<ListQuery>) -> Result<Response> {
    let scope = parse_asked_scope(query.agent_id.as_ref(), query.project.as_ref())?;
    let listing = query.parse_listing()?;
    let desk = door.read_desk(&scope)?;
    let within = filter_by_names(&desk, &scope);
    let listing = LessonListing { within, ..listing };
    let lessons = if listing.search_text.is_empty() {
        desk.lessons(&listing)?
    } else {
        desk.search_words(&listing)?
    };
    json(&make_page(&lessons, &listing))
}

impl ListQuery {
    fn parse_listing(&self) -> Result<LessonListing> {
        let search_text = self.q.clone().unwrap_or_default();
        let (default, most) = if search_text.trim().is_empty() {
            BROWSED
        } else {
            SEARCHED
        };
        Ok(LessonListing {
            status: parse_word(self.status.as_deref(), "status", StatusName::from_name)?,
            tag: self.tag.as_deref().map(normalise_tag),
            cause: parse_word(self.cause.as_deref(), "cause", Cause::from_name)?,
            search_text: search_text.trim().to_owned(),
            order: LessonOrder::LastShownFirst,
            before: parse_number(self.cursor.as_deref(), "cursor")?.map(LessonId),
            limit: parse_limit(self.limit.as_deref(), default, most),
            ..LessonListing::default()
        })
    }
}

fn parse_word<T>(
    word: Option<&str>,
    field: &'static str,
    read: fn(&str) -> Option<T>,
) -> Result<Option<T>> {
    let unknown = |word| ApiError::bad_request(format!("there is no {field} {word:?}"));
    let parse = |word| read(word).ok_or_else(|| unknown(word).with_field(field));
    word.map(parse).transpose()
}

/// Reads how many are wanted. As published, what is no number from 1 on stands for the usual number; more than the most
/// is the most.
fn parse_limit(limit: Option<&str>, default: usize, most: usize) -> usize {
    let number = limit.and_then(|limit| limit.trim().parse::<usize>().ok());
    let number = number.filter(|number| *number > 0);
    number.unwrap_or(default).min(most)
}

fn make_page<'a>(lessons: &'a [Lesson], listing: &LessonListing) -> LessonPageReply<'a> {
    let is_full = lessons.len() == listing.limit && listing.search_text.is_empty();
    let last = lessons.last().filter(|_| is_full);
    let is_meant = |lesson: &&Lesson| listing.status.is_some() || !lesson.status.is_retired();
    let lessons = lessons.iter().filter(is_meant);
    LessonPageReply {
        lessons: lessons.map(PublishedLesson::from).collect(),
        next_cursor: last.map(|lesson| lesson.id.0.to_string()),
    }
}

/// Read one lesson.
fn show_lesson(door: &Door, LessonNumber(id): LessonNumber) -> Result<Response> {
    let lesson = door.find_lesson(id, |desk| Ok(desk.lesson(id)?))?;
    check_present(&lesson)?;
    json(&LessonReply::from(&lesson))
}

/// Change the words of a lesson.
///
/// An agent may change what an agent of its name wrote, until something came of it.
fn revise_lesson(
    door: &Door,
    (LessonNumber(id), JsonBody(patch)): (LessonNumber, JsonBody<LessonPatch>),
) -> Result<Response> {
    let edit = parse_edit(patch)?;
    door.change_lesson(id, |desk| {
        check_present(&desk.lesson(id)?)?;
        desk.revise_lesson(id, &edit)?;
        json(&LessonReply::from(&desk.lesson(id)?))
    })
}

/// Whether to erase.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct DeleteQuery {
    /// Erase its words for ever, instead of taking it out of use. An owner's right.
    #[serde(default)]
    erase: bool,
}

/// Delete a lesson.
///
/// It is taken out of use and stays on record, unless it is to be erased.
fn delete_lesson(
    door: &Door,
    (LessonNumber(id), QueryOf(query)): (LessonNumber, QueryOf<DeleteQuery>),
) -> Result<Response> {
    door.change_lesson(id, |desk| {
        if query.erase {
            desk.erase_lesson(id)?;
        } else {
            check_present(&desk.lesson(id)?)?;
            desk.archive_within_trust(id, &"deleted through the API".into())?;
        }
        json(&DeletedReply { deleted: true })
    })
}

/// A lesson that was deleted is no longer there, though it is on record.
fn check_present(lesson: &Lesson) -> Result<()> {
    match lesson.status {
        Status::Archived { .. } => Err(ApiError::lesson_not_found()),
        _ => Ok(()),
    }
}

/// Reads new words for a lesson, of which there must be some.
pub(super) fn parse_edit(patch: LessonPatch) -> Result<LessonEdit> {
    if patch.is_empty() {
        let nothing = "nothing to change: give signature, lesson_text or tags";
        return Err(ApiError::bad_request(nothing));
    }
    check_words(patch.signature.as_deref(), patch.lesson_text.as_deref())?;
    Ok(LessonEdit::from(patch))
}

/// What is said of a lesson without words.
const REQUIRED: &str = "required fields: signature, lesson_text";

/// Checks the limits of words that were sent, with the published texts.
fn check_words(signature: Option<&str>, text: Option<&str>) -> Result<()> {
    let is_blank = |words: Option<&str>| words.is_some_and(|word| word.trim().is_empty());
    if is_blank(signature) || is_blank(text) {
        return Err(ApiError::bad_request(REQUIRED));
    }
    let fields = [
        ("signature", signature, limits::SIGNATURE_CHARS),
        ("lesson_text", text, limits::TEXT_CHARS),
    ];
    for (name, words, most) in fields {
        if words.is_some_and(|words| words.chars().count() > most) {
            let message = format!("{name} must be ≤ {most} chars");
            return Err(ApiError::bad_request(message).with_field(name));
        }
    }
    Ok(())
}
