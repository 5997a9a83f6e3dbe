//! Logging in to the page at an identity provider: a link leads there, and it sends the browser back with a code.
//!
//! The answer counts only in the browser that began the login, once and within some minutes, and where it leads to is a
//! page of this server. Then the session is one as with a key, and ends when the provider's word does.

use std::sync::Arc;

use axum::{
    Router,
    extract::{Query, State},
    http::{HeaderMap, header},
    response::{AppendHeaders, IntoResponse as _, Response},
    routing::get,
};
use jiff::Timestamp;
use serde::Deserialize;

use super::{
    error::Result,
    login::{longest_session, open_session},
    next_path::NextPath,
    send_on,
    visitor::{find_attempt, make_attempt_cookie},
};
use crate::{
    error::ApiError,
    identities,
    oidc::{ATTEMPT_SECONDS, LoginAttempt, Oidc, OidcConfig},
    query_text::quote,
    state::{AppState, SharedState},
};

/// Longest code that a provider gives, in bytes.
const CODE_BYTES: usize = 4096;

#[derive(Debug, Deserialize)]
struct BeginQuery {
    next: Option<String>,
}

/// What a provider answers.
#[derive(Debug, Deserialize)]
struct CallbackQuery {
    state: Option<String>,
    code: Option<String>,
    error: Option<String>,
    iss: Option<String>,
}

pub(super) fn routes() -> Router<SharedState> {
    Router::new()
        .route("/login/provider", get(begin_login))
        .route("/login/callback", get(end_login))
}

fn find_oidc(state: &AppState) -> Result<&Oidc, ApiError> {
    let oidc = state.oidc.as_ref().filter(|it| it.config.client.is_some());
    oidc.ok_or_else(|| ApiError::not_found("there is nothing at this path"))
}

async fn begin_login(
    State(state): State<SharedState>,
    headers: HeaderMap,
    Query(query): Query<BeginQuery>,
) -> Result<Response> {
    let oidc = find_oidc(&state)?;
    let about = oidc.about_provider().await.map_err(ApiError::from)?;
    let next = NextPath::parse(query.next.as_deref().unwrap_or_default());
    let attempt = LoginAttempt::begin(next.as_str(), Timestamp::now())?;
    let url = write_login_url(&oidc.config, &about.login_url, &attempt);
    let cookie = make_attempt_cookie(&headers, &attempt.to_cookie(), ATTEMPT_SECONDS);
    let cookie = AppendHeaders([(header::SET_COOKIE, cookie)]);
    Ok((cookie, send_on(&url)).into_response())
}

fn write_login_url(config: &OidcConfig, base: &str, attempt: &LoginAttempt) -> String {
    let client = config.client.as_ref().map_or("", |it| &it.id);
    let mut scopes = vec!["openid"];
    scopes.extend(config.login_scopes.iter().map(|it| &**it));
    let parts = [
        ("response_type", "code"),
        ("client_id", client),
        ("redirect_uri", &config.callback_url()),
        ("scope", &scopes.join(" ")),
        ("state", &attempt.state()),
        ("nonce", &attempt.nonce()),
        ("code_challenge", &attempt.challenge()),
        ("code_challenge_method", "S256"),
    ];
    let parts = parts.map(|(name, value)| format!("{name}={}", quote(value)));
    let sign = if base.contains('?') { '&' } else { '?' };
    format!("{base}{sign}{}", parts.join("&"))
}

async fn end_login(
    State(state): State<SharedState>,
    headers: HeaderMap,
    Query(query): Query<CallbackQuery>,
) -> Result<Response> {
    let oidc = find_oidc(&state)?;
    let attempt = find_attempt_of(oidc, &headers, &query)?;
    let about = oidc.about_provider().await.map_err(ApiError::from)?;
    let is_from_there = match &query.iss {
        Some(issuer) => issuer == oidc.config.issuer.as_str(),
        None => !about.names_itself,
    };
    if !is_from_there {
        return Err(ApiError::forbidden("this answer is from another identity provider").into());
    }
    if let Some(why) = &query.error {
        return Err(refuse(why).into());
    }
    let code = query
        .code
        .filter(|it| !it.is_empty() && it.len() <= CODE_BYTES);
    let code = code.ok_or_else(|| ApiError::bad_request("this answer has no code"))?;
    let longest = longest_session();
    let admitted = identities::admit_login(&state, about, &attempt, code, longest).await;
    let admitted = admitted.map_err(ApiError::about_login)?;
    let counted = state.rate_limits.count_request(&admitted.record);
    counted.map_err(ApiError::too_often)?;
    let opener = Arc::unwrap_or_clone(admitted.record);
    let opened = open_session(&state, opener, admitted.until).await?;
    let cookies = [
        opened.make_cookie(&headers),
        make_attempt_cookie(&headers, "", 0),
    ];
    let cookies = AppendHeaders(cookies.map(|it| (header::SET_COOKIE, it)));
    let next = NextPath::parse(&attempt.next);
    Ok((cookies, send_on(next.as_str())).into_response())
}

/// Finds the login that an answer belongs to, which was begun in this browser and not answered before.
fn find_attempt_of(
    oidc: &Oidc,
    headers: &HeaderMap,
    query: &CallbackQuery,
) -> Result<LoginAttempt, ApiError> {
    let now = Timestamp::now();
    let attempt = find_attempt(headers).and_then(|it| LoginAttempt::read(it, now));
    let sent = query.state.as_deref().unwrap_or_default();
    let attempt = attempt.filter(|it| it.has_state(sent) && oidc.use_up(it, now));
    attempt.ok_or_else(|| {
        ApiError::bad_request(
            "this login was not begun in this browser, took too long, or is over: log in again",
        )
    })
}

/// Says that the provider let nobody in. What it says is quoted only if it is one of the words that the format has.
fn refuse(why: &str) -> ApiError {
    let told = match why {
        "access_denied" => "the identity provider let nobody in, or you broke the login off",
        "login_required" | "interaction_required" | "consent_required" => {
            "the identity provider wants to ask you something: log in again"
        }
        "temporarily_unavailable" | "server_error" => "the identity provider cannot let you in now",
        _ => {
            "the identity provider refused this login; whoever runs this server can find out why there"
        }
    };
    ApiError::forbidden(told)
}

#[cfg(test)]
mod tests {
    use hardwon_core::api_key::ClaimRules;

    use super::*;
    use crate::oidc::{OidcClient, ServiceUrl};

    #[test]
    fn a_login_is_asked_for_with_all_that_ties_it_to_its_answer() {
        let config = OidcConfig {
            issuer: ServiceUrl::parse("https://id.example").unwrap(),
            public_url: ServiceUrl::parse_server("https://lessons.example").unwrap(),
            audiences: Vec::new(),
            client: Some(OidcClient {
                id: "page & more".to_owned(),
                secret: Some("letmein".to_owned()),
            }),
            rules: ClaimRules::default(),
            name_claim: None,
            login_scopes: vec!["groups".to_owned()],
            token_scopes: Vec::new(),
            roots: None,
        };
        let attempt = LoginAttempt::begin("/", Timestamp::now()).unwrap();
        let url = write_login_url(&config, "https://id.example/authorize?a=b", &attempt);
        let (state, nonce, challenge) = (attempt.state(), attempt.nonce(), attempt.challenge());
        let expected = format!(
            "https://id.example/authorize?a=b&response_type=code&client_id=page%20%26%20more\
             &redirect_uri=https%3A//lessons.example/login/callback&scope=openid%20groups\
             &state={state}&nonce={nonce}&code_challenge={challenge}&code_challenge_method=S256"
        );
        assert_eq!(url, expected);
    }
}
