//! `/v1/tenants`: whose lessons a server holds. An operator's business, who reads none of them.

use axum::{
    Json,
    extract::Path,
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use hardwon_core::{access::Principal, id::TenantId, scope::Scope};
use hardwon_store::ErasedTenant;
use jiff::Timestamp;
use serde::Deserialize;
use utoipa::IntoParams;

use super::{
    door::{Door, json},
    query::{QueryOf, parse_limit},
    recall::parse_name,
};
use crate::{
    api_key::{Capability, KeyReach},
    auth::Caller,
    body::JsonBody,
    error::{ApiError, ProblemDto, Result},
    key_changes::{change_keys, order_of},
    key_json::admin::{ErasureReceiptDto, NewTenantBody, TenantPageReply},
    key_json::key::TenantDto,
    state::AppState,
};

/// Tenants of a page, unless the request says how many; and most of them.
const LISTED: (usize, usize) = (100, 200);

serve_handlers!(
    Read list_tenants,
    Write add_tenant,
    Write erase_tenant
);

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
#[utoipa::path(
    get,
    path = "/v1/tenants",
    tag = "tenants",
    params(TenantsQuery),
    responses(
        (status = 200, description = "A page of tenants", body = TenantPageReply),
        (status = 403, description = "The key is no operator's", body = ProblemDto),
    )
)]
fn list_tenants(door: &Door, QueryOf(query): QueryOf<TenantsQuery>) -> Result<Response> {
    door.caller.check_capability(Capability::ManageServer)?;
    let limit = parse_limit(query.limit.as_deref(), LISTED.0, LISTED.1)?;
    let after = parse_name(query.cursor.as_deref(), "cursor", TenantId::parse)?;
    let tenants = door.state.keys.tenants(after.as_ref(), limit)?;
    let last = tenants.last().filter(|_| tenants.len() == limit);
    let reply = TenantPageReply {
        tenants: tenants.iter().map(TenantDto::from).collect(),
        next_cursor: last.map(|last| last.id.as_str()),
    };
    json(&reply)
}

/// Add a tenant.
#[utoipa::path(
    post,
    path = "/v1/tenants",
    tag = "tenants",
    request_body(content = NewTenantBody, description = "Its name"),
    responses(
        (status = 201, description = "The tenant", body = TenantDto),
        (status = 403, description = "The key is no operator's", body = ProblemDto),
        (status = 409, description = "There is one of this name", body = ProblemDto),
    )
)]
fn add_tenant(door: &Door, JsonBody(body): JsonBody<NewTenantBody>) -> Result<Response> {
    door.caller.check_capability(Capability::ManageServer)?;
    let tenant = TenantId::parse(&body.tenant);
    let tenant =
        tenant.map_err(|error| ApiError::bad_request(error.to_string()).with_field("tenant"))?;
    let order = order_of(door.caller.record(), KeyReach::Server);
    let record = change_keys(&door.state, |keys| keys.add_tenant(&order, &tenant))?;
    let reply = Json(TenantDto::from(&record));
    Ok((StatusCode::CREATED, reply).into_response())
}

/// Erase a tenant: its keys are revoked first, then everything is erased that is stored for it.
///
/// Nothing brings it back. A request that was cut short can be sent again: what is left is erased then. Backups that were
/// made before hold the tenant still.
#[utoipa::path(
    delete,
    path = "/v1/tenants/{name}",
    tag = "tenants",
    params(("name" = String, Path, description = "The tenant's name")),
    responses(
        (status = 200, description = "The receipt of what was erased", body = ErasureReceiptDto),
        (status = 400, description = "This is no name of a tenant", body = ProblemDto),
        (status = 403, description = "The key is no operator's", body = ProblemDto),
        (status = 404, description = "No such tenant", body = ProblemDto),
    )
)]
fn erase_tenant(door: &Door, Path(name): Path<String>) -> Result<Response> {
    door.caller.check_capability(Capability::ManageServer)?;
    let tenant = TenantId::parse(&name);
    let tenant =
        tenant.map_err(|error| ApiError::bad_request(error.to_string()).with_field("name"))?;
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
    let scope = Scope {
        tenant: tenant.clone(),
        ..Scope::default()
    };
    // An operator is nobody within a tenant: what was asked is checked above, and nothing is read.
    let eraser = Principal {
        actor: caller.record().actor(),
        ..Principal::person(scope)
    };
    // To count its recalls would begin it anew.
    drop(state.recalled.take_one(tenant));
    let data = state.engine.acting_as(eraser).erase_tenant()?;
    let swept = state.sessions.erase_tenant(tenant);
    swept.map_err(|error| ApiError::internal(&format!("erasing sessions: {error}")))?;
    Ok(data)
}
