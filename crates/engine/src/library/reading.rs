//! One file's runs, while they are read.

use std::{
    collections::{HashMap, VecDeque},
    ops::ControlFlow,
};

use hardwon_core::{
    event::EventOf,
    id::{ProjectId, RunId},
    limits, redact,
    scope::Scope,
    trace::Trace,
};
use serde::{Deserialize, Serialize};

use super::seen::{HEAD_BYTES, Seen, hex};
use crate::{
    Engine, Error, Learned, Result,
    learn::Proposal,
    transcript::{Cursor, Item, RunInfo},
};

/// How many runs of one file are learned from together at most.
const RUNS: usize = 64;

/// What is kept of a file to read it on.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct State {
    cursor: Option<String>,
    traces: Vec<String>,
}

/// The runs of one file, while they are read.
pub(super) struct Reading<'a> {
    engine: &'a Engine,
    scope: &'a Scope,
    project: &'a dyn Fn(&RunInfo) -> Option<ProjectId>,
    cursor: Option<String>,
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
        state: State,
    ) -> Self {
        let ended = state
            .traces
            .iter()
            .filter_map(|json| Trace::from_json(json).ok())
            .map(|trace| Ended {
                trace,
                is_due: false,
            })
            .collect();
        Self {
            engine,
            scope,
            project,
            cursor: state.cursor,
            open: HashMap::new(),
            ended,
            learned: Vec::new(),
            proposed: Vec::new(),
            failed: None,
        }
    }

    pub(super) fn cursor(&mut self, name: &str, seen: &Seen) -> Cursor {
        let kept = self.cursor.take().and_then(|json| Cursor::decode(&json));
        kept.filter(|cursor| cursor.offset() <= seen.size)
            .unwrap_or_else(|| {
                self.ended.clear();
                let id = RunId::parse(&hex(&[name.as_bytes(), seen.head_of(HEAD_BYTES)])[..16]);
                Cursor::start(id.expect("hexadecimal digits are a name"))
            })
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
            is_due: true,
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
        let proposal = self.engine.propose(&run.trace)?;
        self.proposed.push((run.trace.run().clone(), proposal));
        if self.proposed.len() < RUNS {
            return Ok(());
        }
        let proposed = std::mem::take(&mut self.proposed);
        let learned = self.engine.take_up_all(&self.scope.tenant, &proposed)?;
        self.learned.extend(learned);
        Ok(())
    }

    pub(super) fn state(&self, cursor: &Cursor) -> State {
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
        State {
            cursor: Some(cursor),
            traces,
        }
    }
}

pub(super) fn encode(state: &State) -> Vec<u8> {
    serde_json::to_vec(state).expect("strings are JSON")
}

pub(super) fn decode(bytes: &[u8]) -> Option<State> {
    serde_json::from_slice(bytes).ok()
}
