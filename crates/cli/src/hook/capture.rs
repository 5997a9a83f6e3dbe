//! Learns from sessions in a background process.
//!
//! A hook starts it and ends; it has its own process group and no open pipe, so the client neither waits for it nor
//! kills it when it ends. One process at a time does the work of all: one that finds another at work exits, and one
//! that finishes checks once more whether a session became due meanwhile; models are asked after that, when others may
//! learn again. A session is learned from by its transcript, where there is one of a known format, else by the events
//! of its hooks; both are the same run, so nothing counts twice.

use std::{
    collections::{BTreeMap, HashSet},
    ffi::OsString,
    io, mem,
    path::{Path, PathBuf},
    thread,
    time::{Duration, SystemTime},
};

use hardwon_clients::archive::ClientTranscript;
use hardwon_core::{RunId, Scope, TenantId, Trace};
use hardwon_engine::{
    AgentSession, DueSession, FileRead, FileSessions, Principal, RunInfo, SessionKey, SessionTree,
    Sessions, UndoneWrit, WatchedSession, read_runs, sessions::file_state,
};
use jiff::Timestamp;

use super::{log, questions::note_answered, undone::note_undone};
use crate::{
    CliError, GlobalArgs, ProjectResolver, RemotePlace, Result, Settings, background, embedding,
    model, open, pause, remote::follow, sync::sync_after_learning,
};

/// How long a client may go on writing a transcript after it reported the end of the session.
const TRAILING_WRITE_TIME: Duration = Duration::from_millis(700);
/// Most rounds of checking for due sessions.
const MAX_ROUNDS: usize = 4;

/// How much lower than the agent's the priority of this process is.
const NICE_INCREMENT: i32 = 10;

/// Starts a process that learns from all due sessions, unless one is running.
pub(super) fn start_capture(state: &Path, global: &GlobalArgs) -> io::Result<()> {
    if FileSessions::new(state).lock_learning()?.is_none() {
        return Ok(());
    }
    let mut args: Vec<OsString> = vec!["hook".into(), "--capture".into()];
    let path = global.db.as_ref().map(|path| path.as_os_str());
    let words = [("--agent", &global.agent), ("--project", &global.project)];
    let options = words.map(|(flag, value)| (flag, value.as_ref().map(|value| value.as_ref())));
    for (flag, value) in [("--db", path)].into_iter().chain(options) {
        if let Some(value) = value {
            args.extend([flag.into(), value.to_owned()]);
        }
    }
    if global.everywhere {
        args.push("--everywhere".into());
    }
    background::start(&args)
}

/// Learns from every due session, unless another process does.
pub(super) fn run_capture(state: &Path, global: &GlobalArgs) {
    if pause::is_paused(state, None, Timestamp::now()) {
        return;
    }
    // The hook that started this process is still ending, and then the agent goes on.
    background::lower_priority(NICE_INCREMENT);
    let sessions = FileSessions::new(state);
    let learner = SessionLearner {
        state,
        global,
        sessions: &sessions,
    };
    let mut failed_keys = HashSet::new();
    let mut scopes = BTreeMap::new();
    let mut read = Vec::new();
    for _ in 0..MAX_ROUNDS {
        let Ok(Some(lock)) = sessions.lock_learning() else {
            break;
        };
        for key in sessions.list_due() {
            if failed_keys.contains(&key) {
                continue;
            }
            match learner.learn_claimed(&key) {
                Ok(Some(learned_in)) => {
                    read.push((learned_in.due.clone(), learned_in.read_state.clone()));
                    drop(scopes.insert(learned_in.store_key(), learned_in));
                }
                Ok(None) => {}
                Err(LearnFailed) => drop(failed_keys.insert(key)),
            }
        }
        drop(lock);
        let is_done = sessions
            .list_due()
            .iter()
            .all(|key| failed_keys.contains(key));
        if is_done && !learner.await_late_writes(mem::take(&mut read)) {
            break;
        }
    }
    sessions.delete_old_sessions(SystemTime::now());
    // A model is slow, and no session to learn from should wait for it.
    for learned_in in scopes.values() {
        learned_in.ask_models(state);
    }
}

/// A session that was learned from, with its settings.
struct LearnedSession {
    due: DueSession,
    /// The state in which the session was read.
    read_state: String,
    settings: Settings,
}

impl LearnedSession {
    /// Returns the database and tenant that it belongs to.
    fn store_key(&self) -> (PathBuf, TenantId) {
        let settings = &self.settings;
        let file = open::lessons_file(settings).to_owned();
        (file, settings.scope.tenant.clone())
    }

    /// Asks the model about due questions and embeds lessons, if configured.
    fn ask_models(&self, state: &Path) {
        // A server asks its own.
        if self.settings.server.is_some() {
            return;
        }
        let trouble = match open::open_writer(&self.settings) {
            Ok(engine) => [
                model::drain_in_background(&self.settings, &engine),
                embedding::fill_in_background(&self.settings, &engine),
            ],
            Err(failure) => [Some(failure.to_string()), None],
        };
        for trouble in trouble.into_iter().flatten() {
            log::write_note(state, &self.due.client, &trouble);
        }
    }
}

/// Finds the session that a due run is part of.
fn session_tree(due: &DueSession, run: &RunId) -> SessionTree {
    let parent = due.parent.as_deref();
    let parent = parent.and_then(|name| RunId::parse(name).ok());
    SessionTree::new(run, parent.as_ref())
}

/// Marks a session that could not be learned from; the log has the reason.
struct LearnFailed;

/// Learns from sessions.
struct SessionLearner<'a> {
    state: &'a Path,
    global: &'a GlobalArgs,
    sessions: &'a dyn Sessions,
}

impl SessionLearner<'_> {
    /// Claims a session and learns from it; returns it if something new was learned.
    fn learn_claimed(&self, key: &SessionKey) -> Result<Option<LearnedSession>, LearnFailed> {
        let Some(claim) = self.sessions.claim_due(key) else {
            return Ok(None);
        };
        let transcript = (claim.due.transcript.as_deref()).filter(|path| path.is_file());
        let result = if claim.due.writs.is_empty() {
            self.learn_session(&claim.due, claim.learned_state.as_deref(), transcript)
        } else {
            self.carry_out_writs(&claim.due).map(|()| None)
        };
        match result {
            Ok(None) => {
                self.sessions.finish_due(&claim, None);
                Ok(None)
            }
            Ok(Some((settings, standing))) => {
                self.sessions.finish_due(&claim, Some(&standing));
                let due = claim.due;
                Ok(Some(LearnedSession {
                    due,
                    read_state: standing,
                    settings,
                }))
            }
            Err(failure) => {
                let again = self.sessions.put_off_due(&claim);
                let next = if again { "" } else { "; it is not tried again" };
                let message = format!("learning from a session: {failure}{next}");
                log::write_note(self.state, &claim.due.client, &message);
                Err(LearnFailed)
            }
        }
    }

    /// Waits a moment for clients that write the end of a transcript only after they reported the end of the session,
    /// and marks the sessions that have grown as due again. Returns whether there are any.
    fn await_late_writes(&self, read: Vec<(DueSession, String)>) -> bool {
        let transcripts = read.into_iter().filter(|read| read.0.transcript.is_some());
        let mut transcripts = transcripts.peekable();
        if transcripts.peek().is_none() {
            return false;
        }
        thread::sleep(TRAILING_WRITE_TIME);
        let has_grown = |(due, standing): &(DueSession, String)| {
            let transcript = due.transcript.as_deref();
            transcript.is_some_and(|path| file_state(path) != *standing)
        };
        let late_sessions = transcripts.filter(has_grown);
        let late_sessions = late_sessions.filter(|(due, _)| self.sessions.add_due(due).is_ok());
        late_sessions.count() > 0
    }

    /// Runs writs that could not be stored when they were written.
    fn carry_out_writs(&self, due: &DueSession) -> Result<()> {
        let run = RunId::parse(&due.run).map_err(CliError::internal)?;
        let settings = Settings::load_in(self.global, due.folder.as_deref())?;
        if let Some(place) = &settings.server {
            place.spool().add_writs(&run, &due.writs)?;
            return Ok(follow::keep_following(place)?);
        }
        let engine = open::open_writer(&settings)?;
        let desk = engine.acting_as(settings.person());
        for writ in &due.writs {
            let Some(done) = desk.run_kept_writ(&run, writ)? else {
                continue;
            };
            if let Some(id) = done.id.filter(|_| writ.answers_question()) {
                note_answered(self.state, run.as_str(), vec![id.0])?;
            }
            if let Some(why) = done.why_undone {
                let undone = UndoneWrit::new(&done.reply, &why);
                note_undone(self.state, &due.client, &run, &settings.scope, &undone)?;
            }
        }
        Ok(())
    }

    /// Returns what hooks saw of a session. A transcript does not know what other runs read, nor what sessions before
    /// wrote.
    fn watched_session(&self, scope: &Scope, due: &DueSession, run: &RunId) -> WatchedSession {
        let tree = session_tree(due, run);
        let mut words = tree.words_of_others(self.sessions, scope);
        let own = self.sessions.outside_words(scope, &tree.words_name());
        words.extend(&own.unwrap_or_default());
        let mut passed_on = self.sessions.words_around(scope).without_unknown();
        passed_on.extend(&words);
        WatchedSession {
            words,
            passed_on,
            is_unattended: due.is_unattended,
        }
    }

    /// Returns what the hooks of a session saw of it; `None` if that is gone.
    fn trace_from_memory(&self, scope: &Scope, due: &DueSession, run: &RunId) -> Option<Trace> {
        let lines = self.sessions.read_memory(run).ok()?;
        let mut session = AgentSession::replay(run.clone(), scope.clone(), &lines);
        session_tree(due, run).restore_into(&mut session, self.sessions, scope, true);
        Some(session.into_trace())
    }

    /// Keeps the runs of a session for the server that learns from them: those of its transcript, without secrets and
    /// outputs, else what its hooks saw.
    fn spool_runs(
        &self,
        place: &RemotePlace,
        due: &DueSession,
        run: &RunId,
        transcript: Option<&Path>,
    ) -> Result<()> {
        let scope = &place.scope;
        let here = |_: &RunInfo| scope.project.clone();
        let watched = self.watched_session(scope, due, run);
        let read = transcript
            .map(|path| read_runs::<ClientTranscript>(path, scope, &here, Some(&watched)));
        let mut traces = read.transpose()?.flatten().unwrap_or_default();
        if traces.is_empty() {
            traces.extend(self.trace_from_memory(scope, due, run));
        }
        traces
            .iter_mut()
            .for_each(|trace| trace.extend_outside_words(&watched.words));
        let spool = place.spool();
        Ok(traces.iter().try_for_each(|trace| spool.add_trace(trace))?)
    }

    /// Learns from one session, and returns its settings and the state it was left in; `None` if nothing is new since
    /// the state `before`.
    fn learn_session(
        &self,
        due: &DueSession,
        before: Option<&str>,
        transcript: Option<&Path>,
    ) -> Result<Option<(Settings, String)>> {
        let run = RunId::parse(&due.run).map_err(CliError::internal)?;
        let settings = Settings::load_in(self.global, due.folder.as_deref())?;
        let project = settings.scope.project.as_ref();
        if pause::is_paused(self.state, project, Timestamp::now()) {
            return Ok(None);
        }
        let standing = match transcript {
            Some(path) => file_state(path),
            None => self.sessions.memory_state(&run),
        };
        if before == Some(&standing) {
            return Ok(None);
        }
        if let Some(place) = &settings.server {
            self.spool_runs(place, due, &run, transcript)?;
            follow::keep_following(place)?;
            drop(self.sessions.shorten_memory(&run));
            return Ok(Some((settings, standing)));
        }
        let watched = self.watched_session(&settings.scope, due, &run);
        let engine = open::open_writer(&settings)?;
        let desk = engine.acting_as(Principal::background(settings.scope.clone()));
        let read = match transcript {
            Some(path) => {
                let places = ProjectResolver::new(&settings);
                let place = |run: &RunInfo| match (&run.cwd, &due.folder) {
                    (None, Some(_)) => settings.scope.project.clone(),
                    _ => places.resolve_project(run, path),
                };
                let library = desk.open_library()?.with_watched(watched);
                library.read_one::<ClientTranscript>(path, &place, &mut |_| {})?
            }
            None => FileRead::NotATranscript,
        };
        if matches!(read, FileRead::NotATranscript)
            && let Some(trace) = self.trace_from_memory(&settings.scope, due, &run)
        {
            desk.learn_from_run(&trace)?;
        }
        if let Some(folder) = due.folder.as_deref().filter(|_| settings.sync)
            && let Err(trouble) = sync_after_learning(&engine, &settings, folder)
        {
            log::write_note(self.state, &due.client, &trouble);
        }
        drop(self.sessions.shorten_memory(&run));
        Ok(Some((settings, standing)))
    }
}
