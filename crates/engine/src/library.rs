//! Learning from transcripts on disk: each file is read once, and read on when it has grown.
//!
//! What is kept of a file is where reading stopped and a fingerprint of its head; of a long one
//! also the traces of the runs that may go on, cleaned. A short one that has grown is read from its
//! start, to have those traces again, and learned from where it went on. A file that was replaced
//! is read anew; the runs in it are known by their names, so even that learns nothing twice.
//!
//! What a [`Library`] reads is learned from a few files at a time, in one transaction, because a
//! commit costs more than a short session. Nobody is told of a file before that.

mod reading;
pub(crate) mod seen;

use std::{
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
};

use hardwon_core::{
    guard::Memo,
    id::{ProjectId, RunId, TenantId},
    limits,
    scope::Scope,
};
use hardwon_store::Source;

use self::{
    reading::Reading,
    seen::{Counted, Seen, source_name},
};
use crate::{
    Engine, Error, Learned, Result,
    learn::Proposal,
    transcript::{self, Cursor, RunInfo},
};

/// How many files are learned from together at most.
const FILES: usize = 256;

/// How many of their runs are learned from together, about.
const RUNS: usize = 256;

/// How much may be kept of files until they are learned from, in bytes.
const WAITING_BYTES: usize = limits::SOURCE_STATE_BYTES;

/// What became of one file.
#[derive(Debug)]
pub enum FileRead {
    /// It is no transcript of a known format.
    NotATranscript,
    /// Nothing was added since it was last read.
    Unchanged,
    /// It was read, from its start or from where reading stopped.
    Read {
        /// Its format.
        format: &'static str,
        /// What each run in it taught, in order.
        runs: Vec<(RunId, Learned)>,
        /// Records that could not be read and were passed over.
        broken: u64,
        /// How many bytes were read.
        bytes: u64,
    },
}

/// Reads transcripts of one scope, and learns from several of them at a time.
///
/// A file that was read and of which nothing was heard yet is as if it had not been read.
pub struct Library<'e> {
    engine: &'e Engine,
    scope: Scope,
    memo: Memo,
    waiting: Vec<Waiting>,
}

/// A file that was read and is to be learned from.
struct Waiting {
    path: PathBuf,
    name: String,
    source: Source,
    format: &'static str,
    learned: Vec<(RunId, Learned)>,
    proposed: Vec<(RunId, Proposal)>,
    broken: u64,
    bytes: u64,
}

/// What a look at a file comes to.
enum Looked {
    /// There is nothing to learn.
    Done(FileRead),
    /// It was read.
    Read(Box<Waiting>),
}

impl Engine {
    /// Opens a library, to learn from many transcripts. `scope` is whose lessons they are.
    #[must_use]
    pub fn library(&self, scope: &Scope) -> Library<'_> {
        Library {
            engine: self,
            scope: scope.clone(),
            memo: Memo::default(),
            waiting: Vec::new(),
        }
    }

    /// Learns from one transcript.
    ///
    /// `scope` is whose lessons they are; `project` finds the project of a run from what its
    /// transcript says about its folder. `progress` is told how many bytes were read since it was
    /// last told.
    pub fn read_file(
        &self,
        path: &Path,
        scope: &Scope,
        project: &dyn Fn(&RunInfo) -> Option<ProjectId>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<FileRead> {
        let mut library = self.library(scope);
        let mut done = library.read(path, project, progress)?;
        done.extend(library.finish()?);
        Ok(done.pop().expect("one answer a file").1)
    }

    /// Learns from what runs proposed, in one transaction, and says what each taught.
    fn take_up_all(
        &self,
        tenant: &TenantId,
        proposed: &[(RunId, Proposal)],
    ) -> Result<Vec<(RunId, Learned)>> {
        let mut learned = Vec::new();
        let now = self.clock.now();
        self.store.commit(tenant, &mut |tx| {
            for (run, proposal) in proposed {
                learned.push((run.clone(), self.take_up(tx, proposal, now)?));
            }
            Ok(())
        })?;
        Ok(learned)
    }
}

impl Library<'_> {
    /// Reads a transcript, and returns the files that are now done: some of those read before,
    /// and perhaps this one. `project` and `progress` are as for [`Engine::read_file`].
    ///
    /// # Errors
    ///
    /// `Read` if this file could not be read; the others are not touched by that. `Store` if what
    /// was read could not be kept: the files that were waiting are read another time.
    pub fn read(
        &mut self,
        path: &Path,
        project: &dyn Fn(&RunInfo) -> Option<ProjectId>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Vec<(PathBuf, FileRead)>> {
        let mut done = Vec::new();
        let name = source_name(path);
        if self.waiting.iter().any(|it| it.name == name) {
            done.extend(self.learn()?);
        }
        match self.look(path, name, project, progress)? {
            Looked::Done(read) => done.push((path.to_owned(), read)),
            Looked::Read(waiting) => self.waiting.push(*waiting),
        }
        if self.is_full() {
            done.extend(self.learn()?);
        }
        Ok(done)
    }

    fn is_full(&self) -> bool {
        let runs: usize = self.waiting.iter().map(|it| it.proposed.len()).sum();
        let bytes: usize = self.waiting.iter().map(|it| it.source.state.len()).sum();
        self.waiting.len() >= FILES || runs >= RUNS || bytes >= WAITING_BYTES
    }

    /// Learns from what still waits, and returns those files.
    pub fn finish(mut self) -> Result<Vec<(PathBuf, FileRead)>> {
        self.learn()
    }

    /// Reads a file if there is something new in it.
    fn look(
        &mut self,
        path: &Path,
        name: String,
        project: &dyn Fn(&RunInfo) -> Option<ProjectId>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Looked> {
        let fault = |source| Error::Read {
            path: path.to_owned(),
            source,
        };
        let mut file = File::open(path).map_err(fault)?;
        let seen = Seen::of(&mut file).map_err(fault)?;
        let Some(format) = transcript::recognise(path, &seen.head) else {
            return Ok(Looked::Done(FileRead::NotATranscript));
        };
        let before = self.engine.store.source(&self.scope.tenant, &name)?;
        let before = before.filter(|it| seen.is_of(it));
        if before
            .as_ref()
            .is_some_and(|source| source.position == seen.size)
        {
            return Ok(Looked::Done(FileRead::Unchanged));
        }
        if self.waiting.is_empty() {
            // What was recalled a moment ago may only be noted yet. The commit that ends each batch
            // counts what came since.
            self.engine.store.settle()?;
        }
        let mut reading = Reading::new(self.engine, &self.scope, project, &mut self.memo);
        let start = seen.start(&name);
        let cursor = match before.filter(|_| format.is_resumable()) {
            None => start,
            Some(source) => match reading.take_up(&source.state) {
                Some(cursor) => cursor,
                None => {
                    let known = seen.rest(0, &file).map_err(fault)?.take(source.position);
                    reading.look_back(known, format, start).map_err(fault)?
                }
            },
        };
        let source = seen.rest(cursor.offset(), &file).map_err(fault)?;
        let source = Counted { source, progress };
        let summary = transcript::read(source, format, cursor, &mut |item| reading.take(item))
            .map_err(fault)?;
        reading.failed.take().map_or(Ok(()), Err)?;
        reading.propose_the_last()?;
        let position = summary.cursor.as_ref().map_or(seen.size, Cursor::offset);
        let state = summary.cursor.as_ref().map(|cursor| reading.state(cursor));
        Ok(Looked::Read(Box::new(Waiting {
            path: path.to_owned(),
            name,
            source: Source {
                position,
                fingerprint: seen.fingerprint(format),
                state: state.unwrap_or_default(),
                at: self.engine.clock.now(),
            },
            format: format.name(),
            learned: reading.learned,
            proposed: reading.proposed,
            broken: summary.broken,
            bytes: summary.bytes,
        })))
    }

    /// Learns from the files that wait, and keeps how far each was read, all or nothing.
    fn learn(&mut self) -> Result<Vec<(PathBuf, FileRead)>> {
        let mut waiting = std::mem::take(&mut self.waiting);
        let (store, tenant) = (&self.engine.store, &self.scope.tenant);
        let now = self.engine.clock.now();
        match waiting.as_mut_slice() {
            [] => {}
            // Where there is no lesson, nothing has to be on the disk before somebody is told.
            [only] if only.proposed.iter().all(|(_, it)| it.is_empty()) => {
                store.keep_source(tenant, &only.name, &only.source)?;
                only.learn(|proposal| Ok(proposal.nothing()))?;
            }
            several => {
                store.commit(tenant, &mut |tx| {
                    for file in several.iter_mut() {
                        file.learn(|proposal| self.engine.take_up(tx, &proposal, now))?;
                        tx.keep_source(&file.name, &file.source)?;
                    }
                    Ok(())
                })?;
            }
        }
        Ok(waiting.into_iter().map(Waiting::done).collect())
    }
}

impl Waiting {
    /// Learns from what the runs propose that are still to be learned from.
    fn learn(
        &mut self,
        mut take_up: impl FnMut(Proposal) -> hardwon_store::Result<Learned>,
    ) -> hardwon_store::Result<()> {
        for (run, proposal) in std::mem::take(&mut self.proposed) {
            self.learned.push((run, take_up(proposal)?));
        }
        Ok(())
    }

    fn done(self) -> (PathBuf, FileRead) {
        let read = FileRead::Read {
            format: self.format,
            runs: self.learned,
            broken: self.broken,
            bytes: self.bytes,
        };
        (self.path, read)
    }
}
