//! Determines what became of the lessons that a run was shown, from what the run did.
//!
//! Each lesson is joined with the recall that counts, and the calls after it are read by [`aftermath`](super::aftermath):
//! its moment came or not, and then its advice was followed or not and its failure came or not. How much each outcome
//! counts is decided by [`judge`](super::judge).

use std::collections::{BTreeMap, BTreeSet};

use super::{
    ObservedOutcome,
    aftermath::Aftermath,
    judge::went_well,
    observed_call::{ObservedCall, list_worked_programs},
};
use crate::{
    CallStatus, FailureKey, Lesson, LessonId, Occasion, StepKind, Trace, TraceStep, Triggers,
    id::RecallId,
    limits,
    recall::{ConsideredLesson, Moment, PromptDigest, Recall, Treatment},
    trace::{call, family},
};

/// Returns the outcome of each lesson that the recalls of a run showed or withheld. There is one for each lesson, in
/// the order of their numbers.
///
/// `lessons` are those that the recalls name; others are skipped. Of several recalls of one lesson the first that
/// showed it counts.
pub fn observe_outcomes(
    trace: &Trace,
    recalls: &[(RecallId, Recall)],
    lessons: &[Lesson],
) -> Vec<ObservedOutcome> {
    let first = first_recalls(recalls);
    if first.is_empty() {
        return Vec::new();
    }
    let run = ObservedRun {
        trace,
        calls: ObservedCall::all_in_trace(trace),
    };
    let outcomes = first.into_iter().filter_map(|(id, found)| {
        let lesson = lessons.iter().find(|lesson| lesson.id == id)?;
        Some(run.observe_lesson(lesson, &found))
    });
    outcomes.take(limits::RUN_JUDGED_LESSONS).collect()
}

/// Returns the programs that certainly ran and worked in a run, called by their names alone.
pub fn worked_programs(trace: &Trace) -> BTreeSet<String> {
    let mut programs = BTreeSet::new();
    for step in trace.steps() {
        if let StepKind::Call(tool_call) = &step.kind
            && tool_call.status == CallStatus::Ok
        {
            let call = call::parse_call(tool_call);
            programs.extend(list_worked_programs(&call).into_iter().map(str::to_owned));
        }
    }
    programs
}

/// Returns whether a run may show that a remedy was in vain: it takes one failure to follow it, and another after it.
pub fn may_show_vain(trace: &Trace) -> bool {
    let calls = trace.steps().iter().filter_map(TraceStep::call);
    calls.filter(|call| call.status.has_failure()).count() > 1
}

/// Returns which of these remedies were in vain in a run: it met the failure of the remedy and followed it, and the failure came
/// all the same, or what it advises failed before it came to the work itself.
pub fn were_in_vain(trace: &Trace, remedies: &[Lesson]) -> Vec<bool> {
    if remedies.is_empty() {
        return Vec::new();
    }
    let calls = ObservedCall::all_in_trace(trace);
    let remedies = remedies.iter();
    remedies.map(|remedy| was_in_vain(&calls, remedy)).collect()
}

fn was_in_vain(calls: &[ObservedCall<'_>], remedy: &Lesson) -> bool {
    let is_met = |key: &FailureKey| calls.iter().position(|seen| seen.has_failed_with(key));
    let Some(at) = remedy.failure.as_ref().and_then(is_met) else {
        return false;
    };
    if !calls[at + 1..].iter().any(ObservedCall::has_failed) {
        return false;
    }
    let triggers = Triggers::from_content(&remedy.content);
    let after = Aftermath {
        calls: calls[at + 1..].iter().collect(),
        shown_at: None,
        has_calls: true,
        is_seen: true,
        end: None,
        moment: Moment::Failure,
        lesson: remedy,
        triggers: &triggers,
        advised_at: None,
    }
    .until_past();
    let is_work = |error: &str| family::classify_error(error).family.is_the_work();
    let has_failed =
        |seen: &&ObservedCall<'_>| seen.has_failed_at_advice(&triggers, |error| !is_work(error));
    after.was_in_vain()
        || after.calls.iter().any(has_failed)
            && !after.calls.iter().any(|seen| seen.has_followed(&triggers))
}

/// A run with its calls.
struct ObservedRun<'a> {
    trace: &'a Trace,
    calls: Vec<ObservedCall<'a>>,
}

impl ObservedRun<'_> {
    fn observe_lesson(&self, lesson: &Lesson, found: &CountedRecall<'_>) -> ObservedOutcome {
        let triggers = Triggers::from_content(&lesson.content);
        let after = self.read_aftermath(found.recall, lesson, &triggers);
        let (outcome, evidence) = after.classify_outcome();
        ObservedOutcome {
            recall: found.id,
            lesson: lesson.id,
            is_control: found.considered.treatment != Treatment::Shown,
            holdout_chance: f64::from(found.considered.holdout_chance),
            weight: match_weight(found.recall, found.considered),
            moment: found.recall.moment,
            failure: lesson.failure.clone(),
            outcome,
            evidence,
            met_again: after.has_met_again(),
            has_failed_first: after.has_failed_first(),
            calls_until_past: after.count_calls_until_past(),
            is_told_by_end: after.is_told_by_end(),
            was_of_use: after.was_of_use(outcome),
        }
    }

    fn read_aftermath<'b>(
        &'b self,
        recall: &Recall,
        lesson: &'b Lesson,
        triggers: &'b Triggers,
    ) -> Aftermath<'b> {
        let from = find_effect_start(self.trace, &self.calls, recall, lesson, triggers);
        let is_at = matches!(recall.moment, Moment::BeforeCall | Moment::Failure);
        let is_shown_at = |seen: &&ObservedCall<'_>| is_at && seen.at + 1 == from;
        Aftermath {
            calls: self.calls.iter().filter(|seen| seen.at >= from).collect(),
            shown_at: self.calls.iter().find(is_shown_at),
            has_calls: !self.calls.is_empty(),
            is_seen: self.trace.was_seen(),
            end: self.trace.end().and_then(went_well),
            moment: recall.moment,
            lesson,
            triggers,
            advised_at: find_advice(&self.calls, lesson, triggers),
        }
        .until_past()
    }
}

/// Returns the position of the first call that did what a lesson wants done beside its own command, not in its place.
fn find_advice(calls: &[ObservedCall<'_>], lesson: &Lesson, triggers: &Triggers) -> Option<u32> {
    let is_advice = |seen: &&ObservedCall<'_>| {
        seen.has_run_advice(triggers) || seen.has_followed_before_failure(triggers)
    };
    let answers = triggers.answer_for_own_command(&lesson.content);
    let call = calls.iter().find(|seen| answers && is_advice(seen));
    call.map(|seen| seen.at)
}

/// The recall of a lesson that counts.
#[derive(Clone, Copy)]
struct CountedRecall<'a> {
    id: RecallId,
    recall: &'a Recall,
    considered: &'a ConsideredLesson,
}

fn first_recalls(recalls: &[(RecallId, Recall)]) -> BTreeMap<LessonId, CountedRecall<'_>> {
    let mut first: BTreeMap<LessonId, CountedRecall<'_>> = BTreeMap::new();
    for (id, recall) in recalls {
        for considered in &recall.considered {
            if matches!(considered.treatment, Treatment::Excluded { .. }) {
                continue;
            }
            let counted_recall = CountedRecall {
                id: *id,
                recall,
                considered,
            };
            let order =
                |it: &CountedRecall<'_>| (it.considered.treatment != Treatment::Shown, it.id);
            let is_first = |there: &CountedRecall<'_>| order(&counted_recall) < order(there);
            if first.get(&considered.lesson).is_none_or(is_first) {
                first.insert(considered.lesson, counted_recall);
            }
        }
    }
    first
}

/// Returns how well a lesson matched relative to the best of its recall, 0 to 1.
fn match_weight(recall: &Recall, considered: &ConsideredLesson) -> f64 {
    let is_meant = |it: &&ConsideredLesson| !matches!(it.treatment, Treatment::Excluded { .. });
    let scores = recall.considered.iter().filter(is_meant);
    let best = scores.map(|score| score.score).fold(0.0, f32::max);
    if best > 0.0 {
        f64::from(considered.score / best).clamp(0.0, 1.0)
    } else {
        1.0
    }
}

/// Returns the position of the first step on which a recall could have an effect.
///
/// A trace has no times. A prompt and a call are identified by their digest, else a call by being the first of which the
/// lesson speaks; the call that was under way has no part. For a recall at a failure or on request, the effect begins
/// after the first failure of the lesson's kind; otherwise it is the whole run.
fn find_effect_start(
    trace: &Trace,
    calls: &[ObservedCall<'_>],
    recall: &Recall,
    lesson: &Lesson,
    triggers: &Triggers,
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
            let same = calls.iter().find(|seen| is_it(&seen.call.args_text()));
            let is_due =
                |seen: &&ObservedCall<'_>| matches!(seen.occasion_of(triggers), Occasion::Due(..));
            let call = same.or_else(|| calls.iter().find(is_due));
            call.map(|seen| seen.at + 1)
        }
        Moment::Failure => {
            let is_failed =
                |seen: &&ObservedCall<'_>| seen.has_failed() && is_it(seen.tool_call.args.as_str());
            let call = calls.iter().find(is_failed).or_else(of_its_kind);
            call.map(|seen| seen.at + 1)
        }
        Moment::Requested => of_its_kind().map(|seen| seen.at + 1),
        Moment::SessionStart => None,
    };
    place.unwrap_or(0)
}
