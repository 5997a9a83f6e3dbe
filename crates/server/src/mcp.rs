//! MCP over HTTP at `/mcp`: the tools of `hardwon-mcp`, for whoever a key lets in.
//!
//! The agent and the project are those of the key. A key that is not tied to one may name it in the headers
//! `x-hardwon-agent` and `x-hardwon-project`, which a client sends with every request. A client of an older protocol, whose
//! calls do not say what it is called, may say so in `x-hardwon-client`.

use std::sync::Arc;

use axum::{
    Router,
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, request::Parts},
    middleware::{self, Next},
    response::Response,
};
use hardwon_core::{access::Principal, id::ClientName};
use hardwon_engine::{Engine, sessions::Sessions};
use hardwon_mcp::{CallContext, EngineUse, McpError, http::build_service};

use crate::{
    auth::{Caller, parse_asked_scope},
    error::Result,
    log::log_line,
    state::SharedState,
};

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
    Ok(next.run(request).await)
}

/// One call of a tool.
struct HttpCall {
    agent: Principal,
    sessions: Box<dyn Sessions>,
    client: Option<ClientName>,
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
        let agent = header(&parts.headers, "x-hardwon-agent")?;
        let project = header(&parts.headers, "x-hardwon-project")?;
        let asked = parse_asked_scope(agent, project)
            .map_err(|error| McpError::refused(error.message().to_owned()))?;
        let agent = caller.principal(state, &asked, false);
        let agent = agent.map_err(|error| McpError::refused(error.message().to_owned()))?;
        // A call may be a recall, which somebody has to count.
        state.recalled.note(&agent.scope.tenant);
        let named = header(&parts.headers, "x-hardwon-client")?;
        let client = client.or_else(|| ClientName::parse(named?).ok());
        Ok(Self {
            sessions: state.sessions.for_scope(&agent.scope),
            agent,
            client,
            engine: Arc::clone(&state.engine),
        })
    }
}

/// Reads a header that may be absent. One that cannot be read is refused: what it names must not be taken for unsaid.
fn header<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, McpError> {
    let text = |it: &'a HeaderValue| str::from_utf8(it.as_bytes());
    let read = headers.get(name).map(text).transpose();
    read.map_err(|_| McpError::refused(format!("the header {name} is not UTF-8")))
}

impl CallContext for HttpCall {
    fn agent(&self) -> &Principal {
        &self.agent
    }

    fn client(&self) -> Option<&ClientName> {
        self.client.as_ref()
    }

    fn sessions(&self) -> Option<&dyn Sessions> {
        Some(&*self.sessions)
    }

    fn open_engine(&self, _: EngineUse) -> Result<Arc<Engine>, McpError> {
        Ok(Arc::clone(&self.engine))
    }

    fn report_trouble(&self, trouble: &str) {
        log_line(trouble);
    }

    fn hides_faults(&self) -> bool {
        true
    }
}
