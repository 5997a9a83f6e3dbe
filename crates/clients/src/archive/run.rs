//! Reads one run back out of a transcript, so that a person can see what happened in it.
//!
//! Nothing is learned from it and nothing is kept. The caller knows where the transcript is.

use std::{
    fs::File,
    io::{self, BufReader, Read as _, Seek as _},
    path::Path,
};

use hardwon_core::{event::scrub_event, id::RunId, limits, scope::Scope, trace::Trace};

use super::recognise_format;
use crate::{
    opencode::database::StoredSession,
    transcript::{ResumePoint, TranscriptReader, read_transcript},
};

/// Reads a run from a transcript, without secrets; `None` if the transcript does not contain it.
///
/// # Errors
///
/// Those of reading the file.
pub fn read_run(path: &Path, run: &RunId) -> io::Result<Option<Trace>> {
    let start = ResumePoint::start(run.clone());
    if let Some(session) = StoredSession::open(path)? {
        return fold_run(session.read_events(start, &mut |_| ())?, run);
    }
    let mut file = File::open(path)?;
    let mut head = Vec::new();
    let most = u64::try_from(limits::RECOGNISE_BYTES).expect("it is small");
    file.by_ref().take(most).read_to_end(&mut head)?;
    let Some(format) = recognise_format(path, &head) else {
        return Ok(None);
    };
    file.rewind()?;
    fold_run(read_transcript(BufReader::new(file), format, start), run)
}

fn fold_run(events: TranscriptReader<'_>, run: &RunId) -> io::Result<Option<Trace>> {
    let mut trace = Trace::new(run.clone(), Scope::default());
    for item in events {
        let item = item?;
        if item.run.id == *run {
            trace.push(scrub_event(item.event.without_agent_and_project()));
        }
    }
    Ok(Some(trace).filter(|trace| !trace.steps().is_empty()))
}
