//! The interface to transcripts: an open file with a format and events.
//!
//! The code that knows how clients write their sessions implements these traits; learning and replaying are written
//! against them. No format, folder or database is known here.

use std::{io, path::Path, sync::Arc};

use hardwon_core::{AgentId, CleanText, ProjectId, RawEvent, RawText, RunId, digest};
use jiff::Timestamp;

/// What is known about a run while its events are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunInfo {
    /// Its name: the session's own, else one made of the name the caller gave the file.
    pub id: RunId,
    /// The client that ran it.
    pub agent: Option<AgentId>,
    /// The project it worked in, if the file names one.
    pub project: Option<ProjectId>,
    /// The folder it started in, as the file has it.
    pub cwd: Option<String>,
    /// The URL of its repository, as the file has it.
    pub remote: Option<String>,
    /// The name of the history that it begins with: a fork, or a sub-agent that inherits, begins with another run's.
    /// `None` where that is not known.
    pub history: Option<RunId>,
}

/// One event, with the run it belongs to.
#[derive(Debug)]
pub struct TranscriptEvent {
    /// The run as it was known then; its folder may become known only after its first event.
    pub run: Arc<RunInfo>,
    /// The event.
    pub event: RawEvent,
    /// Whether a call ran: a client may turn one down before, and no hook hears of that in time.
    pub was_run: bool,
}

/// A transcript that is open, as it was when it was opened.
pub trait TranscriptFile: Sized {
    /// Where reading can go on when the transcript has grown.
    type Cursor: TranscriptCursor;

    /// Opens a transcript. `None` if the file is not a transcript in a known format.
    ///
    /// # Errors
    ///
    /// Those of reading it.
    fn open(path: &Path) -> io::Result<Option<Self>>;

    /// The name of its format, e.g. `claude-code`.
    fn format(&self) -> &'static str;

    /// Its size in bytes.
    fn size(&self) -> u64;

    /// When the session began, if the transcript says so.
    fn began_at(&self) -> Option<Timestamp>;

    /// Whether a transcript of its format that has grown can be read on from a cursor.
    fn is_resumable(&self) -> bool;

    /// A fingerprint of its content, to tell later whether the same file has only grown.
    fn fingerprint(&self) -> String;

    /// Whether it is the transcript that had this fingerprint, grown or unchanged.
    fn has_fingerprint(&self, fingerprint: &str) -> bool;

    /// The cursor at its start. `name` replaces the name of a run that has none in the file; it is the same each time
    /// the file is opened.
    fn start(&self, name: &str) -> Self::Cursor;

    /// Reads its events from a cursor up to `end`, an offset in bytes. `progress` gets the number of
    /// bytes read since its last call.
    ///
    /// # Errors
    ///
    /// Those of reading it.
    fn events<'a>(
        &'a self,
        from: Self::Cursor,
        end: u64,
        progress: &'a mut dyn FnMut(u64),
    ) -> io::Result<impl TranscriptEvents<Cursor = Self::Cursor> + 'a>;
}

/// The events of a transcript. After an error there are none.
pub trait TranscriptEvents: Iterator<Item = io::Result<TranscriptEvent>> {
    /// Where reading can go on when the transcript has grown.
    type Cursor;

    /// Returns the figures of reading so far, with a cursor after the last record read. The cursor is of use once all
    /// events are taken.
    fn summary(&self) -> ReadSummary<Self::Cursor>;
}

/// The figures of reading a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadSummary<C> {
    /// How many events were returned.
    pub events: u64,
    /// How many runs they belong to.
    pub runs: u64,
    /// How many lines or parts could not be read and were skipped.
    pub unreadable: u64,
    /// How many bytes were read.
    pub bytes: u64,
    /// Where to continue when the file has grown; `None` for a format that is read whole each time.
    pub cursor: Option<C>,
}

/// A position in a transcript, and what was open there: calls without a result, a task, a project.
pub trait TranscriptCursor: Clone {
    /// How many bytes of the file were read.
    fn offset(&self) -> u64;

    /// Encodes the cursor as JSON for storage; every text in it has gone through `clean`.
    fn encode(&self, clean: &mut dyn FnMut(&RawText) -> CleanText) -> String;

    /// Decodes the result of [`encode`](Self::encode). `None` if another version wrote it, or if it is damaged: the
    /// file must then be read from its start.
    fn decode(json: &str) -> Option<Self>;
}

/// Returns the name of a transcript in the store: a digest of its path, which may hold a secret or a person's name.
pub(crate) fn source_name(path: &Path) -> String {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let digest = digest::hash_parts([whole.as_os_str().as_encoded_bytes()]);
    digest::to_hex(&digest)[..32].to_owned()
}
