//! Learning from a finished run: gate, distil, guard, commit.
//!
//! Learning the same run again changes nothing: a lesson counts a run once, and so does a witness.

use std::collections::BTreeMap;

use hardwon_core::{
    capture::{self, Episode, Skip, Weight},
    change::Actor,
    distil::{self, Distiller as _},
    guard,
    lesson::Draft,
    trace::Trace,
};
use hardwon_store::Sighting;

use crate::{Engine, Noted, Result};

/// Runs that must have met a trouble before one that cost little becomes a lesson.
const WITNESSES: usize = 2;

/// What a run taught.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Learned {
    /// What became of each lesson that the run proposed.
    pub noted: Vec<Noted>,
    /// How many troubles were seen and are kept until another run meets them.
    pub witnessed: u32,
    /// Why the rest of the run taught nothing.
    pub skipped: BTreeMap<Skip, u32>,
}

impl Engine {
    /// Learns from a run that has ended. Nothing to learn is the usual result.
    pub fn learn(&self, trace: &Trace) -> Result<Learned> {
        let gated = capture::gate(trace, &self.policy.capture);
        let mut learned = Learned {
            skipped: gated.skipped,
            ..Learned::default()
        };
        let mut drafts = Vec::new();
        for episode in &gated.episodes {
            let Ok(proposed) = distil::Rules.distil(episode);
            if self.is_worth_it(episode, &proposed)? {
                drafts.extend(proposed);
            } else {
                learned.witnessed += 1;
            }
        }
        if !drafts.is_empty() {
            let by = Actor::rules();
            learned.noted = self.admit(&trace.scope().tenant, drafts, &by)?;
        }
        Ok(learned)
    }

    /// Decides whether an episode is a lesson now: because it cost enough, because the same
    /// trouble has a lesson already, or because enough runs have met it.
    fn is_worth_it(&self, episode: &Episode, proposed: &[Draft]) -> Result<bool> {
        if episode.weight == Weight::Lesson {
            return Ok(true);
        }
        let (scope, failure) = (&episode.scope, &episode.key);
        if !self.store.about_failure(scope, failure)?.is_empty() {
            return Ok(true);
        }
        let lesson = proposed.first().and_then(|draft| {
            match guard::admit(draft.clone(), &self.policy.guard) {
                guard::Verdict::Admitted(admitted) => Some(*admitted),
                guard::Verdict::Rejected { .. } => None,
            }
        });
        let witness = self.store.sight(&Sighting {
            scope: scope.clone(),
            failure: failure.clone(),
            run: episode.run.clone(),
            at: self.clock.now(),
            lesson,
        })?;
        if witness.runs.len() < WITNESSES {
            return Ok(false);
        }
        self.store.forget_witness(scope, failure)?;
        Ok(true)
    }
}
