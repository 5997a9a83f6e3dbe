//! An open transcript: its size, its fingerprint, and its events.
//!
//! The format knows what its records mean.

use std::{
    fs::File,
    io::{self, BufReader, Cursor, Read as _, Seek as _, SeekFrom},
    path::Path,
    time::UNIX_EPOCH,
};

use hardwon_core::{RunId, digest, limits};
use hardwon_engine::{
    TranscriptEvents, TranscriptFile, regular_file, transcript::TranscriptCursor as _,
};
use jiff::Timestamp;

use super::{
    encoding::{Utf16Order, to_utf8},
    recognise_format,
    start_time::began_at,
};
use crate::{
    opencode::database::StoredSession,
    transcript::{Format, ResumePoint, read_transcript},
};

/// Most and fewest bytes read at once; a file may have grown since it was opened.
const BUFFER_BYTES: usize = 256 * 1024;
const MIN_BUFFER_BYTES: usize = 512;

/// Most bytes of a file of UTF-16, which is decoded at once.
const UTF16_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// Bytes of a file's head that are hashed to tell whether it is still the same file.
const HEAD_BYTES: u64 = 1024;

/// An open transcript: a file, or a session in a client's database.
pub struct ClientTranscript {
    format: Format,
    content: TranscriptSource,
    /// The order of bytes in a file of UTF-16, which is read whole each time.
    order: Option<Utf16Order>,
    /// The first bytes of a file; empty for a session in a database.
    head: Vec<u8>,
    size: u64,
    modified_ms: u128,
}

enum TranscriptSource {
    File(File),
    Stored(Box<StoredSession>),
}

impl TranscriptFile for ClientTranscript {
    type Cursor = ResumePoint;

    fn open(path: &Path) -> io::Result<Option<Self>> {
        match StoredSession::open(path)? {
            Some(session) => Ok(Some(Self::from_session(session))),
            None => Self::from_file(path, regular_file::open(path)?),
        }
    }

    fn format(&self) -> &'static str {
        self.format.name()
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn began_at(&self) -> Option<Timestamp> {
        match &self.content {
            TranscriptSource::File(_) => began_at(&to_utf8(&self.head)),
            TranscriptSource::Stored(session) => session.began,
        }
    }

    fn is_resumable(&self) -> bool {
        self.format.is_resumable() && self.order.is_none()
    }

    /// An append-only file is recognised by its head; one that is rewritten each time, also by its time.
    fn fingerprint(&self) -> String {
        let bytes = self.size.min(HEAD_BYTES);
        let write_time = if self.is_resumable() {
            0
        } else {
            self.modified_ms
        };
        format!("{bytes}:{write_time}:{}", self.hash_head(bytes))
    }

    fn has_fingerprint(&self, fingerprint: &str) -> bool {
        let mut parts = fingerprint.splitn(3, ':');
        let (Some(bytes), Some(written), Some(hash)) = (parts.next(), parts.next(), parts.next())
        else {
            return false;
        };
        let bytes = bytes.parse().unwrap_or(u64::MAX);
        let write_time = written.parse().unwrap_or(u128::MAX);
        bytes <= self.size
            && (write_time == 0 || write_time == self.modified_ms)
            && hash == self.hash_head(bytes)
    }

    fn start(&self, name: &str) -> ResumePoint {
        let id = &hash_hex(&[name.as_bytes(), self.head_up_to(HEAD_BYTES)])[..16];
        ResumePoint::start(RunId::parse(id).expect("hexadecimal digits are a name"))
    }

    fn events<'a>(
        &'a self,
        from: ResumePoint,
        end: u64,
        progress: &'a mut dyn FnMut(u64),
    ) -> io::Result<impl TranscriptEvents<Cursor = ResumePoint> + 'a> {
        match &self.content {
            TranscriptSource::File(file) => {
                let start = from.offset();
                let source = self
                    .reader_from(start, file)?
                    .take(end.saturating_sub(start));
                let mut source = CountingReader { source, progress };
                let Some(order) = self.order else {
                    return Ok(read_transcript(source, self.format, from));
                };
                let mut bytes = Vec::new();
                source.read_to_end(&mut bytes)?;
                let text = Cursor::new(order.decode(&bytes));
                Ok(read_transcript(text, self.format, from).without_cursor())
            }
            TranscriptSource::Stored(session) => session.read_events(from, progress),
        }
    }
}

impl ClientTranscript {
    fn from_session(session: StoredSession) -> Self {
        Self {
            format: StoredSession::format(),
            order: None,
            head: Vec::new(),
            size: session.bytes,
            modified_ms: session.changed_ms.into(),
            content: TranscriptSource::Stored(Box::new(session)),
        }
    }

    /// Recognises an open file. `None` if it is not a transcript.
    fn from_file(path: &Path, mut file: File) -> io::Result<Option<Self>> {
        let about = file.metadata()?;
        let head = read_head(&mut file, about.len())?;
        let age = about
            .modified()?
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let order = Utf16Order::detect(&head)?;
        if order.is_some() && about.len() > UTF16_BYTES_MAX {
            let message = "it is UTF-16 and very long; convert it to UTF-8";
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        Ok(recognise_format(path, &to_utf8(&head)).map(|format| Self {
            format,
            order,
            content: TranscriptSource::File(file),
            head,
            size: about.len(),
            modified_ms: age.as_millis(),
        }))
    }

    /// Returns a reader of the file from an offset on. The head that was read already is not read again.
    fn reader_from<'a>(
        &'a self,
        offset: u64,
        mut file: &'a File,
    ) -> io::Result<impl io::BufRead + 'a> {
        let head = usize::try_from(offset).unwrap_or(usize::MAX);
        let head = self.head.get(head..).unwrap_or_default();
        let unread = offset + head.len() as u64;
        file.seek(SeekFrom::Start(unread))?;
        let buffer = usize::try_from(self.size.saturating_sub(unread)).unwrap_or(usize::MAX);
        let buffer = buffer.clamp(MIN_BUFFER_BYTES, BUFFER_BYTES);
        Ok(head.chain(BufReader::with_capacity(buffer, file)))
    }

    fn hash_head(&self, bytes: u64) -> String {
        hash_hex(&[self.head_up_to(bytes)])[..32].to_owned()
    }

    fn head_up_to(&self, bytes: u64) -> &[u8] {
        let end = usize::try_from(bytes).unwrap_or(usize::MAX);
        &self.head[..end.min(self.head.len())]
    }
}

/// Reads as much of a file of this size as it takes to recognise it.
fn read_head(file: &mut File, size: u64) -> io::Result<Vec<u8>> {
    let most = limits::RECOGNISE_BYTES as u64;
    // One read of known length is faster than growing a vector bit by bit.
    let room = usize::try_from(size.min(most)).unwrap_or_default();
    let mut head = vec![0; room];
    let mut read = 0;
    while read < room {
        match file.read(&mut head[read..])? {
            0 => break,
            more => read += more,
        }
    }
    head.truncate(read);
    Ok(head)
}

/// A reader that reports how many bytes were read.
struct CountingReader<'a, R> {
    source: R,
    progress: &'a mut dyn FnMut(u64),
}

impl<R: io::BufRead> io::Read for CountingReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        (self.progress)(count as u64);
        Ok(count)
    }
}

impl<R: io::BufRead> io::BufRead for CountingReader<'_, R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.source.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.source.consume(count);
        (self.progress)(count as u64);
    }
}

fn hash_hex(parts: &[&[u8]]) -> String {
    digest::to_hex(&digest::hash_parts(parts.iter().copied()))
}
