//! `/v1/keys`: who is let in. An owner manages the keys of their tenant, an operator those of any.
//!
//! A key's text is in two answers only, that of adding and that of rotating it, and is kept nowhere.

use axum::http::StatusCode;

use super::{prelude::*, repeats::KeptInstead};
use crate::{
    ApiKey, ApiKeyDto, ApiKeyRecord, KeyChangeError, KeyChangeRefusal, KeyId, KeyPageReply,
    NewKeyBody, NewKeyDto, RevokedKeysReply, RotationBody,
    key_changes::{
        change_keys, draw_entropy, find_end, make_new_key, narrow_reach, order_of, parse_key_id,
    },
};

/// Keys of a page, unless the request says how many; and most of them.
const LISTED: (usize, usize) = (100, 200);

pub(super) fn verbs() -> Vec<VerbRow> {
    vec![
        verb("GET /v1/keys", Read, list_keys)
            .tells::<KeyPageReply>(200, "A page of keys, without their secrets"),
        verb("POST /v1/keys", Write, add_key)
            .sends("What the key is for")
            .tells::<NewKeyDto>(201, "The key")
            .or(404, "No such tenant")
            .or(409, "The tenant has too many keys"),
        verb("DELETE /v1/keys/{id}", Write, revoke_key)
            .named("The key's id: the ten characters after `hwk_`")
            .tells::<RevokedKeysReply>(200, "It is no longer accepted")
            .or(404, "No such key"),
        verb("POST /v1/keys/{id}/rotate", Write, rotate_key)
            .named("The key's id: the ten characters after `hwk_`")
            .sends("What becomes of the present secret")
            .tells::<NewKeyDto>(200, "The key")
            .or(404, "No such key")
            .or(409, "The key has ended, or is a session"),
    ]
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
fn list_keys(door: &Door, QueryOf(query): QueryOf<KeysQuery>) -> Result<Response> {
    let reach = narrow_reach(door.caller.find_reach()?, query.tenant.as_deref())?;
    let limit = parse_limit(query.limit.as_deref(), LISTED.0, LISTED.1)?;
    let after = query.cursor.as_deref().map(|cursor| {
        let invalid = || ApiError::bad_request("this is no cursor of a page").with_field("cursor");
        KeyId::parse(cursor).ok_or_else(invalid)
    });
    let after = after.transpose()?;
    let keys = door.state.keys.keys(&reach, after.as_ref(), limit)?;
    let last = keys.last().filter(|_| keys.len() == limit);
    json(&KeyPageReply {
        keys: keys.iter().map(ApiKeyDto::from).collect(),
        next_cursor: last.map(|last| last.id.as_str()),
    })
}

/// Add a key. Its text is in this answer, and nowhere else.
fn add_key(door: &Door, JsonBody(body): JsonBody<NewKeyBody>) -> Result<Response> {
    let reach = door.caller.find_reach()?;
    let (key, record) = make_new_key(&body, &reach)?;
    let order = order_of(door.caller.record(), reach);
    let record = change_keys(&door.state, |keys| keys.add_key(&order, &record))?;
    answer_with_secret(&key, &record, "made key")
}

/// Answers with a key. A repetition of the request is told what it did, without the secret.
fn answer_with_secret(key: &ApiKey, record: &ApiKeyRecord, did: &str) -> Result<Response> {
    let mut reply = json(&NewKeyDto::new(key, record))?;
    let id = key.id();
    let message = format!(
        "this request was carried out and {did} {id}, whose text was in the answer to it alone: rotate or revoke it"
    );
    let answer = KeptInstead(ApiError::new(StatusCode::CONFLICT, message));
    reply.extensions_mut().insert(answer);
    Ok(reply)
}

/// Give a key another secret. Its text is in this answer, and nowhere else; sessions that it opened end.
fn rotate_key(
    door: &Door,
    (Path(id), JsonBody(body)): (Path<String>, JsonBody<RotationBody>),
) -> Result<Response> {
    let reach = door.caller.find_reach()?;
    let id = parse_key_id(&id)?;
    let older_until = find_end(body.keep_seconds.unwrap_or(0));
    let entropy = draw_entropy()?;
    let unknown = || KeyChangeError::Refused(KeyChangeRefusal::UnknownKey(id.clone()));
    let kind = door.state.keys.find_key(&id)?.ok_or_else(unknown)?.kind;
    let key = ApiKey::with_new_secret(kind, id, entropy);
    let order = order_of(door.caller.record(), reach);
    let record = change_keys(&door.state, |keys| {
        keys.rotate_key(&order, key.id(), &key.secret_hash(), older_until)
    })?;
    answer_with_secret(&key, &record, "gave another secret to key")
}

/// Revoke a key, and the sessions that it opened.
fn revoke_key(door: &Door, Path(id): Path<String>) -> Result<Response> {
    let reach = door.caller.find_reach()?;
    let id = parse_key_id(&id)?;
    let order = order_of(door.caller.record(), reach);
    let keys_revoked = change_keys(&door.state, |keys| keys.revoke_key(&order, &id))?;
    json(&RevokedKeysReply {
        revoked: keys_revoked.iter().map(|key| key.id.as_str()).collect(),
    })
}
