//! Reading transcripts: what real agents wrote down about their runs, as [`RawEvent`]s.
//!
//! ```text
//! file --recognise--> Format      file --record--> Record --a format--> Session --> Item
//! ```
//!
//! [`recognise`] tells a transcript from another file by its content; [`read`] streams it and
//! hands out one [`Item`] per event; [`locate`] and [`sources`] find the files. Each format is one
//! small file that knows its client's wire types and nothing else; the rules that hold for all
//! (which event comes when, what a failure is, what a person said) live in one place each.
//!
//! A tool's output does not leave this module: only how the call ended, and the few lines that
//! name the error. Nothing here redacts; every text goes out as
//! [`RawText`](hardwon_core::text::RawText).
//!
//! How a run ended is often not written down. A run says so itself where it can (a score, an exit
//! status); one that was interrupted last is aborted; one whose last tool call failed counts as
//! failed; any other that simply stops counts as completed.

mod text;
mod wire;
mod record;
mod head;
mod failure;
mod speech;
mod steps;
mod tool;
mod session;
mod cursor;
mod recognise;
mod find;
mod when;

mod claude;
mod codex;
mod gemini;
mod qwen;
mod copilot;
mod pi;
mod opencode;
mod one_run;
mod openhands;
mod swe_agent;
mod intercode;
mod aider;
mod react;
mod messages;
pub mod plain;
pub mod live;

use std::{
    borrow::Cow,
    io::{self, BufRead},
    ops::ControlFlow,
};

use hardwon_core::{
    event::RawEvent,
    id::{AgentId, RunId},
};

pub use cursor::Cursor;
pub use find::{Found, Source, locate, sources};
pub use one_run::read_run;
pub use recognise::{Format, recognise};
pub use when::began;

use recognise::Layout;
use record::{Line, Record};
use session::Session;

/// What is known about a run while its events are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunInfo {
    /// Its name: the session's own, else one made of the name the caller gave the file.
    pub id: RunId,
    /// The client that ran it.
    pub agent: Option<AgentId>,
    /// The folder it worked in, as the file has it.
    pub cwd: Option<String>,
    /// The URL of its repository, as the file has it.
    pub remote: Option<String>,
}

/// One event, with the run it belongs to.
#[derive(Debug)]
pub struct Item<'a> {
    /// The run; its folder may become known only after its first event.
    pub run: &'a RunInfo,
    /// What happened.
    pub event: RawEvent,
    /// Whether a call ran: a client may turn one down before, and no hook hears of that in time.
    pub ran: bool,
}

/// What reading a transcript came to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Summary {
    /// How many events were handed out.
    pub events: u64,
    /// How many runs they belong to.
    pub runs: u64,
    /// How many lines or parts could not be read and were passed over.
    pub broken: u64,
    /// How many bytes were read.
    pub bytes: u64,
    /// Where to go on when the file has grown; `None` for a format that is read whole each time.
    pub cursor: Option<Cursor>,
}

/// A record that is not what the format says it must be.
#[derive(Debug)]
struct Broken;

impl From<serde_json::Error> for Broken {
    fn from(_: serde_json::Error) -> Self {
        Self
    }
}

/// What one format makes of its records.
trait Reader {
    /// Reads one line, element or member. `key` is the member's name, empty for the others.
    fn value(&mut self, key: &str, json: &str, session: &mut Session<'_>) -> Result<(), Broken>;

    /// A document ended.
    fn document_end(&mut self, _session: &mut Session<'_>) {}

    /// The file ended.
    fn file_end(&mut self, _session: &mut Session<'_>) {}
}

/// Reads a transcript and hands each event to `sink`, until it breaks off or the file ends.
///
/// `source` must stand at [`Cursor::offset`] of the cursor. At the end of the file every run gets
/// its [`End`](hardwon_core::event::EventOf::End); when the file grows and is read on, a run that
/// goes on gets its `Run` event again, and another `End`.
///
/// Broken records are passed over and counted. The only error is one of the source itself. When
/// `sink` breaks off, the cursor stands after the record that was being read, whose other events
/// are lost, and no run gets its `End`.
pub fn read(
    mut source: impl BufRead,
    format: Format,
    cursor: Cursor,
    sink: &mut dyn FnMut(Item<'_>) -> ControlFlow<()>,
) -> io::Result<Summary> {
    let mut reader = format.reader();
    let mut session = Session::new(cursor.name.clone(), format.agent(), sink);
    let start = cursor.offset;
    cursor.restore(&mut session);
    let mut summary = Summary::default();
    match format.layout() {
        Layout::Lines => read_lines(&mut source, &mut *reader, &mut session, &mut summary)?,
        Layout::Document => read_document(&mut source, &mut *reader, &mut session, &mut summary)?,
        Layout::Text => read_text(&mut source, &mut *reader, &mut session, &mut summary)?,
    }
    if !session.stopped {
        reader.file_end(&mut session);
        session.end_of_file();
    }
    summary.events = session.events;
    summary.runs = session.run_count;
    if format.is_resumable() {
        summary.cursor = Some(Cursor::of(&session, start + summary.bytes));
    }
    Ok(summary)
}

fn read_lines(
    source: &mut dyn BufRead,
    reader: &mut dyn Reader,
    session: &mut Session<'_>,
    summary: &mut Summary,
) -> io::Result<()> {
    let mut buffer = Vec::new();
    while !session.stopped
        && let Some((line, bytes)) = record::next_line(source, &mut buffer)?
    {
        let read = match line {
            Line::Whole(line) if line.trim_ascii().is_empty() => Ok(()),
            Line::Whole(line) => reader.value("", &text_of(line), session),
            Line::Long => Err(Broken),
            // A last line without its line break may still be being written.
            Line::Open(line) => match reader.value("", &text_of(line), session) {
                Ok(()) => Ok(()),
                Err(Broken) => break,
            },
        };
        summary.bytes += bytes;
        summary.broken += u64::from(read.is_err());
    }
    Ok(())
}

/// The bytes as text; what is no UTF-8 becomes `\u{fffd}`, so that the rest can be read.
fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

/// Text has no broken lines, and its blank lines mean something.
fn read_text(
    source: &mut dyn BufRead,
    reader: &mut dyn Reader,
    session: &mut Session<'_>,
    summary: &mut Summary,
) -> io::Result<()> {
    let mut buffer = Vec::new();
    while !session.stopped
        && let Some((line, bytes)) = record::next_line(source, &mut buffer)?
    {
        let read = match line {
            Line::Whole(line) | Line::Open(line) => reader.value("", &text_of(line), session),
            Line::Long => Err(Broken),
        };
        summary.bytes += bytes;
        summary.broken += u64::from(read.is_err());
    }
    Ok(())
}

fn read_document(
    source: &mut dyn BufRead,
    reader: &mut dyn Reader,
    session: &mut Session<'_>,
    summary: &mut Summary,
) -> io::Result<()> {
    let mut broken = 0;
    summary.bytes = record::split(source, &mut |record| {
        match record {
            Record::Value { key, json } => {
                broken += u64::from(reader.value(key, &text_of(json), session).is_err());
            }
            Record::Broken => broken += 1,
            Record::End => reader.document_end(session),
        }
        if session.stopped {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })?;
    summary.broken = broken;
    Ok(())
}
