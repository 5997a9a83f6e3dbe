//! Runs one hook, from its payload to its reply.
//!
//! ```text
//! stdin --parse--> HookPayload --session's memory--> SessionEvent --engine--> AttendOutcome --envelope--> stdout
//! ```
//!
//! A hook never breaks the agent: whatever goes wrong, it exits with success, prints nothing, and
//! leaves a line in the log. The store is opened only for events that need it; records are written and
//! processes started after the agent has its reply.

use std::{
    env,
    io::{self, Read as _},
    mem,
    panic::{self, AssertUnwindSafe},
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use hardwon_clients::{
    Client,
    hook::{self, HookEvent, HookPayload, envelope},
};
use hardwon_core::{
    capture::question::TurnQuestion,
    id::{ClientName, InvalidName, LessonId, RunId},
    limits,
};
use hardwon_engine::{
    Principal,
    attend::SessionEventKind,
    sessions::{DueSession, FileSessions, Sessions as _},
};
use jiff::Timestamp;

use super::{
    activity, capture,
    context::{HookContext, HookOutcome},
    log,
    questions::{self, AskedQuestion},
    undone::note_undone,
    watchdog::Watchdog,
};
use crate::{
    args::{GlobalArgs, HookArgs},
    config::{self, Settings},
    error::CliError,
    output, pause, project,
    remote::follow,
};

/// How much slower a debug build is, at its worst.
const DEBUG_SLOWDOWN: u64 = if cfg!(debug_assertions) { 20 } else { 1 };
/// Longest time for an event before or after a call.
const ACTION_LIMIT: Duration = Duration::from_millis(500 * DEBUG_SLOWDOWN);
/// Longest time for an event at the start or end of a turn.
const TURN_LIMIT: Duration = Duration::from_millis(1500 * DEBUG_SLOWDOWN);
/// Longest time for an event with a line that somebody wrote to change lessons: it must be kept, however busy the machine
/// is. Below what the clients are told to wait.
const WRIT_LIMIT: Duration = Duration::from_millis(7000 * DEBUG_SLOWDOWN);

/// Longest time for a prompt's vector, and again for the text that a model writes for it: together less than
/// [`TURN_LIMIT`], so that the lessons found by words are shown all the same.
const EMBEDDING_LIMIT: Duration = Duration::from_millis(600 * DEBUG_SLOWDOWN);

/// Runs the hook command.
pub(crate) fn run(global: &GlobalArgs, args: &HookArgs) -> ExitCode {
    let Ok(state) = config::state_folder() else {
        // Without a home there is neither a memory nor a store.
        return ExitCode::SUCCESS;
    };
    panic::set_hook(Box::new(|_| {}));
    if args.capture {
        let work = || capture::run_capture(&state, global);
        drop(panic::catch_unwind(AssertUnwindSafe(work)));
        return ExitCode::SUCCESS;
    }
    if let Some(folder) = &args.follow {
        let say = |what: &str| log::write_note(&state, "follow", what);
        let work = || follow::run_following(folder, &say);
        drop(panic::catch_unwind(AssertUnwindSafe(work)));
        return ExitCode::SUCCESS;
    }
    let client_name = args.client.as_deref().unwrap_or("hook");
    let watchdog = Watchdog::start(WRIT_LIMIT, &state, client_name);
    let run = HookRun {
        global,
        args,
        state: &state,
        watchdog: &watchdog,
    };
    let attend = panic::catch_unwind(AssertUnwindSafe(|| run.handle_payload()));
    match attend {
        Ok(Ok(())) => {}
        Ok(Err(failure)) => log::write_note(&state, client_name, &failure.to_string()),
        Err(_) => log::write_note(&state, client_name, "it panicked; please report this"),
    }
    ExitCode::SUCCESS
}

/// One run of the hook command.
struct HookRun<'a> {
    global: &'a GlobalArgs,
    args: &'a HookArgs,
    state: &'a Path,
    watchdog: &'a Watchdog,
}

impl HookRun<'_> {
    fn handle_payload(&self) -> Result<(), CliError> {
        let payload = read_payload()?;
        let client = self.detect_client(&payload)?;
        let hint = self.args.event.as_deref();
        let mut incoming = hook::parse_payload(client.hook_row(), hint, &payload)
            .map_err(|error| CliError::internal(error.to_string()))?;
        let Some(event) = hook::find_event(client.hook_row(), hint, &payload) else {
            return Ok(());
        };
        if incoming.events.is_empty() {
            return Ok(());
        }
        let is_turn = incoming.events.iter().any(is_turn_edge);
        self.watchdog.change_limit(match is_turn {
            true if incoming.events.iter().any(SessionEventKind::has_writ) => WRIT_LIMIT,
            true => TURN_LIMIT,
            false => ACTION_LIMIT,
        });
        hook::complete_payload(client.hook_row(), &mut incoming);
        let started_in = |name: &str| env::var_os(name).map(PathBuf::from);
        incoming.cwd = incoming.cwd.map(|cwd| session_folder(cwd, &started_in));
        let context = self.build_context(client, event, &incoming)?;
        let project = context.settings.scope.project.as_ref();
        if pause::is_paused(self.state, project, context.now) {
            return Ok(());
        }
        let remote = context.remote_place();
        let sessions = FileSessions::new(self.state);
        let tree = context.session_tree();
        for what in &incoming.events {
            tree.note_event(&sessions, &context.settings.scope, what);
        }
        let events = mem::take(&mut incoming.events);
        let mut outcome = context.handle_events(self.state, &sessions, events);
        let is_shown = !outcome.attended.shown.is_empty();
        let is_due = outcome.attended.is_capture_due;
        let trouble = outcome.failure.take();
        let result = self.print_reply(&context, outcome);
        if let Some(place) = &remote
            && let Err(error) = follow::keep_following(place)
        {
            let message = format!("following the server: {error}");
            log::write_note(self.state, client.name(), &message);
        }
        result?;
        if let Some(trouble) = trouble {
            log::write_note(self.state, client.name(), &trouble);
        }
        activity::write_activity(self.state, client.name(), event.name, context.now, is_shown);
        if is_due {
            sessions.add_due(&due_session(&context, incoming))?;
        }
        if is_due || (is_turn && !sessions.list_due().is_empty()) {
            capture::start_capture(self.state, self.global)?;
        }
        Ok(())
    }

    fn detect_client(&self, payload: &[u8]) -> Result<Client, CliError> {
        let variable = |name: &str| env::var(name).ok();
        let client = match &self.args.client {
            Some(name) => {
                let client = Client::from_name(name);
                client.map(|client| Client::detect_behind(client, &variable, payload))
            }
            None => Client::detect(&variable, payload),
        };
        client.ok_or_else(|| CliError::internal("this client is not known"))
    }

    fn build_context(
        &self,
        client: Client,
        event: &'static HookEvent,
        incoming: &HookPayload,
    ) -> Result<HookContext, CliError> {
        let bad = |bad: InvalidName| CliError::internal(bad.to_string());
        let mut settings = Settings::load_in(self.global, incoming.cwd.as_deref())?;
        settings.embedding.timeout = settings.embedding.timeout.min(EMBEDDING_LIMIT);
        // A sub-agent may not be given the files.
        #[cfg(feature = "gates")]
        if let Some(project) = &settings.scope.project
            && let Some(folder) = incoming.cwd.as_deref().filter(|_| !incoming.in_subagent)
        {
            settings.placed =
                crate::place::reading::find_read_lessons(self.state, project, folder, client);
        }
        Ok(HookContext {
            client,
            client_name: ClientName::parse(client.name()).map_err(bad)?,
            event,
            settings,
            run: RunId::parse(&incoming.session).map_err(bad)?,
            in_subagent: incoming.in_subagent,
            parent: (incoming.parent.as_deref()).and_then(|name| RunId::parse(name).ok()),
            is_typed: incoming.is_interactive,
            folder: incoming.cwd.clone(),
            transcript: incoming.transcript.clone(),
            now: Timestamp::now(),
        })
    }

    /// Prints the reply, then records what was shown.
    fn print_reply(&self, context: &HookContext, answered: HookOutcome) -> Result<(), CliError> {
        let reply = answered.attended;
        let notice = answered.notice.as_deref();
        let notice = || envelope::render_notice(context.client, notice?);
        let row = context.client.hook_row();
        if let Some(text) =
            envelope::render_reply(row, context.event.name, &reply.reply).or_else(notice)
        {
            if !self.watchdog.may_answer() {
                return Ok(());
            }
            output::print_line(&text)?;
        }
        for undone in &reply.undone {
            let (client, scope) = (context.client.name(), &context.settings.scope);
            note_undone(self.state, client, &context.run, scope, undone)?;
        }
        self.note_question(context, reply.question, reply.answer_lessons)?;
        if let Some(place) = context.remote_place() {
            let mut recalls = reply.recalls.iter();
            recalls.try_for_each(|recall| place.spool().add_recall(recall))?;
        }
        let Some(engine) = answered.engine else {
            return Ok(());
        };
        let mut recalls = reply.recalls.iter();
        let result = recalls.try_for_each(|recall| {
            let agent = Principal::agent(recall.scope.clone(), false);
            engine.acting_as(agent).note_recall(recall)
        });
        if !answered.has_written {
            // The process ends soon, and the system closes the file faster than this code could. A writer leaves no log
            // behind that the next reader would have to go through.
            mem::forget(engine);
        }
        Ok(result?)
    }

    /// Records the agent's question or its answer.
    fn note_question(
        &self,
        context: &HookContext,
        asked: Option<TurnQuestion>,
        answered: Option<Vec<LessonId>>,
    ) -> Result<(), CliError> {
        if let Some(question) = asked {
            let scope = &context.settings.scope;
            let question = AskedQuestion {
                at: context.now,
                run: context.run.as_str().to_owned(),
                client: context.client.name().to_owned(),
                tenant: scope.tenant.as_str().to_owned(),
                agent: scope.agent.as_str().to_owned(),
                project: scope
                    .project
                    .as_ref()
                    .map(|project| project.as_str().to_owned()),
                failures: question.gist(),
                lessons: None,
            };
            questions::note_asked(self.state, question)?;
        }
        if let Some(lessons) = answered {
            let lessons = lessons.into_iter().map(|id| id.0).collect();
            questions::note_answered(self.state, context.run.as_str(), lessons)?;
        }
        Ok(())
    }
}

/// The variables with which clients give hooks the folder the session was started in.
const START_FOLDER_VARIABLES: [&str; 3] = [
    "CLAUDE_PROJECT_DIR",
    "GEMINI_PROJECT_DIR",
    "QWEN_PROJECT_DIR",
];

/// Returns the folder that a session belongs to: where it was started, unless it is in a repository now. Sessions
/// change to folders below as they work.
fn session_folder(cwd: PathBuf, started_in: &dyn Fn(&str) -> Option<PathBuf>) -> PathBuf {
    let folders = START_FOLDER_VARIABLES
        .iter()
        .filter_map(|name| started_in(name));
    let mut folders =
        folders.filter(|folder| folder.is_absolute() && *folder != cwd && cwd.starts_with(folder));
    match folders.next() {
        Some(folders) if project::find_root(&cwd).is_none() => folders,
        _ => cwd,
    }
}

/// Makes the entry with which the session is learned from.
fn due_session(context: &HookContext, incoming: HookPayload) -> DueSession {
    DueSession {
        run: context.run.as_str().to_owned(),
        client: context.client.name().to_owned(),
        folder: incoming.cwd,
        parent: incoming.parent,
        transcript: incoming.transcript,
        tries: 0,
        writs: Vec::new(),
        reported: None,
    }
}

/// Reads the payload, and one byte more than the limit.
fn read_payload() -> io::Result<Vec<u8>> {
    let mut payload = Vec::new();
    let most = limits::HOOK_BYTES as u64 + 1;
    io::stdin().lock().take(most).read_to_end(&mut payload)?;
    Ok(payload)
}

/// Returns whether an event is at the start or end of a turn, where there is more time.
fn is_turn_edge(what: &SessionEventKind) -> bool {
    !matches!(
        what,
        SessionEventKind::BeforeCall { .. } | SessionEventKind::AfterCall { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_belongs_to_the_folder_it_was_started_in() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir_all(at("scripts/repo/.git")).unwrap();
        for (started, cwd, expected) in [
            (None, "scripts/sub", "scripts/sub"),
            (Some("scripts"), "scripts", "scripts"),
            (Some("scripts"), "scripts/sub", "scripts"),
            (Some("scripts"), "scripts/repo/src", "scripts/repo/src"),
            (Some("scripts"), "elsewhere", "elsewhere"),
        ] {
            let told = |name: &str| started.filter(|_| name.starts_with("QWEN")).map(at);
            assert_eq!(
                session_folder(at(cwd), &told),
                at(expected),
                "{started:?} {cwd}"
            );
        }
    }
}
