//! What can be read by its address: one lesson, the index, and what waits for a person.

use hardwon_core::{id::LessonId, lesson::Lesson, limits};
use hardwon_engine::{Desk, Error};
use hardwon_store::{Listing, StatusName, Within};
use rmcp::{
    ErrorData,
    model::{CacheScope, ReadResourceResult, Resource, ResourceContents, ResourceTemplate},
};
use serde::Serialize;

use super::{
    Caller,
    caller::readable,
    told::{self, JSON, Row, Whole},
};
use crate::{error::Failure, input};

/// How long a client may take what it read as fresh.
const TTL_MS: u64 = 5_000;

const INDEX: &str = "lessons://index";
const REVIEW_QUEUE: &str = "lessons://review-queue";
const LESSON: &str = "lesson://";

/// What an address means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Address {
    /// The lessons in use.
    Index,
    /// What waits for a person.
    ReviewQueue,
    /// One lesson, and whether it is said to belong to the project.
    Lesson { id: LessonId, in_project: bool },
}

impl Address {
    /// Reads an address, written exactly as we write it.
    pub(super) fn parse(uri: &str) -> Option<Self> {
        match uri {
            INDEX => return Some(Self::Index),
            REVIEW_QUEUE => return Some(Self::ReviewQueue),
            _ => {}
        }
        let (place, number) = uri.strip_prefix(LESSON)?.split_once('/')?;
        let in_project = match place {
            "project" => true,
            "everywhere" => false,
            _ => return None,
        };
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
        let id = LessonId(number.parse().ok().filter(|_| is_number)?);
        Some(Self::Lesson { id, in_project })
    }
}

/// Describes the resources that are always there.
pub(super) fn all() -> Vec<Resource> {
    let resource = |uri: &str, name: &str, title: &str, description: &str| {
        Resource::new(uri, name)
            .with_title(title)
            .with_description(description)
            .with_mime_type(JSON)
    };
    vec![
        resource(
            INDEX,
            "index",
            "Lessons in use",
            "The newest lessons of this project, one line each.",
        ),
        resource(
            REVIEW_QUEUE,
            "review-queue",
            "Lessons that wait for review",
            "How many lessons wait for a person to look at them, and why; not what they say.",
        ),
    ]
}

/// Describes the resources that are there for each lesson.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new("lesson://{scope}/{id}", "lesson")
            .with_title("One lesson")
            .with_description(
                "One lesson whole. The scope is `project` or `everywhere`, the id its number.",
            )
            .with_mime_type(JSON),
    ]
}

/// Reads a resource; none if there is no such lesson in sight.
pub(super) fn read(caller: &Caller, address: Address) -> Result<Option<String>, Failure> {
    let engine = caller.reader()?;
    let desk = engine.acting_as(caller.agent_whose_word(false));
    match address {
        Address::Index => json(&index(&desk)?).map(Some),
        Address::ReviewQueue => json(&review_queue(&desk)?).map(Some),
        Address::Lesson { id, in_project } => match desk.lesson(id).and_then(readable) {
            Ok(lesson) if lesson.scope.project.is_some() == in_project => {
                json(&Whole::from(&lesson)).map(Some)
            }
            Ok(_) | Err(Error::Denied(_)) => Ok(None),
            Err(error) => Err(error.into()),
        },
    }
}

/// Makes the result of a reading.
pub(super) fn result(text: String, uri: &str) -> ReadResourceResult {
    let contents = ResourceContents::text(text, uri).with_mime_type(JSON);
    ReadResourceResult::new(vec![contents])
        .with_ttl_ms(TTL_MS)
        .with_cache_scope(CacheScope::Private)
}

/// The error that the protocol has for an address that leads nowhere.
pub(super) fn not_found(uri: &str) -> ErrorData {
    let uri = input::quotable(&uri);
    let data = serde_json::json!({ "uri": uri });
    ErrorData::resource_not_found(format!("there is no resource {uri}"), Some(data))
}

/// The lessons in use, the newest first.
#[derive(Debug, Serialize)]
struct Index {
    note: &'static str,
    lessons: Vec<Entry>,
    /// Whether there are older ones.
    more: bool,
}

/// A lesson in the index.
#[derive(Debug, Serialize)]
struct Entry {
    uri: String,
    #[serde(flatten)]
    row: Row,
}

fn index(desk: &Desk<'_>) -> Result<Index, Failure> {
    let mut lessons = newest(desk, StatusName::Active, limits::INDEX_LESSONS + 1)?;
    let more = lessons.len() > limits::INDEX_LESSONS;
    lessons.truncate(limits::INDEX_LESSONS);
    let entries = lessons.iter().map(|lesson| Entry {
        uri: told::uri(lesson),
        row: Row::from(lesson),
    });
    Ok(Index {
        note: told::NOTE,
        lessons: entries.collect(),
        more,
    })
}

/// What waits for a person: how many, and of the newest the number and the reason.
#[derive(Debug, Serialize)]
struct ReviewQueue {
    waiting: u64,
    lessons: Vec<Row>,
    remedy: &'static str,
}

fn review_queue(desk: &Desk<'_>) -> Result<ReviewQueue, Failure> {
    let mut lessons = newest(desk, StatusName::Pending, limits::INDEX_LESSONS)?;
    lessons.extend(newest(
        desk,
        StatusName::Quarantined,
        limits::INDEX_LESSONS,
    )?);
    lessons.sort_by_key(|lesson| std::cmp::Reverse(lesson.id));
    lessons.truncate(limits::INDEX_LESSONS);
    Ok(ReviewQueue {
        waiting: waiting(desk)?,
        lessons: lessons.iter().map(Row::from).collect(),
        remedy: "a person decides with `hardwon lesson approve` or `hardwon lesson reject`",
    })
}

fn waiting(desk: &Desk<'_>) -> Result<u64, Failure> {
    let counts = desk.census()?;
    Ok(counts
        .iter()
        .map(|(_, it)| it.pending + it.quarantined)
        .sum())
}

fn newest(desk: &Desk<'_>, status: StatusName, limit: usize) -> Result<Vec<Lesson>, Failure> {
    let listing = Listing {
        within: Within::Visible(desk.who().scope.clone()),
        status: Some(status),
        limit,
        ..Listing::default()
    };
    Ok(desk.lessons(&listing)?)
}

fn json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(value).map_err(|error| Failure::fault(format!("writing JSON: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let lesson = |id, in_project| {
            let id = LessonId(id);
            Some(Address::Lesson { id, in_project })
        };
        for (uri, address) in [
            ("lessons://index", Some(Address::Index)),
            ("lessons://review-queue", Some(Address::ReviewQueue)),
            ("lesson://project/14", lesson(14, true)),
            ("lesson://everywhere/14", lesson(14, false)),
            ("lesson://everywhere/+14", None),
            ("lesson://everywhere/-1", None),
            ("lesson://everywhere/", None),
            ("lesson://everywhere/14/", None),
            ("lesson://everywhere/99999999999999999999", None),
            ("lesson://other/14", None),
            ("lesson://14", None),
            ("lessons://index/", None),
            ("LESSONS://index", None),
            ("file:///etc/passwd", None),
            ("", None),
        ] {
            assert_eq!(Address::parse(uri), address, "{uri}");
        }
    }
}
