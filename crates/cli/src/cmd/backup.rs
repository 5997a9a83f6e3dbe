//! `hardwon backup` and `hardwon restore`.

use std::process::ExitCode;

use hardwon_store::{SqliteStore, sqlite};

use crate::{
    args::{BackupArgs, GlobalArgs, RestoreArgs},
    config::Settings,
    error::CliError,
    output,
};

/// Why it cannot be said whose lessons are meant.
const WHOLE_DATABASE: &str = "a backup is the whole database";

pub(super) fn backup(global: &GlobalArgs, args: &BackupArgs) -> Result<ExitCode, CliError> {
    super::refuse_scope_options(global, WHOLE_DATABASE)?;
    let settings = Settings::load(global)?;
    let file = args.file.display();
    if args.file.exists() {
        return Err(CliError::bad_input(format!("{file} is there already"))
            .with_hint("name a file that does not exist"));
    }
    let folder = args.file.parent().filter(|it| !it.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|it| !it.exists()) {
        return Err(CliError::bad_input(format!(
            "there is no folder {}",
            folder.display()
        )));
    }
    SqliteStore::open_reader(&settings.db)?.backup(&args.file)?;
    output::print_line(&format!("wrote {file}"))?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn restore(global: &GlobalArgs, args: &RestoreArgs) -> Result<ExitCode, CliError> {
    super::refuse_scope_options(global, WHOLE_DATABASE)?;
    let settings = Settings::load(global)?;
    if !args.file.exists() {
        return Err(
            CliError::bad_input(format!("there is no file {}", args.file.display()))
                .with_hint("name a file that `hardwon backup` made"),
        );
    }
    let restored = sqlite::restore_backup(&settings.db, &args.file)?;
    output::print_line(&format!(
        "restored {} from {}",
        settings.db.display(),
        args.file.display()
    ))?;
    if let Some(kept) = restored.previous {
        output::print_line(&format!(
            "the database that was there is kept as {}",
            kept.display()
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}
