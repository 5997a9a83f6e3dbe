//! `hardwon stats`: what is in the store, by project.

use std::process::ExitCode;

use hardwon_core::scope::Scope;
use hardwon_store::Census;
use serde_json::{Value, json};

use crate::{
    args::{Global, JsonArgs},
    config::Settings,
    error::Failure,
    open, output,
};

pub(super) fn run(global: &Global, args: &JsonArgs) -> Result<ExitCode, Failure> {
    let settings = Settings::load(global)?;
    let engine = open::settled(&settings)?;
    let store = engine.store();
    let tenant = &settings.scope.tenant;
    let mut rows: Vec<(Scope, Census)> = Vec::new();
    for scope in store.scopes(tenant)? {
        let census = store.census(&scope)?;
        rows.push((scope, census));
    }
    let entries = store.head(tenant)?.sequence;
    if args.json {
        let scopes: Vec<Value> = rows.iter().map(dto).collect();
        output::json(
            &json!({"database": settings.db, "journal_entries": entries, "scopes": scopes}),
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    output::line(&format!(
        "{}  ({entries} changes in the journal)",
        settings.db.display()
    ))?;
    output::line(&format!(
        "{:<40} {:>7} {:>7} {:>7} {:>7} {:>7}",
        "project", "active", "pending", "shown", "helped", "wrong"
    ))?;
    for (scope, census) in &rows {
        output::line(&format!(
            "{:<40} {:>7} {:>7} {:>7} {:>7} {:>7}",
            project(scope),
            census.active,
            census.pending,
            census.shown,
            census.helped,
            census.harmed
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn project(scope: &Scope) -> &str {
    scope
        .project
        .as_ref()
        .map_or("(everywhere)", |project| project.as_str())
}

fn dto((scope, census): &(Scope, Census)) -> Value {
    json!({
        "agent": scope.agent.as_str(),
        "project": scope.project.as_ref().map(|project| project.as_str()),
        "active": census.active,
        "learned": census.learned,
        "pending": census.pending,
        "quarantined": census.quarantined,
        "superseded": census.superseded,
        "archived": census.archived,
        "shown": census.shown,
        "helped": census.helped,
        "harmed": census.harmed,
    })
}
