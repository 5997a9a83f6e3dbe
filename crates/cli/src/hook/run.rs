//! Runs one hook, from its payload to its reply.
//!
//! ```text
//! stdin --arrival--> Arrival --context--> HookOutcome --envelope--> stdout --aftermath--> records, learning
//! ```
//!
//! A hook never breaks the agent: whatever goes wrong, it exits with success, prints nothing, and
//! leaves a line in the log. The store is opened only for events that need it; records are written and
//! processes started after the agent has its reply.

use std::{
    panic::{self, AssertUnwindSafe},
    path::Path,
    process::ExitCode,
    time::Duration,
};

use hardwon_clients::hook::envelope;
use hardwon_core::{ClientName, RunId};
use hardwon_engine::FileSessions;
use jiff::Timestamp;

use super::{
    aftermath::Aftermath,
    arrival::{Arrival, DEBUG_SLOWDOWN, KEPT_LIMIT},
    capture,
    context::{HookContext, HookOutcome},
    log,
    watchdog::Watchdog,
};
use crate::{
    CliError, GlobalArgs, Result, Settings, args::HookArgs, config, open, output, pause,
    remote::follow,
};

/// Longest time for a prompt's vector: less than what a turn has, so that the lessons found by words are shown all the
/// same.
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
    let watchdog = Watchdog::start(KEPT_LIMIT, &state, client_name);
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
    fn handle_payload(&self) -> Result<()> {
        let Some(arrival) = Arrival::read(self.args)? else {
            return Ok(());
        };
        self.watchdog.change_limit(arrival.time_limit());
        let is_turn_edge = arrival.is_turn_edge();
        let arrival = arrival.complete();
        let context = self.build_context(&arrival)?;
        let project = context.settings.scope.project.as_ref();
        let sessions = FileSessions::new(self.state);
        if pause::is_paused(self.state, project, context.now) {
            let events = arrival.payload.events;
            return (context.note_unrecorded(self.state, &sessions, events))
                .map_err(CliError::internal);
        }
        let outcome = context.attend(self.state, &sessions, arrival.payload.events);
        let print_result = self.print_reply(&context, &outcome);
        let aftermath = Aftermath {
            state: self.state,
            global: self.global,
            context: &context,
        };
        aftermath.carry_out(outcome, matches!(print_result, Ok(true)), is_turn_edge)?;
        print_result.map(drop)
    }

    fn build_context(&self, arrival: &Arrival) -> Result<HookContext> {
        let (client, payload) = (arrival.client, &arrival.payload);
        let mut settings = Settings::load_in(self.global, payload.cwd.as_deref())?;
        settings.embedding.timeout = settings.embedding.timeout.min(EMBEDDING_LIMIT);
        // A sub-agent may not be given the files.
        #[cfg(feature = "gates")]
        if let Some(project) = &settings.scope.project
            && let Some(folder) = payload.cwd.as_deref().filter(|_| !payload.in_subagent)
        {
            settings.policy.placed =
                crate::place::reading::find_read_lessons(self.state, project, folder, client);
        }
        let new_name = open::follow_repository(&settings).unwrap_or_else(|failure| {
            log::write_note(self.state, client.name(), &failure.to_string());
            None
        });
        Ok(HookContext {
            client,
            client_name: ClientName::parse(client.name()).map_err(CliError::internal)?,
            event: arrival.event,
            settings,
            new_name: new_name.map(|note| format!("hardwon: {note}")),
            run: RunId::parse(&payload.session).map_err(CliError::internal)?,
            in_subagent: payload.in_subagent,
            parent: (payload.parent.as_deref()).and_then(|name| RunId::parse(name).ok()),
            is_typed: payload.is_interactive,
            folder: payload.cwd.clone(),
            transcript: payload.transcript.clone(),
            now: Timestamp::now(),
        })
    }

    /// Prints the reply, if there is one; returns false if it came too late.
    fn print_reply(&self, context: &HookContext, outcome: &HookOutcome) -> Result<bool> {
        let notice = || envelope::render_notice(context.client, outcome.notice.as_deref()?);
        let (row, name) = (context.client.hook_row(), context.event.name);
        let reply = envelope::render_reply(row, name, &outcome.attended.reply);
        let Some(text) = reply.or_else(notice) else {
            return Ok(true);
        };
        if !self.watchdog.may_answer() {
            return Ok(false);
        }
        output::print_line(&text)?;
        Ok(true)
    }
}
