//! A lesson whole, for the person whose it is and for their programs.
//!
//! What an agent may read of a lesson is less, and is cleaned again: see [`agent`]. What somebody sends
//! to have it recorded is in [`new`]; the shapes of the REST API are in [`published`], and
//! which lessons come up at a call is in [`when`].

pub mod agent;
pub mod new;
pub mod published;
pub mod when;

use std::collections::BTreeMap;

use hardwon_core::{CleanText, Evidence, Lesson, trigger};
use serde::Serialize;
use utoipa::ToSchema;

/// Lessons, in the order in which they were asked for.
#[derive(Debug, Serialize)]
pub struct LessonsDto<'a> {
    /// The lessons; empty where there are none.
    pub lessons: Vec<LessonDto<'a>>,
}

impl<'a> From<&'a [Lesson]> for LessonsDto<'a> {
    fn from(lessons: &'a [Lesson]) -> Self {
        Self {
            lessons: lessons.iter().map(LessonDto::from).collect(),
        }
    }
}

/// One lesson, with where it came from and how it fared.
#[derive(Debug, Serialize)]
pub struct LessonDto<'a> {
    /// Its number.
    pub id: i64,
    /// The command or the words of an error that call for it; may be empty.
    pub signature: &'a str,
    /// What to do or avoid; may have several lines.
    pub text: &'a str,
    /// What is said of it in every form.
    #[serde(flatten)]
    pub facts: LessonFacts<'a>,
    /// The agent whose lesson it is.
    pub agent: &'a str,
    /// The project that it belongs to, as people know it; absent if it applies everywhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<&'a str>,
    /// Recalls that showed it.
    pub shown: u64,
    /// When it was last shown; absent if it never was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_seen: Option<String>,
    /// When it stops being true; absent if there is no such time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// When it was recorded.
    pub created: String,
    /// When its words or its state last changed.
    pub updated: String,
    /// What other programs wrote into its file, by vendor, each as JSON text; absent if nothing.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<&'a str, &'a str>,
}

/// What is said of a lesson in every form, a person's and the published one.
#[derive(Debug, Serialize, ToSchema)]
pub struct LessonFacts<'a> {
    /// Its name in files: lower-case letters, digits and hyphens, 2 to 80 characters.
    pub slug: &'a str,
    /// Its first line, 1 to 200 characters.
    pub title: &'a str,
    /// When it applies; absent if nobody said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub situation: Option<&'a str>,
    /// What went wrong; absent if nobody said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mistake: Option<&'a str>,
    /// Its topics.
    pub tags: Vec<&'a str>,
    /// The names of the tools that it is about.
    pub tools: Vec<&'a str>,
    /// When it comes up, each moment in a few words.
    pub comes_up: Vec<String>,
    /// The name that its author gave it, which need not be unique; absent if they gave none.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<&'a str>,
    /// `active`, `pending`, `quarantined`, `superseded` or `archived`.
    pub status: &'static str,
    /// Why it is not active; absent if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What set the learning off, such as `error`, `correction` or `manual`.
    pub cause: &'static str,
    /// How the runs behind it ended: `success`, `failure` or `mixed`.
    pub outcome: &'static str,
    /// Whose word it is: `imported`, `distilled`, `derived`, `agent` or `person`.
    pub trust: &'static str,
    /// Whether content from outside had a part in it.
    pub tainted: bool,
    /// Its author's own belief in it, 0 to 1.
    pub confidence: f64,
    /// Where it came from.
    pub evidence: Vec<EvidenceDto<'a>>,
    /// Outcomes that speak for it.
    pub helped: u64,
    /// Outcomes that speak against it.
    pub wrong: u64,
    /// The numbers of the lessons that it names as replaced.
    pub supersedes: Vec<i64>,
    /// The numbers of lessons that say the opposite.
    pub contradicts: Vec<i64>,
}

/// One reason to believe a lesson: a pointer, never the content of what it points at.
#[derive(Debug, Serialize, ToSchema)]
pub struct EvidenceDto<'a> {
    /// `run`, `conversation`, `work-item`, `audit` or `wiki-page`.
    pub kind: &'static str,
    /// Which one: a run's name, a URL, a path.
    #[serde(rename = "ref")]
    pub reference: &'a str,
    /// What happened there, in a line; absent if nobody said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<&'a str>,
}

impl<'a> From<&'a Lesson> for LessonDto<'a> {
    fn from(lesson: &'a Lesson) -> Self {
        let content = &lesson.content;
        let metadata = content.metadata.iter();
        Self {
            id: lesson.id.0,
            signature: content.signature.as_str(),
            text: content.text.as_str(),
            facts: LessonFacts::from(lesson),
            agent: lesson.scope.agent.as_str(),
            project: lesson.scope.display_project(),
            shown: lesson.counts.shown,
            last_seen: lesson.counts.last_shown.map(|at| at.to_string()),
            expires_at: lesson.expires_at.map(|at| at.to_string()),
            created: lesson.created.to_string(),
            updated: lesson.updated.to_string(),
            metadata: metadata.map(|(k, v)| (k.as_str(), v.as_str())).collect(),
        }
    }
}

impl<'a> From<&'a Lesson> for LessonFacts<'a> {
    fn from(lesson: &'a Lesson) -> Self {
        let content = &lesson.content;
        Self {
            slug: lesson.slug.as_str(),
            title: content.title.as_str(),
            situation: content.situation.as_ref().map(CleanText::as_str),
            mistake: content.mistake.as_ref().map(CleanText::as_str),
            tags: content.tags.iter().map(CleanText::as_str).collect(),
            tools: content.tools.iter().map(CleanText::as_str).collect(),
            comes_up: trigger::describe_moments(lesson),
            reference: author_reference(lesson),
            status: lesson.status.name(),
            why: hardwon_engine::status_reason(&lesson.status),
            cause: lesson.cause.name(),
            outcome: lesson.outcome.name(),
            trust: lesson.trust.class.name(),
            tainted: lesson.trust.tainted,
            confidence: lesson.confidence,
            evidence: lesson.evidence.iter().map(EvidenceDto::from).collect(),
            helped: lesson.counts.helped,
            wrong: lesson.counts.harmed,
            supersedes: lesson.supersedes.iter().map(|id| id.0).collect(),
            contradicts: lesson.contradicts.iter().map(|id| id.0).collect(),
        }
    }
}

impl<'a> From<&'a Evidence> for EvidenceDto<'a> {
    fn from(evidence: &'a Evidence) -> Self {
        Self {
            kind: evidence.kind.name(),
            reference: evidence.reference.as_str(),
            note: evidence.note.as_ref().map(CleanText::as_str),
        }
    }
}

/// Returns the name that a lesson's author gave it.
pub(super) fn author_reference(lesson: &Lesson) -> Option<&str> {
    lesson.content.reference.as_ref().map(CleanText::as_str)
}
