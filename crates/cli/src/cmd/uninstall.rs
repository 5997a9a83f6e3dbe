//! `hardwon uninstall`: takes out of people's settings what `init` put in.

mod purge;

use std::process::ExitCode;

use hardwon_clients::{
    Client,
    setup::{ClientPlan, SetupDirection, SetupOptions, SetupScope, plan::plan_setup},
};

use self::purge::KeptData;
use super::{
    change::{self, ChangeOutcome},
    git_hook, server_setup,
};
use crate::{GlobalArgs, Result, args::UninstallArgs, config, output, time};

pub(super) fn run(global: &GlobalArgs, args: &UninstallArgs) -> Result<ExitCode> {
    if args.git {
        return super::succeed(git_hook::remove(args.change.dry_run));
    }
    let machine = change::current_machine()?;
    let clients = if args.clients.is_empty() {
        // A client that is gone may have left its settings.
        Client::ALL.to_vec()
    } else {
        change::distinct_clients(&args.clients)
    };
    let wish = SetupOptions {
        program: change::find_own_program(&machine)?,
        has_server: true,
    };
    let reach = change::parse_setup_scope(global)?;
    let mut plan = plan_setup(
        &machine,
        &change::setup_rows(&clients),
        &reach,
        &wish,
        SetupDirection::Remove,
    );
    plan.retain(|plan: &ClientPlan| {
        plan.changed_files().next().is_some() || plan.problems().next().is_some()
    });
    let change = change::confirm_and_apply(
        &machine,
        &plan,
        SetupDirection::Remove,
        args.change,
        false,
        &reach,
    )?;
    let is_all = reach == SetupScope::User && args.clients.is_empty();
    if change.outcome != ChangeOutcome::NotApplied && !args.change.dry_run && is_all {
        server_setup::remove_server(args.change.json)?;
    }
    if !args.change.json && !args.purge {
        match change.outcome {
            ChangeOutcome::NothingToDo => {
                output::print_line("hardwon is in no agent's settings: nothing to remove")?;
            }
            ChangeOutcome::Done => output::print(&render_done(is_all))?,
            ChangeOutcome::NotApplied => {}
        }
    }
    if args.purge && (args.change.dry_run || change.outcome != ChangeOutcome::NotApplied) {
        purge_data(global, args)?;
    }
    change.check()
}

/// Says what was done, and where no agent has it any more, what stays, and how that and the program are removed.
fn render_done(is_all: bool) -> String {
    let mut text = "done; `hardwon init` sets it up again\n".to_owned();
    if is_all {
        text += "lessons and hardwon's own settings are kept; `hardwon uninstall --purge` deletes them\n";
        text += REMOVAL;
    }
    text
}

const REMOVAL: &str = "the program is removed in the way in which it was installed (`npm uninstall --global hardwon`, `uv tool uninstall hardwon` …)\n";

/// Shows what hardwon keeps, asks, and deletes it.
fn purge_data(global: &GlobalArgs, args: &UninstallArgs) -> Result<()> {
    let data = KeptData::find(global)?;
    let machine = change::current_machine()?;
    output::print(&data.render(&machine))?;
    if args.change.dry_run || !data.confirm(args)? {
        return Ok(());
    }
    match data.delete_for_good(&machine.home)? {
        None => output::print_line("done; hardwon keeps nothing in its own folders any more")?,
        Some(until) => {
            let folder = machine.short_path(&config::state_folder()?);
            print_line!(
                "done; hardwon keeps nothing in its own folders any more but a note in {folder}: sessions that are open still \
                 start its hooks, and the note keeps these still until {} or the next `hardwon init`",
                time::format_local(until)
            )?;
        }
    }
    output::print(REMOVAL)
}
