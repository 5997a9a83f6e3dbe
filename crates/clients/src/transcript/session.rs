//! Turns what a format finds into events: opens runs, numbers turns, pairs calls with results.
//!
//! A format says "this person said", "this call began", "this call ended so"; the rules about
//! which event comes when live here once, for all formats. Nothing here knows a wire format, and
//! nothing here keeps a tool's output.

use std::{collections::VecDeque, sync::Arc};

use hardwon_core::{
    event::{CallStatus, MessageRole, RawEvent, RunEvent, RunStatus, ToolCall},
    id::{AgentId, RunId},
    limits,
    outside::{FetchedPlaces, OutsideWords},
    text::RawText,
};
use hardwon_engine::transcript::{RunInfo, TranscriptEvent};

use super::{
    failure::{CallOutcome, Printed},
    speech, steps,
    text::{at_most, shorten},
    tool,
};

/// A call that waits for its result.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pending {
    pub(crate) call: String,
    pub(crate) tool: RawText,
    pub(crate) args: RawText,
    pub(crate) turn: u32,
    pub(crate) exit: Option<i64>,
    pub(crate) is_outside: bool,
}

impl Pending {
    /// Returns the words of what came back, where that was written elsewhere.
    fn words(&self, printed: &Printed<'_>) -> Option<OutsideWords> {
        (self.is_outside).then(|| printed.clone().outside_words())
    }
}

/// What is known about one run so far.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Run {
    pub(crate) info: Arc<RunInfo>,
    pub(crate) task: Option<RawText>,
    /// Whether this reading has said that the run began.
    pub(crate) begun: bool,
    pub(crate) turn: u32,
    pub(crate) pending: VecDeque<Pending>,
    /// Fingerprints of the calls that were settled last, and of what was said in records, for
    /// clients that write a record again each time it changes.
    pub(crate) settled: VecDeque<u64>,
    /// The fingerprint of what was said last, for clients that tell a message twice.
    pub(crate) last_said: Option<u64>,
    /// Where it put what it fetched.
    pub(crate) places: FetchedPlaces,
    /// Whether another agent gave the task, so that no person speaks in this run.
    pub(crate) delegated: bool,
    /// The id of the run's last record, for formats that chain records.
    pub(crate) tail: Option<String>,
    pub(crate) last_call_failed: bool,
    pub(crate) interrupted: bool,
    pub(crate) end: Option<(RunStatus, Option<f64>)>,
}

impl Run {
    pub(crate) fn new(id: RunId, agent: Option<AgentId>) -> Self {
        Self {
            info: Arc::new(RunInfo {
                id,
                agent,
                project: None,
                cwd: None,
                remote: None,
            }),
            task: None,
            begun: false,
            turn: 0,
            pending: VecDeque::new(),
            settled: VecDeque::new(),
            last_said: None,
            places: FetchedPlaces::default(),
            delegated: false,
            tail: None,
            last_call_failed: false,
            interrupted: false,
            end: None,
        }
    }

    /// Whether a call waits or was settled a short while ago.
    fn knows(&self, call: &str) -> bool {
        self.pending.iter().any(|pending| pending.call == call)
            || self.settled.contains(&fingerprint(0, call))
    }

    fn settle(&mut self, told: u64) {
        if self.settled.len() >= limits::PENDING_CALLS {
            self.settled.pop_front();
        }
        self.settled.push_back(told);
    }

    /// How the run ended: as it said, else as its last moments suggest.
    fn status(&self) -> (RunStatus, Option<f64>) {
        match self.end {
            Some(end) => end,
            None if self.interrupted || !self.pending.is_empty() => (RunStatus::Aborted, None),
            None if self.last_call_failed => (RunStatus::Failed, None),
            None => (RunStatus::Completed, None),
        }
    }
}

/// The runs of one transcript, and those of their events that nobody took yet.
pub(crate) struct Session {
    pub(crate) items: VecDeque<TranscriptEvent>,
    pub(crate) runs: Vec<Run>,
    /// The run that records belong to now.
    pub(crate) now: usize,
    /// The name of a run that has none of its own.
    pub(crate) name: RunId,
    agent: Option<AgentId>,
    /// Runs that got their name from their place in the file.
    pub(crate) unnamed: u64,
    pub(crate) run_count: u64,
}

impl Session {
    pub(crate) fn new(name: RunId, agent: Option<AgentId>) -> Self {
        Self {
            items: VecDeque::new(),
            runs: Vec::new(),
            now: 0,
            name,
            agent,
            unnamed: 0,
            run_count: 0,
        }
    }

    /// Makes the run of this name the current one, and opens it if it is new.
    ///
    /// A name that is none (empty, too long, with control characters) means the file's own.
    pub(crate) fn enter(&mut self, id: &str) {
        let known = |run: &Run| run.info.id.as_str() == id;
        if self.runs.get(self.now).is_some_and(known) {
            return;
        }
        match self.runs.iter().position(known) {
            Some(at) => self.now = at,
            None => {
                let id = RunId::parse(id).unwrap_or_else(|_| self.name.clone());
                if let Some(at) = self.runs.iter().position(|run| run.info.id == id) {
                    self.now = at;
                } else {
                    self.open(id);
                }
            }
        }
    }

    /// Opens a run that has no name in the file; the first gets the file's, others a number too.
    pub(crate) fn enter_next_unnamed(&mut self) {
        self.unnamed += 1;
        let name = match self.unnamed {
            1 => self.name.as_str().to_owned(),
            n => format!("{}-{n}", self.name),
        };
        self.enter(&name);
    }

    /// Opens the run that the file names only by this mark of its own.
    pub(crate) fn enter_part(&mut self, mark: &str) {
        let name = format!("{} {mark}", self.name);
        self.enter(at_most(&name, limits::NAME_CHARS));
    }

    fn open(&mut self, id: RunId) {
        if self.runs.len() >= limits::OPEN_RUNS {
            self.now = 0;
            self.close();
        }
        self.runs.push(Run::new(id, self.agent.clone()));
        self.now = self.runs.len() - 1;
    }

    /// Returns the current run; the file's own when the format named none.
    pub(crate) fn run(&mut self) -> &mut Run {
        if self.now >= self.runs.len() {
            let name = self.name.clone();
            self.open(name);
        }
        &mut self.runs[self.now]
    }

    /// Notes the folder the run works in: the first that it tells, wherever it goes from there.
    pub(crate) fn works_in(&mut self, cwd: &str) {
        let run = self.run();
        if !cwd.is_empty() && run.info.cwd.is_none() {
            Arc::make_mut(&mut run.info).cwd = Some(shorten(cwd, limits::ARGS_BYTES));
        }
    }

    /// Notes the URL of the repository the run works on.
    pub(crate) fn comes_from(&mut self, remote: &str) {
        if !remote.is_empty() {
            Arc::make_mut(&mut self.run().info).remote = Some(shorten(remote, limits::ARGS_BYTES));
        }
    }

    /// Notes that somebody said something to the agent: a person, or in a delegated run another
    /// agent, whose first words are the task and whose others are nobody's correction.
    pub(crate) fn user(&mut self, text: &str) {
        if self.run().delegated {
            return self.task(text);
        }
        match speech::said(text) {
            speech::Said::Nothing => {}
            speech::Said::Interrupted => {
                self.run().interrupted = true;
            }
            speech::Said::Words(words) => self.user_words(&words),
        }
    }

    fn user_words(&mut self, words: &str) {
        if self.is_echo(MessageRole::User, words) {
            return;
        }
        let text = bounded(words);
        let run = self.run();
        run.interrupted = false;
        if !run.begun && run.task.is_none() {
            run.task = Some(text);
            self.begin();
        } else {
            self.begin();
            self.run().turn += 1;
            self.emit(RunEvent::Message {
                role: MessageRole::User,
                text,
            });
        }
    }

    fn task(&mut self, text: &str) {
        let run = self.run();
        if run.task.is_none() && !run.begun && !text.trim().is_empty() {
            run.task = Some(bounded(text));
        }
    }

    /// Notes that the agent said something.
    pub(crate) fn assistant(&mut self, text: &str) {
        if text.trim().is_empty() || self.is_echo(MessageRole::Assistant, text) {
            return;
        }
        self.begin();
        self.run().interrupted = false;
        self.emit(RunEvent::Message {
            role: MessageRole::Assistant,
            text: bounded(text),
        });
    }

    /// Notes what the agent said in a record that is written again each time it grows.
    pub(crate) fn assistant_once(&mut self, record: &str, text: &str) {
        let told = fingerprint(fingerprint(3, record), text.trim());
        if !self.run().settled.contains(&told) {
            self.assistant(text);
            self.run().settle(told);
        }
    }

    /// Several clients write the same message twice in a row, once per protocol.
    fn is_echo(&mut self, role: MessageRole, text: &str) -> bool {
        let seed = match role {
            MessageRole::User => 1,
            MessageRole::Assistant => 2,
        };
        let said = Some(fingerprint(seed, text.trim()));
        let run = self.run();
        std::mem::replace(&mut run.last_said, said) == said
    }

    /// Notes that the agent called a tool. A call id seen before is the same call told twice.
    pub(crate) fn call(&mut self, call: &str, name: &str, args: String) {
        self.begin();
        let call = name_of_call(call);
        let is_client = self.agent.is_some();
        let run = self.run();
        let is_outside = tool::is_outside(name, &args, is_client) || run.places.are_read_by(&args);
        run.places.record_call(name, &args);
        run.interrupted = false;
        if !call.is_empty() && run.knows(call) {
            return;
        }
        if run.pending.len() >= limits::PENDING_CALLS {
            run.pending.pop_front();
        }
        run.pending.push_back(Pending {
            call: call.to_owned(),
            tool: shorten(name, limits::NAME_CHARS).into(),
            args: args.into(),
            turn: run.turn,
            exit: None,
            is_outside,
        });
    }

    /// Notes the exit code of a call that waits, which some clients write apart from its result.
    pub(crate) fn exit(&mut self, call: &str, code: i64) {
        if let Some((run, at)) = self.find(call) {
            self.runs[run].pending[at].exit = Some(code);
        }
    }

    /// Returns the exit code noted for a call that waits.
    pub(crate) fn exit_of(&self, call: &str) -> Option<i64> {
        let (run, at) = self.find(call)?;
        self.runs[run].pending[at].exit
    }

    /// Returns whether a call waits for its result.
    pub(crate) fn waits(&self, call: &str) -> bool {
        self.find(call).is_some()
    }

    fn find(&self, call: &str) -> Option<(usize, usize)> {
        let call = name_of_call(call);
        let within = |run: &Run| run.pending.iter().position(|p| p.call == call);
        let here = self.runs.get(self.now).and_then(within);
        here.map(|at| (self.now, at)).or_else(|| {
            self.runs
                .iter()
                .enumerate()
                .find_map(|(i, run)| Some((i, within(run)?)))
        })
    }

    /// Notes how a call ended; a result without a call is passed over.
    pub(crate) fn result(&mut self, call: &str, outcome: CallOutcome<'_>) {
        if let Some((run, at)) = self.find(call) {
            self.settle(run, at, outcome);
        }
    }

    /// Notes how the call that has waited longest ended, for formats without call ids.
    pub(crate) fn oldest_result(&mut self, outcome: CallOutcome<'_>) {
        if self
            .runs
            .get(self.now)
            .is_some_and(|run| !run.pending.is_empty())
        {
            self.settle(self.now, 0, outcome);
        }
    }

    /// Notes a call together with how it ended.
    pub(crate) fn act(&mut self, name: &str, args: String, outcome: CallOutcome<'_>) {
        self.call("", name, args);
        let last = self.run().pending.len() - 1;
        self.settle(self.now, last, outcome);
    }

    fn settle(&mut self, run: usize, at: usize, outcome: CallOutcome<'_>) {
        let Some(pending) = self.runs[run].pending.remove(at) else {
            return;
        };
        let before = std::mem::replace(&mut self.now, run);
        self.remember(&pending.call);
        match outcome {
            CallOutcome::Rejected(reason) => {
                if let Some(reason) = reason {
                    self.user_words(&reason);
                }
            }
            CallOutcome::Ok(printed) => {
                let words = pending.words(&printed);
                let status = passed(&pending, printed);
                self.emit_call(pending, status, words, true);
            }
            CallOutcome::Failed(head, printed) => {
                let words = pending.words(&printed);
                self.emit_call(pending, CallStatus::Error(head.into()), words, true);
            }
            CallOutcome::NotRun(head) => {
                let words = pending.words(&Printed::Text(head.as_str().into()));
                self.emit_call(pending, CallStatus::Error(head.into()), words, false);
            }
        }
        self.now = before;
    }

    fn remember(&mut self, call: &str) {
        if call.is_empty() {
            return;
        }
        self.run().settle(fingerprint(0, call));
    }

    fn emit_call(
        &mut self,
        pending: Pending,
        status: CallStatus<RawText>,
        outside: Option<OutsideWords>,
        ran: bool,
    ) {
        self.begin();
        let run = self.run();
        run.last_call_failed = matches!(status, CallStatus::Error(_));
        run.last_said = None;
        run.interrupted = false;
        let call = ToolCall {
            turn: pending.turn,
            tool: pending.tool,
            args: pending.args,
            status,
            outside,
        };
        self.hand_out(RunEvent::Tool(call), ran);
    }

    /// Notes that the run says how it ended.
    pub(crate) fn end(&mut self, status: RunStatus, score: Option<f64>) {
        self.run().end = Some((status, score.filter(|score| score.is_finite())));
    }

    /// Ends the current run: nothing of it follows.
    pub(crate) fn close(&mut self) {
        if self.now >= self.runs.len() {
            return;
        }
        self.emit_end();
        self.runs.swap_remove(self.now);
        self.now = 0;
    }

    /// Says how each run stands at the end of the file; they stay known, so that a file that
    /// grows can be read on.
    pub(crate) fn end_of_file(&mut self) {
        for at in 0..self.runs.len() {
            self.now = at;
            self.emit_end();
        }
    }

    fn emit_end(&mut self) {
        if !self.run().begun {
            return;
        }
        let (status, score) = self.run().status();
        self.emit(RunEvent::End { status, score });
    }

    /// Says that the current run began, unless that was said.
    pub(crate) fn begin(&mut self) {
        let run = self.run();
        if run.begun {
            return;
        }
        run.begun = true;
        let event = RunEvent::Run {
            run: run.info.id.clone(),
            agent: run.info.agent.clone(),
            project: run.info.project.clone(),
            task: run.task.clone(),
        };
        self.run_count += 1;
        self.emit(event);
    }

    /// Puts one event of the current run where the caller takes it.
    pub(crate) fn emit(&mut self, event: RawEvent) {
        self.hand_out(event, true);
    }

    fn hand_out(&mut self, event: RawEvent, ran: bool) {
        let run = self.run().info.clone();
        self.items.push_back(TranscriptEvent { run, event, ran });
    }
}

/// Returns how a call ended that passed: steps of its line may have failed all the same.
fn passed(pending: &Pending, printed: Printed<'_>) -> CallStatus<RawText> {
    match tool::line_of(pending.tool.expose(), pending.args.expose()) {
        Some(line) => steps::status_of_passed(&line, || printed.into_text()),
        None => CallStatus::Ok,
    }
}

/// A number that stands for a text (FNV-1a); it must stay the same, because cursors keep it.
fn fingerprint(seed: u64, text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325 ^ seed, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
}

/// A call's id, bounded like every name; real ids are much shorter.
fn name_of_call(call: &str) -> &str {
    at_most(call, limits::NAME_CHARS)
}

fn bounded(text: &str) -> RawText {
    shorten(text.trim(), limits::INTAKE_BYTES).into()
}
