//! Computes the factors of a score besides words: the lesson's record, its age, its tools.
//!
//! All factors are mild. A lesson that matches the prompt well beats one that merely did well elsewhere; taking a
//! harmful lesson out of use is not done by ranking.

use jiff::Timestamp;

use super::Requester;
use crate::lesson::{GaussianMessage, Lesson, Posterior};

/// How far outcomes may change a score, up or down, as a share.
const UTILITY_RANGE: f64 = 0.25;
/// How many standard deviations above its mean an effect is taken at: the less is known about a lesson, the higher,
/// so that a new one gets its chance.
const OPTIMISM_DEVIATIONS: f64 = 0.5;
/// The share of its score that a lesson may lose by age.
const MAX_AGE_LOSS: f32 = 0.1;
/// The days in which half of that is lost.
const HALF_LIFE_DAYS: f32 = 180.0;
/// What being about a tool in use adds, as a share.
const TOOL_BONUS: f32 = 0.2;

/// The factor for a lesson that runs no longer follow, so that others rank before it.
const NOT_FOLLOWED_FACTOR: f32 = 0.8;

/// Factors of the score; each is 1 where nothing is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Merit {
    pub(super) utility: f32,
    pub(super) heed: f32,
    pub(super) freshness: f32,
    pub(super) tool: f32,
}

impl Merit {
    /// Returns the product of all factors.
    pub(super) fn factor(&self) -> f32 {
        self.utility * self.heed * self.freshness * self.tool
    }
}

pub(super) fn measure_merit(lesson: &Lesson, asker: &Requester, now: Timestamp) -> Merit {
    let about = |tool: &str| {
        let mut tools = lesson.content.tools.iter();
        tools.any(|text| text.as_str().eq_ignore_ascii_case(tool))
    };
    let in_hand = asker.tools.iter().any(|tool| about(tool));
    Merit {
        utility: utility_factor(lesson),
        heed: if lesson.is_not_followed() {
            NOT_FOLLOWED_FACTOR
        } else {
            1.0
        },
        freshness: freshness_factor(lesson.updated, now),
        tool: if in_hand { 1.0 + TOOL_BONUS } else { 1.0 },
    }
}

/// Returns the factor for outcomes: how they changed the optimistic estimate; 1 before the first.
#[expect(clippy::cast_possible_truncation, reason = "a factor near one")]
fn utility_factor(lesson: &Lesson) -> f32 {
    let hope = |leaning: GaussianMessage| {
        let belief = Posterior::from_trust(lesson.trust, leaning);
        belief.utility_interval(OPTIMISM_DEVIATIONS).1
    };
    let change = hope(lesson.counts.gaussian_message) - hope(GaussianMessage::default());
    (1.0 + UTILITY_RANGE * (2.0 * change).clamp(-1.0, 1.0)) as f32
}

fn freshness_factor(updated: Timestamp, now: Timestamp) -> f32 {
    let seconds = now.as_second().saturating_sub(updated.as_second()).max(0);
    let days = seconds as f32 / 86_400.0;
    1.0 - MAX_AGE_LOSS + MAX_AGE_LOSS * (-days / HALF_LIFE_DAYS).exp2()
}
