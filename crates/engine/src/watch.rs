//! Watching a run while it goes on: events in, nudges out.
//!
//! A [`Watch`] holds the trace of one run at a time. At a failure it says what is known about just
//! that failure, once a run; at a call that fails again unchanged it says so, each time; when the
//! run ends it learns. It does not recall for prompts: whoever has the prompt asks for that.

use std::collections::HashSet;

use hardwon_core::{
    event::{CallStatus, EventOf, RawEvent},
    id::{LessonId, RunId},
    lesson::FailureKey,
    loops, redact,
    scope::Scope,
    trace::{Trace, What, failure::Failure},
};

use crate::{Engine, Learned, Result};

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
    shown: HashSet<LessonId>,
}

impl Engine {
    /// Watches a run of this name, until an event says that another one begins.
    pub fn watch(&self, run: RunId, scope: Scope) -> Watch<'_> {
        let trace = Trace::new(run, scope.clone());
        Watch {
            engine: self,
            scope,
            trace,
            shown: HashSet::new(),
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
            self.shown.clear();
        }
        let failed = matches!(&event, EventOf::Tool(call) if call.status != CallStatus::Ok);
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

    /// Returns the lessons about the failure just seen that this run was not told yet.
    fn known_failure(&mut self) -> Result<Vec<Nudge>> {
        let Some(key) = self.last_failure() else {
            return Ok(Vec::new());
        };
        let known = self.engine.store.about_failure(self.trace.scope(), &key)?;
        let now = self.engine.clock.now();
        let mut nudges = Vec::new();
        for lesson in known.iter().filter(|lesson| lesson.is_recallable(now)) {
            if self.shown.insert(lesson.id) {
                let text = self.engine.render(&[lesson]).text;
                nudges.push(Nudge::Lesson {
                    id: lesson.id,
                    text,
                });
            }
        }
        Ok(nudges)
    }

    fn last_failure(&self) -> Option<FailureKey> {
        match &self.trace.steps().last()?.what {
            What::Call(call) => Failure::of(call).map(|failure| failure.key),
            What::Said { .. } => None,
        }
    }
}
