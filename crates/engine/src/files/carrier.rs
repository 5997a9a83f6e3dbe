//! Carries the steps of a sync out, one by one, and notes what both sides agree on after each.

use std::collections::BTreeMap;

use hardwon_core::{
    guard::GuardVerdict,
    id::LessonId,
    lesson::{AdmittedLesson, Lesson, Slug, Status},
    lesson_md::LessonFile,
    limits, redact,
};

use super::{
    ReplacedSlugs, SyncStep,
    folder::{FolderContents, LessonDirectory, hash_bytes},
    plan::{AgreementMark, SyncAgreement},
};
use crate::{Desk, NoteOutcome, Result, note::refusal_from_reasons};

/// Why a lesson is archived whose file is gone.
const DELETED_REASON: &str = "its file was deleted";

/// Does steps, with everything at hand that they need.
pub(super) struct SyncCarrier<'a> {
    pub(super) desk: &'a Desk<'a>,
    pub(super) folder: &'a LessonDirectory,
    pub(super) contents: &'a FolderContents,
    pub(super) lessons: &'a [Lesson],
    pub(super) replaced: &'a ReplacedSlugs,
    pub(super) agreements: BTreeMap<Slug, SyncAgreement>,
    pub(super) file_outcomes: Vec<(Slug, NoteOutcome)>,
}

impl SyncCarrier<'_> {
    pub(super) fn carry_step(&mut self, step: &SyncStep) -> Result<()> {
        match step {
            SyncStep::Report { .. } => {}
            SyncStep::Rename { from, slug, lesson } => {
                self.agreements.remove(from);
                self.record_agreement(slug, *lesson)?;
            }
            SyncStep::Forget { slug } => {
                self.agreements.remove(slug);
            }
            SyncStep::Agree { slug, lesson } => self.agree_on_lesson(slug, *lesson)?,
            SyncStep::ArchiveFile { slug } => {
                self.folder.archive_file(slug)?;
                self.agreements.remove(slug);
            }
            SyncStep::RemoveFile { slug } => {
                self.folder.remove_file(slug)?;
                self.agreements.remove(slug);
            }
            SyncStep::TakeWords { slug, target: onto } => self.take_words(slug, *onto)?,
            SyncStep::RestoreLesson { slug, lesson } => self.restore_lesson(slug, *lesson)?,
            SyncStep::ArchiveLesson { slug, lesson } => self.archive_lesson(slug, *lesson)?,
            SyncStep::Conflict { slug, lesson } => self.show_conflict(slug, *lesson)?,
            SyncStep::WriteFile { slug, lesson } => self.write_file(slug, *lesson)?,
        }
        Ok(())
    }

    pub(super) fn lesson(&self, id: LessonId) -> Result<Option<Lesson>> {
        self.desk.lesson_if_visible(id)
    }

    pub(super) fn file_for(&self, slug: &Slug) -> Option<&LessonFile> {
        self.contents.files.get(slug.as_str())?.parsed.file.as_ref()
    }

    pub(super) fn file_digest(&self, slug: &Slug) -> String {
        let held = self.contents.files.get(slug.as_str());
        held.map(|it| it.digest.clone()).unwrap_or_default()
    }

    fn render_lesson(&self, lesson: &Lesson, slug: &Slug) -> String {
        self.replaced.render_lesson(lesson, slug)
    }

    pub(super) fn content_digest(&self, lesson: &Lesson, slug: &Slug) -> String {
        self.replaced.lesson_fields(lesson, slug).content_digest()
    }

    /// Notes that a file, as it is on disk, goes with what a lesson says now.
    pub(super) fn record_agreement(&mut self, slug: &Slug, id: LessonId) -> Result<()> {
        let words = self.lesson(id)?.map(|it| self.content_digest(&it, slug));
        let agreed = SyncAgreement {
            lesson: Some(id),
            file_digest: self.file_digest(slug),
            content_digest: words.unwrap_or_default(),
            mark: AgreementMark::Unmarked,
        };
        self.agreements.insert(slug.clone(), agreed);
        Ok(())
    }

    /// Both say the same. If the file says it in another form, the lesson keeps that.
    fn agree_on_lesson(&mut self, slug: &Slug, id: LessonId) -> Result<()> {
        let is_same = self.lesson(id)?.is_some_and(|lesson| {
            hash_bytes(self.render_lesson(&lesson, slug).as_bytes()) == self.file_digest(slug)
        });
        if is_same {
            self.record_agreement(slug, id)
        } else {
            self.take_words(slug, Some(id))
        }
    }

    fn write_file(&mut self, slug: &Slug, id: LessonId) -> Result<()> {
        let Some(lesson) = self.lesson(id)? else {
            return Ok(());
        };
        let text = self.render_lesson(&lesson, slug);
        let file = hash_bytes(text.as_bytes());
        if self.file_digest(slug) != file {
            self.folder.write_lesson(slug, &text)?;
        }
        let agreed = SyncAgreement {
            lesson: Some(id),
            file_digest: file,
            content_digest: self.content_digest(&lesson, slug),
            mark: AgreementMark::Unmarked,
        };
        self.agreements.insert(slug.clone(), agreed);
        Ok(())
    }

    fn archive_lesson(&mut self, slug: &Slug, id: LessonId) -> Result<()> {
        if let Some(lesson) = self.lesson(id)? {
            self.desk
                .archive_lesson(lesson.id, &DELETED_REASON.into())?;
        }
        if let Some(agreed) = self.agreements.get_mut(slug) {
            agreed.mark = AgreementMark::Deleted;
        }
        Ok(())
    }

    /// A lesson that was archived because its file was gone is in use again, if that is still why.
    fn restore_lesson(&mut self, slug: &Slug, id: LessonId) -> Result<()> {
        let Some(lesson) = self.lesson(id)? else {
            return Ok(());
        };
        let why = crate::status_reason(&lesson.status);
        if why.as_deref() == Some(DELETED_REASON) {
            self.desk.approve_lesson(id, None)?;
        }
        self.record_agreement(slug, id)
    }

    /// Both sides changed: the store's lies beside the file, the file's waits in the store.
    fn show_conflict(&mut self, slug: &Slug, id: LessonId) -> Result<()> {
        let Some(lesson) = self.lesson(id)? else {
            return Ok(());
        };
        let text = format!(
            "The database says this of `{slug}` (lesson {id}), and `{slug}.md` was changed as \
             well.\nMake `{slug}.md` what it should be, delete this file, and run `hardwon \
             sync`.\n\n{}",
            self.render_lesson(&lesson, slug)
        );
        self.folder.write_conflict(slug, &text)?;
        if let Some(file) = self.file_for(slug) {
            let noted = match self.admit_file(file, vec![id]) {
                GuardVerdict::Admitted(admitted) => self.hold_conflict(*admitted, &lesson)?,
                GuardVerdict::Rejected { reasons } => refusal_from_reasons(&reasons),
            };
            self.file_outcomes.push((slug.clone(), noted));
        }
        self.record_conflict(slug, &lesson)
    }

    /// Has the file's side of a conflict wait, and says why.
    fn hold_conflict(&self, mut admitted: AdmittedLesson, lesson: &Lesson) -> Result<NoteOutcome> {
        let both = format!("both {} and its file changed", lesson.id);
        let why = match crate::status_reason(&admitted.status) {
            Some(why) => format!("{both}; {why}"),
            None => both,
        };
        admitted.status = Status::Pending {
            why: redact::clean_to_chars(&why.into(), limits::SITUATION_CHARS),
        };
        self.propose_replacement(&admitted, lesson)
    }

    fn record_conflict(&mut self, slug: &Slug, lesson: &Lesson) -> Result<()> {
        let agreed = SyncAgreement {
            lesson: Some(lesson.id),
            file_digest: self.file_digest(slug),
            content_digest: self.content_digest(lesson, slug),
            mark: AgreementMark::Conflict,
        };
        self.agreements.insert(slug.clone(), agreed);
        Ok(())
    }
}
