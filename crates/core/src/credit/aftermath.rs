//! Determines what became of a lesson's occasion, from the calls that a run made after it was shown the lesson.
//!
//! The occasion of a lesson is a call that its [`triggers`](crate::trigger) name, or its failure; shown at one of these, its
//! moment has come already, and the call that was under way then is none of the calls after it. What the calls do not show
//! is not guessed: of a run without steps the end is the outcome, and how much anything counts is decided by
//! [`judge`](super::judge).

use super::{LessonOutcome, OutcomeEvidence, observed_call::ObservedCall};
use crate::{
    CallFailure, Lesson, Occasion, Triggers,
    recall::Moment,
    trace::family::{self, FailureFamily},
    trigger::{self, Sign},
};

/// Most calls until its occasion was past that are told apart: one long session would outweigh all others.
const CALLS_MAX: usize = 30;

/// What a run did after it had been shown a lesson.
pub(super) struct Aftermath<'a> {
    /// The calls after the showing.
    pub(super) calls: Vec<&'a ObservedCall<'a>>,
    /// The call at which the lesson was shown: the one that was under way, or the one that had failed.
    pub(super) shown_at: Option<&'a ObservedCall<'a>>,
    /// Whether the run made any calls at all.
    pub(super) has_calls: bool,
    /// Whether any of its steps was reported: then one without calls was a conversation.
    pub(super) is_seen: bool,
    /// How the run ended; `None` if it did not end by itself.
    pub(super) end: Option<bool>,
    pub(super) moment: Moment,
    pub(super) lesson: &'a Lesson,
    pub(super) triggers: &'a Triggers,
    /// Where the run, told or not, first did what the lesson wants done beside its own command.
    pub(super) advised_at: Option<u32>,
}

impl Aftermath<'_> {
    /// Returns what became of the occasion, and what shows it.
    pub(super) fn classify_outcome(&self) -> (LessonOutcome, OutcomeEvidence) {
        if !self.has_calls {
            return self.classify_by_end();
        }
        let tells = self.tells_failure();
        let by_calls = if tells {
            OutcomeEvidence::Calls
        } else {
            OutcomeEvidence::RunEnd
        };
        if self.was_in_vain() {
            (LessonOutcome::InVain, by_calls)
        } else if tells && self.worked_without() {
            (LessonOutcome::NotNeeded, OutcomeEvidence::None)
        } else if self.any_call(|seen| seen.has_followed(self.triggers)) {
            (LessonOutcome::Followed, by_calls)
        } else if self.any_call(|seen| seen.may_have_followed(self.triggers)) {
            (LessonOutcome::Followed, OutcomeEvidence::RunEnd)
        } else if self.any_call(|seen| self.is_trouble(seen)) {
            let evidence = match () {
                () if tells => OutcomeEvidence::Calls,
                () if self.triggers.advise_calls() => OutcomeEvidence::None,
                () => OutcomeEvidence::RunEnd,
            };
            (LessonOutcome::Repeated, evidence)
        } else {
            self.classify_without_trouble(tells)
        }
    }

    /// Classifies the outcome where neither the advice was followed nor its trouble came.
    fn classify_without_trouble(&self, tells: bool) -> (LessonOutcome, OutcomeEvidence) {
        let is_kept =
            |seen: &ObservedCall<'_>| matches!(seen.occasion_of(self.triggers), Occasion::Kept(_));
        let has_come = self.has_moment_come() && !self.calls.is_empty();
        let is_past = || self.any_call(|seen| self.is_past(seen));
        match () {
            () if !tells && self.any_call(is_kept) => {
                (LessonOutcome::Followed, OutcomeEvidence::RunEnd)
            }
            // What the lesson states is not so, and its silence is no merit of it.
            () if self.is_otherwise() => (LessonOutcome::NotNeeded, OutcomeEvidence::None),
            () if self.came_too_late() => (LessonOutcome::Repeated, OutcomeEvidence::None),
            () if has_come && tells && !is_past() => {
                (LessonOutcome::Avoided, OutcomeEvidence::None)
            }
            () if has_come && tells => (LessonOutcome::Avoided, OutcomeEvidence::Calls),
            // Its own command ran, and that it went wrong would be all that there is to see.
            () if !tells && (has_come || self.had_occasion()) => {
                (LessonOutcome::Avoided, OutcomeEvidence::RunEnd)
            }
            () => (LessonOutcome::NotNeeded, OutcomeEvidence::None),
        }
    }

    /// Returns whether a program worked of which the lesson states that it is not there.
    fn is_otherwise(&self) -> bool {
        let absent = trigger::absent_programs(&self.lesson.content);
        self.any_call(|seen| {
            seen.worked_programs()
                .iter()
                .any(|name| absent.contains(*name))
        })
    }

    /// Returns whether the call that the lesson warns of was under way when it was shown, and was made, and there was no other
    /// occasion: it could not be heeded, so nothing was avoided.
    fn came_too_late(&self) -> bool {
        let is_made = |seen: &ObservedCall<'_>| !seen.has_failed() && self.is_trouble(seen);
        let is_late = self.moment == Moment::BeforeCall && !self.tells_failure();
        is_late && self.shown_at.is_some_and(is_made) && !self.had_occasion()
    }

    /// Takes a prompt for the occasion and the run's end for its outcome.
    fn classify_by_end(&self) -> (LessonOutcome, OutcomeEvidence) {
        let may_tell = !self.is_seen && self.moment != Moment::SessionStart;
        let outcome = match self.end.filter(|_| may_tell) {
            Some(true) => LessonOutcome::Avoided,
            Some(false) => LessonOutcome::Repeated,
            None => return (LessonOutcome::NotNeeded, OutcomeEvidence::None),
        };
        (outcome, OutcomeEvidence::RunEnd)
    }

    /// Returns whether the run met again what the lesson is to prevent: its failure, or the call that it warns of. `None`
    /// if it had no occasion to. Where calls do not show that its advice was followed, an occasion that passed by cannot be
    /// seen, so each run that may have had one counts.
    pub(super) fn has_met_again(&self) -> Option<bool> {
        let is_unseen = !self.names_nothing() && !self.triggers.advise_calls();
        let is_counted = self.has_calls
            && !self.came_too_late()
            && (self.has_moment_come() || self.had_occasion() || is_unseen);
        is_counted.then(|| self.any_call(|seen| self.is_trouble(seen)))
    }

    /// Returns whether what the lesson is to prevent came before its advice was followed, or without.
    pub(super) fn has_failed_first(&self) -> bool {
        let is_next =
            |seen: &&&ObservedCall<'_>| self.is_trouble(seen) || seen.has_followed(self.triggers);
        let next = self.calls.iter().find(is_next);
        next.is_some_and(|seen| self.is_trouble(seen))
    }

    /// Returns how many calls it took until the occasion was past, 0 if nothing went wrong; `None` if there was none.
    pub(super) fn count_calls_until_past(&self) -> Option<u32> {
        self.has_met_again()?;
        let start = match self.moment {
            Moment::Failure => Some(0),
            _ => (self.calls.iter().position(|seen| self.is_trouble(seen))).map(|at| at + 1),
        };
        let Some(start) = start else {
            return Some(0);
        };
        let later = &self.calls[start..];
        let past = later.iter().position(|seen| self.is_past(seen));
        let count = past.map_or(later.len(), |at| at + 1).min(CALLS_MAX);
        u32::try_from(count).ok()
    }

    /// Returns whether the run shows that the lesson is of use where it is shown; `None` if it does not tell.
    pub(super) fn was_of_use(&self, outcome: LessonOutcome) -> Option<bool> {
        let is_brought_up = self.moment != Moment::SessionStart;
        match outcome {
            _ if !self.has_calls => (is_brought_up && !self.tells_failure()).then_some(true),
            LessonOutcome::Followed | LessonOutcome::InVain | LessonOutcome::Avoided => Some(true),
            LessonOutcome::Repeated if self.came_too_late() => None,
            LessonOutcome::Repeated => Some(!self.triggers.advise_calls()),
            LessonOutcome::NotNeeded => Some(is_brought_up && self.names_nothing()),
        }
    }

    /// Returns whether the run's end is all that can tell how its occasion went.
    pub(super) fn is_told_by_end(&self) -> bool {
        !self.is_seen
    }

    /// Returns whether no call could be about the lesson: it is a convention in prose.
    fn names_nothing(&self) -> bool {
        !self.tells_failure() && self.triggers.is_empty() && !self.triggers.advise_calls()
    }

    /// Returns whether the lesson says of which failure it is.
    fn tells_failure(&self) -> bool {
        self.lesson.failure.is_some() || self.triggers.has_told_error()
    }

    fn any_call(&self, is_it: impl Fn(&ObservedCall<'_>) -> bool) -> bool {
        self.calls.iter().any(|seen| is_it(seen))
    }

    /// Returns whether the occasion had come when the lesson was shown.
    fn has_moment_come(&self) -> bool {
        matches!(self.moment, Moment::BeforeCall | Moment::Failure)
    }

    /// Returns whether a call has the failure at which the lesson was shown, whatever its words say of it.
    fn has_failed_as_shown(&self, seen: &ObservedCall<'_>) -> bool {
        let shown_at = self.shown_at.filter(|_| self.moment == Moment::Failure);
        shown_at.is_some_and(|failed| failed.shares_failure(seen))
    }

    /// Returns whether a call has the lesson's own failure.
    fn has_failure(&self, seen: &ObservedCall<'_>) -> bool {
        match &self.lesson.failure {
            Some(key) => seen.has_failed_with(key),
            None => seen.has_failed_as_told(self.triggers, &self.lesson.content),
        }
    }

    /// Returns whether a call is what the lesson is to prevent: its failure; or, where it tells none, the call that it warns
    /// of or that is made in a run without what it advises; or a failure of the call that it is about.
    fn is_trouble(&self, seen: &ObservedCall<'_>) -> bool {
        if self.has_failed_as_shown(seen) {
            return true;
        }
        if self.tells_failure() {
            return self.has_failure(seen);
        }
        match seen.occasion_of(self.triggers) {
            // It was refused, so it never ran.
            _ if seen.was_refused() => false,
            _ if self.has_failed_after_advice(seen) => true,
            Occasion::Due(Sign::About, _) if self.advised_at.is_some() => {
                self.has_failed_before_advice(seen)
            }
            Occasion::Due(Sign::Warned, _)
                if self.advised_at.is_some()
                    && self.triggers.warn_without_advice(&self.lesson.content) =>
            {
                self.has_failed_before_advice(seen)
            }
            Occasion::Due(Sign::Warned | Sign::Advised, _) => true,
            Occasion::Due(Sign::About, _) => self.triggers.advise_calls() || seen.has_failed(),
            Occasion::Due(Sign::Exempt | Sign::Within, _)
            | Occasion::Kept(_)
            | Occasion::TooBroad
            | Occasion::None => false,
        }
    }

    /// Returns whether with this call the occasion is past: it is as the lesson says, or the lesson's own command worked. What is
    /// to be done first does not end it: whether that helped is seen at the command that it is for.
    fn is_past(&self, seen: &ObservedCall<'_>) -> bool {
        if self.wants_step_first() && seen.has_tried(self.triggers) {
            return false;
        }
        let is_own = || seen.occasion_of(self.triggers) != Occasion::None;
        seen.has_followed(self.triggers) || !seen.has_failed() && is_own() && !self.is_trouble(seen)
    }

    /// Returns whether the lesson wants something done beside its own command, not in its place.
    fn wants_step_first(&self) -> bool {
        self.triggers.answer_for_own_command(&self.lesson.content)
    }

    /// Leaves out what happened once the occasion was past: a failure of the lesson's kind after that is another occasion. A
    /// call that a lesson without a failure warns of breaks it whenever it is made, and advice that has the failure itself is
    /// refuted whenever it does.
    pub(super) fn until_past(mut self) -> Self {
        let is_refuted =
            |seen: &ObservedCall<'_>| self.has_failed_at_advice(seen, self.has_failure(seen));
        if !self.tells_failure() || self.any_call(is_refuted) {
            return self;
        }
        let mut has_begun = self.moment == Moment::Failure;
        let is_end = |seen: &&ObservedCall<'_>| {
            has_begun |= seen.has_followed(self.triggers) || self.is_trouble(seen);
            has_begun && self.is_past(seen)
        };
        let end = self.calls.iter().position(is_end);
        self.calls
            .truncate(end.map_or(self.calls.len(), |at| at + 1));
        self
    }

    /// Returns whether the lesson's own command worked without what it wants done first, and never failed: what was done
    /// after that was not for it.
    fn worked_without(&self) -> bool {
        let mut calls = self.shown_at.into_iter().chain(self.calls.iter().copied());
        let is_next =
            |seen: &&ObservedCall<'_>| self.is_past(seen) || seen.has_tried(self.triggers);
        self.wants_step_first()
            && calls.find(is_next).is_some_and(|seen| self.is_past(seen))
            && !self.any_call(|seen| self.is_trouble(seen))
    }

    /// Returns whether a call was an occasion: what the lesson is about, or advises, or its failure.
    fn had_occasion(&self) -> bool {
        self.any_call(|seen| {
            seen.occasion_of(self.triggers) != Occasion::None
                || seen.has_tried(self.triggers)
                || self.has_failure(seen)
        })
    }

    /// Returns whether a call failed, and what the lesson wants done beside it was done later.
    fn has_failed_before_advice(&self, seen: &ObservedCall<'_>) -> bool {
        seen.has_failed() && self.advised_at.is_some_and(|at| seen.at < at)
    }

    /// Returns whether the lesson's own command failed, other than at its work, although what the lesson wants done beside it
    /// was done before.
    fn has_failed_after_advice(&self, seen: &ObservedCall<'_>) -> bool {
        self.advised_at.is_some_and(|at| at <= seen.at) && seen.has_failed_at_own(self.triggers)
    }

    /// Returns whether the lesson was followed and its failure came all the same: in the very call that followed it, or in
    /// a later one that it was meant to make work; or whether what it advises is not there.
    pub(super) fn was_in_vain(&self) -> bool {
        if self.advises_nothing_there() {
            return true;
        }
        if !self.tells_failure() {
            return self.any_call(|seen| self.has_failed_after_advice(seen));
        }
        let answers = self.wants_step_first();
        let mut was_followed = false;
        self.calls.iter().any(|seen| {
            let has_failed = self.has_failure(seen);
            was_followed |= seen.has_run_advice(self.triggers)
                || has_failed && seen.has_followed_before_failure(self.triggers);
            (was_followed && answers && has_failed) || self.has_failed_at_advice(seen, has_failed)
        })
    }

    /// Returns whether the program or script that the lesson advises is missing, and no call that follows it worked.
    fn advises_nothing_there(&self) -> bool {
        let is_missing = |error: &str| {
            let family = family::classify_error(error).family;
            matches!(
                family,
                FailureFamily::CommandMissing | FailureFamily::ScriptMissing
            )
        };
        self.any_call(|seen| seen.has_failed_at_advice(self.triggers, is_missing))
            && !self.any_call(|seen| seen.has_followed(self.triggers))
    }

    /// Returns whether the very step that followed the lesson had its failure, which at that command may have another key.
    fn has_failed_at_advice(&self, seen: &ObservedCall<'_>, has_failed: bool) -> bool {
        let signature = self.lesson.content.signature.as_str();
        let label = signature.split(" (").next().unwrap_or(signature);
        let failure = self.lesson.failure.as_ref();
        seen.has_failed_at_advice(self.triggers, |error| {
            let key = || CallFailure::key_at_label(label, error);
            has_failed || failure.is_some_and(|own| *own == key())
        })
    }
}
