//! Tells MCP clients where to get a token (RFC 9728): a description of this server, and in each answer that asks for a
//! token where that is. All addresses are those of the settings: what a request says of the host may be anybody's.

use axum::{
    Json, Router,
    extract::{Request, State},
    http::{HeaderValue, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
    routing::get,
};
use serde_json::{Value, json};

use crate::{error::ApiError, oidc::OidcConfig, state::SharedState};

/// Where the description of the whole server is.
const METADATA: &str = "/.well-known/oauth-protected-resource";
/// Where that of MCP is.
const MCP_METADATA: &str = "/.well-known/oauth-protected-resource/mcp";

/// Adds the descriptions, and what leads to them.
pub(crate) fn add_routes(router: Router, state: &SharedState) -> Router {
    let described = Router::new()
        .route(
            METADATA,
            get(|state: State<SharedState>| describe(state, "")),
        )
        .route(
            MCP_METADATA,
            get(|state: State<SharedState>| describe(state, "/mcp")),
        )
        .with_state(state.clone());
    let challenge = middleware::from_fn_with_state(state.clone(), challenge);
    router.merge(described).layer(challenge)
}

async fn describe(State(state): State<SharedState>, path: &str) -> Response {
    match &state.oidc {
        Some(oidc) => Json(describe_resource(&oidc.config, path)).into_response(),
        None => ApiError::not_found("there is nothing at this path").into_response(),
    }
}

fn describe_resource(config: &OidcConfig, path: &str) -> Value {
    let mut described = json!({
        "resource": config.public_url.join(path),
        "authorization_servers": [config.issuer.as_str()],
        "bearer_methods_supported": ["header"],
        "resource_name": "hardwon",
    });
    if !config.token_scopes.is_empty() {
        described["scopes_supported"] = json!(config.token_scopes);
    }
    described
}

/// Has an answer that asks for a token say where there are some, and whether the one that came is no good.
async fn challenge(State(state): State<SharedState>, request: Request, next: Next) -> Response {
    let is_mcp = request.uri().path().starts_with("/mcp");
    let brought = request.headers().contains_key(header::AUTHORIZATION);
    let mut response = next.run(request).await;
    let headers = response.headers();
    let asks = headers
        .get(header::WWW_AUTHENTICATE)
        .is_some_and(|it| it == "Bearer");
    if let Some(oidc) = &state.oidc
        && asks
        && response.status() == StatusCode::UNAUTHORIZED
    {
        let value = write_challenge(&oidc.config, is_mcp, brought);
        response
            .headers_mut()
            .insert(header::WWW_AUTHENTICATE, value);
    }
    response
}

fn write_challenge(config: &OidcConfig, is_mcp: bool, brought: bool) -> HeaderValue {
    let path = if is_mcp { MCP_METADATA } else { METADATA };
    let mut text = format!(
        "Bearer resource_metadata=\"{}\"",
        config.public_url.join(path)
    );
    if !config.token_scopes.is_empty() {
        text += &format!(", scope=\"{}\"", config.token_scopes.join(" "));
    }
    if brought {
        text += ", error=\"invalid_token\"";
    }
    HeaderValue::from_str(&text).expect("addresses and scopes are visible ASCII")
}
