//! Assembles the runs of one file from its events.
//!
//! A run is returned once nothing more of it can be read: a file that ends a run time and again would otherwise have
//! the whole run learned from each time. Nothing here learns.

use std::{
    collections::{HashMap, VecDeque},
    io,
};

use hardwon_core::{
    MessageRole, ProjectId, RawEvent, RunEvent, RunId, Scope, Trace, event::scrub_event, limits,
    outside, text::quoted::quote_text,
};
use serde::{Deserialize, Serialize};

use super::WatchedSession;
use crate::{RunInfo, TranscriptCursor, TranscriptEvent, TranscriptEvents};

/// The state from which a long file is read on.
#[derive(Serialize, Deserialize)]
struct ResumeState {
    cursor: String,
    traces: Vec<String>,
}

/// The runs of one file, while it is read.
pub(super) struct RunAssembler<'a> {
    scope: &'a Scope,
    project: &'a dyn Fn(&RunInfo) -> Option<ProjectId>,
    open: HashMap<RunId, Trace>,
    /// Runs that ended and may still continue, the oldest first.
    ended: VecDeque<EndedRun>,
    /// The history that a run begins with, where it is known.
    histories: HashMap<RunId, RunId>,
    /// What hooks saw of the session.
    watched: Option<WatchedSession>,
}

/// A run that ended and may still continue.
struct EndedRun {
    trace: Trace,
    /// Whether events were added since it was last learned from.
    is_due: bool,
}

impl<'a> RunAssembler<'a> {
    pub(super) fn new(
        scope: &'a Scope,
        project: &'a dyn Fn(&RunInfo) -> Option<ProjectId>,
    ) -> Self {
        Self {
            scope,
            project,
            open: HashMap::new(),
            ended: VecDeque::new(),
            histories: HashMap::new(),
            watched: None,
        }
    }

    /// Sets what hooks saw of the session.
    pub(super) fn with_watched(self, watched: Option<WatchedSession>) -> Self {
        Self { watched, ..self }
    }

    /// Corrects an event by what hooks saw: only what agents have read can be in their words, and what a program wrote is
    /// nobody's own.
    fn correct_event(&self, event: &mut RawEvent) {
        let Some(watched) = &self.watched else {
            return;
        };
        match event {
            RunEvent::Tool(call)
                if outside::is_delegating_call(call.tool.expose(), call.args.expose()) =>
            {
                let words = call.outside.take();
                let words = words.map(|words| words.shared_with(&watched.passed_on));
                call.outside = words.filter(|words| !words.is_empty());
            }
            RunEvent::Message {
                role: MessageRole::User,
                text,
            } if watched.is_unattended => *text = quote_text(text.expose()).into(),
            _ => {}
        }
    }

    /// Restores the saved state of the file; `None` if it cannot be restored.
    pub(super) fn resume<C: TranscriptCursor>(&mut self, state: &[u8]) -> Option<C> {
        let state: ResumeState = serde_json::from_slice(state).ok()?;
        let cursor = C::decode(&state.cursor)?;
        let traces = state.traces.iter().map(|json| Trace::from_json(json));
        let traces: Vec<Trace> = traces.collect::<Result<_, _>>().ok()?;
        self.ended = traces.into_iter().map(EndedRun::from_learned).collect();
        Some(cursor)
    }

    /// Reads the part that was learned from once more, so that what follows finds its context; and returns the position
    /// after it, if the file can be read on.
    pub(super) fn reread<E: TranscriptEvents>(
        &mut self,
        mut known: E,
    ) -> io::Result<Option<E::Cursor>> {
        for item in &mut known {
            self.push_event(item?);
        }
        let runs = std::mem::take(&mut self.ended).into_iter();
        self.ended = runs.map(|run| EndedRun::from_learned(run.trace)).collect();
        Ok(known.summary().cursor)
    }

    /// Takes an event in, and returns the run that is now complete, if one is.
    pub(super) fn push_event(&mut self, mut item: TranscriptEvent) -> Option<Trace> {
        self.correct_event(&mut item.event);
        let is_end = matches!(item.event, RunEvent::End { .. });
        if let Some(history) = item.run.history.as_ref().filter(|_| is_end) {
            self.histories.insert(item.run.id.clone(), history.clone());
        }
        let trace = self.trace_for(&item.run);
        trace.push(scrub_event(item.event.without_agent_and_project()));
        if !is_end {
            return None;
        }
        let trace = self.open.remove(&item.run.id)?;
        let is_due = true;
        self.ended.push_back(EndedRun { trace, is_due });
        if self.ended.len() <= limits::RESUMED_RUNS {
            return None;
        }
        let oldest = self.ended.pop_front()?;
        oldest.is_due.then_some(oldest.trace)
    }

    /// Returns the last ended runs that are still to be learned from, at the end of the file.
    pub(super) fn due_runs(&self) -> impl Iterator<Item = &Trace> {
        let due = self.ended.iter().filter(|run| run.is_due);
        due.map(|due| &due.trace)
    }

    /// Returns the history that a run begins with, if it is known.
    pub(super) fn find_history(&self, run: &RunId) -> Option<RunId> {
        self.histories.get(run).cloned()
    }

    fn trace_for(&mut self, run: &RunInfo) -> &mut Trace {
        let Self {
            open,
            ended,
            scope,
            project,
            ..
        } = self;
        open.entry(run.id.clone()).or_insert_with(|| {
            match ended.iter().position(|entry| entry.trace.run() == &run.id) {
                Some(at) => ended.remove(at).expect("it was just found").trace,
                None => {
                    let project = project(run).or_else(|| scope.project.clone());
                    Trace::new(run.id.clone(), scope.with_project(project))
                }
            }
        })
    }

    /// Returns the state to save of the file, which was read up to the cursor.
    ///
    /// A short file is read again faster than its traces are, so nothing is saved of it.
    pub(super) fn encode_state(&self, cursor: &impl TranscriptCursor) -> Vec<u8> {
        if cursor.offset() <= limits::REREAD_BYTES {
            return Vec::new();
        }
        let cursor =
            cursor.encode(&mut |raw| hardwon_redact::clean_to_bytes(raw, limits::MESSAGE_BYTES));
        let mut room = limits::SOURCE_STATE_BYTES.saturating_sub(2 * cursor.len());
        let mut traces = Vec::new();
        for json in self.ended.iter().rev().map(|run| run.trace.to_json()) {
            // A JSON text inside JSON grows by its escapes.
            let Some(left) = room.checked_sub(2 * json.len()) else {
                break;
            };
            room = left;
            traces.push(json);
        }
        traces.reverse();
        let state = ResumeState { cursor, traces };
        serde_json::to_vec(&state).expect("strings are JSON")
    }
}

impl EndedRun {
    fn from_learned(trace: Trace) -> Self {
        let is_due = false;
        Self { trace, is_due }
    }
}

#[cfg(test)]
mod tests {
    use hardwon_core::{CleanText, RawText};

    use super::*;

    #[derive(Clone)]
    struct Offset(u64);

    impl TranscriptCursor for Offset {
        fn offset(&self) -> u64 {
            self.0
        }

        fn encode(&self, _clean: &mut dyn FnMut(&RawText) -> CleanText) -> String {
            self.0.to_string()
        }

        fn decode(json: &str) -> Option<Self> {
            json.parse().ok().map(Self)
        }
    }

    /// A file is read once more where a run of it was kept in the form of another version.
    #[test]
    fn a_state_is_restored_whole_or_not() {
        let scope = Scope::default();
        let mut runs = RunAssembler::new(&scope, &|_| None);
        let trace = Trace::new(RunId::parse("r").unwrap(), scope.clone());
        runs.ended.push_back(EndedRun::from_learned(trace));
        let state = runs.encode_state(&Offset(limits::REREAD_BYTES + 1));
        assert!(runs.resume::<Offset>(&state).is_some());
        assert_eq!(runs.ended.len(), 1);
        let state = String::from_utf8(state).unwrap();
        let before = state.replace(r#"\"v\":2"#, r#"\"v\":1"#);
        assert_ne!(before, state);
        assert!(runs.resume::<Offset>(before.as_bytes()).is_none());
    }
}
