//! What a transcript looks like from outside, and how much of it was read.

use std::{
    fs::File,
    io::{self, BufReader, Read as _, Seek as _, SeekFrom},
    path::Path,
    time::UNIX_EPOCH,
};

use hardwon_core::{digest, id::RunId, limits};
use hardwon_store::Source;
use jiff::Timestamp;

use crate::{
    regular,
    transcript::{self, Cursor, Format, StoredSession, Transcript},
};

/// How much of a file is read at once, and how much at least: it may have grown since it was seen.
const BUFFER_BYTES: usize = 256 * 1024;
const MIN_BUFFER_BYTES: usize = 512;

/// How much of a file's head is hashed to tell whether it is still the same file.
const HEAD_BYTES: u64 = 1024;

/// A transcript that is open, and what is seen of it before it is read.
pub(crate) struct Seen {
    content: Content,
    head: Vec<u8>,
    pub(crate) size: u64,
    modified_ms: u128,
}

enum Content {
    File(File),
    Stored(Box<StoredSession>),
}

impl Seen {
    /// Opens a file, or a session of a client's database.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        match StoredSession::open(path)? {
            Some(session) => Ok(Self {
                head: Vec::new(),
                size: session.bytes,
                modified_ms: session.changed_ms.into(),
                content: Content::Stored(Box::new(session)),
            }),
            None => Self::of_file(regular::open(path)?),
        }
    }

    fn of_file(mut file: File) -> io::Result<Self> {
        let about = file.metadata()?;
        let most = limits::RECOGNISE_BYTES as u64;
        // It is read at once and not bit by bit, as it would be into a vector without a length.
        let room = usize::try_from(about.len().min(most)).unwrap_or_default();
        let mut head = vec![0; room];
        let mut read = 0;
        while read < room {
            match file.read(&mut head[read..])? {
                0 => break,
                more => read += more,
            }
        }
        head.truncate(read);
        let modified = about
            .modified()?
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Ok(Self {
            content: Content::File(file),
            head,
            size: about.len(),
            modified_ms: modified.as_millis(),
        })
    }

    /// Returns its format; none if it is no transcript.
    pub(crate) fn format(&self, path: &Path) -> Option<Format> {
        match &self.content {
            Content::File(_) => transcript::recognise(path, &self.head),
            Content::Stored(_) => Some(Format::of_stored()),
        }
    }

    /// Returns when it began, as far as it says so.
    pub(crate) fn began(&self) -> Option<Timestamp> {
        match &self.content {
            Content::File(_) => transcript::began(&self.head),
            Content::Stored(session) => session.began,
        }
    }

    /// Reads its events, from where the cursor stands up to a place in it.
    pub(crate) fn events<'a>(
        &'a self,
        format: Format,
        cursor: Cursor,
        end: u64,
        progress: &'a mut dyn FnMut(u64),
    ) -> io::Result<Transcript<'a>> {
        match &self.content {
            Content::File(file) => {
                let start = cursor.offset();
                let source = self.rest(start, file)?.take(end.saturating_sub(start));
                let source = Counted { source, progress };
                Ok(transcript::read(source, format, cursor))
            }
            Content::Stored(session) => transcript::read_stored(session, cursor, progress),
        }
    }

    /// Returns where the reading of a file of this name begins.
    pub(crate) fn start(&self, name: &str) -> Cursor {
        let id = &hex(&[name.as_bytes(), self.head_of(HEAD_BYTES)])[..16];
        Cursor::start(RunId::parse(id).expect("hexadecimal digits are a name"))
    }

    /// Returns what the file holds from a place on. What was seen of it is not read again.
    fn rest<'a>(&'a self, offset: u64, mut file: &'a File) -> io::Result<impl io::BufRead + 'a> {
        let head = usize::try_from(offset).unwrap_or(usize::MAX);
        let head = self.head.get(head..).unwrap_or_default();
        let unseen = offset + head.len() as u64;
        file.seek(SeekFrom::Start(unseen))?;
        let buffer = usize::try_from(self.size.saturating_sub(unseen)).unwrap_or(usize::MAX);
        let buffer = buffer.clamp(MIN_BUFFER_BYTES, BUFFER_BYTES);
        Ok(head.chain(BufReader::with_capacity(buffer, file)))
    }

    /// A file that is only appended to is known by its head; one that is written anew each time,
    /// also by when.
    pub(crate) fn fingerprint(&self, format: Format) -> String {
        let bytes = self.size.min(HEAD_BYTES);
        let written = if format.is_resumable() {
            0
        } else {
            self.modified_ms
        };
        format!("{bytes}:{written}:{}", self.head_hash(bytes))
    }

    pub(crate) fn is_of(&self, source: &Source) -> bool {
        let mut parts = source.fingerprint.splitn(3, ':');
        let (Some(bytes), Some(written), Some(hash)) = (parts.next(), parts.next(), parts.next())
        else {
            return false;
        };
        let bytes = bytes.parse().unwrap_or(u64::MAX);
        let written = written.parse().unwrap_or(u128::MAX);
        bytes <= self.size
            && source.position <= self.size
            && (written == 0 || written == self.modified_ms)
            && hash == self.head_hash(bytes)
    }

    fn head_hash(&self, bytes: u64) -> String {
        hex(&[self.head_of(bytes)])[..32].to_owned()
    }

    fn head_of(&self, bytes: u64) -> &[u8] {
        let end = usize::try_from(bytes).unwrap_or(usize::MAX);
        &self.head[..end.min(self.head.len())]
    }
}

/// A source that tells how much of it was read.
struct Counted<'a, R> {
    source: R,
    progress: &'a mut dyn FnMut(u64),
}

impl<R: io::BufRead> io::Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        (self.progress)(count as u64);
        Ok(count)
    }
}

impl<R: io::BufRead> io::BufRead for Counted<'_, R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.source.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.source.consume(count);
        (self.progress)(count as u64);
    }
}

/// Names a file in the store without writing its path down, which may hold a secret or a name.
pub(crate) fn source_name(path: &Path) -> String {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    hex(&[whole.as_os_str().as_encoded_bytes()])[..32].to_owned()
}

pub(crate) fn hex(parts: &[&[u8]]) -> String {
    digest::hex(&digest::of(parts.iter().copied()))
}
