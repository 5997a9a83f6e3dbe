//! What a sync is to do, decided from what the store says, what the files say, and what both said
//! when they last agreed. Nothing is read and nothing is changed here.
//!
//! The words of both sides are compared by their digests. A side that still says what both said has
//! nothing to add; if both moved on, and not to the same, that is a conflict, and a conflict is
//! shown and never settled by rule.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::{Lesson, LessonId, Slug};
use serde::{Serialize, Serializer};

use super::{
    ReplacedSlugs, SlugAllocator,
    agreement::{AgreementMark, SyncAgreement},
    folder::FolderContents,
    is_inactive, may_export,
};

hardwon_core::named_enum! {
    /// What is done with a file, in the order in which it is done.
    SyncAction {
        /// Nothing can be done, and a person should know.
        Report = "report",
        /// The file has a new name.
        Rename = "rename",
        /// Neither side has it any more.
        Forget = "forget",
        /// Both sides say the same.
        Agree = "agree",
        /// The lesson left: its file moves to the archive.
        ArchiveFile = "archive_file",
        /// A person erased the lesson: its file goes too.
        RemoveFile = "remove_file",
        /// The file has words that the store has not.
        TakeWords = "take",
        /// The file is back that was deleted: its lesson is in use again.
        RestoreLesson = "restore",
        /// The file was deleted: its lesson is archived.
        ArchiveLesson = "archive_lesson",
        /// Both sides changed: both are kept and shown.
        Conflict = "conflict",
        /// The lesson has words that the file has not.
        WriteFile = "write",
    }
}

/// One thing to do. Its JSON is a part of that of `hardwon sync --json`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct SyncStep {
    /// What is done.
    #[serde(rename = "step")]
    pub action: SyncAction,
    /// The name that the file had before, if it was renamed.
    #[serde(skip)]
    pub from: Option<Slug>,
    /// The file.
    #[serde(rename = "file", serialize_with = "write_file_name")]
    pub slug: Slug,
    /// The lesson that takes part; of taken words, the one whose words they replace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lesson: Option<LessonId>,
    /// Why nothing can be done, of a report.
    #[serde(rename = "why", skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
}

fn write_file_name<S: Serializer>(slug: &Slug, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&format_args!("{slug}.md"))
}

impl SyncStep {
    fn new(action: SyncAction, slug: &Slug, lesson: Option<LessonId>) -> Self {
        Self {
            action,
            from: None,
            slug: slug.clone(),
            lesson,
            reason: None,
        }
    }

    fn report(slug: &Slug, reason: &'static str) -> Self {
        Self {
            reason: Some(reason),
            ..Self::new(SyncAction::Report, slug, None)
        }
    }
}

const UNREADABLE: &str = "it is not a valid lesson: `hardwon lint` says why";
const REFUSED: &str = "the guard rejected it, and it has not changed since";
const CONFLICT: &str =
    "both the file and the lesson changed: edit the file, and delete the .conflict.md beside it";

const IN_CAPITALS: &str =
    "there is a file of this name in capitals: rename it to small letters, or to another name";

/// What is known on all sides.
pub(super) struct SyncSides<'a> {
    /// The lessons of the project, by number.
    pub(super) lessons: &'a [Lesson],
    pub(super) replaced: &'a ReplacedSlugs,
    pub(super) contents: &'a FolderContents,
    pub(super) agreements: &'a BTreeMap<Slug, SyncAgreement>,
}

impl SyncSides<'_> {
    /// Returns whether a lesson still says what it says here, and is as much in use.
    pub(super) fn is_as_planned(&self, lesson: &Lesson) -> bool {
        let place = self.lessons.binary_search_by_key(&lesson.id, |row| row.id);
        let planned_lesson = place.ok().map(|at| &self.lessons[at]);
        let words = |it: &Lesson| self.replaced.lesson_fields(it, &it.slug).content_digest();
        planned_lesson.is_some_and(|planned_lesson| {
            words(planned_lesson) == words(lesson)
                && SyncState::from_lesson(planned_lesson) == SyncState::from_lesson(lesson)
        })
    }
}

/// Whether a lesson may be written to a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SyncState {
    /// It is in use.
    Exportable,
    /// It waits for a person, or something from outside had a part in it.
    Withheld,
    /// It left the active set.
    Inactive,
}

impl SyncState {
    fn from_lesson(lesson: &Lesson) -> Self {
        match lesson {
            _ if may_export(lesson) => Self::Exportable,
            _ if is_inactive(lesson) => Self::Inactive,
            _ => Self::Withheld,
        }
    }
}

/// A lesson, and the digest of its words.
struct SyncLesson<'a> {
    lesson: &'a Lesson,
    words: String,
    state: SyncState,
}

/// The digests of a file: of its bytes, and of its words, if it can be read.
struct SyncFile<'a> {
    bytes: &'a str,
    words: Option<String>,
}

/// Decides what a sync is to do.
pub(super) fn plan_sync(sides: &SyncSides<'_>) -> Vec<SyncStep> {
    let planner = SyncPlanner::from_sides(sides);
    let renames = planner.find_renames();
    let left: BTreeSet<&Slug> = renames.values().copied().collect();
    let all = planner.files.keys().chain(sides.agreements.keys());
    let slugs: BTreeSet<&Slug> = all.filter(|slug| !left.contains(slug)).collect();
    let steps = slugs
        .into_iter()
        .filter_map(|slug| match renames.get(slug) {
            Some(from) => Some(planner.rename_step(from, slug)),
            None => planner.step_for_slug(slug),
        });
    let mut steps: Vec<SyncStep> = steps.collect();
    steps.extend(planner.write_steps(&steps));
    steps.sort();
    // New files come after those that have a lesson: a copy is compared with what the lesson says
    // by then, else it would be taken for that lesson's and be overwritten with the original's edit.
    steps.sort_by_key(|step| (step.action, step.lesson.is_none()));
    steps
}

struct SyncPlanner<'a> {
    sides: &'a SyncSides<'a>,
    lessons: BTreeMap<LessonId, SyncLesson<'a>>,
    files: BTreeMap<Slug, SyncFile<'a>>,
    /// The lessons that have a file, or a lesson that stands in for them has.
    with_files: BTreeSet<LessonId>,
}

impl<'a> SyncPlanner<'a> {
    fn from_sides(sides: &'a SyncSides<'a>) -> Self {
        let lessons = sides.lessons.iter().map(|lesson| {
            let fields = sides.replaced.lesson_fields(lesson, &lesson.slug);
            let (words, state) = (fields.content_digest(), SyncState::from_lesson(lesson));
            (
                lesson.id,
                SyncLesson {
                    lesson,
                    words,
                    state,
                },
            )
        });
        let lessons: BTreeMap<LessonId, SyncLesson<'_>> = lessons.collect();
        let files = sides.contents.named_files().map(|(slug, file)| {
            let words = file
                .parsed
                .file
                .as_ref()
                .map(|file| file.fields().content_digest());
            (
                slug,
                SyncFile {
                    bytes: &file.digest,
                    words,
                },
            )
        });
        let agreements = sides.agreements.values().filter_map(SyncAgreement::lesson);
        let mut with_files: BTreeSet<LessonId> = agreements.collect();
        let waiting = lessons
            .values()
            .filter(|value| value.state == SyncState::Withheld);
        let waiting = waiting.filter(|waiting| with_files.contains(&waiting.lesson.id));
        let stood_in: Vec<LessonId> = waiting
            .flat_map(|waiting| waiting.lesson.supersedes.clone())
            .collect();
        with_files.extend(stood_in);
        Self {
            sides,
            files: files.collect(),
            lessons,
            with_files,
        }
    }

    fn agreed_lesson(&self, agreed: &SyncAgreement) -> Option<&SyncLesson<'a>> {
        self.lessons.get(&agreed.lesson()?)
    }

    /// Returns the lesson of this name that has no file yet; one in use before one that waits.
    fn find_without_file(&self, slug: &Slug) -> Option<&SyncLesson<'a>> {
        let lessons = self
            .lessons
            .values()
            .filter(|value| value.lesson.slug == *slug);
        let useful = lessons.filter(|lesson| {
            lesson.state != SyncState::Inactive && !self.with_files.contains(&lesson.lesson.id)
        });
        useful.min_by_key(|useful| useful.state)
    }

    /// Returns the new names of files that say what a file said that is gone.
    fn find_renames(&self) -> BTreeMap<&Slug, &'a Slug> {
        let is_gone = |(slug, agreed): &(&Slug, &SyncAgreement)| {
            agreed.mark == AgreementMark::Unmarked
                && !self.files.contains_key(*slug)
                && self.agreed_lesson(agreed).is_some_and(|lesson| {
                    lesson.state == SyncState::Exportable && lesson.words == agreed.content_digest
                })
        };
        let mut renames: BTreeMap<&Slug, &Slug> = BTreeMap::new();
        for (from, agreed) in self.sides.agreements.iter().filter(is_gone) {
            let new = self.files.iter().find(|(slug, file)| {
                file.words.as_ref() == Some(&agreed.content_digest)
                    && !self.sides.agreements.contains_key(slug)
                    && !renames.contains_key(slug)
            });
            if let Some((slug, _)) = new {
                renames.insert(slug, from);
            }
        }
        renames
    }

    fn rename_step(&self, from: &Slug, slug: &Slug) -> SyncStep {
        SyncStep {
            from: Some(from.clone()),
            ..SyncStep::new(
                SyncAction::Rename,
                slug,
                self.sides.agreements[from].lesson(),
            )
        }
    }

    fn step_for_slug(&self, slug: &Slug) -> Option<SyncStep> {
        match (self.files.get(slug), self.sides.agreements.get(slug)) {
            (Some(file), None) => Some(self.step_for_new_file(slug, file)),
            (Some(file), Some(agreed)) => self.step_for_known_file(slug, file, agreed),
            (None, Some(agreed)) => self.step_for_missing_file(slug, agreed),
            (None, None) => None,
        }
    }

    fn step_for_new_file(&self, slug: &Slug, file: &SyncFile<'_>) -> SyncStep {
        let Some(words) = &file.words else {
            return SyncStep::report(slug, UNREADABLE);
        };
        let (action, lesson) = match self.find_without_file(slug) {
            Some(known) if known.words == *words => (SyncAction::Agree, Some(known.lesson.id)),
            Some(known) if known.state == SyncState::Exportable => {
                (SyncAction::Conflict, Some(known.lesson.id))
            }
            _ => (SyncAction::TakeWords, None),
        };
        SyncStep::new(action, slug, lesson)
    }

    fn step_for_known_file(
        &self,
        slug: &Slug,
        file: &SyncFile<'_>,
        agreed: &SyncAgreement,
    ) -> Option<SyncStep> {
        let is_conflict = agreed.mark == AgreementMark::Conflict;
        let was_deleted = agreed.mark == AgreementMark::Deleted;
        let is_changed = is_conflict || file.bytes != agreed.file_digest;
        if is_conflict && self.sides.contents.conflicts.contains(slug) {
            return Some(SyncStep::report(slug, CONFLICT));
        }
        if agreed.mark == AgreementMark::Refused && !is_changed {
            return Some(SyncStep::report(slug, REFUSED));
        }
        if is_changed && file.words.is_none() {
            return Some(SyncStep::report(slug, UNREADABLE));
        }
        let Some(known) = self.agreed_lesson(agreed) else {
            // What came back after its lesson was erased is not the file of then.
            let is_new = is_changed || (was_deleted && agreed.lesson().is_some());
            let action = if is_new {
                SyncAction::TakeWords
            } else {
                SyncAction::RemoveFile
            };
            let is_nothing = !is_new && agreed.lesson().is_none();
            return (!is_nothing).then(|| SyncStep::new(action, slug, None));
        };
        let says_the_same = file.words.as_ref() == Some(&known.words);
        let moved_on = known.words != agreed.content_digest;
        let id = Some(known.lesson.id);
        let (action, lesson) = match (known.state, is_changed) {
            (SyncState::Inactive, true) => (SyncAction::TakeWords, None),
            // The lesson says something else by now: what the file says is another lesson's word.
            (SyncState::Inactive, false) if was_deleted && moved_on => {
                (SyncAction::TakeWords, None)
            }
            (SyncState::Inactive, false) if was_deleted => (SyncAction::RestoreLesson, id),
            (SyncState::Inactive, false) => (SyncAction::ArchiveFile, None),
            // Also when a person settled a conflict and did not know of this change.
            (SyncState::Exportable, true) if moved_on && !says_the_same => {
                (SyncAction::Conflict, id)
            }
            (_, true) => (SyncAction::TakeWords, id),
            (SyncState::Exportable, false) if was_deleted && says_the_same => {
                (SyncAction::Agree, id)
            }
            // The file came back, and its lesson was taken up again with other words.
            (SyncState::Exportable, false) if was_deleted => (SyncAction::Conflict, id),
            (SyncState::Exportable, false) if moved_on => (SyncAction::WriteFile, id),
            (SyncState::Exportable | SyncState::Withheld, false) => return None,
        };
        Some(SyncStep::new(action, slug, lesson))
    }

    fn step_for_missing_file(&self, slug: &Slug, agreed: &SyncAgreement) -> Option<SyncStep> {
        let Some(known) = self.agreed_lesson(agreed) else {
            return Some(SyncStep::new(SyncAction::Forget, slug, None));
        };
        let is_marked = agreed.mark != AgreementMark::Unmarked;
        let (action, lesson) = match known.state {
            SyncState::Inactive if agreed.mark == AgreementMark::Deleted => return None,
            SyncState::Inactive => (SyncAction::Forget, None),
            SyncState::Exportable if is_marked || known.words != agreed.content_digest => {
                (SyncAction::WriteFile, Some(known.lesson.id))
            }
            _ => (SyncAction::ArchiveLesson, Some(known.lesson.id)),
        };
        // Where a system does not tell them apart, what is written would replace that file; and what was only renamed was
        // not deleted.
        let is_hindered = match self.sides.contents.in_capitals.get(slug) {
            Some(there) => action == SyncAction::WriteFile || *there == agreed.file_digest,
            None => false,
        };
        Some(if is_hindered {
            SyncStep::report(slug, IN_CAPITALS)
        } else {
            SyncStep::new(action, slug, lesson)
        })
    }

    /// Returns what writes the lessons that have no file, each under a name that is free.
    fn write_steps(&self, steps: &[SyncStep]) -> Vec<SyncStep> {
        let of = |actions: [SyncAction; 2]| {
            steps
                .iter()
                .filter(move |step| actions.contains(&step.action))
        };
        let steps = of([SyncAction::ArchiveFile, SyncAction::RemoveFile]);
        let freed_slugs: BTreeSet<&Slug> = steps.map(|step| &step.slug).collect();
        let settled_steps = of([SyncAction::Agree, SyncAction::Conflict]);
        let settled_ids: BTreeSet<LessonId> =
            settled_steps.filter_map(|step| step.lesson).collect();
        let there = self.files.keys().chain(self.sides.agreements.keys());
        let there = there.filter(|slug| !freed_slugs.contains(slug));
        let blocked_slugs = self.sides.contents.blocked_slugs();
        let mut names = SlugAllocator::from_taken(there.chain(blocked_slugs).cloned());
        let open = self.lessons.iter().filter(|(id, it)| {
            it.state == SyncState::Exportable
                && !settled_ids.contains(id)
                && !self.with_files.contains(id)
        });
        open.map(|(id, it)| {
            let slug = names.allocate(&it.lesson.slug.avoid_device_name());
            SyncStep::new(SyncAction::WriteFile, &slug, Some(*id))
        })
        .collect()
    }
}
