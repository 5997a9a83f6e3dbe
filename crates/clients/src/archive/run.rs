//! Reads one run back out of a transcript, so that a person can see what happened in it.
//!
//! Nothing is learned from it and nothing is kept. The caller knows where the transcript is.

use std::{io, path::Path};

use hardwon_core::{RunId, Scope, Trace, event::scrub_event};
use hardwon_engine::{TranscriptEvents, transcript::TranscriptFile as _};

use super::ClientTranscript;
use crate::transcript::ResumePoint;

/// Reads a run from a transcript, without secrets; `None` if the transcript does not contain it.
///
/// # Errors
///
/// Those of reading the file.
pub fn read_run(path: &Path, run: &RunId) -> io::Result<Option<Trace>> {
    let start = ResumePoint::start(run.clone());
    let Some(file) = ClientTranscript::open(path)? else {
        return Ok(None);
    };
    fold_run(file.events(start, file.size(), &mut |_| ())?, run)
}

fn fold_run(events: impl TranscriptEvents, run: &RunId) -> io::Result<Option<Trace>> {
    let mut trace = Trace::new(run.clone(), Scope::default());
    for item in events {
        let item = item?;
        if item.run.id == *run {
            trace.push(scrub_event(item.event.without_agent_and_project()));
        }
    }
    Ok(Some(trace).filter(|trace| !trace.steps().is_empty()))
}
