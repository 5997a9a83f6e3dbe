//! `/v1/keys`: who is let in. An owner manages the keys of their tenant, an operator those of any.
//!
//! A key's text is in two answers only, that of adding and that of rotating it, and is kept nowhere.

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use hardwon_api::v1::{
    key::{ApiKeyDto, NewKeyDto},
    key_admin::{KeyPageReply, NewKeyBody, RevokedKeysReply, RotationBody},
};
use hardwon_core::{
    api_key::{
        ApiKey, ApiKeyRecord, Capability, KeyChangeRefusal, KeyGrant, KeyId, KeyLimits, KeyReach,
        Role,
    },
    id::{AgentId, InvalidName, KeyName, ProjectId, TenantId},
};
use hardwon_store::keys::KeyChangeError;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{
    query::{QueryOf, parse_limit},
    recall::parse_name,
    repeats::KeptInstead,
};
use crate::{
    auth::Caller,
    body::JsonBody,
    error::{ApiError, ProblemDto, Result},
    key_changes::{change_keys, draw_entropy, order_of},
    state::SharedState,
};

/// Keys of a page, unless the request says how many; and most of them.
const LISTED: (usize, usize) = (100, 200);

serve_handlers!(list_keys, add_key, revoke_key, rotate_key);

/// Returns which keys a caller manages: an owner those of their tenant, an operator all.
pub(super) fn find_reach(caller: &Caller) -> Result<KeyReach> {
    caller.check_capability(Capability::ManageKeys)?;
    Ok(match caller.tenant() {
        Some(own) => KeyReach::Tenant(own.clone()),
        None => KeyReach::Server,
    })
}

/// Narrows what a caller manages to a tenant that the request names.
pub(super) fn narrow_reach(reach: KeyReach, tenant: Option<&str>) -> Result<KeyReach> {
    let Some(named) = parse_name(tenant, "tenant", TenantId::parse)? else {
        return Ok(reach);
    };
    match reach {
        KeyReach::Tenant(own) if own != named => {
            Err(ApiError::forbidden("this key is of another tenant").with_field("tenant"))
        }
        _ => Ok(KeyReach::Tenant(named)),
    }
}

/// Which keys to list.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct KeysQuery {
    /// Only keys of this tenant.
    tenant: Option<String>,
    /// How many: 100 unless said, at most 200.
    limit: Option<String>,
    /// The `next_cursor` of the page before.
    cursor: Option<String>,
}

/// List keys and sessions, in the order of their ids.
#[utoipa::path(
    get,
    path = "/v1/keys",
    tag = "keys",
    params(KeysQuery),
    responses(
        (status = 200, description = "A page of keys, without their secrets", body = KeyPageReply),
        (status = 400, description = "A parameter is not as it should be", body = ProblemDto),
        (status = 401, description = "No valid key", body = ProblemDto),
        (status = 403, description = "The key does not allow it", body = ProblemDto),
    )
)]
async fn list_keys(
    State(state): State<SharedState>,
    caller: Caller,
    QueryOf(query): QueryOf<KeysQuery>,
) -> Result<Response> {
    let reach = narrow_reach(find_reach(&caller)?, query.tenant.as_deref())?;
    let limit = parse_limit(query.limit.as_deref(), LISTED.0, LISTED.1)?;
    let after = query.cursor.as_deref().map(|cursor| {
        let invalid = || ApiError::bad_request("this is no cursor of a page").with_field("cursor");
        KeyId::parse(cursor).ok_or_else(invalid)
    });
    let after = after.transpose()?;
    state
        .read(move |state| {
            let keys = state.keys.keys(&reach, after.as_ref(), limit)?;
            let last = keys.last().filter(|_| keys.len() == limit);
            let reply = KeyPageReply {
                keys: keys.iter().map(ApiKeyDto::from).collect(),
                next_cursor: last.map(|it| it.id.as_str()),
            };
            Ok(Json(reply).into_response())
        })
        .await
}

/// Add a key. Its text is in this answer, and nowhere else.
#[utoipa::path(
    post,
    path = "/v1/keys",
    tag = "keys",
    request_body(content = NewKeyBody, description = "What the key is for"),
    responses(
        (status = 201, description = "The key", body = NewKeyDto),
        (status = 400, description = "The body is not as it should be", body = ProblemDto),
        (status = 401, description = "No valid key", body = ProblemDto),
        (status = 403, description = "The key does not allow it", body = ProblemDto),
        (status = 404, description = "No such tenant", body = ProblemDto),
        (status = 409, description = "The tenant has too many keys", body = ProblemDto),
    )
)]
async fn add_key(
    State(state): State<SharedState>,
    caller: Caller,
    JsonBody(body): JsonBody<NewKeyBody>,
) -> Result<Response> {
    let reach = find_reach(&caller)?;
    let grant = parse_grant(&body, &reach)?;
    let name = body.name.as_deref().unwrap_or(grant.role().name());
    let name = KeyName::parse(name).map_err(invalid_name("name"))?;
    let now = Timestamp::now();
    let expires = body.expires_in_seconds.map(|it| add_seconds(now, it));
    let key = ApiKey::from_entropy(grant.key_kind(), draw_entropy()?);
    let record = ApiKeyRecord::new(&key, grant, name, now, expires);
    state
        .write(move |state| {
            let order = order_of(caller.record(), reach);
            let saved = change_keys(state, |keys| keys.add_key(&order, &record))?;
            let reply = (StatusCode::CREATED, Json(NewKeyDto::new(&key, &saved))).into_response();
            Ok(keep_no_secret(reply, &key, "made key"))
        })
        .await
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
) -> Result<std::collections::BTreeSet<T>> {
    let parsed = names.iter().map(|it| parse(it)).collect::<Result<_, _>>();
    parsed.map_err(invalid_name(field))
}

fn invalid_name(field: &'static str) -> impl Fn(InvalidName) -> ApiError {
    move |error| ApiError::bad_request(error.to_string()).with_field(field)
}

fn add_seconds(now: Timestamp, seconds: u32) -> Timestamp {
    let length = SignedDuration::from_secs(seconds.into());
    now.saturating_add(length).unwrap_or(Timestamp::MAX)
}

/// Has a repetition of the request be told what it did, without the secret.
fn keep_no_secret(mut reply: Response, key: &ApiKey, did: &str) -> Response {
    let id = key.id();
    let told = format!(
        "this request was carried out and {did} {id}, whose text was in the answer to it alone: rotate or revoke it"
    );
    let kept = KeptInstead(ApiError::new(StatusCode::CONFLICT, told));
    reply.extensions_mut().insert(kept);
    reply
}

fn parse_key_id(id: &str) -> Result<KeyId> {
    let unknown = || ApiError::not_found("there is no such key");
    KeyId::parse(id).ok_or_else(unknown)
}

/// Give a key another secret. Its text is in this answer, and nowhere else; sessions that it opened end.
#[utoipa::path(
    post,
    path = "/v1/keys/{id}/rotate",
    tag = "keys",
    params(("id" = String, Path, description = "The key's id: the ten characters after `hwk_`")),
    request_body(content = RotationBody, description = "What becomes of the present secret"),
    responses(
        (status = 200, description = "The key", body = NewKeyDto),
        (status = 400, description = "The body is not as it should be", body = ProblemDto),
        (status = 401, description = "No valid key", body = ProblemDto),
        (status = 403, description = "The key does not allow it", body = ProblemDto),
        (status = 404, description = "No such key", body = ProblemDto),
        (status = 409, description = "The key has ended, or is a session", body = ProblemDto),
    )
)]
async fn rotate_key(
    State(state): State<SharedState>,
    caller: Caller,
    Path(id): Path<String>,
    JsonBody(body): JsonBody<RotationBody>,
) -> Result<Response> {
    let reach = find_reach(&caller)?;
    let id = parse_key_id(&id)?;
    let older_until = add_seconds(Timestamp::now(), body.keep_seconds.unwrap_or(0));
    let entropy = draw_entropy()?;
    state
        .write(move |state| {
            let unknown = || KeyChangeError::Refused(KeyChangeRefusal::UnknownKey(id.clone()));
            let kind = state.keys.find_key(&id)?.ok_or_else(unknown)?.kind;
            let key = ApiKey::with_new_secret(kind, id, entropy);
            let order = order_of(caller.record(), reach);
            let saved = change_keys(state, |keys| {
                keys.rotate_key(&order, key.id(), &key.secret_hash(), older_until)
            })?;
            let reply = Json(NewKeyDto::new(&key, &saved)).into_response();
            Ok(keep_no_secret(reply, &key, "gave another secret to key"))
        })
        .await
}

/// Revoke a key, and the sessions that it opened.
#[utoipa::path(
    delete,
    path = "/v1/keys/{id}",
    tag = "keys",
    params(("id" = String, Path, description = "The key's id: the ten characters after `hwk_`")),
    responses(
        (status = 200, description = "It is no longer accepted", body = RevokedKeysReply),
        (status = 401, description = "No valid key", body = ProblemDto),
        (status = 403, description = "The key does not allow it", body = ProblemDto),
        (status = 404, description = "No such key", body = ProblemDto),
    )
)]
async fn revoke_key(
    State(state): State<SharedState>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response> {
    let reach = find_reach(&caller)?;
    let id = parse_key_id(&id)?;
    state
        .write(move |state| {
            let order = order_of(caller.record(), reach);
            let revoked = change_keys(state, |keys| keys.revoke_key(&order, &id))?;
            let reply = RevokedKeysReply {
                revoked: revoked.iter().map(|key| key.id.as_str()).collect(),
            };
            Ok(Json(reply).into_response())
        })
        .await
}
