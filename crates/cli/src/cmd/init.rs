//! `hardwon init`: sets up the coding agents of the machine, and offers to learn from their past.

use std::process::ExitCode;

use hardwon_clients::{
    Client,
    setup::{Machine, SetupDirection, SetupOptions, plan::plan_setup},
};

use super::{
    ask, backfill,
    change::{self, ChangeOutcome},
    config as settings, git_hook, server_setup,
};
use crate::{
    CliError, GlobalArgs, Result, SettingValues, Settings,
    args::InitArgs,
    config::{self, SettingOrigin},
    output, pause,
};

pub(super) fn run(global: &GlobalArgs, args: &InitArgs) -> Result<ExitCode> {
    if args.git {
        return super::succeed(git_hook::install(args.change.dry_run));
    }
    let machine = change::current_machine()?;
    let clients = select_clients(&machine, &args.clients)?;
    let server = server_setup::check_server(global, args)?;
    let wish = SetupOptions {
        program: change::require_recognisable_program(&machine)?,
        has_server: !args.no_mcp,
    };
    let reach = change::parse_setup_scope(global)?;
    let way = SetupDirection::Install;
    let rows = change::setup_rows(&clients);
    let plan = plan_setup(&machine, &rows, &reach, &wish, way);
    let change = change::confirm_and_apply(&machine, &plan, way, args.change, args.diff, &reach)?;
    let is_shown = args.change.dry_run && !args.change.json;
    if let Some(server) = server.as_ref().filter(|_| is_shown) {
        print_line!("the lessons would be kept by {}", server.address())?;
    }
    if args.change.dry_run || change.outcome == ChangeOutcome::NotApplied {
        return change.check();
    }
    pause::end_removal(&config::state_folder()?)
        .map_err(|error| internal!("taking up work after a removal: {error}"))?;
    let has_more_sessions = match &server {
        Some(server) => {
            server.save(global, args.change.json)?;
            false
        }
        None if Settings::load(global)?.server.is_some() => false,
        None => backfill::offer_learning(global, args)?,
    };
    offer_questions(global, args)?;
    if !args.change.json && change.outcome == ChangeOutcome::Done {
        output::print(&render_closing(global, has_more_sessions)?)?;
    }
    change.check()
}

/// Says what happens from now on, and what to look at. The question is explained where nobody was asked about it.
fn render_closing(global: &GlobalArgs, has_more_sessions: bool) -> Result<String> {
    let later = if has_more_sessions {
        "  hardwon learn      learns from the sessions that they have left on disk\n"
    } else {
        ""
    };
    let (_, origin) = SettingValues::gather(global)?.get("ask");
    let question = match origin {
        SettingOrigin::Default => {
            "After a turn with failures an agent may be asked once what to remember, which costs one more turn of its \
             model; `hardwon config set ask off` turns that off.\n"
        }
        SettingOrigin::File | SettingOrigin::Environment | SettingOrigin::Flag => "",
    };
    let settings = Settings::load(global)?;
    let has_meaning = settings.embedding.is_on() || config::model_file()?.exists();
    let meaning = if has_meaning || settings.server.is_some() {
        ""
    } else {
        "Lessons are found by their words; `hardwon meaning add FILE` puts a sentence model of 12 MB beside them, which \
         finds them in other words and other languages too (docs/meaning.md).\n"
    };
    Ok(format!(
        "
From now on your agents are shown lessons when they matter, and every session that ends is learned from.
Agents that are running begin with that when they are started again.
{later}  hardwon log        shows what they were told and asked, and why
  hardwon doctor     checks whether all is well
  hardwon uninstall  takes it out of their settings again
{question}{meaning}"
    ))
}

/// Asks the person whether agents may be asked, unless they said so before.
fn offer_questions(global: &GlobalArgs, args: &InitArgs) -> Result<()> {
    let (_, origin) = SettingValues::gather(global)?.get("ask");
    if args.change.yes || args.change.json || origin != SettingOrigin::Default || !ask::can_ask() {
        return Ok(());
    }
    output::print_line(
        "\nAfter a turn in which something failed and then worked, the agent can be asked once what a later session \
         should know. That costs one more turn of the model over its whole context.",
    )?;
    let question = "Let hardwon ask, at most once a session and 10 times a day?";
    let may_ask = ask::ask_yes_no(question, true)?;
    settings::write_setting(global, "ask", if may_ask { "on" } else { "off" })
}

/// Returns the clients to set up: those that were named, else those that are there.
fn select_clients(machine: &Machine<'_>, wanted: &[Client]) -> Result<Vec<Client>> {
    if !wanted.is_empty() {
        return Ok(change::distinct_clients(wanted));
    }
    let clients = Client::find_on(machine);
    if clients.is_empty() {
        let names = Client::ALL.map(|client| client.setup_row().label);
        let first = Client::ClaudeCode.setup_row().programs[0];
        return Err(
            CliError::negative("found none of the coding agents that hardwon supports").with_hint(format!(
                "it supports {}; if one of them is installed, name it, as in --client {first}-code; \
                 `hardwon demo` shows how it works without one",
                names.join(", ")
            )),
        );
    }
    Ok(clients)
}
