//! `hardwon learn` where a server keeps the lessons: the runs of each transcript are sent there, as hooks send theirs.
//!
//! What is sent is a bounded trace without secrets and outputs. It is spooled before, so that nothing is lost if the server is
//! away, and one file's runs are sent before the next is read.

use std::{collections::BTreeMap, path::PathBuf, process::ExitCode};

use hardwon_clients::archive::ClientTranscript;
use hardwon_core::Scope;
use hardwon_engine::{RunInfo, read_runs};
use serde::Serialize;

use crate::{
    ExitReason, ProjectResolver, RemotePlace, Result, Settings,
    args::LearnArgs,
    cmd::doctor::server::describe_waiting,
    input, output,
    remote::{follow, send},
};

/// What was sent.
#[derive(Debug, Default, Serialize)]
struct SentSummaryDto {
    /// Transcripts that were read.
    files: u64,
    /// Files of no known format.
    not_transcripts: u64,
    /// What could not be read, a sentence each.
    unreadable: Vec<String>,
    /// Runs that were sent.
    runs: u64,
    /// Things that wait to be sent.
    waiting: usize,
}

pub(super) fn run(
    settings: &Settings,
    server: &RemotePlace,
    paths: Vec<PathBuf>,
    args: &LearnArgs,
) -> Result<ExitCode> {
    let resolver = ProjectResolver::new(settings);
    let mut sender = RunSender {
        server,
        scope: resolver.base_scope(settings),
        resolver,
        summary: SentSummaryDto::default(),
        places: BTreeMap::new(),
        trouble: None,
    };
    let (files, unreadable) = input::list_files(paths);
    for trouble in unreadable {
        sender.add_unreadable(trouble);
    }
    for path in files {
        sender.send_file(&path, args)?;
    }
    sender.report(args)
}

/// Sends the runs of transcripts, each for its project.
struct RunSender<'s> {
    server: &'s RemotePlace,
    resolver: ProjectResolver,
    scope: Scope,
    summary: SentSummaryDto,
    /// The projects that there was something of, by their names.
    places: BTreeMap<String, RemotePlace>,
    /// Why the server takes nothing in at present.
    trouble: Option<String>,
}

impl RunSender<'_> {
    fn send_file(&mut self, path: &PathBuf, args: &LearnArgs) -> Result<()> {
        let resolver = &self.resolver;
        let project = |run: &RunInfo| resolver.resolve_project(run, path);
        let traces = match read_runs::<ClientTranscript>(path, &self.scope, &project, None) {
            Ok(Some(traces)) => traces,
            Ok(None) if args.paths.contains(path) => {
                self.add_unreadable(super::describe_unknown(path));
                return Ok(());
            }
            Ok(None) => {
                self.summary.not_transcripts += 1;
                return Ok(());
            }
            Err(error) => {
                self.add_unreadable(format!("reading {}: {error}", path.display()));
                return Ok(());
            }
        };
        self.summary.files += 1;
        for trace in &traces {
            let scope = trace.scope();
            let name = scope.project_name().unwrap_or("");
            let server = self.server;
            let place = self.places.entry(name.to_owned());
            let place = place.or_insert_with(|| server.for_scope(scope));
            place.touch()?;
            place.spool().add_trace(trace)?;
            self.summary.runs += 1;
        }
        self.send_waiting()
    }

    /// Sends what waits, unless the server was away before.
    fn send_waiting(&mut self) -> Result<()> {
        for place in self.places.values() {
            if self.trouble.is_some() {
                break;
            }
            let client = place.connect()?;
            loop {
                match send::send_next(place, &client) {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(trouble) => {
                        self.trouble = Some(trouble.to_string());
                        break;
                    }
                }
            }
        }
        // What waits is bounded, also while the server is away.
        for place in self.places.values().filter(|_| self.trouble.is_some()) {
            place.spool().drop_surplus()?;
        }
        Ok(())
    }

    fn add_unreadable(&mut self, what: String) {
        output::print_note(&what);
        self.summary.unreadable.push(what);
    }

    fn report(mut self, args: &LearnArgs) -> Result<ExitCode> {
        let waiting = |place: &RemotePlace| place.spool().list().map_or(0, |list| list.len());
        self.summary.waiting = self.places.values().map(waiting).sum();
        for place in self.places.values() {
            // It fetches what was learned, and sends what waits.
            follow::keep_following(place)?;
        }
        output::print_answer(args.json, &self.summary, || {
            format!(
                "{} in {} for the server {}, which learns from them",
                output::pluralize(self.summary.runs, "run"),
                output::pluralize(self.summary.files, "transcript"),
                self.server.address.as_str()
            )
        })?;
        if let Some(trouble) = &self.trouble {
            let waiting = describe_waiting(self.summary.waiting);
            print_note!("{waiting} to be sent: {trouble}");
            return Ok(ExitReason::Partial.exit_code());
        }
        Ok(ExitReason::BadInput.exit_code_if(!self.summary.unreadable.is_empty()))
    }
}
