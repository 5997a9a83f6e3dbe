//! Sessions kept in files of a folder, for processes that come and go.
//!
//! ```text
//! sessions/KEY.jsonl, KEY.done   the memory, and the state in which it was learned from
//! due/KEY, KEY.claimed           due to be learned from
//! outside/SCOPE/KEY, KEY.over    the words that it read from outside, and those of one that is over
//! written/SCOPE, SCOPE.old       the words from outside that sessions wrote to files
//! capture.lock                   held by the process that learns
//! ```

mod due;
mod memory;
mod taint;

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use hardwon_core::{OutsideWords, RunId, Scope, limits};

use crate::private_file;
use crate::{DueSession, LearningLock, OpenMemory, SessionClaim, SessionKey, Sessions};

/// Sessions kept in files of a folder.
#[derive(Debug, Clone)]
pub struct FileSessions {
    state_folder: PathBuf,
}

impl FileSessions {
    /// Keeps sessions in this folder, which need not exist.
    pub fn new(state: &Path) -> Self {
        let state_folder = state.to_owned();
        Self { state_folder }
    }

    /// Deletes what is kept of the events of these runs, and of any session in which one of the texts stands.
    pub fn delete_memories(&self, runs: &[RunId], texts: &[String]) -> io::Result<()> {
        // As the text stands in a line of JSON.
        let texts_in_json = texts
            .iter()
            .map(|text| serde_json::Value::from(text.as_str()).to_string());
        let texts_in_json: Vec<String> = texts_in_json
            .map(|text| text[1..text.len() - 1].to_owned())
            .collect();
        let paths: Vec<PathBuf> = runs.iter().map(|run| self.memory_path(run)).collect();
        let entries = fs::read_dir(self.state_folder.join("sessions"));
        for entry in entries.into_iter().flatten().flatten() {
            let path = entry.path();
            let holds = || {
                let bytes = fs::read(&path).unwrap_or_default();
                let bytes = String::from_utf8_lossy(&bytes);
                texts_in_json
                    .iter()
                    .any(|text| bytes.contains(text.as_str()))
            };
            if paths.contains(&path) || holds() {
                fs::remove_file(&path)?;
            }
        }
        Ok(())
    }

    fn memory_path(&self, run: &RunId) -> PathBuf {
        self.session_path(&SessionKey::from_run(run.as_str()), "jsonl")
    }

    fn session_path(&self, key: &SessionKey, kind: &str) -> PathBuf {
        self.state_folder
            .join("sessions")
            .join(format!("{key}.{kind}"))
    }

    fn outside_path(&self, scope: &Scope, run: &RunId) -> PathBuf {
        let key = SessionKey::from_run(run.as_str());
        taint::scope_folder(&self.state_folder, scope).join(key.to_string())
    }

    /// Returns the folders of all scopes.
    fn outside_folders(&self) -> impl Iterator<Item = PathBuf> {
        let scopes = fs::read_dir(self.state_folder.join("outside"));
        let scopes = scopes.into_iter().flatten().flatten();
        scopes.take(limits::SESSION_FILES).map(|scope| scope.path())
    }

    fn written_path(&self, scope: &Scope) -> PathBuf {
        let name = taint::scope_folder(&self.state_folder, scope);
        let name = name.file_name().unwrap_or_default();
        self.state_folder.join("written").join(name)
    }

    fn due_folder(&self) -> due::DueFolder {
        due::DueFolder(self.state_folder.join("due"))
    }
}

impl Sessions for FileSessions {
    fn open_memory(&self, run: &RunId, reach: usize) -> io::Result<Box<dyn OpenMemory>> {
        Ok(Box::new(memory::MemoryFile::open_memory(
            &self.memory_path(run),
            reach,
        )?))
    }

    fn read_memory(&self, run: &RunId) -> io::Result<Vec<u8>> {
        memory::read_whole(&self.memory_path(run))
    }

    fn memory_state(&self, run: &RunId) -> String {
        file_state(&self.memory_path(run))
    }

    fn shorten_memory(&self, run: &RunId) -> io::Result<()> {
        memory::shorten_memory(&self.memory_path(run))
    }

    fn lock_learning(&self) -> io::Result<Option<LearningLock>> {
        let path = self.state_folder.join("capture.lock");
        let file = private_file::open_lock(&path)?;
        let is_locked = private_file::lock_until(&file, Instant::now())?;
        Ok(is_locked.then(|| LearningLock {
            _held: Box::new(file),
        }))
    }

    fn add_due(&self, due: &DueSession) -> io::Result<()> {
        self.due_folder().write_due(&due.key(), due)
    }

    fn list_due(&self) -> Vec<SessionKey> {
        self.due_folder().list_keys()
    }

    fn list_quiet(&self, now: SystemTime, quiet: Duration) -> Vec<SessionKey> {
        let mut keys = self.due_folder().list_all_keys();
        keys.retain(|key| {
            let memory = fs::metadata(self.session_path(key, "jsonl"));
            let write_time = memory.and_then(|about| about.modified()).ok();
            // A session without a memory is over.
            write_time.is_none_or(|at| now.duration_since(at).is_ok_and(|age| age >= quiet))
        });
        keys.truncate(limits::CAPTURE_BATCH);
        keys
    }

    fn claim_due(&self, key: &SessionKey) -> Option<SessionClaim> {
        let due = self.due_folder().claim_due(key)?;
        let learned_state = fs::read_to_string(self.session_path(key, "done")).ok();
        Some(SessionClaim { due, learned_state })
    }

    fn finish_due(&self, claim: &SessionClaim, standing: Option<&str>) {
        let key = claim.due.key();
        if let Some(standing) = standing {
            // Where this cannot be written, the session is read through once more.
            let path = self.session_path(&key, "done");
            drop(private_file::write(&path, standing.as_bytes()));
        }
        self.due_folder().remove_claim(&key);
    }

    fn put_off_due(&self, claim: &SessionClaim) -> bool {
        self.due_folder().put_off_due(&claim.due.key(), &claim.due)
    }

    fn add_outside(&self, scope: &Scope, run: &RunId, words: &OutsideWords) {
        // Where not even a file can be made, the words are lost.
        drop(taint::append_words(&self.outside_path(scope, run), words));
    }

    fn end_outside(&self, scope: &Scope, run: &RunId) {
        taint::end_words(&self.outside_path(scope, run));
    }

    fn outside_words(&self, scope: &Scope, run: &RunId) -> Option<OutsideWords> {
        // A session that goes to another folder keeps what it has read.
        let name = self.outside_path(scope, run);
        let name = name.file_name().unwrap_or_default();
        let folders = self.outside_folders();
        let lists = folders.filter_map(|folder| taint::read_session_words(&folder.join(name)));
        lists.reduce(|mut words, more| {
            words.extend(&more);
            words
        })
    }

    fn add_written(&self, scope: &Scope, words: &OutsideWords) {
        // Where nothing can be written, the words are lost.
        drop(taint::append_written(&self.written_path(scope), words));
    }

    fn written_words(&self, scope: &Scope) -> OutsideWords {
        taint::read_written(&self.written_path(scope))
    }

    fn outside_words_in_scope(&self, scope: &Scope) -> OutsideWords {
        taint::read_all_words(&taint::scope_folder(&self.state_folder, scope))
    }

    fn words_around(&self, scope: &Scope) -> OutsideWords {
        let mut words = self.outside_words_in_scope(scope);
        for folder in self.outside_folders() {
            words.extend(&taint::read_all_words(&folder).without_unknown());
        }
        words
    }

    fn is_tainted(&self, scope: &Scope) -> bool {
        taint::has_live_session(&taint::scope_folder(&self.state_folder, scope))
    }

    fn has_tainted_scope(&self) -> bool {
        (self.outside_folders()).any(|folder| taint::has_live_session(&folder))
    }

    fn delete_old_sessions(&self, now: SystemTime) {
        let long = Duration::from_secs(limits::SESSION_DAYS * 24 * 60 * 60);
        let folders = ["sessions", "written"].map(|name| self.state_folder.join(name));
        for folder in folders.into_iter().chain([self.due_folder().0]) {
            private_file::delete_older(&folder, now, long, limits::SESSION_FILES);
        }
    }
}

/// Returns the length and modification time of a file as a token; empty if there is no file.
pub fn file_state(path: &Path) -> String {
    let about = || {
        let about = fs::metadata(path).ok()?;
        let at = about.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(format!("{}:{}", about.len(), at.as_nanos()))
    };
    about().unwrap_or_default()
}
