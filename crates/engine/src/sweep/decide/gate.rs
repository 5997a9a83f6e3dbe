//! Whether a sweep is due: what is asked before a look at all lessons.

use jiff::{SignedDuration, Timestamp};

/// When an unattended sweep is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SweepGate {
    /// The least time since the last sweep.
    pub min_hours: i64,
    /// The least number of lessons that came since.
    pub min_lessons: u64,
}

/// Why a sweep is not due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SweepSkip {
    /// The last one was not long ago.
    #[error("the last sweep was {hours} h ago; sweep_min_hours is {min_hours}")]
    TooSoon {
        /// Hours since.
        hours: i64,
        /// Hours that must have passed.
        min_hours: i64,
    },
    /// Too little is new.
    #[error("{lessons} new lessons since the last sweep; sweep_min_lessons is {min_lessons}")]
    TooFew {
        /// Lessons that came since.
        lessons: u64,
        /// Lessons that there must be.
        min_lessons: u64,
    },
}

impl SweepGate {
    /// Returns why a sweep is not due; `None` if it is. `last` is when the last one was.
    pub fn find_skip(
        &self,
        last: Option<Timestamp>,
        new_lessons: u64,
        now: Timestamp,
    ) -> Option<SweepSkip> {
        if let Some(last) = last {
            let since = now.duration_since(last);
            // A timer that comes every day may come a little early.
            let slack = SignedDuration::from_mins(10);
            if since.saturating_add(slack) < SignedDuration::from_hours(self.min_hours) {
                let (hours, min_hours) = (since.as_hours(), self.min_hours);
                return Some(SweepSkip::TooSoon { hours, min_hours });
            }
        }
        let (lessons, min_lessons) = (new_lessons, self.min_lessons);
        (lessons < min_lessons).then_some(SweepSkip::TooFew {
            lessons,
            min_lessons,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_is_due_when_time_has_passed_and_something_came() {
        let gate = SweepGate {
            min_hours: 20,
            min_lessons: 3,
        };
        let hour = |hour: i64| Timestamp::from_second(hour * 3600).unwrap();
        let check = |last: Option<i64>, new, expected: Option<&str>| {
            let skip = gate.find_skip(last.map(hour), new, hour(100));
            assert_eq!(skip.map(|it| it.to_string()).as_deref(), expected);
        };
        check(None, 3, None);
        check(Some(80), 3, None);
        check(
            Some(90),
            9,
            Some("the last sweep was 10 h ago; sweep_min_hours is 20"),
        );
        check(
            None,
            2,
            Some("2 new lessons since the last sweep; sweep_min_lessons is 3"),
        );
    }
}
