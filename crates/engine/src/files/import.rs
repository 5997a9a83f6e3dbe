//! Reading a folder of lessons into the store: through the guard, like everything else.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use hardwon_core::{
    AdmittedLesson, Change, DecisionContext, DecisionOutcome as Decided, GuardVerdict, Lesson,
    LessonDecision, LessonId, Slug, Status, Trust, TrustClass,
    change::{apply_change, decide_admission},
};
use hardwon_store::{Commit as _, Write};
use jiff::Timestamp;

use super::{
    SlugAllocator,
    folder::{FolderContents, LessonDirectory},
};
use crate::{
    Desk, FileFinding, LessonFile, NoteOutcome, Result, Rights, SkippedFile,
    lesson_md::{self, lint_folder},
    note::outcome_from_decision,
};

/// Files whose lessons are stored in one transaction.
const BATCH_FILES: usize = 256;

/// What became of one file.
#[derive(Debug, Clone, PartialEq)]
pub struct FileImport {
    /// The file's name.
    pub file: String,
    /// What became of it.
    pub outcome: NoteOutcome,
}

/// What became of a folder.
#[derive(Debug, Clone, Default)]
pub struct ImportReport {
    /// What became of each file that is a lesson.
    pub files: Vec<FileImport>,
    /// What is wrong with the files, those that are no lessons included.
    pub findings: Vec<(String, FileFinding)>,
    /// What was passed over.
    pub skipped: Vec<SkippedFile>,
}

impl Desk<'_> {
    /// Reads the lessons of a folder, or one file. Each is a file's word: it enters as the policy
    /// says, and what it claims about itself is kept and not believed.
    ///
    /// A dry run changes nothing; two files that say the same are then both taken for new.
    pub fn import_lessons(&self, path: &Path, dry_run: bool) -> Result<ImportReport> {
        self.principal.check_right(Rights::Curate)?;
        let contents = FolderContents::from_path(path)?;
        let findings = lint_folder(&contents.to_lesson_folder(), self.now());
        let mut names = ScopeNames::from_lessons(&self.all_lessons(&self.principal.scope)?);
        let files = sort_by_replacement(&contents);
        let mut imports = Vec::new();
        for files in files.chunks(BATCH_FILES) {
            if dry_run {
                for (stem, file) in files {
                    let outcome = self.preview_file(file, &mut names)?;
                    imports.push(FileImport::new(stem, outcome));
                }
            } else {
                let (after, more) = self.import_batch(files, &names)?;
                names = after;
                imports.extend(more);
            }
        }
        Ok(ImportReport {
            files: imports,
            findings,
            skipped: contents.skipped,
        })
    }

    /// Checks that the principal may import lessons.
    pub fn check_may_import(&self) -> Result<()> {
        Ok(self.principal.check_right(Rights::Curate)?)
    }

    /// Imports some files in one transaction; returns the names with what they added to it.
    fn import_batch(
        &self,
        files: &[(&str, &LessonFile)],
        names: &ScopeNames,
    ) -> Result<(ScopeNames, Vec<FileImport>)> {
        let now = self.now();
        self.commit(|tx| {
            let mut names = names.clone();
            let mut imports = Vec::new();
            for (stem, file) in files {
                let outcome = match self.admit_file(file, &names) {
                    Ok(it) => names.store_lesson(self, tx, *it, now)?,
                    Err(reasons) => NoteOutcome::refuse(&reasons),
                };
                imports.push(FileImport::new(stem, outcome));
            }
            Ok((names, imports))
        })
    }

    fn admit_file(&self, file: &LessonFile, names: &ScopeNames) -> GuardVerdict {
        let trust = Trust::new(TrustClass::Imported, self.principal.trust.tainted);
        let (scope, old_lessons) = (&self.principal.scope, names.superseded_lessons(file));
        lesson_md::admit_file(file, scope, trust, old_lessons, &self.policy.guard)
    }

    fn preview_file(&self, file: &LessonFile, names: &mut ScopeNames) -> Result<NoteOutcome> {
        let admitted_lesson = match self.admit_file(file, names) {
            Ok(admitted) => admitted,
            Err(reasons) => return Ok(NoteOutcome::refuse(&reasons)),
        };
        let (now, capacity) = (self.now(), self.policy.capacity);
        let reader = self.snapshot()?;
        let context = reader.decision_context(&admitted_lesson, capacity)?;
        let decision = names.assign_names(decide_file(*admitted_lesson, &context, capacity, now));
        let mut changes = decision.changes.iter();
        let add = changes.find(|change| matches!(change, Change::Add { .. }));
        let lesson = match add.map(|add| apply_change(None, add, now)) {
            Some(Ok(lesson)) => lesson,
            _ => reader.lesson(self.tenant(), decision.lesson)?,
        };
        let lesson = lesson.expect("a decision names a lesson that is there or is added");
        names.add_lesson(&lesson);
        Ok(outcome_from_decision(decision.outcome, Box::new(lesson)))
    }
}

impl FileImport {
    fn new(stem: &str, outcome: NoteOutcome) -> Self {
        Self {
            file: format!("{stem}.md"),
            outcome,
        }
    }
}

/// The names that are taken in a scope, by lessons that are in use or wait.
#[derive(Debug, Clone, Default)]
pub(super) struct ScopeNames {
    ids: BTreeMap<Slug, LessonId>,
    names: SlugAllocator,
}

impl ScopeNames {
    pub(super) fn from_lessons(lessons: &[Lesson]) -> Self {
        let mut names = Self::default();
        // One in use is meant before one that waits.
        let (open, waiting): (Vec<&Lesson>, Vec<&Lesson>) = lessons
            .iter()
            .partition(|lesson| lesson.status == Status::Active);
        for lesson in open.into_iter().chain(waiting) {
            if !super::is_inactive(lesson) {
                names.add_lesson(lesson);
            }
        }
        names
    }

    fn add_lesson(&mut self, lesson: &Lesson) {
        self.ids.entry(lesson.slug.clone()).or_insert(lesson.id);
        self.names.taken.insert(lesson.slug.clone());
    }

    /// Returns the lessons that a file's slugs mean.
    pub(super) fn superseded_lessons(&self, file: &LessonFile) -> Vec<LessonId> {
        let slugs = file.fields().supersedes.iter();
        slugs
            .filter_map(|slug| self.ids.get(slug).copied())
            .collect()
    }

    /// Gives a lesson that is to be added a name that is free.
    fn assign_names(&mut self, mut decision: LessonDecision) -> LessonDecision {
        for change in &mut decision.changes {
            if let Change::Add { admitted, .. } = change {
                admitted.slug = self.names.allocate(&admitted.slug);
            }
        }
        decision
    }

    /// Decides about a file's lesson and carries that out.
    fn store_lesson(
        &mut self,
        desk: &Desk<'_>,
        tx: &mut dyn Write,
        admitted: AdmittedLesson,
        now: Timestamp,
    ) -> hardwon_store::Result<NoteOutcome> {
        let capacity = desk.policy.capacity;
        let context = tx.reader().decision_context(&admitted, capacity)?;
        let decision = self.assign_names(decide_file(admitted, &context, capacity, now));
        let outcome = desk.apply_decision(tx, decision, &desk.principal.actor, now)?;
        outcome
            .lesson()
            .into_iter()
            .for_each(|lesson| self.add_lesson(lesson));
        Ok(outcome)
    }
}

/// Decides about a file's lesson. One that was read before is known, also if it has expired: then
/// any other word of the same would make it new, but this is the same word.
fn decide_file(
    admitted: AdmittedLesson,
    known: &DecisionContext,
    capacity: usize,
    now: Timestamp,
) -> LessonDecision {
    let is_same = |it: &&Lesson| {
        it.expires_at == admitted.expires_at
            && lesson_md::content_without_file(&it.admitted)
                == lesson_md::content_without_file(&admitted)
    };
    match known.similar.iter().find(is_same) {
        Some(same) if admitted.expires_at.is_some_and(|end| end <= now) => LessonDecision {
            lesson: same.id,
            outcome: Decided::Known,
            changes: Vec::new(),
        },
        _ => decide_admission(admitted, known, capacity, now),
    }
}

/// Stores one file's lesson in a transaction of its own.
pub(super) fn store_file(
    desk: &Desk<'_>,
    admitted: &AdmittedLesson,
    names: &ScopeNames,
) -> Result<NoteOutcome> {
    let now = desk.now();
    desk.engine.store.commit(desk.tenant(), |tx| {
        let lesson = admitted.clone();
        Ok(names.clone().store_lesson(desk, tx, lesson, now)?)
    })
}

/// Returns the files that are lessons by name, what is replaced before what replaces it.
fn sort_by_replacement(contents: &FolderContents) -> Vec<(&str, &LessonFile)> {
    let files: BTreeMap<&str, &LessonFile> = contents
        .files
        .iter()
        .filter_map(|(stem, held)| Some((stem.as_str(), held.parsed.file.as_ref()?)))
        .collect();
    let mut order = Vec::with_capacity(files.len());
    let mut visited_stems = BTreeSet::new();
    for stem in files.keys() {
        // What a file replaces comes first; a circle ends where it began.
        let mut open = vec![(*stem, false)];
        while let Some((stem, is_ready)) = open.pop() {
            let Some((stem, file)) = files.get_key_value(stem) else {
                continue;
            };
            if is_ready {
                order.push((*stem, *file));
            } else if visited_stems.insert(*stem) {
                open.push((stem, true));
                let slugs = file.fields().supersedes.iter();
                open.extend(slugs.map(|slug| (slug.as_str(), false)));
            }
        }
    }
    order
}

impl FolderContents {
    /// Reads a folder, or one file.
    pub(super) fn from_path(path: &Path) -> Result<Self> {
        if path.is_dir() {
            LessonDirectory::from_path(path).read_contents()
        } else {
            Self::from_file(path)
        }
    }
}
