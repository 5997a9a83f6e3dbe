//! The keys of a tenant, for its owner: list, add, rotate, revoke.
//!
//! A secret is on one answer only, the one to the form that made it, and is kept nowhere.

use std::cmp::Reverse;

use askama::Template;
use axum::{
    Router,
    extract::{Path, Query},
    response::{Html, Response},
};
use hardwon_core::id::{AgentId, ProjectId};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;

use super::{
    error::render,
    form::{FormFields, PostedForm},
    frame::{Frame, Notice, View},
    send_on,
    text::{TimeTag, VisibleText},
    view::{show, take},
    visitor::Visitor,
};
use crate::{
    api_key::{ApiKey, ApiKeyRecord, Capability, KeyId, KeyKind, KeyReach, Role},
    error::{ApiError, Result},
    key_changes::{change_keys, draw_entropy, make_new_key, now_in_millis, order_of, parse_key_id},
    key_json::admin::NewKeyBody,
    state::SharedState,
    workers::WorkKind,
};

/// Keys of a page.
const PAGE_KEYS: usize = 100;
/// Hours for which an older secret can stay accepted.
const GRACE_HOURS: [(i64, &str); 4] = [
    (0, "at once"),
    (1, "after an hour"),
    (24, "after a day"),
    (168, "after a week"),
];
/// Most days until a key expires.
const MAX_DAYS: u32 = 3650;
const DAY_SECONDS: u32 = 24 * 60 * 60;

#[derive(Debug, Deserialize)]
struct KeysPageQuery {
    after: Option<String>,
    done: Option<String>,
}

#[derive(Template)]
#[template(path = "keys.html")]
struct KeysView {
    frame: Frame,
    rows: Vec<KeyRow>,
    next: String,
    roles: [(&'static str, &'static str); 4],
    graces: [(i64, &'static str); 4],
    fresh: Option<FreshKey>,
}

/// A secret that was just made.
struct FreshKey {
    what: &'static str,
    secret: String,
}

struct KeyRow {
    id: String,
    name: VisibleText,
    role: &'static str,
    limits: VisibleText,
    created: TimeTag,
    last_used: Option<TimeTag>,
    expires: Option<TimeTag>,
    older_until: Option<TimeTag>,
    state: &'static str,
    is_session: bool,
    /// Whether somebody holds a secret of it, which can be changed.
    has_secret: bool,
    is_own: bool,
}

pub(super) fn routes() -> Router<SharedState> {
    Router::new()
        .route(
            "/keys",
            show(list_keys).merge(take(WorkKind::Write, add_key)),
        )
        .route("/keys/{id}/rotate", take(WorkKind::Write, rotate_key))
        .route("/keys/{id}/revoke", take(WorkKind::Write, revoke_key))
}

fn list_keys(visitor: &Visitor, Query(query): Query<KeysPageQuery>) -> Result<String> {
    render_keys(visitor, &query, None)
}

fn render_keys(
    visitor: &Visitor,
    query: &KeysPageQuery,
    fresh: Option<FreshKey>,
) -> Result<String> {
    visitor.caller.check_capability(Capability::ManageKeys)?;
    let own = visitor.caller.record();
    let tenant = own.grant.tenant().ok_or_else(ApiError::unauthorized)?;
    let after = query.after.as_deref().and_then(KeyId::parse);
    let reach = KeyReach::Tenant(tenant.clone());
    let records = visitor.state.keys.keys(&reach, after.as_ref(), PAGE_KEYS)?;
    let last = records.last().filter(|_| records.len() == PAGE_KEYS);
    let next = last.map(|last| last.id.to_string()).unwrap_or_default();
    let now = Timestamp::now();
    // Sessions that ended say nothing any more.
    let visible_records = records
        .iter()
        .filter(|record| record.kind != KeyKind::Session || record.is_valid_at(now));
    let mut rows: Vec<KeyRow> = visible_records
        .map(|visible_record| KeyRow::new(visible_record, own, now))
        .collect();
    rows.sort_by_key(|row| {
        (
            row.is_session,
            row.state == "revoked",
            Reverse(row.created.0),
        )
    });
    let desk = visitor.desk(&Default::default())?;
    render(&KeysView {
        frame: Frame::gather(visitor, &desk, View::Keys, query.done.as_deref())?,
        rows,
        next,
        roles: [Role::Agent, Role::Viewer, Role::Curator, Role::Owner].map(describe_role),
        graces: GRACE_HOURS,
        fresh,
    })
}

fn describe_role(role: Role) -> (&'static str, &'static str) {
    let says = match role {
        Role::Agent => "agent: recalls and teaches lessons",
        Role::Viewer => "viewer: looks, and changes nothing",
        Role::Curator => "curator: decides about lessons",
        Role::Owner => "owner: everything, also keys and erasing",
        Role::Operator => "operator: runs the server",
    };
    (role.name(), says)
}

impl KeyRow {
    fn new(record: &ApiKeyRecord, own: &ApiKeyRecord, now: Timestamp) -> Self {
        let limits = record.grant.limits();
        let names = limits.agents.iter().map(AgentId::as_str);
        let names = names.chain(limits.projects.iter().map(ProjectId::display_name));
        let older = record
            .older_secret
            .as_ref()
            .map(|older_secret| older_secret.until);
        Self {
            id: record.id.to_string(),
            name: VisibleText::line(record.name.as_str()),
            role: record.grant.role().name(),
            limits: VisibleText::line(&names.collect::<Vec<_>>().join(", ")),
            created: TimeTag(record.created),
            last_used: record.last_used.map(TimeTag),
            expires: record.expires.map(TimeTag),
            older_until: older.filter(|until| now < *until).map(TimeTag),
            state: match (&record.revoked, record.is_valid_at(now)) {
                (Some(_), _) => "revoked",
                (None, true) => "accepted",
                (None, false) => "expired",
            },
            is_session: record.kind == KeyKind::Session,
            has_secret: matches!(record.kind, KeyKind::Tenant | KeyKind::Operator),
            is_own: record.id == own.id || Some(&record.id) == own.opened_by.as_ref(),
        }
    }
}

/// Adds a key. The answer is the page itself, because an address must not hold a secret.
fn add_key(form: &PostedForm, _: ()) -> Result<Html<String>> {
    let visitor = &form.visitor;
    let reach = visitor.caller.find_reach()?;
    let (key, record) = make_new_key(&read_form(&form.fields)?, &reach)?;
    let order = order_of(visitor.caller.record(), reach);
    change_keys(&visitor.state, |keys| keys.add_key(&order, &record))?;
    render_secret(visitor, "The new key", &key)
}

fn read_form(fields: &FormFields) -> Result<NewKeyBody> {
    let bad = |message: &'static str| ApiError::bad_request(message);
    let name = fields.required("name", "a key needs a name, to know it by later")?;
    let role = Role::from_name(fields.text("role")).ok_or_else(|| bad("choose a role"))?;
    let names = |field| fields.list(field).map(str::to_owned).collect();
    let days = match fields.text("days") {
        "" => None,
        days => {
            let days = days
                .parse()
                .ok()
                .filter(|days| (1..=MAX_DAYS).contains(days));
            Some(days.ok_or_else(|| bad("say in how many days it expires: 1 to 3650, or nothing"))?)
        }
    };
    Ok(NewKeyBody {
        role: Some(role.name().to_owned()),
        name: Some(name.to_owned()),
        tenant: None,
        agents: names("agents"),
        projects: names("projects"),
        expires_in_seconds: days.map(|days: u32| days * DAY_SECONDS),
    })
}

fn rotate_key(form: &PostedForm, Path(id): Path<String>) -> Result<Html<String>> {
    let id = parse_key_id(&id)?;
    let visitor = &form.visitor;
    let reach = visitor.caller.find_reach()?;
    let hours = form.fields.text("grace").parse::<i64>().ok();
    let hours = hours.filter(|hour| GRACE_HOURS.iter().any(|(hours, _)| hours == hour));
    let hours = hours.ok_or_else(|| ApiError::bad_request("choose when the older secret ends"))?;
    let key = ApiKey::with_new_secret(KeyKind::Tenant, id.clone(), draw_entropy()?);
    let until = now_in_millis() + SignedDuration::from_hours(hours);
    let order = order_of(visitor.caller.record(), reach);
    change_keys(&visitor.state, |keys| {
        keys.rotate_key(&order, &id, &key.secret_hash(), until)
    })?;
    render_secret(visitor, "The new secret of the key", &key)
}

fn render_secret(visitor: &Visitor, what: &'static str, key: &ApiKey) -> Result<Html<String>> {
    let query = KeysPageQuery {
        after: None,
        done: None,
    };
    let secret = key.reveal();
    render_keys(visitor, &query, Some(FreshKey { what, secret })).map(Html)
}

fn revoke_key(form: &PostedForm, Path(id): Path<String>) -> Result<Response> {
    let id = parse_key_id(&id)?;
    let caller = &form.visitor.caller;
    let order = order_of(caller.record(), caller.find_reach()?);
    change_keys(&form.visitor.state, |keys| keys.revoke_key(&order, &id))?;
    Ok(send_on(&format!("/keys?done={}", Notice::Revoked.name())))
}
