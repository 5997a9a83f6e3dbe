//! What runs teach, in a file and not in the database: for whoever wants to look before anything is kept (`learning = log`).

use hardwon_engine::LessonLog;
use jiff::Timestamp;

use crate::{config, output, text_log};

/// Returns the log of lessons, `learned.log` in the state folder; `None` if there is no such folder.
pub fn open_lesson_log() -> Option<LessonLog> {
    let path = config::state_folder().ok()?.join("learned.log");
    Some(Box::new(move |lesson| {
        let now = Timestamp::from_second(Timestamp::now().as_second()).unwrap_or_default();
        let project = lesson.scope.display_project().unwrap_or("everywhere");
        let content = &lesson.content;
        let line = format!("{now} {project}: [{}] {}", content.signature, content.text);
        let line = format!("{}\n", output::to_one_line(&line));
        drop(text_log::append_line(&path, &line));
    }))
}
