//! Consolidates lessons: many specific ones become few general ones, and what no longer holds leaves.
//!
//! A sweep looks at the active lessons of each scope and returns what it would change, as a value. First comes what
//! cannot both hold ([`Precedence`]), then what names things that are gone ([`judge_staleness`]), then what expired;
//! the lessons that are left are grouped, and what the groups leave is held to the capacity. With a model, it is asked
//! which lessons of a neighbourhood ([`find_neighbourhoods`]) are one group, and its words take their place if they may
//! ([`merge_by_words`]); without one the rules form groups, each told by its best lesson ([`choose_survivor`]). Asking
//! the model is not done here, and neither is applying anything. The reasons, with figures, are in `docs/sweep.md`.

mod cluster;
mod compare;
mod conflict;
mod digest;
mod dissent;
mod gate;
mod lexicon;
mod merge;
mod names;
mod neighbourhood;
mod profile;
mod retire;
mod rift;
#[cfg(test)]
mod samples;
mod similarity;
mod stale;
mod succession;
mod survivor;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

pub use compare::{ContentComparison, compare_contents};
pub use conflict::Conflict;
pub use digest::render_digest;
pub use gate::{SweepError, SweepGate, SweepSkip};
pub use merge::{MergeRefusal, MergedLesson, find_opposites, merge_by_words};
pub use neighbourhood::{Neighbourhood, find_neighbourhoods};
pub use retire::RetirementReason;
pub use rift::Rift;
pub use stale::{LookupFinding, NamedThing, find_named_things, judge_staleness};
pub use succession::Precedence;
pub use survivor::{absorb_by_rules, choose_survivor};

use self::{
    lexicon::Lexicon,
    profile::Profile,
    similarity::TermStatistics,
    succession::{Succession, decide_successions},
};
use crate::{
    id::LessonId,
    lesson::{Lesson, LessonContent, TrustClass},
    limits,
    plan::{PlanBasis, PlanId},
    scope::Scope,
    text::CleanText,
};

/// What the owner of the lessons chose for sweeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SweepPolicy {
    /// Most learned lessons that stay active in one scope.
    pub capacity: usize,
    /// After how many days a lesson that was never shown leaves.
    pub prune_days: i64,
}

impl Default for SweepPolicy {
    fn default() -> Self {
        Self {
            capacity: limits::CAPACITY_DEFAULT,
            prune_days: 180,
        }
    }
}

/// What a sweep looks at.
#[derive(Debug, Clone, Copy)]
pub struct SweepInput<'a> {
    /// Active lessons, of any scopes.
    pub lessons: &'a [Lesson],
    /// When lessons were last replaced by one that is told for them.
    pub merged_at: &'a BTreeMap<LessonId, Timestamp>,
    /// What was found of what lessons name.
    pub lookups: &'a BTreeMap<LessonId, Vec<(NamedThing, LookupFinding)>>,
    /// What the owner chose.
    pub policy: SweepPolicy,
    /// The time of the sweep.
    pub now: Timestamp,
}

/// What becomes of lessons in a sweep.
#[derive(Debug, Clone, PartialEq)]
pub enum SweepItem {
    /// Lessons are told as one by new words, which are checked again before they are stored.
    Merge {
        /// The lessons whose place they take; at least two.
        members: Vec<LessonId>,
        /// The words.
        content: Box<LessonContent>,
    },
    /// New words wait for a person, because they would be told for what a person wrote. The lessons stay until then, and
    /// those of persons for good.
    Propose {
        /// The lessons that they tell; at least two.
        members: Vec<LessonId>,
        /// The words.
        content: Box<LessonContent>,
    },
    /// Lessons are told by one of them, which gets their evidence.
    Absorb {
        /// The lesson that stays.
        survivor: LessonId,
        /// The lessons that it is told for.
        members: Vec<LessonId>,
    },
    /// A lesson is replaced by another one, because not both can hold.
    Supersede {
        /// The lesson that no longer holds.
        old: LessonId,
        /// The lesson that does.
        by: LessonId,
        /// Why.
        why: CleanText,
    },
    /// Two lessons are marked as opposites, for a person to look at side by side. Both are recalled, each with the mark.
    Contradict {
        /// The one.
        one: LessonId,
        /// The other.
        other: LessonId,
    },
    /// A lesson waits for a person.
    Hold {
        /// The lesson.
        lesson: LessonId,
        /// Why.
        why: CleanText,
    },
    /// A lesson leaves.
    Archive {
        /// The lesson.
        lesson: LessonId,
        /// Why.
        why: CleanText,
    },
}

impl SweepItem {
    /// Returns the lessons that would not be recalled any more.
    #[must_use]
    pub fn retired(&self) -> Vec<LessonId> {
        match self {
            Self::Merge { members, .. } | Self::Absorb { members, .. } => members.clone(),
            Self::Propose { .. } | Self::Contradict { .. } => Vec::new(),
            Self::Supersede { old: lesson, .. }
            | Self::Hold { lesson, .. }
            | Self::Archive { lesson, .. } => {
                vec![*lesson]
            }
        }
    }

    /// Returns the lessons that it is about, whatever becomes of them.
    #[must_use]
    pub fn lessons(&self) -> Vec<LessonId> {
        let mut lessons = self.retired();
        match self {
            Self::Propose { members, .. } => lessons.extend(members),
            Self::Absorb { survivor: id, .. } | Self::Supersede { by: id, .. } => {
                lessons.insert(0, *id);
            }
            Self::Contradict { one, other } => lessons.extend([one, other]),
            Self::Merge { .. } | Self::Hold { .. } | Self::Archive { .. } => {}
        }
        lessons
    }

    /// Returns whether only a person may do it: it takes out what a person wrote. What expired left by its author's
    /// own word.
    #[must_use]
    pub fn needs_person(&self, lessons: &BTreeMap<LessonId, Lesson>, now: Timestamp) -> bool {
        let is_persons = |id: &LessonId| {
            lessons.get(id).is_some_and(|it| {
                it.trust.class == TrustClass::Person && it.expires_at.is_none_or(|end| end > now)
            })
        };
        self.retired().iter().any(is_persons)
    }

    /// Describes the item in one line that differs for every other item, for the plan's name.
    #[must_use]
    pub fn describe(&self) -> String {
        let list = |ids: &[LessonId]| {
            ids.iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(" ")
        };
        match self {
            Self::Merge { members, content } => {
                let (signature, text) = (&content.signature, &content.text);
                format!("merge {} [{signature}] {text}", list(members))
            }
            Self::Propose { members, content } => {
                format!("propose {} {}", list(members), content.text)
            }
            Self::Contradict { one, other } => format!("contradict {one} {other}"),
            Self::Absorb { survivor, members } => format!("absorb {survivor} {}", list(members)),
            Self::Supersede { old, by, why } => format!("supersede {old} {by} {why}"),
            Self::Hold { lesson, why } => format!("hold {lesson} {why}"),
            Self::Archive { lesson, why } => format!("archive {lesson} {why}"),
        }
    }
}

/// A group of lessons that could be told as one, by the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LessonGroup {
    /// Its lessons, at least two, in an order that does not depend on their numbers.
    pub members: Vec<LessonId>,
}

/// What a look at the lessons found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SweepFindings {
    /// What is decided already.
    pub items: Vec<SweepItem>,
    /// The groups that could be told as one.
    pub groups: Vec<LessonGroup>,
    /// Groups that were merged before and that nothing has joined since.
    pub settled: usize,
}

/// A group that stays as it is, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedMerge {
    /// Its lessons.
    pub members: Vec<LessonId>,
    /// Why.
    pub why: MergeRefusal,
}

/// The part that a model had in a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelPart {
    /// None is configured, or none was wanted: groups are told by their best lesson.
    NotAsked,
    /// It was asked so many times.
    Asked(u32),
    /// It could not be asked, for this reason; groups that it has not named are told by their best lesson.
    Away(String),
}

/// What a sweep would do.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepPlan {
    /// What it was made from.
    pub basis: PlanBasis,
    /// When it was made.
    pub made_at: Timestamp,
    /// How many lessons were looked at.
    pub looked_at: usize,
    /// What it would do, in order.
    pub items: Vec<SweepItem>,
    /// Groups that stay as they are.
    pub refused: Vec<RefusedMerge>,
    /// Groups that were merged before and that nothing has joined since.
    pub settled: usize,
    /// Questions to the model that are left for another sweep, because enough was asked in this one.
    pub postponed: usize,
    /// The part that a model had.
    pub model: ModelPart,
}

impl SweepPlan {
    /// Returns the plan's name.
    #[must_use]
    pub fn id(&self) -> PlanId {
        let items: Vec<String> = self.items.iter().map(SweepItem::describe).collect();
        PlanId::from_items(&self.basis, items.iter().map(String::as_str))
    }
}

/// Looks at lessons and returns what is to change, and which of them could be told as one.
#[must_use]
pub fn look_for_changes(input: &SweepInput<'_>) -> SweepFindings {
    let lexicon = Lexicon::shared();
    let mut found = SweepFindings::default();
    for lessons in split_by_scope(input.lessons).values() {
        look_at_scope(input, lessons, lexicon, &mut found);
    }
    found.items.truncate(limits::SWEEP_ITEMS);
    found
}

/// Returns what leaves each scope once the groups are merged, so that what a merge frees is not archived besides.
/// `retired` are the lessons that leave already.
#[must_use]
pub fn look_for_surplus(input: &SweepInput<'_>, retired: &BTreeSet<LessonId>) -> Vec<SweepItem> {
    let mut items = Vec::new();
    for lessons in split_by_scope(input.lessons).values() {
        let staying: Vec<&Lesson> = lessons
            .iter()
            .copied()
            .filter(|it| !retired.contains(&it.id))
            .collect();
        let surplus = retire::find_surplus(&staying, &input.policy, input.now).into_iter();
        items.extend(surplus.map(|(lesson, why)| archive_item(lesson, why)));
    }
    items.truncate(limits::SWEEP_ITEMS);
    items
}

fn split_by_scope(lessons: &[Lesson]) -> BTreeMap<&Scope, Vec<&Lesson>> {
    let mut scopes: BTreeMap<&Scope, Vec<&Lesson>> = BTreeMap::new();
    for lesson in lessons {
        scopes.entry(&lesson.scope).or_default().push(lesson);
    }
    scopes
}

fn look_at_scope(
    input: &SweepInput<'_>,
    lessons: &[&Lesson],
    lexicon: &Lexicon,
    found: &mut SweepFindings,
) {
    let mut gone: BTreeSet<LessonId> = BTreeSet::new();
    let take = |items: Vec<SweepItem>, found: &mut SweepFindings, gone: &mut BTreeSet<LessonId>| {
        for item in items {
            let is_new = item.retired().iter().all(|id| !gone.contains(id));
            if is_new {
                gone.extend(item.retired());
                found.items.push(item);
            }
        }
    };
    let expired = retire::find_expired(lessons, input.now).into_iter();
    take(
        expired.map(|(id, why)| archive_item(id, why)).collect(),
        found,
        &mut gone,
    );
    let current: Vec<&Lesson> = lessons
        .iter()
        .copied()
        .filter(|it| !gone.contains(&it.id))
        .collect();
    let profiles: Vec<Profile> = current
        .iter()
        .map(|it| Profile::from_lesson(it, lexicon))
        .collect();
    let statistics = TermStatistics::from_profiles(&profiles);
    let pairs = cluster::compare_profiles(&profiles, &statistics, lexicon);
    let decided = decide_successions(&current, &profiles, &pairs);
    take(
        decided.iter().map(|it| succession_item(*it)).collect(),
        found,
        &mut gone,
    );
    take(find_stale(input, &current), found, &mut gone);
    for group in cluster::cluster_profiles(&profiles, &pairs, |at| !gone.contains(&profiles[at].id))
    {
        let members: Vec<&Lesson> = group.iter().map(|at| current[*at]).collect();
        match has_news(&members, input.merged_at) {
            true => found.groups.push(LessonGroup {
                members: members.iter().map(|it| it.id).collect(),
            }),
            false => found.settled += 1,
        }
    }
}

fn succession_item(it: Succession) -> SweepItem {
    let clean = |text: String| CleanText::assume_clean(text);
    match it {
        Succession::Decided { old, by, why } => SweepItem::Supersede {
            old,
            by,
            why: clean(why.describe().to_owned()),
        },
        Succession::Open { newer, older } => SweepItem::Hold {
            lesson: newer,
            why: clean(format!(
                "not both this and {older} can hold, and nothing decides between them"
            )),
        },
    }
}

fn find_stale(input: &SweepInput<'_>, lessons: &[&Lesson]) -> Vec<SweepItem> {
    let stale = lessons.iter().filter_map(|it| {
        let why = judge_staleness(input.lookups.get(&it.id)?)?;
        let why = why.chars().take(limits::REASON_CHARS).collect();
        // The names are those of the lesson, and the findings are redacted where they are made.
        Some(SweepItem::Hold {
            lesson: it.id,
            why: CleanText::assume_clean(why),
        })
    });
    stale.collect()
}

fn archive_item(lesson: LessonId, why: RetirementReason) -> SweepItem {
    SweepItem::Archive {
        lesson,
        why: CleanText::assume_clean(why.describe()),
    }
}

/// Returns whether anything joined a group since it was last merged: a lesson that is newer, or was edited since.
fn has_news(members: &[&Lesson], merged_at: &BTreeMap<LessonId, Timestamp>) -> bool {
    let last = members.iter().filter_map(|it| merged_at.get(&it.id)).max();
    last.is_none_or(|last| {
        let others = members.iter().filter(|it| !merged_at.contains_key(&it.id));
        others
            .into_iter()
            .any(|it| it.created > *last || it.updated > *last)
    })
}
