//! Decides which lessons leave a scope that is full.
//!
//! The least useful leave first: those that expired, then those that harmed more than they helped, those that the
//! agent ignored, those never shown, those shown that have not helped yet, and last those that helped, the least
//! helpful first. The newest fifth is spared, unless it harmed: otherwise a lesson that nobody could use yet would
//! leave for the very next one. The store supplies the counts. For the reasons see `docs/design/store.md`.

use jiff::Timestamp;

use crate::{GaussianMessage, Lesson, LessonCounts, LessonId, Posterior, Trust, limits};

/// What decides whether one lesson of a full scope leaves.
#[derive(Debug, Clone, PartialEq)]
pub struct EvictionCandidate {
    /// The lesson's number.
    pub id: LessonId,
    /// The trust of its source.
    pub trust: Trust,
    /// Its record. The outcomes of the randomised control group have no part in it.
    pub counts: LessonCounts,
    /// When it was admitted.
    pub created: Timestamp,
    /// When it stops being true; `None` if never.
    pub expires_at: Option<Timestamp>,
}

/// How useful a lesson is, from the least useful.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum EvictionRank {
    Expired,
    Harmed,
    NotFollowed,
    NeverShown,
    Shown,
    Helped,
}

impl From<&Lesson> for EvictionCandidate {
    fn from(lesson: &Lesson) -> Self {
        Self {
            id: lesson.id,
            trust: lesson.trust,
            counts: lesson.counts,
            created: lesson.created,
            expires_at: lesson.expires_at,
        }
    }
}

impl EvictionCandidate {
    fn eviction_rank(&self, now: Timestamp) -> EvictionRank {
        let counts = &self.counts;
        let was_tried = counts.gaussian_message != GaussianMessage::default();
        if self.expires_at.is_some_and(|end| end <= now) {
            EvictionRank::Expired
        } else if counts.is_caution() || (was_tried && self.posterior_mean() < 0.0) {
            EvictionRank::Harmed
        } else if counts.helped > counts.harmed {
            EvictionRank::Helped
        } else if counts.not_followed >= limits::NOT_FOLLOWED_RUNS {
            EvictionRank::NotFollowed
        } else if counts.shown == 0 {
            EvictionRank::NeverShown
        } else {
            EvictionRank::Shown
        }
    }

    fn posterior_mean(&self) -> f64 {
        Posterior::from_trust(self.trust, self.counts.gaussian_message).mean
    }

    fn helped_margin(&self) -> i128 {
        i128::from(self.counts.helped) - i128::from(self.counts.harmed)
    }
}

/// Returns the lessons that leave, so that `capacity` is kept when one more comes, in the order in which they leave;
/// at most [`limits::EVICTIONS`].
pub(super) fn choose_evicted(
    there: &[EvictionCandidate],
    learned: usize,
    capacity: usize,
    now: Timestamp,
) -> Vec<LessonId> {
    let surplus = (learned + 1).saturating_sub(capacity);
    let spared_from = find_first_spared(there, capacity);
    let mut order: Vec<(bool, EvictionRank, &EvictionCandidate)> = there
        .iter()
        .map(|there| {
            let worth = there.eviction_rank(now);
            (
                worth > EvictionRank::Harmed && there.id >= spared_from,
                worth,
                there,
            )
        })
        .collect();
    order.sort_by(|(a_spared, a_worth, a), (b_spared, b_worth, b)| {
        let last_used = |it: &EvictionCandidate| it.counts.last_shown.unwrap_or(it.created);
        (a_spared, a_worth, a.helped_margin())
            .cmp(&(b_spared, b_worth, b.helped_margin()))
            .then_with(|| a.posterior_mean().total_cmp(&b.posterior_mean()))
            .then_with(|| (last_used(a), a.id).cmp(&(last_used(b), b.id)))
    });
    let order = order.into_iter().map(|(.., it)| it.id);
    order.take(surplus.min(limits::EVICTIONS)).collect()
}

/// Returns the first of the newest lessons, which are spared: a fifth of the capacity.
fn find_first_spared(there: &[EvictionCandidate], capacity: usize) -> LessonId {
    let mut ids: Vec<LessonId> = there.iter().map(|there| there.id).collect();
    ids.sort_unstable();
    let spare_count = capacity.div_ceil(limits::SPARED_ONE_IN);
    let first = ids.len().saturating_sub(spare_count);
    ids.get(first).copied().unwrap_or(LessonId(i64::MAX))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::TrustClass;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn standing(id: i64, counts: LessonCounts) -> EvictionCandidate {
        EvictionCandidate {
            id: LessonId(id),
            trust: Trust::untainted(TrustClass::Derived),
            counts,
            created: at(id),
            expires_at: None,
        }
    }

    fn fared(shown: u64, helped: u64, harmed: u64) -> LessonCounts {
        LessonCounts {
            shown,
            helped,
            harmed,
            last_shown: (shown > 0).then(|| at(100)),
            ..LessonCounts::default()
        }
    }

    /// Checks the order in which all lessons leave a scope with room for ten.
    fn check(there: &[EvictionCandidate], expected: &[i64]) {
        let left = choose_evicted(there, 9 + there.len(), 10, at(1000));
        let left: Vec<i64> = left.into_iter().map(|id| id.0).collect();
        assert_eq!(left, expected);
    }

    #[test]
    fn what_helped_stays_longest() {
        let not_followed = limits::NOT_FOLLOWED_RUNS;
        let shift = |shift| GaussianMessage {
            precision: 4_000_000,
            shift,
        };
        let mut there = vec![
            standing(1, fared(9, 2, 0)),
            standing(2, fared(9, 1, 0)),
            standing(3, fared(9, 0, 2)),
            standing(4, fared(9, 0, 0)),
            standing(5, fared(0, 0, 0)),
            standing(
                6,
                LessonCounts {
                    not_followed,
                    ..fared(9, 0, 0)
                },
            ),
            standing(
                7,
                LessonCounts {
                    gaussian_message: shift(-9_000_000),
                    ..fared(9, 0, 0)
                },
            ),
            standing(
                8,
                LessonCounts {
                    gaussian_message: shift(9_000_000),
                    ..fared(9, 0, 0)
                },
            ),
            standing(9, fared(9, 3, 1)),
            // The newest two are spared, unless they do harm.
            standing(10, fared(0, 0, 0)),
            standing(11, fared(0, 0, 0)),
        ];
        there[8].expires_at = Some(at(1000));
        check(&there, &[9, 3, 7, 6, 5, 4, 8, 2, 1, 10, 11]);
        there[10].counts.harmed = 1;
        check(&there, &[9, 3, 11, 7, 6, 5, 4, 8, 2, 1, 10]);
    }

    #[test]
    fn of_equals_the_one_used_longest_ago_leaves() {
        let seen = |id, second| {
            let last_seen = Some(at(second));
            standing(
                id,
                LessonCounts {
                    last_shown: last_seen,
                    ..fared(3, 0, 0)
                },
            )
        };
        let there = [
            seen(1, 50),
            seen(2, 40),
            seen(3, 60),
            seen(4, 1),
            seen(5, 1),
        ];
        check(&there, &[2, 1, 3, 4, 5]);
    }

    #[test]
    fn a_newcomer_outlives_those_that_come_right_after_it() {
        for capacity in [1, 3, 10, 50] {
            let mut there: Vec<EvictionCandidate> = (1..=capacity)
                .map(|id| standing(id, fared(9, 1, 0)))
                .collect();
            let room = usize::try_from(capacity).unwrap();
            let spared = i64::try_from(room.div_ceil(limits::SPARED_ONE_IN)).unwrap();
            let newest = capacity + 1;
            for id in newest..newest + spared {
                let gone = choose_evicted(&there, there.len(), room, at(1000));
                assert_eq!(gone.len(), 1);
                there.retain(|it| it.id != gone[0]);
                there.push(standing(id, fared(0, 0, 0)));
                assert!(there.iter().any(|it| it.id.0 == newest), "{capacity}: {id}");
            }
        }
    }

    proptest! {
        #[test]
        fn as_many_leave_as_must_and_the_order_of_asking_is_nothing(
            counts in prop::collection::vec((0_u64..3, 0_u64..3, 0_u64..3), 1..40),
            capacity in 1_usize..50,
        ) {
            let mut there: Vec<EvictionCandidate> = (1..)
                .zip(counts)
                .map(|(id, (shown, helped, harmed))| standing(id, fared(shown, helped, harmed)))
                .collect();
            let left = choose_evicted(&there, there.len(), capacity, at(1000));
            let surplus = (there.len() + 1).saturating_sub(capacity);
            prop_assert_eq!(left.len(), surplus.min(there.len()));
            there.reverse();
            prop_assert_eq!(left, choose_evicted(&there, there.len(), capacity, at(1000)));
        }
    }
}
