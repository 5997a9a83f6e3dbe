//! Changes of keys and tenants, as the API and the page order them.
//!
//! What may be changed is decided by `crate::api_key`. Whatever was remembered of keys is forgotten with a change, so
//! that a revoked key ends at once in this process.

use std::collections::BTreeSet;

use hardwon_core::{Actor, AgentId, InvalidName, KeyName, ProjectId, TenantId};
use jiff::{SignedDuration, Timestamp};

use crate::{
    ApiError, ApiKey, ApiKeyRecord, AppState, KeyChangeError, KeyGrant, KeyId, KeyLimits, KeyOrder,
    KeyReach, KeyStore, NewKeyBody, Result, Role, api_key::KEY_ENTROPY_BYTES, auth::invalid_name,
};

/// Changes keys or tenants.
pub(crate) fn change_keys<T>(
    state: &AppState,
    change: impl FnOnce(&KeyStore) -> Result<T, KeyChangeError>,
) -> Result<T, KeyChangeError> {
    let outcome = change(&state.keys);
    state.key_cache.clear();
    outcome
}

/// Makes the order of the holder of a key, as of now.
pub(crate) fn order_of(by: &ApiKeyRecord, reach: KeyReach) -> KeyOrder {
    KeyOrder {
        at: now_in_millis(),
        by: by.actor(),
        reach,
    }
}

/// Makes an order of the server itself, as of now.
pub(crate) fn order_of_server(reach: KeyReach) -> KeyOrder {
    KeyOrder {
        at: now_in_millis(),
        by: Actor::server(),
        reach,
    }
}

/// Narrows what a caller manages to a tenant that the request names.
pub(crate) fn narrow_reach(reach: KeyReach, tenant: Option<&str>) -> Result<KeyReach> {
    let Some(named) = tenant else {
        return Ok(reach);
    };
    let tenant = TenantId::parse(named).map_err(invalid_name("tenant"))?;
    match reach {
        KeyReach::Tenant(own) if own != tenant => {
            Err(ApiError::forbidden("this key is of another tenant").with_field("tenant"))
        }
        _ => Ok(KeyReach::Tenant(tenant)),
    }
}

/// Makes the key that somebody asks for, and its record.
pub(crate) fn make_new_key(body: &NewKeyBody, reach: &KeyReach) -> Result<(ApiKey, ApiKeyRecord)> {
    let grant = parse_grant(body, reach)?;
    let name = body.name.as_deref().unwrap_or(grant.role().name());
    let name = KeyName::parse(name).map_err(invalid_name("name"))?;
    let expires = body.expires_in_seconds.map(find_end);
    let key = ApiKey::from_entropy(grant.key_kind(), draw_entropy()?);
    let record = ApiKeyRecord::new(&key, grant, name, now_in_millis(), expires);
    Ok((key, record))
}

/// Parses what a key is to be given. An owner gives nothing beyond their tenant.
fn parse_grant(body: &NewKeyBody, reach: &KeyReach) -> Result<KeyGrant> {
    let role = body.role.as_deref();
    let role = role.ok_or_else(|| ApiError::bad_request("required field: role"));
    let role = role.and_then(|name| {
        let unknown = || ApiError::bad_request(format!("there is no role {name:?}"));
        Role::from_name(name).ok_or_else(unknown)
    });
    let role = role.map_err(|error| error.with_field("role"))?;
    if role == Role::Operator && *reach != KeyReach::Server {
        return Err(ApiError::forbidden("only an operator makes operators").with_field("role"));
    }
    let tenant = match narrow_reach(reach.clone(), body.tenant.as_deref())? {
        KeyReach::Tenant(tenant) => Some(tenant),
        KeyReach::Server => None,
    };
    let limits = KeyLimits {
        agents: parse_names(&body.agents, "agents", AgentId::parse)?,
        projects: parse_names(&body.projects, "projects", ProjectId::parse)?,
    };
    let grant = KeyGrant::new(role, tenant, limits);
    grant.map_err(|error| ApiError::bad_request(error.to_string()))
}

fn parse_names<T: Ord>(
    names: &[String],
    field: &'static str,
    parse: impl Fn(&str) -> Result<T, InvalidName>,
) -> Result<BTreeSet<T>> {
    let names = names
        .iter()
        .map(|name| parse(name))
        .collect::<Result<_, _>>();
    names.map_err(invalid_name(field))
}

/// Returns when something ends that lasts so long from now on.
pub(crate) fn find_end(seconds: u32) -> Timestamp {
    let length = SignedDuration::from_secs(seconds.into());
    let end = Timestamp::now().saturating_add(length);
    end.unwrap_or(Timestamp::MAX)
}

/// Reads the id of a key in a path.
pub(crate) fn parse_key_id(id: &str) -> Result<KeyId> {
    let unknown = || ApiError::not_found("there is no such key");
    KeyId::parse(id).ok_or_else(unknown)
}

/// Returns the time as records of keys have it.
pub(crate) fn now_in_millis() -> Timestamp {
    let now = Timestamp::now().as_millisecond();
    Timestamp::from_millisecond(now).expect("the time of a clock has milliseconds")
}

/// Returns bytes that nobody can guess.
pub(crate) fn draw_entropy() -> Result<[u8; KEY_ENTROPY_BYTES]> {
    let mut entropy = [0; KEY_ENTROPY_BYTES];
    getrandom::fill(&mut entropy).map_err(ApiError::internal)?;
    Ok(entropy)
}
