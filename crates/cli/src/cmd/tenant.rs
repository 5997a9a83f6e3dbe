//! `hardwon tenant`: the tenants of a server.

mod erasing;

use hardwon_core::{Scope, TenantId, limits};
use hardwon_engine::Principal;
use hardwon_store::paging::read_pages;

use super::key::{order_as_owner, parse_tenant};
use crate::{
    GlobalArgs, Result, Settings, StorePlace,
    args::{TenantArgs, TenantCommand},
    output, server_store,
};

pub(super) fn run(global: &GlobalArgs, args: &TenantArgs) -> Result<()> {
    super::refuse_scope_options(global, "a tenant has all its agents and projects")?;
    let (settings, json) = (Settings::load(global)?, args.json);
    match &args.command {
        TenantCommand::Add { store, name } => {
            add_tenant(&StorePlace::find(store, global, &settings)?, name, json)
        }
        TenantCommand::Erase(args) => {
            let place = StorePlace::find(&args.store, global, &settings)?;
            erasing::run(&settings, &place, args, json)
        }
        TenantCommand::List(store) => {
            list_tenants(&StorePlace::find(store, global, &settings)?, json)
        }
    }
}

/// Returns whoever owns the machine, as a person of a tenant.
fn owner_of(tenant: &TenantId) -> Principal {
    Principal::person(Scope::of_tenant(tenant.clone()))
}

fn add_tenant(place: &StorePlace, name: &str, json: bool) -> Result<()> {
    let tenant = parse_tenant(name)?;
    let record = server_store::open_keys(place)?.add_tenant(&order_as_owner(), &tenant)?;
    output::print_answer(json, &record, || {
        output::replace_controls(&format!("added tenant {tenant}"))
    })
}

fn list_tenants(place: &StorePlace, json: bool) -> Result<()> {
    let Some(store) = server_store::open_existing_keys(place)? else {
        return Ok(());
    };
    let page = |after: &Option<TenantId>| store.tenants(after.as_ref(), limits::PAGE_ROWS);
    for record in read_pages(None, page, |after, last| *after = Some(last.id.clone())) {
        let record = record?;
        output::print_answer(json, &record, || {
            output::replace_controls(record.id.as_str())
        })?;
    }
    Ok(())
}
