//! Which lessons leave by themselves: what expired, what a full scope has no room for, what nobody ever needed.
//!
//! A lesson that was never shown leaves only where others were shown meanwhile: a machine that was switched off for a
//! summer proves nothing. A person's lesson leaves only if it expired, as its author said. Usefulness is judged where
//! admission judges it, in `change`.

use jiff::{SignedDuration, Timestamp};

use super::SweepPolicy;
use crate::{
    change::{EvictionCandidate, choose_over_capacity},
    id::LessonId,
    lesson::{Lesson, TrustClass},
};

/// How often lessons of a scope must have been shown before one that never was is taken for useless.
const SHOWN_ELSEWHERE: u64 = 50;

/// Why a lesson is archived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetirementReason {
    /// Its time is over.
    Expired(Timestamp),
    /// The scope is over its capacity, and it is the least useful.
    OverCapacity,
    /// It was not shown once in so many days, while others were.
    NeverShown(i64),
}

impl RetirementReason {
    /// Returns the reason in words, as the lesson keeps it.
    #[must_use]
    pub fn describe(self) -> String {
        match self {
            Self::Expired(at) => format!("expired on {}", at.strftime("%Y-%m-%d")),
            Self::OverCapacity => {
                "the limit of learned lessons (setting `capacity`) was reached, and this was the least useful".to_owned()
            }
            Self::NeverShown(days) => format!("never shown in {days} days"),
        }
    }
}

/// Returns the lessons of one scope whose time is over.
pub(super) fn find_expired(
    lessons: &[&Lesson],
    now: Timestamp,
) -> Vec<(LessonId, RetirementReason)> {
    let ended = lessons.iter().filter_map(|it| {
        let end = it.expires_at.filter(|end| *end <= now)?;
        Some((it.id, RetirementReason::Expired(end)))
    });
    ended.collect()
}

/// Returns the lessons of one scope that nobody ever needed, and those for which there is no room.
pub(super) fn find_surplus(
    lessons: &[&Lesson],
    policy: &SweepPolicy,
    now: Timestamp,
) -> Vec<(LessonId, RetirementReason)> {
    let learned: Vec<&&Lesson> = lessons
        .iter()
        .filter(|it| it.trust.class != TrustClass::Person)
        .collect();
    let unused = learned
        .iter()
        .filter(|it| was_never_needed(it, lessons, policy, now));
    let mut leaving: Vec<(LessonId, RetirementReason)> = unused
        .map(|it| (it.id, RetirementReason::NeverShown(policy.prune_days)))
        .collect();
    let staying = learned
        .iter()
        .filter(|it| leaving.iter().all(|(id, _)| *id != it.id));
    let candidates: Vec<EvictionCandidate> =
        staying.map(|it| EvictionCandidate::from(**it)).collect();
    let surplus = choose_over_capacity(&candidates, policy.capacity, now);
    leaving.extend(
        surplus
            .into_iter()
            .map(|id| (id, RetirementReason::OverCapacity)),
    );
    leaving
}

fn was_never_needed(
    lesson: &Lesson,
    all: &[&Lesson],
    policy: &SweepPolicy,
    now: Timestamp,
) -> bool {
    let age = SignedDuration::from_hours(24 * policy.prune_days);
    let is_old = now
        .checked_sub(age)
        .is_ok_and(|then| lesson.created <= then);
    let shown_since = all
        .iter()
        .filter(|it| it.counts.last_shown.is_some_and(|at| at > lesson.created));
    let counts = &lesson.counts;
    is_old
        && counts.shown + counts.helped == 0
        && shown_since.map(|it| it.counts.shown).sum::<u64>() >= SHOWN_ELSEWHERE
}
