//! Opens what a server keeps: a file of lessons with the file of keys beside it, or a PostgreSQL database with both.

#[cfg(feature = "postgres")]
use std::fs;
use std::{env, path::PathBuf, sync::Arc};

use hardwon_core::Actor;
use hardwon_server::{KeyId, KeyStore};
use hardwon_store::{SessionStore, SqliteKeyDatabase, SqliteStore, Store};
#[cfg(feature = "postgres")]
use hardwon_store_postgres::{DatabasePassword, PostgresOptions, PostgresStore};

use crate::{
    CliError, GlobalArgs, Result, Settings,
    args::{DatabaseUrl, StoreArgs, StoreName},
    open,
};

/// The variable that names the store of servers.
const STORE_VARIABLE: &str = "HARDWON_STORE";

/// Where the lessons and keys of a server are.
#[derive(Debug, Clone)]
pub enum StorePlace {
    /// A file of lessons, with the file of keys beside it.
    File(PathBuf),
    /// A database of a PostgreSQL server.
    #[cfg(feature = "postgres")]
    Postgres(DatabaseUrl),
}

impl StorePlace {
    /// Finds out which store is meant: what was typed, else the environment's, else the file of the settings.
    pub fn find(args: &StoreArgs, global: &GlobalArgs, settings: &Settings) -> Result<Self> {
        let is_file_typed = global.db.is_some();
        if args.store.is_some() && is_file_typed {
            return Err(
                CliError::bad_input("--db and --store both say where the lessons are")
                    .with_hint("leave one out"),
            );
        }
        match (&args.store, named_by_environment()) {
            (Some(typed), _) => Self::read(typed),
            (None, Some(named)) if !is_file_typed => Self::read(&named),
            _ => Ok(Self::File(settings.db.clone())),
        }
    }

    /// Reads the name of a store.
    fn read(name: &StoreName) -> Result<Self> {
        match name {
            StoreName::File(path) => Ok(Self::File(path.clone())),
            #[cfg(feature = "postgres")]
            StoreName::Postgres(url) => Ok(Self::Postgres(url.clone())),
            #[cfg(not(feature = "postgres"))]
            StoreName::Postgres(_) => Err(CliError::bad_input(crate::args::say_missing(
                "store in PostgreSQL",
                "postgres",
            ))),
            StoreName::Unknown => Err(CliError::bad_input("this is no store that hardwon knows")
                .with_hint("name a file, or write postgres://USER@HOST/DATABASE")),
        }
    }
}

/// Names the key that some words end with as people call it: `by hardwon open`, the page on this machine.
pub fn name_key(settings: &Settings, words: &str) -> String {
    let end = words.rsplit_once(Actor::KEY_MARK).and_then(|(before, id)| {
        let place = StorePlace::File(settings.db.clone());
        let keys = open_existing_keys(&place).ok()??;
        Some((before, keys.find_key(&KeyId::parse(id)?).ok()??))
    });
    end.map_or_else(
        || words.to_owned(),
        |(before, key)| format!("{before}{}", key.name),
    )
}

fn named_by_environment() -> Option<StoreName> {
    let value = env::var(STORE_VARIABLE)
        .ok()
        .filter(|value| !value.is_empty())?;
    let Ok(name) = value.parse();
    Some(name)
}

/// A store that was opened for a server.
pub struct ServerStore {
    /// The lessons of all tenants.
    pub lessons: Box<dyn Store>,
    /// The keys and tenants.
    pub keys: Arc<KeyStore>,
    /// The state of sessions, if other servers share it; then changes of several tenants can be made at once, too.
    pub shared_sessions: Option<Arc<dyn SessionStore>>,
}

/// Opens lessons and keys for a server.
pub fn open_for_server(place: &StorePlace) -> Result<ServerStore> {
    match place {
        StorePlace::File(path) => Ok(ServerStore {
            lessons: Box::new(SqliteStore::open(path)?),
            keys: Arc::new(open_keys(place)?),
            shared_sessions: None,
        }),
        #[cfg(feature = "postgres")]
        StorePlace::Postgres(url) => {
            let store = open_postgres(url)?;
            Ok(ServerStore {
                keys: Arc::new(KeyStore::new(store.keys())),
                shared_sessions: Some(Arc::new(store.sessions())),
                lessons: Box::new(store),
            })
        }
    }
}

/// Opens the lessons; a file is made if there is none.
pub fn open_lessons(place: &StorePlace) -> Result<Box<dyn Store>> {
    match place {
        StorePlace::File(path) => Ok(Box::new(SqliteStore::open(path)?)),
        #[cfg(feature = "postgres")]
        StorePlace::Postgres(url) => Ok(Box::new(open_postgres(url)?)),
    }
}

/// Opens the keys; those of a file are in a file beside it, which is made if there is none.
pub fn open_keys(place: &StorePlace) -> Result<KeyStore> {
    match place {
        StorePlace::File(path) => Ok(KeyStore::new(SqliteKeyDatabase::open(&open::keys_path(
            path,
        ))?)),
        #[cfg(feature = "postgres")]
        StorePlace::Postgres(url) => Ok(KeyStore::new(open_postgres(url)?.keys())),
    }
}

/// Opens the keys if there are any; to list keys makes no file.
pub fn open_existing_keys(place: &StorePlace) -> Result<Option<KeyStore>> {
    match place {
        StorePlace::File(path) if !open::keys_path(path).exists() => Ok(None),
        _ => open_keys(place).map(Some),
    }
}

#[cfg(feature = "postgres")]
fn open_postgres(url: &DatabaseUrl) -> Result<PostgresStore> {
    Ok(PostgresStore::open(url.expose(), read_options()?)?)
}

/// Returns how to connect, where the address does not say: as PostgreSQL's own clients read it of the environment.
///
/// The words that let a connection be open count as such, and all others have the server verified.
#[cfg(feature = "postgres")]
pub fn read_options() -> Result<PostgresOptions> {
    let password = read_variable("PGPASSWORD");
    let roots = read_variable("PGSSLROOTCERT");
    let demands_tls = match read_variable("PGSSLMODE").as_deref() {
        // Whoever names what vouches for the server wants to know that it is the server.
        None => roots.is_some(),
        Some("disable" | "allow" | "prefer") => false,
        Some("require" | "verify-ca" | "verify-full") => true,
        Some(_) => {
            return Err(
                CliError::bad_input("PGSSLMODE has a word that is none of its own")
                    .with_hint("write disable, prefer, require or verify-full"),
            );
        }
    };
    let read_roots = |path: String| {
        let cannot_read = |error| bad_input!("reading {path}, which PGSSLROOTCERT names: {error}");
        fs::read(&path).map_err(cannot_read)
    };
    Ok(PostgresOptions {
        password: password.map(DatabasePassword::new),
        demands_tls,
        // `system` are those of the web, as without it.
        tls_roots: roots
            .filter(|root| root != "system")
            .map(read_roots)
            .transpose()?,
        ..PostgresOptions::default()
    })
}

#[cfg(feature = "postgres")]
fn read_variable(name: &str) -> Option<String> {
    let value = env::var_os(name).filter(|value| !value.is_empty())?;
    Some(value.to_string_lossy().into_owned())
}
