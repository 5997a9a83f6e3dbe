//! What can be read by its address: one lesson, the index, and what waits for a person.

use hardwon_api::v1::{
    lesson::agent::{
        IndexEntry, LESSONS_NOTE, LessonIndex, LessonRow, ReviewQueue, WholeLesson,
        require_readable,
    },
    verbs::VerbEffect,
};
use hardwon_core::{Lesson, LessonId, limits};
use hardwon_engine::{Desk, Error};
use hardwon_store::{LessonListing, ScopeFilter, StatusName};
use rmcp::{
    ErrorData,
    model::{CacheScope, ReadResourceResult, Resource, ResourceContents, ResourceTemplate},
};
use serde::Serialize;

use crate::{CallContext, McpError, Result, context::at_desk, lesson_view::JSON_TYPE};

/// How long a client may take what it read as fresh.
const TTL_MS: u64 = 5_000;

const INDEX_URI: &str = "lessons://index";
const REVIEW_QUEUE_URI: &str = "lessons://review-queue";
const LESSON_SCHEME: &str = "lesson://";

/// What an address means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResourceAddress {
    /// The lessons in use.
    Index,
    /// What waits for a person.
    ReviewQueue,
    /// One lesson, and whether it is said to belong to the project.
    Lesson { id: LessonId, in_project: bool },
}

impl ResourceAddress {
    /// Reads an address, written exactly as we write it.
    pub(crate) fn parse(uri: &str) -> Option<Self> {
        match uri {
            INDEX_URI => return Some(Self::Index),
            REVIEW_QUEUE_URI => return Some(Self::ReviewQueue),
            _ => {}
        }
        let (place, number) = uri.strip_prefix(LESSON_SCHEME)?.split_once('/')?;
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
pub(crate) fn list_resources() -> Vec<Resource> {
    let resource = |uri: &str, name: &str, title: &str, description: &str| {
        Resource::new(uri, name)
            .with_title(title)
            .with_description(description)
            .with_mime_type(JSON_TYPE)
    };
    vec![
        resource(
            INDEX_URI,
            "index",
            "Lessons in use",
            "The newest lessons of this project, one line each.",
        ),
        resource(
            REVIEW_QUEUE_URI,
            "review-queue",
            "Lessons that wait for review",
            "How many lessons wait for a person to look at them, and why; not what they say.",
        ),
    ]
}

/// Describes the resources that are there for each lesson.
pub(crate) fn list_templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new("lesson://{scope}/{id}", "lesson")
            .with_title("One lesson")
            .with_description(
                "One lesson whole. The scope is `project` or `everywhere`, the id its number.",
            )
            .with_mime_type(JSON_TYPE),
    ]
}

/// Reads a resource; none if there is no such lesson in sight.
pub(crate) fn read_resource(
    context: &dyn CallContext,
    address: ResourceAddress,
) -> Result<Option<String>> {
    at_desk(context, VerbEffect::Reads, None, |call| match address {
        ResourceAddress::Index => to_json(&build_index(&call.desk)?).map(Some),
        ResourceAddress::ReviewQueue => to_json(&build_review_queue(&call.desk)?).map(Some),
        ResourceAddress::Lesson { id, in_project } => {
            match call.desk.lesson(id).and_then(require_readable) {
                Ok(lesson) if lesson.scope.project.is_some() == in_project => {
                    to_json(&WholeLesson::from(&lesson)).map(Some)
                }
                Ok(_) | Err(Error::Denied(_)) => Ok(None),
                Err(error) => Err(error.into()),
            }
        }
    })
}

/// Makes the result of a reading.
pub(crate) fn to_result(text: String, uri: &str) -> ReadResourceResult {
    let contents = ResourceContents::text(text, uri).with_mime_type(JSON_TYPE);
    ReadResourceResult::new(vec![contents])
        .with_ttl_ms(TTL_MS)
        .with_cache_scope(CacheScope::Private)
}

/// The error that the protocol has for an address that leads nowhere.
pub(crate) fn not_found_error(uri: &str) -> ErrorData {
    let uri = hardwon_redact::quote_error(&uri);
    let data = serde_json::json!({ "uri": uri });
    ErrorData::resource_not_found(format!("there is no resource {uri}"), Some(data))
}

fn build_index(desk: &Desk<'_>) -> Result<LessonIndex> {
    let mut lessons = newest_lessons(desk, StatusName::Active, limits::INDEX_LESSONS + 1)?;
    let more = lessons.len() > limits::INDEX_LESSONS;
    lessons.truncate(limits::INDEX_LESSONS);
    Ok(LessonIndex {
        note: LESSONS_NOTE,
        lessons: lessons.iter().map(IndexEntry::from).collect(),
        more,
    })
}

fn build_review_queue(desk: &Desk<'_>) -> Result<ReviewQueue> {
    let mut lessons = newest_lessons(desk, StatusName::Pending, limits::INDEX_LESSONS)?;
    lessons.extend(newest_lessons(
        desk,
        StatusName::Quarantined,
        limits::INDEX_LESSONS,
    )?);
    lessons.sort_by_key(|lesson| std::cmp::Reverse(lesson.id));
    lessons.truncate(limits::INDEX_LESSONS);
    Ok(ReviewQueue {
        waiting: desk.count_waiting()?,
        lessons: lessons.iter().map(LessonRow::from).collect(),
        remedy: "a person decides with `hardwon lesson approve` or `hardwon lesson reject`",
    })
}

fn newest_lessons(desk: &Desk<'_>, status: StatusName, limit: usize) -> Result<Vec<Lesson>> {
    let listing = LessonListing {
        within: ScopeFilter::Visible(desk.principal().scope.clone()),
        status: Some(status),
        limit,
        ..LessonListing::default()
    };
    Ok(desk.lessons(&listing)?)
}

fn to_json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| McpError::fault(format!("writing JSON: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let lesson = |id, in_project| {
            let id = LessonId(id);
            Some(ResourceAddress::Lesson { id, in_project })
        };
        for (uri, address) in [
            ("lessons://index", Some(ResourceAddress::Index)),
            ("lessons://review-queue", Some(ResourceAddress::ReviewQueue)),
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
            assert_eq!(ResourceAddress::parse(uri), address, "{uri}");
        }
    }
}
