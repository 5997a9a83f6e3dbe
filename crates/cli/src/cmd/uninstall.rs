//! `hardwon uninstall`: takes out of people's settings what `init` put in.

use std::{fs, process::ExitCode};

use hardwon_clients::{
    Client,
    setup::{
        file::Way,
        place::SetupReach,
        plan::{Planned, plan},
        row::Wish,
    },
};

use super::change::{self, Manner, Outcome};
use crate::{
    args::{Global, UninstallArgs},
    config,
    error::Failure,
    output,
};

pub(super) fn run(global: &Global, args: &UninstallArgs) -> Result<ExitCode, Failure> {
    let machine = change::machine()?;
    let clients = match args.clients.is_empty() {
        // A client that is gone may have left its settings.
        true => Client::ALL.to_vec(),
        false => change::named(&args.clients),
    };
    let plugins = config::data_folder()?.join("plugins");
    let wish = Wish {
        program: change::program(&machine)?,
        has_server: true,
        plugins: Some(plugins.clone()),
    };
    let reach = change::reach(global)?;
    let mut planned = plan(&machine, &change::setups(&clients), &reach, &wish, Way::Out);
    let concerns = |it: &Planned| it.size() > 0 || it.troubles().next().is_some();
    planned.retain(concerns);
    let manner = Manner {
        yes: args.yes,
        dry_run: args.dry_run,
        json: args.json,
    };
    let settled = change::settle(&machine, &planned, Way::Out, manner, &reach, || Ok(()))?;
    if settled.outcome == Outcome::Done && args.clients.is_empty() && reach == SetupReach::User {
        // Nobody reads it any more, and the next `init --plugin` makes it anew.
        drop(fs::remove_dir_all(&plugins));
    }
    if !args.json {
        match settled.outcome {
            Outcome::AsItShouldBe => {
                output::line("hardwon is in no agent's settings: nothing to remove")?;
            }
            Outcome::Done => {
                output::line("done; the lessons are kept, and `hardwon init` sets it up again")?;
            }
            Outcome::Untouched => {}
        }
    }
    settled.check()
}
