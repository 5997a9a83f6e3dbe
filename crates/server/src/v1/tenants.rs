//! `/v1/tenants`: whose lessons a server holds. An operator's business, who reads none of them.

use hardwon_core::{Scope, TenantId};
use hardwon_engine::Principal;
use hardwon_store::ErasedTenant;
use jiff::Timestamp;

use super::prelude::*;
use crate::{
    AppState, Caller, ErasureReceiptDto, KeyReach, NewTenantBody, TenantPageReply, TenantRecord,
    auth::invalid_name,
    key_changes::{change_keys, order_of},
};

/// Tenants of a page, unless the request says how many; and most of them.
const LISTED: (usize, usize) = (100, 200);

pub(super) fn verbs() -> Vec<VerbRow> {
    vec![
        verb("GET /v1/tenants", Read, list_tenants)
            .needs(Capability::ManageServer)
            .tells::<TenantPageReply>(200, "A page of tenants")
            .or(403, "The key is no operator's"),
        verb("POST /v1/tenants", Write, add_tenant)
            .needs(Capability::ManageServer)
            .sends("Its name")
            .tells::<TenantRecord>(201, "The tenant")
            .or(403, "The key is no operator's")
            .or(409, "There is one of this name"),
        verb("DELETE /v1/tenants/{name}", Write, erase_tenant)
            .needs(Capability::ManageServer)
            .named("The tenant's name")
            .tells::<ErasureReceiptDto>(200, "The receipt of what was erased")
            .or(400, "This is no name of a tenant")
            .or(403, "The key is no operator's")
            .or(404, "No such tenant"),
    ]
}

/// Which tenants to list.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct TenantsQuery {
    /// How many: 100 unless said, at most 200.
    limit: Option<String>,
    /// The `next_cursor` of the page before.
    cursor: Option<String>,
}

/// List tenants, by name.
fn list_tenants(door: &Door, QueryOf(query): QueryOf<TenantsQuery>) -> Result<Response> {
    let limit = parse_limit(query.limit.as_deref(), LISTED.0, LISTED.1)?;
    let after = parse_name(query.cursor.as_deref(), "cursor", TenantId::parse)?;
    let tenants = door.state.keys.tenants(after.as_ref(), limit)?;
    let last = tenants.last().filter(|_| tenants.len() == limit);
    json(&TenantPageReply {
        tenants: &tenants,
        next_cursor: last.map(|last| last.id.as_str()),
    })
}

/// Add a tenant.
fn add_tenant(door: &Door, JsonBody(body): JsonBody<NewTenantBody>) -> Result<Response> {
    let tenant = TenantId::parse(&body.tenant).map_err(invalid_name("tenant"))?;
    let order = order_of(door.caller.record(), KeyReach::Server);
    let record = change_keys(&door.state, |keys| keys.add_tenant(&order, &tenant))?;
    json(&record)
}

/// Erase a tenant: its keys are revoked first, then everything is erased that is stored for it.
///
/// Nothing brings it back. A request that was cut short can be sent again: what is left is erased then. Backups that were
/// made before hold the tenant still.
fn erase_tenant(door: &Door, Path(name): Path<String>) -> Result<Response> {
    let tenant = TenantId::parse(&name).map_err(invalid_name("name"))?;
    // Off the list first, so that nothing more comes in.
    let order = order_of(door.caller.record(), KeyReach::Server);
    let keys_revoked = change_keys(&door.state, |keys| keys.remove_tenant(&order, &tenant))?;
    let data = erase_data(&door.state, &door.caller, &tenant)?;
    let now = Timestamp::now().to_string();
    let receipt = ErasureReceiptDto::new(&tenant, &data, keys_revoked, now);
    let unknown = || ApiError::not_found(format!("there is no tenant {tenant}"));
    json(&receipt.ok_or_else(unknown)?)
}

/// Erases what is stored for a tenant: lessons and what goes with them, and the state of sessions.
fn erase_data(state: &AppState, caller: &Caller, tenant: &TenantId) -> Result<ErasedTenant> {
    let scope = Scope::of_tenant(tenant.clone());
    // An operator is nobody within a tenant: what was asked is checked above, and nothing is read.
    let eraser = Principal {
        actor: caller.record().actor(),
        ..Principal::person(scope)
    };
    // To count its recalls would begin it anew.
    drop(state.recalled.take_one(tenant));
    let data = state.engine.acting_as(eraser).erase_tenant()?;
    let swept = state.sessions.erase_tenant(tenant);
    swept.map_err(|error| ApiError::internal(format!("erasing sessions: {error}")))?;
    Ok(data)
}
