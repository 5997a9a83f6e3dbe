//! What becomes of lessons that mean the same: a model names groups and words them.
//!
//! The model is asked about neighbourhoods, one question each, and whatever it names is decided in `named`. Where it is
//! away or its reply is no answer, nothing becomes of them. What it was asked about is noted, so that it is not asked
//! again until a lesson changes.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::{Lesson, LessonId, RawText, limits};

use jiff::Timestamp;

use super::{
    asked::AskedLessons,
    decide::{MergeRefusal, ModelPart, RefusedMerge, SweepInput, SweepItem, find_neighbourhoods},
    merging::{self, NamedGroup},
    named::NamedGroups,
};
use crate::{Desk, PromptAnswer, Result, SweepLease, SweepModel};

/// What groups are looked for in.
pub(super) struct GroupSearch<'a> {
    pub(super) input: &'a SweepInput<'a>,
    /// When lessons were last replaced by one that is told for them.
    pub(super) merged_at: &'a BTreeMap<LessonId, Timestamp>,
    /// The lessons that leave already.
    pub(super) retired: BTreeSet<LessonId>,
    pub(super) lessons: &'a BTreeMap<LessonId, Lesson>,
}

/// What is to become of groups; by default no model was asked.
#[derive(Debug, Default)]
pub(super) struct GroupWords {
    pub(super) items: Vec<SweepItem>,
    pub(super) refused: Vec<RefusedMerge>,
    pub(super) postponed: usize,
    pub(super) model: ModelPart,
}

/// What came of one question.
enum AskedGroups {
    /// The groups that the model named, and what of its reply is none.
    Named(Vec<NamedGroup>, Vec<MergeRefusal>),
    /// The reply is no answer.
    Unusable(MergeRefusal),
    /// The model cannot be asked at present.
    Away(String),
}

impl GroupSearch<'_> {
    fn load(&self, ids: &[LessonId]) -> Vec<&Lesson> {
        ids.iter().filter_map(|id| self.lessons.get(id)).collect()
    }

    /// Returns the lessons that need not be offered beside each other: those that were merged, and those that a model
    /// was asked about, if they have not changed since.
    fn find_settled(&self, asked: &AskedLessons) -> BTreeSet<LessonId> {
        let is_settled = |it: &&Lesson| {
            let merged_at = self.merged_at.get(&it.id);
            merged_at.is_some_and(|at| it.updated <= *at) || asked.has(it)
        };
        let lessons = self.input.lessons.iter().filter(is_settled);
        lessons.map(|lesson| lesson.id).collect()
    }
}

impl Desk<'_> {
    /// Asks a model for groups and their words.
    pub(super) fn ask_for_groups(
        &self,
        search: &GroupSearch<'_>,
        with: &SweepModel<'_>,
        lease: &SweepLease,
    ) -> Result<GroupWords> {
        let asked_before = AskedLessons::load(&*self.snapshot()?, self.tenant())?;
        let settled_ids = search.find_settled(&asked_before);
        let questions = find_neighbourhoods(search.input, &search.retired, &settled_ids);
        let mut named_groups = NamedGroups::default();
        let mut model = ModelPart::Asked(0);
        let mut left = questions.as_slice();
        while let [question, rest @ ..] = left {
            let asked_count = questions.len() - left.len();
            if asked_count >= limits::SWEEP_QUESTIONS || !(with.may_ask)() {
                break;
            }
            match self.ask_about(with, &search.load(&question.members), lease)? {
                AskedGroups::Away(why) => {
                    model = ModelPart::Away(why);
                    break;
                }
                AskedGroups::Unusable(why) => named_groups.note_unusable(question, why),
                AskedGroups::Named(groups, faults) => {
                    named_groups.note_answer(question, groups, faults);
                }
            }
            left = rest;
            model = ModelPart::Asked(u32::try_from(asked_count + 1).unwrap_or(u32::MAX));
        }
        named_groups.decide(search.lessons, &self.policy.guard);
        self.save_asked(asked_before, &named_groups, search)?;
        Ok(GroupWords {
            items: named_groups.take_items(),
            refused: named_groups.refused,
            postponed: match model {
                ModelPart::Away(_) => 0,
                _ => left.len(),
            },
            model,
        })
    }

    /// Asks which of some lessons say the same.
    fn ask_about(
        &self,
        with: &SweepModel<'_>,
        lessons: &[&Lesson],
        lease: &SweepLease,
    ) -> Result<AskedGroups> {
        self.renew_sweep_lease(lease)?;
        let prompt = merging::build_prompt(lessons);
        Ok(match self.ask_model(&with.with, prompt)? {
            PromptAnswer::Answered(reply) => read_answer(&reply, lessons),
            PromptAnswer::Failed(why) => AskedGroups::Unusable(MergeRefusal::OffForm(why)),
            PromptAnswer::Away(why) => AskedGroups::Away(why),
        })
    }

    /// Notes the lessons that the model need not be asked about again: all but those that it put into a group.
    fn save_asked(
        &self,
        mut asked: AskedLessons,
        named: &NamedGroups,
        search: &GroupSearch<'_>,
    ) -> Result<()> {
        let grouped_ids = named.find_grouped();
        let completions = named.answered.iter().flat_map(|answer| &answer.completed);
        let completions =
            completions.filter(|id| !grouped_ids.contains(id) && !named.undecided.contains(id));
        asked.add(completions.filter_map(|id| search.lessons.get(id)));
        if named.answered.is_empty() {
            return Ok(());
        }
        self.commit(|tx| asked.save(tx, self.now()))
    }
}

/// Reads a model's reply about lessons.
fn read_answer(reply: &RawText, lessons: &[&Lesson]) -> AskedGroups {
    let shown_ids: Vec<LessonId> = lessons.iter().map(|lesson| lesson.id).collect();
    let read = match merging::parse_reply(reply, &shown_ids) {
        Ok(read) => read,
        Err(why) => return AskedGroups::Unusable(MergeRefusal::OffForm(why.to_string())),
    };
    let (mut groups, mut faults) = (Vec::new(), Vec::new());
    for group in read {
        match group {
            Ok(group) => groups.push(group),
            Err(fault) => faults.push(MergeRefusal::OffForm(fault.to_string())),
        }
    }
    AskedGroups::Named(groups, faults)
}
