//! What the outside sees: the JSON of every command, and nothing else.
//!
//! Domain types do not serialise themselves, so they can change without breaking anybody. These
//! can not.

use std::collections::BTreeMap;

use hardwon_core::{lesson::Lesson, lesson_md::FileFinding, text::CleanText};
use hardwon_engine::files::SkippedFile;
use serde::{Deserialize, Serialize};

/// A text with the caller's name for it, in and out of filters.
#[derive(Debug, Serialize, Deserialize)]
pub struct TextSample {
    /// The caller's name for it, given back as it came.
    pub id: serde_json::Value,
    /// The text.
    pub text: String,
}

impl TextSample {
    /// What a line that holds one looks like.
    pub const SHAPE: &str = r#"{"id","text"}"#;
}

/// Something that is wrong with a LESSON.md file.
#[derive(Debug, Serialize)]
pub struct FindingDto<'a> {
    file: &'a str,
    line: usize,
    field: &'a str,
    code: &'static str,
    severity: &'static str,
    message: &'a str,
}

impl<'a> From<&'a (String, FileFinding)> for FindingDto<'a> {
    fn from((file, finding): &'a (String, FileFinding)) -> Self {
        Self {
            file,
            line: finding.line,
            field: &finding.field,
            code: finding.code.name(),
            severity: finding.severity.name(),
            message: &finding.message,
        }
    }
}

/// A file that was passed over.
#[derive(Debug, Serialize)]
pub struct SkippedDto<'a> {
    name: &'a str,
    why: &'a str,
}

impl<'a> From<&'a SkippedFile> for SkippedDto<'a> {
    fn from(skipped: &'a SkippedFile) -> Self {
        Self {
            name: &skipped.name,
            why: &skipped.reason,
        }
    }
}

/// A page of lessons.
#[derive(Debug, Serialize)]
pub struct LessonsDto<'a> {
    lessons: Vec<LessonDto<'a>>,
}

impl<'a> From<&'a [Lesson]> for LessonsDto<'a> {
    fn from(lessons: &'a [Lesson]) -> Self {
        Self {
            lessons: lessons.iter().map(LessonDto::from).collect(),
        }
    }
}

/// A lesson as JSON shows it.
#[derive(Debug, Serialize)]
pub struct LessonDto<'a> {
    id: i64,
    slug: &'a str,
    title: &'a str,
    signature: &'a str,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    situation: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mistake: Option<&'a str>,
    tags: Vec<&'a str>,
    tools: Vec<&'a str>,
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    reference: Option<&'a str>,
    agent: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<&'a str>,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    cause: &'static str,
    outcome: &'static str,
    trust: &'static str,
    tainted: bool,
    confidence: f64,
    evidence: Vec<EvidenceDto<'a>>,
    shown: u64,
    helped: u64,
    wrong: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_seen: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
    created: String,
    updated: String,
    supersedes: Vec<i64>,
    contradicts: Vec<i64>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    metadata: BTreeMap<&'a str, &'a str>,
}

#[derive(Debug, Serialize)]
struct EvidenceDto<'a> {
    kind: &'static str,
    #[serde(rename = "ref")]
    reference: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
}

impl<'a> From<&'a Lesson> for LessonDto<'a> {
    fn from(lesson: &'a Lesson) -> Self {
        let content = &lesson.content;
        Self {
            id: lesson.id.0,
            slug: lesson.slug.as_str(),
            title: content.title.as_str(),
            signature: content.signature.as_str(),
            text: content.text.as_str(),
            situation: content.situation.as_ref().map(CleanText::as_str),
            mistake: content.mistake.as_ref().map(CleanText::as_str),
            tags: content.tags.iter().map(CleanText::as_str).collect(),
            tools: content.tools.iter().map(CleanText::as_str).collect(),
            reference: content.reference.as_ref().map(CleanText::as_str),
            agent: lesson.scope.agent.as_str(),
            project: lesson
                .scope
                .project
                .as_ref()
                .map(|project| project.display_name()),
            status: lesson.status.name(),
            why: hardwon_engine::status_reason(&lesson.status),
            cause: lesson.cause.name(),
            outcome: lesson.outcome.name(),
            trust: lesson.trust.class.name(),
            tainted: lesson.trust.tainted,
            confidence: lesson.confidence,
            evidence: lesson.evidence.iter().map(EvidenceDto::from).collect(),
            shown: lesson.counts.shown,
            helped: lesson.counts.helped,
            wrong: lesson.counts.harmed,
            last_seen: lesson.counts.last_shown.map(|at| at.to_string()),
            expires_at: lesson.expires_at.map(|at| at.to_string()),
            created: lesson.created.to_string(),
            updated: lesson.updated.to_string(),
            supersedes: lesson.supersedes.iter().map(|id| id.0).collect(),
            contradicts: lesson.contradicts.iter().map(|id| id.0).collect(),
            metadata: content
                .metadata
                .iter()
                .map(|(k, v)| (k.as_str(), v.as_str()))
                .collect(),
        }
    }
}

impl<'a> From<&'a hardwon_core::evidence::Evidence> for EvidenceDto<'a> {
    fn from(evidence: &'a hardwon_core::evidence::Evidence) -> Self {
        Self {
            kind: evidence.kind.name(),
            reference: evidence.reference.as_str(),
            note: evidence.note.as_ref().map(CleanText::as_str),
        }
    }
}
