//! `hardwon replay`: plays recorded sessions again, and prints what lessons would have been worth.

mod table;

use std::{collections::HashMap, path::PathBuf, process::ExitCode};

use hardwon_api::v1::replay::ReplayDto;
use hardwon_clients::archive::{self, ClientTranscript};
use hardwon_engine::{Error, Replay, RunInfo};

use super::learn;
use crate::{
    ExitReason, GlobalArgs, ProjectResolver, Result, Settings, args::ReplayArgs, input, open,
    output,
};

/// Fewest sessions of which it is said what lessons would have been worth to them.
const MIN_SESSIONS: u64 = 5;
/// How much is played at most to say it in one line, in bytes: a few seconds' worth.
const SUMMARY_BYTES: u64 = 128 * 1024 * 1024;

pub(super) fn run(global: &GlobalArgs, args: &ReplayArgs) -> Result<ExitCode> {
    let settings = Settings::load(global)?;
    let paths = learn::session_paths(&args.paths, "replay", args.json)?;
    let (files, unreadable) = input::list_files(paths);
    let files = archive::keep_newest(archive::sort_by_time(files), args.limit);
    let mut sessions = replay_files(&settings, &files)?;
    sessions.unreadable.splice(0..0, unreadable);
    for what in &sessions.unreadable {
        output::print_note(what);
    }
    if args.json {
        let (replay, others) = (&sessions.replay, sessions.not_transcripts);
        let others = (others, &*sessions.unreadable);
        let answer = ReplayDto::from_report(replay.report(), &replay.lessons()?, others);
        output::print_json(&answer.map_err(|error| internal!("writing JSON: {error}"))?)?;
    } else {
        output::print(&table::render_report(&sessions)?)?;
    }
    let is_nothing = sessions.replay.report().sessions == 0;
    Ok(if sessions.unreadable.is_empty() {
        ExitReason::Negative.exit_code_if(is_nothing)
    } else {
        ExitReason::BadInput.exit_code()
    })
}

/// Says in one line what lessons would have been worth to the newest of some sessions; nothing where
/// these are few, or where nothing happened twice.
pub(super) fn summarise_replay(
    global: &GlobalArgs,
    files: Vec<(PathBuf, u64)>,
) -> Result<Option<String>> {
    let settings = Settings::load(global)?;
    let sizes: HashMap<PathBuf, u64> = files.into_iter().collect();
    let mut files = archive::sort_by_time(sizes.keys().cloned().collect());
    let mut bytes = 0;
    let is_too_much = |file: &PathBuf| {
        bytes += sizes[file];
        bytes > SUMMARY_BYTES
    };
    let surplus = files.iter().rev().position(is_too_much);
    files.drain(..surplus.map_or(0, |newest| files.len() - newest));
    let sessions = replay_files(&settings, &files)?;
    let report = sessions.replay.report();
    let counts = report.totals.preventable_counts();
    let is_worth_it = report.sessions >= MIN_SESSIONS && counts.recurrences > 0;
    Ok(is_worth_it.then(|| {
        format!(
            "In your last {} sessions {} had happened before; {} would have been covered by a lesson \
             (`hardwon replay` says which).",
            report.sessions,
            output::pluralize(counts.recurrences, "failure"),
            counts.covered + counts.covered_at_start,
        )
    }))
}

/// Sessions that were played.
struct ReplayedSessions {
    replay: Replay,
    /// Files of no known format.
    not_transcripts: u64,
    unreadable: Vec<String>,
}

/// Plays files in the order in which they are.
fn replay_files(settings: &Settings, files: &[PathBuf]) -> Result<ReplayedSessions> {
    let places = ProjectResolver::new(settings);
    let bar = learn::progress_bar(files);
    let mut sessions = ReplayedSessions {
        replay: open::new_replay(settings, &places.base_scope(settings))?,
        not_transcripts: 0,
        unreadable: Vec::new(),
    };
    for file in files {
        let place = |run: &RunInfo| places.resolve_project(run, file);
        let read = &mut |bytes| bar.inc(bytes);
        match sessions
            .replay
            .play_file::<ClientTranscript>(file, &place, read)
        {
            Ok(is_transcript) => sessions.not_transcripts += u64::from(!is_transcript),
            Err(error @ Error::ReadTranscript { .. }) => {
                sessions.unreadable.push(error.to_string());
            }
            Err(error) => return Err(error.into()),
        }
    }
    bar.finish_and_clear();
    Ok(sessions)
}

/// Returns a share.
#[expect(clippy::cast_precision_loss, reason = "a share needs no more digits")]
fn ratio(part: u64, all: u64) -> f64 {
    part as f64 / all as f64
}
