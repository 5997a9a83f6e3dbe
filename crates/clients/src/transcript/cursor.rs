//! A position in a transcript that has grown: an offset, and what was open there.
//!
//! Its size is bounded, and what is stored has been cleaned: [`encode`](TranscriptCursor::encode) takes the function
//! that cleans, so no raw text of a transcript can reach a disk by this way. Whether the file is still the same one is
//! not decided here; keep a fingerprint of its head beside the cursor.

use std::sync::Arc;

use hardwon_core::{AgentId, CleanText, Lineage, OutsideWords, ProjectId, RawText, RunId, limits};
use hardwon_engine::TranscriptCursor;
use serde::{Deserialize, Serialize};

use super::{OpenRun, PendingCall, TranscriptSession};

/// A position in a transcript, and what was open there.
#[derive(Debug, Clone, PartialEq)]
pub struct ResumePoint {
    pub(crate) name: RunId,
    pub(crate) offset: u64,
    unnamed_count: u64,
    current: usize,
    lineage: Lineage,
    delegated_words: Option<OutsideWords>,
    runs: Vec<OpenRun>,
}

impl ResumePoint {
    /// Makes the start of a transcript. `name` replaces the name of a run that has none in the file; derive it from the
    /// file's path and head, so that it is the same each time.
    pub fn start(name: RunId) -> Self {
        Self {
            name,
            offset: 0,
            unnamed_count: 0,
            current: 0,
            lineage: Lineage::default(),
            delegated_words: None,
            runs: Vec::new(),
        }
    }

    /// Saves the open state of a session: its latest runs, with their pending calls.
    pub(crate) fn from_session(session: &TranscriptSession, offset: u64) -> Self {
        let first = session.runs.len().saturating_sub(limits::RESUMED_RUNS);
        let mut runs = session.runs.get(first..).unwrap_or_default().to_vec();
        for run in &mut runs {
            run.begun = false;
            run.end = None;
        }
        Self {
            name: session.name.clone(),
            offset,
            unnamed_count: session.unnamed_count,
            current: session.current.saturating_sub(first),
            lineage: session.lineage.clone(),
            delegated_words: session.delegated_words.clone(),
            runs,
        }
    }

    pub(crate) fn restore_into(self, session: &mut TranscriptSession) {
        session.delegated_words = self.delegated_words;
        session.runs = self.runs;
        session.lineage = self.lineage;
        session.current = self.current;
        session.unnamed_count = self.unnamed_count;
    }
}

impl TranscriptCursor for ResumePoint {
    fn offset(&self) -> u64 {
        self.offset
    }

    fn encode(&self, clean: &mut dyn FnMut(&RawText) -> CleanText) -> String {
        let mut text = |raw: &RawText| clean(raw).as_str().to_owned();
        let point = SavedPoint {
            version: VERSION,
            name: self.name.clone(),
            offset: self.offset,
            unnamed: self.unnamed_count,
            now: self.current,
            lineage: self.lineage.to_numbers(),
            delegated_words: (self.delegated_words.as_ref()).map(OutsideWords::to_numbers),
            runs: self
                .runs
                .iter()
                .map(|run| SavedRun::from_run(run, &mut text))
                .collect(),
        };
        serde_json::to_string(&point).expect("strings and numbers are JSON")
    }

    fn decode(json: &str) -> Option<Self> {
        let point: SavedPoint = serde_json::from_str(json).ok()?;
        if point.version != VERSION || point.runs.len() > limits::RESUMED_RUNS {
            return None;
        }
        Some(Self {
            name: point.name,
            offset: point.offset,
            unnamed_count: point.unnamed,
            current: point.now,
            lineage: Lineage::from_numbers(point.lineage),
            delegated_words: point.delegated_words.map(OutsideWords::from_numbers),
            runs: point.runs.into_iter().map(SavedRun::into_run).collect(),
        })
    }
}

/// The version of [`SavedPoint`]; a change of its meaning makes old cursors start over.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct SavedPoint {
    version: u32,
    name: RunId,
    offset: u64,
    unnamed: u64,
    now: usize,
    #[serde(default)]
    lineage: Vec<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    delegated_words: Option<Vec<u32>>,
    runs: Vec<SavedRun>,
}

#[derive(Serialize, Deserialize)]
struct SavedRun {
    id: RunId,
    agent: Option<AgentId>,
    project: Option<ProjectId>,
    cwd: Option<String>,
    remote: Option<String>,
    history: Option<RunId>,
    task: Option<String>,
    turn: u32,
    tail: Option<String>,
    last_call_failed: bool,
    interrupted: bool,
    delegated: bool,
    last_said: Option<u64>,
    settled: Vec<u64>,
    pending: Vec<SavedCall>,
}

#[derive(Serialize, Deserialize)]
struct SavedCall {
    call: String,
    tool: String,
    args: String,
    turn: u32,
    exit: Option<i64>,
    external: bool,
}

impl SavedRun {
    fn from_run(run: &OpenRun, text: &mut dyn FnMut(&RawText) -> String) -> Self {
        let mut clean_text = |plain: &Option<String>| {
            let plain = plain.as_deref();
            plain.map(|plain| text(&plain.into()))
        };
        Self {
            id: run.info.id.clone(),
            agent: run.info.agent.clone(),
            project: run.info.project.clone(),
            cwd: clean_text(&run.info.cwd),
            remote: clean_text(&run.info.remote),
            history: run.info.history.clone(),
            task: run.task.as_ref().map(&mut *text),
            turn: run.turn,
            tail: run.tail.as_deref().map(|tail| text(&tail.into())),
            last_call_failed: run.last_call_failed,
            interrupted: run.interrupted,
            delegated: run.delegated,
            last_said: run.last_message,
            settled: run.settled.iter().copied().collect(),
            pending: run
                .pending
                .iter()
                .map(|call| SavedCall {
                    call: text(&call.call.as_str().into()),
                    tool: text(&call.tool),
                    args: text(&call.args),
                    turn: call.turn,
                    exit: call.exit,
                    external: call.is_outside,
                })
                .collect(),
        }
    }

    fn into_run(self) -> OpenRun {
        let mut run = OpenRun::new(self.id, self.agent);
        let info = Arc::make_mut(&mut run.info);
        info.project = self.project;
        (info.cwd, info.remote) = (self.cwd, self.remote);
        info.history = self.history;
        run.task = self.task.map(RawText::from);
        run.turn = self.turn;
        run.tail = self.tail;
        run.last_call_failed = self.last_call_failed;
        run.interrupted = self.interrupted;
        run.delegated = self.delegated;
        run.last_message = self.last_said;
        run.settled = self.settled.into();
        run.settled.truncate(limits::PENDING_CALLS);
        run.pending = self.pending.into_iter().map(SavedCall::into_call).collect();
        run.pending.truncate(limits::PENDING_CALLS);
        run
    }
}

impl SavedCall {
    fn into_call(self) -> PendingCall {
        PendingCall {
            call: self.call,
            tool: self.tool.into(),
            args: self.args.into(),
            turn: self.turn,
            exit: self.exit,
            is_outside: self.external,
        }
    }
}
