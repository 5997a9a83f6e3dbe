//! The state of one session, and what each event in it calls for.
//!
//! An [`AgentSession`] is replayed from the end of its memory, takes events in, and hands out the lines to append. It
//! decides what is looked up and, with the result, what is replied; it opens no file and no store. A duplicate event
//! counts once: see [`duplicates`](super::duplicates).

mod outside;

use std::mem;

use hardwon_core::{
    CallActs, CallFailure, CallStatus, CleanEvent as TraceEvent, CleanText, FailureKey, LessonId,
    MessageRole, OutsideWords, RawEvent, RawText, Requester, RunId, RunStatus, Scope, SpottedWrit,
    ToolCall, Trace, TraceStep, TurnQuestion, Writ,
    event::{scrub_call, scrub_event},
    limits, text,
    trace::{self, call},
    writ,
};
use hardwon_store::Moment;
use jiff::Timestamp;

use self::outside::KnownOutside;
use super::{
    AttendOutcome, Lookup, ReplyChannel, SessionEvent, SessionEventKind, SessionStartKind,
    duplicates::{self, RecentEvents, StoredEventKind},
    memory_line::{
        MemoryEntry, MemoryLine, QuestionState, STATE_BEGINS, SessionState, StoredEvent,
        StoredEventKey,
    },
    reply,
    reported::ReportedEvent,
    step::{LookupKind, SessionStep, WritAnswer, WritWriter},
};
use crate::loops::{self, LoopedCall};

/// The state of one session.
#[derive(Debug)]
pub struct AgentSession {
    trace: Trace,
    /// What is known of the agent; not part of the memory, because each event's caller supplies it.
    requester: Requester,
    /// The folder that it works in, from the root of its repository; not part of the memory either.
    folder: String,
    recent_events: RecentEvents,
    state: SessionState,
    /// Lines that are not appended to the memory yet.
    unwritten: String,
    /// Bytes of memory since the last state line.
    bytes_since_state: usize,
    /// The words read from outside since they were last taken, if any were.
    new_outside_words: Option<OutsideWords>,
    /// What is known of content from outside beside the run's own words.
    known: KnownOutside,
    /// Whether the words that were read are known here, so that what is written can be compared with them.
    has_words: bool,
}

impl AgentSession {
    /// Starts a session without a memory.
    pub fn new(run: RunId, scope: Scope) -> Self {
        Self {
            trace: Trace::new(run, scope),
            requester: Requester::default(),
            folder: String::new(),
            recent_events: RecentEvents::default(),
            state: SessionState::default(),
            unwritten: String::new(),
            bytes_since_state: 0,
            new_outside_words: None,
            known: KnownOutside::default(),
            has_words: true,
        }
    }

    /// Sets what is known of the agent.
    #[must_use]
    pub fn with_requester(self, asker: Requester) -> Self {
        Self {
            requester: asker,
            ..self
        }
    }

    /// Sets the folder that the session works in, from the root of its repository.
    #[must_use]
    pub fn with_folder(self, folder: String) -> Self {
        Self { folder, ..self }
    }

    /// Returns the folder that the session works in, from the root of its repository; empty if that is not known.
    pub(super) fn folder(&self) -> &str {
        &self.folder
    }

    /// Returns what is known of the agent.
    pub(super) fn requester(&self) -> &Requester {
        &self.requester
    }

    /// Restores a session from a memory, or from the end of one: whole lines, or a first line cut off.
    pub fn replay(run: RunId, scope: Scope, memory: &[u8]) -> Self {
        let mut session = Self::new(run, scope);
        for line in memory.split_inclusive(|byte| *byte == b'\n') {
            session.bytes_since_state += line.len();
            if let Some(line) = MemoryLine::parse(line.trim_ascii()) {
                session.apply_line(line);
            }
        }
        session.new_outside_words = None;
        if session.state.has_read_outside {
            // Its words are not in a memory: see `set_outside_words`.
            session.trace.set_outside_words(OutsideWords::unknown());
        }
        session.has_words = false;
        session
    }

    /// Returns whether the end of a memory is enough to restore a session: it has a state line.
    pub fn has_state_line(memory: &[u8]) -> bool {
        let mut lines = memory.split(|byte| *byte == b'\n').rev();
        lines.any(|line| line.starts_with(STATE_BEGINS) && MemoryLine::parse(line).is_some())
    }

    /// Takes the lines to append to the memory, all of them complete.
    pub fn take_unwritten(&mut self) -> String {
        mem::take(&mut self.unwritten)
    }

    /// Adds an event that only a runtime with a trace of its own reports: its run's task, messages, signals, or end. It
    /// gets no reply.
    pub fn record_event(&mut self, event: RawEvent, now: Timestamp) {
        let event = scrub_event(event);
        let Some(reported) = ReportedEvent::from_event(&event) else {
            return self.trace.push(event);
        };
        if let TraceEvent::Run { .. } = event {
            self.trace.push(event);
        }
        self.append_entry(MemoryEntry::Reported(reported), now);
        self.append_state_if_due(now);
    }

    /// Returns the trace of the run so far.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Returns the trace of the run so far, ended as a transcript that does not say how it ended.
    pub fn into_trace(mut self) -> Trace {
        let last_call = self.trace.steps().iter().rev().find_map(TraceStep::call);
        let status = match last_call.map(|call| &call.status) {
            Some(CallStatus::Error(_)) => RunStatus::Failed,
            _ => RunStatus::Completed,
        };
        let score = None;
        self.trace.push(TraceEvent::End { status, score });
        self.trace
    }

    /// Takes the task with which the next sub-agent begins: the first that none took yet. Clients do not say which call
    /// started which.
    pub fn take_delegated_task(&mut self, now: Timestamp) -> Option<CleanText> {
        let task = self.state.delegated.first().cloned()?;
        self.append_entry(MemoryEntry::SubagentBegan, now);
        Some(task)
    }

    /// Applies an event, and returns what it calls for: nothing if it is a duplicate.
    pub fn take_event(&mut self, event: &SessionEvent, now: Timestamp) -> SessionStep {
        let now_ms = now.as_millisecond();
        let Some((key, mut kept)) = duplicates::store_event(event) else {
            return SessionStep::default();
        };
        let kind = StoredEventKind::from_event(&kept);
        let is_double =
            (self.recent_events).contains_duplicate(kind, &key, now_ms, self.state.announces_calls);
        if is_double && !self.is_question_answer(event) {
            return SessionStep::default();
        }
        let said_before = match kind {
            StoredEventKind::Prompted => self.state.last_prompt_hash == Some(key.content),
            StoredEventKind::Stopped => self.state.last_message_hash == Some(key.content),
            _ => false,
        };
        let is_call = matches!(kept, StoredEvent::BeforeCall(None));
        if is_call && event.may_hold && event.reply_channel == ReplyChannel::None {
            // Such a call is not announced: what is said of it comes with its result.
            return self.plan_step(event, &kept, false);
        }
        if let StoredEvent::AfterCall(call) = &mut kept {
            self.follow_call(call, &event.kind);
        }
        if let SessionEventKind::Prompted(text) = &event.kind {
            // What a program wrote is nobody's own.
            let quoted = event
                .is_unattended
                .then(|| text::quoted::quote_text(text.expose()));
            self.follow_prompt(quoted.as_deref().unwrap_or(text.expose()));
        }
        let mut step = self.plan_step(event, &kept, said_before);
        step.at_ms = now_ms;
        self.append_line(MemoryLine {
            at_ms: now_ms,
            in_subagent: event.in_subagent,
            entry: MemoryEntry::Event(key, kept),
        });
        SessionStep {
            detected_loop: self.detected_loop(&step),
            ..step
        }
    }

    /// Decides what an event calls for. A message that was seen before is not answered again.
    fn plan_step(
        &self,
        event: &SessionEvent,
        kept: &StoredEvent,
        said_before: bool,
    ) -> SessionStep {
        let mut step = SessionStep {
            reply_channel: event.reply_channel,
            ..SessionStep::default()
        };
        let hears_context = event.reply_channel == ReplyChannel::Context;
        let look = |look: LookupKind| hears_context.then_some(look);
        match (&event.kind, kept) {
            // A sub-agent begins with its task, which is a prompt.
            (SessionEventKind::Started(how), _)
                if *how != SessionStartKind::Resumed && !event.in_subagent =>
            {
                step.lookup = look(LookupKind::SessionStart(*how));
            }
            (SessionEventKind::Prompted(raw), _) if !said_before => {
                let text = hardwon_redact::strip_own_blocks(raw.expose());
                step.lookup = look(LookupKind::Prompt(RawText::from(&*text)));
                if !event.in_subagent {
                    step.writs = writ::parse(&text);
                    step.writer = if event.is_unattended {
                        WritWriter::Program
                    } else {
                        WritWriter::Person
                    };
                }
            }
            (SessionEventKind::BeforeCall { tool, args, .. }, _)
                if hears_context || event.may_hold =>
            {
                let call = ToolCall {
                    turn: 0,
                    tool: tool.clone(),
                    args: args.clone(),
                    status: CallStatus::Ok,
                    outside: None,
                };
                // A line that only sets the scene is named by nothing.
                step.lookup = look_at_call(scrub_call(call));
            }
            (_, StoredEvent::AfterCall(call)) if call.status.has_failure() => {
                step.lookup = look(LookupKind::Failure(call.clone()));
            }
            // Where a client tells of a call only once it is made, or passes nothing on before.
            (_, StoredEvent::AfterCall(call)) if hears_context && !self.state.announces_calls => {
                step.lookup = look_at_call(call.clone());
            }
            (
                SessionEventKind::Stopped {
                    last_message: said,
                    is_continuation: is_asked,
                },
                _,
            ) => {
                step.is_capture_due = true;
                if let QuestionState::AwaitingAnswer(question) = &self.state.question {
                    step.answered_question = Some(question.clone());
                }
                if *is_asked {
                    step.reply_channel = ReplyChannel::None;
                }
                if let Some(said) = said.as_ref().filter(|_| !said_before) {
                    step.writs = writ::parse(&hardwon_redact::strip_own_blocks(said.expose()));
                }
                if step.answered_question.is_none() {
                    (step.question, step.forestalled_question) =
                        self.choose_question(event, &step.writs);
                }
            }
            (SessionEventKind::Compacting | SessionEventKind::Ended, _) => {
                step.is_capture_due = true;
            }
            _ => {}
        }
        step
    }

    /// Returns whether an agent stops again because it was asked. It may well repeat its message.
    fn is_question_answer(&self, event: &SessionEvent) -> bool {
        let goes_on = matches!(
            event.kind,
            SessionEventKind::Stopped {
                is_continuation: true,
                ..
            }
        );
        goes_on && matches!(self.state.question, QuestionState::AwaitingAnswer(_))
    }

    /// Returns the question to ask about the ending turn; or else, if a writ names one of the turn's failures, the
    /// question that it answers before it was asked.
    fn choose_question(
        &self,
        event: &SessionEvent,
        writs: &[SpottedWrit],
    ) -> (Option<TurnQuestion>, Option<TurnQuestion>) {
        let lessons = writs.iter().filter_map(|writ| match &writ.writ {
            Ok(Writ::Create { signature, text }) => Some((signature.expose(), text.expose())),
            _ => None,
        });
        let lessons: Vec<(&str, &str)> = lessons.filter(|_| !event.in_subagent).collect();
        let may_ask = self.may_ask_agent(event);
        if !may_ask && lessons.is_empty() {
            return (None, None);
        }
        let Some(met) = TurnQuestion::from_latest_turn(&self.trace) else {
            return (None, None);
        };
        let is_named =
            |(signature, text): &(&str, &str)| met.failure_named_by(signature, text).is_some();
        if lessons.iter().any(is_named) {
            (None, Some(met))
        } else {
            (Some(met).filter(|_| may_ask), None)
        }
    }

    /// Returns whether the agent may be asked: once a session, never while it continues because a hook asked it to, and
    /// only where the client passes the question on.
    fn may_ask_agent(&self, event: &SessionEvent) -> bool {
        let ends = match &event.kind {
            SessionEventKind::Stopped {
                last_message: said,
                is_continuation: is_asked,
            } => said.is_some() && !is_asked,
            _ => false,
        };
        let hears = event.reply_channel == ReplyChannel::Continue && !event.in_subagent;
        hears && event.may_ask_agent && ends && matches!(self.state.question, QuestionState::Never)
    }

    /// Returns the agent's task: a person's last request.
    pub(super) fn task(&self) -> Option<&CleanText> {
        self.trace.task_before(u32::MAX)
    }

    /// Returns how many of the calls that are in its memory had this failure, at the command or at any of its program.
    pub(super) fn count_failures(&self, key: &FailureKey) -> usize {
        let has_it = |called: &&ToolCall<CleanText>| {
            let failures = CallFailure::all_from_call(&call::parse_call(called), &called.status);
            let mut keys = failures
                .iter()
                .map(|failure| (&failure.key, failure.error_key.as_ref()));
            keys.any(|(own, error)| own == key || error == Some(key))
        };
        let steps = self.trace.steps().iter();
        let calls = steps.filter_map(TraceStep::call);
        calls
            .filter(|called| called.status.has_failure() && has_it(called))
            .count()
    }

    /// Returns the loop that the newest failure closed, if it did.
    fn detected_loop(&self, step: &SessionStep) -> Option<LoopedCall> {
        match step.lookup {
            Some(LookupKind::Failure(_)) => loops::detect_loop(&self.trace),
            _ => None,
        }
    }

    /// Returns the session's state.
    #[cfg(test)]
    pub(super) fn stands(&self) -> &SessionState {
        &self.state
    }

    /// Returns the lessons to go on with once the context is compacted, the last one first.
    pub(super) fn summarised_lessons(&self) -> impl Iterator<Item = LessonId> {
        self.state.summarised.iter().rev().copied()
    }

    /// Returns whether a lesson was shown in this turn. The session's start belongs to none.
    pub(super) fn was_shown_in_turn(&self, lesson: LessonId) -> bool {
        let in_turn = self.state.shown.get(self.state.shown_before..);
        let mut showings = in_turn.unwrap_or_default().iter();
        showings.any(|(at, it)| *at != Moment::SessionStart && *it == lesson)
    }

    /// Returns whether a lesson was shown at another moment than the session's start, and is still in the context.
    pub(super) fn was_shown_since_start(&self, lesson: LessonId) -> bool {
        let mut showings = self.state.shown.iter();
        showings.any(|(at, it)| *at != Moment::SessionStart && *it == lesson)
    }

    /// Returns whether a lesson was shown at any moment and is still in the context.
    pub(super) fn was_ever_shown(&self, lesson: LessonId) -> bool {
        self.state.shown.iter().any(|(_, it)| *it == lesson)
    }

    /// Returns the lessons that need not come up at a moment in other words: those that were shown, at a failure in this turn
    /// only, and those that are left out at random.
    pub(super) fn told_at(&self, moment: Moment) -> impl Iterator<Item = LessonId> {
        let from = match moment {
            Moment::Failure => self.state.shown_before,
            _ => 0,
        };
        let shown = self.state.shown.get(from..).unwrap_or_default().iter();
        // Among others at the start it is easily passed over.
        let shown = shown
            .filter(move |showing| moment == Moment::Prompt || showing.0 != Moment::SessionStart);
        let controls = self.state.controls.iter().copied();
        shown.map(|showing| showing.1).chain(controls)
    }

    /// Returns whether any lesson is in its context.
    pub(super) fn has_shown(&self) -> bool {
        !self.state.shown.is_empty()
    }

    /// Returns the lessons that were shown because they are about a call or its failure.
    pub(super) fn shown_at_calls(&self) -> impl Iterator<Item = LessonId> {
        let at_calls = |moment| matches!(moment, Moment::BeforeCall | Moment::Failure);
        let showings = self.state.shown.iter();
        showings
            .filter(move |showing| at_calls(showing.0))
            .map(|showing| showing.1)
    }

    /// Returns whether a lesson is left out at random in this session.
    pub(super) fn is_control(&self, lesson: LessonId) -> bool {
        self.state.controls.contains(&lesson)
    }

    /// Composes the reply, and records it in the memory.
    pub fn compose_reply(
        &mut self,
        step: SessionStep,
        looked: Lookup,
        now: Timestamp,
    ) -> AttendOutcome {
        let reply = reply::compose_reply(&step, &looked, self.state.pending_replies.clone());
        if !looked.shown.is_empty()
            && let Some(look) = &step.lookup
        {
            let entry = MemoryEntry::Shown(look.moment(), looked.shown.clone());
            self.append_entry(entry, now);
        }
        let lessons = list_written_lessons(&looked.answers);
        if !lessons.is_empty() {
            self.append_entry(MemoryEntry::Wrote(lessons), now);
        }
        if !looked.controls.is_empty() {
            self.append_entry(MemoryEntry::HeldOut(looked.controls.clone()), now);
        }
        if reply.pending_replies != self.state.pending_replies {
            self.append_entry(MemoryEntry::PendingReplies(reply.pending_replies), now);
        }
        if let Some(question) = &looked.question {
            self.append_entry(MemoryEntry::Asked(question.clone()), now);
        }
        self.append_state_if_due(now);
        AttendOutcome {
            reply: reply.reply,
            detected_loop: step.detected_loop,
            shown: looked.shown,
            seen_once: looked.seen_once,
            recalls: looked.recalls,
            is_capture_due: step.is_capture_due,
            question: looked.question,
            undone: (looked.answers.iter())
                .filter_map(WritAnswer::to_undone)
                .collect(),
            answer_lessons: step.answered_question.map(|_| {
                let answers = looked.answers.iter();
                answers.filter_map(|answer| answer.lesson).collect()
            }),
        }
    }

    /// Appends the whole state, so that the end of the memory always has it.
    fn append_state_if_due(&mut self, now: Timestamp) {
        if self.bytes_since_state > limits::SESSION_STATE_BYTES {
            self.append_entry(MemoryEntry::SessionState(self.state.clone()), now);
        }
    }

    /// Returns the newest waiting lesson that the person was told of in this session.
    pub fn told_waiting(&self) -> Option<LessonId> {
        self.state.told_waiting
    }

    /// Remembers that the person was told of the lessons that wait, up to this one.
    pub fn note_told_waiting(&mut self, newest: LessonId, now: Timestamp) {
        self.append_entry(MemoryEntry::ToldWaiting(newest), now);
    }

    /// Appends what is no event of a client, and no sub-agent's.
    fn append_entry(&mut self, entry: MemoryEntry, now: Timestamp) {
        self.append_line(MemoryLine {
            at_ms: now.as_millisecond(),
            in_subagent: false,
            entry,
        });
    }

    /// Appends a line to the memory and applies it.
    fn append_line(&mut self, line: MemoryLine) {
        let text = line.render();
        self.bytes_since_state += text.len();
        self.unwritten.push_str(&text);
        self.apply_line(line);
    }

    fn apply_line(&mut self, line: MemoryLine) {
        match line.entry {
            MemoryEntry::Event(key, event) => {
                let kind = StoredEventKind::from_event(&event);
                self.apply_event(line.in_subagent, &key, event);
                self.recent_events.push_event(line.at_ms, kind, key);
            }
            MemoryEntry::Reported(reported) => self.apply_reported(reported),
            MemoryEntry::Shown(moment, lessons) => {
                let showings = lessons.into_iter().map(|id| (moment, id));
                self.state.shown.extend(showings);
                let surplus = drop_oldest(&mut self.state.shown, limits::SHOWN_IN_SESSION);
                self.state.shown_before = self.state.shown_before.saturating_sub(surplus);
            }
            MemoryEntry::HeldOut(lessons) => {
                self.state.controls.extend(lessons);
                drop_oldest(&mut self.state.controls, limits::SHOWN_IN_SESSION);
            }
            MemoryEntry::Wrote(lessons) => self.remember_lessons(lessons.into_iter()),
            MemoryEntry::PendingReplies(owed) => self.state.pending_replies = owed,
            MemoryEntry::SubagentBegan => {
                self.state
                    .delegated
                    .drain(..1.min(self.state.delegated.len()));
            }
            MemoryEntry::Asked(question) => {
                self.state.question = QuestionState::AwaitingAnswer(question);
            }
            MemoryEntry::ToldWaiting(newest) => self.state.told_waiting = Some(newest),
            MemoryEntry::SessionState(state) => {
                self.state = state;
                self.bytes_since_state = 0;
                // Of a long memory only the end is read.
                if let Some(task) = self.state.task.clone() {
                    self.apply_reported(ReportedEvent::Task(task));
                }
            }
        }
    }

    fn apply_reported(&mut self, reported: ReportedEvent) {
        if let ReportedEvent::Task(task) = &reported {
            self.state.task = Some(task.clone());
        }
        let event = reported.into_event(self.trace.run());
        self.trace.push(event);
    }

    fn apply_event(&mut self, in_subagent: bool, key: &StoredEventKey, event: StoredEvent) {
        match event {
            StoredEvent::Started(SessionStartKind::Resumed) => {}
            // Lessons that are no longer in the context may be shown again.
            StoredEvent::Started(start) => {
                self.clear_shown();
                if start != SessionStartKind::Compacted {
                    self.state.summarised.clear();
                }
                self.state.last_prompt_hash = None;
            }
            StoredEvent::Prompted(text) if !in_subagent => {
                self.state.last_prompt_hash = Some(key.content);
                self.state.last_message_hash = None;
                self.state.shown_before = self.state.shown.len();
                self.state.question.close();
                // What no sub-agent took up by then was refused.
                self.state.delegated.clear();
                let role = MessageRole::User;
                self.trace.push(TraceEvent::Message { role, text });
            }
            StoredEvent::BeforeCall(task) => {
                self.state.announces_calls |= task.is_none();
                self.state.delegated.extend(task);
                drop_oldest(&mut self.state.delegated, limits::DELEGATED_TASKS);
            }
            StoredEvent::AfterCall(mut call) => {
                trace::clear_unread(&mut call);
                if let Some(words) = &call.outside {
                    let mut words = self.trace.without_own_words(words.clone());
                    words.remove_text(call.args.as_str());
                    self.new_outside_words
                        .get_or_insert_default()
                        .extend(&words);
                    self.state.has_read_outside = true;
                }
                self.trace.push(TraceEvent::Tool(call));
            }
            StoredEvent::Stopped => {
                self.state.question.close();
                self.state.last_message_hash = Some(key.content);
                let (role, text) = (MessageRole::Assistant, CleanText::default());
                self.trace.push(TraceEvent::Message { role, text });
            }
            // Most clients report compacting before it happens, and nothing after.
            StoredEvent::Compacting => self.clear_shown(),
            StoredEvent::Prompted(_) | StoredEvent::Ended => {}
        }
    }

    /// Forgets what is in the context, and remembers what something brought up there.
    fn clear_shown(&mut self) {
        let showings = mem::take(&mut self.state.shown).into_iter();
        let brought_up = showings.filter(|(at, _)| *at != Moment::SessionStart);
        self.remember_lessons(brought_up.map(|(_, id)| id));
        self.state.shown_before = 0;
    }

    /// Remembers lessons to go on with once the context is compacted.
    fn remember_lessons(&mut self, lessons: impl Iterator<Item = LessonId>) {
        let ids = &mut self.state.summarised;
        for id in lessons {
            ids.retain(|other| *other != id);
            ids.push(id);
        }
        drop_oldest(ids, limits::SUMMARISED_LESSONS);
    }
}

/// Drops the oldest of more than `most`, and returns how many.
fn drop_oldest<T>(list: &mut Vec<T>, most: usize) -> usize {
    let surplus = list.len().saturating_sub(most);
    list.drain(..surplus).count()
}

/// Returns the lessons that writs made.
fn list_written_lessons(answers: &[WritAnswer]) -> Vec<LessonId> {
    let changes = answers.iter().filter(|answer| !answer.is_query);
    changes.filter_map(|answer| answer.lesson).collect()
}

/// Returns the look-up for a call; a line that only sets the scene is named by nothing.
fn look_at_call(call: ToolCall<CleanText>) -> Option<LookupKind> {
    let does_anything = CallActs::from_call(&call::parse_call(&call)).is_anything();
    does_anything.then_some(LookupKind::BeforeCall(call))
}
