//! What speaks for a lesson besides its words: how it fared, how old it is, what it is about.
//!
//! All of it is gentle. A lesson that fits the prompt well beats one that merely did well
//! elsewhere; taking a harmful lesson out altogether is no matter of rank.

use jiff::Timestamp;

use super::Requester;
use crate::lesson::{GaussianMessage, Lesson, Posterior};

/// How far outcomes may bend a score, up or down.
const UTILITY_RANGE: f64 = 0.25;
/// How many deviations above what is believed of its effect a lesson is taken at: the less is
/// known of it, the better for it, so that a new one gets its chance.
const OPTIMISM_DEVIATIONS: f64 = 0.5;
/// How much of its score a lesson may lose by age.
const MAX_AGE_LOSS: f32 = 0.1;
/// Days in which half of that is lost.
const HALF_LIFE_DAYS: f32 = 180.0;
/// What being about a tool in hand adds.
const TOOL_BONUS: f32 = 0.2;

/// What is left of the score of a lesson that nobody follows any more: others go first.
const NOT_FOLLOWED_FACTOR: f32 = 0.8;

/// Factors on the score; each is 1 where nothing is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Merit {
    pub(super) utility: f32,
    pub(super) heed: f32,
    pub(super) freshness: f32,
    pub(super) tool: f32,
}

impl Merit {
    /// Returns all of it as one factor.
    pub(super) fn factor(&self) -> f32 {
        self.utility * self.heed * self.freshness * self.tool
    }
}

pub(super) fn measure_merit(lesson: &Lesson, asker: &Requester, now: Timestamp) -> Merit {
    let about = |tool: &str| {
        lesson
            .content
            .tools
            .iter()
            .any(|it| it.as_str().eq_ignore_ascii_case(tool))
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

/// What outcomes changed of the hopes set in a lesson; 1 before the first.
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
