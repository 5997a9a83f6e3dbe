//! Takes in what the hooks of another machine did with a copy of these lessons: recalls and writs.
//!
//! Whoever sends it may send it again, so each thing counts once. What is sent is cleaned again, and belongs to the
//! scope of the principal, whatever it says of itself. How it travelled is not known here. A trace of a run is learned
//! from like any other once it is read ([`Trace::from_sender`](hardwon_core::trace::Trace::from_sender)).

use hardwon_core::{
    access::Rights,
    id::RunId,
    limits,
    recall::{ConsideredLesson, Recall, Treatment},
    redact,
    text::{CleanText, RawText},
};
use hardwon_store::RecallListing;
use jiff::{SignedDuration, Timestamp};

use crate::{Desk, KeptWrit, Result, WritOutcome};

/// How far ahead a clock elsewhere may be.
const MAX_AHEAD: SignedDuration = SignedDuration::from_mins(5);

impl Desk<'_> {
    /// Records a recall that was made elsewhere in a run; returns false if it is on record already.
    ///
    /// Lessons that the principal may not see are left out.
    pub fn take_recall(&self, told: Recall) -> Result<bool> {
        self.check_access(Rights::Write, &self.principal.scope)?;
        let is_ahead = told.at > latest_time(self.now());
        let recall = self.clean_recall(told)?;
        // One that was noted just now counts as well.
        self.engine.store.flush(self.tenant())?;
        match self.has_recall(&recall, is_ahead)? {
            true => Ok(false),
            false => self.note_recall(&recall).map(|()| true),
        }
    }

    /// Runs a writ of a run elsewhere, with no more than the rights of an agent.
    pub fn run_sent_writ(&self, run: &RunId, kept: &KeptWrit) -> Result<WritOutcome> {
        let agent = (self.principal.clone()).restrict_to_agent(kept.is_tainted());
        self.hand_over(agent)
            .carry_out_kept_writ(run, &kept.cleaned())
    }

    fn clean_recall(&self, told: Recall) -> Result<Recall> {
        let mut considered = Vec::new();
        for found in told.considered.into_iter().take(limits::CANDIDATES) {
            if self.lesson_if_visible(found.lesson)?.is_some() {
                considered.push(clean_considered(found));
            }
        }
        let kept = told.query_text.filter(|_| self.policy.keep_prompts);
        Ok(Recall {
            scope: self.principal.scope.clone(),
            at: told.at.min(latest_time(self.now())),
            query_text: kept.map(|it| clean(&it, limits::QUERY_TEXT_CHARS)),
            silence: told.silence.map(|it| clean(&it, limits::REASON_CHARS)),
            considered,
            ..told
        })
    }

    /// Returns whether a recall is on record. The time of one from a clock that is ahead is not its own.
    fn has_recall(&self, recall: &Recall, is_ahead: bool) -> Result<bool> {
        let listing = RecallListing {
            run: recall.run.clone(),
            ..RecallListing::default()
        };
        let recorded = self
            .engine
            .store
            .snapshot()?
            .recalls(self.tenant(), &listing)?;
        let is_same = |it: &Recall| {
            (is_ahead || it.at == recall.at)
                && it.scope == recall.scope
                && it.moment == recall.moment
                && it.prompt == recall.prompt
        };
        Ok(recorded.iter().any(|(_, it)| is_same(it)))
    }
}

fn clean(text: &CleanText, chars: usize) -> CleanText {
    redact::clean_to_chars(&RawText::from(text.as_str()), chars)
}

fn clean_considered(found: ConsideredLesson) -> ConsideredLesson {
    ConsideredLesson {
        holdout_chance: clamp_chance(found.holdout_chance),
        deferral_chance: clamp_chance(found.deferral_chance),
        treatment: match found.treatment {
            Treatment::Excluded { why } => Treatment::Excluded {
                why: clean(&why, limits::REASON_CHARS),
            },
            other => other,
        },
        ..found
    }
}

/// Bounds a probability: what is divided by its complement must stay finite.
fn clamp_chance(chance: f32) -> f32 {
    match chance.is_finite() {
        true => chance.clamp(0.0, 0.5),
        false => 0.0,
    }
}

fn latest_time(now: Timestamp) -> Timestamp {
    now.checked_add(MAX_AHEAD).unwrap_or(now)
}
