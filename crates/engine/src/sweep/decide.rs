//! Consolidates lessons: what no longer holds leaves, and what says the same is told once.
//!
//! A sweep looks at the active lessons of each scope and returns what it would change, as a value. By itself it does
//! only what needs no judgement of meaning: what expired leaves, what somebody said to be replaced is, what names
//! things that are gone waits ([`judge_staleness`]), what says the same at the same calls is united, and what was never
//! needed leaves. Which lessons mean the same in other words only a model can say: it is asked about neighbourhoods
//! ([`find_neighbourhoods`]), and what it names is judged by triggers and names ([`merge_by_words`]). Asking the model is
//! not done here, and neither is applying anything. The reasons, with figures, are in `docs/sweep.md`.

mod digest;
mod dissent;
mod gate;
mod merge;
mod named_words;
mod names;
mod neighbourhood;
mod repeats;
mod retire;
mod rift;
mod stale;
mod stated;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use hardwon_redact::clean_to_chars;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub(super) use digest::render_digest;
pub use gate::{SweepGate, SweepSkip};
pub use merge::{MergeRefusal, merge_by_words};
pub(super) use merge::{MergedLesson, find_opposites};
pub(super) use neighbourhood::{Neighbourhood, find_neighbourhoods};
pub(super) use repeats::is_repeat;
pub(super) use retire::was_shown;
use stale::judge_staleness;

use crate::{PlanBasis, PlanId};
use hardwon_core::{
    CleanText, Lesson, LessonContent, LessonId, LookupFinding, NamedThing, Scope, TrustClass,
    limits,
};

/// What the owner of the lessons chose for sweeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SweepPolicy {
    /// After how many days a lesson that was never shown leaves.
    pub prune_days: i64,
}

impl Default for SweepPolicy {
    fn default() -> Self {
        Self { prune_days: 180 }
    }
}

/// What a sweep looks at.
#[derive(Debug, Clone, Copy)]
pub(super) struct SweepInput<'a> {
    /// Active lessons, of any scopes.
    pub lessons: &'a [Lesson],
    /// What was found of what lessons name.
    pub lookups: &'a BTreeMap<LessonId, Vec<(NamedThing, LookupFinding)>>,
    /// What the owner chose.
    pub policy: SweepPolicy,
    /// The time of the sweep.
    pub now: Timestamp,
}

/// What becomes of lessons in a sweep. In a plan that comes in neither its texts `T` nor its words `W` are clean yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub enum SweepItem<T = CleanText, W = Box<LessonContent>> {
    /// Lessons are told as one by new words, which are checked again before they are stored.
    Merge {
        /// The lessons whose place they take; at least two.
        members: Vec<LessonId>,
        /// The words.
        #[serde(rename = "lesson")]
        content: W,
    },
    /// New words wait for a person, because they would be told for what a person wrote. The lessons stay until then, and
    /// those of persons for good.
    Propose {
        /// The lessons that they tell; at least two.
        members: Vec<LessonId>,
        /// The words.
        #[serde(rename = "lesson")]
        content: W,
    },
    /// Lessons that say the same at the same calls are told by one of them, which gets their evidence.
    Absorb {
        /// The lesson that stays.
        survivor: LessonId,
        /// The lessons that it is told for.
        members: Vec<LessonId>,
    },
    /// A lesson is replaced by another one, because somebody said so.
    Supersede {
        /// The lesson that no longer holds.
        old: LessonId,
        /// The lesson that does.
        by: LessonId,
        /// Why.
        why: T,
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
        why: T,
    },
    /// A lesson leaves.
    Archive {
        /// The lesson.
        lesson: LessonId,
        /// Why.
        why: T,
    },
}

impl<T, W> SweepItem<T, W> {
    /// Returns it with other texts and words.
    pub fn map<U, V>(&self, text: impl Fn(&T) -> U, words: impl Fn(&W) -> V) -> SweepItem<U, V> {
        use SweepItem as Item;
        match self {
            Self::Merge { members, content } => Item::Merge {
                members: members.clone(),
                content: words(content),
            },
            Self::Propose { members, content } => Item::Propose {
                members: members.clone(),
                content: words(content),
            },
            Self::Absorb { survivor, members } => Item::Absorb {
                survivor: *survivor,
                members: members.clone(),
            },
            Self::Supersede { old, by, why } => Item::Supersede {
                old: *old,
                by: *by,
                why: text(why),
            },
            Self::Contradict { one, other } => Item::Contradict {
                one: *one,
                other: *other,
            },
            Self::Hold { lesson, why } => Item::Hold {
                lesson: *lesson,
                why: text(why),
            },
            Self::Archive { lesson, why } => Item::Archive {
                lesson: *lesson,
                why: text(why),
            },
        }
    }
}

impl SweepItem {
    /// Returns the lessons that would not be recalled any more.
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
    pub fn needs_person(&self, lessons: &BTreeMap<LessonId, Lesson>, now: Timestamp) -> bool {
        let is_persons = |id: &LessonId| {
            lessons.get(id).is_some_and(|lesson| {
                lesson.trust.class == TrustClass::Person
                    && lesson.expires_at.is_none_or(|end| end > now)
            })
        };
        self.retired().iter().any(is_persons)
    }

    /// Describes the item in one line that differs for every other item, for the plan's name.
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

/// A group that stays as it is, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedMerge {
    /// Its lessons.
    pub members: Vec<LessonId>,
    /// Why.
    pub why: MergeRefusal,
}

/// The part that a model had in a plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ModelPart {
    /// None is configured, or none was wanted.
    #[default]
    NotAsked,
    /// It was asked so many times.
    Asked(u32),
    /// It could not be asked, for this reason.
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
    /// Questions to the model that are left for another sweep, because enough was asked in this one.
    pub postponed: usize,
    /// The part that a model had.
    pub model: ModelPart,
}

impl SweepPlan {
    /// Returns the plan's name.
    pub fn id(&self) -> PlanId {
        let items: Vec<String> = self.items.iter().map(SweepItem::describe).collect();
        PlanId::from_items(&self.basis, items.iter().map(String::as_str))
    }
}

/// Looks at lessons and returns what is to change, whatever a model may say.
pub(super) fn look_for_changes(input: &SweepInput<'_>) -> Vec<SweepItem> {
    let mut items = Vec::new();
    for lessons in split_by_scope(input.lessons).values() {
        items.extend(look_at_scope(input, lessons));
    }
    items.truncate(limits::SWEEP_ITEMS);
    items
}

/// Returns what leaves each scope because nobody needed it. `touched` are the lessons that other items are about.
pub(super) fn look_for_unneeded(
    input: &SweepInput<'_>,
    touched: &BTreeSet<LessonId>,
) -> Vec<SweepItem> {
    let mut items = Vec::new();
    for lessons in split_by_scope(input.lessons).values() {
        let archives = retire::find_unneeded(lessons, &input.policy, input.now).into_iter();
        items.extend(archives.filter(|item| item.lessons().iter().all(|id| !touched.contains(id))));
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

/// Looks at the lessons of one scope; each is in one item at most.
fn look_at_scope(input: &SweepInput<'_>, lessons: &[&Lesson]) -> Vec<SweepItem> {
    let proposals = [
        retire::find_expired(lessons, input.now),
        stated::find_stated(lessons),
        find_stale(input, lessons),
        repeats::find_repeats(lessons),
    ];
    let mut touched_ids: BTreeSet<LessonId> = BTreeSet::new();
    let mut items = Vec::new();
    for item in proposals.into_iter().flatten() {
        let ids = item.lessons();
        if ids.iter().all(|id| !touched_ids.contains(id)) {
            touched_ids.extend(ids);
            items.push(item);
        }
    }
    items
}

fn find_stale(input: &SweepInput<'_>, lessons: &[&Lesson]) -> Vec<SweepItem> {
    let stale = lessons.iter().filter_map(|lesson| {
        let reason_text = judge_staleness(input.lookups.get(&lesson.id)?)?;
        Some(SweepItem::Hold {
            lesson: lesson.id,
            why: clean_to_chars(&reason_text.into(), limits::REASON_CHARS),
        })
    });
    stale.collect()
}
