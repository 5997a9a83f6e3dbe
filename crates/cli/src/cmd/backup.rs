//! `hardwon backup` and `hardwon restore`.

use std::process::ExitCode;

use hardwon_store::{Sqlite, sqlite};

use crate::{
    args::{BackupArgs, Global, RestoreArgs},
    config::Settings,
    error::Failure,
    output,
};

pub(super) fn backup(global: &Global, args: &BackupArgs) -> Result<ExitCode, Failure> {
    let settings = Settings::load(global)?;
    Sqlite::open_reader(&settings.db)?.backup(&args.file)?;
    output::line(&format!("wrote {}", args.file.display()))?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn restore(global: &Global, args: &RestoreArgs) -> Result<ExitCode, Failure> {
    let settings = Settings::load(global)?;
    let restored = sqlite::restore(&settings.db, &args.file)?;
    output::line(&format!(
        "restored {} from {}",
        settings.db.display(),
        args.file.display()
    ))?;
    if let Some(kept) = restored.before {
        output::line(&format!(
            "the database that was there is kept as {}",
            kept.display()
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}
