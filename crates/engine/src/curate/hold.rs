//! Holding a lesson back that somebody doubts.

use hardwon_core::{
    change::Actor,
    guard,
    lesson::{Lesson, Status, Trust},
    limits, redact,
    text::RawText,
};

use crate::{Engine, Result};

impl Engine {
    /// Holds a lesson back on somebody's word until a person has looked at it, for this reason; or
    /// says why that word does not do.
    pub fn hold(
        &self,
        lesson: &Lesson,
        why: &RawText,
        word: Trust,
        by: &Actor,
    ) -> Result<std::result::Result<Lesson, String>> {
        let safe = RawText::from(&*guard::neutralise(why.expose()));
        let why = redact::clean(&safe, limits::SITUATION_CHARS);
        self.withdraw(lesson, Status::Pending { why }, word, by)
    }
}
