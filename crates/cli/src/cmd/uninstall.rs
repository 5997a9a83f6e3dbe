//! `hardwon uninstall`: takes out of people's settings what `init` put in.

use std::{fs, process::ExitCode};

use hardwon_clients::{
    Client,
    setup::{
        file::SetupDirection,
        machine::SetupScope,
        plan::{ClientPlan, plan_setup},
        row::SetupOptions,
    },
};

use super::{
    change::{self, ChangeOptions, ChangeOutcome},
    git_hook, server_setup,
};
use crate::{
    args::{GlobalArgs, UninstallArgs},
    config,
    error::CliError,
    output,
};

pub(super) fn run(global: &GlobalArgs, args: &UninstallArgs) -> Result<ExitCode, CliError> {
    if args.git {
        return git_hook::remove(args.dry_run);
    }
    let machine = change::current_machine()?;
    let clients = match args.clients.is_empty() {
        // A client that is gone may have left its settings.
        true => Client::ALL.to_vec(),
        false => change::distinct_clients(&args.clients),
    };
    let plugins = config::data_folder()?.join("plugins");
    let wish = SetupOptions {
        program: change::find_own_program(&machine)?,
        has_server: true,
        plugins: Some(plugins.clone()),
    };
    let reach = change::parse_setup_scope(global)?;
    let mut planned = plan_setup(
        &machine,
        &change::setup_rows(&clients),
        &reach,
        &wish,
        SetupDirection::Remove,
    );
    let concerns = |it: &ClientPlan| it.change_count() > 0 || it.problems().next().is_some();
    planned.retain(concerns);
    let manner = ChangeOptions {
        yes: args.yes,
        dry_run: args.dry_run,
        json: args.json,
    };
    let settled = change::confirm_and_apply(
        &machine,
        &planned,
        SetupDirection::Remove,
        manner,
        &reach,
        || Ok(()),
    )?;
    if settled.outcome == ChangeOutcome::Done
        && args.clients.is_empty()
        && reach == SetupScope::User
    {
        // Nobody reads it any more, and the next `init --plugin` makes it anew.
        drop(fs::remove_dir_all(&plugins));
    }
    if settled.outcome != ChangeOutcome::NotApplied
        && !args.dry_run
        && args.clients.is_empty()
        && reach == SetupScope::User
    {
        server_setup::remove_server(args.json)?;
    }
    if !args.json {
        match settled.outcome {
            ChangeOutcome::NothingToDo => {
                output::print_line("hardwon is in no agent's settings: nothing to remove")?;
            }
            ChangeOutcome::Done => {
                output::print_line(
                    "done; the lessons are kept, and `hardwon init` sets it up again",
                )?;
            }
            ChangeOutcome::NotApplied => {}
        }
    }
    settled.check()
}
