//! Reads transcripts, the records that real agents keep of their runs, as raw events.
//!
//! ```text
//! file --recognise_format--> Format
//! file --TranscriptRecord--> FormatReader --> TranscriptSession --> TranscriptEvent
//! ```
//!
//! [`read_transcript`] streams a transcript as an iterator with one [`TranscriptEvent`] per event. Each format is one
//! small file that knows its client's wire types and nothing else, in the client's folder, or in [`formats`]
//! where there is none; the rules that hold for all (which event comes when, what a failure is, what a
//! person typed) are here, in one place each. [`archive`](crate::archive) knows where the files are.
//!
//! A tool's output does not leave this module: only how the call ended, and the few lines that
//! name the error. Nothing here redacts; every text goes out as
//! [`RawText`](hardwon_core::text::RawText).
//!
//! How a run ended is often not recorded. Where it is (a score, an exit status), that counts;
//! one that was interrupted last is aborted; one whose last tool call failed counts as
//! failed; any other that simply stops counts as completed.

pub mod formats;

pub(crate) mod call_report;
pub(crate) mod format;
pub(crate) mod home;
pub(crate) mod json_text;
pub(crate) mod live;
pub(crate) mod open_run;
pub(crate) mod record;
pub(crate) mod session;
pub(crate) mod text;
pub(crate) mod tool;
pub(crate) mod wire;

mod cursor;
pub(crate) mod error_head;
mod sentence;
mod speech;
mod steps;

pub(crate) use call_report::{ReportedOutcome, ReportedOutput};
pub(crate) use format::{FormatRow, RecordLayout};
pub(crate) use home::SessionHome;
pub(crate) use open_run::{OpenRun, PendingCall};
pub(crate) use record::TranscriptRecord;
pub(crate) use session::TranscriptSession;
pub(crate) use wire::{Json, Text, WireContent};

use std::{
    borrow::Cow,
    io::{self, BufRead},
};

use hardwon_engine::{ReadSummary, TranscriptEvent, TranscriptEvents};

pub use cursor::ResumePoint;
pub use format::Format;
pub use formats::plain;

use json_text::{UTF8_MARK, split_objects, to_json_text};
use record::{DocumentCutter, RawLine, RecordSource};

/// The error for a record that does not have the form of its format.
#[derive(Debug)]
pub(crate) struct BrokenRecord;

impl From<serde_json::Error> for BrokenRecord {
    fn from(_: serde_json::Error) -> Self {
        Self
    }
}

/// Whether a record could be read.
pub(crate) type ReadResult = Result<(), BrokenRecord>;

/// Reads the records of one format into a session. A format that keeps nothing between records is a function.
pub(crate) trait FormatReader {
    /// Reads one line, element or member. `key` is the member's name, empty for the others.
    fn read_value(&mut self, key: &str, json: &str, session: &mut TranscriptSession) -> ReadResult;

    /// Handles the end of a document.
    fn end_document(&mut self, session: &mut TranscriptSession) {
        session.close_run();
    }

    /// Handles the end of the file.
    fn end_file(&mut self, _session: &mut TranscriptSession) {}
}

impl<F> FormatReader for F
where
    F: FnMut(&str, &str, &mut TranscriptSession) -> ReadResult,
{
    fn read_value(&mut self, key: &str, json: &str, session: &mut TranscriptSession) -> ReadResult {
        self(key, json, session)
    }
}

/// Reads a transcript, event by event.
///
/// `source` must be at the [`offset`] of the cursor. At the end of the file every run gets its
/// [`End`](hardwon_core::event::RunEvent::End); when the file grows and is read on, a run that goes on
/// gets its `Run` event again, and another `End`.
///
/// [`offset`]: hardwon_engine::transcript::TranscriptCursor::offset
///
/// Broken records are skipped and counted. The only error is one of the source itself, and no event
/// comes after it.
pub fn read_transcript<'a>(
    source: impl BufRead + 'a,
    format: Format,
    cursor: ResumePoint,
) -> TranscriptReader<'a> {
    let source: Box<dyn BufRead + 'a> = Box::new(source);
    let records = match format.layout {
        RecordLayout::Lines => RecordStream::Lines(TranscriptLines::new(source, true)),
        RecordLayout::Text => RecordStream::Lines(TranscriptLines::new(source, false)),
        RecordLayout::Document => RecordStream::Parts(Box::new(DocumentCutter::new(source))),
    };
    TranscriptReader::new(records, format, cursor)
}

/// Reads a session that is already cut into records, event by event, as [`read_transcript`] does a file.
pub(crate) fn read_records<'a>(
    records: impl RecordSource + 'a,
    format: Format,
    cursor: ResumePoint,
) -> TranscriptReader<'a> {
    TranscriptReader::new(RecordStream::Parts(Box::new(records)), format, cursor)
}

/// An iterator over the events of a transcript.
pub struct TranscriptReader<'a> {
    records: RecordStream<'a>,
    reader: Box<dyn FormatReader>,
    session: TranscriptSession,
    /// The offset where reading began; `None` for a format that cannot be read on.
    start: Option<u64>,
    is_over: bool,
    events: u64,
    broken: u64,
}

/// The records of a transcript.
enum RecordStream<'a> {
    Lines(TranscriptLines<'a>),
    Parts(Box<dyn RecordSource + 'a>),
}

/// A transcript of lines.
struct TranscriptLines<'a> {
    source: Box<dyn BufRead + 'a>,
    /// Whether each line is JSON. Text has no broken lines, and its blank lines mean something.
    is_json: bool,
    /// The line being read; kept between lines for its allocation.
    line: Vec<u8>,
    /// How many bytes were read.
    bytes: u64,
}

impl<'a> TranscriptReader<'a> {
    fn new(records: RecordStream<'a>, format: Format, cursor: ResumePoint) -> Self {
        let mut session = TranscriptSession::new(cursor.name.clone(), format.agent());
        let start = cursor.offset;
        cursor.restore_into(&mut session);
        Self {
            records,
            reader: (format.row.reader)(),
            session,
            start: format.is_resumable().then_some(start),
            is_over: false,
            events: 0,
            broken: 0,
        }
    }

    /// Reads a source whose bytes are not the file's, so that reading cannot go on from a place in it.
    pub(crate) fn without_cursor(self) -> Self {
        Self {
            start: None,
            ..self
        }
    }

    fn bytes(&self) -> u64 {
        match &self.records {
            RecordStream::Lines(lines) => lines.bytes,
            RecordStream::Parts(parts) => parts.bytes(),
        }
    }

    /// Reads a record with its events; returns false at the end of the file.
    fn read_record(&mut self) -> io::Result<bool> {
        let (reader, session) = (&mut *self.reader, &mut self.session);
        let read = match &mut self.records {
            RecordStream::Lines(lines) => lines.read_line(reader, session)?,
            RecordStream::Parts(parts) => {
                read_document_record(parts.next_record()?, reader, session)
            }
        };
        self.broken += u64::from(matches!(read, Some(Err(BrokenRecord))));
        Ok(read.is_some())
    }

    fn finish(&mut self) {
        self.is_over = true;
        self.reader.end_file(&mut self.session);
        self.session.end_all_runs();
    }
}

impl TranscriptEvents for TranscriptReader<'_> {
    type Cursor = ResumePoint;

    fn summary(&self) -> ReadSummary<ResumePoint> {
        ReadSummary {
            events: self.events,
            runs: self.session.run_count,
            unreadable: self.broken,
            bytes: self.bytes(),
            cursor: (self.start)
                .map(|start| ResumePoint::from_session(&self.session, start + self.bytes())),
        }
    }
}

impl Iterator for TranscriptReader<'_> {
    type Item = io::Result<TranscriptEvent>;

    fn next(&mut self) -> Option<io::Result<TranscriptEvent>> {
        loop {
            if let Some(item) = self.session.events.pop_front() {
                self.events += 1;
                return Some(Ok(item));
            }
            if self.is_over {
                return None;
            }
            match self.read_record() {
                Ok(true) => {}
                Ok(false) => self.finish(),
                Err(error) => {
                    self.is_over = true;
                    return Some(Err(error));
                }
            }
        }
    }
}

impl<'a> TranscriptLines<'a> {
    fn new(source: Box<dyn BufRead + 'a>, is_json: bool) -> Self {
        Self {
            source,
            is_json,
            line: Vec::new(),
            bytes: 0,
        }
    }

    fn read_line(
        &mut self,
        reader: &mut dyn FormatReader,
        session: &mut TranscriptSession,
    ) -> io::Result<Option<ReadResult>> {
        let Some((line, bytes)) = record::read_line(&mut self.source, &mut self.line)? else {
            return Ok(None);
        };
        let read = match line {
            RawLine::Whole(line) if self.is_json && line.trim_ascii().is_empty() => Ok(()),
            RawLine::Whole(line) if self.is_json => read_json_line(line, reader, session),
            RawLine::Long => Err(BrokenRecord),
            RawLine::Whole(line) => read_text_line(line, reader, session),
            RawLine::Open(line) if !self.is_json => read_text_line(line, reader, session),
            RawLine::Open(line) => match read_json_line(line, reader, session) {
                // The client may still be writing a last line without a line break.
                Err(BrokenRecord) => return Ok(None),
                read => read,
            },
        };
        self.bytes += bytes;
        Ok(Some(read))
    }
}

fn read_text_line(
    line: &[u8],
    reader: &mut dyn FormatReader,
    session: &mut TranscriptSession,
) -> ReadResult {
    let line = line.strip_prefix(UTF8_MARK).unwrap_or(line);
    reader.read_value("", &to_text(line), session)
}

/// Reads a line, or each object of one on which several stand. What else stands there makes it a broken one.
fn read_json_line(
    line: &[u8],
    reader: &mut dyn FormatReader,
    session: &mut TranscriptSession,
) -> ReadResult {
    let line = to_json_text(line);
    let read = reader.read_value("", &line, session);
    let Some((objects, has_rest)) = read.is_err().then(|| split_objects(&line)).flatten() else {
        return read;
    };
    let mut all = if has_rest { Err(BrokenRecord) } else { Ok(()) };
    for object in objects {
        all = all.and(reader.read_value("", object, session));
    }
    all
}

/// Reads a part of a document; `None` at its end.
fn read_document_record(
    record: Option<TranscriptRecord<'_>>,
    reader: &mut dyn FormatReader,
    session: &mut TranscriptSession,
) -> Option<ReadResult> {
    record.map(|record| match record {
        TranscriptRecord::Value { key, json } => {
            reader.read_value(key, &to_json_text(json), session)
        }
        TranscriptRecord::Broken => Err(BrokenRecord),
        TranscriptRecord::End => {
            reader.end_document(session);
            Ok(())
        }
    })
}

/// Converts bytes to text; invalid UTF-8 becomes `\u{fffd}`, so that the rest can be read.
pub(crate) fn to_text(bytes: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}
