//! Counts at how many of a project's calls a lesson's advice is done in another way.
//!
//! Advice comes up wherever the same is done without it, and at too many calls it says nothing. So it is counted of how many
//! calls each run had, and at how many of them it went another way and never did as advised: what is told once and
//! followed from then on is worth it, however often it comes. A rule that only warns is not counted, because one that comes
//! often is broken often.

use super::{BaselineKey, observed_call::ObservedCall};
use crate::{
    GaussianMessage, Lesson, Occasion, Scope, Trace, Triggers, digest, limits, trigger::Sign,
};

impl BaselineKey {
    /// Returns the key of all calls that were seen in a scope.
    pub fn calls_seen(scope: &Scope) -> Self {
        Self::CallsSeen(scope.digest())
    }

    /// Returns the key of the calls in a scope that went another way than a lesson advises. New words begin anew.
    pub fn calls_otherwise(scope: &Scope, lesson: &Lesson) -> Self {
        let text = lesson.content.text.as_str().as_bytes();
        let parts = [scope.digest().as_bytes(), text].map(<[u8]>::to_vec);
        let hash = digest::hash_parts(parts.iter().map(Vec::as_slice));
        Self::CallsOtherwise(lesson.id, digest::to_hex(&hash[..8]))
    }
}

/// Returns what a run adds to these counts, for the lessons that it recalled. A run counts as
/// [`limits::BROAD_RUN_CALLS`] calls at most, so that no long one outweighs all others.
pub fn count_calls(trace: &Trace, lessons: &[Lesson]) -> Vec<(BaselineKey, GaussianMessage)> {
    let calls = ObservedCall::all_in_trace(trace);
    if calls.is_empty() {
        return Vec::new();
    }
    let most = calls.len().min(limits::BROAD_RUN_CALLS);
    let scope = trace.scope();
    let mut sums = vec![(BaselineKey::calls_seen(scope), count_message(most))];
    for lesson in lessons.iter().filter(|lesson| lesson.failure.is_none()) {
        let count = count_otherwise(&calls, &Triggers::from_content(&lesson.content));
        if count > 0 {
            let share = (count * most).div_ceil(calls.len());
            let key = BaselineKey::calls_otherwise(scope, lesson);
            sums.push((key, count_message(share)));
        }
    }
    sums
}

/// Returns how many calls went another way than advised; none if one of them did as advised.
fn count_otherwise(calls: &[ObservedCall<'_>], triggers: &Triggers) -> usize {
    let is_other = |call: &&ObservedCall<'_>| {
        matches!(call.occasion_of(triggers), Occasion::Due(Sign::Advised, _))
    };
    let count = calls.iter().filter(is_other).count();
    let is_followed = || calls.iter().any(|call| call.has_tried(triggers));
    if count > 0 && is_followed() { 0 } else { count }
}

/// Returns whether advice is done in another way at so many of the seen calls that no call brings it up.
pub fn is_too_broad(otherwise: GaussianMessage, seen: GaussianMessage) -> bool {
    let (otherwise, seen) = (otherwise.precision, seen.precision);
    seen >= limits::BROAD_CALLS_MIN && otherwise * 100 > seen * limits::BROAD_PERCENT
}

fn count_message(count: usize) -> GaussianMessage {
    GaussianMessage {
        precision: i64::try_from(count).unwrap_or(i64::MAX),
        shift: 0,
    }
}
