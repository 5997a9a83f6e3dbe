//! `hardwon db`: the tables of a PostgreSQL database.

use hardwon_store_postgres::{DatabaseStatus, PostgresStore};
use serde::Serialize;

use crate::{
    CliError, GlobalArgs, Result, Settings, StorePlace,
    args::{DatabaseUrl, DbArgs, DbCommand, StoreArgs},
    output,
    server_store::read_options,
};

pub(super) fn run(global: &GlobalArgs, args: &DbArgs) -> Result<()> {
    super::refuse_scope_options(global, "a database has the lessons of everybody")?;
    let url = find_database(global, &args.store)?;
    match args.command {
        DbCommand::Migrate => migrate(&url, args.json),
    }
}

fn find_database(global: &GlobalArgs, args: &StoreArgs) -> Result<DatabaseUrl> {
    let settings = Settings::load(global)?;
    match StorePlace::find(args, global, &settings)? {
        StorePlace::Postgres(url) => Ok(url),
        StorePlace::File(_) => Err(CliError::bad_input("this is about a PostgreSQL database")
            .with_hint(
                "name it: --store postgres://USER@HOST/DATABASE; a file needs nothing of it",
            )),
    }
}

/// What was done to the tables.
#[derive(Debug, Serialize)]
struct MigrationDto<'a> {
    server: &'a str,
    form_before: u64,
    form: u64,
}

fn migrate(url: &DatabaseUrl, json: bool) -> Result<()> {
    let before = DatabaseStatus::read(url.expose(), read_options()?)?;
    PostgresStore::migrate(url.expose(), read_options()?)?;
    if before.bypasses_wall {
        output::print_note(
            "this role bypasses row-level security: have servers connect as one that does not",
        );
    }
    let (server, from, to) = (&before.server, before.form, before.current_form);
    let answer = MigrationDto {
        server,
        form_before: from,
        form: to,
    };
    output::print_answer(json, &answer, || match (before.is_current, from) {
        (true, _) => format!("{server}: form {to}, nothing to do"),
        (false, 0) => format!("{server}: made the tables, form {to}"),
        (false, _) => format!("{server}: changed the tables from form {from} to form {to}"),
    })
}
