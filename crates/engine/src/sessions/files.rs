//! Sessions kept in files of a folder, for processes that come and go.
//!
//! ```text
//! sessions/KEY.jsonl, KEY.done   the memory, and in which state it was learned from
//! due/KEY, KEY.claimed           to be learned from
//! outside/SCOPE/KEY              the words of what it read from outside
//! capture.lock                   held by who learns
//! ```

mod due;
mod memory;
mod taint;

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Write as _},
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use hardwon_core::{id::RunId, limits, outside::OutsideWords, scope::Scope};

use super::{Claim, Due, LearningLock, OpenMemory, SessionKey, Sessions};
use crate::private;

/// Sessions kept in files of a folder.
#[derive(Debug, Clone)]
pub struct FileSessions {
    state: PathBuf,
}

impl FileSessions {
    /// Keeps sessions in this folder, which need not exist.
    #[must_use]
    pub fn new(state: &Path) -> Self {
        let state = state.to_owned();
        Self { state }
    }

    fn memory(&self, run: &RunId) -> PathBuf {
        self.in_sessions(&SessionKey::of(run.as_str()), "jsonl")
    }

    fn in_sessions(&self, key: &SessionKey, kind: &str) -> PathBuf {
        self.state.join("sessions").join(format!("{key}.{kind}"))
    }

    fn outside_file(&self, scope: &Scope, run: &RunId) -> PathBuf {
        let key = SessionKey::of(run.as_str());
        taint::folder(&self.state, scope).join(key.to_string())
    }

    fn write_done(&self, key: &SessionKey, standing: &str) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        private::open(&mut options, &self.in_sessions(key, "done"))?.write_all(standing.as_bytes())
    }

    fn due(&self) -> due::Folder {
        due::Folder(self.state.join("due"))
    }
}

impl Sessions for FileSessions {
    fn open(&self, run: &RunId, reach: usize) -> io::Result<Box<dyn OpenMemory>> {
        Ok(Box::new(memory::Memory::open(&self.memory(run), reach)?))
    }

    fn read(&self, run: &RunId) -> io::Result<Vec<u8>> {
        memory::read_whole(&self.memory(run))
    }

    fn standing(&self, run: &RunId) -> String {
        standing_of(&self.memory(run))
    }

    fn shorten(&self, run: &RunId) -> io::Result<()> {
        memory::shorten(&self.memory(run))
    }

    fn lock_learning(&self) -> io::Result<Option<LearningLock>> {
        let path = self.state.join("capture.lock");
        let file = private::open(OpenOptions::new().append(true).create(true), &path)?;
        let is_locked = match file.try_lock() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock) => false,
            Err(TryLockError::Error(error)) if has_no_locks(&error) => true,
            Err(TryLockError::Error(error)) => return Err(error),
        };
        let lock = |file: File| LearningLock {
            _held: Box::new(file),
        };
        Ok(is_locked.then(|| lock(file)))
    }

    fn add_due(&self, due: &Due) -> io::Result<()> {
        self.due().write(&due.key(), due)
    }

    fn list_due(&self) -> Vec<SessionKey> {
        self.due().list()
    }

    fn claim_due(&self, key: &SessionKey) -> Option<Claim> {
        let due = self.due().claim(key)?;
        let learned = fs::read_to_string(self.in_sessions(key, "done")).ok();
        Some(Claim { due, learned })
    }

    fn finish_due(&self, claim: &Claim, standing: Option<&str>) {
        let key = claim.due.key();
        if let Some(standing) = standing {
            // Where this cannot be written, the session is looked through once more.
            drop(self.write_done(&key, standing));
        }
        self.due().finish(&key);
    }

    fn put_off_due(&self, claim: &Claim) -> bool {
        self.due().put_off(&claim.due.key(), &claim.due)
    }

    fn add_outside(&self, scope: &Scope, run: &RunId, words: &OutsideWords) {
        // Where nothing can be written down, nothing can be remembered either.
        drop(taint::add(&self.outside_file(scope, run), words));
    }

    fn forget_outside(&self, scope: &Scope, run: &RunId) {
        drop(fs::remove_file(self.outside_file(scope, run)));
    }

    fn outside_of(&self, scope: &Scope, run: &RunId) -> Option<OutsideWords> {
        taint::read(&self.outside_file(scope, run))
    }

    fn outside_in(&self, scope: &Scope) -> OutsideWords {
        taint::read_all(&taint::folder(&self.state, scope))
    }

    fn is_tainted(&self, scope: &Scope) -> bool {
        taint::is_any(&taint::folder(&self.state, scope))
    }

    fn forget_old(&self, now: SystemTime) {
        let long = Duration::from_secs(limits::SESSION_DAYS * 24 * 60 * 60);
        for folder in [self.state.join("sessions"), self.due().0] {
            let Ok(entries) = fs::read_dir(folder) else {
                continue;
            };
            for entry in entries.flatten().take(limits::SESSION_FILES) {
                let written = entry.metadata().and_then(|about| about.modified());
                let age = written.ok().and_then(|at| now.duration_since(at).ok());
                if age.is_some_and(|age| age > long) {
                    drop(fs::remove_file(entry.path()));
                }
            }
        }
    }
}

/// Returns in which state a file was left: how long and how old it is; nothing if there is none.
#[must_use]
pub fn standing_of(path: &Path) -> String {
    let about = || {
        let about = fs::metadata(path).ok()?;
        let at = about.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(format!("{}:{}", about.len(), at.as_nanos()))
    };
    about().unwrap_or_default()
}

/// Returns whether a file system has no locks: two hooks at one moment may then say a thing twice.
fn has_no_locks(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Unsupported
}
