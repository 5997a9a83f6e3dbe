//! From settings to an engine: which database is opened, how, and with which policy.

use std::path::Path;

use hardwon_core::{
    capture::{CaptureMode, CapturePolicy},
    guard::{EntryState, GuardPolicy},
    limits,
    preamble::PreambleBudget,
};
use hardwon_engine::{Asking, Clock as _, Engine, Policy, Scope, SystemClock, replay::Replay};
use hardwon_store::{ErrorKind, Memory, Sqlite, Store};

use jiff::SignedDuration;

use crate::{config::Settings, embedding, error::Failure};

/// Opens the database for reading and writing; makes it if it is not there.
pub fn writer(settings: &Settings) -> Result<Engine, Failure> {
    let store = Sqlite::open(&settings.db)?;
    Ok(engine(settings, Box::new(store)))
}

/// Opens the database as [`writer`] does, for a process that cannot wait for others.
pub fn hasty_writer(settings: &Settings) -> Result<Engine, Failure> {
    let store = Sqlite::open_hasty(&settings.db)?;
    Ok(engine(settings, Box::new(store)))
}

/// Opens the database for reading, and makes nothing.
///
/// A database that is not there yet is an empty one; one that an older version made is brought up
/// to date.
pub fn reader(settings: &Settings) -> Result<Engine, Failure> {
    read_by(Sqlite::open_reader, settings)
}

/// Opens the database as [`reader`] does, for a process that asks once and ends.
pub fn once(settings: &Settings) -> Result<Engine, Failure> {
    read_by(Sqlite::open_once, settings)
}

fn read_by(
    open: fn(&Path) -> hardwon_store::Result<Sqlite>,
    settings: &Settings,
) -> Result<Engine, Failure> {
    match open(&settings.db) {
        Ok(store) => Ok(engine(settings, Box::new(store))),
        Err(error) => match error.kind() {
            ErrorKind::NotFound => Ok(scratch(settings)),
            ErrorKind::TooOld => writer(settings),
            _ => Err(error.into()),
        },
    }
}

/// Opens a copy of the database that is gone when the program ends, to see what would become of it.
pub fn rehearsal(settings: &Settings) -> Result<Engine, Failure> {
    match Sqlite::open_copy(&settings.db) {
        Ok(store) => Ok(engine(settings, Box::new(store))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(scratch(settings)),
        Err(error) => Err(error.into()),
    }
}

/// Opens an empty store that is gone when the program ends.
#[must_use]
pub fn scratch(settings: &Settings) -> Engine {
    engine(settings, Box::new(Memory::new()))
}

/// Opens the database for reading, once what was only noted has been counted, and what was asked too
/// long ago, or is not to be kept, has been forgotten.
///
/// Where it cannot be written, what was counted so far is shown.
pub fn settled(settings: &Settings) -> Result<Engine, Failure> {
    let engine = reader(settings)?;
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
pub fn replay(settings: &Settings, scope: &Scope) -> Replay {
    Replay::new(policy(settings), scope, settings.subagents)
}

fn engine(settings: &Settings, store: Box<dyn Store>) -> Engine {
    let engine = Engine::new(store, policy(settings), Box::new(SystemClock));
    match embedding::from_settings(&settings.embedding, &settings.model) {
        Some(semantic) => engine.with_semantic(semantic),
        None => engine,
    }
}

fn policy(settings: &Settings) -> Policy {
    let entry = |waits| {
        if waits {
            EntryState::Pending
        } else {
            EntryState::Active
        }
    };
    let mode = if settings.every_run {
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
            distilled: entry(settings.distilled_waits),
            imported: entry(settings.imported_waits),
        },
        capacity: settings.capacity,
        shown: settings.shown,
        form: settings.form.into(),
        budget: PreambleBudget {
            tokens: settings.tokens,
            ..PreambleBudget::default()
        },
        asking: settings.model.is_on().then_some(Asking {
            triggers: settings.model.triggers,
            method: settings.model.method,
            quiet: settings.model.quiet,
        }),
        holdout: settings.holdout,
        show_at: settings.show_at,
        keep_prompts: settings.keep_prompts,
        asker: settings.asker.clone(),
        ..Policy::default()
    }
}
