//! Builds episodes from what was found: their keys, their weight, the outcome of the run.
//!
//! It searches for nothing; the findings come from the other modules of capture.

use super::{
    Correction, Episode, EpisodeKind, EpisodeWeight, Fix, Refusal, RefusalKind, RunSummary,
    SchemaFix, Wall, consensus::ConsensusKeys, parsed_run::ParsedRun, unresolved,
};
use crate::{
    event::RunStatus,
    lesson::{FailureKey, RunOutcome},
    limits,
    text::CleanText,
    trace::{Trace, failure, normalize},
};

/// Builds the episodes of one run.
pub(super) struct EpisodeBuilder<'a> {
    pub(super) trace: &'a Trace,
    pub(super) status: RunStatus,
}

impl EpisodeBuilder<'_> {
    fn build_episode(
        &self,
        key: FailureKey,
        outcome: RunOutcome,
        weight: EpisodeWeight,
        external: bool,
        kind: EpisodeKind,
    ) -> Episode {
        Episode {
            run: self.trace.run().clone(),
            scope: self.trace.scope().clone(),
            task: self.trace.task().cloned(),
            outcome,
            weight,
            external,
            failure: None,
            key,
            kind,
        }
    }

    /// Returns the person's request at the time of the first of these calls, if known.
    fn task_at_calls(&self, reading: &ParsedRun<'_>, calls: &[usize]) -> Option<CleanText> {
        let place = reading.first_position(calls);
        self.trace.task_before(place).cloned()
    }

    fn run_outcome(&self) -> RunOutcome {
        match self.status {
            RunStatus::Completed => RunOutcome::Success,
            RunStatus::Failed | RunStatus::Aborted => RunOutcome::Failure,
        }
    }

    pub(super) fn build_fix(&self, reading: &ParsedRun<'_>, fix: Fix) -> Episode {
        let external = reading.is_external_around(&fix.calls);
        let task = self.task_at_calls(reading, &fix.calls);
        let weight = weigh_episode(fix.failures, fix.steps);
        let key = fix.failure.key.clone();
        Episode {
            failure: Some(key.clone()),
            task,
            ..self.build_episode(
                key,
                self.run_outcome(),
                weight,
                external,
                EpisodeKind::Fix(Box::new(fix)),
            )
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
        let external = reading.is_external_around(failures);
        let failure = refusal.failure.key.clone();
        let kind = EpisodeKind::Refusal(refusal);
        Episode {
            failure: Some(failure),
            task: self.task_at_calls(reading, failures),
            ..self.build_episode(key, self.run_outcome(), weight, external, kind)
        }
    }

    pub(super) fn build_schema(
        &self,
        reading: &ParsedRun<'_>,
        schema: SchemaFix,
        failures: &[usize],
    ) -> Episode {
        let mut missing = vec!["schema"];
        missing.extend(schema.missing_tables.iter().map(String::as_str));
        missing.extend(
            schema
                .missing_columns
                .iter()
                .flat_map(|(column, table)| [table.as_str(), column.as_str()]),
        );
        let key = failure::hash_key_parts(&missing);
        let weight = weigh_episode(schema.failures, schema.steps);
        let first = reading.calls[failures[0]].failure.as_ref();
        Episode {
            failure: first.map(|failure| failure.key.clone()),
            task: self.task_at_calls(reading, failures),
            ..self.build_episode(
                key,
                self.run_outcome(),
                weight,
                reading.is_external_around(failures),
                EpisodeKind::Schema(schema),
            )
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
        let external = reading.is_external_around(&found.call_indexes);
        let task = self.task_at_calls(reading, &found.call_indexes);
        let kind = if has_failed {
            EpisodeKind::RunFailed(found.unresolved)
        } else {
            EpisodeKind::Unresolved(found.unresolved)
        };
        Episode {
            failure: Some(key.clone()),
            task,
            ..self.build_episode(key, RunOutcome::Failure, weight, external, kind)
        }
    }

    pub(super) fn build_wall(&self, reading: &ParsedRun<'_>, wall: Wall) -> Episode {
        let failure = wall.failure.key.clone();
        let key = failure::hash_key_parts(&["wall", failure.as_str()]);
        let external = reading.is_external_around(&wall.calls);
        let outcome = match wall.way_past {
            Some(_) => self.run_outcome(),
            None => RunOutcome::Failure,
        };
        Episode {
            failure: Some(failure),
            task: self.task_at_calls(reading, &wall.calls),
            ..self.build_episode(
                key,
                outcome,
                EpisodeWeight::CandidateLesson,
                external,
                EpisodeKind::Wall(Box::new(wall)),
            )
        }
    }

    pub(super) fn build_correction(&self, correction: Correction) -> Episode {
        let words = correction.text.to_lowercase();
        let words: Vec<&str> = words
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        let key = failure::hash_key_parts(&["person", &words.join(" ")]);
        let weight = correction.weight;
        self.build_episode(
            key,
            RunOutcome::Mixed,
            weight,
            false,
            EpisodeKind::Correction(correction),
        )
    }

    pub(super) fn build_signal(&self, kind: EpisodeKind, is_external: bool) -> Episode {
        let (name, text) = match &kind {
            EpisodeKind::RootCause { cause, .. } => ("root-cause", cause.as_str()),
            EpisodeKind::Heal { detail, .. } => ("heal", detail.as_str()),
            EpisodeKind::Review { point, .. } => ("review", point.as_str()),
            EpisodeKind::Discrepancy { detail } => ("discrepancy", detail.as_str()),
            EpisodeKind::LowQuality { detail } => ("low-quality", detail.as_str()),
            EpisodeKind::Fix(_)
            | EpisodeKind::Refusal(_)
            | EpisodeKind::Wall(_)
            | EpisodeKind::Schema(_)
            | EpisodeKind::Unresolved(_)
            | EpisodeKind::RunFailed(_)
            | EpisodeKind::Correction(_)
            | EpisodeKind::RunSummary(_) => ("", ""),
        };
        let key = failure::hash_key_parts(&[name, &normalize::blank_slots(text)]);
        let outcome = match kind {
            // Whatever else the run did, the checks did not pass.
            EpisodeKind::Heal {
                escalated: true, ..
            } => RunOutcome::Failure,
            _ => self.run_outcome(),
        };
        self.build_episode(key, outcome, EpisodeWeight::Lesson, is_external, kind)
    }

    pub(super) fn build_run_summary(&self, reading: &ParsedRun<'_>) -> Episode {
        let mut tools: Vec<String> = Vec::new();
        let mut errors = Vec::new();
        let mut successes = 0;
        for seen in &reading.calls {
            let tool = seen.tool;
            if !tools.iter().any(|known| known == tool) {
                tools.push(tool.to_owned());
            }
            match &seen.failure {
                None => successes += 1,
                Some(failure) => errors.extend(failure.gist_or_error(seen.error)),
            }
        }
        errors.truncate(limits::PLAIN_ERRORS);
        let is_completed = self.status == RunStatus::Completed;
        let plain = RunSummary {
            completed: is_completed,
            tools,
            worked: successes,
            failed: reading.calls.len() - successes,
            errors,
        };
        let key = failure::hash_key_parts(&["run", self.trace.run().as_str()]);
        self.build_episode(
            key,
            self.run_outcome(),
            EpisodeWeight::Lesson,
            reading.has_external_call(),
            EpisodeKind::RunSummary(plain),
        )
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
