//! Sessions in opencode's database, read row by row as the document that its export prints.
//!
//! A session has a path below the database file, `…/opencode.db/ses_1`, which no file can have. So code that finds,
//! dates, reads or names transcripts deals with paths alone. The database is only read; one that is locked or of
//! another form is an error.

use std::{
    collections::VecDeque,
    fs::File,
    io::{self, Read as _},
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use hardwon_core::limits;
use hardwon_store::{
    StoreError,
    sqlite::{ForeignDatabase, TextRow},
};
use jiff::Timestamp;
use serde_json::{json, value::RawValue};

use super::transcript::FORMAT;
use crate::transcript::{
    Format, RecordLayout, ResumePoint, TranscriptReader, TranscriptRecord, read_records,
    record::RecordSource,
};

/// The first bytes of every SQLite database.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// The tables that are read, each with the columns that must exist.
const TABLES: [(&str, &[&str]); 3] = [
    ("session", &["id", "parent_id", "directory", "time_created"]),
    (
        "message",
        &["id", "session_id", "time_created", "time_updated", "data"],
    ),
    (
        "part",
        &["id", "message_id", "session_id", "time_updated", "data"],
    ),
];

const SESSIONS: &str = "SELECT id FROM session ORDER BY time_created DESC, id LIMIT ?1";
const SESSION: &str = "SELECT directory, parent_id, time_created FROM session WHERE id = ?1";
/// Selects a session's size in bytes and when it last changed.
const EXTENT: &str = "SELECT sum(bytes), max(changed) FROM (\
       SELECT octet_length(data) AS bytes, time_updated AS changed FROM message WHERE session_id = ?1 \
       UNION ALL SELECT octet_length(data), time_updated FROM part WHERE session_id = ?1)";
const MESSAGES: &str =
    "SELECT id FROM message WHERE session_id = ?1 ORDER BY time_created, id LIMIT ?2";
const MESSAGE: &str = "SELECT CASE WHEN octet_length(data) <= CAST(?2 AS INTEGER) THEN data END FROM message WHERE id = ?1";
const PARTS: &str = "SELECT CASE WHEN octet_length(data) <= CAST(?2 AS INTEGER) THEN data END FROM part \
     WHERE message_id = ?1 ORDER BY id";

/// Returns the sessions of a database, the oldest first; `None` if its form is not known.
pub(crate) fn sessions_in(path: &Path) -> io::Result<Option<Vec<PathBuf>>> {
    let Some(database) = open_known(path)? else {
        return Ok(None);
    };
    let most = limits::STORED_SESSIONS.to_string();
    let mut ids = query_texts(&database, SESSIONS, &[&most])?;
    // A name that cannot be the last part of a path is none.
    ids.retain(|id| !id.is_empty() && !id.starts_with('.') && !id.contains(['/', '\\', '\0']));
    let mut paths: Vec<PathBuf> = ids.iter().map(|id| path.join(id)).collect();
    paths.reverse();
    Ok(Some(paths))
}

/// Returns the error for a database of unknown form.
pub(crate) fn unknown_form_error() -> io::Error {
    let message =
        "it is a database, but not one of opencode's sessions as far as this version knows them";
    io::Error::new(io::ErrorKind::InvalidData, message)
}

/// Returns whether a file is a database, by its first bytes.
pub(crate) fn is_database(path: &Path) -> io::Result<bool> {
    let mut head = Vec::new();
    let most = MAGIC.len() as u64;
    File::open(path)?.take(most).read_to_end(&mut head)?;
    Ok(head == MAGIC)
}

/// Returns whether a path is that of a session in a database.
pub(crate) fn is_session(path: &Path) -> bool {
    path.parent().is_some_and(Path::is_file)
}

/// A session in a database, as it was when it was opened.
pub(crate) struct StoredSession {
    database: ForeignDatabase,
    id: String,
    /// Its `info` in an export.
    info: String,
    /// The size of its messages, in bytes.
    pub(crate) bytes: u64,
    /// When a message of it was last changed, in milliseconds since 1970.
    pub(crate) changed_ms: u64,
    /// When it began; `None` if the stored time is invalid.
    pub(crate) began: Option<Timestamp>,
}

impl StoredSession {
    /// Opens the session of a path; `None` if the path is that of a file.
    ///
    /// # Errors
    ///
    /// Those of reading the database; `NotFound` if it has no such session.
    pub(crate) fn open(path: &Path) -> io::Result<Option<Self>> {
        let (true, Some(file), Some(id)) = (is_session(path), path.parent(), path.file_name())
        else {
            return Ok(None);
        };
        let is_gone =
            || io::Error::new(io::ErrorKind::NotFound, "the database has no such session");
        let database = open_known(file)?.ok_or_else(is_gone)?;
        let id = id.to_string_lossy().into_owned();
        let about = query_first(&database, SESSION, &[&id])?.ok_or_else(is_gone)?;
        let [directory, parent, began] = about.try_into().map_err(|_| is_gone())?;
        let extent = query_first(&database, EXTENT, &[&id])?.unwrap_or_default();
        let number = |at: usize| extent.get(at)?.as_ref()?.parse().ok();
        let began = began.and_then(|began| Timestamp::from_millisecond(began.parse().ok()?).ok());
        Ok(Some(Self {
            info: json!({"id": id, "directory": directory, "parentID": parent}).to_string(),
            bytes: number(0).unwrap_or_default(),
            changed_ms: number(1).unwrap_or_default(),
            began,
            database,
            id,
        }))
    }

    /// Returns its format: that of the client's export.
    pub(crate) fn format() -> Format {
        Format {
            row: &FORMAT,
            layout: RecordLayout::Document,
        }
    }

    /// Reads its events. `progress` gets the number of bytes read since its last call.
    pub(crate) fn read_events<'a>(
        &'a self,
        cursor: ResumePoint,
        progress: &'a mut dyn FnMut(u64),
    ) -> io::Result<TranscriptReader<'a>> {
        let most = limits::STORED_MESSAGES.to_string();
        let messages = query_texts(&self.database, MESSAGES, &[&self.id, &most])?;
        let records = StoredRecords {
            session: self,
            progress,
            is_begun: false,
            is_over: false,
            messages: messages.into(),
            record: String::new(),
            broken: 0,
            bytes: 0,
        };
        Ok(read_records(records, Self::format(), cursor))
    }
}

/// The records of a session: its info, and one for each message.
struct StoredRecords<'a> {
    session: &'a StoredSession,
    progress: &'a mut dyn FnMut(u64),
    is_begun: bool,
    is_over: bool,
    /// The messages that are still to be read.
    messages: VecDeque<String>,
    record: String,
    /// Parts that were skipped and not reported yet.
    broken: u64,
    /// How many bytes were read.
    bytes: u64,
}

impl RecordSource for StoredRecords<'_> {
    fn next_record(&mut self) -> io::Result<Option<TranscriptRecord<'_>>> {
        if self.broken > 0 {
            self.broken -= 1;
            return Ok(Some(TranscriptRecord::Broken));
        }
        if !std::mem::replace(&mut self.is_begun, true) {
            let json = self.session.info.as_bytes();
            return Ok(Some(TranscriptRecord::Value { key: "info", json }));
        }
        if let Some(message) = self.messages.pop_front() {
            self.read_message(&message)?;
            let json = self.record.as_bytes();
            let key = "messages";
            return Ok(Some(TranscriptRecord::Value { key, json }));
        }
        let was_over = std::mem::replace(&mut self.is_over, true);
        Ok((!was_over).then_some(TranscriptRecord::End))
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl StoredRecords<'_> {
    /// Assembles a message and its parts as an export has them.
    fn read_message(&mut self, message: &str) -> io::Result<()> {
        let Self {
            session,
            record,
            broken,
            ..
        } = self;
        let with: [&str; 2] = [message, &limits::RECORD_BYTES.to_string()];
        let info = query_first(&session.database, MESSAGE, &with)?.and_then(row_json);
        *broken += u64::from(info.is_none());
        record.clear();
        *record += "{\"info\":";
        *record += info.as_deref().unwrap_or("{}");
        *record += ",\"parts\":[";
        let mut comma = "";
        let mut take = |row| {
            let room = limits::RECORD_BYTES.saturating_sub(record.len());
            match row_json(row).filter(|json| json.len() <= room) {
                Some(json) => record.extend([std::mem::replace(&mut comma, ","), &json]),
                None => *broken += 1,
            }
            ControlFlow::Continue(())
        };
        let parts = session.database.for_each_row(PARTS, &with, &mut take);
        parts.map_err(to_io_error)?;
        *record += "]}";
        self.bytes += self.record.len() as u64;
        (self.progress)(self.record.len() as u64);
        Ok(())
    }
}

/// Opens a database; `None` if it is not one of opencode's.
fn open_known(path: &Path) -> io::Result<Option<ForeignDatabase>> {
    let database = ForeignDatabase::open(path).map_err(to_io_error)?;
    for (table, columns) in TABLES {
        if !database.has_columns(table, columns).map_err(to_io_error)? {
            return Ok(None);
        }
    }
    Ok(Some(database))
}

fn query_first(
    database: &ForeignDatabase,
    sql: &str,
    with: &[&str],
) -> io::Result<Option<TextRow>> {
    let mut first = None;
    let mut take = |row| {
        first = Some(row);
        ControlFlow::Break(())
    };
    let result = database.for_each_row(sql, with, &mut take);
    result.map(|()| first).map_err(to_io_error)
}

/// Returns the first value of each row.
fn query_texts(database: &ForeignDatabase, sql: &str, with: &[&str]) -> io::Result<Vec<String>> {
    let mut texts = Vec::new();
    let mut take = |row: TextRow| {
        texts.extend(row.into_iter().next().flatten());
        ControlFlow::Continue(())
    };
    let result = database.for_each_row(sql, with, &mut take);
    result.map(|()| texts).map_err(to_io_error)
}

/// Returns the JSON in a row; `None` if there is none or it is invalid.
fn row_json(row: TextRow) -> Option<String> {
    let json = row.into_iter().next().flatten()?;
    serde_json::from_str::<&RawValue>(&json).ok()?;
    Some(json)
}

fn to_io_error(error: StoreError) -> io::Error {
    io::Error::other(error)
}
