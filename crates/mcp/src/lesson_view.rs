//! What the protocol adds to lessons as an agent may read them (`hardwon_api::v1::lesson::agent`): links to
//! them, and trouble in words.

use hardwon_api::v1::lesson::agent::{lesson_uri, sanitize_text};
use hardwon_core::Lesson;
use rmcp::{
    ErrorData,
    model::{ContentBlock, Resource},
};

use crate::McpError;

/// What every resource is written in.
pub(crate) const JSON_TYPE: &str = "application/json";

/// Says what went wrong and what to do about it.
pub(crate) fn render_error(failure: &McpError) -> String {
    let message = failure.to_string();
    let lines: Vec<String> = message.lines().map(sanitize_text).collect();
    lines.join("\n")
}

/// Points at a lesson that is too long to be told whole.
pub(crate) fn lesson_link(lesson: &Lesson) -> ContentBlock {
    let resource = Resource::new(lesson_uri(lesson), format!("lesson {}", lesson.id))
        .with_description(sanitize_text(lesson.content.title.as_str()))
        .with_mime_type(JSON_TYPE);
    ContentBlock::resource_link(resource)
}

/// A request that nobody here can take: the name is not one of ours.
pub(crate) fn unknown_name(thing: &str, name: &str) -> ErrorData {
    let name = hardwon_redact::quote_error(&name);
    ErrorData::invalid_params(format!("there is no {thing} {name:?}"), None)
}
