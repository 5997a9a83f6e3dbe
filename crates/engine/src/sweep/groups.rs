//! What becomes of lessons that say the same: a model names groups and words them, or the rules do.
//!
//! The model is asked about neighbourhoods, one question each, and whatever it names is decided in
//! `named`. Where it is away or its reply is no answer, the groups of the rules stand in. What it was asked
//! about is noted, so that it is not asked again until a lesson changes.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::{
    distil::merging::{self, NamedGroup},
    id::LessonId,
    lesson::Lesson,
    limits,
    sweep::{
        MergeRefusal, ModelPart, Neighbourhood, RefusedMerge, SweepFindings, SweepInput, SweepItem,
        absorb_by_rules, find_neighbourhoods,
    },
    text::RawText,
};

use super::{SweepLease, SweepModel, asked::AskedLessons, named::NamedGroups};
use crate::{Desk, Result, ask::PromptAnswer};

/// What groups are looked for in.
pub(super) struct GroupSearch<'a> {
    pub(super) input: &'a SweepInput<'a>,
    pub(super) found: &'a SweepFindings,
    pub(super) lessons: &'a BTreeMap<LessonId, Lesson>,
}

/// What is to become of groups.
#[derive(Debug)]
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
    /// Has each group of the rules told by its best lesson.
    pub(super) fn tell_by_rules(&self) -> GroupWords {
        let mut words = GroupWords {
            items: Vec::new(),
            refused: Vec::new(),
            postponed: 0,
            model: ModelPart::NotAsked,
        };
        self.add_rule_groups(&mut words, |_| true);
        words
    }

    fn add_rule_groups(&self, words: &mut GroupWords, is_wanted: impl Fn(&[LessonId]) -> bool) {
        for group in self.found.groups.iter().filter(|it| is_wanted(&it.members)) {
            match absorb_by_rules(&self.load(&group.members)) {
                Ok((survivor, members)) => {
                    words.items.push(SweepItem::Absorb { survivor, members });
                }
                Err(why) => words.refused.push(RefusedMerge {
                    members: group.members.clone(),
                    why,
                }),
            }
        }
    }

    fn load(&self, ids: &[LessonId]) -> Vec<&Lesson> {
        ids.iter().filter_map(|id| self.lessons.get(id)).collect()
    }

    /// Returns the lessons that need not be offered beside each other: those that were merged, and those that a model
    /// was asked about, if they have not changed since.
    fn find_settled(&self, asked: &AskedLessons) -> BTreeSet<LessonId> {
        let is_settled = |it: &&Lesson| {
            let merged = self.input.merged_at.get(&it.id);
            merged.is_some_and(|at| it.updated <= *at) || asked.has(it)
        };
        let settled = self.input.lessons.iter().filter(is_settled);
        settled.map(|it| it.id).collect()
    }

    /// Returns what comes of what a model named, with the groups of the rules where it gave no answer. `left` are the
    /// questions that were not asked.
    fn word_groups(
        &self,
        mut named: NamedGroups,
        settled: &BTreeSet<LessonId>,
        left: &[Neighbourhood],
        model: ModelPart,
    ) -> GroupWords {
        let grouped = named.find_grouped();
        let (items, refused) = (named.take_items(), std::mem::take(&mut named.refused));
        let is_away = matches!(model, ModelPart::Away(_));
        let postponed = if is_away { &[] } else { left };
        // Of lessons that the model was shown together, or will be, it says itself which are one group.
        let is_models = |members: &[LessonId]| {
            let mut questions = named.answered.iter().chain(postponed);
            let is_shown = questions.any(|question| {
                let shown = members.iter().filter(|id| question.members.contains(id));
                shown.count() > 1
            });
            is_shown || members.iter().all(|id| settled.contains(id))
        };
        let mut words = GroupWords {
            items,
            refused,
            postponed: postponed.len(),
            model,
        };
        self.add_rule_groups(&mut words, |members| {
            !is_models(members) && members.iter().all(|id| !grouped.contains(id))
        });
        words
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
        let asked_before = AskedLessons::load(&*self.engine.store.snapshot()?, self.tenant())?;
        let settled = search.find_settled(&asked_before);
        let items = search.found.items.iter();
        let retired: BTreeSet<LessonId> = items.flat_map(SweepItem::retired).collect();
        let questions = find_neighbourhoods(search.input, &retired, &settled);
        let mut named = NamedGroups::default();
        let mut model = ModelPart::Asked(0);
        let mut left = questions.as_slice();
        while let [question, rest @ ..] = left {
            let asked = questions.len() - left.len();
            if asked >= limits::SWEEP_QUESTIONS || !(with.may_ask)() {
                break;
            }
            match self.ask_about(with, &search.load(&question.members), lease)? {
                AskedGroups::Away(why) => {
                    model = ModelPart::Away(why);
                    break;
                }
                AskedGroups::Unusable(why) => named.note_unusable(question, why),
                AskedGroups::Named(groups, faults) => {
                    named.note_answer(question, groups, faults);
                }
            }
            left = rest;
            model = ModelPart::Asked(u32::try_from(asked + 1).unwrap_or(u32::MAX));
        }
        named.decide(search.lessons, &self.policy.guard);
        self.save_asked(asked_before, &named, search)?;
        Ok(search.word_groups(named, &settled, left, model))
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
        let grouped = named.find_grouped();
        let completed = named.answered.iter().flat_map(|it| &it.completed);
        let done = completed.filter(|id| !grouped.contains(id) && !named.undecided.contains(id));
        asked.add(done.filter_map(|id| search.lessons.get(id)));
        if named.answered.is_empty() {
            return Ok(());
        }
        self.commit(|tx| asked.save(tx, self.now()))
    }
}

/// Reads a model's reply about lessons.
fn read_answer(reply: &RawText, lessons: &[&Lesson]) -> AskedGroups {
    let shown: Vec<LessonId> = lessons.iter().map(|it| it.id).collect();
    let read = match merging::parse_reply(reply, &shown) {
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
