//! `hardwon tenant`: the tenants of a server.

mod erasing;
mod moving;

use std::process::ExitCode;

use hardwon_core::{id::TenantId, limits, scope::Scope};
use hardwon_engine::access::Principal;
use hardwon_server::key_json::key::TenantDto;

use super::key::{order_as_owner, parse_tenant};
use crate::{
    args::{GlobalArgs, TenantAddArgs, TenantCommand, TenantListArgs},
    config::Settings,
    error::CliError,
    output,
    server_store::{self, StorePlace},
};

pub(super) fn run(global: &GlobalArgs, command: &TenantCommand) -> Result<ExitCode, CliError> {
    super::refuse_scope_options(global, "a tenant has all its agents and projects")?;
    let settings = Settings::load(global)?;
    match command {
        TenantCommand::Add(args) => {
            add_tenant(&StorePlace::find(&args.store, global, &settings)?, args)
        }
        TenantCommand::Move(args) => moving::run(&settings, args),
        TenantCommand::Erase(args) => {
            let place = StorePlace::find(&args.store, global, &settings)?;
            erasing::run(&settings, &place, args)
        }
        TenantCommand::List(args) => {
            list_tenants(&StorePlace::find(&args.store, global, &settings)?, args)
        }
    }
}

/// Returns whoever owns the machine, as a person of a tenant.
fn owner_of(tenant: &TenantId) -> Principal {
    Principal::person(Scope {
        tenant: tenant.clone(),
        ..Scope::default()
    })
}

fn add_tenant(place: &StorePlace, args: &TenantAddArgs) -> Result<ExitCode, CliError> {
    let tenant = parse_tenant(&args.name)?;
    let record = server_store::open_keys(place)?.add_tenant(&order_as_owner(), &tenant)?;
    output::print_answer(args.json, &TenantDto::from(&record), || {
        output::replace_controls(&format!("added tenant {tenant}"))
    })?;
    Ok(ExitCode::SUCCESS)
}

fn list_tenants(place: &StorePlace, args: &TenantListArgs) -> Result<ExitCode, CliError> {
    let Some(store) = server_store::open_existing_keys(place)? else {
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
            output::print_answer(args.json, &TenantDto::from(record), || {
                output::replace_controls(record.id.as_str())
            })?;
        }
    }
}
