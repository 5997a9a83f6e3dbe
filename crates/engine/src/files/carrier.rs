//! Carries the steps of a sync out, one by one, and notes what both sides agree on after each.

use std::collections::BTreeMap;

use hardwon_core::{AdmittedLesson, Lesson, Slug, Status, limits};

use super::{
    agreement::{AgreementMark, SyncAgreement},
    folder::{LessonDirectory, hash_bytes},
    plan::SyncSides,
};
use crate::{Desk, LessonFile, NoteOutcome, Result, SyncAction, SyncStep};

/// Why a lesson is archived whose file is gone.
const DELETED_REASON: &str = "its file was deleted";

/// Does steps, with everything at hand that they need.
pub(super) struct SyncCarrier<'a> {
    pub(super) desk: &'a Desk<'a>,
    folder: &'a LessonDirectory,
    pub(super) sides: &'a SyncSides<'a>,
    pub(super) agreements: BTreeMap<Slug, SyncAgreement>,
    pub(super) file_outcomes: Vec<(Slug, NoteOutcome)>,
    pub(super) done: Vec<SyncStep>,
}

impl<'a> SyncCarrier<'a> {
    pub(super) fn new(
        desk: &'a Desk<'a>,
        folder: &'a LessonDirectory,
        sides: &'a SyncSides<'a>,
    ) -> Self {
        Self {
            desk,
            folder,
            sides,
            agreements: sides.agreements.clone(),
            file_outcomes: Vec::new(),
            done: Vec::new(),
        }
    }

    /// Does a step, unless its lesson is not what the plan was made of any more: an earlier step or
    /// somebody else changed or erased it. What to do then is for the next plan to say.
    pub(super) fn carry_step(&mut self, step: SyncStep) -> Result<()> {
        let lesson = match step.lesson {
            Some(id) => match self.desk.lesson_if_visible(id)? {
                Some(lesson) if self.sides.is_as_planned(&lesson) => Some(lesson),
                _ => return Ok(()),
            },
            None => None,
        };
        self.do_step(&step, lesson)?;
        self.done.push(step);
        Ok(())
    }

    fn do_step(&mut self, step: &SyncStep, lesson: Option<Lesson>) -> Result<()> {
        let slug = &step.slug;
        match (step.action, lesson) {
            (SyncAction::Report, _) => {}
            (SyncAction::Forget, _) => drop(self.agreements.remove(slug)),
            (SyncAction::ArchiveFile, _) => {
                self.folder.archive_file(slug)?;
                self.agreements.remove(slug);
            }
            (SyncAction::RemoveFile, _) => {
                self.folder.remove_file(slug)?;
                self.agreements.remove(slug);
            }
            (SyncAction::TakeWords, lesson) => self.take_words(slug, lesson.as_ref())?,
            // No other step is planned without a lesson.
            (_, None) => {}
            (SyncAction::Rename, Some(lesson)) => {
                step.from
                    .iter()
                    .for_each(|from| drop(self.agreements.remove(from)));
                self.agree(slug, &lesson, AgreementMark::Unmarked);
            }
            (SyncAction::Agree, Some(lesson)) => {
                let text = self.render_lesson(&lesson, slug);
                if hash_bytes(text.as_bytes()) == self.file_digest(slug) {
                    self.agree(slug, &lesson, AgreementMark::Unmarked);
                } else {
                    // The file says the same in another form: the lesson keeps that.
                    self.take_words(slug, Some(&lesson))?;
                }
            }
            (SyncAction::RestoreLesson, Some(lesson)) => self.restore_lesson(slug, &lesson)?,
            (SyncAction::ArchiveLesson, Some(lesson)) => {
                self.desk
                    .archive_lesson(lesson.id, &DELETED_REASON.into())?;
                if let Some(agreed) = self.agreements.get_mut(slug) {
                    agreed.mark = AgreementMark::Deleted;
                }
            }
            (SyncAction::Conflict, Some(lesson)) => self.show_conflict(slug, &lesson)?,
            (SyncAction::WriteFile, Some(lesson)) => self.write_file(slug, &lesson)?,
        }
        Ok(())
    }

    /// Returns a file as it was read; it lives as long as what was read.
    pub(super) fn file_for(&self, slug: &Slug) -> Option<&'a LessonFile> {
        let file = self.sides.contents.files.get(slug.as_str())?;
        file.parsed.file.as_ref()
    }

    pub(super) fn file_digest(&self, slug: &Slug) -> String {
        let file = self.sides.contents.files.get(slug.as_str());
        file.map(|file| file.digest.clone()).unwrap_or_default()
    }

    fn render_lesson(&self, lesson: &Lesson, slug: &Slug) -> String {
        self.sides.replaced.render_lesson(lesson, slug)
    }

    pub(super) fn content_digest(&self, lesson: &Lesson, slug: &Slug) -> String {
        let fields = self.sides.replaced.lesson_fields(lesson, slug);
        fields.content_digest()
    }

    /// Notes that a file, as it is on disk, goes with what a lesson says now.
    pub(super) fn agree(&mut self, slug: &Slug, lesson: &Lesson, mark: AgreementMark) {
        let agreement = SyncAgreement {
            lesson_number: Some(lesson.id.0),
            file_digest: self.file_digest(slug),
            content_digest: self.content_digest(lesson, slug),
            mark,
        };
        self.agreements.insert(slug.clone(), agreement);
    }

    fn write_file(&mut self, slug: &Slug, lesson: &Lesson) -> Result<()> {
        let text = self.render_lesson(lesson, slug);
        let digest = hash_bytes(text.as_bytes());
        if self.file_digest(slug) != digest {
            self.folder.write_lesson(slug, &text)?;
        }
        self.agree(slug, lesson, AgreementMark::Unmarked);
        if let Some(agreed) = self.agreements.get_mut(slug) {
            agreed.file_digest = digest;
        }
        Ok(())
    }

    /// A lesson that was archived because its file was gone is in use again, if that is still why.
    fn restore_lesson(&mut self, slug: &Slug, lesson: &Lesson) -> Result<()> {
        let reason = crate::status_reason(&lesson.status);
        if reason.as_deref() == Some(DELETED_REASON) {
            self.desk.approve_lesson(lesson.id, None)?;
        }
        self.agree(slug, lesson, AgreementMark::Unmarked);
        Ok(())
    }

    /// Both sides changed: the store's lies beside the file, the file's waits in the store.
    fn show_conflict(&mut self, slug: &Slug, lesson: &Lesson) -> Result<()> {
        let text = format!(
            "The database says this of `{slug}` (lesson {}), and `{slug}.md` was changed as \
             well.\nMake `{slug}.md` what it should be, delete this file, and run `hardwon \
             sync`.\n\n{}",
            lesson.id,
            self.render_lesson(lesson, slug)
        );
        self.folder.write_conflict(slug, &text)?;
        if let Some(file) = self.file_for(slug) {
            let outcome = match self.admit_file(file, vec![lesson.id]) {
                Ok(admitted) => self.hold_conflict(*admitted, lesson)?,
                Err(reasons) => NoteOutcome::refuse(&reasons),
            };
            self.file_outcomes.push((slug.clone(), outcome));
        }
        self.agree(slug, lesson, AgreementMark::Conflict);
        Ok(())
    }

    /// Has the file's side of a conflict wait, and says why.
    fn hold_conflict(&self, mut admitted: AdmittedLesson, lesson: &Lesson) -> Result<NoteOutcome> {
        let mut reason_text = format!("both {} and its file changed", lesson.id);
        if let Some(more) = crate::status_reason(&admitted.status) {
            reason_text = format!("{reason_text}; {more}");
        }
        let reason = hardwon_redact::clean_to_chars(&reason_text.into(), limits::SITUATION_CHARS);
        admitted.status = Status::Pending { why: reason };
        self.propose_replacement(&admitted, lesson)
    }
}
