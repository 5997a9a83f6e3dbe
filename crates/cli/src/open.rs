//! Opens an engine from settings: database, access and policy.

use std::path::{Path, PathBuf};

use hardwon_api::v1::verbs::VerbEffect;
use hardwon_core::limits;
use hardwon_engine::{Clock as _, Engine, Principal, Replay, Scope, SystemClock};
use hardwon_store::{SqliteKeyDatabase, SqliteStore, Store, StoreErrorKind};

use jiff::SignedDuration;

use crate::{Result, Settings, embedding, lesson_log, output};

/// Returns the file in which the lessons are: the database, or the copy of what a server keeps.
pub fn lessons_file(settings: &Settings) -> &Path {
    match &settings.server {
        Some(server) => &server.replica,
        None => &settings.db,
    }
}

/// Refuses to change lessons that a server keeps.
pub fn refuse_server(settings: &Settings) -> Result<()> {
    let Some(server) = &settings.server else {
        return Ok(());
    };
    Err(bad_input!(
        "the lessons are kept by the server {}",
        server.address.as_str()
    ).with_hint(
        "change them there, on its page or through its API; `--db FILE` names a database of this machine",
    ))
}

/// Opens the database for reading and writing; creates it if it does not exist.
pub fn open_writer(settings: &Settings) -> Result<Engine> {
    refuse_server(settings)?;
    tell_of_new_name(settings);
    let store = SqliteStore::open(&settings.db)?;
    note_name(settings);
    Ok(build_engine(settings, Box::new(store)))
}

/// Lets the lessons of a repository go along when it has a new name, and returns what a person should know of that.
///
/// They stay where another repository has the old name still, or the new name has lessons of its own: nothing
/// joins what may be two.
pub fn follow_repository(settings: &Settings) -> Result<Option<String>> {
    let (Some(repository), Some(name)) = (&settings.checkout, &settings.scope.project) else {
        return Ok(None);
    };
    let Some(old) = repository.last_name().filter(|old| old != name) else {
        return Ok(None);
    };
    let relocation = if repository.is_name_of_another(&old) {
        None
    } else {
        let store = SqliteStore::open_for_hook(&settings.db)?;
        let rules = Principal::background(settings.scope.clone());
        build_engine(settings, Box::new(store))
            .acting_as(rules)
            .rename_project(&old, name)?
    };
    repository.note_name(name)?;
    let consequence = match relocation {
        Some(0) => return Ok(None),
        Some(_) => "its lessons came along",
        None => "its lessons stay there, and `hardwon lesson move` moves them",
    };
    let (old, new) = (old.display_name(), name.display_name());
    Ok(Some(format!(
        "this repository was {old} and is {new} now: {consequence}"
    )))
}

/// Says where the lessons of this repository are, if it has a new name. Where they cannot go along now, they do later.
fn tell_of_new_name(settings: &Settings) {
    let note = follow_repository(settings).ok().flatten();
    note.iter().for_each(|note| output::print_note(note));
}

/// Remembers the name of a repository in which lessons may be stored.
fn note_name(settings: &Settings) {
    if let (Some(repository), Some(name)) = (&settings.checkout, &settings.scope.project)
        && repository.last_name().is_none()
    {
        drop(repository.note_name(name));
    }
}

/// Opens the database for a verb of this effect.
pub fn open_for(settings: &Settings, effect: VerbEffect) -> Result<Engine> {
    match effect {
        VerbEffect::Recalls => open_reader(settings),
        VerbEffect::Reads => open_flushed(settings),
        VerbEffect::Adds | VerbEffect::Removes => open_writer(settings),
    }
}

/// Opens the database for writing, or as `preview` does where nothing is to be stored.
pub fn open_or_preview(
    settings: &Settings,
    is_dry_run: bool,
    preview: fn(&Settings) -> Result<Engine>,
) -> Result<Engine> {
    if is_dry_run {
        preview(settings)
    } else {
        open_writer(settings)
    }
}

/// Opens the database as [`open_writer`] does, for a process that cannot wait for others.
pub fn open_hasty_writer(settings: &Settings) -> Result<Engine> {
    refuse_server(settings)?;
    let store = SqliteStore::open_for_hook(&settings.db)?;
    note_name(settings);
    Ok(build_engine(settings, Box::new(store)))
}

/// Opens the database for reading, and creates nothing.
///
/// A missing database counts as an empty one; an older one is migrated.
pub fn open_reader(settings: &Settings) -> Result<Engine> {
    open_reader_with(SqliteStore::open_reader, settings)
}

/// Opens the database as [`open_reader`] does, for a process that reads once and ends.
pub fn open_once(settings: &Settings) -> Result<Engine> {
    open_reader_with(SqliteStore::open_reader_once, settings)
}

fn open_reader_with(
    open: fn(&Path) -> hardwon_store::Result<SqliteStore>,
    settings: &Settings,
) -> Result<Engine> {
    tell_of_new_name(settings);
    let store_or_error = match &settings.server {
        Some(server) => SqliteStore::open_replica(&server.replica),
        None => open(&settings.db),
    };
    match store_or_error {
        Ok(store) => Ok(build_engine(settings, Box::new(store))),
        Err(error) => match error.kind() {
            StoreErrorKind::TooOld if settings.server.is_some() => open_scratch(settings),
            StoreErrorKind::NotFound => open_scratch(settings),
            StoreErrorKind::TooOld => open_writer(settings),
            _ => Err(error.into()),
        },
    }
}

/// Opens a temporary copy of the database, to preview changes.
pub fn open_copy(settings: &Settings) -> Result<Engine> {
    match SqliteStore::open_copy(lessons_file(settings)) {
        Ok(store) => Ok(build_keeping_engine(settings, Box::new(store))),
        Err(error) if error.kind() == StoreErrorKind::NotFound => open_scratch(settings),
        Err(error) => Err(error.into()),
    }
}

/// Opens an empty temporary store.
pub fn open_scratch(settings: &Settings) -> Result<Engine> {
    let store = SqliteStore::in_memory()?;
    Ok(build_keeping_engine(settings, Box::new(store)))
}

/// Opens the database for reading, after counting spooled recalls and deleting query texts that are too old or not to
/// be kept.
///
/// Where it cannot be written, earlier counts are shown.
pub fn open_flushed(settings: &Settings) -> Result<Engine> {
    let engine = open_reader(settings)?;
    let now = SystemClock.now();
    let until = if settings.policy.keep_prompts {
        now - SignedDuration::from_hours(24 * limits::QUERY_TEXT_DAYS)
    } else {
        now
    };
    drop(engine.acting_as(settings.person()).flush_recalls(until));
    Ok(engine)
}

/// Starts a replay with these settings, over a temporary store.
pub fn new_replay(settings: &Settings, scope: &Scope) -> Result<Replay> {
    let replay = Replay::new(settings.policy.clone(), scope, settings.subagents)?;
    Ok(replay)
}

/// Builds an engine over a store that is open.
pub fn build_engine(settings: &Settings, store: Box<dyn Store>) -> Engine {
    let engine = build_keeping_engine(settings, store);
    match lesson_log::open_lesson_log().filter(|_| settings.logs_only) {
        Some(log) => engine.with_lesson_log(log),
        None => engine,
    }
}

/// Builds an engine that keeps what runs teach, whatever the settings say: in a copy it is shown and gone.
fn build_keeping_engine(settings: &Settings, store: Box<dyn Store>) -> Engine {
    let engine = Engine::new(store, settings.policy.clone(), Box::new(SystemClock));
    match embedding::from_settings(&settings.embedding) {
        // A server keeps its vectors to itself.
        Some(semantic) if settings.server.is_none() => engine.with_semantic(semantic),
        Some(_) | None => engine,
    }
}

/// Opens the file of keys beside a file of lessons, if there is one.
pub fn open_existing_keys_file(lessons: &Path) -> Result<Option<SqliteKeyDatabase>> {
    let path = keys_path(lessons);
    if path.exists() {
        Ok(Some(SqliteKeyDatabase::open(&path)?))
    } else {
        Ok(None)
    }
}

/// Returns where the keys are that belong to a file of lessons.
pub fn keys_path(lessons: &Path) -> PathBuf {
    lessons.with_file_name("keys.db")
}
