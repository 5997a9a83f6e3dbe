//! `hardwon db`: the tables of a PostgreSQL database, and its figures.

use std::{process::ExitCode, thread, time::Duration};

use hardwon_store_postgres::{DatabaseStatus, PostgresStore};
use serde::Serialize;

use crate::{
    CliError, ExitReason, Result, Settings, StorePlace,
    args::{DatabaseUrl, DbArgs, DbCommand, GlobalArgs, StoreArgs},
    output,
    server_store::read_options,
};

pub(super) fn run(global: &GlobalArgs, args: &DbArgs) -> Result<ExitCode> {
    super::refuse_scope_options(global, "a database has the lessons of everybody")?;
    let url = find_database(global, &args.store)?;
    match args.command {
        DbCommand::Migrate => migrate(&url, args.json).map(|()| ExitCode::SUCCESS),
        DbCommand::Status { watch } => print_status(&url, watch, args.json),
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

/// The figures of a database.
#[derive(Debug, Serialize)]
struct StatusDto<'a> {
    #[serde(flatten)]
    status: &'a DatabaseStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    commits_per_second: Option<f64>,
}

fn print_status(url: &DatabaseUrl, watch: Option<u64>, json: bool) -> Result<ExitCode> {
    let mut status = DatabaseStatus::read(url.expose(), read_options()?)?;
    let mut commits_per_second = None;
    if let Some(seconds) = watch {
        let before = status.commits;
        thread::sleep(Duration::from_secs(seconds));
        status = DatabaseStatus::read(url.expose(), read_options()?)?;
        commits_per_second = Some(status.commits.saturating_sub(before) as f64 / seconds as f64);
    }
    let answer = StatusDto {
        status: &status,
        commits_per_second,
    };
    output::print_answer(json, &answer, || render_status(&status, commits_per_second))?;
    Ok(ExitReason::Negative.exit_code_if(!status.is_current))
}

fn render_status(status: &DatabaseStatus, commits_per_second: Option<f64>) -> String {
    let form = match (status.is_current, status.form) {
        (true, form) => format!("{form}, as this program needs it"),
        (false, 0) => "there are no tables: run `hardwon db migrate`".to_owned(),
        (false, form) if form > status.current_form => {
            let current = status.current_form;
            format!("{form}, and this program knows {current}: update it")
        }
        (false, form) => format!("{form}: run `hardwon db migrate`"),
    };
    let lessons = format!("about {}, of all tenants", status.lessons);
    let connections = format!("{} of {}", status.connections, status.max_connections);
    let mut rows = vec![
        ("database", status.server.clone()),
        ("PostgreSQL", status.postgres.clone()),
        ("form", form),
        ("lessons", lessons),
        ("size", format!("{:.1} MB", status.bytes as f64 / 1e6)),
        ("connections", connections),
    ];
    if let Some(rate) = commits_per_second {
        rows.push(("commits", format!("{rate:.1} a second")));
    }
    if status.bypasses_wall {
        let warning = "bypasses row-level security: connect as one that does not";
        rows.push(("role", warning.to_owned()));
    }
    let lines = rows.iter();
    let lines = lines.map(|(name, value)| format!("{name:<12} {value}\n"));
    output::replace_controls(&lines.collect::<String>())
}
