//! How a lesson fared, and what one outcome adds to that.
//!
//! Counts are sums of what was added, so that each part can be taken back to the last digit. What
//! an outcome adds is decided by [`credit`](crate::credit); here it is only added up.

use std::ops::{Add, Sub};

use jiff::Timestamp;

use super::{posterior::GaussianMessage, trial::Trial};

/// How a lesson fared. Counted by the runtime only; never taken from an author or a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LessonCounts {
    /// Recalls that showed it.
    pub shown: u64,
    /// Outcomes that speak for it by themselves: somebody's word, or its trouble that it got over.
    pub helped: u64,
    /// Outcomes that speak against it by themselves.
    pub harmed: u64,
    /// Those of them in which it was followed and its trouble came all the same.
    pub contradicted: u64,
    /// Runs that were shown it, that it bears on as far as can be told, and that went well.
    pub went_well: u64,
    /// The same that went badly.
    pub went_badly: u64,
    /// Runs that were shown it and did not follow it, since the last that did. A sum, which may fall
    /// below zero when a run is judged again.
    pub not_followed: i64,
    /// When it was last shown.
    pub last_shown: Option<Timestamp>,
    /// What outcomes added to what is believed of its effect.
    pub gaussian_message: GaussianMessage,
    /// How it went with it and without it, where chance decided which.
    pub trial: Trial,
}

impl LessonCounts {
    /// Returns the counts after an outcome was added.
    #[must_use]
    pub fn with_delta(self, tally: RecordDelta) -> Self {
        Self {
            helped: self.helped.saturating_add_signed(tally.helped),
            harmed: self.harmed.saturating_add_signed(tally.harmed),
            contradicted: self.contradicted.saturating_add_signed(tally.contradicted),
            went_well: self.went_well.saturating_add_signed(tally.went_well),
            went_badly: self.went_badly.saturating_add_signed(tally.went_badly),
            not_followed: self.not_followed.saturating_add(tally.not_followed),
            gaussian_message: self.gaussian_message + tally.gaussian_message,
            trial: self.trial + tally.trial,
            ..self
        }
    }

    /// Returns whether more outcomes speak against the lesson than for it.
    #[must_use]
    pub fn is_caution(&self) -> bool {
        self.harmed > self.helped
    }

    /// Says what speaks against it.
    pub(super) fn describe_caution(&self) -> String {
        let times = |count: u64| match count {
            1 => "once".to_owned(),
            2 => "twice".to_owned(),
            _ => format!("{count} times"),
        };
        if self.contradicted >= self.harmed {
            let came = "but its failure happened anyway";
            return format!("followed {}, {came}", times(self.contradicted));
        }
        format!("{} against it, {} for it", self.harmed, self.helped)
    }
}

/// What an outcome adds to a lesson's record. Tallies add up, and what one added can be taken back
/// and leaves nothing behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RecordDelta {
    /// Outcomes that speak for it by themselves: somebody's word, or its trouble that it got over.
    pub helped: i64,
    /// Outcomes that speak against it by themselves.
    pub harmed: i64,
    /// Those of them in which it was followed and its trouble came all the same.
    pub contradicted: i64,
    /// Runs that were shown it, that it bears on as far as can be told, and that went well.
    pub went_well: i64,
    /// The same that went badly.
    pub went_badly: i64,
    /// Runs that were shown it and did not follow it, since the last that did: that one takes back
    /// what was counted before.
    pub not_followed: i64,
    /// What is believed of it.
    pub gaussian_message: GaussianMessage,
    /// What holding it back told.
    pub trial: Trial,
}

impl RecordDelta {
    /// Adds an outcome that speaks for the lesson, or against it, by itself.
    pub(crate) fn add_outcome(&mut self, is_good: bool) {
        self.helped += i64::from(is_good);
        self.harmed += i64::from(!is_good);
    }
}

impl Add for RecordDelta {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            helped: self.helped.saturating_add(other.helped),
            harmed: self.harmed.saturating_add(other.harmed),
            contradicted: self.contradicted.saturating_add(other.contradicted),
            went_well: self.went_well.saturating_add(other.went_well),
            went_badly: self.went_badly.saturating_add(other.went_badly),
            not_followed: self.not_followed.saturating_add(other.not_followed),
            gaussian_message: self.gaussian_message + other.gaussian_message,
            trial: self.trial + other.trial,
        }
    }
}

impl Sub for RecordDelta {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            helped: self.helped.saturating_sub(other.helped),
            harmed: self.harmed.saturating_sub(other.harmed),
            contradicted: self.contradicted.saturating_sub(other.contradicted),
            went_well: self.went_well.saturating_sub(other.went_well),
            went_badly: self.went_badly.saturating_sub(other.went_badly),
            not_followed: self.not_followed.saturating_sub(other.not_followed),
            gaussian_message: self.gaussian_message - other.gaussian_message,
            trial: self.trial - other.trial,
        }
    }
}
