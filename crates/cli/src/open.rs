//! From settings to an engine: which database is opened, how, and with which policy.

use std::path::Path;

use hardwon_core::{
    capture::{CaptureMode, CapturePolicy},
    guard::{EntryState, GuardPolicy},
    limits,
    preamble::PreambleBudget,
};
use hardwon_engine::{
    Clock as _, Engine, InquiryPolicy, Policy, Scope, SystemClock, replay::Replay,
};
use hardwon_store::{MemoryStore, SqliteStore, Store, StoreErrorKind};

use jiff::SignedDuration;

use crate::{config::Settings, embedding, error::CliError};

/// Opens the database for reading and writing; makes it if it is not there.
pub fn open_writer(settings: &Settings) -> Result<Engine, CliError> {
    let store = SqliteStore::open(&settings.db)?;
    Ok(build_engine(settings, Box::new(store)))
}

/// Opens the database as [`open_writer`] does, for a process that cannot wait for others.
pub fn open_hasty_writer(settings: &Settings) -> Result<Engine, CliError> {
    let store = SqliteStore::open_for_hook(&settings.db)?;
    Ok(build_engine(settings, Box::new(store)))
}

/// Opens the database for reading, and makes nothing.
///
/// A database that is not there yet is an empty one; one that an older version made is brought up
/// to date.
pub fn open_reader(settings: &Settings) -> Result<Engine, CliError> {
    open_reader_with(SqliteStore::open_reader, settings)
}

/// Opens the database as [`open_reader`] does, for a process that asks once and ends.
pub fn open_once(settings: &Settings) -> Result<Engine, CliError> {
    open_reader_with(SqliteStore::open_reader_once, settings)
}

fn open_reader_with(
    open: fn(&Path) -> hardwon_store::Result<SqliteStore>,
    settings: &Settings,
) -> Result<Engine, CliError> {
    match open(&settings.db) {
        Ok(store) => Ok(build_engine(settings, Box::new(store))),
        Err(error) => match error.kind() {
            StoreErrorKind::NotFound => Ok(open_scratch(settings)),
            StoreErrorKind::TooOld => open_writer(settings),
            _ => Err(error.into()),
        },
    }
}

/// Opens a copy of the database that is gone when the program ends, to see what would become of it.
pub fn open_copy(settings: &Settings) -> Result<Engine, CliError> {
    match SqliteStore::open_copy(&settings.db) {
        Ok(store) => Ok(build_engine(settings, Box::new(store))),
        Err(error) if error.kind() == StoreErrorKind::NotFound => Ok(open_scratch(settings)),
        Err(error) => Err(error.into()),
    }
}

/// Opens an empty store that is gone when the program ends.
#[must_use]
pub fn open_scratch(settings: &Settings) -> Engine {
    build_engine(settings, Box::new(MemoryStore::new()))
}

/// Opens the database for reading, once what was only noted has been counted, and what was asked too
/// long ago, or is not to be kept, has been forgotten.
///
/// Where it cannot be written, what was counted so far is shown.
pub fn open_flushed(settings: &Settings) -> Result<Engine, CliError> {
    let engine = open_reader(settings)?;
    let now = SystemClock.now();
    let until = match settings.keep_prompts {
        true => now - SignedDuration::from_hours(24 * limits::QUERY_TEXT_DAYS),
        false => now,
    };
    drop(engine.acting_as(settings.person()).flush_recalls(until));
    Ok(engine)
}

/// Begins a replay with these settings, over a store that is gone when the program ends.
#[must_use]
pub fn new_replay(settings: &Settings, scope: &Scope) -> Replay {
    Replay::new(build_policy(settings), scope, settings.subagents)
}

fn build_engine(settings: &Settings, store: Box<dyn Store>) -> Engine {
    let engine = Engine::new(store, build_policy(settings), Box::new(SystemClock));
    match embedding::from_settings(&settings.embedding, &settings.model) {
        Some(semantic) => engine.with_semantic(semantic),
        None => engine,
    }
}

fn build_policy(settings: &Settings) -> Policy {
    let entry = |waits| {
        if waits {
            EntryState::Pending
        } else {
            EntryState::Active
        }
    };
    let mode = if settings.captures_every_run {
        CaptureMode::EveryRun
    } else {
        CaptureMode::Struggle
    };
    Policy {
        capture: CapturePolicy {
            mode,
            ..CapturePolicy::default()
        },
        guard: GuardPolicy {
            distilled: entry(settings.holds_distilled),
            imported: entry(settings.holds_imported),
        },
        capacity: settings.capacity,
        max_shown: settings.shown,
        format: settings.form.into(),
        budget: PreambleBudget {
            tokens: settings.tokens,
            ..PreambleBudget::default()
        },
        inquiries: settings.model.is_on().then_some(InquiryPolicy {
            triggers: settings.model.triggers,
            method: settings.model.method,
            quiet_period: settings.model.quiet,
        }),
        holdout: settings.holdout,
        show_at: settings.show_at,
        keep_prompts: settings.keep_prompts,
        default_identities: settings.identities.clone(),
        ..Policy::default()
    }
}
