//! Turns the findings of a format into events: opens runs, numbers turns, pairs calls with results.
//!
//! A format reports a message, the start of a call, the end of a call; the rules about which event comes when are here
//! once, for all formats. Nothing here knows a wire format, and nothing here keeps a tool's output.

use std::{collections::VecDeque, sync::Arc};

use hardwon_core::{
    AgentId, CallStatus, FollowedCall, Lineage, MessageRole, OutsideWords, RawEvent, RawText,
    RunEvent, RunId, RunStatus, ToolCall, limits, outside,
};
use hardwon_engine::TranscriptEvent;

use super::{
    OpenRun, PendingCall, ReportedOutcome, ReportedOutput,
    open_run::{fingerprint, is_unique_id},
    speech::{self, answers::find_answers},
    text::{prefix_within, shorten},
    tool,
    wire::{ContentBlock, has_picture},
};

/// A result that stands before its call: the run, the call's id, the outcome.
type EarlyResult = (RunId, String, ReportedOutcome<'static>);

/// The runs of one transcript, and their events that were not taken yet.
pub(crate) struct TranscriptSession {
    pub(crate) events: VecDeque<TranscriptEvent>,
    pub(crate) runs: Vec<OpenRun>,
    /// The run that records belong to now.
    pub(crate) current: usize,
    early: VecDeque<EarlyResult>,
    /// The name of a run that has none of its own.
    pub(crate) name: RunId,
    /// The names of what any of the runs fetched.
    pub(crate) lineage: Lineage,
    /// The words that sub-agents whose runs are in the file have read from outside; `None` if none is.
    pub(super) delegated_words: Option<OutsideWords>,
    agent: Option<AgentId>,
    /// How many runs are named by their place in the file.
    pub(crate) unnamed_count: u64,
    pub(crate) run_count: u64,
}

impl TranscriptSession {
    pub(crate) fn new(name: RunId, agent: Option<AgentId>) -> Self {
        Self {
            events: VecDeque::new(),
            runs: Vec::new(),
            current: 0,
            early: VecDeque::new(),
            name,
            lineage: Lineage::default(),
            delegated_words: None,
            agent,
            unnamed_count: 0,
            run_count: 0,
        }
    }

    /// Makes the run of this name the current one, and opens it if it is new.
    ///
    /// An invalid name (empty, too long, with control characters) means the file's own.
    pub(crate) fn enter_run(&mut self, id: &str) {
        let is_run = |run: &OpenRun| run.info.id.as_str() == id;
        if self.runs.get(self.current).is_some_and(is_run) {
            return;
        }
        let id = RunId::parse(id).unwrap_or_else(|_| self.name.clone());
        match self.runs.iter().position(|run| run.info.id == id) {
            Some(at) => self.current = at,
            None => self.open_run(id),
        }
    }

    /// Makes the run of a sub-agent the current one, which is named after the session that began it.
    pub(crate) fn enter_subagent(&mut self, session: &str, agent: &str) {
        self.enter_run(&format!("{session}/{agent}"));
        self.current_run().delegated = true;
    }

    /// Opens a run that has no name in the file; the first gets the file's name, others a number too.
    pub(crate) fn enter_next_unnamed(&mut self) {
        self.unnamed_count += 1;
        let name = match self.unnamed_count {
            1 => self.name.as_str().to_owned(),
            n => format!("{}-{n}", self.name),
        };
        self.enter_run(&name);
    }

    /// Opens the run that the file identifies only by this mark of its own.
    pub(crate) fn enter_marked_run(&mut self, mark: &str) {
        let name = format!("{} {mark}", self.name);
        self.enter_run(prefix_within(&name, limits::NAME_CHARS));
    }

    fn open_run(&mut self, id: RunId) {
        if self.runs.len() >= limits::OPEN_RUNS {
            self.current = 0;
            self.close_run();
        }
        self.runs.push(OpenRun::new(id, self.agent.clone()));
        self.current = self.runs.len() - 1;
    }

    /// Returns the current run; the file's own when the format named none.
    pub(crate) fn current_run(&mut self) -> &mut OpenRun {
        if self.current >= self.runs.len() {
            let name = self.name.clone();
            self.open_run(name);
        }
        &mut self.runs[self.current]
    }

    /// Sets the folder the run works in: the first one counts, wherever the run goes from there.
    pub(crate) fn set_folder(&mut self, cwd: &str) {
        let run = self.current_run();
        if !cwd.is_empty() && run.info.cwd.is_none() {
            Arc::make_mut(&mut run.info).cwd = Some(shorten(cwd, limits::ARGS_BYTES));
        }
    }

    /// Sets the URL of the repository the run works on.
    pub(crate) fn set_remote(&mut self, remote: &str) {
        if !remote.is_empty() {
            Arc::make_mut(&mut self.current_run().info).remote =
                Some(shorten(remote, limits::ARGS_BYTES));
        }
    }

    /// Adds a message to the agent: a person's, or in a delegated run another agent's, whose first message is the task
    /// and whose others are no person's correction.
    pub(crate) fn add_user_message(&mut self, text: &str) {
        if let Some((line, output)) = speech::find_typed_command(text)
            && !self.current_run().delegated
        {
            return self.add_typed_command(line, output);
        }
        match speech::classify_turn(text) {
            speech::UserTurn::Nothing => {}
            speech::UserTurn::Interrupted => self.current_run().interrupted = true,
            speech::UserTurn::Typed(words) if self.current_run().delegated => self.set_task(&words),
            speech::UserTurn::Typed(words) if self.forget_queued(&words) => {}
            speech::UserTurn::Typed(words) => self.add_user_words(&words),
        }
    }

    /// Adds a message that a person typed while the agent worked; the client may write it again as a turn.
    pub(crate) fn add_queued_message(&mut self, text: &str) {
        if let speech::UserTurn::Typed(words) = speech::classify_turn(text)
            && !self.current_run().delegated
        {
            self.add_user_words(&words);
            self.current_run()
                .remember_fingerprint(fingerprint(QUEUED, words.trim()));
        }
    }

    /// Forgets that a message was queued; returns whether it was.
    fn forget_queued(&mut self, words: &str) -> bool {
        let print = fingerprint(QUEUED, words.trim());
        let prints = &mut self.current_run().settled;
        let place = prints.iter().position(|known| *known == print);
        place.and_then(|at| prints.remove(at)).is_some()
    }

    /// Adds a command that a person ran themselves, if what it printed is from outside: the agent reads it too.
    fn add_typed_command(&mut self, line: Option<&str>, output: Option<&str>) {
        let run = self.current_run();
        if let Some(line) = line {
            run.typed_command = Some(line.to_owned());
        }
        let Some((line, output)) = output.and_then(|text| Some((run.typed_command.take()?, text)))
        else {
            return;
        };
        self.add_persons_call("Bash", &line, output);
    }

    /// Adds a file that a person attached, if it holds content from outside.
    pub(crate) fn add_attached_file(&mut self, path: &str, text: &str) {
        self.add_persons_call("Read", path, text);
    }

    fn add_persons_call(&mut self, tool: &str, args: &str, output: &str) {
        let args = tool::args_from_text(args);
        let is_outside = tool::is_outside_tool(tool, &args, true);
        let pending = PendingCall {
            call: String::new(),
            tool: tool.into(),
            args: args.into(),
            turn: self.current_run().turn,
            exit: None,
            is_outside,
        };
        let words = self.follow_call(&pending, &ReportedOutput::Text(output.into()));
        if words.is_some() {
            self.emit_call(pending, CallStatus::Ok, words, true);
        }
    }

    fn add_user_words(&mut self, words: &str) {
        if self.is_echo(MessageRole::User, words) {
            return;
        }
        let text = bound_text(words);
        let run = self.current_run();
        run.interrupted = false;
        if !run.begun && run.task.is_none() {
            run.task = Some(text);
            self.begin_run();
        } else {
            self.begin_run();
            self.current_run().turn += 1;
            self.emit_event(RunEvent::Message {
                role: MessageRole::User,
                text,
            });
        }
    }

    fn set_task(&mut self, text: &str) {
        let run = self.current_run();
        if run.task.is_none() && !run.begun && !text.trim().is_empty() {
            run.task = Some(bound_text(text));
        }
    }

    /// Adds a message of the agent.
    pub(crate) fn add_agent_message(&mut self, text: &str) {
        if text.trim().is_empty() || self.is_echo(MessageRole::Assistant, text) {
            return;
        }
        self.begin_run();
        self.current_run().interrupted = false;
        self.emit_event(RunEvent::Message {
            role: MessageRole::Assistant,
            text: bound_text(text),
        });
    }

    /// Adds a message of the agent in a record that is written again each time it grows.
    pub(crate) fn add_agent_message_once(&mut self, record: &str, text: &str) {
        let print = fingerprint(fingerprint(3, record), text.trim());
        if !self.current_run().settled.contains(&print) {
            self.add_agent_message(text);
            self.current_run().remember_fingerprint(print);
        }
    }

    /// Returns whether a message repeats the last one: several clients write it twice in a row, once per protocol.
    fn is_echo(&mut self, role: MessageRole, text: &str) -> bool {
        let seed = match role {
            MessageRole::User => 1,
            MessageRole::Assistant => 2,
        };
        let print = Some(fingerprint(seed, text.trim()));
        let run = self.current_run();
        std::mem::replace(&mut run.last_message, print) == print
    }

    /// Adds a tool call whose arguments are JSON, as [`add_call`](Self::add_call) does.
    pub(crate) fn add_json_call(&mut self, call: &str, name: &str, args: &str) {
        self.add_call(call, name, tool::args_from_json(name, args));
    }

    /// Adds a tool call that is a block of a message.
    pub(crate) fn add_block_call(&mut self, block: &ContentBlock<'_>) {
        let (id, name) = (block.id.to_text(), block.name.to_text());
        self.add_json_call(&id, &name, block.args().as_str());
    }

    /// Adds a tool call. It arms its id, and its result consumes it: a call that comes later with the same id is another
    /// one, because some models number their calls anew each time. The same call again before its result is a copy.
    pub(crate) fn add_call(&mut self, call: &str, name: &str, args: String) {
        // Real ids are much shorter.
        let call = prefix_within(call, limits::NAME_CHARS);
        let name = shorten(name, limits::NAME_CHARS);
        self.begin_run();
        self.current_run().interrupted = false;
        if call.is_empty() || !self.current_run().repeats_pending(call, &name, &args) {
            self.arm_call(call, name, args);
            self.add_early_result(call);
        }
    }

    /// Adds a tool call of a record that is written again each time it changes: the client's own id identifies it for good.
    pub(crate) fn add_call_once(&mut self, call: &str, name: &str, args: String) {
        let id = prefix_within(call, limits::NAME_CHARS);
        if id.is_empty() || !self.current_run().knows_call_id(id) {
            self.add_call(call, name, args);
        }
    }

    fn arm_call(&mut self, call: &str, name: String, args: String) {
        let is_client = self.agent.is_some();
        let run = self.current_run();
        if run.info.history.is_none() && is_unique_id(call) {
            Arc::make_mut(&mut run.info).history = RunId::parse(call).ok();
        }
        let is_outside = tool::is_outside_tool(&name, &args, is_client);
        if run.pending.len() >= limits::PENDING_CALLS {
            run.pending.pop_front();
        }
        run.pending.push_back(PendingCall {
            call: call.to_owned(),
            tool: name.into(),
            args: args.into(),
            turn: run.turn,
            exit: None,
            is_outside,
        });
    }

    /// Sets the exit code of a pending call, which some clients write apart from its result.
    pub(crate) fn set_exit_code(&mut self, call: &str, code: i64) {
        if let Some((run, at)) = self.locate_pending(call) {
            self.runs[run].pending[at].exit = Some(code);
        }
    }

    /// Returns the first call with this id that waits for its result.
    pub(crate) fn find_pending(&self, call: &str) -> Option<&PendingCall> {
        let (run, at) = self.locate_pending(call)?;
        self.runs[run].pending.get(at)
    }

    /// Sets the exit code of every pending call of the current run that passes the test. A code that says failure stays.
    pub(crate) fn note_exit_codes(&mut self, test: fn(&PendingCall) -> bool, code: i64) {
        let pending = self.current_run().pending.iter_mut();
        for call in pending.filter(|call| test(call)) {
            call.exit = call.exit.filter(|before| *before != 0).or(Some(code));
        }
    }

    /// Gives a pending call another id; returns whether there is such a call.
    pub(crate) fn rename_pending(&mut self, call: &str, id: &str) -> bool {
        let place = self.locate_pending(call);
        if let Some((run, at)) = place {
            self.runs[run].pending[at].call = prefix_within(id, limits::NAME_CHARS).to_owned();
        }
        place.is_some()
    }

    /// Takes out a pending call of which the format itself makes steps.
    pub(crate) fn take_pending(&mut self, call: &str) -> Option<PendingCall> {
        let (run, at) = self.locate_pending(call)?;
        self.current = run;
        let pending = self.runs[run].pending.remove(at)?;
        self.remember_call(&pending);
        Some(pending)
    }

    fn locate_pending(&self, call: &str) -> Option<(usize, usize)> {
        let call = prefix_within(call, limits::NAME_CHARS);
        let within = |run: &OpenRun| run.pending.iter().position(|p| p.call == call);
        let here = self.runs.get(self.current).and_then(within);
        let mut runs = self.runs.iter().enumerate();
        let mut anywhere = || runs.find_map(|(index, run)| Some((index, within(run)?)));
        here.map(|at| (self.current, at)).or_else(&mut anywhere)
    }

    /// Finishes a call. A result that stands before its call waits for it; one of a call that has its result is a copy.
    pub(crate) fn add_result(&mut self, call: &str, outcome: ReportedOutcome<'_>) {
        let call = prefix_within(call, limits::NAME_CHARS);
        if let Some((run, at)) = self.locate_pending(call) {
            return self.finish_call(run, at, outcome);
        }
        if call.is_empty() || self.current_run().has_settled(call) {
            return;
        }
        if self.early.len() >= limits::EARLY_RESULTS {
            self.early.pop_front();
        }
        let run = self.current_run().info.id.clone();
        let result = (run, call.to_owned(), outcome.into_owned());
        self.early.push_back(result);
    }

    /// Finishes the call that was added last, if its result stood before it.
    fn add_early_result(&mut self, call: &str) {
        let run = self.current_run().info.id.clone();
        let is_its = |(of, id, _): &EarlyResult| *of == run && id == call;
        let place = self.early.iter().position(is_its);
        if let Some((_, _, outcome)) = place.and_then(|at| self.early.remove(at)) {
            let last = self.current_run().pending.len() - 1;
            self.finish_call(self.current, last, outcome);
        }
    }

    /// Finishes the oldest pending call, for formats without call ids.
    pub(crate) fn add_oldest_result(&mut self, outcome: ReportedOutcome<'_>) {
        let run = self.runs.get(self.current);
        if run.is_some_and(|run| !run.pending.is_empty()) {
            self.finish_call(self.current, 0, outcome);
        }
    }

    /// Adds a call together with its result.
    pub(crate) fn add_finished_call(
        &mut self,
        name: &str,
        args: String,
        outcome: ReportedOutcome<'_>,
    ) {
        self.add_call("", name, args);
        let last = self.current_run().pending.len() - 1;
        self.finish_call(self.current, last, outcome);
    }

    fn finish_call(&mut self, run: usize, at: usize, outcome: ReportedOutcome<'_>) {
        let Some(pending) = self.runs[run].pending.remove(at) else {
            return;
        };
        let before = std::mem::replace(&mut self.current, run);
        self.remember_call(&pending);
        match outcome {
            ReportedOutcome::Rejected(None) => {}
            ReportedOutcome::Rejected(Some(reason)) => {
                // What the person answers is a deed, though it was not done.
                let text = format!("{} {}", pending.tool.expose(), pending.args.expose());
                self.add_agent_message(&text);
                self.add_user_words(&reason);
            }
            ReportedOutcome::Ok(printed) => {
                let answers = find_answers(pending.tool.expose(), pending.args.expose(), &printed);
                let words = self.follow_call(&pending, &printed);
                let status = printed.passed_status(pending.tool.expose(), pending.args.expose());
                self.emit_call(pending, status, words, true);
                for answer in answers {
                    self.add_user_words(&answer);
                }
            }
            ReportedOutcome::Failed(head, printed) => {
                let words = self.follow_call(&pending, &printed);
                self.emit_call(pending, CallStatus::Error(head.into()), words, true);
            }
            ReportedOutcome::NotRun(head) => {
                let output = ReportedOutput::Text(head.as_str().into());
                let words = self.follow_call(&pending, &output);
                self.emit_call(pending, CallStatus::Error(head.into()), words, false);
            }
        }
        self.current = before;
    }

    /// Follows content from outside through a call that ended; returns the words of its output that are from there.
    fn follow_call(
        &mut self,
        pending: &PendingCall,
        printed: &ReportedOutput<'_>,
    ) -> Option<OutsideWords> {
        // Of most calls the output is never looked at.
        let (tool, args) = (pending.tool.expose(), pending.args.expose());
        let may_matter =
            pending.is_outside || !self.lineage.is_empty() || outside::searches_files(tool, args);
        let output = match printed {
            ReportedOutput::Nothing => None,
            ReportedOutput::Json(json) if has_picture(json) => None,
            known => may_matter.then(|| known.clone().into_text()),
        };
        let call = FollowedCall {
            tool,
            args,
            is_outside: pending.is_outside,
            output: output.as_deref(),
        };
        let is_read = self.lineage.follow_call(&call);
        let is_passed_on = !is_read && outside::is_delegating_call(tool, args);
        let words = match (is_read, is_passed_on) {
            (true, _) => printed.clone().outside_words(),
            (false, true) => self.find_delegated(printed.clone().outside_words()),
            (false, false) => OutsideWords::from_text(&self.lineage.find_outside_lines(&call)),
        };
        if self.current_run().delegated {
            let others = self.delegated_words.get_or_insert_default();
            others.extend(&words);
        }
        Some(words).filter(|words| !words.is_empty())
    }

    /// Returns the words of a sub-agent's last message that are from outside: any may be, where its run is not known.
    fn find_delegated(&self, said: OutsideWords) -> OutsideWords {
        match &self.delegated_words {
            Some(known) => said.shared_with(known),
            None => said,
        }
    }

    fn remember_call(&mut self, pending: &PendingCall) {
        if !pending.call.is_empty() {
            let print = fingerprint(0, &pending.call);
            self.current_run().remember_fingerprint(print);
        }
    }

    fn emit_call(
        &mut self,
        pending: PendingCall,
        status: CallStatus<RawText>,
        outside: Option<OutsideWords>,
        ran: bool,
    ) {
        self.begin_run();
        let run = self.current_run();
        run.last_call_failed = matches!(status, CallStatus::Error(_));
        run.last_message = None;
        run.interrupted = false;
        let call = ToolCall {
            turn: pending.turn,
            tool: pending.tool,
            args: pending.args,
            status,
            outside,
        };
        self.push_event(RunEvent::Tool(call), ran);
    }

    /// Sets how the run ended, as it states itself.
    pub(crate) fn set_end(&mut self, status: RunStatus, score: Option<f64>) {
        self.current_run().end = Some((status, score.filter(|score| score.is_finite())));
    }

    /// Ends the current run: nothing of it follows.
    pub(crate) fn close_run(&mut self) {
        if self.current >= self.runs.len() {
            return;
        }
        self.emit_end();
        self.runs.swap_remove(self.current);
        self.current = 0;
    }

    /// Emits the end of each run at the end of the file; the runs stay open, so that a file that grows can be read on.
    pub(crate) fn end_all_runs(&mut self) {
        for at in 0..self.runs.len() {
            self.current = at;
            self.emit_end();
        }
    }

    fn emit_end(&mut self) {
        if !self.current_run().begun {
            return;
        }
        let (status, score) = self.current_run().end_status();
        self.emit_event(RunEvent::End { status, score });
    }

    /// Emits the start of the current run, unless that was done.
    pub(crate) fn begin_run(&mut self) {
        let run = self.current_run();
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
        self.emit_event(event);
    }

    /// Adds one event of the current run to the queue.
    pub(crate) fn emit_event(&mut self, event: RawEvent) {
        self.push_event(event, true);
    }

    fn push_event(&mut self, event: RawEvent, ran: bool) {
        let run = self.current_run().info.clone();
        self.events.push_back(TranscriptEvent {
            run,
            event,
            was_run: ran,
        });
    }
}

/// The seed of the fingerprints of queued messages.
const QUEUED: u64 = 4;

fn bound_text(text: &str) -> RawText {
    shorten(text.trim(), limits::INTAKE_BYTES).into()
}
