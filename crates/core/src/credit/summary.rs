//! Sums judgements up for people: the outcomes of each lesson, and how runs went over time.
//!
//! Only what a person looks at is added up here; the estimates of effects are stored with the lessons.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::{EffectTrials, Judgement, LessonJudgement, LessonOutcome};
use crate::{id::LessonId, lesson::Trial, recall::Moment};

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
    fn count(&mut self, outcome: LessonOutcome) {
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

/// How many outcomes of each kind a lesson had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OutcomeCounts {
    /// Runs that were shown it and went well.
    pub shown_good: u64,
    /// Runs that were shown it and went badly.
    pub shown_bad: u64,
    /// Control runs, from which it was withheld, that went well.
    pub control_good: u64,
    /// Control runs that went badly.
    pub control_bad: u64,
    /// All control runs, including those whose result is unknown.
    pub controls: u64,
    /// What became of its occasions where it was shown; reports that it was followed are among them.
    pub occasions: OccasionTally,
}

/// The results of showing lessons at one moment of runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MomentStats {
    /// Lessons shown at this moment, each counted once a run.
    pub shown: u64,
    /// What became of their occasions.
    pub occasions: OccasionTally,
    /// Those in runs that went well, as far as known.
    pub good: u64,
    /// Those in runs that went badly.
    pub bad: u64,
    /// Lessons that would have been shown at this moment and were withheld at random.
    pub controls: u64,
    /// Results with and without the lesson, where it was withheld at random.
    pub trial: Trial,
    /// Results of showing lessons at this moment and of deferring them to a later one, where chance decided.
    pub timing: Trial,
}

impl MomentStats {
    fn add_lesson(&mut self, part: &LessonJudgement) {
        self.trial = self.trial + part.delta.trial;
        if part.is_control {
            self.controls += 1;
            return;
        }
        self.shown += 1;
        self.occasions.count(part.outcome);
        self.good += u64::from(part.went_well == Some(true));
        self.bad += u64::from(part.went_well == Some(false));
    }
}

/// The results of runs with lessons in one period of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// The start of the period.
    pub from: Timestamp,
    /// The end of the period.
    pub to: Timestamp,
    /// Runs that had a matching lesson.
    pub runs: u64,
    /// Those of them in which the lesson's failure recurred or which failed.
    pub failed: u64,
}

/// The sum of all judgements.
#[derive(Debug, Clone, Default)]
pub struct CreditSummary {
    /// The outcomes of each lesson.
    pub lessons: BTreeMap<LessonId, OutcomeCounts>,
    /// Results by the moment at which lessons were shown or withheld, where that was stored.
    pub moments: BTreeMap<Moment, MomentStats>,
    /// How many runs were judged.
    pub runs: u64,
    /// Results with and without lessons, where they were withheld at random.
    pub trial: Trial,
    /// The same in three measures, of all lessons and of each.
    pub trials: EffectTrials,
    /// See `trials`.
    pub lesson_trials: BTreeMap<LessonId, EffectTrials>,
    /// For each judged run with lessons, the time and whether it went badly.
    judged_runs: Vec<(Timestamp, bool)>,
}

impl CreditSummary {
    /// Adds the judgement of a run.
    pub fn add_run(&mut self, at: Timestamp, judgement: &Judgement) {
        self.runs += 1;
        for part in judgement.recalled_lessons() {
            let outcomes = self.lessons.entry(part.lesson).or_default();
            outcomes.controls += u64::from(part.is_control);
            if !part.is_control {
                outcomes.occasions.count(part.outcome);
            }
            self.trial = self.trial + part.delta.trial;
            if let Some(moment) = part.moment {
                self.moments.entry(moment).or_default().add_lesson(part);
            }
            if let Some((moment, trial)) = part.timing {
                let at = self.moments.entry(moment).or_default();
                at.timing = at.timing + trial;
            }
            match (part.is_control, part.went_well) {
                (false, Some(true)) => outcomes.shown_good += 1,
                (false, Some(false)) => outcomes.shown_bad += 1,
                (true, Some(true)) => outcomes.control_good += 1,
                (true, Some(false)) => outcomes.control_bad += 1,
                (_, None) => {}
            }
        }
        for part in judgement.recalled_lessons() {
            self.add_occasion(part, judgement.went_well);
        }
        self.count_followed(judgement);
        let verdicts: Vec<bool> = judgement
            .recalled_lessons()
            .filter_map(|part| part.went_well)
            .collect();
        if !verdicts.is_empty() {
            self.judged_runs.push((at, verdicts.contains(&false)));
        }
    }

    /// Adds an occasion that chance left with or without the lesson.
    fn add_occasion(&mut self, part: &LessonJudgement, went_well: Option<bool>) {
        let had_occasion = part.delta.trial != Trial::default();
        let Some(seen) = part.observed.filter(|_| had_occasion) else {
            return;
        };
        let trials = EffectTrials::from_occasion(&seen, part.is_control, went_well);
        self.trials = self.trials + trials;
        let own = self.lesson_trials.entry(part.lesson).or_default();
        *own = *own + trials;
    }

    /// Adds feedback that belongs to no run.
    pub fn add_feedback(&mut self, judgement: &Judgement) {
        self.count_followed(judgement);
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

    /// Divides the time from the first judgement to the last into equal periods: at most `most`, and no more than
    /// there are runs.
    pub fn split_into_periods(&self, most: usize) -> Vec<Period> {
        let milliseconds = |it: &(Timestamp, bool)| it.0.as_millisecond();
        let first = self.judged_runs.iter().map(milliseconds).min();
        let last = self.judged_runs.iter().map(milliseconds).max();
        let (Some(first), Some(last)) = (first, last) else {
            return Vec::new();
        };
        let count = i64::try_from(most.min(self.judged_runs.len()).max(1)).unwrap_or(1);
        let count = if first == last { 1 } else { count };
        let span = (last - first) / count + 1;
        let begin = |place: i64| Timestamp::from_millisecond(first + span * place);
        let mut periods: Vec<Period> = (0..count)
            .filter_map(|place| {
                Some(Period {
                    from: begin(place).ok()?,
                    to: begin(place + 1).ok()?,
                    runs: 0,
                    failed: 0,
                })
            })
            .collect();
        for it in &self.judged_runs {
            let place = usize::try_from((milliseconds(it) - first) / span).unwrap_or(0);
            if let Some(period) = periods.get_mut(place) {
                period.runs += 1;
                period.failed += u64::from(it.1);
            }
        }
        periods
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{id::RecallId, lesson::RecordDelta};

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
            timing: None,
        };
        Judgement {
            lessons: vec![part],
            ..Judgement::default()
        }
    }

    #[test]
    fn periods_are_equal_and_hold_every_run_once() {
        let check = |seconds: &[i64], most: usize, expected: &[(u64, u64)]| {
            let mut summary = CreditSummary::default();
            for second in seconds {
                let at = Timestamp::from_second(*second).unwrap();
                summary.add_run(at, &judgement(Some(second % 2 == 0), false));
            }
            let periods = summary.split_into_periods(most);
            let got: Vec<_> = periods.iter().map(|it| (it.runs, it.failed)).collect();
            assert_eq!(got, expected, "{seconds:?} {most}");
        };
        check(&[], 4, &[]);
        check(&[7], 4, &[(1, 1)]);
        check(&[7, 7, 7], 4, &[(3, 3)]);
        check(&[0, 1, 2, 3, 4, 5, 6, 9], 2, &[(5, 2), (3, 2)]);
        check(&[0, 99], 9, &[(1, 0), (1, 1)]);
        check(&[99, 0, 1], 3, &[(2, 1), (0, 0), (1, 1)]);
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
            shown_good: 2,
            shown_bad: 1,
            control_good: 0,
            control_bad: 1,
            controls: 2,
            occasions: OccasionTally {
                followed: 3,
                ..OccasionTally::default()
            },
        };
        assert_eq!(summary.lessons[&LessonId(1)], expected);
        assert_eq!(
            (summary.runs, summary.split_into_periods(1)[0].runs),
            (5, 4)
        );
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
        let expected = [
            (
                Moment::SessionStart,
                MomentStats {
                    shown: 3,
                    occasions: OccasionTally {
                        followed: 1,
                        in_vain: 1,
                        repeated: 1,
                        ..OccasionTally::default()
                    },
                    good: 1,
                    bad: 1,
                    controls: 1,
                    ..MomentStats::default()
                },
            ),
            (
                Moment::BeforeCall,
                MomentStats {
                    shown: 2,
                    occasions: OccasionTally {
                        avoided: 1,
                        not_needed: 1,
                        ..OccasionTally::default()
                    },
                    good: 2,
                    ..MomentStats::default()
                },
            ),
        ];
        assert_eq!(summary.moments, BTreeMap::from(expected));
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
            summary.add_feedback(&Judgement::default().with_feedback([word(fate)]));
        }
        let expected = OutcomeCounts {
            shown_good: 1,
            occasions: OccasionTally {
                followed: 3,
                ..OccasionTally::default()
            },
            ..OutcomeCounts::default()
        };
        assert_eq!(summary.lessons[&LessonId(1)], expected);
        let period = summary.split_into_periods(1)[0];
        assert_eq!((summary.runs, period.runs, period.failed), (1, 1, 0));
    }
}
