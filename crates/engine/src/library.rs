//! Learning from transcripts on disk: each file is read once, and read on when it has grown.
//!
//! What is kept of a file is where reading stopped, a fingerprint of its head, and the traces of
//! the runs that may go on: all of it cleaned. A file that was replaced is read anew; the runs in
//! it are known by their names, so even that learns nothing twice.

use std::{
    collections::{HashMap, VecDeque},
    fs::File,
    io::{self, BufReader, Read as _, Seek as _, SeekFrom},
    ops::ControlFlow,
    path::Path,
    time::UNIX_EPOCH,
};

use hardwon_core::{
    digest,
    event::{EventOf, RawEvent},
    id::{ProjectId, RunId},
    limits, redact,
    scope::Scope,
    trace::Trace,
};
use hardwon_store::Source;
use serde::{Deserialize, Serialize};

use crate::{
    Engine, Error, Learned, Result,
    transcript::{self, Cursor, Format, Item, RunInfo},
};

/// How much of a file's head is hashed to tell whether it is still the same file.
const HEAD_BYTES: u64 = 1024;

/// How much of a file is read at once.
const BUFFER_BYTES: usize = 256 * 1024;

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

/// What is kept of a file to read it on.
#[derive(Default, Serialize, Deserialize)]
struct State {
    cursor: Option<String>,
    traces: Vec<String>,
}

impl Engine {
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
        let fault = |source| Error::Read {
            path: path.to_owned(),
            source,
        };
        let mut file = File::open(path).map_err(fault)?;
        let seen = Seen::of(&mut file).map_err(fault)?;
        let Some(format) = transcript::recognise(path, &seen.head) else {
            return Ok(FileRead::NotATranscript);
        };
        let name = source_name(path);
        let before = self
            .store
            .source(&scope.tenant, &name)?
            .filter(|it| seen.is_of(it));
        if before
            .as_ref()
            .is_some_and(|source| source.position == seen.size)
        {
            return Ok(FileRead::Unchanged);
        }
        let state = before
            .filter(|_| format.is_resumable())
            .and_then(|it| decode(&it.state));
        let mut reading = Reading::new(self, scope, project, state.unwrap_or_default());
        let cursor = reading.cursor(&name, &seen);
        file.seek(SeekFrom::Start(cursor.offset())).map_err(fault)?;
        let buffer = usize::try_from(seen.size)
            .unwrap_or(usize::MAX)
            .clamp(1, BUFFER_BYTES);
        let source = BufReader::with_capacity(buffer, Counted { file, progress });
        let summary = transcript::read(source, format, cursor, &mut |item| reading.take(item))
            .map_err(fault)?;
        reading.failed.take().map_or(Ok(()), Err)?;
        reading.learn_the_last()?;
        let position = summary.cursor.as_ref().map_or(seen.size, Cursor::offset);
        let state = summary.cursor.as_ref().map(|cursor| reading.state(cursor));
        self.store.keep_source(
            &scope.tenant,
            &name,
            &Source {
                position,
                fingerprint: seen.fingerprint(format),
                state: state.map(|state| encode(&state)).unwrap_or_default(),
                at: self.clock.now(),
            },
        )?;
        Ok(FileRead::Read {
            format: format.name(),
            runs: reading.learned,
            broken: summary.broken,
            bytes: summary.bytes,
        })
    }
}

/// The runs of one file, while they are read.
struct Reading<'a> {
    engine: &'a Engine,
    scope: &'a Scope,
    project: &'a dyn Fn(&RunInfo) -> Option<ProjectId>,
    cursor: Option<String>,
    open: HashMap<RunId, Trace>,
    /// Runs that ended and may yet go on, the oldest first.
    ended: VecDeque<Ended>,
    learned: Vec<(RunId, Learned)>,
    failed: Option<Error>,
}

/// A run that ended and may yet go on.
///
/// It is learned from once nothing more of it can be read: a file that ends a run time and again
/// would otherwise have the whole run looked through each time.
struct Ended {
    trace: Trace,
    /// Whether something was added that was not learned from.
    is_due: bool,
}

impl<'a> Reading<'a> {
    fn new(
        engine: &'a Engine,
        scope: &'a Scope,
        project: &'a dyn Fn(&RunInfo) -> Option<ProjectId>,
        state: State,
    ) -> Self {
        let ended = state
            .traces
            .iter()
            .filter_map(|json| Trace::from_json(json).ok())
            .map(|trace| Ended {
                trace,
                is_due: false,
            })
            .collect();
        Self {
            engine,
            scope,
            project,
            cursor: state.cursor,
            open: HashMap::new(),
            ended,
            learned: Vec::new(),
            failed: None,
        }
    }

    fn cursor(&mut self, name: &str, seen: &Seen) -> Cursor {
        let kept = self.cursor.take().and_then(|json| Cursor::decode(&json));
        kept.filter(|cursor| cursor.offset() <= seen.size)
            .unwrap_or_else(|| {
                self.ended.clear();
                let id = RunId::parse(&hex(&[name.as_bytes(), seen.head_of(HEAD_BYTES)])[..16]);
                Cursor::start(id.expect("hexadecimal digits are a name"))
            })
    }

    fn take(&mut self, item: Item<'_>) -> ControlFlow<()> {
        let is_end = matches!(item.event, EventOf::End { .. });
        let trace = self.trace(item.run);
        trace.push(redact::scrub(without_agent(item.event)));
        if !is_end {
            return ControlFlow::Continue(());
        }
        match self.finish(&item.run.id) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.failed = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    fn trace(&mut self, run: &RunInfo) -> &mut Trace {
        let Self {
            open,
            ended,
            scope,
            project,
            ..
        } = self;
        open.entry(run.id.clone()).or_insert_with(|| {
            match ended.iter().position(|it| it.trace.run() == &run.id) {
                Some(at) => ended.remove(at).expect("it was just found").trace,
                None => {
                    let project = project(run).or_else(|| scope.project.clone());
                    Trace::new(
                        run.id.clone(),
                        Scope {
                            project,
                            ..(*scope).clone()
                        },
                    )
                }
            }
        })
    }

    fn finish(&mut self, run: &RunId) -> Result<()> {
        let Some(trace) = self.open.remove(run) else {
            return Ok(());
        };
        self.ended.push_back(Ended {
            trace,
            is_due: true,
        });
        if self.ended.len() > limits::RESUMED_RUNS
            && let Some(oldest) = self.ended.pop_front()
        {
            self.learn(&oldest)?;
        }
        Ok(())
    }

    /// Learns from the runs that ended last, now that the file ended.
    fn learn_the_last(&mut self) -> Result<()> {
        let mut ended = std::mem::take(&mut self.ended);
        for run in &mut ended {
            self.learn(run)?;
            run.is_due = false;
        }
        self.ended = ended;
        Ok(())
    }

    fn learn(&mut self, run: &Ended) -> Result<()> {
        if run.is_due {
            let learned = self.engine.learn(&run.trace)?;
            self.learned.push((run.trace.run().clone(), learned));
        }
        Ok(())
    }

    fn state(&self, cursor: &Cursor) -> State {
        let cursor = cursor.encode(&mut |raw| redact::clean(raw, limits::MESSAGE_BYTES));
        let mut room = limits::SOURCE_STATE_BYTES.saturating_sub(2 * cursor.len());
        let mut traces = Vec::new();
        for json in self.ended.iter().rev().map(|it| it.trace.to_json()) {
            // A JSON text inside JSON grows by its escapes.
            let Some(left) = room.checked_sub(2 * json.len()) else {
                break;
            };
            room = left;
            traces.push(json);
        }
        traces.reverse();
        State {
            cursor: Some(cursor),
            traces,
        }
    }
}

/// Which client ran it does not matter to whose lessons they are.
fn without_agent(event: RawEvent) -> RawEvent {
    match event {
        EventOf::Run { run, task, .. } => EventOf::Run {
            run,
            agent: None,
            project: None,
            task,
        },
        other => other,
    }
}

/// What is seen of a file before it is read.
struct Seen {
    head: Vec<u8>,
    size: u64,
    modified_ms: u128,
}

impl Seen {
    fn of(file: &mut File) -> io::Result<Self> {
        let about = file.metadata()?;
        let mut head = Vec::new();
        file.take(limits::RECOGNISE_BYTES as u64)
            .read_to_end(&mut head)?;
        let modified = about
            .modified()?
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Ok(Self {
            head,
            size: about.len(),
            modified_ms: modified.as_millis(),
        })
    }

    /// A file that is only appended to is known by its head; one that is written anew each time,
    /// also by when.
    fn fingerprint(&self, format: Format) -> String {
        let bytes = self.size.min(HEAD_BYTES);
        let written = if format.is_resumable() {
            0
        } else {
            self.modified_ms
        };
        format!("{bytes}:{written}:{}", self.head_hash(bytes))
    }

    fn is_of(&self, source: &Source) -> bool {
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

/// A file that tells how much of it was read.
struct Counted<'a> {
    file: File,
    progress: &'a mut dyn FnMut(u64),
}

impl io::Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        (self.progress)(count as u64);
        Ok(count)
    }
}

/// Names a file in the store without writing its path down, which may hold a secret or a name.
fn source_name(path: &Path) -> String {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    hex(&[whole.as_os_str().as_encoded_bytes()])[..32].to_owned()
}

fn hex(parts: &[&[u8]]) -> String {
    digest::hex(&digest::of(parts.iter().copied()))
}

fn encode(state: &State) -> Vec<u8> {
    serde_json::to_vec(state).expect("strings are JSON")
}

fn decode(bytes: &[u8]) -> Option<State> {
    serde_json::from_slice(bytes).ok()
}
