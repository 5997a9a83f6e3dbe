//! Sweeps: look, plan, apply, and take back.
//!
//! [`plan_sweep`](crate::Desk::plan_sweep) reads and asks the model, if there is one, and changes no lesson.
//! [`apply_sweep`](crate::Desk::apply_sweep) carries out a plan in one transaction, if the lessons are still those that
//! it was made from, and [`undo_sweep`](crate::Desk::undo_sweep) takes it back. One sweep goes on at a time: it holds a
//! [`SweepLease`], which ends by itself if its holder dies. What is to change is decided in
//! `decide`, of values alone.

mod apply;
mod asked;
mod decide;
mod groups;
mod lease;
mod look;
pub mod merging;
mod named;
mod record;
mod undo;

use hardwon_core::{Lesson, LessonId};
use hardwon_store::ScopeFilter;
use std::collections::BTreeMap;

pub use crate::error::SweepError;
pub use apply::AppliedSweep;
pub use decide::{
    MergeRefusal, ModelPart, RefusedMerge, SweepGate, SweepItem, SweepPlan, SweepPolicy, SweepSkip,
    merge_by_words,
};
pub use lease::SweepLease;
pub use record::SweepRecord;
pub(crate) use record::forget_lesson;
pub use undo::UndoneSweep;

use self::decide::render_digest;
use crate::{ModelUse, RepositoryLookup};

/// A model that names groups and words them, and what may be spent on it.
pub struct SweepModel<'a> {
    /// The model, and what may be spent.
    pub with: ModelUse<'a>,
    /// Says before each question whether there is time for another one; what is not asked is left for another sweep.
    pub may_ask: &'a dyn Fn() -> bool,
}

/// What to look at, and with what.
pub struct SweepRequest<'a> {
    /// The part of the tenant.
    pub within: ScopeFilter,
    /// What the owner chose.
    pub policy: SweepPolicy,
    /// The model that says which lessons mean the same; `None` to do only what needs no judgement of meaning.
    pub model: Option<SweepModel<'a>>,
    /// The repository in which what lessons name is looked up.
    pub repository: Option<&'a dyn RepositoryLookup>,
    /// Whether nobody is there to read the plan: then what only a person may do is left out.
    pub is_unattended: bool,
}

/// A plan, and the lessons that it was made from.
#[derive(Debug, Clone)]
pub struct PlannedSweep {
    /// What would be done.
    pub plan: SweepPlan,
    /// The part of the tenant that it is about.
    pub within: ScopeFilter,
    /// The lessons, by number.
    pub lessons: BTreeMap<LessonId, Lesson>,
    /// How many items were left out, because only a person may do them.
    pub left_for_person: usize,
}

impl PlannedSweep {
    /// Renders the digest, in Markdown.
    pub fn render_digest(&self) -> String {
        let mut text = render_digest(&self.plan, &self.lessons);
        if self.left_for_person > 0 {
            let count = self.left_for_person;
            text.push_str(&format!(
                "\n{count} left for a person, because they take out what a person wrote: `hardwon sweep` shows them.\n"
            ));
        }
        text
    }
}
