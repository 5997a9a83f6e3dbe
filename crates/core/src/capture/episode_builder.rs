//! Builds episodes from what was found: their keys, their weight, the outcome of the run.
//!
//! It searches for nothing; the findings come from the other modules of capture.

use super::{
    Correction, Episode, EpisodeWeight, Refusal, RefusalKind, RunSummary, Wall,
    consensus::ConsensusKeys, parsed_run::ParsedRun, unresolved,
};
use crate::{EpisodeKind, Fix};
use crate::{
    FailureKey, Trace,
    event::RunStatus,
    lesson::RunOutcome,
    limits,
    trace::{failure, normalize},
};

/// Builds the episodes of one run.
pub(super) struct EpisodeBuilder<'a> {
    pub(super) trace: &'a Trace,
    pub(super) status: RunStatus,
}

impl EpisodeBuilder<'_> {
    /// Builds an episode of the whole run.
    fn build_episode(&self, key: FailureKey, weight: EpisodeWeight, kind: EpisodeKind) -> Episode {
        Episode {
            run: self.trace.run().clone(),
            scope: self.trace.scope().clone(),
            task: self.trace.task().cloned(),
            outcome: self.run_outcome(),
            weight,
            external: false,
            failure: None,
            key,
            kind,
        }
    }

    /// Builds an episode of some calls, with the person's request at the time of the first, if known.
    fn build_from_calls(
        &self,
        reading: &ParsedRun<'_>,
        calls: &[usize],
        key: FailureKey,
        weight: EpisodeWeight,
        kind: EpisodeKind,
    ) -> Episode {
        let place = reading.first_position(calls);
        Episode {
            task: self.trace.task_before(place).cloned(),
            external: reading.is_external_around(calls),
            ..self.build_episode(key, weight, kind)
        }
    }

    fn run_outcome(&self) -> RunOutcome {
        match self.status {
            RunStatus::Completed => RunOutcome::Success,
            RunStatus::Failed | RunStatus::Aborted => RunOutcome::Failure,
        }
    }

    pub(super) fn build_fix(&self, reading: &ParsedRun<'_>, fix: Fix) -> Episode {
        // Of an error that says nothing nobody can tell whether the next one is the same.
        let weight = match fix.failure.gist.as_str() {
            "" => EpisodeWeight::CandidateLesson,
            _ => weigh_episode(fix.failures, fix.steps),
        };
        let (key, calls) = (fix.failure.key.clone(), fix.calls.clone());
        let kind = EpisodeKind::Fix(Box::new(fix));
        Episode {
            failure: Some(key.clone()),
            ..self.build_from_calls(reading, &calls, key, weight, kind)
        }
    }

    /// Builds an episode of a possible fix. Its key covers both the failure and the step that followed.
    pub(super) fn build_tentative_fix(&self, reading: &ParsedRun<'_>, fix: Fix) -> Episode {
        let key = ConsensusKeys::from_fix(&fix).pair;
        Episode {
            key,
            weight: EpisodeWeight::Tentative,
            ..self.build_fix(reading, fix)
        }
    }

    pub(super) fn build_refusal(
        &self,
        reading: &ParsedRun<'_>,
        refusal: Refusal,
        failures: &[usize],
    ) -> Episode {
        let key = match &refusal.kind {
            // The option is the same whatever the pattern was.
            RefusalKind::Pattern { command, name, .. } => {
                failure::hash_key_parts(&["pattern", command, name])
            }
            RefusalKind::KeptFolder => failure::hash_key_parts(&["kept-folder"]),
            RefusalKind::Call(..) | RefusalKind::Option { .. } => refusal.failure.key.clone(),
        };
        let weight = match refusal.kind {
            // A rule that the client itself states is no chance.
            RefusalKind::Call(stated, _) if stated.is_rule() => EpisodeWeight::Lesson,
            RefusalKind::Call(..) => weigh_episode(refusal.failures, refusal.steps),
            // One run may have lost its way by itself.
            RefusalKind::KeptFolder => EpisodeWeight::CandidateLesson,
            RefusalKind::Option { .. } | RefusalKind::Pattern { .. } => {
                weigh_episode(refusal.failures, 1)
            }
        };
        let failure = refusal.failure.key.clone();
        let kind = EpisodeKind::Refusal(refusal);
        Episode {
            failure: Some(failure),
            ..self.build_from_calls(reading, failures, key, weight, kind)
        }
    }

    pub(super) fn build_unresolved(
        &self,
        reading: &ParsedRun<'_>,
        found: unresolved::UnresolvedGroup,
    ) -> Episode {
        let last = found.call_indexes.last().copied();
        let ended_on_it = last.is_some_and(|last| last + 1 == reading.calls.len());
        let has_failed = self.status == RunStatus::Failed && ended_on_it;
        let weight = if found.unresolved.failures >= 2 || has_failed {
            EpisodeWeight::Lesson
        } else {
            EpisodeWeight::CandidateLesson
        };
        let key = found.unresolved.failure.key.clone();
        let kind = if has_failed {
            EpisodeKind::RunFailed(found.unresolved)
        } else {
            EpisodeKind::Unresolved(found.unresolved)
        };
        Episode {
            failure: Some(key.clone()),
            outcome: RunOutcome::Failure,
            ..self.build_from_calls(reading, &found.call_indexes, key, weight, kind)
        }
    }

    pub(super) fn build_wall(&self, reading: &ParsedRun<'_>, wall: Wall) -> Episode {
        let failure = wall.failure.key.clone();
        let key = failure::hash_key_parts(&["wall", failure.as_str()]);
        let outcome = match wall.way_past {
            Some(_) => self.run_outcome(),
            None => RunOutcome::Failure,
        };
        let calls = wall.calls.clone();
        let (weight, kind) = (
            EpisodeWeight::CandidateLesson,
            EpisodeKind::Wall(Box::new(wall)),
        );
        Episode {
            failure: Some(failure),
            outcome,
            ..self.build_from_calls(reading, &calls, key, weight, kind)
        }
    }

    pub(super) fn build_correction(&self, correction: Correction) -> Episode {
        let words = correction.text.to_lowercase();
        let words = words.split(|c: char| !c.is_alphanumeric());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let key = failure::hash_key_parts(&["person", &words.join(" ")]);
        let weight = correction.weight;
        Episode {
            outcome: RunOutcome::Mixed,
            ..self.build_episode(key, weight, EpisodeKind::Correction(correction))
        }
    }

    pub(super) fn build_signal(&self, kind: EpisodeKind, is_external: bool) -> Episode {
        let (name, text) = match &kind {
            EpisodeKind::RootCause { cause, .. } => ("root-cause", cause.as_str()),
            EpisodeKind::Heal { detail, .. } => ("heal", detail.as_str()),
            EpisodeKind::Review { point, .. } => ("review", point.as_str()),
            EpisodeKind::Discrepancy { detail } => ("discrepancy", detail.as_str()),
            EpisodeKind::LowQuality { detail } => ("low-quality", detail.as_str()),
            _ => ("", ""),
        };
        let key = failure::hash_key_parts(&[
            name,
            &normalize::blank_slots(&normalize::split_pieces(text)),
        ]);
        let outcome = match kind {
            // Whatever else the run did, the checks did not pass.
            EpisodeKind::Heal {
                escalated: true, ..
            } => RunOutcome::Failure,
            _ => self.run_outcome(),
        };
        Episode {
            outcome,
            external: is_external,
            ..self.build_episode(key, EpisodeWeight::Lesson, kind)
        }
    }

    pub(super) fn build_run_summary(&self, reading: &ParsedRun<'_>) -> Episode {
        let calls = reading.calls.iter();
        let mut tools: Vec<String> = Vec::new();
        for run_call in calls.clone() {
            if !tools.iter().any(|known| known == run_call.tool) {
                tools.push(run_call.tool.to_owned());
            }
        }
        let failures =
            calls.filter_map(|run_call| Some((run_call.failure.as_ref()?, run_call.error)));
        let errors = failures.clone();
        let errors = errors.filter_map(|(failure, error)| failure.gist_or_error(error));
        let failure_count = failures.count();
        let plain = RunSummary {
            completed: self.status == RunStatus::Completed,
            tools,
            worked: reading.calls.len() - failure_count,
            failed: failure_count,
            errors: errors.take(limits::PLAIN_ERRORS).collect(),
        };
        let key = failure::hash_key_parts(&["run", self.trace.run().as_str()]);
        Episode {
            external: reading.has_external_call(),
            ..self.build_episode(key, EpisodeWeight::Lesson, EpisodeKind::RunSummary(plain))
        }
    }
}

/// Weighs an episode by repetition and cost: two failures, or two steps to the fix, make a lesson.
fn weigh_episode(failures: u32, steps: u32) -> EpisodeWeight {
    if failures >= 2 || steps >= 2 {
        EpisodeWeight::Lesson
    } else {
        EpisodeWeight::CandidateLesson
    }
}
