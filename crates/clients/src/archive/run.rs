//! Reads one run back out of a transcript, so that a person can see what happened in it.
//!
//! Nothing is learned from it and nothing is kept. The caller knows where the transcript is.

use std::{io, path::Path};

use hardwon_core::{AgentId, RunId, Scope, Trace, event::scrub_event};
use hardwon_engine::{TranscriptEvents, transcript::TranscriptFile as _};

use super::ClientTranscript;
use crate::transcript::ResumePoint;

/// Reads a run from a transcript, without secrets; `None` if the transcript does not contain it.
///
/// # Errors
///
/// Those of reading the file.
pub fn read_run(path: &Path, run: &RunId) -> io::Result<Option<Trace>> {
    Ok(read_run_of_client(path, run)?.map(|(trace, _)| trace))
}

/// Reads a run as [`read_run`] does, and the client that ran it, if that is known.
pub(super) fn read_run_of_client(
    path: &Path,
    run: &RunId,
) -> io::Result<Option<(Trace, Option<AgentId>)>> {
    let start = ResumePoint::start(run.clone());
    let Some(file) = ClientTranscript::open(path)? else {
        return Ok(None);
    };
    fold_run(file.events(start, file.size(), &mut |_| ())?, run)
}

fn fold_run(
    events: impl TranscriptEvents,
    run: &RunId,
) -> io::Result<Option<(Trace, Option<AgentId>)>> {
    let mut trace = Trace::new(run.clone(), Scope::default());
    let mut client = None;
    for item in events {
        let item = item?;
        if item.run.id == *run {
            client.clone_from(&item.run.agent);
            trace.push(scrub_event(item.event.without_agent_and_project()));
        }
    }
    Ok((!trace.steps().is_empty()).then_some((trace, client)))
}
