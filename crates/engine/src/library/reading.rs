//! One file's runs, while they are read.

use std::{
    collections::{HashMap, VecDeque},
    io::{self, BufRead},
    ops::ControlFlow,
};

use hardwon_core::{
    event::EventOf,
    guard::Memo,
    id::{ProjectId, RunId},
    limits, redact,
    scope::Scope,
    trace::Trace,
};
use serde::{Deserialize, Serialize};

use crate::{
    Engine, Error, Learned, Result,
    learn::Proposal,
    transcript::{self, Cursor, Format, Item, RunInfo},
};

/// How many runs of one file are learned from together at most.
const RUNS: usize = 64;

/// What is kept of a long file to read it on.
#[derive(Serialize, Deserialize)]
struct State {
    cursor: String,
    traces: Vec<String>,
}

/// The runs of one file, while they are read.
pub(super) struct Reading<'a> {
    engine: &'a Engine,
    scope: &'a Scope,
    project: &'a dyn Fn(&RunInfo) -> Option<ProjectId>,
    memo: &'a mut Memo,
    /// Whether what is read was learned from before.
    is_known: bool,
    open: HashMap<RunId, Trace>,
    /// Runs that ended and may yet go on, the oldest first.
    ended: VecDeque<Ended>,
    /// What was learned of so far, and what is proposed since.
    pub(super) learned: Vec<(RunId, Learned)>,
    pub(super) proposed: Vec<(RunId, Proposal)>,
    pub(super) failed: Option<Error>,
}

/// A run that ended and may yet go on.
///
/// It is learned from once nothing more of it can be read: a file that ends a run time and again
/// would otherwise have the whole run looked through each time.
struct Ended {
    trace: Trace,
    /// Whether something was added that was not learned from.
    is_due: bool,
}

impl<'a> Reading<'a> {
    pub(super) fn new(
        engine: &'a Engine,
        scope: &'a Scope,
        project: &'a dyn Fn(&RunInfo) -> Option<ProjectId>,
        memo: &'a mut Memo,
    ) -> Self {
        Self {
            engine,
            scope,
            project,
            memo,
            is_known: false,
            open: HashMap::new(),
            ended: VecDeque::new(),
            learned: Vec::new(),
            proposed: Vec::new(),
            failed: None,
        }
    }

    /// Takes up what was kept of the file; none if that cannot be.
    pub(super) fn take_up(&mut self, state: &[u8]) -> Option<Cursor> {
        let state: State = serde_json::from_slice(state).ok()?;
        let cursor = Cursor::decode(&state.cursor)?;
        let ended = state.traces.iter();
        self.ended = ended
            .filter_map(|json| Trace::from_json(json).ok())
            .map(|trace| Ended {
                trace,
                is_due: false,
            })
            .collect();
        Some(cursor)
    }

    /// Reads what was learned from once more, so that what follows finds what it goes on with.
    pub(super) fn look_back(
        &mut self,
        source: impl BufRead,
        format: Format,
        start: Cursor,
    ) -> io::Result<Cursor> {
        self.is_known = true;
        let read = transcript::read(source, format, start.clone(), &mut |item| self.take(item));
        self.is_known = false;
        Ok(read?.cursor.unwrap_or(start))
    }

    pub(super) fn take(&mut self, item: Item<'_>) -> ControlFlow<()> {
        let is_end = matches!(item.event, EventOf::End { .. });
        let trace = self.trace(item.run);
        trace.push(redact::scrub(item.event.unplaced()));
        if !is_end {
            return ControlFlow::Continue(());
        }
        match self.finish(&item.run.id) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.failed = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    fn trace(&mut self, run: &RunInfo) -> &mut Trace {
        let Self {
            open,
            ended,
            scope,
            project,
            ..
        } = self;
        open.entry(run.id.clone()).or_insert_with(|| {
            match ended.iter().position(|it| it.trace.run() == &run.id) {
                Some(at) => ended.remove(at).expect("it was just found").trace,
                None => {
                    let project = project(run).or_else(|| scope.project.clone());
                    Trace::new(
                        run.id.clone(),
                        Scope {
                            project,
                            ..(*scope).clone()
                        },
                    )
                }
            }
        })
    }

    fn finish(&mut self, run: &RunId) -> Result<()> {
        let Some(trace) = self.open.remove(run) else {
            return Ok(());
        };
        self.ended.push_back(Ended {
            trace,
            is_due: !self.is_known,
        });
        if self.ended.len() > limits::RESUMED_RUNS
            && let Some(oldest) = self.ended.pop_front()
        {
            self.propose(&oldest)?;
        }
        Ok(())
    }

    /// Proposes what the runs that ended last teach, now that the file ended.
    pub(super) fn propose_the_last(&mut self) -> Result<()> {
        let mut ended = std::mem::take(&mut self.ended);
        for run in &mut ended {
            self.propose(run)?;
            run.is_due = false;
        }
        self.ended = ended;
        Ok(())
    }

    /// Proposes what a run teaches. A file of many runs is learned from as it is read.
    fn propose(&mut self, run: &Ended) -> Result<()> {
        if !run.is_due {
            return Ok(());
        }
        let proposal = self.engine.propose(&run.trace, self.memo)?;
        self.proposed.push((run.trace.run().clone(), proposal));
        if self.proposed.len() < RUNS {
            return Ok(());
        }
        let proposed = std::mem::take(&mut self.proposed);
        let learned = self.engine.take_up_all(&self.scope.tenant, &proposed)?;
        self.learned.extend(learned);
        Ok(())
    }

    /// Returns what is to be kept of the file, which was read as far as the cursor says.
    ///
    /// A short one is read again sooner than its traces are, so nothing is kept of it.
    pub(super) fn state(&self, cursor: &Cursor) -> Vec<u8> {
        if cursor.offset() <= limits::REREAD_BYTES {
            return Vec::new();
        }
        let cursor = cursor.encode(&mut |raw| redact::clean(raw, limits::MESSAGE_BYTES));
        let mut room = limits::SOURCE_STATE_BYTES.saturating_sub(2 * cursor.len());
        let mut traces = Vec::new();
        for json in self.ended.iter().rev().map(|it| it.trace.to_json()) {
            // A JSON text inside JSON grows by its escapes.
            let Some(left) = room.checked_sub(2 * json.len()) else {
                break;
            };
            room = left;
            traces.push(json);
        }
        traces.reverse();
        let state = State { cursor, traces };
        serde_json::to_vec(&state).expect("strings are JSON")
    }
}
