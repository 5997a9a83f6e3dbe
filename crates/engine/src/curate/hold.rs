//! Holding a lesson back that somebody doubts.

use hardwon_core::{
    change::{Actor, Change},
    guard,
    lesson::{Lesson, Status},
    limits, redact,
    text::RawText,
};

use crate::{Engine, Result};

impl Engine {
    /// Holds a lesson back until a person has looked at it, for this reason.
    pub fn hold(&self, lesson: &Lesson, why: &RawText, by: &Actor) -> Result<Lesson> {
        let safe = RawText::from(&*guard::neutralise(why.expose()));
        let why = redact::clean(&safe, limits::SITUATION_CHARS);
        let status = Status::Pending { why };
        let id = lesson.id;
        self.change(lesson, vec![Change::SetStatus { id, status }], by)
    }
}
