//! Turns outcomes of lessons into changes of their posteriors.
//!
//! Each run is judged as a whole, and a judgement replaces the earlier one of the same run: what the old one added to
//! each lesson is subtracted first. So a transcript that grows, or is read twice, counts once.

use std::collections::BTreeMap;

use hardwon_redact::clean_to_chars;

use super::{
    BaselineKey, Judgement, LessonJudgement, LessonOutcome, ObservedOutcome, OccasionRecord,
    OutcomeEvidence,
    assignment::{Contributor, Noise, assign_credit},
};
use crate::{
    Change, GaussianMessage, Lesson, LessonId, Posterior, RecordDelta, RunEnd, Status, Trust,
    TrustClass,
    distil::judge::{EffectOpinion, FollowedOpinion, LessonOpinion},
    event::RunStatus,
    lesson::Trial,
    limits,
};

/// How strongly a lesson's own failure, repeated or avoided, informs about the lesson.
const OWN_FAILURE_NOISE: Noise = Noise {
    variance: 0.5,
    flip_chance: 0.05,
};
/// How strongly the end of a run informs about the lessons that it was shown.
const RUN_END_NOISE: Noise = Noise {
    variance: 1.0,
    flip_chance: 0.05,
};
/// The effect that feedback claims, for or against.
const FEEDBACK_EFFECT: f64 = 1.0;
/// The precision of a person's feedback, and an agent's: two reports of a person, or six of agents, take out a lesson
/// about which nothing else is known. A model that only read about it counts half: what it read may have been written
/// to influence it.
const PERSON_PRECISION: f64 = 4.0;
const AGENT_PRECISION: f64 = 1.0;
const MODEL_PRECISION: f64 = 0.5;
/// The prior of a baseline in general, before anything was seen.
const OVERALL_PRIOR: Posterior = Posterior {
    mean: 0.0,
    variance: 1.0,
};
/// The prior of how far one topic differs from that.
const TOPIC_PRIOR: Posterior = Posterior {
    mean: 0.0,
    variance: 0.1,
};
/// A lesson with an effect below this does harm that matters.
const HARM_EFFECT_MAX: f64 = -0.1;
/// The probability of harm from which a lesson is taken out.
const HARM_CONFIDENCE: f64 = 0.9;
/// The lowest score of a run that went well.
const GOOD_SCORE_MIN: f64 = 0.5;

/// Returns whether a run went well; `None` if it did not end by itself.
pub fn went_well(end: RunEnd) -> Option<bool> {
    match end.status {
        RunStatus::Completed => Some(end.score.is_none_or(|score| score >= GOOD_SCORE_MIN)),
        RunStatus::Failed => Some(false),
        RunStatus::Aborted => None,
    }
}

/// Returns what feedback with trust `word` adds to a lesson with trust `lesson`.
///
/// Feedback of lower trust cannot take a lesson out of use: it is counted and does not move the posterior. Feedback
/// given after content from outside was read may stem from that content, so it neither praises nor counts; against a
/// lesson that is itself from outside it does count.
pub fn delta_from_feedback(is_good: bool, word: Trust, lesson: Trust) -> RecordDelta {
    let is_believed = if is_good {
        !word.tainted
    } else {
        word.is_at_least(lesson)
    };
    let mut tally = RecordDelta::default();
    if is_believed {
        let precision = match word.class {
            TrustClass::Person => PERSON_PRECISION,
            TrustClass::Distilled => MODEL_PRECISION,
            TrustClass::Agent | TrustClass::Derived | TrustClass::Imported => AGENT_PRECISION,
        };
        let effect = if is_good {
            FEEDBACK_EFFECT
        } else {
            -FEEDBACK_EFFECT
        };
        tally.gaussian_message = GaussianMessage::from_observation(effect, precision);
    }
    if is_believed || !word.tainted {
        tally.add_outcome(is_good);
    }
    tally
}

/// Returns what a model's opinion of a lesson adds to the judgement of the run. It counts as far as the model's trust
/// reaches; `None` if it adds nothing.
pub fn judgement_from_opinion(
    opinion: &LessonOpinion,
    word: Trust,
    lesson: Trust,
) -> Option<LessonJudgement> {
    let outcome = match opinion.followed {
        FollowedOpinion::Yes => LessonOutcome::Followed,
        FollowedOpinion::No | FollowedOpinion::Unclear => LessonOutcome::NotNeeded,
    };
    let good = match opinion.effect {
        EffectOpinion::Helped => Some(true),
        EffectOpinion::Harmed => Some(false),
        EffectOpinion::Neither | EffectOpinion::Unclear => None,
    };
    let says_something = opinion.followed != FollowedOpinion::Unclear || good.is_some();
    says_something.then(|| LessonJudgement {
        recall: None,
        lesson: opinion.lesson,
        is_control: false,
        moment: None,
        outcome,
        went_well: good,
        observed: None,
        delta: good.map_or_else(RecordDelta::default, |is_good| {
            delta_from_feedback(is_good, word, lesson)
        }),
    })
}

/// What was known about a lesson before a run, without the run's own earlier judgement.
#[derive(Debug, Clone, Copy)]
pub struct LessonPrior {
    /// The trust of its source.
    pub trust: Trust,
    /// The evidence of earlier outcomes about its effect.
    pub gaussian_message: GaussianMessage,
    /// Runs in a row that did not follow it.
    pub not_followed: i64,
}

impl LessonPrior {
    /// Returns what is known about a lesson without what a judgement added.
    pub fn from_lesson_without(lesson: &Lesson, added: RecordDelta) -> Self {
        Self {
            trust: lesson.trust,
            gaussian_message: lesson.counts.gaussian_message - added.gaussian_message,
            not_followed: lesson.counts.not_followed - added.not_followed,
        }
    }
}

/// What was known before a run about each lesson and baseline, without the run's own earlier judgement.
#[derive(Debug, Clone, Default)]
pub struct CreditPriors {
    /// What was known about each lesson.
    pub lessons: BTreeMap<LessonId, LessonPrior>,
    /// The evidence about each baseline.
    pub baselines: BTreeMap<BaselineKey, GaussianMessage>,
}

/// Returns the baselines that are needed to judge these outcomes.
pub fn required_baselines(aftermaths: &[ObservedOutcome]) -> Vec<BaselineKey> {
    let keys = aftermaths.iter().filter_map(|after| after.failure.clone());
    let best =
        best_match(aftermaths.iter()).map(|candidate| BaselineKey::RunsForLesson(candidate.lesson));
    [BaselineKey::AllCalls, BaselineKey::AllRuns]
        .into_iter()
        .chain(keys.map(BaselineKey::CallsForFailure))
        .chain(best)
        .collect()
}

/// Judges a run: what its outcomes and its end state about each lesson.
pub fn judge_run(
    aftermaths: &[ObservedOutcome],
    end: Option<bool>,
    before: &CreditPriors,
) -> Judgement {
    let mut bench = CreditLedger::from_priors(before);
    let mut parts: Vec<LessonJudgement> = aftermaths
        .iter()
        .map(|aftermath| bench.apply_occasion(aftermath, end))
        .collect();
    for (part, it) in parts
        .iter_mut()
        .zip(aftermaths)
        .filter(|(_, it)| !it.is_control)
    {
        let statistics = before.lessons.get(&it.lesson);
        part.delta.not_followed =
            count_not_followed(it, statistics.map_or(0, |statistic| statistic.not_followed));
    }
    if let Some(is_good) = end {
        bench.apply_run_end(aftermaths, is_good);
    }
    for part in &mut parts {
        let message = bench.0.get(&ContributorKey::Lesson(part.lesson));
        part.delta.gaussian_message = message.map(|pair| pair.1).unwrap_or_default();
    }
    Judgement {
        went_well: end,
        lessons: parts,
        baselines: bench.into_baseline_messages(),
    }
}

/// Returns the change of [`RecordDelta::not_followed`]: a run that had use for the lesson resets it.
fn count_not_followed(it: &ObservedOutcome, before: i64) -> i64 {
    match it.was_of_use {
        Some(true) => -before,
        Some(false) => 1,
        None => 0,
    }
}

/// Returns the outcome of the best matching lesson: what the run was about.
fn best_match<'a>(
    aftermaths: impl Iterator<Item = &'a ObservedOutcome>,
) -> Option<&'a ObservedOutcome> {
    aftermaths.max_by(|a, b| {
        let older = || b.lesson.cmp(&a.lesson);
        a.weight.total_cmp(&b.weight).then_with(older)
    })
}

/// A lesson or baseline that has a part in an outcome.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum ContributorKey {
    Lesson(LessonId),
    Baseline(BaselineKey),
}

/// The posteriors while a run is judged: the priors, and what has been added so far.
struct CreditLedger(BTreeMap<ContributorKey, (Posterior, GaussianMessage)>);

impl CreditLedger {
    fn from_priors(before: &CreditPriors) -> Self {
        let lesson = |(id, known): (&LessonId, &LessonPrior)| {
            let belief = Posterior::from_trust(known.trust, known.gaussian_message);
            (
                ContributorKey::Lesson(*id),
                (belief, GaussianMessage::default()),
            )
        };
        let baseline = |(about, leaning): (&BaselineKey, &GaussianMessage)| {
            let start = match about {
                BaselineKey::AllCalls | BaselineKey::AllRuns => OVERALL_PRIOR,
                _ => TOPIC_PRIOR,
            };
            let belief = start.with_message(*leaning);
            (
                ContributorKey::Baseline(about.clone()),
                (belief, GaussianMessage::default()),
            )
        };
        let lessons = before.lessons.iter().map(lesson);
        Self(
            lessons
                .chain(before.baselines.iter().map(baseline))
                .collect(),
        )
    }

    /// Divides an outcome among its contributors.
    fn divide_outcome(&mut self, all: &[(ContributorKey, f64)], is_good: bool, noise: Noise) {
        let is_known = |party: &&(ContributorKey, f64)| self.0.contains_key(&party.0);
        let parties: Vec<&(ContributorKey, f64)> = all.iter().filter(is_known).collect();
        let contributor = |party: &&(ContributorKey, f64)| {
            let (belief, added) = self.0[&party.0];
            Contributor {
                weight: party.1,
                posterior: belief.with_message(added),
            }
        };
        let contributors: Vec<Contributor> = parties.iter().map(contributor).collect();
        let leanings = assign_credit(&contributors, is_good, noise);
        for ((who, _), leaning) in parties.into_iter().zip(leanings) {
            if let Some((_, sum)) = self.0.get_mut(who) {
                *sum = *sum + leaning;
            }
        }
    }

    fn into_baseline_messages(self) -> Vec<(BaselineKey, GaussianMessage)> {
        let messages = self
            .0
            .into_iter()
            .filter_map(|(who, (_, leaning))| match who {
                ContributorKey::Baseline(about) if leaning != GaussianMessage::default() => {
                    Some((about, leaning))
                }
                ContributorKey::Baseline(_) | ContributorKey::Lesson(_) => None,
            });
        messages.collect()
    }

    /// Applies what calls show of one lesson's occasion: to the lesson if it had a part, to the baseline if it was not
    /// followed or was withheld.
    fn apply_occasion(&mut self, it: &ObservedOutcome, end: Option<bool>) -> LessonJudgement {
        let mut tally = RecordDelta::default();
        if it.evidence == OutcomeEvidence::Calls {
            let mut all = vec![(ContributorKey::Baseline(BaselineKey::AllCalls), 1.0)];
            let key = it.failure.clone().map(BaselineKey::CallsForFailure);
            all.extend(key.map(|key| (ContributorKey::Baseline(key), 1.0)));
            let had_part = !it.is_control && it.outcome != LessonOutcome::Repeated;
            let is_good = if had_part {
                it.outcome != LessonOutcome::InVain
            } else {
                it.met_again != Some(true)
            };
            if had_part {
                all.push((ContributorKey::Lesson(it.lesson), 1.0));
                // Followed once its failure had come, it was right and did not spare that failure.
                if !is_good || !it.has_failed_first {
                    tally.add_outcome(is_good);
                }
                tally.contradicted = i64::from(!is_good);
            }
            self.divide_outcome(&all, is_good, OWN_FAILURE_NOISE);
        }
        let good = occasion_went_well(it, end);
        if it.bears_on_lesson() && !it.is_control {
            tally.went_well = i64::from(good == Some(true));
            tally.went_badly = i64::from(good == Some(false));
        }
        let trial = it.trial_outcome(end);
        tally.trial = trial.map_or_else(Trial::default, |is_good| {
            Trial::from_outcome(it.holdout_chance, it.is_control, is_good)
        });
        LessonJudgement {
            recall: Some(it.recall),
            lesson: it.lesson,
            is_control: it.is_control,
            moment: Some(it.moment),
            outcome: it.outcome,
            went_well: good,
            observed: Some(OccasionRecord {
                holdout_chance: it.holdout_chance,
                met_again: it.met_again,
                calls_until_past: it.calls_until_past,
            }),
            delta: tally,
        }
    }

    /// Applies how the run ended.
    fn apply_run_end(&mut self, aftermaths: &[ObservedOutcome], is_good: bool) {
        let had_part = |it: &&ObservedOutcome| it.evidence == OutcomeEvidence::RunEnd;
        let part = |it: &ObservedOutcome| {
            let is_whole = it.outcome.was_followed();
            let weight = if is_whole { 1.0 } else { it.weight };
            (ContributorKey::Lesson(it.lesson), weight)
        };
        let mut all = vec![(ContributorKey::Baseline(BaselineKey::AllRuns), 1.0)];
        if let Some(best) = best_match(aftermaths.iter().filter(had_part)) {
            all.push((
                ContributorKey::Baseline(BaselineKey::RunsForLesson(best.lesson)),
                1.0,
            ));
        }
        let shown_lessons = aftermaths
            .iter()
            .filter(had_part)
            .filter(|aftermath| !aftermath.is_control);
        all.extend(shown_lessons.map(part));
        self.divide_outcome(&all, is_good, RUN_END_NOISE);
    }
}

/// Returns whether a lesson's occasion went well; `None` if it had none, or nothing tells.
fn occasion_went_well(it: &ObservedOutcome, end: Option<bool>) -> Option<bool> {
    match (it.evidence, it.outcome) {
        (_, LessonOutcome::NotNeeded) => None,
        (_, LessonOutcome::InVain) => Some(false),
        (OutcomeEvidence::RunEnd, _) => end,
        (_, LessonOutcome::Followed | LessonOutcome::Avoided) => Some(true),
        (_, LessonOutcome::Repeated) => Some(false),
    }
}

/// Returns what a judgement changes, after the one that it replaces is subtracted. It may change counts, posteriors,
/// and the state of a lesson that now probably harms.
pub fn changes_from_judgement(
    lessons: &[Lesson],
    replaced: Option<&Judgement>,
    judgement: &Judgement,
    because: &str,
) -> Vec<Change> {
    let change = |lesson: &Lesson| {
        let old = replaced
            .map(|former| former.delta_for_lesson(lesson.id))
            .unwrap_or_default();
        changes_from_delta(lesson, judgement.delta_for_lesson(lesson.id) - old, because)
    };
    lessons.iter().flat_map(change).collect()
}

/// Returns what an outcome changes of a lesson: its record and, if it now probably harms, its state. `because`
/// describes the last outcome.
pub fn changes_from_delta(lesson: &Lesson, delta: RecordDelta, because: &str) -> Vec<Change> {
    let id = lesson.id;
    if delta == RecordDelta::default() {
        return Vec::new();
    }
    let mut changes = vec![Change::Credit { id, delta }];
    let counts = lesson.counts.with_delta(delta);
    let harms = Posterior::from_trust(lesson.trust, counts.gaussian_message)
        .probability_below(HARM_EFFECT_MAX);
    if lesson.status == Status::Active && harms >= HARM_CONFIDENCE {
        let text = format!(
            "it probably harms ({:.0} %): of the runs with it {} went well and {} badly; helped {}, wrong {}; the last: {because}",
            harms * 100.0,
            counts.went_well,
            counts.went_badly,
            counts.helped,
            counts.harmed,
        );
        let reason = clean_to_chars(&text.into(), limits::SITUATION_CHARS);
        changes.push(Change::SetStatus {
            id,
            status: Status::Quarantined { why: reason },
        });
    }
    changes
}
