//! Watching a run while it goes on: events in, nudges out.
//!
//! A [`Watch`] holds the trace of one run at a time. At a failure it says what is known about just
//! that failure, once a run; at a call that fails again unchanged it says so, each time; when the
//! run ends it learns. It does not recall for prompts: whoever has the prompt asks for that.

use std::collections::HashSet;

use hardwon_core::{
    event::{EventOf, RawEvent},
    id::{LessonId, RunId},
    lesson::FailureKey,
    loops,
    preamble::Preamble,
    recall::Moment,
    redact,
    scope::Scope,
    trace::{Trace, What, failure::Failure},
};

use crate::{Ask, Engine, Learned, Result, recall};

/// Something worth telling an agent in the middle of its run.
#[derive(Debug, Clone, PartialEq)]
pub enum Nudge {
    /// The same calls failed again, unchanged.
    Loop {
        /// The calls.
        calls: Vec<String>,
        /// What to put before the next tool result.
        text: String,
    },
    /// A lesson is about the failure just seen.
    Lesson {
        /// Which.
        id: LessonId,
        /// What to put before the next tool result.
        text: String,
    },
    /// The run ended, and this was learned.
    Learned(Learned),
}

/// One run being watched, or several in turn.
pub struct Watch<'a> {
    engine: &'a Engine,
    scope: Scope,
    trace: Trace,
    /// What the run was told, or is not to be told.
    settled: HashSet<LessonId>,
}

impl Engine {
    /// Watches a run of this name, until an event says that another one begins.
    pub fn watch(&self, run: RunId, scope: Scope) -> Watch<'_> {
        let trace = Trace::new(run, scope.clone());
        Watch {
            engine: self,
            scope,
            trace,
            settled: HashSet::new(),
        }
    }
}

impl Watch<'_> {
    /// Takes in the next event, and returns what is to be said about it.
    pub fn observe(&mut self, event: RawEvent) -> Result<Vec<Nudge>> {
        if let EventOf::Run { run, .. } = &event
            && run != self.trace.run()
        {
            self.trace = Trace::new(run.clone(), self.scope.clone());
            self.settled.clear();
        }
        let failed = matches!(&event, EventOf::Tool(call) if call.status.has_failure());
        let ended = matches!(event, EventOf::End { .. });
        self.trace.push(redact::scrub(event));
        if ended {
            return Ok(vec![Nudge::Learned(self.engine.learn(&self.trace)?)]);
        }
        let mut nudges = Vec::new();
        if failed {
            nudges.extend(self.looped());
            nudges.extend(self.known_failure()?);
        }
        Ok(nudges)
    }

    fn looped(&self) -> Option<Nudge> {
        let found = loops::detect(&self.trace)?;
        let calls = found
            .calls
            .iter()
            .map(|call| format!("{} {}", call.tool, call.args))
            .collect();
        Some(Nudge::Loop {
            calls,
            text: found.text(),
        })
    }

    /// Returns the lessons about the failure just seen that this run was not told yet, less what
    /// chance holds back, and remembers that they were shown.
    fn known_failure(&mut self) -> Result<Vec<Nudge>> {
        let Some((failure, args)) = self.last_failure() else {
            return Ok(Vec::new());
        };
        let mut known = self
            .engine
            .store
            .about_failure(self.trace.scope(), &failure)?;
        let now = self.engine.clock.now();
        known.retain(|it| it.is_recallable(now) && self.settled.insert(it.id));
        if known.is_empty() {
            return Ok(Vec::new());
        }
        let lots = self.engine.draw(Some(self.trace.run()), known.iter());
        let told = known.iter().filter(|it| !lots.held.contains(&it.id));
        let nudges: Vec<(LessonId, Preamble)> = told
            .map(|lesson| (lesson.id, self.engine.render(&[lesson])))
            .filter(|(_, preamble)| !preamble.shown.is_empty())
            .collect();
        let shown: Vec<LessonId> = nudges.iter().flat_map(|it| it.1.shown.clone()).collect();
        let ask = Ask {
            run: Some(self.trace.run().clone()),
            moment: Moment::Failure,
            ..Ask::new(self.trace.scope().clone(), args)
        };
        let found = recall::exact(&known, &shown, &lots);
        let recall = self.engine.record_of(&ask, found);
        // It is told even if that cannot be noted: the agent needs it now.
        drop(self.engine.note_recall(&recall));
        let nudge = |(id, preamble): (LessonId, Preamble)| Nudge::Lesson {
            id,
            text: preamble.text,
        };
        Ok(nudges.into_iter().map(nudge).collect())
    }

    /// Returns the failure just seen, and the arguments of its call.
    fn last_failure(&self) -> Option<(FailureKey, String)> {
        match &self.trace.steps().last()?.what {
            What::Call(call) => {
                Failure::of(call).map(|failure| (failure.key, call.args.as_str().to_owned()))
            }
            What::Said { .. } => None,
        }
    }
}
