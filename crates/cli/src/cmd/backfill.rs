//! Learning from the sessions that are on disk, offered once hardwon is set up.

use std::path::PathBuf;

use hardwon_clients::{Client, archive};
use indicatif::HumanBytes;

use super::{
    ask,
    learn::{self, LearnDetail},
    replay,
};
use crate::{
    GlobalArgs, Result,
    args::{InitArgs, LearnArgs},
    input, output,
};

/// What lies on disk.
struct SessionsOnDisk {
    clients: Vec<&'static str>,
    files: Vec<(PathBuf, u64)>,
}

/// Learns from the sessions on disk if a person says so, now or by an option; returns whether there are some that nobody
/// was asked about.
pub(super) fn offer_learning(global: &GlobalArgs, args: &InitArgs) -> Result<bool> {
    let may_ask = ask::can_ask() && !args.change.yes && !args.change.json;
    if args.no_learn {
        return Ok(false);
    }
    if !args.learn && !may_ask {
        return Ok(!input::locate_sessions().is_empty());
    }
    let sessions = find_sessions();
    if sessions.files.is_empty() {
        return Ok(false);
    }
    // Sessions of all projects are read, each for its own.
    let global = GlobalArgs {
        project: None,
        ..global.clone()
    };
    if !args.change.json {
        print_line!("\n{}", describe_sessions(&sessions))?;
    }
    if !args.learn && !ask::ask_yes_no("Learn from them now?", true)? {
        output::print_line("run `hardwon learn` to do it later")?;
        return Ok(false);
    }
    let learning = LearnArgs {
        paths: Vec::new(),
        dry_run: false,
        capture: None,
        json: args.change.json,
    };
    learn::learn_sessions(&global, &learning, LearnDetail::Summary)?;
    if !args.change.json
        && let Some(said) = replay::summarise_replay(&global, sessions.files)?
    {
        output::print_line(&said)?;
    }
    Ok(false)
}

fn find_sessions() -> SessionsOnDisk {
    let places = input::locate_sessions();
    let people_say = |name| Client::from_name(name).map_or(name, |name| name.setup_row().label);
    let mut clients: Vec<&str> = places
        .iter()
        .map(|place| people_say(place.client))
        .collect();
    clients.dedup();
    let paths: Vec<PathBuf> = places.into_iter().map(|place| place.path).collect();
    let files = input::list_files(paths).0.into_iter();
    let files = files.map(|path| {
        let bytes = archive::entry_size(&path);
        (path, bytes)
    });
    SessionsOnDisk {
        clients,
        files: files.collect(),
    }
}

/// Says what there is.
fn describe_sessions(found: &SessionsOnDisk) -> String {
    let bytes: u64 = found.files.iter().map(|(_, bytes)| bytes).sum();
    format!(
        "Sessions of {} are on disk: {}, {}.",
        found.clients.join(", "),
        output::pluralize(found.files.len() as u64, "file"),
        HumanBytes(bytes),
    )
}
