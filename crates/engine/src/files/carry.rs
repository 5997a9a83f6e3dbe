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
    Replaced, Step,
    folder::{Contents, Folder, print},
    plan::{Agreed, Mark},
};
use crate::{Desk, Noted, Result, note::refused};

/// Why a lesson is archived whose file is gone.
const DELETED: &str = "its file was deleted";

/// Does steps, with everything at hand that they need.
pub(super) struct Carrier<'a> {
    pub(super) desk: &'a Desk<'a>,
    pub(super) folder: &'a Folder,
    pub(super) contents: &'a Contents,
    pub(super) lessons: &'a [Lesson],
    pub(super) replaced: &'a Replaced,
    pub(super) agreed: BTreeMap<Slug, Agreed>,
    pub(super) taken: Vec<(Slug, Noted)>,
}

impl Carrier<'_> {
    pub(super) fn carry(&mut self, step: &Step) -> Result<()> {
        match step {
            Step::Report { .. } => {}
            Step::Rename { from, slug, lesson } => {
                self.agreed.remove(from);
                self.note(slug, *lesson)?;
            }
            Step::Forget { slug } => {
                self.agreed.remove(slug);
            }
            Step::Agree { slug, lesson } => self.agree(slug, *lesson)?,
            Step::ArchiveFile { slug } => {
                self.folder.archive(slug)?;
                self.agreed.remove(slug);
            }
            Step::RemoveFile { slug } => {
                self.folder.remove(slug)?;
                self.agreed.remove(slug);
            }
            Step::Take { slug, onto } => self.take(slug, *onto)?,
            Step::Restore { slug, lesson } => self.restore(slug, *lesson)?,
            Step::ArchiveLesson { slug, lesson } => self.archive(slug, *lesson)?,
            Step::Conflict { slug, lesson } => self.conflict(slug, *lesson)?,
            Step::Write { slug, lesson } => self.write(slug, *lesson)?,
        }
        Ok(())
    }

    pub(super) fn lesson(&self, id: LessonId) -> Result<Option<Lesson>> {
        self.desk.lesson_if_visible(id)
    }

    pub(super) fn file(&self, slug: &Slug) -> Option<&LessonFile> {
        self.contents.files.get(slug.as_str())?.read.file.as_ref()
    }

    pub(super) fn file_print(&self, slug: &Slug) -> String {
        let held = self.contents.files.get(slug.as_str());
        held.map(|it| it.print.clone()).unwrap_or_default()
    }

    fn rendered(&self, lesson: &Lesson, slug: &Slug) -> String {
        self.replaced.render(lesson, slug)
    }

    pub(super) fn words(&self, lesson: &Lesson, slug: &Slug) -> String {
        self.replaced.said(lesson, slug).content_digest()
    }

    /// Notes that a file, as it is on disk, goes with what a lesson says now.
    pub(super) fn note(&mut self, slug: &Slug, id: LessonId) -> Result<()> {
        let words = self.lesson(id)?.map(|it| self.words(&it, slug));
        let agreed = Agreed {
            lesson: Some(id),
            file: self.file_print(slug),
            said: words.unwrap_or_default(),
            mark: Mark::Plain,
        };
        self.agreed.insert(slug.clone(), agreed);
        Ok(())
    }

    /// Both say the same. If the file says it in another form, the lesson keeps that.
    fn agree(&mut self, slug: &Slug, id: LessonId) -> Result<()> {
        let is_same = self.lesson(id)?.is_some_and(|lesson| {
            print(self.rendered(&lesson, slug).as_bytes()) == self.file_print(slug)
        });
        if is_same {
            self.note(slug, id)
        } else {
            self.take(slug, Some(id))
        }
    }

    fn write(&mut self, slug: &Slug, id: LessonId) -> Result<()> {
        let Some(lesson) = self.lesson(id)? else {
            return Ok(());
        };
        let text = self.rendered(&lesson, slug);
        let file = print(text.as_bytes());
        if self.file_print(slug) != file {
            self.folder.write(slug, &text)?;
        }
        let agreed = Agreed {
            lesson: Some(id),
            file,
            said: self.words(&lesson, slug),
            mark: Mark::Plain,
        };
        self.agreed.insert(slug.clone(), agreed);
        Ok(())
    }

    fn archive(&mut self, slug: &Slug, id: LessonId) -> Result<()> {
        if let Some(lesson) = self.lesson(id)? {
            self.desk.archive(lesson.id, &DELETED.into())?;
        }
        if let Some(agreed) = self.agreed.get_mut(slug) {
            agreed.mark = Mark::Deleted;
        }
        Ok(())
    }

    /// A lesson that was archived because its file was gone is in use again, if that is still why.
    fn restore(&mut self, slug: &Slug, id: LessonId) -> Result<()> {
        let Some(lesson) = self.lesson(id)? else {
            return Ok(());
        };
        let why = crate::why(&lesson.status);
        if why.as_deref() == Some(DELETED) {
            self.desk.approve(id, None)?;
        }
        self.note(slug, id)
    }

    /// Both sides changed: the store's lies beside the file, the file's waits in the store.
    fn conflict(&mut self, slug: &Slug, id: LessonId) -> Result<()> {
        let Some(lesson) = self.lesson(id)? else {
            return Ok(());
        };
        let text = format!(
            "The database says this of `{slug}` (lesson {id}), and `{slug}.md` was changed as \
             well.\nMake `{slug}.md` what it should be, delete this file, and run `hardwon \
             sync`.\n\n{}",
            self.rendered(&lesson, slug)
        );
        self.folder.write_conflict(slug, &text)?;
        if let Some(file) = self.file(slug) {
            let noted = match self.admit(file, vec![id]) {
                GuardVerdict::Admitted(admitted) => self.waits(*admitted, &lesson)?,
                GuardVerdict::Rejected { reasons } => refused(&reasons),
            };
            self.taken.push((slug.clone(), noted));
        }
        self.marked(slug, &lesson)
    }

    /// Has the file's side of a conflict wait, and says why.
    fn waits(&self, mut admitted: AdmittedLesson, lesson: &Lesson) -> Result<Noted> {
        let both = format!("both {} and its file changed", lesson.id);
        let why = match crate::why(&admitted.status) {
            Some(why) => format!("{both}; {why}"),
            None => both,
        };
        admitted.status = Status::Pending {
            why: redact::clean_to_chars(&why.into(), limits::SITUATION_CHARS),
        };
        self.propose(&admitted, lesson)
    }

    fn marked(&mut self, slug: &Slug, lesson: &Lesson) -> Result<()> {
        let agreed = Agreed {
            lesson: Some(lesson.id),
            file: self.file_print(slug),
            said: self.words(lesson, slug),
            mark: Mark::Conflict,
        };
        self.agreed.insert(slug.clone(), agreed);
        Ok(())
    }
}
