//! What runs teach, in a file and not in the database: for whoever wants to look before anything is kept (`learning = log`).

use std::path::PathBuf;

use hardwon_core::AdmittedLesson;
use hardwon_engine::LessonLog;
use jiff::Timestamp;

use crate::{config, output, text_log};

/// `learned.log` in the state folder.
struct LearnedLog(PathBuf);

/// Returns the log of lessons; `None` if there is no state folder.
pub fn open_lesson_log() -> Option<Box<dyn LessonLog>> {
    let folder = config::state_folder().ok()?;
    Some(Box::new(LearnedLog(folder.join("learned.log"))))
}

impl LessonLog for LearnedLog {
    fn note_lesson(&self, lesson: &AdmittedLesson) {
        let now = Timestamp::from_second(Timestamp::now().as_second()).unwrap_or_default();
        let project = lesson.scope.display_project().unwrap_or("everywhere");
        let content = &lesson.content;
        let line = format!("{now} {project}: [{}] {}", content.signature, content.text);
        drop(text_log::append_line(
            &self.0,
            &format!("{}\n", output::to_one_line(&line)),
        ));
    }
}
