//! Who looks at the page: the session in a cookie, and the key that opened it.
//!
//! The cookie is out of reach of scripts and is sent only from the page's own links and forms. Over HTTPS its name has
//! the prefix by which browsers refuse to take it from anyone else; over plain HTTP there is a session on the machine
//! itself only.

use std::ops::Deref;

use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, HeaderValue, Method, StatusCode, header, request::Parts},
    response::{Html, IntoResponse as _, Response},
};
use hardwon_core::{Actor, TenantId, digest};
use hardwon_engine::Desk;

use super::{error::PageError, find_header, next_path::NextPath, place_query::PlaceQuery, send_on};
use crate::{
    ApiError, ApiKey, AskedScope, Capability, KeyId, KeyKind, Result, SecretHash, SharedState,
    auth,
    door::{Door, find_desk},
};

/// The cookie over HTTPS, and what the name of the one on the machine itself begins with. A browser sends that one to every
/// port, so its name has the port: several servers of a machine do not end each other's sessions.
const COOKIE_NAMES: (&str, &str) = ("__Host-hardwon", "hardwon");
/// How long a session lasts.
pub(super) const SESSION_HOURS: i64 = 8;
/// What is added to the name for the session's key, and for what is looked at.
pub(super) const SESSION: &str = "";
pub(super) const PLACE: &str = "-place";

/// A person with a session, and the server that they visit.
#[derive(Clone)]
pub(super) struct Visitor {
    door: Door,
    form_token: String,
    /// What is looked at.
    pub(super) place: PlaceQuery,
    /// The cookie that has the browser remember it, where the address named it.
    pub(super) place_cookie: Option<HeaderValue>,
}

impl Deref for Visitor {
    type Target = Door;

    fn deref(&self) -> &Door {
        &self.door
    }
}

impl FromRequestParts<SharedState> for Visitor {
    type Rejection = Response;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &SharedState,
    ) -> std::result::Result<Self, Response> {
        let caller_or_error = match find_session(&parts.headers) {
            Some(session) => admit(state, session, parts).await,
            None => Err(ApiError::unauthorized()),
        };
        let is_strange = find_header(&parts.headers, "sec-fetch-site") == Some("cross-site");
        match caller_or_error {
            Err(_) if is_strange && parts.method == Method::GET => Err(ask_again()),
            Err(error)
                if error.status() == StatusCode::UNAUTHORIZED && parts.method == Method::GET =>
            {
                Err(send_on(&NextPath::of_request(&parts.uri).login_path()))
            }
            caller_or_error => {
                caller_or_error.map_err(|error| PageError::from(error).into_response())
            }
        }
    }
}

/// Has the browser ask for the same page again. It sends no cookie with a link from another site, although there may
/// be a session, but it does with this.
fn ask_again() -> Response {
    let page = "<!doctype html><title>hardwon</title><meta http-equiv=\"refresh\" content=\"0\">";
    Html(page).into_response()
}

async fn admit(state: &SharedState, session: ApiKey, parts: &Parts) -> Result<Visitor> {
    let form_token = make_form_token(&session);
    let caller = auth::authenticate(state, session, &parts.extensions).await?;
    let state = SharedState::clone(state);
    let headers = &parts.headers;
    let from_address = PlaceQuery::of_address(&parts.uri);
    let from_cookie = || PlaceQuery::of_query(find_cookie(headers, PLACE)?);
    Ok(Visitor {
        door: Door { state, caller },
        form_token,
        place_cookie: from_address
            .as_ref()
            .map(|place| make_cookie(headers, PLACE, &place.write_query(), SESSION_HOURS * 3600)),
        place: from_address.or_else(from_cookie).unwrap_or_default(),
    })
}

fn find_session(headers: &HeaderMap) -> Option<ApiKey> {
    let session = ApiKey::parse(find_cookie(headers, SESSION)?).ok()?;
    (session.kind() == KeyKind::Session).then_some(session)
}

fn find_cookie<'h>(headers: &'h HeaderMap, of: &str) -> Option<&'h str> {
    let name = cookie_name(headers) + of;
    let cookies = headers.get_all(header::COOKIE);
    let pairs = cookies
        .iter()
        .filter_map(|cooky| cooky.to_str().ok())
        .flat_map(|ok| ok.split(';'));
    let mut values = pairs.filter_map(|pair| pair.trim().split_once('='));
    let (_, value) = values.find(|(found, _)| *found == name)?;
    Some(value)
}

fn cookie_name(headers: &HeaderMap) -> String {
    let (secure, plain) = COOKIE_NAMES;
    if !is_plain_loopback(headers) {
        return secure.to_owned();
    }
    match split_port(find_header(headers, "host").unwrap_or_default()).1 {
        Some(port) => format!("{plain}-{port}"),
        None => plain.to_owned(),
    }
}

/// Splits what a browser says of the host.
fn split_port(host: &str) -> (&str, Option<&str>) {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (name, Some(port)),
        _ => (host, None),
    }
}

/// Returns whether the browser runs on this machine and talks without TLS. A proxy on this machine says that it
/// ended TLS.
pub(super) fn is_plain_loopback(headers: &HeaderMap) -> bool {
    let host = find_header(headers, "host").unwrap_or_default();
    let (name, _) = split_port(host);
    let is_loopback = matches!(name, "localhost" | "127.0.0.1" | "[::1]");
    is_loopback && find_header(headers, "x-forwarded-proto") != Some("https")
}

/// Makes a cookie of a session, or with an empty value the one that ends it. The value consists of what may stand in a
/// query.
pub(super) fn make_cookie(headers: &HeaderMap, of: &str, value: &str, seconds: i64) -> HeaderValue {
    let name = cookie_name(headers) + of;
    let secure = if name.starts_with(COOKIE_NAMES.0) {
        "; Secure"
    } else {
        ""
    };
    let cookie =
        format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}");
    HeaderValue::from_str(&cookie).expect("a value consists of letters, digits and signs")
}

/// Makes what each form of a session holds: nobody knows it who does not know the session.
fn make_form_token(session: &ApiKey) -> String {
    let session = session.reveal();
    let parts = ["hardwon form 1".as_bytes(), session.as_bytes()];
    digest::to_hex(&digest::hash_parts(parts))
}

impl Visitor {
    pub(super) fn form_token(&self) -> &str {
        &self.form_token
    }

    /// Returns whether a form is one of this session, in a time that does not depend on what was sent.
    pub(super) fn has_form_token(&self, sent: &str) -> bool {
        let hash = |token: &str| SecretHash::from_stored(digest::hash_parts([token.as_bytes()]));
        hash(sent).matches(&hash(&self.form_token))
    }

    /// Names whoever a text ends with, if that is a key: oneself, or what people call the key.
    pub(super) fn name_key(&self, words: &str) -> Result<String> {
        let record = self.caller.record();
        if let Some(before) = words.strip_suffix(record.actor().0.as_str()) {
            return Ok(format!("{before}you"));
        }
        let end = words.rsplit_once(Actor::KEY_MARK);
        let end = end.and_then(|(before, id)| Some((before, KeyId::parse(id)?)));
        let Some((before, id)) = end else {
            return Ok(words.to_owned());
        };
        let key = self.state.find_key_record(&id)?;
        let key = key.filter(|key| key.grant.tenant() == record.grant.tenant());
        Ok(key.map_or_else(|| words.to_owned(), |key| format!("{before}{}", key.name)))
    }

    pub(super) fn tenant(&self) -> Option<&TenantId> {
        self.caller.tenant()
    }

    pub(super) fn may(&self, needed: Capability) -> bool {
        self.caller.check_capability(needed).is_ok()
    }

    /// Returns the desk for what a page asks about; a key that is tied to several names and is asked about none takes
    /// the first.
    pub(super) fn desk(&self, asked: &AskedScope) -> Result<Desk<'_>> {
        let limits = self.caller.record().grant.limits();
        let scope = AskedScope {
            agent: asked
                .agent
                .clone()
                .or_else(|| limits.agents.first().cloned()),
            project: asked
                .project
                .clone()
                .or_else(|| limits.projects.first().cloned()),
        };
        self.write_desk(&scope)
    }

    /// Checks that whoever looks may decide about lessons.
    pub(super) fn check_may_curate(&self) -> Result<()> {
        self.caller.check_capability(Capability::Curate)
    }

    /// Has the desks of the session do something with what a name stands for: the first of them for which it is there.
    pub(super) fn find_for_some<'s, T>(
        &'s self,
        work: impl Fn(&Desk<'s>) -> hardwon_engine::Result<T>,
    ) -> Result<(Desk<'s>, T)> {
        find_desk(self.all_desks()?, |desk| Ok(work(desk)?))
    }

    /// Returns desks that together see all that the key sees: one, unless it is tied to several names.
    pub(super) fn all_desks(&self) -> Result<Vec<Desk<'_>>> {
        self.write_desks(&AskedScope::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_without_tls_stays_on_the_machine() {
        let check = |host: &str, proto: &str, expected: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("host", host.parse().unwrap());
            if !proto.is_empty() {
                headers.insert("x-forwarded-proto", proto.parse().unwrap());
            }
            let cookie = make_cookie(&headers, SESSION, "x", 9);
            assert_eq!(cookie.to_str().unwrap(), expected, "{host} {proto}");
        };
        let plain = "hardwon=x; Path=/; HttpOnly; SameSite=Strict; Max-Age=9";
        let of_port = "hardwon-7433=x; Path=/; HttpOnly; SameSite=Strict; Max-Age=9";
        let secure = "__Host-hardwon=x; Path=/; HttpOnly; SameSite=Strict; Max-Age=9; Secure";
        check("127.0.0.1:7433", "", of_port);
        check("localhost", "", plain);
        check("[::1]:7433", "", of_port);
        check("[::1]", "", plain);
        check("127.0.0.1:7433", "https", secure);
        check("memory.example:7433", "", secure);
        check("localhost.example", "", secure);
    }
}
