//! `hardwon tenant`: the tenants of a server.

use std::process::ExitCode;

use hardwon_api::v1::key::TenantDto;
use hardwon_core::{api_key::KeyChange, limits};
use hardwon_store::KeyStore as _;

use super::key::{apply_change, open_existing_keys, open_keys, parse_tenant};
use crate::{
    args::{GlobalArgs, TenantAddArgs, TenantCommand, TenantListArgs},
    config::Settings,
    error::CliError,
    output,
};

pub(super) fn run(global: &GlobalArgs, command: &TenantCommand) -> Result<ExitCode, CliError> {
    super::refuse_scope_options(global, "a tenant has all its agents and projects")?;
    let settings = Settings::load(global)?;
    match command {
        TenantCommand::Add(args) => add_tenant(&settings, args),
        TenantCommand::List(args) => list_tenants(&settings, args),
    }
}

fn add_tenant(settings: &Settings, args: &TenantAddArgs) -> Result<ExitCode, CliError> {
    let tenant = parse_tenant(&args.name)?;
    let store = open_keys(settings)?;
    apply_change(&store, KeyChange::AddTenant(tenant.clone()))?;
    match store.find_tenant(&tenant)? {
        Some(record) if args.json => output::print_json(&TenantDto::from(&record))?,
        _ => output::print_line(&output::replace_controls(&format!("added tenant {tenant}")))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn list_tenants(settings: &Settings, args: &TenantListArgs) -> Result<ExitCode, CliError> {
    let Some(store) = open_existing_keys(settings)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut after = None;
    loop {
        let page = store.tenants(after.as_ref(), limits::PAGE_ROWS)?;
        let Some(last) = page.last() else {
            return Ok(ExitCode::SUCCESS);
        };
        after = Some(last.id.clone());
        for record in &page {
            match args.json {
                true => output::print_json(&TenantDto::from(record))?,
                false => output::print_line(&output::replace_controls(record.id.as_str()))?,
            }
        }
    }
}
