//! `hardwon backup` and `hardwon restore`.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use hardwon_store::{SqliteStore, StoreErrorKind, sqlite};

use crate::{CliError, ExitReason, GlobalArgs, Result, Settings, open};

/// Why it cannot be said whose lessons are meant.
const WHOLE_DATABASE: &str = "a backup is the whole database";

pub(super) fn backup(global: &GlobalArgs, file: &Path) -> Result<()> {
    super::refuse_scope_options(global, WHOLE_DATABASE)?;
    let settings = Settings::load(global)?;
    let keys_file = name_keys_file(file);
    if let Some(there) = [file, &keys_file].into_iter().find(|path| path.exists()) {
        return Err(bad_input!("{} is there already", there.display())
            .with_hint("name a file that does not exist"));
    }
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.exists()) {
        return Err(bad_input!("there is no folder {}", folder.display()));
    }
    SqliteStore::open_reader(&settings.db)?.backup(file)?;
    print_line!("wrote {}", file.display())?;
    if let Some(keys) = open::open_existing_keys_file(&settings.db)? {
        keys.backup(&keys_file)?;
        let file = keys_file.display();
        print_line!("wrote {file}, the keys of the server")?;
    }
    Ok(())
}

/// Returns where the keys of a server go that belong to a backup.
fn name_keys_file(file: &Path) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(".keys");
    PathBuf::from(name)
}

pub(super) fn restore(global: &GlobalArgs, file: &Path) -> Result<()> {
    super::refuse_scope_options(global, WHOLE_DATABASE)?;
    let settings = Settings::load(global)?;
    if !file.exists() {
        return Err(bad_input!("there is no file {}", file.display())
            .with_hint("name a file that `hardwon backup` made"));
    }
    let report = sqlite::restore_backup(&settings.db, file).map_err(|error| {
        let kind = error.kind();
        match (kind, CliError::from(error)) {
            (StoreErrorKind::Damaged, error) => error.with_reason(ExitReason::BadInput),
            (_, error) => error,
        }
    })?;
    print_line!("restored {} from {}", settings.db.display(), file.display())?;
    if let Some(kept) = report.previous {
        print_line!("the database that was there is kept as {}", kept.display())?;
    }
    let keys_file = name_keys_file(file);
    if keys_file.exists() {
        print_note!(
            "the keys are as they were: with {} in place of {}, keys that were revoked since would count again",
            keys_file.display(),
            open::keys_path(&settings.db).display()
        );
    }
    Ok(())
}
