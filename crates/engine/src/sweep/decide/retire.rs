//! Which lessons leave by themselves: what expired, and what nobody ever needed.
//!
//! A lesson that was never shown leaves only where others were shown meanwhile: a machine that was switched off for a
//! summer proves nothing. A person's lesson leaves only if it expired, as its author said. What a full scope has no room
//! for leaves when the next lesson comes, in `change`.

use hardwon_redact::clean_derived;
use jiff::{SignedDuration, Timestamp};

use hardwon_core::{Lesson, TrustClass};

use super::{SweepItem, SweepPolicy};

/// How often lessons of a scope must have been shown before one that never was is taken for useless.
const SHOWN_ELSEWHERE: u64 = 50;

/// Returns what archives the lessons of one scope whose time is over.
pub(super) fn find_expired(lessons: &[&Lesson], now: Timestamp) -> Vec<SweepItem> {
    let archives = lessons.iter().filter_map(|lesson| {
        let end = lesson.expires_at.filter(|end| *end <= now)?;
        let reason = format!("expired on {}", end.strftime("%Y-%m-%d"));
        Some(archive(lesson, reason))
    });
    archives.collect()
}

/// Returns what archives the lessons of one scope that nobody ever needed.
pub(super) fn find_unneeded(
    lessons: &[&Lesson],
    policy: &SweepPolicy,
    now: Timestamp,
) -> Vec<SweepItem> {
    let days = policy.prune_days;
    let lessons_to_retire = lessons
        .iter()
        .filter(|lesson| lesson.trust.class != TrustClass::Person)
        .filter(|lesson| was_never_needed(lesson, lessons, days, now));
    lessons_to_retire
        .map(|lesson| archive(lesson, format!("never shown in {days} days")))
        .collect()
}

fn archive(lesson: &Lesson, why: String) -> SweepItem {
    SweepItem::Archive {
        lesson: lesson.id,
        why: clean_derived(&why),
    }
}

fn was_never_needed(lesson: &Lesson, all: &[&Lesson], days: i64, now: Timestamp) -> bool {
    let age = SignedDuration::from_hours(24 * days);
    let is_old = now
        .checked_sub(age)
        .is_ok_and(|then| lesson.created <= then);
    let others = all.iter().filter(|other| {
        let last = other.counts.last_shown;
        last.is_some_and(|at| at > lesson.created)
    });
    is_old
        && !was_shown(lesson)
        && others.map(|other| other.counts.shown).sum::<u64>() >= SHOWN_ELSEWHERE
}

/// Returns whether anybody was ever shown a lesson.
pub(crate) fn was_shown(lesson: &Lesson) -> bool {
    lesson.counts.shown + lesson.counts.helped > 0
}
