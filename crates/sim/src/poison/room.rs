//! A store of its own for each way in, with a project of its own for each payload.

use hardwon_core::{
    CleanText, Lesson, LessonContent, LessonId, PreambleFormat, ProjectId, RunId, Scope, Status,
};
use hardwon_engine::{Engine, FixedClock, Policy};
use hardwon_store::{LessonListing, ScopeFilter, SqliteStore};
use jiff::Timestamp;
use tempfile::TempDir;

use super::payload::PoisonPayload;
use crate::desk::person_desk;

/// Engines over one SQLite file: one that writes, and one for each form of preamble.
pub(super) struct PoisonRoom {
    pub(super) engine: Engine,
    pub(super) engines_by_format: Vec<(PreambleFormat, Engine)>,
    pub(super) home: TempDir,
}

impl PoisonRoom {
    pub(super) fn new(policy: &Policy) -> anyhow::Result<Self> {
        let home = tempfile::tempdir()?;
        let open = |form: PreambleFormat| -> anyhow::Result<Engine> {
            let store = SqliteStore::open(&home.path().join("hardwon.db"))?;
            let policy = Policy {
                format: form,
                holdout: false,
                ..policy.clone()
            };
            let clock = FixedClock(Timestamp::from_second(1_800_000_000)?);
            Ok(Engine::new(Box::new(store), policy, Box::new(clock)))
        };
        let forms = PreambleFormat::ALL
            .into_iter()
            .map(|form| Ok((form, open(form)?)));
        Ok(Self {
            engine: open(PreambleFormat::default())?,
            engines_by_format: forms.collect::<anyhow::Result<_>>()?,
            home,
        })
    }

    /// Returns the lessons of a scope, the oldest first.
    pub(super) fn lessons(&self, scope: &Scope) -> anyhow::Result<Vec<Lesson>> {
        let listing = LessonListing {
            within: ScopeFilter::Visible(scope.clone()),
            limit: 100,
            ..LessonListing::default()
        };
        let mut lessons = person_desk(&self.engine, scope).lessons(&listing)?;
        lessons.reverse();
        Ok(lessons)
    }
}

/// Returns the project of a payload.
pub(super) fn payload_scope(number: usize) -> Scope {
    Scope {
        project: ProjectId::parse(&format!("h/p{number}")).ok(),
        ..Scope::default()
    }
}

pub(super) fn run_id(name: &str, scope: &Scope) -> anyhow::Result<RunId> {
    let project = scope
        .project
        .as_ref()
        .map_or("", |project| project.as_str());
    Ok(RunId::parse(&format!("{name} in {project}"))?)
}

/// Returns the active lessons that contain some of a payload.
pub(super) fn active_lessons_with(lessons: &[Lesson], payload: &PoisonPayload) -> Vec<LessonId> {
    let held = lessons
        .iter()
        .filter(|lesson| lesson.status == Status::Active);
    held.filter(|lesson| lesson_holds(lesson, payload))
        .map(|lesson| lesson.id)
        .collect()
}

/// Returns whether any text of a lesson contains some of a payload.
pub(super) fn lesson_holds(lesson: &Lesson, payload: &PoisonPayload) -> bool {
    let evidence = lesson.evidence.iter();
    let sources = evidence.flat_map(|evidence| [Some(&evidence.reference), evidence.note.as_ref()]);
    let mut texts = lesson_texts(&lesson.content);
    texts.extend(sources.flatten().map(CleanText::as_str));
    let tags: Vec<&str> = lesson.content.tags.iter().map(CleanText::as_str).collect();
    payload.is_in(&tags.join(" ")) || texts.iter().any(|text| payload.is_in(text))
}

fn lesson_texts(content: &LessonContent) -> Vec<&str> {
    let whole = [&content.title, &content.signature, &content.text];
    let asides = [&content.situation, &content.mistake, &content.reference];
    let texts = whole.into_iter().chain(asides.into_iter().flatten());
    let names = content.tags.iter().chain(&content.tools);
    let targets = content.targets.iter().map(|target| &target.glob);
    let all = texts.chain(names).chain(targets);
    let metadata = content.metadata.values();
    all.chain(metadata).map(CleanText::as_str).collect()
}
