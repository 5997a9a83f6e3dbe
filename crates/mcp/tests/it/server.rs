//! A server as small as one can be: a listener on this machine, keys in a table, one engine for all calls.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use ::http::request::Parts;
use axum::{Router, extract::Request, middleware::Next, response::Response};
use hardwon_api::v1::verbs::VerbEffect;
use hardwon_core::{ProjectId, Scope};
use hardwon_engine::{Engine, FileSessions, Policy, Principal, SystemClock, access::Rights};
use hardwon_mcp::{
    CallContext, CallingAgent, McpError,
    http::{HttpOptions, build_service},
};
use hardwon_store::SqliteStore;
use tempfile::TempDir;
use tokio::net::TcpListener;

/// A server that listens, until the runtime ends.
pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    pub(crate) desk: ServerDesk,
    _folder: TempDir,
}

/// What all calls share.
#[derive(Clone)]
pub(crate) struct ServerDesk {
    pub(crate) engine: Arc<Engine>,
    pub(crate) sessions: FileSessions,
    /// What the server would write into its log.
    pub(crate) log: Arc<Mutex<Vec<String>>>,
}

/// Whom the server let in.
#[derive(Clone)]
struct Admitted(Principal);

/// One call by a key.
struct KeyCall {
    agent: CallingAgent,
    desk: ServerDesk,
}

impl CallContext for KeyCall {
    fn agent(&self) -> &CallingAgent {
        &self.agent
    }

    fn open_engine(&self, _: VerbEffect) -> Result<Arc<Engine>, McpError> {
        match self
            .agent
            .principal
            .scope
            .project
            .as_ref()
            .map(ProjectId::as_str)
        {
            Some("broken") => Err(McpError::fault("opening /srv/lessons.db: the disk is full")),
            _ => Ok(Arc::clone(&self.desk.engine)),
        }
    }

    fn report_trouble(&self, trouble: &str) {
        self.desk.log.lock().unwrap().push(trouble.to_owned());
    }

    fn hides_faults(&self) -> bool {
        true
    }
}

pub(crate) fn project_scope(name: &str) -> Scope {
    Scope {
        project: ProjectId::parse(name).ok(),
        ..Scope::default()
    }
}

/// Reads whose key it is: `KIND-PROJECT`.
fn read_key(request: &Request) -> Option<Principal> {
    let header = request.headers().get("authorization")?.to_str().ok()?;
    let (kind, project) = header.strip_prefix("Bearer ")?.split_once('-')?;
    let scope = project_scope(project);
    match kind {
        "agent" => Some(Principal::agent(scope, false)),
        "reader" => Some(Principal {
            rights: Rights::Read,
            ..Principal::agent(scope, false)
        }),
        "person" => Some(Principal::person(scope)),
        _ => None,
    }
}

async fn admit(mut request: Request, next: Next) -> Response {
    let principal = read_key(&request).unwrap();
    request.extensions_mut().insert(Admitted(principal));
    next.run(request).await
}

impl TestServer {
    pub(crate) async fn start(options: HttpOptions) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("lessons.db")).unwrap();
        let engine = Engine::new(Box::new(store), Policy::default(), Box::new(SystemClock));
        let desk = ServerDesk {
            engine: Arc::new(engine),
            sessions: FileSessions::new(folder.path()),
            log: Arc::default(),
        };
        let shared = desk.clone();
        let make_call = move |parts: &Parts, client| {
            let Admitted(agent) = parts.extensions.get::<Admitted>().unwrap();
            let sessions = Box::new(shared.sessions.clone());
            Ok(KeyCall {
                agent: CallingAgent {
                    principal: agent.clone(),
                    client,
                    sessions: Some(sessions),
                },
                desk: shared.clone(),
            })
        };
        let router = Router::new()
            .nest_service("/mcp", build_service(make_call, options))
            .layer(axum::middleware::from_fn(admit));
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(axum::serve(listener, router).into_future());
        Self {
            address,
            desk,
            _folder: folder,
        }
    }
}
