//! What is remembered of one session, and what an event in it calls for.
//!
//! A [`Session`] is folded from the end of its memory, takes events in, and hands out the lines to
//! append. It decides what is to be looked up and, once that is there, what is said; it opens no
//! file and no store. An event that comes twice counts once: see [`double`](super::double).

use std::mem;

use hardwon_core::{
    capture::question::TurnQuestion,
    event::{
        CallStatus, CleanEvent as TraceEvent, MessageRole, RawEvent, RunEvent, RunStatus, ToolCall,
        scrub_event,
    },
    id::{LessonId, RunId},
    lesson::LessonContent,
    limits,
    loops::{self, DetectedLoop},
    outside::{FetchedPlaces, OutsideWords},
    rank::Requester,
    redact,
    scope::Scope,
    text::{CleanText, RawText},
    trace::{StepKind, Trace, call, naming},
    writ::{self, SpottedWrit, Writ, WritError},
};
use hardwon_store::Moment;
use jiff::Timestamp;

use super::{
    Attended, Happened, Happening, Hears, Looked, Start,
    double::{self, Kind, Recent},
    line::{Asked, Entry, Event, Key, Line, State},
    look::Answer,
    say,
};

/// What is remembered of one session.
#[derive(Debug)]
pub struct Session {
    trace: Trace,
    /// What is known of the agent; it is in no memory, because whoever tells of it tells each time.
    asker: Requester,
    recent: Recent,
    state: State,
    /// Lines that are not written down yet.
    fresh: String,
    /// Bytes of memory since it last told its state.
    untold: usize,
    /// The words of what was read from outside since it was handed out last, if anything was.
    read_outside: Option<OutsideWords>,
}

/// What an event calls for.
#[derive(Debug, Default)]
pub struct Turn {
    pub(super) look: Option<Look>,
    pub(super) looped: Option<DetectedLoop>,
    pub(super) writs: Vec<SpottedWrit>,
    pub(super) hears: Hears,
    pub(super) is_capture_due: bool,
    /// Whether the writs are the words of somebody who had read content from outside.
    pub(super) is_tainted: bool,
    /// What the turn that ends is worth asking about.
    pub(super) question: Option<TurnQuestion>,
    /// The question that the writs answer.
    pub(super) answers: Option<TurnQuestion>,
    /// The question that they answer before anybody asked.
    pub(super) forestalls: Option<TurnQuestion>,
}

/// What is to be looked up.
#[derive(Debug)]
pub(super) enum Look {
    /// The lessons that a session begins with.
    Standing,
    /// Those that a prompt calls for.
    Prompt(RawText),
    /// Those that name a call.
    Call(ToolCall<CleanText>),
    /// Those about the failure of a call.
    Failure(ToolCall<CleanText>),
}

impl Look {
    /// Returns the moment at which what is found is shown.
    pub(super) fn moment(&self) -> Moment {
        match self {
            Self::Standing => Moment::SessionStart,
            Self::Prompt(_) => Moment::Prompt,
            Self::Call(_) => Moment::BeforeCall,
            Self::Failure(_) => Moment::Failure,
        }
    }
}

/// What an event needs of the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Nothing: the store need not be opened.
    Nothing,
    /// Lessons, to read.
    Lessons,
    /// To change lessons.
    Changes,
}

impl Turn {
    /// Returns what the event needs of the store.
    #[must_use]
    pub fn needs(&self) -> Needs {
        match (&self.look, &self.question, self.writs.is_empty()) {
            (_, _, false) => Needs::Changes,
            (Some(_), _, true) | (_, Some(_), true) => Needs::Lessons,
            (None, None, true) => Needs::Nothing,
        }
    }
}

impl Session {
    /// Begins with nothing remembered.
    #[must_use]
    pub fn new(run: RunId, scope: Scope) -> Self {
        Self {
            trace: Trace::new(run, scope),
            asker: Requester::default(),
            recent: Recent::default(),
            state: State::default(),
            fresh: String::new(),
            untold: 0,
            read_outside: None,
        }
    }

    /// Returns the session as one of an agent of which this is known.
    #[must_use]
    pub fn asked_by(self, asker: Requester) -> Self {
        Self { asker, ..self }
    }

    /// Returns what is known of the agent.
    pub(super) fn asker(&self) -> &Requester {
        &self.asker
    }

    /// Goes on from a memory, or from the end of one: whole lines, or a first line cut off.
    #[must_use]
    pub fn read(run: RunId, scope: Scope, memory: &[u8]) -> Self {
        let mut session = Self::new(run, scope);
        for line in memory.split_inclusive(|byte| *byte == b'\n') {
            session.untold += line.len();
            if let Some(line) = Line::read(line.trim_ascii()) {
                session.fold(line);
            }
        }
        session.read_outside = None;
        if session.state.outside {
            // Its words do not stand in a memory: see `know_outside`.
            session.trace.set_outside_words(OutsideWords::unknown());
        }
        session
    }

    /// Returns whether the end of a memory is enough to go on from: the state is told in it.
    #[must_use]
    pub fn tells_state(memory: &[u8]) -> bool {
        let mut lines = memory.split(|byte| *byte == b'\n').rev();
        lines.any(|line| line.starts_with(br#"{"k":"state""#) && Line::read(line).is_some())
    }

    /// Hands out the lines to append to the memory, whole ones.
    #[must_use]
    pub fn take_fresh(&mut self) -> String {
        mem::take(&mut self.fresh)
    }

    /// Returns whether it has read something from outside.
    #[must_use]
    pub fn has_read_outside(&self) -> bool {
        self.state.outside
    }

    /// Takes up the words of what was read from outside before; they are not part of a memory.
    pub fn know_outside(&mut self, words: OutsideWords) {
        self.trace.set_outside_words(words);
    }

    /// Returns whether a writ may say what was read from outside. Whether a lesson helped has no words by
    /// which to tell.
    pub(super) fn may_be_from_outside(&self, writ: &Result<Writ, WritError>) -> bool {
        let words = self.trace.outside_words();
        match writ {
            Ok(Writ::Create { signature, text }) => {
                let content = LessonContent::new(signature.clone(), text.clone());
                words.has_unknown() || words.are_in_lesson(&content)
            }
            _ => true,
        }
    }

    /// Hands out the words of what was read from outside since, to be kept; none if nothing was.
    #[must_use]
    pub fn take_outside(&mut self) -> Option<OutsideWords> {
        self.read_outside.take()
    }

    /// Takes in what only a runtime tells that writes its own trace: its run's task, what was said,
    /// its signals, how it ended. None of it is kept in the memory or answered.
    pub fn record(&mut self, event: RawEvent) {
        self.trace.push(scrub_event(event));
    }

    /// Returns the run as far as it went.
    #[must_use]
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Returns the run as far as it went, ended as transcripts end that do not say how.
    #[must_use]
    pub fn into_trace(mut self) -> Trace {
        let failed = self
            .trace
            .steps()
            .iter()
            .rev()
            .find_map(|step| match &step.kind {
                StepKind::Call(call) => Some(matches!(call.status, CallStatus::Error(_))),
                StepKind::UserMessage { .. } => None,
            });
        let status = match failed {
            Some(true) => RunStatus::Failed,
            Some(false) | None => RunStatus::Completed,
        };
        let score = None;
        self.trace.push(TraceEvent::End { status, score });
        self.trace
    }

    /// Takes an event in, and returns what it calls for: nothing, when it came before.
    pub fn take(&mut self, event: &Happening, now: Timestamp) -> Turn {
        let now_ms = now.as_millisecond();
        let Some((kind, key, mut kept)) = double::kept(event) else {
            return Turn::default();
        };
        let is_double = (self.recent).holds(kind, &key, now_ms, self.state.announces);
        if is_double && !self.is_answer(event) {
            return Turn::default();
        }
        let said_before = match kind {
            Kind::Prompted => self.state.prompt == Some(key.content),
            Kind::Stopped => self.state.words == Some(key.content),
            _ => false,
        };
        let in_subagent = event.in_subagent;
        if let (Event::Called(call), Happened::Called { printed, .. }) = (&mut kept, &event.what)
            && call.outside.is_none()
            && self.places().are_read_by(call.args.as_str())
        {
            call.outside = Some(Happened::words_of(printed.as_ref()));
        }
        let turn = self.turn(event, &kept, said_before);
        let entry = Entry::Event(key, kept);
        self.add(Line {
            at_ms: now_ms,
            in_subagent,
            entry,
        });
        Turn {
            looped: self.looped(&turn),
            ..turn
        }
    }

    /// Returns where the run put what it fetched.
    fn places(&self) -> FetchedPlaces {
        let mut places = FetchedPlaces::default();
        for step in self.trace.steps() {
            if let StepKind::Call(call) = &step.kind {
                places.record_call(call.tool.as_str(), call.args.as_str());
            }
        }
        places
    }

    /// Decides what an event calls for. What was said before is not answered again.
    fn turn(&self, event: &Happening, kept: &Event, said_before: bool) -> Turn {
        let mut turn = Turn {
            hears: event.hears,
            ..Turn::default()
        };
        let hears_context = event.hears == Hears::Context;
        let look = |look: Look| hears_context.then_some(look);
        match (&event.what, kept) {
            (Happened::Started(Start::Fresh | Start::Cleared), _) => {
                turn.look = look(Look::Standing);
            }
            (Happened::Prompted(raw), _) if !said_before => {
                let text = redact::strip_own_blocks(raw.expose());
                turn.look = look(Look::Prompt(RawText::from(&*text)));
                if !event.in_subagent {
                    turn.writs = writ::parse(&text);
                }
            }
            (Happened::Calling { tool, args, .. }, _) if hears_context => {
                let call = ToolCall {
                    turn: 0,
                    tool: tool.clone(),
                    args: args.clone(),
                    status: CallStatus::Ok,
                    outside: None,
                };
                // A line that only sets the scene is named by nothing.
                if let RunEvent::Tool(call) = scrub_event(RunEvent::Tool(call))
                    && !naming::search_words(&call::parse_call(&call)).is_empty()
                {
                    turn.look = Some(Look::Call(call));
                }
            }
            (_, Event::Called(call)) if call.status.has_failure() => {
                turn.look = look(Look::Failure(call.clone()));
            }
            (Happened::Stopped { said, is_asked }, _) => {
                turn.is_capture_due = true;
                if let Asked::Waiting(question) = &self.state.asked {
                    turn.answers = Some(question.clone());
                }
                if *is_asked {
                    turn.hears = Hears::Nothing;
                }
                if let Some(said) = said.as_ref().filter(|_| !said_before) {
                    turn.writs = writ::parse(&redact::strip_own_blocks(said.expose()));
                    turn.is_tainted = self.state.outside;
                }
                if turn.answers.is_none() {
                    (turn.question, turn.forestalls) = self.question(event, &turn.writs);
                }
            }
            (Happened::Compacting | Happened::Ended, _) => turn.is_capture_due = true,
            _ => {}
        }
        turn
    }

    /// Returns whether an agent stops again because it was asked. It may well say the same words.
    fn is_answer(&self, event: &Happening) -> bool {
        let goes_on = matches!(event.what, Happened::Stopped { is_asked: true, .. });
        goes_on && matches!(self.state.asked, Asked::Waiting(_))
    }

    /// Returns what the agent may be asked about the turn that ends, or else what its writs answer before
    /// it was asked: what the turn met, where one of them names it.
    fn question(
        &self,
        event: &Happening,
        writs: &[SpottedWrit],
    ) -> (Option<TurnQuestion>, Option<TurnQuestion>) {
        let created = writs.iter().filter_map(|it| match &it.writ {
            Ok(Writ::Create { signature, text }) => Some((signature.expose(), text.expose())),
            _ => None,
        });
        let created: Vec<(&str, &str)> = created.filter(|_| !event.in_subagent).collect();
        let may_ask = self.may_ask(event);
        if !may_ask && created.is_empty() {
            return (None, None);
        }
        let Some(met) = TurnQuestion::from_latest_turn(&self.trace) else {
            return (None, None);
        };
        let is_named =
            |(signature, text): &(&str, &str)| met.failure_named_by(signature, text).is_some();
        match created.iter().any(is_named) {
            true => (None, Some(met)),
            false => (Some(met).filter(|_| may_ask), None),
        }
    }

    /// Returns whether the agent may be asked: once a session, never while it goes on because a hook
    /// asked it to, and only where its answer will be heard.
    fn may_ask(&self, event: &Happening) -> bool {
        let ends = match &event.what {
            Happened::Stopped { said, is_asked } => said.is_some() && !is_asked,
            _ => false,
        };
        let hears = event.hears == Hears::GoOn && !event.in_subagent;
        hears && event.may_be_asked && ends && matches!(self.state.asked, Asked::Never)
    }

    /// Returns what the agent is to do: what a person last asked for.
    pub(super) fn task(&self) -> Option<&CleanText> {
        self.trace.task_before(u32::MAX)
    }

    /// Returns the loop that a failure just taken in closed.
    fn looped(&self, turn: &Turn) -> Option<DetectedLoop> {
        match turn.look {
            Some(Look::Failure(_)) => loops::detect_loop(&self.trace),
            _ => None,
        }
    }

    /// Returns where the session stands.
    #[cfg(test)]
    pub(super) fn stands(&self) -> &State {
        &self.state
    }

    /// Returns whether a lesson was shown in this turn. A session's start is before the first.
    pub(super) fn was_shown_in_turn(&self, lesson: LessonId) -> bool {
        let in_turn = self.state.shown.get(self.state.shown_before..);
        let mut shown = in_turn.unwrap_or_default().iter();
        shown.any(|(at, it)| *at != Moment::SessionStart && *it == lesson)
    }

    /// Returns whether a lesson was shown at any moment and is still in the context.
    pub(super) fn was_ever_shown(&self, lesson: LessonId) -> bool {
        self.state.shown.iter().any(|(_, it)| *it == lesson)
    }

    /// Returns the lessons that were shown because they are about a call or its failure.
    pub(super) fn shown_at_calls(&self) -> impl Iterator<Item = LessonId> {
        let at_calls = |moment| matches!(moment, Moment::BeforeCall | Moment::Failure);
        let shown = self.state.shown.iter();
        shown.filter(move |it| at_calls(it.0)).map(|it| it.1)
    }

    /// Returns whether chance holds a lesson back in this session.
    pub(super) fn is_held(&self, lesson: LessonId) -> bool {
        self.state.held.contains(&lesson)
    }

    /// Returns the moment at which chance holds a lesson back, if it leaves it to the others.
    pub(super) fn left_at(&self, lesson: LessonId) -> Option<Moment> {
        let found = self.state.left.iter().find(|it| it.1 == lesson);
        found.map(|it| it.0)
    }

    /// Decides what is said, and remembers it.
    pub fn say(&mut self, turn: Turn, looked: Looked, now: Timestamp) -> Attended {
        let line = |entry: Entry| Line {
            at_ms: now.as_millisecond(),
            in_subagent: false,
            entry,
        };
        let said = say::compose(&turn, &looked, self.state.owed.clone());
        if !looked.shown.is_empty()
            && let Some(look) = &turn.look
        {
            self.add(line(Entry::Shown(look.moment(), looked.shown.clone())));
        }
        if !looked.held.is_empty() {
            self.add(line(Entry::Held(None, looked.held.clone())));
        }
        if let Some(look) = turn.look.as_ref().filter(|_| !looked.left.is_empty()) {
            self.add(line(Entry::Held(Some(look.moment()), looked.left.clone())));
        }
        if said.owed != self.state.owed {
            self.add(line(Entry::Owes(said.owed)));
        }
        if let Some(question) = &looked.question {
            self.add(line(Entry::Asked(question.clone())));
        }
        if self.untold > limits::SESSION_STATE_BYTES {
            self.add(line(Entry::State(self.state.clone())));
        }
        Attended {
            say: said.say,
            looped: turn.looped,
            shown: looked.shown,
            recalls: looked.recalls,
            is_capture_due: turn.is_capture_due,
            asked: looked.question,
            answered: turn.answers.map(|_| written(&looked.answers)),
        }
    }

    /// Remembers a line.
    fn add(&mut self, line: Line) {
        let written = line.write();
        self.untold += written.len();
        self.fresh.push_str(&written);
        self.fold(line);
    }

    fn fold(&mut self, line: Line) {
        let Line {
            at_ms,
            in_subagent,
            entry,
        } = line;
        match entry {
            Entry::Event(key, event) => {
                let kind = Kind::of(&event);
                self.happen(in_subagent, &key, event);
                self.recent.add(at_ms, kind, key);
            }
            Entry::Shown(moment, lessons) => {
                let shown = lessons.into_iter().map(|id| (moment, id));
                self.state.shown.extend(shown);
                let surplus = self
                    .state
                    .shown
                    .len()
                    .saturating_sub(limits::SHOWN_IN_SESSION);
                self.state.shown.drain(..surplus);
                self.state.shown_before = self.state.shown_before.saturating_sub(surplus);
            }
            Entry::Held(Some(moment), lessons) => {
                let left = lessons.into_iter().map(|id| (moment, id));
                self.state.left.extend(left);
                let surplus = (self.state.left.len()).saturating_sub(limits::SHOWN_IN_SESSION);
                self.state.left.drain(..surplus);
            }
            Entry::Held(None, lessons) => {
                self.state.held.extend(lessons);
                let surplus = (self.state.held.len()).saturating_sub(limits::SHOWN_IN_SESSION);
                self.state.held.drain(..surplus);
            }
            Entry::Owes(owed) => self.state.owed = owed,
            Entry::Asked(question) => self.state.asked = Asked::Waiting(question),
            Entry::State(state) => {
                self.state = state;
                self.untold = 0;
            }
        }
    }

    fn happen(&mut self, in_subagent: bool, key: &Key, event: Event) {
        match event {
            // What is no longer in the context may be shown again.
            Event::Started(start @ (Start::Fresh | Start::Cleared)) => {
                self.forget_shown();
                self.state.prompt = None;
                // What was read lives on in a summary.
                if start == Start::Fresh {
                    self.state.outside = false;
                    self.trace.set_outside_words(OutsideWords::default());
                }
            }
            Event::Prompted(text) if !in_subagent => {
                self.state.prompt = Some(key.content);
                self.state.words = None;
                self.state.shown_before = self.state.shown.len();
                self.state.asked.close();
                let role = MessageRole::User;
                self.trace.push(TraceEvent::Message { role, text });
            }
            Event::Calling => self.state.announces = true,
            Event::Called(call) => {
                if let Some(words) = &call.outside {
                    let mut words = self.trace.without_own_words(words.clone());
                    words.remove_text(call.args.as_str());
                    self.read_outside.get_or_insert_default().extend(&words);
                    self.state.outside = true;
                }
                self.trace.push(TraceEvent::Tool(call));
            }
            Event::Stopped => {
                self.state.asked.close();
                self.state.words = Some(key.content);
                let (role, text) = (MessageRole::Assistant, CleanText::default());
                self.trace.push(TraceEvent::Message { role, text });
            }
            // Most clients tell of it before, and of nothing after.
            Event::Compacting => self.forget_shown(),
            Event::Started(Start::Resumed) | Event::Prompted(_) | Event::Ended => {}
        }
    }

    fn forget_shown(&mut self) {
        self.state.shown.clear();
        self.state.shown_before = 0;
    }
}

/// Returns the lessons that writs made or met.
fn written(answers: &[Answer]) -> Vec<LessonId> {
    answers.iter().filter_map(|answer| answer.lesson).collect()
}
