//! How the deliveries of a webhook fare, and what becomes of it when one went well or failed.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How long a failed delivery is tried again before the webhook is stopped.
const GIVE_UP_AFTER: i64 = 24 * 60 * 60 * 1000;
/// The first pause after a failure, in milliseconds; each is four times as long as the one before.
const FIRST_PAUSE: i64 = 5_000;
/// The longest pause.
const LONGEST_PAUSE: i64 = 60 * 60 * 1000;
/// How long nobody else tries a delivery that was begun: longer than one may take.
pub(crate) const LEASE: Duration = Duration::from_secs(30);

/// How the deliveries of a webhook fare, as it is kept. Times are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WebhookProgress {
    /// The last entry of the journal that was told, or had nothing to tell.
    pub(crate) told: u64,
    /// The last entry of the delivery that failed, so that a repetition of it tells the same.
    #[serde(default)]
    pub(crate) unsent: Option<u64>,
    /// When the next delivery may be tried.
    #[serde(default)]
    pub(crate) next_try: i64,
    #[serde(default)]
    pub(crate) last_success: Option<i64>,
    #[serde(default)]
    pub(crate) last_failure: Option<WebhookFailure>,
    #[serde(default)]
    pub(crate) failing: Option<FailureStreak>,
    /// When it was given up.
    #[serde(default)]
    pub(crate) stopped_at: Option<i64>,
}

/// A delivery that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WebhookFailure {
    pub(crate) at: i64,
    pub(crate) why: String,
}

/// Failures since the last delivery that went well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FailureStreak {
    pub(crate) since: i64,
    pub(crate) count: u32,
}

/// What came of a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// It was taken.
    Taken,
    /// It was not, and another try may help.
    Failed(String),
    /// Its receiver wants no more of them.
    Unwanted,
}

impl WebhookProgress {
    /// Begins with what comes after an entry of the journal.
    pub(crate) fn new(told: u64) -> Self {
        Self {
            told,
            unsent: None,
            next_try: 0,
            last_success: None,
            last_failure: None,
            failing: None,
            stopped_at: None,
        }
    }

    /// Writes it as it is kept.
    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("numbers and a sentence are JSON")
    }

    /// Returns the last entry that was told, for a webhook that takes the place of this one; `None` if this one was
    /// stopped, because what it missed is lost.
    pub(crate) fn told_to_take_over(&self) -> Option<u64> {
        self.stopped_at.is_none().then_some(self.told)
    }

    pub(crate) fn is_due(&self, now: i64) -> bool {
        self.stopped_at.is_none() && self.next_try <= now
    }

    /// Keeps others from trying a delivery that begins now.
    pub(crate) fn begin(&mut self, now: i64) {
        self.next_try = now + i64::try_from(LEASE.as_millis()).unwrap_or(i64::MAX);
    }

    /// Notes that entries up to this one had nothing to tell.
    pub(crate) fn skip(&mut self, end: u64) {
        self.told = end;
        self.unsent = None;
        self.next_try = 0;
    }

    /// Notes what came of a delivery of entries up to this one.
    pub(crate) fn finish(&mut self, end: u64, delivery: Delivery, now: i64) {
        match delivery {
            Delivery::Taken => {
                self.skip(end);
                self.last_success = Some(now);
                self.failing = None;
            }
            Delivery::Failed(why) => self.fail(end, why, now),
            Delivery::Unwanted => {
                let why = "it answered 410: it wants no more deliveries".to_owned();
                self.fail(end, why, now);
                self.stopped_at = Some(now);
            }
        }
    }

    fn fail(&mut self, end: u64, why: String, now: i64) {
        let before = self.failing.unwrap_or(FailureStreak {
            since: now,
            count: 0,
        });
        self.failing = Some(FailureStreak {
            count: before.count.saturating_add(1),
            ..before
        });
        self.last_failure = Some(WebhookFailure { at: now, why });
        self.unsent = Some(end);
        self.next_try = now + find_pause(before.count);
        if now - before.since >= GIVE_UP_AFTER {
            self.stopped_at = Some(now);
        }
    }
}

/// Returns how long to wait after a failure, by the number of failures before it.
fn find_pause(failures: u32) -> i64 {
    let pause = 4_i64
        .checked_pow(failures)
        .and_then(|it| it.checked_mul(FIRST_PAUSE));
    pause.map_or(LONGEST_PAUSE, |it| it.min(LONGEST_PAUSE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed() -> Delivery {
        Delivery::Failed("it answered 500".to_owned())
    }

    #[test]
    fn pauses_grow_until_it_is_given_up() {
        let mut hook = WebhookProgress::new(5);
        let (mut now, mut pauses) = (1_000, Vec::new());
        while hook.stopped_at.is_none() {
            hook.finish(9, failed(), now);
            pauses.push((hook.next_try - now) / 1000);
            now = hook.next_try;
        }
        assert_eq!(pauses[..7], [5, 20, 80, 320, 1280, 3600, 3600]);
        assert_eq!(pauses.len(), 30);
        assert_eq!((hook.told, hook.unsent), (5, Some(9)));
        assert_eq!(
            (hook.is_due(i64::MAX), hook.told_to_take_over()),
            (false, None)
        );
    }

    #[test]
    fn a_success_ends_a_streak_of_failures() {
        let mut hook = WebhookProgress::new(5);
        hook.finish(9, failed(), 1_000);
        assert!(!hook.is_due(5_999) && hook.is_due(6_000));
        hook.begin(6_000);
        assert!(!hook.is_due(35_999) && hook.is_due(36_000));
        hook.finish(9, Delivery::Taken, 7_000);
        assert_eq!((hook.told, hook.unsent, hook.failing), (9, None, None));
        assert!(hook.last_failure.is_some(), "it is still told");
        hook.finish(12, Delivery::Unwanted, 8_000);
        assert_eq!(hook.stopped_at, Some(8_000));
    }
}
