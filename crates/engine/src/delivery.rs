//! Takes in what the hooks of another machine did with a copy of these lessons: recalls and writs.
//!
//! Whoever sends it may send it again, so each thing counts once. What is sent is cleaned again, and belongs to the
//! scope of the principal, whatever it says of itself. How it travelled is not known here. A trace of a run is learned
//! from like any other once it is read ([`Trace::from_sender`](hardwon_core::trace::Trace::from_sender)).

use std::collections::{HashMap, HashSet};

use hardwon_core::{
    CleanText, ConsideredLesson, LessonId, Moment, PromptDigest, RawText, Recall, RunId, Treatment,
    limits,
};
use hardwon_store::{Read, RecallListing};
use jiff::{SignedDuration, Timestamp};

use crate::{Desk, KeptWrit, Result, WritOutcome, access::Rights};

/// How far ahead a clock elsewhere may be.
const MAX_AHEAD: SignedDuration = SignedDuration::from_mins(5);

/// What recalls from elsewhere are compared with: looked up once for all that are taken in together.
#[derive(Debug, Default)]
pub struct KnownRecalls {
    /// The lessons in them that the principal may see.
    visible: HashSet<LessonId>,
    /// The recalls on record in the principal's scope, of each run.
    recorded: HashMap<Option<RunId>, Vec<RecordedRecall>>,
}

/// What tells a recall of a run from the others.
#[derive(Debug, Clone, Copy, PartialEq)]
struct RecordedRecall {
    at: Timestamp,
    moment: Moment,
    prompt: PromptDigest,
}

impl RecordedRecall {
    fn from_recall(recall: &Recall) -> Self {
        Self {
            at: recall.at,
            moment: recall.moment,
            prompt: recall.prompt,
        }
    }
}

impl Desk<'_> {
    /// Looks up what is on record of the runs and lessons of recalls that were made elsewhere.
    pub fn look_up_recalls<'r>(
        &self,
        told: impl IntoIterator<Item = &'r Recall>,
    ) -> Result<KnownRecalls> {
        let mut rest_of_recalls = told.into_iter().peekable();
        let mut recalls = KnownRecalls::default();
        if rest_of_recalls.peek().is_none() {
            return Ok(recalls);
        }
        // One that was noted just now counts as well.
        let reader = self.counted_snapshot()?;
        let mut looked_up = HashSet::new();
        for recall in rest_of_recalls {
            for found in recall.considered.iter().take(limits::CANDIDATES) {
                if looked_up.insert(found.lesson)
                    && let Some(lesson) = reader.lesson(self.tenant(), found.lesson)?
                    && self.principal.can_see(&lesson.scope)
                {
                    recalls.visible.insert(found.lesson);
                }
            }
            if !recalls.recorded.contains_key(&recall.run) {
                let rows = self.list_recorded(&*reader, recall.run.as_ref())?;
                recalls.recorded.insert(recall.run.clone(), rows);
            }
        }
        Ok(recalls)
    }

    /// Records a recall that was made elsewhere in a run; returns false if it is on record already.
    ///
    /// It must be among those that were looked up. Lessons that the principal may not see are left out.
    pub fn take_recall(&self, told: Recall, known: &mut KnownRecalls) -> Result<bool> {
        self.check_access(Rights::Write, &self.principal.scope)?;
        let is_ahead = told.at > latest_time(self.now());
        let recall = self.clean_recall(told, &known.visible);
        let this = RecordedRecall::from_recall(&recall);
        let rows = known.recorded.entry(recall.run.clone()).or_default();
        // The time of one from a clock that is ahead is not its own.
        let is_same = |it: &RecordedRecall| {
            let at = if is_ahead { it.at } else { this.at };
            *it == RecordedRecall { at, ..this }
        };
        if rows.iter().any(is_same) {
            return Ok(false);
        }
        self.note_recall(&recall)?;
        rows.push(this);
        Ok(true)
    }

    /// Runs a writ of a run elsewhere, with no more than the rights of an agent.
    pub fn run_sent_writ(&self, run: &RunId, kept: &KeptWrit) -> Result<WritOutcome> {
        let agent = (self.principal.clone()).restrict_to_agent(kept.is_tainted());
        self.hand_over(agent)
            .carry_out_kept_writ(run, &kept.cleaned())
    }

    fn clean_recall(&self, told: Recall, visible: &HashSet<LessonId>) -> Recall {
        let candidates = told.considered.into_iter().take(limits::CANDIDATES);
        let candidates = candidates.filter(|found| visible.contains(&found.lesson));
        let query_text = told.query_text.filter(|_| self.policy.keep_prompts);
        Recall {
            scope: self.principal.scope.clone(),
            at: told.at.min(latest_time(self.now())),
            query_text: query_text.map(|query_text| clean(&query_text, limits::QUERY_TEXT_CHARS)),
            silence: told.silence.map(|why| clean(&why, limits::REASON_CHARS)),
            considered: candidates.map(clean_considered).collect(),
            ..told
        }
    }

    fn list_recorded(&self, reader: &dyn Read, run: Option<&RunId>) -> Result<Vec<RecordedRecall>> {
        let listing = RecallListing {
            run: run.cloned(),
            ..RecallListing::default()
        };
        let recalls = reader.recalls(self.tenant(), &listing)?;
        let here = (recalls.iter()).filter(|(_, it)| it.scope == self.principal.scope);
        Ok(here
            .map(|(_, it)| RecordedRecall::from_recall(it))
            .collect())
    }
}

fn clean(text: &CleanText, chars: usize) -> CleanText {
    hardwon_redact::clean_to_chars(&RawText::from(text.as_str()), chars)
}

fn clean_considered(found: ConsideredLesson) -> ConsideredLesson {
    ConsideredLesson {
        holdout_chance: clamp_chance(found.holdout_chance),
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
    if chance.is_finite() {
        chance.clamp(0.0, 0.5)
    } else {
        0.0
    }
}

fn latest_time(now: Timestamp) -> Timestamp {
    now.checked_add(MAX_AHEAD).unwrap_or(now)
}
