//! What an agent or a person says about a lesson that they used.

use hardwon_core::{Lesson, LessonId, RawText, Status, TrustClass};

use crate::{Desk, Opinion, Result};

/// A verdict on a lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// How it fared.
    Fared(Opinion),
    /// It was right once and is no longer: a person has to look at it.
    Stale,
}

/// What became of a verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct VerdictOutcome {
    /// The lesson as it is now.
    pub lesson: Lesson,
    /// Whether the verdict counted. That a lesson is stale is not said of one that is out already.
    pub is_counted: bool,
}

impl Desk<'_> {
    /// Takes a verdict on a lesson, as far as the principal's trust reaches. The remark is kept as the reason why a
    /// stale lesson waits; [`check_comment`](hardwon_core::guard::check_comment) decides whether it may be.
    pub fn judge_lesson(
        &self,
        id: LessonId,
        verdict: Verdict,
        remark: &str,
    ) -> Result<VerdictOutcome> {
        let before = self.lesson(id)?;
        let lesson = match verdict {
            Verdict::Fared(opinion) => self.report_opinion(id, opinion)?,
            Verdict::Stale if before.status == Status::Active => {
                self.hold_for_review(id, &self.stale_reason(remark))?
            }
            Verdict::Stale => before.clone(),
        };
        let is_kept = verdict == Verdict::Fared(Opinion::Followed);
        Ok(VerdictOutcome {
            is_counted: is_kept || lesson.counts != before.counts || lesson.status != before.status,
            lesson,
        })
    }
}

impl Desk<'_> {
    fn stale_reason(&self, remark: &str) -> RawText {
        let author = match self.principal.trust.class {
            TrustClass::Person => "a person",
            _ => "an agent",
        };
        RawText::from(match remark.trim() {
            "" => format!("{author} says that it is stale"),
            remark => format!("{author} says that it is stale: {remark}"),
        })
    }
}
