//! Learning from transcripts on disk: each file is read once, and read on when it has grown.
//!
//! What is kept of a file is where reading stopped and a fingerprint of its head; of a long one
//! also the traces of the runs that may go on, cleaned. A short one that has grown is read from its
//! start, to have those traces again, and learned from where it went on. A file that was replaced
//! is read anew; the runs in it are known by their names, so even that learns nothing twice.
//!
//! What a [`Library`] reads is learned from many runs at a time, in one transaction, because a commit
//! costs more than a short session. Nobody is told of a file before all its runs are learned from.

mod runs;

use std::{
    io,
    path::{Path, PathBuf},
};

use hardwon_core::{
    guard::Memo,
    id::{ProjectId, RunId},
    limits,
    scope::Scope,
    trace::Trace,
};
use hardwon_store::Source;

use self::runs::Runs;
use crate::{
    Desk, Engine, Error, Learned, Result,
    learn::Proposal,
    transcript::{
        RunInfo, TranscriptCursor as _, TranscriptEvents as _, TranscriptFile, source_name,
    },
};

/// How many files are learned from together at most.
const FILES: usize = 256;

/// How many runs are learned from together at most.
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
    /// Files that are done and that nobody was told of.
    done: Vec<(PathBuf, FileRead)>,
}

/// A file that is to be learned from.
struct Waiting {
    path: PathBuf,
    name: String,
    format: &'static str,
    /// How far it was read; none while it is being read.
    read: Option<Source>,
    learned: Vec<(RunId, Learned)>,
    proposed: Vec<(RunId, Proposal)>,
    broken: u64,
    bytes: u64,
}

impl Desk<'_> {
    /// Learns from one transcript, which `T` opens.
    ///
    /// `project` finds the project of a run from what its transcript says about its folder. `progress`
    /// is told how many bytes were read since it was last told.
    pub fn read_file<T: TranscriptFile>(
        &self,
        path: &Path,
        project: &dyn Fn(&RunInfo) -> Option<ProjectId>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<FileRead> {
        let mut library = self.library()?;
        let mut done = library.read::<T>(path, project, progress)?;
        done.extend(library.finish()?);
        Ok(done.pop().expect("one answer a file").1)
    }
}

impl<'e> Library<'e> {
    /// Opens a library of whoever has this scope.
    pub(crate) fn of(engine: &'e Engine, scope: &Scope) -> Self {
        Self {
            engine,
            scope: scope.clone(),
            memo: Memo::default(),
            waiting: Vec::new(),
            done: Vec::new(),
        }
    }

    /// Reads a transcript, which `T` opens, and returns the files that are now done: some of those read before,
    /// and perhaps this one. `project` and `progress` are as for [`Desk::read_file`].
    ///
    /// # Errors
    ///
    /// `Read` if this file could not be read; the others are not touched by that. `Store` if what
    /// was read could not be kept: the files that were waiting are read another time.
    pub fn read<T: TranscriptFile>(
        &mut self,
        path: &Path,
        project: &dyn Fn(&RunInfo) -> Option<ProjectId>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Vec<(PathBuf, FileRead)>> {
        let name = source_name(path);
        if self.waiting.iter().any(|it| it.name == name) {
            self.learn(None)?;
        }
        if let Some(nothing) = self.look::<T>(path, name, project, progress)? {
            self.done.push((path.to_owned(), nothing));
        }
        if self.is_full(None) {
            self.learn(None)?;
        }
        Ok(std::mem::take(&mut self.done))
    }

    /// Learns from what still waits, and returns the files that are now done.
    pub fn finish(mut self) -> Result<Vec<(PathBuf, FileRead)>> {
        self.learn(None)?;
        Ok(self.done)
    }

    /// Reads a file if there is something new in it; else returns why not.
    fn look<T: TranscriptFile>(
        &mut self,
        path: &Path,
        name: String,
        project: &dyn Fn(&RunInfo) -> Option<ProjectId>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Option<FileRead>> {
        let fault = |source| Error::Read {
            path: path.to_owned(),
            source,
        };
        let Some(file) = T::open(path).map_err(fault)? else {
            return Ok(Some(FileRead::NotATranscript));
        };
        let tenant = &self.scope.tenant;
        let before = self.engine.store.snapshot()?.source(tenant, &name)?;
        let before =
            before.filter(|it| file.has_fingerprint(&it.fingerprint) && it.position <= file.size());
        if (before.as_ref()).is_some_and(|source| source.position == file.size()) {
            return Ok(Some(FileRead::Unchanged));
        }
        if self.waiting.is_empty() {
            // What was recalled a moment ago may only be noted yet. The commit that ends each batch
            // counts what came since.
            self.engine.store.flush(&self.scope.tenant)?;
        }
        let scope = self.scope.clone();
        let mut runs = Runs::new(&scope, project);
        let before = before.filter(|_| file.is_resumable());
        let start = file.start(&name);
        let cursor = match &before {
            None => start,
            Some(source) => resume(&mut runs, source, &file, start).map_err(fault)?,
        };
        let events = file.events(cursor, u64::MAX, progress);
        let mut events = events.map_err(fault)?;
        let mut reading = Waiting::new(path, name, file.format());
        for item in &mut events {
            if let Some(run) = runs.push(item.map_err(fault)?) {
                self.propose(&run, &mut reading)?;
            }
        }
        for run in runs.last() {
            self.propose(run, &mut reading)?;
        }
        let summary = events.summary();
        let cursor = summary.cursor.as_ref();
        (reading.broken, reading.bytes) = (summary.broken, summary.bytes);
        reading.read = Some(Source {
            position: cursor.map_or(file.size(), T::Cursor::offset),
            fingerprint: file.fingerprint(),
            state: cursor.map(|it| runs.state(it)).unwrap_or_default(),
            at: self.engine.clock.now(),
        });
        self.waiting.push(reading);
        Ok(None)
    }

    /// Adds what a run teaches to its file, and learns from all that waits if that is much.
    fn propose(&mut self, run: &Trace, reading: &mut Waiting) -> Result<()> {
        let proposal = self.engine.propose(run, &mut self.memo)?;
        reading.proposed.push((run.run().clone(), proposal));
        match self.is_full(Some(reading)) {
            true => self.learn(Some(reading)),
            false => Ok(()),
        }
    }

    fn is_full(&self, reading: Option<&Waiting>) -> bool {
        let files = || self.waiting.iter().chain(reading);
        let runs: usize = files().map(|it| it.proposed.len()).sum();
        let states = files().filter_map(|it| it.read.as_ref());
        let bytes: usize = states.map(|it| it.state.len()).sum();
        self.waiting.len() >= FILES || runs >= RUNS || bytes >= WAITING_BYTES
    }

    /// Learns from the files that wait, and from what was read so far of another, and keeps how far
    /// each was read, all or nothing.
    fn learn(&mut self, reading: Option<&mut Waiting>) -> Result<()> {
        let mut waiting = std::mem::take(&mut self.waiting);
        let mut files: Vec<&mut Waiting> = waiting.iter_mut().chain(reading).collect();
        let proposals: Vec<&Proposal> = files.iter().flat_map(|it| it.proposals()).collect();
        let sources: Vec<(&str, &Source)> = files.iter().filter_map(|it| it.source()).collect();
        let tenant = &self.scope.tenant;
        let mut learned = (self.engine.learn_from(tenant, &proposals, &sources)?).into_iter();
        for file in &mut files {
            file.keep(&mut learned);
        }
        self.done.extend(waiting.into_iter().map(Waiting::done));
        Ok(())
    }
}

/// Goes on where reading stopped, by what was kept of the file or else by reading it once more.
fn resume<T: TranscriptFile>(
    runs: &mut Runs<'_>,
    source: &Source,
    file: &T,
    start: T::Cursor,
) -> io::Result<T::Cursor> {
    if let Some(cursor) = runs.resume(&source.state) {
        return Ok(cursor);
    }
    let progress = &mut |_| ();
    let known = file.events(start.clone(), source.position, progress)?;
    let cursor = runs.reread(known)?;
    Ok(cursor.unwrap_or(start))
}

impl Waiting {
    fn new(path: &Path, name: String, format: &'static str) -> Self {
        Self {
            path: path.to_owned(),
            name,
            format,
            read: None,
            learned: Vec::new(),
            proposed: Vec::new(),
            broken: 0,
            bytes: 0,
        }
    }

    fn proposals(&self) -> impl Iterator<Item = &Proposal> {
        self.proposed.iter().map(|(_, proposal)| proposal)
    }

    /// Returns how far it was read, if it was read to its end.
    fn source(&self) -> Option<(&str, &Source)> {
        Some((&*self.name, self.read.as_ref()?))
    }

    /// Keeps what its runs taught, which come first, to tell of it.
    fn keep(&mut self, learned: &mut impl Iterator<Item = Learned>) {
        let runs = self.proposed.drain(..).map(|(run, _)| run);
        self.learned.extend(runs.zip(learned));
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
