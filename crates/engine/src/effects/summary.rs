//! Sums judgements up for people: the outcomes of each lesson, and how runs went over time.
//!
//! Only what a person looks at is added up here; the estimates of effects are stored with the lessons.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::{Judgement, LessonId, LessonJudgement, LessonOutcome, Moment, Trial};
use jiff::Timestamp;

use super::mean_trial::MeanTrial;

/// How many occasions had each outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OccasionTally {
    /// Its advice was followed, and nothing came.
    pub followed: u64,
    /// Neither its failure nor the call that it warns of came.
    pub avoided: u64,
    /// One of them came, without its advice.
    pub repeated: u64,
    /// Its advice was followed, and its failure came all the same.
    pub in_vain: u64,
    /// Its moment never came.
    pub not_needed: u64,
}

impl OccasionTally {
    /// Counts one more.
    pub fn count(&mut self, outcome: LessonOutcome) {
        *match outcome {
            LessonOutcome::Followed => &mut self.followed,
            LessonOutcome::Avoided => &mut self.avoided,
            LessonOutcome::Repeated => &mut self.repeated,
            LessonOutcome::InVain => &mut self.in_vain,
            LessonOutcome::NotNeeded => &mut self.not_needed,
        } += 1;
    }

    /// Returns the counts in the order of [`LessonOutcome::ALL`].
    pub fn counts(&self) -> [u64; 5] {
        [
            self.followed,
            self.avoided,
            self.repeated,
            self.in_vain,
            self.not_needed,
        ]
    }
}

/// Occasions of lessons, by whether they went well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OccasionCount {
    /// Those on which the failure came, or the call that is warned of was made; where only its end tells, those in runs
    /// that went badly.
    pub met: u64,
    /// Those that passed without.
    pub avoided: u64,
}

impl OccasionCount {
    /// Counts one more.
    pub fn count(&mut self, is_met: bool) {
        *if is_met {
            &mut self.met
        } else {
            &mut self.avoided
        } += 1;
    }

    /// Returns how many there are.
    pub fn total(self) -> u64 {
        self.met + self.avoided
    }

    /// Returns the share of those on which it came; `None` if there are none.
    pub fn met_share(self) -> Option<f64> {
        (self.total() > 0).then(|| self.met as f64 / self.total() as f64)
    }
}

/// Occasions with and without a lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OccasionComparison {
    /// Those where it was shown.
    pub shown: OccasionCount,
    /// Those where it was left out by chance.
    pub left_out: OccasionCount,
}

impl OccasionComparison {
    /// Counts one more.
    fn count(&mut self, is_left_out: bool, is_met: bool) {
        if is_left_out {
            self.left_out.count(is_met);
        } else {
            self.shown.count(is_met);
        }
    }
}

/// How many outcomes of each kind there were: of a lesson, of one of its days or moments, or of all lessons.
///
/// Whatever tells of outcomes counts them here, so that days add up to a lesson, and lessons to the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OutcomeCounts {
    /// Runs that showed it.
    pub shown: u64,
    /// Occasions with it and without it, as far as their outcome is known; none where it was not needed.
    pub compared: OccasionComparison,
    /// Those of them where chance decided: of each run that had an occasion or may have had one that passed unseen.
    pub drawn: OccasionComparison,
    /// The same, each weighted by that chance.
    pub trial: Trial,
    /// All control runs, from which it was withheld, including those whose result is unknown.
    pub controls: u64,
    /// What became of its occasions where it was shown; reports that it was followed are among them.
    pub occasions: OccasionTally,
}

impl OutcomeCounts {
    /// Counts what one run shows of a lesson.
    pub fn count(&mut self, part: &LessonJudgement) {
        self.trial = self.trial + part.delta.trial;
        if part.is_control {
            self.controls += 1;
        } else {
            self.shown += 1;
            self.occasions.count(part.outcome);
        }
        if let Some(is_met) = part.has_failed() {
            self.compared.count(part.is_control, is_met);
            if part.was_drawn() {
                self.drawn.count(part.is_control, is_met);
            }
        }
    }
}

/// What runs of one week show of lessons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WeekCount {
    /// When the week begins: a Monday, in UTC.
    pub from: Timestamp,
    /// Its occasions, of those that the headline counts.
    pub compared: OccasionComparison,
}

/// The sum of all judgements.
#[derive(Debug, Clone, Default)]
pub struct CreditSummary {
    /// The outcomes of each lesson.
    pub lessons: BTreeMap<LessonId, OutcomeCounts>,
    /// The outcomes by the moment at which lessons were shown or withheld, where that was stored.
    pub moments: BTreeMap<Moment, OutcomeCounts>,
    /// How many runs were judged.
    pub runs: u64,
    /// How many calls it took until occasions were past, with and without lessons, by the same chance.
    pub calls: MeanTrial,
    /// Of how many runs that showed a lesson those calls are known.
    pub runs_with_calls: u64,
    /// The outcomes of all lessons.
    pub all: OutcomeCounts,
    /// All outcomes by the number of the week since 1970.
    weeks: BTreeMap<i64, OutcomeCounts>,
}

impl CreditSummary {
    /// Adds the judgement of a run.
    pub fn add_run(&mut self, at: Timestamp, judgement: &Judgement) {
        self.runs += 1;
        for part in judgement.recalled_lessons() {
            self.lessons.entry(part.lesson).or_default().count(part);
            self.all.count(part);
            if let Some(moment) = part.moment {
                self.moments.entry(moment).or_default().count(part);
            }
            if part.has_failed().is_some() {
                let week = (at.as_second().div_euclid(DAY_SECONDS) + MONDAY_OFFSET).div_euclid(7);
                self.weeks.entry(week).or_default().count(part);
            }
            self.add_calls(part);
        }
        self.count_followed(judgement);
    }

    /// Adds the calls of an occasion that chance left with or without the lesson.
    fn add_calls(&mut self, part: &LessonJudgement) {
        let calls = part.observed.and_then(|seen| seen.calls_until_past);
        self.runs_with_calls += u64::from(calls.is_some() && !part.is_control);
        let record = part.observed.filter(|_| part.was_drawn());
        let numbers =
            record.and_then(|record| Some((record.holdout_chance, record.calls_until_past?)));
        if let Some((chance, calls)) = numbers {
            (self.calls).add_number(chance, part.is_control, f64::from(calls));
        }
    }

    /// Adds a judgement of some lessons: of a run, in which one of them had a part, or feedback that belongs to none.
    pub fn add_judgement(&mut self, is_of_run: bool, at: Timestamp, judgement: &Judgement) {
        if !is_of_run {
            self.count_followed(judgement);
        } else if !judgement.lessons.is_empty() {
            self.add_run(at, judgement);
        }
    }

    /// Counts reports that a lesson was followed, unless the run itself shows it.
    fn count_followed(&mut self, judgement: &Judgement) {
        let is_followed = |it: &&LessonJudgement| it.outcome.was_followed() && !it.is_control;
        let seen_ids: BTreeSet<LessonId> = (judgement.recalled_lessons().filter(is_followed))
            .map(|candidate| candidate.lesson)
            .collect();
        let stated_ids: BTreeSet<LessonId> = (judgement.feedback().filter(is_followed))
            .map(|candidate| candidate.lesson)
            .collect();
        for lesson in stated_ids.difference(&seen_ids) {
            let outcomes = self.lessons.entry(*lesson).or_default();
            outcomes.occasions.count(LessonOutcome::Followed);
        }
    }

    /// Returns the occasions that are compared: those on which chance decided; all, until it left out a lesson.
    pub fn compared(&self) -> OccasionComparison {
        self.select_compared(&self.all)
    }

    fn select_compared(&self, counts: &OutcomeCounts) -> OccasionComparison {
        match self.all.trial.failure_shares() {
            Some(_) => counts.drawn,
            None => counts.compared,
        }
    }

    /// Returns the last weeks with occasions, at most so many, the oldest first; those between without any are among them.
    pub fn list_weeks(&self, most: usize) -> Vec<WeekCount> {
        let numbers = self.weeks.keys();
        let (Some(first), Some(last)) = (numbers.clone().min(), numbers.max()) else {
            return Vec::new();
        };
        let weeks = (*first..=*last).rev().take(most);
        let mut weeks: Vec<WeekCount> = weeks
            .filter_map(|week| {
                let counts = self.weeks.get(&week).copied().unwrap_or_default();
                let from = Timestamp::from_second((week * 7 - MONDAY_OFFSET) * DAY_SECONDS).ok()?;
                let compared = self.select_compared(&counts);
                Some(WeekCount { from, compared })
            })
            .collect();
        weeks.reverse();
        weeks
    }
}

/// How many days the week of 1 January 1970, a Thursday, had begun before.
const MONDAY_OFFSET: i64 = 3;
const DAY_SECONDS: i64 = 24 * 3600;

#[cfg(test)]
mod tests {
    use super::*;
    use hardwon_core::{OccasionRecord, RecallId, RecordDelta};

    fn judgement(good: Option<bool>, was_held: bool) -> Judgement {
        let part = LessonJudgement {
            recall: Some(RecallId(1)),
            lesson: LessonId(1),
            is_control: was_held,
            moment: None,
            outcome: LessonOutcome::Followed,
            went_well: good,
            observed: None,
            delta: RecordDelta::default(),
        };
        Judgement {
            lessons: vec![part],
            ..Judgement::default()
        }
    }

    #[test]
    fn weeks_begin_on_monday_and_hold_every_occasion_once() {
        let mut summary = CreditSummary::default();
        assert_eq!(summary.list_weeks(9), []);
        for (at, is_good) in [
            ("2026-11-01T23:59:59Z", true),
            ("2026-11-02T00:00:00Z", true),
            ("2026-11-08T12:00:00Z", false),
            ("2026-11-16T12:00:00Z", true),
        ] {
            summary.add_run(at.parse().unwrap(), &judgement(Some(is_good), false));
            summary.add_run(at.parse().unwrap(), &judgement(Some(false), true));
            summary.add_run(at.parse().unwrap(), &judgement(None, false));
        }
        let told = |most: usize| {
            let weeks = summary.list_weeks(most).into_iter();
            let line = |week: WeekCount| {
                let count = week.compared.shown;
                format!(
                    "{} {}+{}",
                    week.from.strftime("%F"),
                    count.met,
                    count.avoided
                )
            };
            weeks.map(line).collect::<Vec<_>>()
        };
        let all = [
            "2026-10-26 0+1",
            "2026-11-02 1+1",
            "2026-11-09 0+0",
            "2026-11-16 0+1",
        ];
        assert_eq!(told(9), all);
        assert_eq!(told(2), all[2..]);
    }

    /// What chance decided is counted as the verdict does it, unseen occasions included.
    #[test]
    fn sentence_weeks_and_lessons_count_what_the_verdict_rests_on() {
        let mut summary = CreditSummary::default();
        let mut add = |is_control, chance, is_met| {
            let mut run = judgement(None, is_control);
            let part = &mut run.lessons[0];
            part.outcome = LessonOutcome::NotNeeded;
            part.observed = Some(OccasionRecord {
                holdout_chance: chance,
                met_again: Some(is_met),
                calls_until_past: None,
            });
            part.delta.trial = Trial::from_outcome(chance, is_control, !is_met);
            summary.add_run(Timestamp::UNIX_EPOCH, &run);
        };
        add(false, 0.0, false);
        add(false, 0.2, true);
        add(false, 0.8, false);
        add(true, 0.5, true);
        // A convention that no call is about is told by the run's end, and what was under way tells nothing.
        let [mut by_end, mut late] = [judgement(None, true), judgement(Some(false), true)];
        by_end.lessons[0].delta.trial = Trial::from_outcome(0.5, true, true);
        for run in [&mut by_end, &mut late] {
            run.lessons[0].observed = Some(OccasionRecord {
                holdout_chance: 0.5,
                ..OccasionRecord::default()
            });
            summary.add_run(Timestamp::UNIX_EPOCH, run);
        }
        let count = |met, avoided| OccasionCount { met, avoided };
        let expected = OccasionComparison {
            shown: count(1, 1),
            left_out: count(1, 1),
        };
        let outcomes = summary.lessons[&LessonId(1)];
        assert_eq!((outcomes.compared, outcomes.drawn), (expected, expected));
        assert_eq!(summary.compared(), expected);
        assert_eq!(summary.list_weeks(1)[0].compared, expected);
    }

    #[test]
    fn outcomes_are_told_apart() {
        let mut summary = CreditSummary::default();
        for (good, was_held) in [
            (Some(true), false),
            (Some(true), false),
            (Some(false), false),
            (Some(false), true),
            (None, true),
        ] {
            summary.add_run(Timestamp::UNIX_EPOCH, &judgement(good, was_held));
        }
        let expected = OutcomeCounts {
            compared: OccasionComparison {
                shown: OccasionCount { met: 1, avoided: 2 },
                left_out: OccasionCount { met: 1, avoided: 0 },
            },
            shown: 3,
            controls: 2,
            occasions: OccasionTally {
                followed: 3,
                ..OccasionTally::default()
            },
            ..OutcomeCounts::default()
        };
        assert_eq!(summary.lessons[&LessonId(1)], expected);
        assert_eq!((summary.runs, summary.all), (5, expected));
    }

    #[test]
    fn moments_are_told_apart() {
        let part = |moment, was_held, fate, good| LessonJudgement {
            moment,
            outcome: fate,
            ..judgement(good, was_held).lessons[0].clone()
        };
        let (start, call) = (Some(Moment::SessionStart), Some(Moment::BeforeCall));
        let mut summary = CreditSummary::default();
        let judged = Judgement {
            lessons: vec![
                part(start, false, LessonOutcome::Followed, Some(true)),
                part(start, false, LessonOutcome::InVain, Some(false)),
                part(start, false, LessonOutcome::Repeated, None),
                part(start, true, LessonOutcome::Repeated, Some(false)),
                part(call, false, LessonOutcome::NotNeeded, Some(true)),
                part(call, false, LessonOutcome::Avoided, Some(true)),
                part(None, false, LessonOutcome::Followed, Some(true)),
            ],
            ..Judgement::default()
        };
        summary.add_run(Timestamp::UNIX_EPOCH, &judged);
        let seen = |moment| {
            let counts = summary.moments[&moment];
            let OccasionComparison { shown, left_out } = counts.compared;
            (
                (counts.shown, counts.controls),
                counts.occasions.counts(),
                (shown.met, shown.avoided, left_out.met),
            )
        };
        let start = ((3, 1), [1, 0, 1, 1, 0], (1, 1, 1));
        assert_eq!(seen(Moment::SessionStart), start);
        assert_eq!(
            seen(Moment::BeforeCall),
            ((2, 0), [0, 1, 0, 0, 1], (0, 1, 0))
        );
        assert_eq!(summary.moments.len(), 2);
    }

    /// Feedback about a lesson is no outcome of it.
    #[test]
    fn words_are_no_outcomes() {
        let word = |fate| LessonJudgement {
            recall: None,
            outcome: fate,
            ..judgement(Some(false), false).lessons[0].clone()
        };
        let mut summary = CreditSummary::default();
        let mut run = judgement(Some(true), false);
        run.lessons[0].outcome = LessonOutcome::Followed;
        let both = run.with_feedback([word(LessonOutcome::Followed)]);
        summary.add_run(Timestamp::UNIX_EPOCH, &both);
        for fate in LessonOutcome::ALL {
            let words = Judgement::default().with_feedback([word(fate)]);
            summary.add_judgement(false, Timestamp::UNIX_EPOCH, &words);
        }
        let expected = OutcomeCounts {
            shown: 1,
            compared: OccasionComparison {
                shown: OccasionCount { met: 0, avoided: 1 },
                ..OccasionComparison::default()
            },
            occasions: OccasionTally {
                followed: 3,
                ..OccasionTally::default()
            },
            ..OutcomeCounts::default()
        };
        assert_eq!(summary.lessons[&LessonId(1)], expected);
        assert_eq!((summary.runs, summary.all.compared), (1, expected.compared));
    }
}
