//! Opens transcripts, also runs of benchmarks, which no user of hardwon has: InterCode, SWE-agent and ReAct logs.
//!
//! A benchmark's file is told again as chats of the form that model APIs have, which the product reads. So everything that
//! decides what a failure is stays in one place. Files are read whole: test corpora are small.

mod chat;
mod intercode;
mod react;
mod swe_agent;
#[cfg(test)]
mod tests;

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Cursor, Read as _},
    path::Path,
};

use hardwon_clients::{archive::recognise_format, transcript::Format};
use hardwon_core::{RunId, limits};
use serde_json::Value;

use chat::Chat;

/// A transcript that can be read.
pub(crate) struct CorpusFile {
    /// The format in which it is read.
    pub(crate) format: Format,
    /// The benchmark that it is of.
    pub(crate) benchmark: Option<&'static str>,
    /// Its records.
    pub(crate) source: Box<dyn BufRead>,
}

/// Opens a file; `None` if it is no transcript.
pub(crate) fn open_file(path: &Path) -> anyhow::Result<Option<CorpusFile>> {
    let mut head = Vec::new();
    let limit = u64::try_from(limits::RECOGNISE_BYTES)?;
    File::open(path)?.take(limit).read_to_end(&mut head)?;
    if let Some(format) = recognise_format(path, &head) {
        let source = BufReader::with_capacity(256 * 1024, File::open(path)?);
        return Ok(Some(CorpusFile {
            format,
            benchmark: None,
            source: Box::new(source),
        }));
    }
    let Ok(text) = fs::read_to_string(path) else {
        return Ok(None);
    };
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    Ok(read_benchmark(&extension, &text).and_then(|(name, chats)| {
        let lines: String = chats.iter().map(Chat::render).collect();
        Some(CorpusFile {
            format: recognise_format(Path::new("chats.jsonl"), lines.as_bytes())?,
            benchmark: Some(name),
            source: Box::new(Cursor::new(lines)),
        })
    }))
}

/// Returns the name of the run that a file holds.
pub(crate) fn name_run(path: &Path) -> RunId {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    RunId::parse(&stem).unwrap_or_else(|_| RunId::parse("file").expect("a fixed name"))
}

/// Reads a benchmark's file, with the name of the benchmark; `None` if it is none.
fn read_benchmark(extension: &str, text: &str) -> Option<(&'static str, Vec<Chat>)> {
    // Programs and documents quote such traces.
    if ["", "txt", "log", "trace", "out"].contains(&extension) && react::is_trace(text) {
        return Some(("react", react::read_trace(text)));
    }
    let value: Value = serde_json::from_str(text).ok()?;
    match swe_agent::read_trajectory(&value) {
        Some(chat) => Some(("swe-agent", vec![chat])),
        None => Some(("intercode", intercode::read_tasks(&value)?)),
    }
}
