//! From what became of lessons to what is believed of them.
//!
//! Each run is judged as a whole, and a judgement replaces the one before it of the same run: what
//! the old one added to each lesson is taken back first. So a transcript that grows, or is read
//! twice, counts once.

use std::collections::BTreeMap;

use super::{
    BaselineKey, Judgement, LessonJudgement, LessonOutcome, ObservedOutcome,
    assignment::{Contributor, Noise, assign_credit},
};
use crate::{
    change::Change,
    distil::judge::{EffectOpinion, FollowedOpinion, LessonOpinion},
    event::RunStatus,
    id::LessonId,
    lesson::{GaussianMessage, Lesson, Posterior, RecordDelta, Status, Trial, Trust, TrustClass},
    limits,
    recall::Moment,
    text::CleanText,
    trace::RunEnd,
};

/// How far a trouble that came again, or did not, speaks of the lesson about it.
const OWN_FAILURE_NOISE: Noise = Noise {
    variance: 0.5,
    flip_chance: 0.05,
};
/// How far the end of a run speaks of the lessons that it was shown.
const RUN_END_NOISE: Noise = Noise {
    variance: 1.0,
    flip_chance: 0.05,
};
/// What somebody's word says the effect is, for or against.
const FEEDBACK_EFFECT: f64 = 1.0;
/// How precise a person's word is, and an agent's: two words of a person, or six of agents, take a
/// lesson out that nothing else is known of. A model that only read about it counts half: what it
/// read may have been written for it.
const PERSON_PRECISION: f64 = 4.0;
const AGENT_PRECISION: f64 = 1.0;
const MODEL_PRECISION: f64 = 0.5;
/// What is believed of how things go in general before anything was seen.
const OVERALL_PRIOR: Posterior = Posterior {
    mean: 0.0,
    variance: 1.0,
};
/// How far one topic may differ from that.
const TOPIC_PRIOR: Posterior = Posterior {
    mean: 0.0,
    variance: 0.1,
};
/// A lesson with an effect below this does harm that matters.
const HARM_EFFECT_MAX: f64 = -0.1;
/// How sure it must be that a lesson harms before it is taken out.
const HARM_CONFIDENCE: f64 = 0.9;
/// A score from which on a run went well.
const GOOD_SCORE_MIN: f64 = 0.5;

/// Returns whether a run went well; none if it did not come to an end of its own.
#[must_use]
pub fn went_well(end: RunEnd) -> Option<bool> {
    match end.status {
        RunStatus::Completed => Some(end.score.is_none_or(|score| score >= GOOD_SCORE_MIN)),
        RunStatus::Failed => Some(false),
        RunStatus::Aborted => None,
    }
}

/// Returns what a word of this trust adds to a lesson of that one.
///
/// Nobody talks a lesson out of use that stands on a better word: such a word is counted and moves no
/// belief. One said after content from outside was read may be that content's, so it neither praises
/// nor counts; against what is from outside itself it is heard.
#[must_use]
pub fn delta_from_feedback(is_good: bool, word: Trust, lesson: Trust) -> RecordDelta {
    let is_believed = match is_good {
        true => !word.tainted,
        false => word.is_at_least(lesson),
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

/// Returns what a model's opinion of a lesson adds to the judgement of the run that it read about, as
/// far as its word goes; nothing where it has none.
#[must_use]
pub fn judgement_from_opinion(
    opinion: &LessonOpinion,
    word: Trust,
    lesson: Trust,
) -> Option<LessonJudgement> {
    let fate = match opinion.followed {
        FollowedOpinion::Yes => LessonOutcome::Followed,
        FollowedOpinion::No => LessonOutcome::Unused,
        FollowedOpinion::Unclear => LessonOutcome::Unclear,
    };
    let good = match opinion.effect {
        EffectOpinion::Helped => Some(true),
        EffectOpinion::Harmed => Some(false),
        EffectOpinion::Neither | EffectOpinion::Unclear => None,
    };
    let says_something = fate != LessonOutcome::Unclear || good.is_some();
    says_something.then(|| LessonJudgement {
        recall: None,
        lesson: opinion.lesson,
        is_control: false,
        moment: None,
        outcome: fate,
        went_well: good,
        delta: good.map_or_else(RecordDelta::default, |is_good| {
            delta_from_feedback(is_good, word, lesson)
        }),
        timing: None,
    })
}

/// What was known of a lesson before a run, the run's own earlier judgement taken back.
#[derive(Debug, Clone, Copy)]
pub struct LessonPrior {
    /// Whose word it is.
    pub trust: Trust,
    /// What outcomes added to what is believed of it.
    pub gaussian_message: GaussianMessage,
    /// Runs that did not follow it, since the last that did.
    pub not_followed: i64,
}

impl LessonPrior {
    /// Returns what is known of a lesson without what a judgement added.
    #[must_use]
    pub fn from_lesson_without(lesson: &Lesson, added: RecordDelta) -> Self {
        Self {
            trust: lesson.trust,
            gaussian_message: lesson.counts.gaussian_message - added.gaussian_message,
            not_followed: lesson.counts.not_followed - added.not_followed,
        }
    }
}

/// What was known before a run: of each lesson, and of each baseline what outcomes added to it; the
/// run's own earlier judgement taken back.
#[derive(Debug, Clone, Default)]
pub struct CreditPriors {
    /// Of lessons.
    pub lessons: BTreeMap<LessonId, LessonPrior>,
    /// Of how things go without them.
    pub baselines: BTreeMap<BaselineKey, GaussianMessage>,
}

/// Returns the baselines that judging these aftermaths asks for.
#[must_use]
pub fn required_baselines(aftermaths: &[ObservedOutcome]) -> Vec<BaselineKey> {
    let keys = aftermaths.iter().filter_map(|it| it.failure.clone());
    let best = best_match(aftermaths.iter()).map(|it| BaselineKey::RunsForLesson(it.lesson));
    [BaselineKey::AllCalls, BaselineKey::AllRuns]
        .into_iter()
        .chain(keys.map(BaselineKey::CallsForFailure))
        .chain(best)
        .collect()
}

/// Judges a run: what its aftermaths and its end say of each lesson.
#[must_use]
pub fn judge_run(
    aftermaths: &[ObservedOutcome],
    end: Option<bool>,
    before: &CreditPriors,
) -> Judgement {
    let mut bench = CreditLedger::from_priors(before);
    let mut parts: Vec<LessonJudgement> = aftermaths
        .iter()
        .map(|it| bench.apply_own_failure(it, end))
        .collect();
    for (part, it) in parts
        .iter_mut()
        .zip(aftermaths)
        .filter(|(_, it)| !it.is_control)
    {
        let known = before.lessons.get(&it.lesson);
        part.delta.not_followed = count_not_followed(it, known.map_or(0, |it| it.not_followed));
    }
    if let Some(is_good) = end {
        bench.apply_run_end(aftermaths, is_good);
    }
    for part in &mut parts {
        part.delta.gaussian_message = bench.message_for(&ContributorKey::Lesson(part.lesson));
    }
    Judgement {
        went_well: end,
        lessons: parts,
        baselines: bench.into_baseline_messages(),
    }
}

/// Returns what a run adds to those that did not follow a lesson: one that did begins anew. Where that
/// cannot be told, one that met its trouble begins anew, and one that did not had no use for it.
fn count_not_followed(it: &ObservedOutcome, before: i64) -> i64 {
    match (it.outcome.was_followed(), it.failure_recurred) {
        (Some(true), _) | (None, Some(true)) => -before,
        (Some(false), _) | (None, Some(false)) => 1,
        (None, None) => 0,
    }
}

/// Returns the aftermath of the lesson that fitted best: what the run was about.
fn best_match<'a>(
    aftermaths: impl Iterator<Item = &'a ObservedOutcome>,
) -> Option<&'a ObservedOutcome> {
    aftermaths.max_by(|a, b| {
        let older = || b.lesson.cmp(&a.lesson);
        a.weight.total_cmp(&b.weight).then_with(older)
    })
}

/// Somebody or something that has a part in an outcome.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum ContributorKey {
    Lesson(LessonId),
    Baseline(BaselineKey),
}

/// The beliefs while a run is judged: as they were, and what has been added so far.
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
                BaselineKey::CallsForFailure(_) | BaselineKey::RunsForLesson(_) => TOPIC_PRIOR,
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

    fn find_contributor(&self, who: &ContributorKey, weight: f64) -> Option<Contributor> {
        let (belief, added) = self.0.get(who)?;
        Some(Contributor {
            weight,
            posterior: belief.with_message(*added),
        })
    }

    fn find_contributors(&self, all: &[(ContributorKey, f64)]) -> Vec<Contributor> {
        all.iter()
            .filter_map(|(who, weight)| self.find_contributor(who, *weight))
            .collect()
    }

    /// Divides an outcome among those who had a part in it.
    fn divide_outcome(&mut self, all: &[(ContributorKey, f64)], is_good: bool, noise: Noise) {
        let known: Vec<&(ContributorKey, f64)> =
            all.iter().filter(|it| self.0.contains_key(&it.0)).collect();
        let added = assign_credit(&self.find_contributors(all), is_good, noise);
        for ((who, _), leaning) in known.into_iter().zip(added) {
            if let Some((_, sum)) = self.0.get_mut(who) {
                *sum = *sum + leaning;
            }
        }
    }

    fn message_for(&self, who: &ContributorKey) -> GaussianMessage {
        self.0.get(who).map(|it| it.1).unwrap_or_default()
    }

    fn into_baseline_messages(self) -> Vec<(BaselineKey, GaussianMessage)> {
        let moved = self
            .0
            .into_iter()
            .filter_map(|(who, (_, leaning))| match who {
                ContributorKey::Baseline(about) if leaning != GaussianMessage::default() => {
                    Some((about, leaning))
                }
                ContributorKey::Baseline(_) | ContributorKey::Lesson(_) => None,
            });
        moved.collect()
    }

    /// Takes in what the run shows of one lesson's own trouble: of the lesson where it was followed,
    /// of how things go without it where it was not, or was held back.
    fn apply_own_failure(&mut self, it: &ObservedOutcome, end: Option<bool>) -> LessonJudgement {
        let mut tally = RecordDelta::default();
        let had_occasion = matches!(
            it.outcome,
            LessonOutcome::Followed | LessonOutcome::Contradicted | LessonOutcome::Ignored
        );
        if let (Some(key), Some(came), true) = (&it.failure, it.failure_recurred, had_occasion) {
            let mut all = vec![
                (ContributorKey::Baseline(BaselineKey::AllCalls), 1.0),
                (
                    ContributorKey::Baseline(BaselineKey::CallsForFailure(key.clone())),
                    1.0,
                ),
            ];
            let had_part = !it.is_control && it.outcome.was_followed() == Some(true);
            let is_good = match had_part {
                true => it.outcome == LessonOutcome::Followed,
                false => !came,
            };
            if had_part {
                all.push((ContributorKey::Lesson(it.lesson), 1.0));
                tally.add_outcome(is_good);
                tally.contradicted = i64::from(!is_good);
            }
            self.divide_outcome(&all, is_good, OWN_FAILURE_NOISE);
        }
        let good = trial_outcome(it, end);
        if it.outcome.was_followed() != Some(false) && !it.is_control {
            tally.went_well = i64::from(good == Some(true));
            tally.went_badly = i64::from(good == Some(false));
        }
        tally.trial = good.map_or_else(Trial::default, |is_good| {
            Trial::from_outcome(it.holdout_chance, it.is_control, is_good)
        });
        LessonJudgement {
            recall: Some(it.recall),
            lesson: it.lesson,
            is_control: it.is_control,
            moment: Some(it.moment),
            outcome: it.outcome,
            went_well: good,
            delta: tally,
            timing: timing_trial(it, end),
        }
    }

    /// Takes in how the run ended.
    fn apply_run_end(&mut self, aftermaths: &[ObservedOutcome], is_good: bool) {
        let had_part = |it: &&ObservedOutcome| match it.outcome {
            LessonOutcome::Unclear => true,
            LessonOutcome::Followed => it.failure.is_none(),
            LessonOutcome::Contradicted | LessonOutcome::Ignored | LessonOutcome::Unused => false,
        };
        let part = |it: &ObservedOutcome| match it.outcome {
            LessonOutcome::Unclear => (ContributorKey::Lesson(it.lesson), it.weight),
            _ => (ContributorKey::Lesson(it.lesson), 1.0),
        };
        let mut all = vec![(ContributorKey::Baseline(BaselineKey::AllRuns), 1.0)];
        if let Some(best) = best_match(aftermaths.iter().filter(had_part)) {
            all.push((
                ContributorKey::Baseline(BaselineKey::RunsForLesson(best.lesson)),
                1.0,
            ));
        }
        let shown = aftermaths
            .iter()
            .filter(had_part)
            .filter(|it| !it.is_control);
        all.extend(shown.map(part));
        self.divide_outcome(&all, is_good, RUN_END_NOISE);
    }
}

/// Returns how it went, as a trial of the lesson sees it: by its own trouble where it has one, else
/// by the run's end, and the same whether it was followed or not, shown or held back.
fn trial_outcome(it: &ObservedOutcome, end: Option<bool>) -> Option<bool> {
    match &it.failure {
        Some(_) => it.failure_recurred.map(|came| !came),
        None => end,
    }
}

/// Returns what the run tells of showing a lesson at a moment rather than at a later one.
fn timing_trial(it: &ObservedOutcome, end: Option<bool>) -> Option<(Moment, Trial)> {
    let timing = it.timing?;
    let good = match &it.failure {
        Some(_) => timing.failure_recurred.map(|came| !came),
        None => end,
    }?;
    Some((
        timing.moment,
        Trial::from_outcome(timing.deferral_chance, timing.was_deferred, good),
    ))
}

/// Returns what a judgement changes, after the one that it replaces is taken back: counts,
/// beliefs, and the state of a lesson that now probably harms.
#[must_use]
pub fn changes_from_judgement(
    lessons: &[Lesson],
    replaced: Option<&Judgement>,
    judgement: &Judgement,
    because: &str,
) -> Vec<Change> {
    let change = |lesson: &Lesson| {
        let old = replaced
            .map(|it| it.delta_for_lesson(lesson.id))
            .unwrap_or_default();
        changes_from_delta(lesson, judgement.delta_for_lesson(lesson.id) - old, because)
    };
    lessons.iter().flat_map(change).collect()
}

/// Returns what an outcome changes of a lesson: its record and, if it now probably harms, its
/// state. `because` is what happened last.
#[must_use]
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
        let why = format!(
            "it probably harms ({:.0} %): of the runs with it {} went well and {} badly; helped {}, wrong {}; the last: {because}",
            harms * 100.0,
            counts.went_well,
            counts.went_badly,
            counts.helped,
            counts.harmed,
        );
        let why: String = why.chars().take(limits::SITUATION_CHARS).collect();
        let why = CleanText::assume_clean(why);
        changes.push(Change::SetStatus {
            id,
            status: Status::Quarantined { why },
        });
    }
    changes
}
