//! Determines what happened to the lessons that a run was shown, from what the run did.
//!
//! Only what the trace shows counts: the advice was followed or not, and the lesson's failure occurred or not. A
//! lesson that was not followed, or that nothing in the run relates to, is neither praised nor blamed. What a lesson
//! advises is read by [`trigger`](crate::trigger); how much each outcome counts is decided by [`judge`](super::judge).

use std::collections::BTreeMap;

use super::{LessonOutcome, ObservedOutcome, TimingObservation};
use crate::{
    event::{CallStatus, ToolCall},
    id::{LessonId, RecallId},
    lesson::{FailureKey, Lesson},
    limits,
    recall::{ConsideredLesson, Moment, PromptDigest, Recall, Treatment},
    shell::{Join, ShellLine},
    text::CleanText,
    trace::{
        StepKind, Trace,
        call::{self, ParsedCall},
        failure::CallFailure,
    },
    trigger::{CallActs, Occasion, Triggers},
};

/// Returns the outcome of each lesson that the recalls of a run showed or withheld. There is one for each lesson, in
/// the order of their numbers.
///
/// `lessons` are those that the recalls name; others are skipped. Of several recalls of one lesson the first that
/// showed it counts.
#[must_use]
pub fn observe_outcomes(
    trace: &Trace,
    recalls: &[(RecallId, Recall)],
    lessons: &[Lesson],
) -> Vec<ObservedOutcome> {
    let first = first_recalls(recalls);
    if first.is_empty() {
        return Vec::new();
    }
    let calls = ObservedCall::all_in_trace(trace);
    let told = |(id, found): (LessonId, CountedRecall<'_>)| {
        let lesson = lessons.iter().find(|lesson| lesson.id == id)?;
        let later = |found: &CountedRecall<'_>| {
            let from = find_effect_start(trace, &calls, found.recall, lesson);
            CallsAfterRecall {
                calls: calls.iter().filter(|seen| seen.at >= from).collect(),
                lesson,
                triggers: Triggers::from_content(&lesson.content),
            }
        };
        let came = |found: &CountedRecall<'_>| {
            later(found)
                .has_failure_recurred()
                .filter(|_| !calls.is_empty())
        };
        let timed = find_timed_recall(recalls, id);
        let timing = timed.map(|it| it.observe_timing(came(&it)));
        let later = later(&found);
        Some(ObservedOutcome {
            recall: found.id,
            lesson: id,
            is_control: found.considered.treatment != Treatment::Shown,
            holdout_chance: found.holdout_probability(),
            weight: match_weight(found.recall, found.considered),
            moment: found.recall.moment,
            failure: lesson.failure.clone(),
            failure_recurred: came(&found),
            timing,
            outcome: later.classify_outcome(!calls.is_empty(), found.recall.moment),
        })
    };
    first
        .into_iter()
        .filter_map(told)
        .take(limits::RUN_JUDGED_LESSONS)
        .collect()
}

/// The recall of a lesson that counts.
#[derive(Clone, Copy)]
struct CountedRecall<'a> {
    id: RecallId,
    recall: &'a Recall,
    considered: &'a ConsideredLesson,
}

impl CountedRecall<'_> {
    /// Returns the probability that the lesson was withheld rather than shown; 0 if it was deferred to a later
    /// moment, because only runs without its failure stay without it then.
    fn holdout_probability(&self) -> f64 {
        match self.considered.treatment {
            Treatment::Deferred => 0.0,
            _ => self.considered.holdout_probability(),
        }
    }

    fn observe_timing(&self, trouble_came: Option<bool>) -> TimingObservation {
        TimingObservation {
            moment: self.recall.moment,
            was_deferred: self.considered.treatment == Treatment::Deferred,
            deferral_chance: self.considered.deferral_probability(),
            failure_recurred: trouble_came,
        }
    }
}

/// Returns the recall in which chance decided between showing a lesson and deferring it. Each lesson is drawn for
/// once in a session.
fn find_timed_recall(
    recalls: &[(RecallId, Recall)],
    lesson: LessonId,
) -> Option<CountedRecall<'_>> {
    let is_it = |it: &&ConsideredLesson| {
        let is_one = matches!(it.treatment, Treatment::Shown | Treatment::Deferred);
        it.lesson == lesson && is_one && it.deferral_chance > 0.0
    };
    recalls.iter().find_map(|(id, recall)| {
        let considered = recall.considered.iter().find(is_it)?;
        let id = *id;
        Some(CountedRecall {
            id,
            recall,
            considered,
        })
    })
}

fn first_recalls(recalls: &[(RecallId, Recall)]) -> BTreeMap<LessonId, CountedRecall<'_>> {
    let mut first: BTreeMap<LessonId, CountedRecall<'_>> = BTreeMap::new();
    for (id, recall) in recalls {
        for considered in &recall.considered {
            if matches!(considered.treatment, Treatment::Excluded { .. }) {
                continue;
            }
            let found = CountedRecall {
                id: *id,
                recall,
                considered,
            };
            let order =
                |it: &CountedRecall<'_>| (it.considered.treatment != Treatment::Shown, it.id);
            let is_first = |there: &CountedRecall<'_>| order(&found) < order(there);
            if first.get(&considered.lesson).is_none_or(is_first) {
                first.insert(considered.lesson, found);
            }
        }
    }
    first
}

/// Returns how well a lesson matched relative to the best of its recall, 0 to 1.
fn match_weight(recall: &Recall, considered: &ConsideredLesson) -> f64 {
    let is_meant = |it: &&ConsideredLesson| !matches!(it.treatment, Treatment::Excluded { .. });
    let scores = recall.considered.iter().filter(is_meant);
    let best = scores.map(|it| it.score).fold(0.0, f32::max);
    match best > 0.0 {
        true => f64::from(considered.score / best).clamp(0.0, 1.0),
        false => 1.0,
    }
}

/// One call of the run, prepared for comparison with lessons.
struct ObservedCall<'a> {
    at: u32,
    tool_call: &'a ToolCall<CleanText>,
    call: ParsedCall,
    acts: CallActs,
    failures: Vec<CallFailure>,
}

impl<'a> ObservedCall<'a> {
    fn all_in_trace(trace: &'a Trace) -> Vec<Self> {
        let call = |step: &'a crate::trace::TraceStep| match &step.kind {
            StepKind::Call(call) => Some(Self::from_call(step.position, call)),
            StepKind::UserMessage { .. } => None,
        };
        trace.steps().iter().filter_map(call).collect()
    }

    fn from_call(at: u32, tool_call: &'a ToolCall<CleanText>) -> Self {
        let call = call::parse_call(tool_call);
        Self {
            at,
            tool_call,
            acts: CallActs::from_call(&call),
            failures: CallFailure::all_from_call(&call, &tool_call.status),
            call,
        }
    }

    /// Returns whether the call failed with this failure.
    fn has_failed_with(&self, trouble: &FailureKey) -> bool {
        self.failures.iter().any(|failure| failure.key == *trouble)
    }

    /// Returns whether the call failed in any way.
    fn has_failed(&self) -> bool {
        !self.failures.is_empty()
    }

    /// Returns the error of a step of the command line, if it is certain that this step failed.
    fn step_error(&self, line: &ShellLine, step: usize) -> Option<&str> {
        let failure = self.failures.first()?;
        let is_it = failure.culprit == Some(step) || line.commands.len() == 1;
        match &self.tool_call.status {
            CallStatus::Error(error) if is_it => Some(error.as_str()),
            CallStatus::PartlyFailed(failed) => {
                let found = failed.iter().find(|it| it.step == step);
                found.map(|it| it.error.as_str())
            }
            CallStatus::Error(_) | CallStatus::Ok => None,
        }
    }

    /// Returns whether a step of the command line certainly ran and worked.
    fn has_step_worked(&self, line: &ShellLine, step: usize) -> bool {
        match &self.tool_call.status {
            _ if line.branches => false,
            CallStatus::Ok => line.commands[step].join != Join::Or,
            CallStatus::PartlyFailed(failed) => {
                let may_have_run = matches!(line.commands[step].join, Join::Then | Join::Pipe);
                let is_whole = failed.iter().all(|it| it.step > step);
                (may_have_run || is_whole) && failed.iter().all(|it| it.step != step)
            }
            CallStatus::Error(_) => {
                let culprit = self.failures.first().and_then(|failure| failure.culprit);
                culprit.is_some_and(|culprit| had_to_work(line, step, culprit))
            }
        }
    }

    /// Returns whether this call is an occasion of a lesson: what it warns of, is about or advises.
    fn is_occasion_of(&self, triggers: &Triggers) -> bool {
        triggers.occasion(&self.acts, &self.call, false) != Occasion::None
    }

    /// Returns whether a step of the call follows the advice and satisfies a condition.
    fn has_advised_step(
        &self,
        triggers: &Triggers,
        is_so: impl Fn(&ShellLine, usize) -> bool,
    ) -> bool {
        self.call.line().is_some_and(|line| {
            let mut steps = line.commands.iter().enumerate();
            steps.any(|(at, step)| triggers.are_followed_by(step) && is_so(line, at))
        })
    }

    /// Returns whether the call followed the advice, whatever the result.
    fn has_tried(&self, triggers: &Triggers) -> bool {
        triggers.are_followed_by_call(&self.acts, &self.call)
            || self.has_advised_step(triggers, |_, _| true)
    }

    /// Returns whether the call followed the advice, and that worked.
    fn has_followed(&self, triggers: &Triggers) -> bool {
        let is_other = triggers.are_followed_by_call(&self.acts, &self.call);
        (is_other && !self.tool_call.status.has_failure())
            || self.has_advised_step(triggers, |line, step| self.has_step_worked(line, step))
    }

    /// Returns whether the call followed the advice, and the lesson's failure occurred later in the same line: if the
    /// error does not say at which step, the name of the failure does.
    fn has_followed_before_failure(&self, triggers: &Triggers, trouble: &FailureKey) -> bool {
        let main = self
            .call
            .main_command()
            .filter(|_| self.has_failed_with(trouble));
        self.has_advised_step(triggers, |line, step| {
            main.is_some_and(|main| had_to_work(line, step, main))
        })
    }

    /// Returns whether the call followed the advice and that very step had the lesson's failure.
    fn has_followed_in_vain(
        &self,
        triggers: &Triggers,
        lesson: &Lesson,
        trouble: &FailureKey,
    ) -> bool {
        let signature = lesson.content.signature.as_str();
        let label = signature.split(" (").next().unwrap_or(signature);
        let is_it = |error: &str| {
            self.has_failed_with(trouble) || CallFailure::key_at_label(label, error) == *trouble
        };
        self.has_advised_step(triggers, |line, step| {
            self.step_error(line, step).is_some_and(is_it)
        })
    }
}

/// Returns whether one step of a line precedes another that ran only because it worked.
fn had_to_work(line: &ShellLine, step: usize, before: usize) -> bool {
    let next = line.commands.get(step + 1).map(|next| next.join);
    step < before && next == Some(Join::And)
}

/// Returns the position of the first step on which a recall could have an effect.
///
/// A trace has no times. A prompt and a call are identified by their digest; for a recall at a failure or on request,
/// the effect begins after the first failure of the lesson's kind; otherwise it is the whole run.
fn find_effect_start(
    trace: &Trace,
    calls: &[ObservedCall<'_>],
    recall: &Recall,
    lesson: &Lesson,
) -> u32 {
    let is_it = |text: &str| PromptDigest::from_text(text) == recall.prompt;
    let of_its_kind = || {
        let trouble = lesson.failure.as_ref()?;
        calls.iter().find(|seen| seen.has_failed_with(trouble))
    };
    let place = match recall.moment {
        Moment::Prompt => trace.steps().iter().find_map(|step| match &step.kind {
            StepKind::UserMessage { text, .. } => is_it(text.as_str()).then_some(step.position),
            StepKind::Call(_) => None,
        }),
        Moment::BeforeCall => {
            let mut same = calls.iter().filter(|seen| is_it(&seen.call.args_text()));
            same.next().map(|seen| seen.at)
        }
        Moment::Failure => {
            let failed =
                |seen: &&ObservedCall<'_>| seen.has_failed() && is_it(seen.tool_call.args.as_str());
            let found = calls.iter().find(failed).or_else(of_its_kind);
            found.map(|seen| seen.at + 1)
        }
        Moment::Requested => of_its_kind().map(|seen| seen.at + 1),
        Moment::SessionStart => None,
    };
    place.unwrap_or(0)
}

/// What a run did after it had been shown a lesson.
struct CallsAfterRecall<'a> {
    calls: Vec<&'a ObservedCall<'a>>,
    lesson: &'a Lesson,
    triggers: Triggers,
}

impl CallsAfterRecall<'_> {
    /// Returns whether the lesson's failure occurred; `None` if the lesson is about no failure.
    fn has_failure_recurred(&self) -> Option<bool> {
        let trouble = self.lesson.failure.as_ref()?;
        Some(self.calls.iter().any(|seen| seen.has_failed_with(trouble)))
    }

    /// Returns the outcome of the lesson, shown at this moment. `can_tell` is whether the run called anything at all.
    fn classify_outcome(&self, can_tell: bool, moment: Moment) -> LessonOutcome {
        let mut calls = self.calls.iter();
        if self.was_contradicted() {
            LessonOutcome::Contradicted
        } else if calls.any(|seen| seen.has_followed(&self.triggers)) {
            LessonOutcome::Followed
        } else if !self.triggers.advise_calls() {
            // Of a lesson that no call could be about, a prompt that brings it up is the occasion.
            let needs_occasion = self.lesson.failure.is_some()
                || !self.triggers.is_empty()
                || moment == Moment::SessionStart;
            match can_tell && needs_occasion && !self.had_occasion() {
                true => LessonOutcome::Unused,
                false => LessonOutcome::Unclear,
            }
        } else if !can_tell || self.calls.iter().any(|seen| seen.has_tried(&self.triggers)) {
            LessonOutcome::Unclear
        } else if self.had_occasion() {
            LessonOutcome::Ignored
        } else {
            LessonOutcome::Unused
        }
    }

    /// Returns whether the lesson was followed and its failure occurred all the same: in the very call that followed
    /// it, or in a later one that it was meant to make work.
    fn was_contradicted(&self) -> bool {
        let Some(trouble) = &self.lesson.failure else {
            return false;
        };
        let mut was_followed = false;
        let is_answered_for = self.triggers.answer_for_own_command(&self.lesson.content);
        self.calls.iter().any(|seen| {
            was_followed |= seen.has_followed(&self.triggers)
                || seen.has_followed_before_failure(&self.triggers, trouble);
            (was_followed && is_answered_for && seen.has_failed_with(trouble))
                || seen.has_followed_in_vain(&self.triggers, self.lesson, trouble)
        })
    }

    /// Returns whether there was an occasion to follow it: its failure, or a call that it is about.
    fn had_occasion(&self) -> bool {
        let calls_for = |seen: &&ObservedCall<'_>| {
            let trouble = self.lesson.failure.as_ref();
            seen.is_occasion_of(&self.triggers)
                || trouble.is_some_and(|trouble| seen.has_failed_with(trouble))
        };
        self.calls.iter().any(calls_for)
    }
}
