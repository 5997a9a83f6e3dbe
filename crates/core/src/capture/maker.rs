//! Puts what was found into episodes: their keys, how much they weigh, how the run came out.
//!
//! What was found is decided elsewhere; nothing here looks for anything.

use super::{
    Correction, Episode, EpisodeKind, Fix, Plain, Refusal, Refused, Schema, Weight, consensus,
    reading::Reading, repeated,
};
use crate::{
    event::RunStatus,
    lesson::{FailureKey, Outcome},
    limits,
    text::CleanText,
    trace::{Trace, failure, normal},
};

/// Puts what was found into episodes of one run.
pub(super) struct Maker<'a> {
    pub(super) trace: &'a Trace,
    pub(super) status: RunStatus,
}

impl Maker<'_> {
    fn episode(
        &self,
        key: FailureKey,
        outcome: Outcome,
        weight: Weight,
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

    /// Returns what the person had asked for when the first of these calls was made.
    fn task_of(&self, reading: &Reading<'_>, calls: &[usize]) -> Option<CleanText> {
        let place = reading.place_of_first(calls);
        self.trace.task_before(place).cloned()
    }

    fn run_outcome(&self) -> Outcome {
        match self.status {
            RunStatus::Completed => Outcome::Success,
            RunStatus::Failed | RunStatus::Aborted => Outcome::Failure,
        }
    }

    pub(super) fn fix(&self, reading: &Reading<'_>, fix: Fix) -> Episode {
        let external = reading.is_external_around(&fix.calls);
        let task = self.task_of(reading, &fix.calls);
        let weight = weight(fix.failures, fix.steps);
        let key = fix.failure.key.clone();
        Episode {
            failure: Some(key.clone()),
            task,
            ..self.episode(
                key,
                self.run_outcome(),
                weight,
                external,
                EpisodeKind::Fix(Box::new(fix)),
            )
        }
    }

    /// Makes an episode of what was done next. It is recognised by both: the trouble, and the remedy.
    pub(super) fn candidate(&self, reading: &Reading<'_>, fix: Fix) -> Episode {
        let key = consensus::pair_key(&fix);
        Episode {
            key,
            weight: Weight::Candidate,
            ..self.fix(reading, fix)
        }
    }

    pub(super) fn refusal(
        &self,
        reading: &Reading<'_>,
        refusal: Refusal,
        failures: &[usize],
    ) -> Episode {
        let key = match &refusal.what {
            // Whatever the pattern was, the option is the same.
            Refused::Pattern { command, name, .. } => failure::hash(&["pattern", command, name]),
            Refused::Call(..) | Refused::Option { .. } => refusal.failure.key.clone(),
        };
        let weight = match refusal.what {
            // It is the client's own rule, and no chance.
            Refused::Call(stated, _) if stated.is_rule() => Weight::Lesson,
            Refused::Call(..) => weight(refusal.failures, refusal.steps),
            Refused::Option { .. } | Refused::Pattern { .. } => weight(refusal.failures, 1),
        };
        let external = reading.is_external_around(failures);
        let failure = refusal.failure.key.clone();
        let kind = EpisodeKind::Stated(refusal);
        Episode {
            failure: Some(failure),
            task: self.task_of(reading, failures),
            ..self.episode(key, self.run_outcome(), weight, external, kind)
        }
    }

    pub(super) fn schema(
        &self,
        reading: &Reading<'_>,
        schema: Schema,
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
        let key = failure::hash(&missing);
        let weight = weight(schema.failures, schema.steps);
        let first = reading.calls[failures[0]].failure.as_ref();
        Episode {
            failure: first.map(|failure| failure.key.clone()),
            task: self.task_of(reading, failures),
            ..self.episode(
                key,
                self.run_outcome(),
                weight,
                reading.is_external_around(failures),
                EpisodeKind::Schema(schema),
            )
        }
    }

    pub(super) fn repeated(&self, reading: &Reading<'_>, found: repeated::Found) -> Episode {
        let last = found.covers.last().copied();
        let ended_on_it = last.is_some_and(|last| last + 1 == reading.calls.len());
        let failed = self.status == RunStatus::Failed && ended_on_it;
        let weight = if found.repeated.failures >= 2 || failed {
            Weight::Lesson
        } else {
            Weight::Witness
        };
        let key = found.repeated.failure.key.clone();
        let external = reading.is_external_around(&found.covers);
        let task = self.task_of(reading, &found.covers);
        let kind = if failed {
            EpisodeKind::RunFailed(found.repeated)
        } else {
            EpisodeKind::Repeated(found.repeated)
        };
        Episode {
            failure: Some(key.clone()),
            task,
            ..self.episode(key, Outcome::Failure, weight, external, kind)
        }
    }

    pub(super) fn correction(&self, correction: Correction) -> Episode {
        let words = correction.text.to_lowercase();
        let words: Vec<&str> = words
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        let key = failure::hash(&["person", &words.join(" ")]);
        let weight = correction.weight;
        self.episode(
            key,
            Outcome::Mixed,
            weight,
            false,
            EpisodeKind::Correction(correction),
        )
    }

    pub(super) fn signal(&self, kind: EpisodeKind, is_external: bool) -> Episode {
        let (name, text) = match &kind {
            EpisodeKind::RootCause { cause, .. } => ("root-cause", cause.as_str()),
            EpisodeKind::Heal { detail, .. } => ("heal", detail.as_str()),
            EpisodeKind::Review { point, .. } => ("review", point.as_str()),
            EpisodeKind::Discrepancy { detail } => ("discrepancy", detail.as_str()),
            EpisodeKind::LowQuality { detail } => ("low-quality", detail.as_str()),
            EpisodeKind::Fix(_)
            | EpisodeKind::Stated(_)
            | EpisodeKind::Schema(_)
            | EpisodeKind::Repeated(_)
            | EpisodeKind::RunFailed(_)
            | EpisodeKind::Correction(_)
            | EpisodeKind::Plain(_) => ("", ""),
        };
        let key = failure::hash(&[name, &normal::blank(text)]);
        self.episode(key, self.run_outcome(), Weight::Lesson, is_external, kind)
    }

    pub(super) fn plain(&self, reading: &Reading<'_>) -> Episode {
        let mut tools: Vec<String> = Vec::new();
        let mut errors = Vec::new();
        let mut worked = 0;
        for seen in &reading.calls {
            let tool = seen.tool;
            if !tools.iter().any(|known| known == tool) {
                tools.push(tool.to_owned());
            }
            match &seen.failure {
                None => worked += 1,
                Some(failure) => errors.extend(failure.words(seen.error)),
            }
        }
        errors.truncate(limits::PLAIN_ERRORS);
        let completed = self.status == RunStatus::Completed;
        let plain = Plain {
            completed,
            tools,
            worked,
            failed: reading.calls.len() - worked,
            errors,
        };
        let key = failure::hash(&["run", self.trace.run().as_str()]);
        self.episode(
            key,
            self.run_outcome(),
            Weight::Lesson,
            reading.any_external(),
            EpisodeKind::Plain(plain),
        )
    }
}

/// Recurrence or cost: two failures of a kind, or two steps to the remedy.
fn weight(failures: u32, steps: u32) -> Weight {
    if failures >= 2 || steps >= 2 {
        Weight::Lesson
    } else {
        Weight::Witness
    }
}
