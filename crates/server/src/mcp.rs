//! MCP over HTTP at `/mcp`: the tools of `hardwon-mcp`, for whoever a key lets in.
//!
//! The agent and the project are those of the key. A key that is not tied to one may name it in the headers
//! `x-hardwon-agent` and `x-hardwon-project`, which a client sends with every request. A client of an older protocol, whose
//! calls do not say what it is called, may say so in `x-hardwon-client`.

use std::sync::Arc;

use axum::{
    Json, Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header, request::Parts},
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
};
use hardwon_api::v1::verbs::VerbEffect;
use hardwon_core::{ClientName, limits};
use hardwon_engine::Engine;
use hardwon_mcp::{CallContext, CallingAgent, McpError, http::build_service};

use serde_json::{Value, json};

use crate::{ApiError, Caller, Result, SharedState, auth::parse_asked_scope, log::log_line};

/// The errors of JSON-RPC for what is no JSON, and for what is no message.
const PARSE_ERROR: (i32, &str) = (-32700, "Parse error");
const INVALID_REQUEST: (i32, &str) = (-32600, "Invalid Request");

/// Returns the service at `/mcp`, behind the check of keys.
pub(crate) fn routes(state: &SharedState) -> Router {
    let (shared, options) = (Arc::clone(state), state.mcp.clone());
    let service = build_service(
        move |parts: &Parts, client| HttpCall::open(&shared, parts, client),
        options,
    );
    Router::new()
        .nest_service("/mcp", service)
        .layer(middleware::from_fn_with_state(Arc::clone(state), let_in))
}

/// Lets a request through that has a key, with who sent it.
async fn let_in(
    State(_): State<SharedState>,
    caller: Caller,
    mut request: Request,
    next: Next,
) -> Result<Response> {
    request.extensions_mut().insert(caller);
    if request.method() != Method::POST || !is_json(request.headers()) {
        return Ok(next.run(request).await);
    }
    let (parts, body) = request.into_parts();
    let too_large = |_| ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large");
    let body = to_bytes(body, limits::MCP_REQUEST_BYTES).await;
    let body = body.map_err(too_large)?;
    match serde_json::from_slice::<Value>(&body) {
        Err(_) => Ok(describe_fault(&Value::Null, PARSE_ERROR)),
        Ok(call) => {
            let answer = next.run(Request::from_parts(parts, Body::from(body))).await;
            // What is JSON and no message is no matter of the media type, as the SDK has it.
            Ok(match answer.status() {
                StatusCode::UNSUPPORTED_MEDIA_TYPE => describe_fault(&call["id"], INVALID_REQUEST),
                _ => answer,
            })
        }
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/json")
}

/// Answers what is no message of the protocol, with an error of JSON-RPC. `id` is that of the message, if it has one.
fn describe_fault(id: &Value, (code, message): (i32, &str)) -> Response {
    let id = match id {
        Value::String(_) | Value::Number(_) => id,
        _ => &Value::Null,
    };
    let error = json!({"code": code, "message": message});
    let body = json!({"jsonrpc": "2.0", "id": id, "error": error});
    (StatusCode::BAD_REQUEST, Json(body)).into_response()
}

/// One call of a tool.
struct HttpCall {
    agent: CallingAgent,
    engine: Arc<Engine>,
}

impl HttpCall {
    fn open(
        state: &SharedState,
        parts: &Parts,
        client: Option<ClientName>,
    ) -> Result<Self, McpError> {
        let caller = parts.extensions.get::<Caller>();
        let caller = caller.ok_or_else(|| McpError::fault("the request came without its key"))?;
        let agent = read_header(&parts.headers, "x-hardwon-agent")?;
        let project = read_header(&parts.headers, "x-hardwon-project")?;
        let scope = parse_asked_scope(agent, project)
            .map_err(|error| McpError::refused(error.message().to_owned()))?;
        let agent = caller.principal(state, &scope, false);
        let agent = agent.map_err(|error| McpError::refused(error.message().to_owned()))?;
        // A call may be a recall, which somebody has to count.
        state.recalled.note(&agent.scope.tenant);
        let header = read_header(&parts.headers, "x-hardwon-client")?;
        let client = client.or_else(|| ClientName::parse(header?).ok());
        // What it is not told is who; that an agent asked is certain.
        let client = client.or_else(|| ClientName::parse("mcp").ok());
        Ok(Self {
            agent: CallingAgent {
                sessions: Some(state.sessions.for_scope(&agent.scope)),
                principal: agent,
                client,
            },
            engine: Arc::clone(&state.engine),
        })
    }
}

/// Reads a header that may be absent. One that cannot be read is refused: what it names must not be taken for unsaid.
fn read_header<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, McpError> {
    let text = |it: &'a HeaderValue| str::from_utf8(it.as_bytes());
    let read = headers.get(name).map(text).transpose();
    read.map_err(|_| McpError::refused(format!("the header {name} is not UTF-8")))
}

impl CallContext for HttpCall {
    fn agent(&self) -> &CallingAgent {
        &self.agent
    }

    fn open_engine(&self, _: VerbEffect) -> Result<Arc<Engine>, McpError> {
        Ok(Arc::clone(&self.engine))
    }

    fn report_trouble(&self, trouble: &str) {
        log_line(trouble);
    }

    fn hides_faults(&self) -> bool {
        true
    }
}
