//! The bounded record of a run, built from its events.
//!
//! A [`Trace`] contains the calls and the person's messages, in order, the runtime's own signals, and how the run
//! ended. It grows with the run only up to its limits: old steps that are settled (they worked, or what failed worked
//! later) are dropped first, so that an old failure still open is not lost. It decides nothing;
//! `loops` of the engine and [`capture`](crate::capture) read it.

pub mod call;
pub mod effect;
pub mod failure;
pub mod family;
pub mod normalize;
pub mod package;
pub mod client_refusal;
mod refused;
mod sent;
mod stored;

use std::{collections::HashSet, mem};

use serde::{Deserialize, Serialize};

pub use refused::clear_unread;
pub use stored::{BadTrace, signal_from_json, signal_to_json};

use crate::{
    CallStatus, CleanEvent, CleanText, MessageRole, OutsideWords, Scope, Signal, ToolCall,
    event::RunStatus, id::RunId, limits, text::quoted::strip_quoted,
};

/// What an agent had done when a person wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AgentTurn {
    /// Nothing yet.
    None,
    /// It had called a tool, or said something.
    Act,
    /// It had asked something.
    Question,
}

/// What happened in one step of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StepKind {
    /// A tool was called.
    Call(ToolCall<CleanText>),
    /// The person wrote a message.
    #[serde(rename = "user")]
    UserMessage {
        /// The text of the message.
        text: CleanText,
        /// What the agent had done before it.
        after: AgentTurn,
    },
}

impl AgentTurn {
    fn from_message(text: &str) -> Self {
        let end = text.trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '?' | '？'));
        if end.ends_with(['?', '？']) {
            Self::Question
        } else {
            Self::Act
        }
    }
}

/// One step of a run that was kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceStep {
    /// Its position among all steps of the run, from 0; a gap shows that steps between were dropped.
    #[serde(rename = "at")]
    pub position: u32,
    /// What happened.
    #[serde(rename = "was")]
    pub kind: StepKind,
}

impl TraceStep {
    /// Returns the call, if it is one.
    pub fn call(&self) -> Option<&ToolCall<CleanText>> {
        match &self.kind {
            StepKind::Call(call) => Some(call),
            StepKind::UserMessage { .. } => None,
        }
    }
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RunEnd {
    /// Whether it was completed, failed or was aborted.
    pub status: RunStatus,
    /// The score of the run, 0 to 1, if there is one.
    pub score: Option<f64>,
}

/// The bounded record of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    run: RunId,
    scope: Scope,
    task: Option<CleanText>,
    steps: Vec<TraceStep>,
    signals: Vec<Signal<CleanText>>,
    end: Option<RunEnd>,
    /// How many steps were seen, kept or not.
    steps_seen: u32,
    /// How many calls were seen, kept or not.
    call_count: u32,
    /// What the agent has done last.
    agent_turn: AgentTurn,
    /// Bytes of text in the kept steps.
    kept_bytes: usize,
    /// The words that were read from outside, except those that the run had used before.
    outside: OutsideWords,
}

impl Trace {
    /// Starts the trace of a run.
    pub fn new(run: RunId, scope: Scope) -> Self {
        Self {
            run,
            scope,
            task: None,
            steps: Vec::new(),
            signals: Vec::new(),
            end: None,
            steps_seen: 0,
            call_count: 0,
            agent_turn: AgentTurn::None,
            kept_bytes: 0,
            outside: OutsideWords::default(),
        }
    }

    /// Returns whether anything that the agent said or did was reported, and not the end alone.
    pub fn was_seen(&self) -> bool {
        !self.steps.is_empty() || self.agent_turn != AgentTurn::None
    }

    /// Adds the next event of the run.
    ///
    /// An event after the end means that the run was resumed.
    pub fn push(&mut self, event: CleanEvent) {
        match event {
            CleanEvent::Run {
                run: _,
                agent,
                project,
                task,
            } => {
                self.scope.agent = agent.unwrap_or_else(|| self.scope.agent.clone());
                self.scope.project = project.or_else(|| self.scope.project.take());
                self.task = task.or_else(|| self.task.take());
            }
            CleanEvent::Tool(mut call) => {
                self.call_count = self.call_count.saturating_add(1);
                self.agent_turn = AgentTurn::Act;
                clear_unread(&mut call);
                let read = call.outside.as_mut().map(mem::take);
                self.keep_step(StepKind::Call(call));
                if let Some(words) = read {
                    self.add_outside_words(words);
                }
            }
            CleanEvent::Message {
                role: MessageRole::Assistant,
                text,
            } => self.agent_turn = AgentTurn::from_message(text.as_str()),
            CleanEvent::Message {
                role: MessageRole::User,
                text,
            } => {
                let after = self.agent_turn;
                self.keep_step(StepKind::UserMessage { text, after });
            }
            CleanEvent::Signal(signal) => self.keep_signal(signal),
            CleanEvent::End { status, score } => self.end = Some(RunEnd { status, score }),
        }
    }

    /// Returns the id of the run.
    pub fn run(&self) -> &RunId {
        &self.run
    }

    /// Returns the scope that lessons of this run would belong to.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Returns the task of the run, if the trace states it.
    pub fn task(&self) -> Option<&CleanText> {
        self.task.as_ref()
    }

    /// Returns the person's latest request before a position of the run, else the run's task. A request is a message
    /// long enough to be a task, for "go on" refers to the one before.
    pub fn task_before(&self, place: u32) -> Option<&CleanText> {
        let before = self.steps.iter().rev().filter(|step| step.position < place);
        let messages = before.filter_map(|step| match &step.kind {
            StepKind::UserMessage { text, .. } => Some(text),
            StepKind::Call(_) => None,
        });
        let mut telling =
            messages.filter(|text| text.as_str().trim().len() >= limits::TASK_BYTES_MIN);
        telling.next().or(self.task())
    }

    /// Returns the kept steps in order.
    pub fn steps(&self) -> &[TraceStep] {
        &self.steps
    }

    /// Returns the runtime's own signals in order.
    pub fn signals(&self) -> &[Signal<CleanText>] {
        &self.signals
    }

    /// Returns how the run ended; `None` while it continues.
    pub fn end(&self) -> Option<RunEnd> {
        self.end
    }

    /// Returns whether the run read content from outside, as far as its kept steps and words tell.
    pub fn has_read_outside(&self) -> bool {
        let is_read =
            |step: &TraceStep| matches!(&step.kind, StepKind::Call(it) if it.outside.is_some());
        !self.outside.is_empty() || self.steps.iter().any(is_read)
    }

    /// Returns the words that were read from outside, except those that the run had used before.
    pub fn outside_words(&self) -> &OutsideWords {
        &self.outside
    }

    /// Restores the words from outside that an earlier process stored.
    pub fn set_outside_words(&mut self, words: OutsideWords) {
        self.outside = words;
    }

    /// Adds words that were read from outside in other runs of the session, or in files that it wrote before.
    pub fn extend_outside_words(&mut self, words: &OutsideWords) {
        self.outside.extend(words);
    }

    /// Returns how many calls the run made, kept or not.
    pub fn call_count(&self) -> u32 {
        self.call_count
    }

    fn keep_step(&mut self, what: StepKind) {
        self.end = None;
        self.kept_bytes += count_text_bytes(&what);
        self.steps.push(TraceStep {
            position: self.steps_seen,
            kind: what,
        });
        self.steps_seen = self.steps_seen.saturating_add(1);
        if self.exceeds_limits() {
            self.drop_old_steps();
        }
    }

    /// Adds the words of outside content that was just read.
    fn add_outside_words(&mut self, words: OutsideWords) {
        let words = self.without_own_words(words);
        self.outside.extend(&words);
    }

    /// Returns words from outside without those that the agent or the person had used before, which are their own.
    /// Using them later clears nothing.
    pub fn without_own_words(&self, mut words: OutsideWords) -> OutsideWords {
        self.task
            .iter()
            .for_each(|task| words.remove_text(&strip_quoted(task.as_str())));
        for step in &self.steps {
            match &step.kind {
                // What a person passes on is not theirs.
                StepKind::UserMessage { text, .. } => {
                    words.remove_text(&strip_quoted(text.as_str()));
                }
                StepKind::Call(call) => {
                    words.remove_text(call.args.as_str());
                    let own = call.outside.is_none();
                    let errors = call.status.errors().filter(|_| own);
                    errors.for_each(|error| words.remove_text(error.as_str()));
                }
            }
        }
        words
    }

    /// Returns the words that people quote in the run's prompts, except those that they say themselves and those of its own
    /// failures: what was called and what it printed.
    pub fn quoted_words(&self) -> OutsideWords {
        let messages = self.steps.iter().filter_map(|step| match &step.kind {
            StepKind::UserMessage { text, .. } => Some(text),
            StepKind::Call(_) => None,
        });
        let texts = self.task.iter().chain(messages).map(CleanText::as_str);
        let texts: Vec<_> = texts.map(|text| (text, strip_quoted(text))).collect();
        let mut words = OutsideWords::default();
        for (text, _) in texts.iter().filter(|(text, own)| own != text) {
            words.extend(&OutsideWords::from_text(text));
        }
        texts.iter().for_each(|(_, own)| words.remove_text(own));
        for step in &self.steps {
            if let StepKind::Call(call) = &step.kind
                && call.outside.is_none()
                && call.status.errors().next().is_some()
            {
                words.remove_text(call.args.as_str());
                let errors = call.status.errors();
                errors.for_each(|error| words.remove_text(error.as_str()));
            }
        }
        words
    }

    fn keep_signal(&mut self, mut signal: Signal<CleanText>) {
        if let Signal::Review { fixed, flagged } = &mut signal {
            fixed.truncate(limits::REVIEW_POINTS);
            flagged.truncate(limits::REVIEW_POINTS);
        }
        if self.signals.len() == limits::TRACE_SIGNALS {
            self.signals.remove(0);
        }
        self.signals.push(signal);
    }

    fn exceeds_limits(&self) -> bool {
        self.steps.len() > limits::TRACE_STEPS || self.kept_bytes > limits::TRACE_BYTES
    }

    /// Drops steps until a quarter of the room is free again, so that dropping stays rare: the oldest settled ones
    /// first, then, if open failures alone are too many, the oldest of those.
    fn drop_old_steps(&mut self) {
        let positions = self.settled_positions();
        let mut steps_over = self.steps.len().saturating_sub(limits::TRACE_STEPS * 3 / 4);
        let mut bytes_over = self.kept_bytes.saturating_sub(limits::TRACE_BYTES * 3 / 4);
        for wanted in [true, false] {
            let mut freed_bytes = 0;
            self.steps.retain(|step| {
                let goes = (steps_over > 0 || bytes_over > 0)
                    && (!wanted || positions.contains(&step.position));
                if goes {
                    steps_over = steps_over.saturating_sub(1);
                    bytes_over = bytes_over.saturating_sub(count_text_bytes(&step.kind));
                    freed_bytes += count_text_bytes(&step.kind);
                }
                !goes
            });
            self.kept_bytes -= freed_bytes;
        }
    }

    /// Returns the positions of the steps that need not be kept: all but failures still open.
    fn settled_positions(&self) -> HashSet<u32> {
        let mut passed_labels = HashSet::new();
        let mut positions = HashSet::new();
        for step in self.steps.iter().rev() {
            let is_open = match &step.kind {
                StepKind::UserMessage { .. } => false,
                StepKind::Call(call) => {
                    let label = call::parse_call(call).label();
                    match call.status {
                        CallStatus::Ok => {
                            passed_labels.insert(label);
                            false
                        }
                        CallStatus::PartlyFailed(_)
                        | CallStatus::Doubtful(_)
                        | CallStatus::Error(_) => !passed_labels.contains(&label),
                    }
                }
            };
            if !is_open {
                positions.insert(step.position);
            }
        }
        positions
    }
}

fn count_text_bytes(what: &StepKind) -> usize {
    match what {
        StepKind::UserMessage { text, .. } => text.as_str().len(),
        StepKind::Call(call) => {
            let errors = call.status.errors().map(|error| error.as_str().len());
            call.tool.as_str().len() + call.args.as_str().len() + errors.sum::<usize>()
        }
    }
}

#[cfg(test)]
mod tests;
