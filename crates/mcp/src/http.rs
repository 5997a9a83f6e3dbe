//! The tools over Streamable HTTP, as a service for a server to mount.
//!
//! No session outlives a request, in any version of the protocol: each brings its key along, so any process
//! behind a load balancer can answer it. Which hosts and origins are served is checked here, against pages in
//! a browser that had its names resolved anew (DNS rebinding). Who calls is not: whoever mounts the service lets
//! nobody through without a key, and [`build_service`] is given what makes a call's context of the request that
//! was let in.

use std::sync::Arc;

use ::http::request::Parts;
use hardwon_core::{ClientName, limits};
use rmcp::transport::{
    StreamableHttpServerConfig, StreamableHttpService,
    streamable_http_server::session::never::NeverSessionManager,
};
use tokio_util::sync::CancellationToken;

use crate::{CallContext, LessonServer, McpDoor, McpError, McpRequest, Result};

/// The tools as a `tower` service, for any body; it takes every path that it is mounted at.
pub type LessonHttpService<F> =
    StreamableHttpService<LessonServer<HttpDoor<F>>, NeverSessionManager>;

/// What is served over HTTP, and until when.
#[derive(Debug, Clone, Default)]
pub struct HttpOptions {
    /// The names under which the server is reached, such as `lessons.example.com`, with or without a port. Without any,
    /// they are those of this machine: `localhost`, `127.0.0.1` and `::1`.
    pub hosts: Vec<String>,
    /// The origins of the pages in a browser that may call, such as `https://example.com:443`, with `*` for any port.
    /// Without any, no page may. A client that is no browser names no origin and needs none.
    pub origins: Vec<String>,
    /// To be cancelled once the calls under way have had their time: no answer is waited for any longer, though what
    /// was begun is still carried out, and requests that come after fail.
    pub shutdown: CancellationToken,
}

/// Builds the service.
///
/// `make_context` is called for each call, on a thread where it may block, with what was left of the request once its
/// body was read (a server puts there, as an extension, whom it has let in) and with what the client calls itself.
/// Why it cannot make a context, it says to the agent.
pub fn build_service<F, C>(make_context: F, options: HttpOptions) -> LessonHttpService<F>
where
    F: Fn(&Parts, Option<ClientName>) -> Result<C> + Send + Sync + 'static,
    C: CallContext + 'static,
{
    let server = LessonServer::new(HttpDoor {
        make_context: Arc::new(make_context),
    });
    StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(NeverSessionManager::default()),
        build_config(options),
    )
}

fn build_config(options: HttpOptions) -> StreamableHttpServerConfig {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(limits::MCP_REQUEST_BYTES)
        .with_allowed_origins(options.origins)
        .enforce_origin_validation()
        .with_cancellation_token(options.shutdown);
    // To the SDK, no names at all mean any name.
    if options.hosts.is_empty() {
        config
    } else {
        config.with_allowed_hosts(options.hosts)
    }
}

/// The door that makes each call's context of its HTTP request.
pub struct HttpDoor<F> {
    make_context: Arc<F>,
}

impl<F> Clone for HttpDoor<F> {
    fn clone(&self) -> Self {
        Self {
            make_context: Arc::clone(&self.make_context),
        }
    }
}

impl<F, C> McpDoor for HttpDoor<F>
where
    F: Fn(&Parts, Option<ClientName>) -> Result<C> + Send + Sync + 'static,
    C: CallContext + 'static,
{
    /// The request without its body.
    type Origin = Option<Parts>;
    type Context = C;

    async fn find_origin(&self, request: &McpRequest) -> Option<Parts> {
        request.extensions.get::<Parts>().cloned()
    }

    /// Before 2026-07-28 a client says its name in a request of its own, which nobody remembers: the SDK would name itself.
    fn name_client(&self, request: &McpRequest) -> Option<ClientName> {
        let client = request.meta.client_info()?;
        ClientName::parse(&client.name).ok()
    }

    fn open_call(&self, parts: Option<Parts>, client: Option<ClientName>) -> Result<C> {
        let parts = parts.ok_or_else(|| McpError::fault("the call came without its request"))?;
        (self.make_context)(&parts, client)
    }
}
