//! Learning from the sessions that are on disk, offered once hardwon is set up.
//!
//! How long it would take is measured: a few of the files are read into a store that is thrown away.

use std::{
    env,
    path::PathBuf,
    time::{Duration, Instant},
};

use hardwon_clients::{
    Client,
    archive::{self, ArchiveEntry, ClientTranscript, SessionsFound},
};
use hardwon_engine::{Engine, Principal, Scope};
use indicatif::{HumanBytes, HumanDuration};

use super::{
    ask,
    learn::{self, LearnDetail},
    replay,
};
use crate::{
    args::{GlobalArgs, InitArgs, LearnArgs},
    config::{self, Settings},
    error::CliError,
    open, output,
};

/// How long the sample may take.
const SAMPLE_TIME: Duration = Duration::from_millis(500);
/// Most files of a sample.
const SAMPLE_FILES: usize = 16;

/// What lies on disk.
struct SessionsOnDisk {
    clients: Vec<&'static str>,
    files: Vec<(PathBuf, u64)>,
}

/// Learns from the sessions on disk if a person says so, now or by an option; returns whether there are some that nobody
/// was asked about.
pub(super) fn offer_learning(global: &GlobalArgs, args: &InitArgs) -> Result<bool, CliError> {
    let may_ask = !args.yes && !args.json && ask::can_ask();
    if args.no_learn {
        return Ok(false);
    }
    if !args.learn && !may_ask {
        return Ok(!locate_sessions().is_empty());
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
    if !args.json {
        let settings = Settings::load(&global)?;
        output::print_line("")?;
        output::print_line(&describe_estimate(
            &sessions,
            &open::open_scratch(&settings)?,
        ))?;
    }
    if !args.learn && !ask::ask_yes_no("Learn from them now?", true)? {
        output::print_line("run `hardwon learn` to do it later")?;
        return Ok(false);
    }
    let learning = LearnArgs {
        paths: Vec::new(),
        dry_run: false,
        capture: None,
        json: args.json,
    };
    learn::learn_sessions(&global, &learning, LearnDetail::Summary)?;
    if !args.json
        && let Some(said) = replay::summarise_replay(&global, sessions.files)?
    {
        output::print_line(&said)?;
    }
    Ok(false)
}

fn locate_sessions() -> Vec<SessionsFound> {
    match config::home_folder() {
        Some(home) => archive::locate_sessions(&home, &|name| env::var_os(name)),
        None => Vec::new(),
    }
}

fn find_sessions() -> SessionsOnDisk {
    let places = locate_sessions();
    let people_say = |name| Client::from_name(name).map_or(name, |name| name.setup_row().label);
    let mut clients: Vec<&str> = places
        .iter()
        .map(|place| people_say(place.client))
        .collect();
    clients.dedup();
    let paths: Vec<PathBuf> = places.into_iter().map(|place| place.path).collect();
    let files = archive::list_entries(paths).filter_map(|source| match source {
        ArchiveEntry::File(path) => {
            let bytes = archive::entry_size(&path);
            Some((path, bytes))
        }
        ArchiveEntry::Unreadable(..) => None,
    });
    SessionsOnDisk {
        clients,
        files: files.collect(),
    }
}

/// Says what there is, and how long learning from it takes.
fn describe_estimate(found: &SessionsOnDisk, scratch: &Engine) -> String {
    let bytes: u64 = found.files.iter().map(|(_, bytes)| bytes).sum();
    let (read, took) = time_sample(&found.files, scratch);
    let time = match read {
        0 => String::new(),
        _ => {
            let seconds = took.as_secs_f64() * byte_ratio(bytes, read);
            format!(
                ", about {}",
                HumanDuration(Duration::from_secs_f64(seconds.max(1.0)))
            )
        }
    };
    format!(
        "Sessions of {} are on disk: {}, {}{time}.",
        found.clients.join(", "),
        output::pluralize(found.files.len() as u64, "file"),
        HumanBytes(bytes),
    )
}

/// Reads some of the files, spread over all of them, and returns how many bytes in what time.
fn time_sample(files: &[(PathBuf, u64)], scratch: &Engine) -> (u64, Duration) {
    let desk = scratch.acting_as(Principal::person(Scope::default()));
    let read = |path| {
        desk.read_transcript::<ClientTranscript>(path, &|_| None, &mut |_| {})
            .is_ok()
    };
    let step = files.len().div_ceil(SAMPLE_FILES).max(1);
    // The first costs more than its share, for what is made ready once.
    if let Some((path, _)) = files.first() {
        read(path);
    }
    let start = Instant::now();
    let mut bytes_read = 0;
    for (path, bytes) in files.iter().rev().step_by(step) {
        if start.elapsed() > SAMPLE_TIME {
            break;
        }
        bytes_read += if read(path) { *bytes } else { 0 };
    }
    (bytes_read, start.elapsed())
}

#[expect(
    clippy::cast_precision_loss,
    reason = "an estimate needs no more digits"
)]
fn byte_ratio(all: u64, part: u64) -> f64 {
    all as f64 / part as f64
}
