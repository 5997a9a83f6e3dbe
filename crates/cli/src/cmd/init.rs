//! `hardwon init`: sets up the coding agents of the machine, and offers to learn from their past.

use std::process::ExitCode;

use super::change::{self, Manner, Outcome};
use crate::{
    args::{Global, InitArgs},
    error::Failure,
    hook::client::Client,
    output,
    setup::{
        file::Way,
        place::{Machine, label, programs},
        plan::plan,
        target::Wish,
    },
};

pub(super) fn run(global: &Global, args: &InitArgs) -> Result<ExitCode, Failure> {
    let machine = change::machine()?;
    let clients = clients(&machine, &args.clients)?;
    let wish = Wish {
        program: change::program(&machine)?,
        has_server: !args.no_mcp,
    };
    let reach = change::reach(global)?;
    let planned = plan(&machine, &clients, &reach, &wish, Way::In);
    let manner = Manner {
        yes: args.yes,
        dry_run: args.dry_run,
        json: args.json,
    };
    let settled = change::settle(&machine, &planned, Way::In, manner)?;
    if !args.json && settled.outcome == Outcome::Done {
        output::print(CLOSING)?;
    }
    settled.check()
}

const CLOSING: &str = "
From now on each of them gets your lessons when they matter, and every finished session is learned
from. `hardwon doctor` says whether all is well, and `hardwon uninstall` takes it out again.
";

/// Returns the clients to set up: those that were named, else those that are there.
fn clients(machine: &Machine<'_>, wanted: &[Client]) -> Result<Vec<Client>, Failure> {
    if !wanted.is_empty() {
        return Ok(change::named(wanted));
    }
    let found = machine.clients();
    if found.is_empty() {
        let known: Vec<&str> = Client::ALL.into_iter().map(label).collect();
        let first = programs(Client::ClaudeCode)[0];
        return Err(
            Failure::nothing("none of the coding agents that hardwon knows is here").hint(format!(
                "it knows {}; if one is here, name it, as in --client {first}-code",
                known.join(", ")
            )),
        );
    }
    Ok(found)
}
