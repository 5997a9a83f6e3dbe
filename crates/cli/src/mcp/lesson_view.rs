//! What this door adds to lessons as an agent may read them (`hardwon_api::v1::lesson::agent`): links to
//! them, and trouble in words.

use hardwon_api::v1::lesson::agent::{lesson_uri, sanitize_text};
use hardwon_core::lesson::Lesson;
use rmcp::model::{ContentBlock, Resource};

use crate::error::CliError;

/// What every resource is written in.
pub(super) const JSON_TYPE: &str = "application/json";

/// Says what went wrong and what to do about it.
pub(super) fn render_error(failure: &CliError) -> String {
    let told = failure.to_string();
    let lines: Vec<String> = told.lines().map(sanitize_text).collect();
    lines.join("\n")
}

/// Points at a lesson that is too long to be told whole.
pub(super) fn lesson_link(lesson: &Lesson) -> ContentBlock {
    let resource = Resource::new(lesson_uri(lesson), format!("lesson {}", lesson.id))
        .with_description(sanitize_text(lesson.content.title.as_str()))
        .with_mime_type(JSON_TYPE);
    ContentBlock::resource_link(resource)
}
