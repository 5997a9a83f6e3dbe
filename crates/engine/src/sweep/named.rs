//! The groups that a model names in its answers, and which of them may be told as one.
//!
//! Each is decided by [`merge_by_words`]. Two questions may name parts of one group: then it is decided whether the
//! words of one part may be told for all. Asking the model, and what the rules make of the rest, is in `groups`.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::{GuardPolicy, Lesson, LessonContent, LessonId, RawText};

use super::decide::{
    MergeRefusal, MergedLesson, Neighbourhood, RefusedMerge, SweepItem, find_opposites,
    merge_by_words,
};
use super::merging::NamedGroup;

/// A group that a model named, and the places of the questions that it comes from.
struct GroupOfQuestions {
    questions: BTreeSet<usize>,
    group: NamedGroup,
}

/// A group that may be told as one.
pub(super) struct DecidedGroup {
    questions: BTreeSet<usize>,
    /// The words as the model put them, for a group that this one becomes a part of.
    words: LessonContent<RawText>,
    pub(super) merged: MergedLesson,
}

/// What the answers come to so far.
#[derive(Default)]
pub(super) struct NamedGroups {
    named: Vec<GroupOfQuestions>,
    pub(super) decided: Vec<DecidedGroup>,
    pub(super) refused: Vec<RefusedMerge>,
    /// What the model was shown together, and gave an answer about.
    pub(super) answered: Vec<Neighbourhood>,
    /// Lessons that the model has to be asked about again: the reply was no answer, or they may yet join a group.
    pub(super) undecided: BTreeSet<LessonId>,
    /// Pairs of one group of which not both can hold.
    opposites: BTreeSet<(LessonId, LessonId)>,
}

impl NamedGroups {
    pub(super) fn note_answer(
        &mut self,
        question: &Neighbourhood,
        groups: Vec<NamedGroup>,
        faults: Vec<MergeRefusal>,
    ) {
        let questions = BTreeSet::from([self.answered.len()]);
        self.named
            .extend(groups.into_iter().map(|group| GroupOfQuestions {
                questions: questions.clone(),
                group,
            }));
        self.answered.push(question.clone());
        self.refused.extend(faults.into_iter().map(refuse_reply));
    }

    pub(super) fn note_unusable(&mut self, question: &Neighbourhood, why: MergeRefusal) {
        self.undecided.extend(&question.members);
        self.refused.push(refuse_reply(why));
    }

    /// Decides about all groups that were named, the largest first: two questions may name parts of one group.
    pub(super) fn decide(&mut self, lessons: &BTreeMap<LessonId, Lesson>, guard: &GuardPolicy) {
        let mut groups = std::mem::take(&mut self.named);
        groups.sort_by_key(|group| std::cmp::Reverse(group.group.members.len()));
        for it in groups {
            let all = load_lessons(lessons, &it.group.members);
            self.opposites.extend(find_opposites(&all));
            let mates = &it.group.members;
            let is_beside =
                |other: &DecidedGroup| other.merged.members.iter().any(|id| mates.contains(id));
            let beside: Vec<DecidedGroup> = self
                .decided
                .extract_if(.., |group| is_beside(group))
                .collect();
            match beside.as_slice() {
                [] => self.decide_one(it, lessons, guard),
                // Another question has found it too.
                [whole] if whole.holds(&it.group.members) => self.decided.extend(beside),
                _ => match unite_groups(&it, &beside, lessons, guard) {
                    Some(united) => self.decided.push(united),
                    None => {
                        self.decided.extend(beside);
                        self.decide_rest(it, lessons, guard);
                    }
                },
            }
        }
    }

    fn decide_one(
        &mut self,
        it: GroupOfQuestions,
        lessons: &BTreeMap<LessonId, Lesson>,
        guard: &GuardPolicy,
    ) {
        let GroupOfQuestions { questions, group } = it;
        match merge_by_words(
            &load_lessons(lessons, &group.members),
            group.words.clone(),
            guard,
        ) {
            Ok(merged) => self.decided.push(DecidedGroup {
                questions,
                words: group.words,
                merged,
            }),
            Err(why) => self.refuse(group.members, why),
        }
    }

    /// Decides about a group of which some lessons are told in others: what is left of it may be one.
    fn decide_rest(
        &mut self,
        mut it: GroupOfQuestions,
        lessons: &BTreeMap<LessonId, Lesson>,
        guard: &GuardPolicy,
    ) {
        self.undecided.extend(&it.group.members);
        let is_taken = |id: &LessonId| self.decided.iter().any(|group| group.holds(&[*id]));
        let (taken, rest): (Vec<_>, Vec<_>) = it.group.members.iter().copied().partition(is_taken);
        match taken.first() {
            Some(first) if rest.len() < 2 => {
                self.refuse(it.group.members, MergeRefusal::Taken(*first));
            }
            _ => {
                it.group.members = rest;
                self.decide_one(it, lessons, guard);
            }
        }
    }

    fn refuse(&mut self, members: Vec<LessonId>, why: MergeRefusal) {
        self.refused.push(RefusedMerge { members, why });
    }

    /// Returns the lessons that the model put into a group that may be told as one, and will be.
    pub(super) fn find_grouped(&self) -> BTreeSet<LessonId> {
        let merges = self
            .decided
            .iter()
            .filter(|other| !other.merged.is_proposed);
        let members = merges.flat_map(|merge| &merge.merged.members);
        members.copied().collect()
    }

    /// Returns what is to become of the groups, and of what cannot both hold.
    pub(super) fn take_items(&mut self) -> Vec<SweepItem> {
        let items = std::mem::take(&mut self.decided).into_iter().map(|group| {
            let (members, content) = (
                group.merged.members,
                Box::new(group.merged.admitted.content),
            );
            if group.merged.is_proposed {
                SweepItem::Propose { members, content }
            } else {
                SweepItem::Merge { members, content }
            }
        });
        let pairs = std::mem::take(&mut self.opposites).into_iter();
        items
            .chain(pairs.map(|(one, other)| SweepItem::Contradict { one, other }))
            .collect()
    }
}

impl DecidedGroup {
    fn holds(&self, ids: &[LessonId]) -> bool {
        ids.iter().all(|id| self.merged.members.contains(id))
    }
}

/// Unites a group with those that share a lesson with it, if they come from other questions and the words of one of
/// them may be told for all. In one question the model has put them apart itself.
fn unite_groups(
    it: &GroupOfQuestions,
    beside: &[DecidedGroup],
    lessons: &BTreeMap<LessonId, Lesson>,
    guard: &GuardPolicy,
) -> Option<DecidedGroup> {
    let mut questions = it.questions.clone();
    for other in beside {
        if !questions.is_disjoint(&other.questions) {
            return None;
        }
        questions.extend(&other.questions);
    }
    let own: BTreeSet<LessonId> = (beside.iter().flat_map(|beside| &beside.merged.members))
        .copied()
        .collect();
    let others = it.group.members.iter().filter(|id| !own.contains(id));
    let all: Vec<LessonId> = own.iter().chain(others).copied().collect();
    let members = load_lessons(lessons, &all);
    let mut words = beside
        .iter()
        .map(|group| &group.words)
        .chain([&it.group.words]);
    words.find_map(|words| {
        let merge = merge_by_words(&members, words.clone(), guard).ok()?;
        let group = DecidedGroup {
            questions: questions.clone(),
            words: words.clone(),
            merged: merge,
        };
        let is_more = group.merged.members.len() > own.len() || beside.len() > 1;
        (is_more && group.holds(&all[..own.len()])).then_some(group)
    })
}

/// Refuses a reply, or a part of it that is about no lessons in particular.
fn refuse_reply(why: MergeRefusal) -> RefusedMerge {
    RefusedMerge {
        members: Vec::new(),
        why,
    }
}

fn load_lessons<'a>(lessons: &'a BTreeMap<LessonId, Lesson>, ids: &[LessonId]) -> Vec<&'a Lesson> {
    ids.iter().filter_map(|id| lessons.get(id)).collect()
}

#[cfg(test)]
mod tests {
    use hardwon_store_suite::MemoryStore;
    use jiff::Timestamp;

    use super::*;
    use crate::{Engine, FixedClock, Note, Policy, Principal, Scope};

    const WHEEL: &str =
        "Run `make wheel` after each edit of the native code, or the module keeps old results.";
    const TEXTS: [&str; 6] = [
        "Rebuild with `make wheel` when the native module answers with old results.",
        "The native module kept its old results until `make wheel` was run.",
        "An edit of the native code changes nothing unless `make wheel` follows.",
        "Stale results of the native module: `make wheel` was forgotten after an edit.",
        "Quote globs in zsh, or put `noglob` before the command.",
        "In zsh an unquoted glob fails; `noglob` helps the command.",
    ];

    /// Decides about groups of numbers from 1, each with its question and its words: which may be told as one, and how
    /// many are refused.
    fn check(named: &[(usize, &[i64], &str)], expected: &[&[i64]], refused: usize) {
        let clock = FixedClock(Timestamp::from_second(1_000).unwrap());
        let engine = Engine::new(
            Box::new(MemoryStore::new()),
            Policy::default(),
            Box::new(clock),
        );
        let desk = engine.acting_as(Principal::person(Scope::default()));
        let notes = TEXTS.map(|text| Note::new(LessonContent::new("", text)));
        let noted = desk.note_all(notes.into()).unwrap();
        let ids = noted.iter().map(|it| it.id().unwrap());
        let lessons = ids.map(|id| (id, desk.lesson(id).unwrap())).collect();
        let mut groups = NamedGroups::default();
        for (question, members, words) in named {
            groups.named.push(GroupOfQuestions {
                questions: BTreeSet::from([*question]),
                group: NamedGroup {
                    members: members.iter().copied().map(LessonId).collect(),
                    words: LessonContent::new(
                        RawText::from("native module"),
                        RawText::from(*words),
                    ),
                },
            });
        }
        groups.decide(&lessons, &GuardPolicy::default());
        let decided = groups.decided.iter().map(|it| it.merged.members.as_slice());
        let mut decided: Vec<Vec<i64>> = decided
            .map(|ids| ids.iter().map(|id| id.0).collect())
            .collect();
        decided.iter_mut().for_each(|it| it.sort_unstable());
        decided.sort_unstable();
        assert_eq!(decided, expected, "{named:?}");
        assert_eq!(groups.refused.len(), refused, "{named:?}");
    }

    #[test]
    fn parts_of_one_group_from_two_questions_are_told_as_one() {
        check(
            &[(0, &[1, 2, 3], WHEEL), (1, &[3, 4], WHEEL)],
            &[&[1, 2, 3, 4]],
            0,
        );
        check(
            &[
                (0, &[1, 2], WHEEL),
                (1, &[3, 4], WHEEL),
                (2, &[2, 3], WHEEL),
            ],
            &[&[1, 2, 3, 4]],
            0,
        );
        check(
            &[(0, &[1, 2, 3], WHEEL), (1, &[1, 3], WHEEL)],
            &[&[1, 2, 3]],
            0,
        );
    }

    #[test]
    fn what_one_question_names_twice_or_no_words_speak_of_is_not_united() {
        check(
            &[(0, &[1, 2, 3], WHEEL), (0, &[3, 4], WHEEL)],
            &[&[1, 2, 3]],
            1,
        );
        let globs = "Quote globs in zsh; `noglob` before the command helps too.";
        // The rest of a group that shares a lesson with a larger one is a group of its own.
        check(
            &[(0, &[1, 2, 3, 4], WHEEL), (1, &[4, 5, 6], globs)],
            &[&[1, 2, 3, 4], &[5, 6]],
            0,
        );
    }
}
