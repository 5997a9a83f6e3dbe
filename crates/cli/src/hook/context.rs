//! Handles a hook's events with the session's memory and the engine.
//!
//! The memory is locked while the events are decided. If the store fails, only the lessons are lost: a loop is still
//! reported, an event still recorded. Without a memory there is no reply before a call, for it would be repeated before
//! each.

use std::{
    env, io, mem,
    path::{Path, PathBuf},
};

use hardwon_clients::{
    Client,
    hook::{AnswerForm, HookEvent, HookEventKind, SessionSigns},
};
use hardwon_core::{
    BranchArrival, Cause, ClientName, Lesson, LessonId, Lineage, RawText, RunId, limits, outside,
    trace::package,
};
use hardwon_engine::{
    AgentSession, AttendOutcome, Desk, DueSession, Engine, HookReply, KeptWrit, OpenMemory,
    Principal, ReplyChannel, SessionEvent, SessionEventKind, SessionTree, Sessions,
    attend::{Lookup, LookupContext, SessionStartKind, StoreAccess},
    sessions::remove_due,
};
use hardwon_repo::Repository;
use hardwon_store::{LessonListing, ScopeFilter, StatusName};
use jiff::Timestamp;

use super::{log, questions};
use crate::{
    RemotePlace, Result, Settings,
    config::AskPolicy,
    open, output,
    project::{find_root, read_branch},
};

/// The outcome of events, and the engine, if one was needed.
#[derive(Default)]
pub(super) struct HookOutcome {
    pub(super) attended: AttendOutcome,
    pub(super) engine: Option<Engine>,
    /// Whether the engine changed something.
    pub(super) has_written: bool,
    /// An error that cost no more than a part of the reply.
    pub(super) failure: Option<String>,
    /// A line for the person, where nothing is said to the agent.
    pub(super) notice: Option<String>,
}

/// Returns the desk of the agent in an event.
fn agent_desk<'e>(engine: &'e Engine, event: &SessionEvent) -> Desk<'e> {
    engine.acting_as(Principal::agent(event.scope.clone(), false))
}

/// The client, session and settings of a hook's events.
#[derive(Debug)]
pub(super) struct HookContext {
    pub(super) client: Client,
    pub(super) client_name: ClientName,
    pub(super) event: &'static HookEvent,
    pub(super) settings: Settings,
    /// What a person should know of the repository's new name, if it has one.
    pub(super) new_name: Option<String>,
    pub(super) run: RunId,
    pub(super) in_subagent: bool,
    /// The run that started it, if it is a sub-agent's.
    pub(super) parent: Option<RunId>,
    pub(super) is_typed: Option<bool>,
    /// The session's working folder.
    pub(super) folder: Option<PathBuf>,
    pub(super) transcript: Option<PathBuf>,
    pub(super) now: Timestamp,
}

impl HookContext {
    /// Attends events, one after the other.
    pub(super) fn attend(
        &self,
        state: &Path,
        sessions: &dyn Sessions,
        mut happened: Vec<SessionEventKind>,
    ) -> HookOutcome {
        let (tree, scope) = (self.session_tree(), &self.settings.scope);
        for what in &happened {
            tree.note_event(sessions, scope, what);
        }
        happened.extend(self.take_subagent_task(sessions, &happened));
        let note = |doing: &str, what: String| {
            log::write_note(state, self.client.name(), &format!("{doing}{what}"));
        };
        let memory = sessions.open_memory(&self.run, self.tail_bytes(&happened));
        let mut session = match &memory {
            Ok(memory) => memory.to_session(self.run.clone(), scope.clone()),
            Err(error) => {
                note("opening the session's memory: ", error.to_string());
                AgentSession::new(self.run.clone(), scope.clone())
            }
        };
        session = session.with_folder(self.folder_in_repository());
        self.restore_outside(&mut session, sessions, &happened);
        let mut outcome = HookOutcome {
            notice: self.new_name.clone(),
            ..HookOutcome::default()
        };
        for what in happened {
            let reply_channel = self.allowed_reply(&what, memory.as_deref().ok());
            let may_hold = self.may_hold(memory.as_deref().ok());
            let event = self.session_event(state, reply_channel, may_hold, what);
            let step = session.take_event(&event, self.now);
            if session.awaits_comparison() {
                self.compare_tree(&mut session, &event.kind);
            }
            let lookup = self.look_up(sessions, step.seen_in(&session, &event), &mut outcome);
            let lookup = lookup.unwrap_or_else(|failure| {
                note("", failure.to_string());
                Lookup::default()
            });
            let reply = session.compose_reply(step, lookup, self.now);
            outcome.attended = merge_replies(mem::take(&mut outcome.attended), reply);
            if self.may_tell_person(&event.kind, memory.as_deref().ok(), &outcome)
                && let Err(failure) = self.tell_waiting(&mut session, &mut outcome)
            {
                note("looking for what waits: ", failure.to_string());
            }
        }
        if let Err(error) = self.keep_outside(&mut session, sessions) {
            note("telling the server of outside words: ", error.to_string());
        }
        if let Ok(memory) = memory
            && let Err(error) = memory.append(&session.take_unwritten())
        {
            note("writing the session's memory: ", error.to_string());
            if matches!(outcome.attended.reply, HookReply::Hold(_)) {
                outcome.attended.reply = HookReply::Empty;
            }
        }
        outcome
    }

    /// Follows what a paused session reads from outside, and keeps nothing else of it: it may write that once the pause is
    /// over.
    pub(super) fn note_unrecorded(
        &self,
        state: &Path,
        sessions: &dyn Sessions,
        happened: Vec<SessionEventKind>,
    ) -> io::Result<()> {
        let mut session = AgentSession::new(self.run.clone(), self.settings.scope.clone());
        self.restore_outside(&mut session, sessions, &happened);
        for what in happened {
            let event = self.session_event(state, ReplyChannel::None, false, what);
            session.take_event(&event, self.now);
            if session.awaits_comparison() {
                self.compare_tree(&mut session, &event.kind);
            }
        }
        self.keep_outside(&mut session, sessions)
    }

    /// Returns the session's folder from the root of its repository, if that may tell its package; else an empty text.
    fn folder_in_repository(&self) -> String {
        let names_package = |folder: &&PathBuf| package::names_package(&folder.to_string_lossy());
        let folder = self.folder.as_ref().filter(names_package);
        let inner = folder.and_then(|folder| folder.strip_prefix(find_root(folder)?).ok());
        let parts = inner.into_iter().flat_map(Path::components);
        let parts = parts.map(|part| part.as_os_str().to_string_lossy());
        parts.collect::<Vec<_>>().join("/")
    }

    /// Hands a session what is known of content from outside, as far as these events need it.
    fn restore_outside(
        &self,
        session: &mut AgentSession,
        sessions: &dyn Sessions,
        happened: &[SessionEventKind],
    ) {
        let (tree, scope) = (self.session_tree(), &self.settings.scope);
        let needs_words = happened.iter().any(compares_words);
        tree.restore_into(session, sessions, scope, needs_words);
        let starts = |what: &SessionEventKind| matches!(what, SessionEventKind::Started(_));
        if session.follows_fetches()
            && happened.iter().any(starts)
            && let Some(branch) = self.folder.as_deref().and_then(read_branch)
        {
            session.begin_on_branch(&branch);
        }
        if happened.iter().any(passes_on_words) {
            session.add_words_of_others(&sessions.words_around(scope).without_unknown());
        }
    }

    /// Returns the task of a sub-agent that begins, as its prompt. The call that started it was its parent's; nothing that
    /// the parent was shown is in the new context.
    fn take_subagent_task(
        &self,
        sessions: &dyn Sessions,
        happened: &[SessionEventKind],
    ) -> Option<SessionEventKind> {
        let begins = matches!(
            happened,
            [SessionEventKind::Started(SessionStartKind::Fresh)]
        );
        let parent = self
            .parent
            .clone()
            .filter(|_| begins && self.settings.subagents)?;
        let memory = sessions
            .open_memory(&parent, limits::SESSION_TAIL_BYTES)
            .ok()?;
        let mut session = memory.to_session(parent, self.settings.scope.clone());
        let task = session.take_delegated_task(self.now)?;
        memory.append(&session.take_unwritten()).ok()?;
        Some(SessionEventKind::Prompted(RawText::from(task.as_str())))
    }

    /// Returns how many bytes of the session's memory are read: more at the end of a turn, for the question.
    fn tail_bytes(&self, happened: &[SessionEventKind]) -> usize {
        let ends = |what: &SessionEventKind| matches!(what, SessionEventKind::Stopped { .. });
        let goes_on = matches!(self.event.answer, AnswerForm::Continue(_));
        if goes_on && self.settings.ask != AskPolicy::Off && happened.iter().any(ends) {
            limits::QUESTION_TAIL_BYTES
        } else {
            limits::SESSION_TAIL_BYTES
        }
    }

    /// Returns whether the agent may be asked now what a later session should know.
    fn may_ask(&self, state: &Path) -> bool {
        let is_meant = match self.settings.ask {
            AskPolicy::Off => false,
            AskPolicy::On => self.is_typed_into(),
            AskPolicy::Always => true,
        };
        is_meant && questions::count_last_day(state, self.now) < self.settings.asks_per_day
    }

    /// Returns whether the person can be told something now: at the end of a turn, and only where one surely types.
    fn may_tell_person(
        &self,
        what: &SessionEventKind,
        memory: Option<&dyn OpenMemory>,
        answered: &HookOutcome,
    ) -> bool {
        let ends = matches!(what, SessionEventKind::Stopped { .. }) && !self.in_subagent;
        ends && memory.is_some_and(OpenMemory::is_locked)
            && answered.attended.reply == HookReply::Empty
            && self.is_typed_into()
    }

    /// Tells the person, a line each, what they taught in this session and what waits for them, unless the session did.
    fn tell_waiting(&self, session: &mut AgentSession, answered: &mut HookOutcome) -> Result<()> {
        // Other sessions may have taught some since.
        const NEWEST: usize = 16;
        let engine = match answered.engine.take() {
            Some(engine) => engine,
            None => open::open_once(&self.settings)?,
        };
        let desk = answered
            .engine
            .insert(engine)
            .acting_as(self.settings.person());
        let within = ScopeFilter::Visible(self.settings.scope.clone());
        let after = session.told_waiting().unwrap_or(LessonId(0));
        let waiting = desk.waiting_lessons(&within, after, usize::MAX)?;
        let corrections = desk.lessons(&LessonListing {
            within,
            status: Some(StatusName::Active),
            cause: Some(Cause::Correction),
            limit: NEWEST,
            ..LessonListing::default()
        })?;
        let is_new = |lesson: &&Lesson| lesson.id > after && is_from_run(lesson, &self.run);
        let correction = corrections.iter().find(is_new);
        let newest = waiting.last();
        if let Some(id) = newest
            .into_iter()
            .chain(correction)
            .map(|lesson| lesson.id)
            .max()
        {
            session.note_told_waiting(id, self.now);
        }
        let others = waiting.len().saturating_sub(1);
        let waits = newest.map(|lesson| describe_waiting(lesson, others));
        let lines: Vec<String> = correction
            .map(describe_heard)
            .into_iter()
            .chain(waits)
            .collect();
        if !lines.is_empty() {
            answered.notice = Some(lines.join("\n"));
        }
        Ok(())
    }

    fn is_typed_into(&self) -> bool {
        let row = self.client.hook_row();
        row.is_interactive(&self.session_signs(), &|name| env::var(name).ok())
    }

    fn session_signs(&self) -> SessionSigns<'_> {
        SessionSigns {
            session: self.run.as_str(),
            transcript: self.transcript.as_deref(),
            plugin_answer: self.is_typed,
        }
    }

    /// Returns whether surely nobody types into the session.
    pub(super) fn is_unattended(&self) -> bool {
        let row = self.client.hook_row();
        row.is_unattended(&self.session_signs(), &|name| env::var(name).ok())
    }

    fn look_up(
        &self,
        sessions: &dyn Sessions,
        at: LookupContext<'_>,
        answered: &mut HookOutcome,
    ) -> Result<Lookup> {
        let engine = match (at.step.store_access(), answered.engine.take()) {
            (StoreAccess::None, engine) => {
                answered.engine = engine;
                return Ok(Lookup::default());
            }
            (StoreAccess::ReadLessons, Some(engine)) => engine,
            (StoreAccess::ReadLessons, None) => open::open_once(&self.settings)?,
            (StoreAccess::ChangeLessons, _) => {
                return self.change_and_look_up(sessions, at, answered);
            }
        };
        let engine = answered.engine.insert(engine);
        let lookup = agent_desk(engine, at.event).look_up_and_answer(at)?;
        answered.failure = describe_embedding_failure(&lookup);
        Ok(lookup)
    }

    /// Keeps what the session has read from outside, also for the server, if there is one.
    fn keep_outside(&self, session: &mut AgentSession, sessions: &dyn Sessions) -> io::Result<()> {
        let tree = self.session_tree();
        let words = tree.keep(session, sessions, &self.settings.scope);
        let (Some(words), Some(place)) = (words, &self.settings.server) else {
            return Ok(());
        };
        let name = tree.words_name();
        let all = sessions.outside_words(&self.settings.scope, &name);
        place.spool().add_outside(&name, &all.unwrap_or(words))
    }

    /// Returns the session that the run is part of.
    fn session_tree(&self) -> SessionTree {
        SessionTree::new(&self.run, self.parent.as_ref())
    }

    /// Finds the files that differ after a call brought somebody else's branch into the work tree. Where git cannot tell,
    /// any file may.
    fn compare_tree(&self, session: &mut AgentSession, what: &SessionEventKind) {
        let SessionEventKind::AfterCall { tool_call, .. } = what else {
            return;
        };
        let change = BranchArrival::from_call(tool_call.tool.expose(), tool_call.args.expose());
        let (Some(change), Some(folder)) = (change, &self.folder) else {
            return;
        };
        let differing = Repository::find(folder).and_then(|repository| {
            let paths = repository.list_differing(change.base_revision())?;
            Ok((repository, paths))
        });
        if let Ok((repository, paths)) = differing {
            let branch = repository.current_branch();
            let branch = branch.filter(|_| change == BranchArrival::CheckedOut);
            branch.iter().for_each(|name| session.note_branch(name));
            let root = repository.root();
            let root = root.file_name().unwrap_or_default().to_string_lossy();
            session.compare_tree(&root, paths.iter().map(String::as_str));
        }
    }

    /// Keeps the event's writs for the server, and looks its lessons up. Questions are answered from the replica.
    fn keep_and_look_up(
        &self,
        place: &RemotePlace,
        at: LookupContext<'_>,
        answered: &mut HookOutcome,
    ) -> Result<Lookup> {
        let writs = at.kept_writs();
        place.spool().add_writs(&self.run, &writs)?;
        let engine = answered.engine.insert(open::open_once(&self.settings)?);
        let desk = agent_desk(engine, at.event);
        Ok(if writs.is_empty() {
            desk.look_up_and_answer(at)?
        } else {
            (desk.look_up(at)?).with_sent_writs(at.step, &writs)
        })
    }

    /// Runs the event's writs and looks its lessons up. The writs are kept before anything else is tried, for this
    /// process may be ended at any moment; if they cannot be stored now, they stay so, and the lessons are looked up all
    /// the same.
    fn change_and_look_up(
        &self,
        sessions: &dyn Sessions,
        at: LookupContext<'_>,
        answered: &mut HookOutcome,
    ) -> Result<Lookup> {
        if let Some(place) = &self.settings.server {
            return self.keep_and_look_up(place, at, answered);
        }
        let writs = at.kept_writs();
        let waiting = self.due_session(&writs);
        let is_kept = !writs.is_empty() && sessions.add_due(&waiting).is_ok();
        let result = open::open_hasty_writer(&self.settings).and_then(|engine| {
            answered.has_written = true;
            let desk = agent_desk(answered.engine.insert(engine), at.event);
            Ok(desk.look_up_and_answer(at)?)
        });
        let failure = match result {
            Ok(looked) => {
                if is_kept {
                    remove_due(sessions, &waiting);
                }
                answered.failure = describe_embedding_failure(&looked);
                return Ok(looked);
            }
            Err(failure) if is_kept => failure,
            Err(failure) => return Err(failure),
        };
        let message = format!("{}; it is kept and tried again", failure.message());
        answered.failure = Some(message);
        let lookup = open::open_once(&self.settings).and_then(|engine| {
            let engine = answered.engine.insert(engine);
            Ok(agent_desk(engine, at.event).look_up(at)?)
        });
        Ok(lookup.unwrap_or_default().with_kept_writs(at.step, &writs))
    }

    /// Makes the entry with which writs are run later.
    pub(super) fn due_session(&self, writs: &[KeptWrit]) -> DueSession {
        DueSession {
            run: self.run.as_str().to_owned(),
            client: self.client.name().to_owned(),
            folder: self.folder.clone(),
            parent: None,
            transcript: None,
            is_unattended: false,
            tries: 0,
            writs: writs.to_vec(),
            reported: None,
        }
    }

    /// Returns the kind of reply that is allowed.
    fn allowed_reply(
        &self,
        what: &SessionEventKind,
        memory: Option<&dyn OpenMemory>,
    ) -> ReplyChannel {
        let is_told = matches!(
            what,
            SessionEventKind::Started(_) | SessionEventKind::Prompted(_)
        );
        let is_left_out = self.in_subagent && !self.settings.subagents && is_told;
        let may_speak = match memory {
            Some(memory) => memory.is_locked(),
            None => !matches!(what, SessionEventKind::BeforeCall { .. }),
        };
        match self.event.answer {
            _ if is_left_out || !may_speak => ReplyChannel::None,
            AnswerForm::Nothing => ReplyChannel::None,
            AnswerForm::Context(_) => ReplyChannel::Context,
            AnswerForm::Continue(_) => ReplyChannel::Continue,
        }
    }

    /// Returns whether a call can be held. Without a memory it would be held each time.
    fn may_hold(&self, memory: Option<&dyn OpenMemory>) -> bool {
        let can_refuse = self.client.hook_row().hold.is_some();
        can_refuse
            && self.event.kind == HookEventKind::Calling
            && memory.is_some_and(OpenMemory::is_locked)
    }

    fn session_event(
        &self,
        state: &Path,
        reply_channel: ReplyChannel,
        may_hold: bool,
        what: SessionEventKind,
    ) -> SessionEvent {
        let ends = matches!(what, SessionEventKind::Stopped { .. });
        SessionEvent {
            run: self.run.clone(),
            client: self.client_name.clone(),
            scope: self.settings.scope.clone(),
            in_subagent: self.in_subagent,
            reply_channel,
            may_hold,
            may_ask_agent: ends && reply_channel == ReplyChannel::Continue && self.may_ask(state),
            is_unattended: matches!(what, SessionEventKind::Prompted(_)) && self.is_unattended(),
            kind: what,
        }
    }
}

/// Returns whether an event is compared with the words that the session has read from outside.
fn compares_words(what: &SessionEventKind) -> bool {
    match what {
        SessionEventKind::Stopped { .. } => true,
        SessionEventKind::AfterCall { tool_call, .. } => {
            let (tool, args) = (tool_call.tool.expose(), tool_call.args.expose());
            // A command line may write in many ways; most write nothing, and reading the words takes longer than all else.
            outside::is_delegating_call(tool, args)
                || outside::writes_files(tool, args)
                || !Lineage::from_written_files(tool, args).0.is_empty()
        }
        _ => false,
    }
}

/// Returns whether an event brings what a session beside this one may have read: what another agent says, or a prompt that
/// is long enough to be pasted.
fn passes_on_words(what: &SessionEventKind) -> bool {
    match what {
        SessionEventKind::Prompted(text) => text.expose().contains('\n'),
        SessionEventKind::AfterCall { tool_call, .. } => {
            outside::is_delegating_call(tool_call.tool.expose(), tool_call.args.expose())
        }
        _ => false,
    }
}

/// Returns whether a run taught a lesson.
fn is_from_run(lesson: &Lesson, run: &RunId) -> bool {
    let mut sources = lesson.evidence.iter();
    sources.any(|source| source.reference.as_str() == run.as_str())
}

/// Says in one line what a person's correction taught, and how they take it back.
fn describe_heard(lesson: &Lesson) -> String {
    // A shell would take `#1` for a comment.
    let (id, title) = (lesson.id.0, &lesson.content.title);
    output::to_one_line(&format!(
        "hardwon: learned from what you said: {title} (`hardwon lesson delete {id}` takes it back)"
    ))
}

/// Says in one line which lesson waits, why, how many others do, and how one accepts it.
fn describe_waiting(lesson: &Lesson, others: usize) -> String {
    let and_others = match others {
        0 => " waits".to_owned(),
        others => format!(" and {others} more wait"),
    };
    let reason = hardwon_engine::status_reason(&lesson.status).unwrap_or_default();
    let (id, title) = (lesson.id, &lesson.content.title);
    output::to_one_line(&format!(
        "hardwon: {id}{and_others} for you ({reason}): {title} (`hardwon review-queue`, key `a`, accepts it)"
    ))
}

/// Describes why a prompt was not compared by its meaning; `None` if the embedding did not fail.
fn describe_embedding_failure(looked: &Lookup) -> Option<String> {
    let trouble = looked.embedding_error.as_ref();
    trouble.map(|trouble| format!("{}{trouble}", log::NOT_EMBEDDED))
}

/// Merges the outcomes of two events of one payload.
fn merge_replies(mut one: AttendOutcome, two: AttendOutcome) -> AttendOutcome {
    one.reply = match (mem::take(&mut one.reply), two.reply) {
        (HookReply::Empty, said) | (said, HookReply::Empty) => said,
        (held @ HookReply::Hold(_), _) | (_, held @ HookReply::Hold(_)) => held,
        (HookReply::Context(one), HookReply::Context(two)) => {
            HookReply::Context(format!("{one}\n{two}"))
        }
        (HookReply::Continue(one), HookReply::Context(two) | HookReply::Continue(two))
        | (HookReply::Context(one), HookReply::Continue(two)) => {
            HookReply::Continue(format!("{one}\n{two}"))
        }
    };
    one.detected_loop = two.detected_loop.or(one.detected_loop);
    one.shown.extend(two.shown);
    one.seen_once = two.seen_once.or(one.seen_once);
    one.recalls.extend(two.recalls);
    one.is_capture_due |= two.is_capture_due;
    one.question = one.question.or(two.question);
    one.answer_lessons = one.answer_lessons.or(two.answer_lessons);
    one.undone.extend(two.undone);
    one
}
