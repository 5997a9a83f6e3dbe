//! `hardwon backup` and `hardwon restore`.

use std::process::ExitCode;

use hardwon_store::{Sqlite, sqlite};

use crate::{
    args::{BackupArgs, Global, RestoreArgs},
    config::Settings,
    error::Failure,
    output,
};

/// Why it cannot be said whose lessons are meant.
const WHOLE: &str = "a backup is the whole database";

pub(super) fn backup(global: &Global, args: &BackupArgs) -> Result<ExitCode, Failure> {
    super::refuse_narrowing(global, WHOLE)?;
    let settings = Settings::load(global)?;
    let file = args.file.display();
    if args.file.exists() {
        return Err(Failure::input(format!("{file} is there already"))
            .hint("name a file that does not exist"));
    }
    let folder = args.file.parent().filter(|it| !it.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|it| !it.exists()) {
        return Err(Failure::input(format!(
            "there is no folder {}",
            folder.display()
        )));
    }
    Sqlite::open_reader(&settings.db)?.backup(&args.file)?;
    output::line(&format!("wrote {file}"))?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn restore(global: &Global, args: &RestoreArgs) -> Result<ExitCode, Failure> {
    super::refuse_narrowing(global, WHOLE)?;
    let settings = Settings::load(global)?;
    if !args.file.exists() {
        return Err(
            Failure::input(format!("there is no file {}", args.file.display()))
                .hint("name a file that `hardwon backup` made"),
        );
    }
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
