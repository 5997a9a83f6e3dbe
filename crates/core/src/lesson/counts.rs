//! How a lesson fared, and what one outcome adds to that.
//!
//! Counts are sums of what was added, so that each part can be taken back to the last digit. What
//! an outcome adds is decided by [`credit`](crate::credit); here it is only added up.

use jiff::Timestamp;

use super::{posterior::GaussianMessage, sums::sum_fields, trial::Trial};

/// A lesson's record. Counted by the runtime only; never taken from an author or a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LessonCounts {
    /// How many recalls showed it.
    pub shown: u64,
    /// Outcomes that by themselves speak for it: feedback, or its failure avoided.
    pub helped: u64,
    /// Outcomes that by themselves speak against it.
    pub harmed: u64,
    /// Those of them in which it was followed and its failure occurred all the same.
    pub contradicted: u64,
    /// Runs that were shown it, that it may have influenced, and that went well.
    pub went_well: u64,
    /// Runs that were shown it, that it may have influenced, and that went badly.
    pub went_badly: u64,
    /// Runs in a row that were shown it and did not follow it. A sum of deltas, which may become negative when a run
    /// is judged again.
    pub not_followed: i64,
    /// When it was last shown; `None` if never.
    pub last_shown: Option<Timestamp>,
    /// The evidence of outcomes about its effect.
    pub gaussian_message: GaussianMessage,
    /// Results with it and without it, where it was withheld at random.
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
            let clause = "but its failure happened anyway";
            return format!("followed {}, {clause}", times(self.contradicted));
        }
        format!("{} against it, {} for it", self.harmed, self.helped)
    }
}

/// What an outcome adds to a lesson's record. Deltas add up, and subtracting one restores the sum exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RecordDelta {
    /// Outcomes that by themselves speak for it: feedback, or its failure avoided.
    pub helped: i64,
    /// Outcomes that by themselves speak against it.
    pub harmed: i64,
    /// Those of them in which it was followed and its failure occurred all the same.
    pub contradicted: i64,
    /// Runs that were shown it, that it may have influenced, and that went well.
    pub went_well: i64,
    /// Runs that were shown it, that it may have influenced, and that went badly.
    pub went_badly: i64,
    /// Runs in a row that were shown it and did not follow it. A run that does follow it subtracts what was counted
    /// before.
    pub not_followed: i64,
    /// The evidence about its effect, as a Gaussian message.
    pub gaussian_message: GaussianMessage,
    /// Results of withholding it at random.
    pub trial: Trial,
}

impl RecordDelta {
    /// Adds an outcome that speaks for the lesson, or against it, by itself.
    pub(crate) fn add_outcome(&mut self, is_good: bool) {
        self.helped += i64::from(is_good);
        self.harmed += i64::from(!is_good);
    }
}

sum_fields!(RecordDelta {
    helped,
    harmed,
    contradicted,
    went_well,
    went_badly,
    not_followed,
    gaussian_message,
    trial,
});
