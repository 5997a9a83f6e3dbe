//! Learning from sessions, behind the back of the client: a process of its own.
//!
//! A hook starts it and goes; it has its own process group and no pipe to anybody, so the client
//! neither waits for it nor takes it along when it ends. One at a time does the work of all: who
//! finds another at work leaves, and who finished looks once more whether anything was written down
//! meanwhile; models are asked after that, when others may learn again. A session is learned from by its transcript, where there is one of a known format,
//! else by what its hooks told; both are the same run, so nothing counts twice.

use std::{
    collections::{BTreeMap, HashSet},
    fs::{self, File, OpenOptions},
    io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use hardwon_core::{
    id::{RunId, TenantId},
    limits,
};
use hardwon_engine::{FileRead, attend::Session};
use jiff::Timestamp;

use super::{
    due::{self, Due},
    log, memory,
};
use crate::{
    args::Global, cmd::sync, config::Settings, embedding, error::Failure, model, open, pause,
};

/// How often it is looked again whether something is due.
const ROUNDS: usize = 4;

/// Starts a process that learns from whatever is due; nothing if one is at work.
pub(super) fn start(state: &Path, global: &Global) -> io::Result<()> {
    if alone(state)?.is_none() {
        return Ok(());
    }
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["hook", "--capture"]);
    let path = global.db.as_ref().map(|path| path.as_os_str());
    let words = [("--agent", &global.agent), ("--project", &global.project)];
    let named = words.map(|(flag, value)| (flag, value.as_ref().map(|it| it.as_ref())));
    for (flag, value) in [("--db", path)].into_iter().chain(named) {
        if let Some(value) = value {
            command.arg(flag).arg(value);
        }
    }
    if global.everywhere {
        command.arg("--everywhere");
    }
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let nobody = Stdio::null;
    command.stdin(nobody()).stdout(nobody()).stderr(nobody());
    command.spawn().map(drop)
}

/// Learns from every session that is due, unless somebody else is at it.
pub(super) fn run(state: &Path, global: &Global) {
    let mut failed = HashSet::new();
    let mut learned = BTreeMap::new();
    for _ in 0..ROUNDS {
        let Ok(Some(alone)) = alone(state) else {
            break;
        };
        for key in due::list(state) {
            if failed.contains(&key) {
                continue;
            }
            match one(state, global, &key) {
                Ok(Some(place)) => drop(learned.insert(place.store(), place)),
                Ok(None) => {}
                Err(Failed) => drop(failed.insert(key)),
            }
        }
        drop(alone);
        if due::list(state).iter().all(|key| failed.contains(key)) {
            break;
        }
    }
    sweep(state, SystemTime::now());
    // A model takes its time, and nobody who has a session to learn from waits for that.
    for place in learned.values() {
        place.ask(state);
    }
}

/// Where something was learned.
struct Learned {
    client: String,
    settings: Settings,
}

impl Learned {
    /// Returns which store it is in, and whose part of it.
    fn store(&self) -> (PathBuf, TenantId) {
        let settings = &self.settings;
        (settings.db.clone(), settings.scope.tenant.clone())
    }

    /// Asks models about it, if any are to be asked.
    fn ask(&self, state: &Path) {
        let trouble = match open::writer(&self.settings) {
            Ok(engine) => [
                model::drain_in_background(&self.settings, &engine),
                embedding::fill_in_background(&self.settings, &engine),
            ],
            Err(failure) => [Some(failure.to_string()), None],
        };
        for trouble in trouble.into_iter().flatten() {
            log::note(state, &self.client, &trouble);
        }
    }
}

/// Learning from a session failed, and the log says why.
struct Failed;

/// Takes the lock that only one process holds; none if another one does.
fn alone(state: &Path) -> io::Result<Option<File>> {
    let path = state.join("capture.lock");
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(fs::TryLockError::WouldBlock) => Ok(None),
        Err(fs::TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
            Ok(Some(file))
        }
        Err(fs::TryLockError::Error(error)) => Err(error),
    }
}

/// Learns from one session, and returns where something new was learned.
fn one(state: &Path, global: &Global, key: &str) -> Result<Option<Learned>, Failed> {
    let Some(due) = due::claim(state, key) else {
        return Ok(None);
    };
    match learn(state, global, key, &due) {
        Ok(learned) => {
            due::finish(state, key);
            let client = due.client;
            Ok(learned.map(|settings| Learned { client, settings }))
        }
        Err(failure) => {
            let again = due::put_off(state, key, &due);
            let next = if again { "" } else { "; it is not tried again" };
            let what = format!("learning from a session: {failure}{next}");
            log::note(state, &due.client, &what);
            Err(Failed)
        }
    }
}

/// Learns from one session, and returns the settings of its place, unless there was nothing new.
fn learn(state: &Path, global: &Global, key: &str, due: &Due) -> Result<Option<Settings>, Failure> {
    let run = RunId::parse(&due.run).map_err(|bad| Failure::fault(bad.to_string()))?;
    let settings = Settings::load_in(global, due.folder.as_deref())?;
    let project = settings.scope.project.as_ref();
    if pause::is_paused(state, project, Timestamp::now()) {
        return Ok(None);
    }
    let transcript = due.transcript.as_deref().filter(|path| path.is_file());
    let now = standing(state, key, transcript);
    let done = memory::folder(state).join(format!("{key}.done"));
    if fs::read_to_string(&done).is_ok_and(|before| before == now) {
        return Ok(None);
    }
    let engine = open::writer(&settings)?;
    let read = match transcript {
        Some(path) => {
            let place = |_: &_| settings.scope.project.clone();
            engine.read_file(path, &settings.scope, &place, &mut |_| {})?
        }
        None => FileRead::NotATranscript,
    };
    if matches!(read, FileRead::NotATranscript)
        && let Ok(lines) = memory::read_whole(state, key)
    {
        let session = Session::read(run.clone(), settings.scope.clone(), &lines);
        engine.learn(&session.into_trace())?;
    }
    if let Some(folder) = due.folder.as_deref().filter(|_| settings.sync)
        && let Err(trouble) = sync::after(&engine, &settings, folder)
    {
        log::note(state, &due.client, &trouble);
    }
    // Where this cannot be written, the session is looked through once more.
    drop(fs::write(done, now));
    drop(memory::shorten(state, &run));
    Ok(Some(settings))
}

/// Returns in which state a session was left: how long and how old what it is learned from is.
fn standing(state: &Path, key: &str, transcript: Option<&Path>) -> String {
    let about = |path: &Path| {
        let about = fs::metadata(path).ok()?;
        let at = about.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(format!("{}:{}", about.len(), at.as_nanos()))
    };
    let file = memory::file(state, key);
    about(transcript.unwrap_or(&file)).unwrap_or_default()
}

/// Removes what is left of sessions that are long over.
fn sweep(state: &Path, now: SystemTime) {
    for folder in [memory::folder(state), due::folder(state)] {
        let Ok(entries) = fs::read_dir(folder) else {
            continue;
        };
        let long = Duration::from_secs(limits::SESSION_DAYS * 24 * 60 * 60);
        for entry in entries.flatten().take(limits::SESSION_FILES) {
            let written = entry.metadata().and_then(|about| about.modified());
            let age = written.ok().and_then(|at| now.duration_since(at).ok());
            if age.is_some_and(|age| age > long) {
                drop(fs::remove_file(entry.path()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_long_over_are_forgotten() {
        let state = tempfile::tempdir().unwrap();
        let folder = memory::folder(state.path());
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("a.jsonl"), "").unwrap();
        let left = || fs::read_dir(&folder).unwrap().count();
        let day = Duration::from_secs(24 * 60 * 60);
        sweep(state.path(), SystemTime::now() + 29 * day);
        assert_eq!(left(), 1);
        sweep(state.path(), SystemTime::now() + 31 * day);
        assert_eq!(left(), 0);
    }
}
