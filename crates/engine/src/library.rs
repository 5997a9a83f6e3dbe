//! Learns from transcripts on disk: each file is read once, and read on when it has grown.
//!
//! Of a file the store keeps the position where reading stopped and a fingerprint of its head; of a long one also the
//! traces of the runs that may continue, cleaned. A short one that has grown is read from its start, to have those
//! traces again, and learned from where it continued. A file that was replaced is read anew; the runs in it are known
//! by their names, so even that learns nothing twice.
//!
//! A [`TranscriptLibrary`] learns from many runs at a time, in one transaction, because a commit costs more than a
//! short session. A file is reported once all its runs are learned from.

mod runs;

use std::{
    io,
    path::{Path, PathBuf},
};

use hardwon_core::{Memo, OutsideWords, ProjectId, RunId, Scope, Trace, limits};
use hardwon_store::SourceProgress;

use self::runs::RunAssembler;
use crate::{
    Desk, Error, LearnOutcome, Result, Rights, RunInfo, RunProposal, TranscriptFile,
    learn::RunLearner,
    transcript::{TranscriptCursor as _, TranscriptEvents as _, source_name},
};

/// Most files that are learned from together.
const BATCH_FILES: usize = 256;

/// Most runs that are learned from together.
const BATCH_RUNS: usize = 256;

/// Most bytes of resume state that pending files may hold.
const BATCH_STATE_BYTES: usize = limits::SOURCE_STATE_BYTES;

/// The result of reading one file.
#[derive(Debug)]
pub enum FileRead {
    /// It is not a transcript of a known format.
    NotATranscript,
    /// Nothing was added since it was last read.
    Unchanged,
    /// It was read, from its start or from where reading stopped.
    Read {
        /// Its format, such as `claude-code`.
        format: &'static str,
        /// What each run in it taught, in order.
        runs: Vec<(RunId, LearnOutcome)>,
        /// Records that could not be read and were skipped.
        unreadable: u64,
        /// Number of bytes read.
        bytes: u64,
    },
}

/// What hooks saw of a session, which its transcript does not have.
#[derive(Debug, Clone)]
pub struct WatchedSession {
    /// The words that its runs have read from outside.
    pub words: OutsideWords,
    /// Those that another agent may pass on: they and what sessions beside it have read.
    pub passed_on: OutsideWords,
    /// Whether a program wrote its prompts.
    pub is_unattended: bool,
}

/// Reads transcripts of one scope, and learns from several of them at a time.
///
/// A file that was read but not yet reported counts as unread.
pub struct TranscriptLibrary<'e> {
    learner: RunLearner<'e>,
    /// What hooks saw of the session.
    watched: Option<WatchedSession>,
    scope: Scope,
    memo: Memo,
    pending: Vec<PendingFile>,
    /// Files that are done and not reported yet.
    done: Vec<(PathBuf, FileRead)>,
}

/// A file that is read and not learned from yet.
struct PendingFile {
    path: PathBuf,
    name: String,
    format: &'static str,
    /// How far it was read; `None` while it is being read.
    progress: Option<SourceProgress>,
    learned: Vec<(RunId, LearnOutcome)>,
    proposals: Vec<(RunId, RunProposal)>,
    unreadable: u64,
    bytes: u64,
}

impl<'e> Desk<'e> {
    /// Opens a library, to learn from many transcripts.
    pub fn open_library(&self) -> Result<TranscriptLibrary<'e>> {
        self.principal.check_right(Rights::Write)?;
        Ok(TranscriptLibrary {
            learner: self.learner(),
            watched: None,
            scope: self.principal.scope.clone(),
            memo: Memo::default(),
            pending: Vec::new(),
            done: Vec::new(),
        })
    }

    /// Learns from one transcript, which `T` opens.
    ///
    /// `project` finds the project of a run from what its transcript says about its folder. `progress` gets the number
    /// of bytes read since its last call.
    pub fn read_transcript<T: TranscriptFile>(
        &self,
        path: &Path,
        project: &dyn Fn(&RunInfo) -> Option<ProjectId>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<FileRead> {
        self.open_library()?.read_one::<T>(path, project, progress)
    }
}

impl Desk<'_> {
    /// Learns from a transcript that was sent and is not kept. `name` is the same each time it is sent: it names runs
    /// without names of their own, so that none teaches twice. `project` is as for
    /// [`read_transcript`](Self::read_transcript).
    pub fn read_sent_transcript<T: TranscriptFile>(
        &self,
        path: &Path,
        name: &str,
        project: &dyn Fn(&RunInfo) -> Option<ProjectId>,
    ) -> Result<FileRead> {
        let mut library = self.open_library()?;
        let nothing = library.read_if_changed::<T>(path, name.to_owned(), project, None)?;
        let mut answers = library.finish()?;
        Ok(nothing.unwrap_or_else(|| answers.pop().expect("one answer a file").1))
    }
}

/// Reads the runs of a transcript, which `T` opens, and learns nothing: for whoever sends them to where they are learned
/// from. `None` if the file is no transcript of a known format.
///
/// `watched` is what hooks saw of the session, if they did.
///
/// # Errors
///
/// Those of reading it.
pub fn read_runs<T: TranscriptFile>(
    path: &Path,
    scope: &Scope,
    project: &dyn Fn(&RunInfo) -> Option<ProjectId>,
    watched: Option<&WatchedSession>,
) -> io::Result<Option<Vec<Trace>>> {
    let Some(file) = T::open(path)? else {
        return Ok(None);
    };
    let mut runs = RunAssembler::new(scope, project).with_watched(watched.cloned());
    let mut ended_runs = Vec::new();
    let progress = &mut |_| ();
    for item in file.events(file.start(&source_name(path)), u64::MAX, progress)? {
        ended_runs.extend(runs.push_event(item?));
    }
    ended_runs.extend(runs.due_runs().cloned());
    Ok(Some(ended_runs))
}

impl TranscriptLibrary<'_> {
    /// Sets what hooks saw of the session whose transcript is read.
    #[must_use]
    pub fn with_watched(mut self, watched: WatchedSession) -> Self {
        self.learner.outside.clone_from(&watched.words);
        self.watched = Some(watched);
        self
    }

    /// Learns from one transcript, which `T` opens. `project` and `progress` are as for [`Desk::read_transcript`].
    ///
    /// # Errors
    ///
    /// Those of [`read_transcript`](Self::read_transcript) and [`finish`](Self::finish).
    pub fn read_one<T: TranscriptFile>(
        mut self,
        path: &Path,
        project: &dyn Fn(&RunInfo) -> Option<ProjectId>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<FileRead> {
        let mut answers = self.read_transcript::<T>(path, project, progress)?;
        answers.extend(self.finish()?);
        Ok(answers.pop().expect("one answer a file").1)
    }

    /// Reads a transcript, which `T` opens, and returns the files that are now done: some of those read before, and
    /// perhaps this one. `project` and `progress` are as for [`Desk::read_transcript`].
    ///
    /// # Errors
    ///
    /// `ReadTranscript` if this file could not be read; the others are not affected. `Store` if the result could not be
    /// stored: the pending files are read another time.
    pub fn read_transcript<T: TranscriptFile>(
        &mut self,
        path: &Path,
        project: &dyn Fn(&RunInfo) -> Option<ProjectId>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Vec<(PathBuf, FileRead)>> {
        let name = source_name(path);
        if self.pending.iter().any(|pending| pending.name == name) {
            self.learn_pending(None)?;
        }
        if let Some(nothing) = self.read_if_changed::<T>(path, name, project, Some(progress))? {
            self.done.push((path.to_owned(), nothing));
        }
        if self.is_full(None) {
            self.learn_pending(None)?;
        }
        Ok(std::mem::take(&mut self.done))
    }

    /// Learns from all pending files, and returns those that are now done.
    pub fn finish(mut self) -> Result<Vec<(PathBuf, FileRead)>> {
        self.learn_pending(None)?;
        Ok(self.done)
    }

    /// Reads a file if it has new content; else returns the reason. Without a `progress` it is one that is sent and not kept:
    /// it is read whole, however often it was read before, and how far it was read is not saved.
    fn read_if_changed<T: TranscriptFile>(
        &mut self,
        path: &Path,
        name: String,
        project: &dyn Fn(&RunInfo) -> Option<ProjectId>,
        progress: Option<&mut dyn FnMut(u64)>,
    ) -> Result<Option<FileRead>> {
        let is_kept = progress.is_some();
        let fault = Error::reading(path);
        let Some(file) = T::open(path).map_err(&fault)? else {
            return Ok(Some(FileRead::NotATranscript));
        };
        let reader = self.learner.desk.snapshot()?;
        let before = reader.source_progress(&self.scope.tenant, &name)?;
        drop(reader);
        let before = before.filter(|before| {
            let is_same = file.has_fingerprint(&before.fingerprint);
            is_kept && is_same && before.position <= file.size()
        });
        if (before.as_ref()).is_some_and(|source| source.position == file.size()) {
            return Ok(Some(FileRead::Unchanged));
        }
        if self.pending.is_empty() {
            // A recent recall may still be in the spool. The commit that ends each batch counts later ones.
            self.learner.desk.engine.store.flush(&self.scope.tenant)?;
        }
        let scope = self.scope.clone();
        let watched = self.watched.clone();
        let mut runs = RunAssembler::new(&scope, project).with_watched(watched);
        let before = before.filter(|_| file.is_resumable());
        let start = file.start(&name);
        let cursor = match &before {
            None => start,
            Some(source) => resume_reading(&mut runs, source, &file, start).map_err(&fault)?,
        };
        let mut reading = PendingFile::new(path, name, file.format());
        let mut ignore = |_| ();
        let progress = progress.unwrap_or(&mut ignore);
        let end = self.read_events(&file, cursor, &mut runs, &mut reading, progress)?;
        let cursor = end.as_ref();
        reading.progress = is_kept.then(|| SourceProgress {
            position: cursor.map_or(file.size(), T::Cursor::offset),
            fingerprint: file.fingerprint(),
            state: cursor.map_or_else(Vec::new, |cursor| runs.encode_state(cursor)),
            at: self.learner.desk.now(),
        });
        self.pending.push(reading);
        Ok(None)
    }

    /// Reads a file's events from a cursor to its end, and returns the cursor there.
    fn read_events<T: TranscriptFile>(
        &mut self,
        file: &T,
        from: T::Cursor,
        runs: &mut RunAssembler<'_>,
        reading: &mut PendingFile,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Option<T::Cursor>> {
        let fault = Error::reading(&reading.path);
        let mut events = file.events(from, u64::MAX, progress).map_err(&fault)?;
        for item in &mut events {
            if let Some(run) = runs.push_event(item.map_err(&fault)?) {
                self.add_proposal(&run, runs, reading)?;
            }
        }
        for run in runs.due_runs() {
            self.add_proposal(run, runs, reading)?;
        }
        let summary = events.summary();
        (reading.unreadable, reading.bytes) = (summary.unreadable, summary.bytes);
        Ok(summary.cursor)
    }

    /// Adds a run's proposal to its file, and learns from everything pending if that is much.
    fn add_proposal(
        &mut self,
        run: &Trace,
        runs: &RunAssembler<'_>,
        reading: &mut PendingFile,
    ) -> Result<()> {
        let proposal = self.learner.propose_from_run(run, &mut self.memo)?;
        let proposal = proposal.with_history(runs.find_history(run.run()));
        reading.proposals.push((run.run().clone(), proposal));
        if self.is_full(Some(reading)) {
            self.learn_pending(Some(reading))
        } else {
            Ok(())
        }
    }

    fn is_full(&self, reading: Option<&PendingFile>) -> bool {
        let files = || self.pending.iter().chain(reading);
        let runs: usize = files().map(|file| file.proposals.len()).sum();
        let states = files().filter_map(|file| file.progress.as_ref());
        let bytes: usize = states.map(|state| state.state.len()).sum();
        self.pending.len() >= BATCH_FILES || runs >= BATCH_RUNS || bytes >= BATCH_STATE_BYTES
    }

    /// Learns from the pending files, and from what was read so far of another, and saves how far each was read, all or
    /// nothing.
    fn learn_pending(&mut self, reading: Option<&mut PendingFile>) -> Result<()> {
        let mut waiting = std::mem::take(&mut self.pending);
        let mut files: Vec<&mut PendingFile> = waiting.iter_mut().chain(reading).collect();
        let proposals = files.iter().flat_map(|file| &file.proposals);
        let proposals: Vec<&RunProposal> = proposals.map(|(_, proposal)| proposal).collect();
        let sources = files.iter();
        let sources: Vec<(&str, &SourceProgress)> = sources
            .filter_map(|file| Some((&*file.name, file.progress.as_ref()?)))
            .collect();
        let outcomes = (self.learner).learn_proposals(&self.scope.tenant, &proposals, &sources)?;
        let mut outcomes = outcomes.into_iter();
        for file in &mut files {
            let runs = file.proposals.drain(..).map(|(run, _)| run);
            file.learned.extend(runs.zip(&mut outcomes));
        }
        let read = waiting.into_iter().map(PendingFile::into_file_read);
        self.done.extend(read);
        Ok(())
    }
}

/// Continues where reading stopped, from the saved state or else by reading the file once more.
fn resume_reading<T: TranscriptFile>(
    runs: &mut RunAssembler<'_>,
    source: &SourceProgress,
    file: &T,
    start: T::Cursor,
) -> io::Result<T::Cursor> {
    if let Some(cursor) = runs.resume(&source.state) {
        return Ok(cursor);
    }
    let progress = &mut |_| ();
    let events = file.events(start.clone(), source.position, progress)?;
    let cursor = runs.reread(events)?;
    Ok(cursor.unwrap_or(start))
}

impl PendingFile {
    fn new(path: &Path, name: String, format: &'static str) -> Self {
        Self {
            path: path.to_owned(),
            name,
            format,
            progress: None,
            learned: Vec::new(),
            proposals: Vec::new(),
            unreadable: 0,
            bytes: 0,
        }
    }

    fn into_file_read(self) -> (PathBuf, FileRead) {
        let read = FileRead::Read {
            format: self.format,
            runs: self.learned,
            unreadable: self.unreadable,
            bytes: self.bytes,
        };
        (self.path, read)
    }
}
