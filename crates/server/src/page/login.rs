//! Coming and going: a key is pasted once and opens a session, or a link opens one; going ends it.

use std::time::Instant;

use askama::Template;
use axum::{
    Router,
    extract::{DefaultBodyLimit, Path, Query, RawQuery, State},
    http::{HeaderMap, StatusCode, header},
    response::{AppendHeaders, Html, IntoResponse as _, Response},
    routing::{get, post},
};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;

use super::{
    error::{Result, render},
    form::{LoginForm, PostedForm},
    next_path::NextPath,
    send_on,
    text::VisibleText,
    visitor::{self, PLACE, SESSION, SESSION_HOURS, make_cookie},
};
use crate::{
    ApiError, ApiKey, ApiKeyRecord, Caller, KeyKind, KeyOrder, KeyReach, SharedState, WorkKind,
    auth,
    key_changes::{change_keys, draw_entropy, now_in_millis, order_of},
};

/// Most bytes of a form that anybody may send.
const FORM_BYTES: usize = 4 * 1024;

const REFUSED: &str = "This key is not accepted. Copy it whole, or ask the owner for another.";
const LINK_USED: &str = "This link was used, or is older than a minute. Run `hardwon open` again.";

#[derive(Template)]
#[template(path = "login.html")]
struct LoginView {
    /// Why somebody is here again; may be empty.
    fault: &'static str,
    is_plain_elsewhere: bool,
    /// Where to go once logged in.
    next: NextPath,
}

#[derive(Debug, Deserialize)]
struct LoginQuery {
    next: Option<String>,
    link: Option<String>,
}

pub(super) fn routes() -> Router<SharedState> {
    Router::new()
        .route("/login", get(show_login).post(log_in))
        .route("/login/{token}", get(open_link))
        .route("/logout", post(log_out))
        .layer(DefaultBodyLimit::max(FORM_BYTES))
}

async fn show_login(headers: HeaderMap, Query(query): Query<LoginQuery>) -> Result<Response> {
    let next = NextPath::parse(query.next.as_deref().unwrap_or_default());
    show_form(&headers, query.link.map_or("", |_| LINK_USED), next)
}

fn show_form(headers: &HeaderMap, fault: &'static str, next: NextPath) -> Result<Response> {
    // A browser names the relation to trustworthy addresses only: HTTPS, and the machine itself.
    let is_plain = super::find_header(headers, "sec-fetch-site").is_none();
    let view = LoginView {
        fault,
        is_plain_elsewhere: is_plain && !visitor::is_plain_loopback(headers),
        next,
    };
    let status = if fault == REFUSED {
        StatusCode::UNAUTHORIZED
    } else {
        StatusCode::OK
    };
    Ok((status, Html(render(&view)?)).into_response())
}

async fn log_in(
    State(state): State<SharedState>,
    headers: HeaderMap,
    LoginForm(fields, extensions): LoginForm,
) -> Result<Response> {
    let caller = match ApiKey::parse(fields.text("key")) {
        Ok(key) if key.kind() != KeyKind::Session => {
            auth::authenticate(&state, key, &extensions).await
        }
        _ => Err(ApiError::unauthorized()),
    };
    let next = NextPath::parse(fields.text("next"));
    match caller {
        Ok(caller) => {
            let result = state.rate_limits.count_request(caller.record());
            result.map_err(ApiError::too_often)?;
            open_session(&state, &headers, caller.record().clone(), &next).await
        }
        Err(error) if error.status() == StatusCode::UNAUTHORIZED => {
            state.metrics.count_refused_key();
            show_form(&headers, REFUSED, next)
        }
        Err(error) => Err(error.into()),
    }
}

/// Opens the session of a link, at the project that it names. A link that is used up, or never was one, leads to the form.
async fn open_link(
    State(state): State<SharedState>,
    headers: HeaderMap,
    Path(token): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response> {
    let Some(key) = state.login_links.take(&token, Instant::now()) else {
        return Ok(send_on("/login?link=used"));
    };
    let key_record = state
        .run(WorkKind::Read, move |state| {
            Ok(state.keys.find_key(&key)?)
        })
        .await?;
    match key_record.filter(|key_record| key_record.is_valid_at(Timestamp::now())) {
        Some(record) => {
            let first = query.map(|query| format!("/effects?{query}"));
            let first = NextPath::parse(&first.unwrap_or_default());
            open_session(&state, &headers, record, &first).await
        }
        None => Ok(send_on("/login?link=used")),
    }
}

/// Opens a session of a key, and sends the browser on with it.
async fn open_session(
    state: &SharedState,
    headers: &HeaderMap,
    opener: ApiKeyRecord,
    next: &NextPath,
) -> Result<Response> {
    if opener.grant.tenant().is_none() {
        let message = "an operator's key belongs to no tenant, and there is no page for it";
        return Err(ApiError::forbidden(message).into());
    }
    let key = ApiKey::from_entropy(KeyKind::Session, draw_entropy()?);
    let now = now_in_millis();
    let length = SignedDuration::from_hours(SESSION_HOURS);
    let record = opener.open_session(&key, now, now + length);
    state
        .run(WorkKind::Write, move |state| {
            let order = order_within_tenant(&opener)?;
            Ok(change_keys(state, |keys| keys.add_key(&order, &record))?)
        })
        .await?;
    // What the one before looked at may be none of this one's business.
    let cookies = [
        make_cookie(headers, SESSION, &key.reveal(), length.as_secs()),
        make_cookie(headers, PLACE, "", 0),
    ];
    let cookies = AppendHeaders(cookies.map(|cookie| (header::SET_COOKIE, cookie)));
    Ok((cookies, send_on(next.as_str())).into_response())
}

/// Ends the session on the server, and not only in the browser.
async fn log_out(
    State(state): State<SharedState>,
    headers: HeaderMap,
    form: PostedForm,
) -> Result<Response> {
    end_session(&state, form.visitor.caller.clone()).await?;
    let cookie = make_cookie(&headers, SESSION, "", 0);
    Ok((
        AppendHeaders([(header::SET_COOKIE, cookie)]),
        send_on("/login"),
    )
        .into_response())
}

async fn end_session(state: &SharedState, caller: Caller) -> Result<()> {
    let result = state.run(WorkKind::Write, move |state| {
        let own = caller.record();
        let order = order_within_tenant(own)?;
        Ok(change_keys(state, |keys| keys.revoke_key(&order, &own.id))?)
    });
    result.await?;
    Ok(())
}

/// Makes an order of a key's holder, about the keys of its own tenant.
fn order_within_tenant(by: &ApiKeyRecord) -> crate::error::Result<KeyOrder> {
    let tenant = by.grant.tenant();
    let tenant = tenant.ok_or_else(|| ApiError::forbidden("this needs a tenant's key"))?;
    Ok(order_of(by, KeyReach::Tenant(tenant.clone())))
}
