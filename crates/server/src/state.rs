//! What every request needs: the engine, the keys, the threads, and what is counted.

use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use hardwon_core::id::AgentId;
use hardwon_engine::Engine;
use hardwon_store::keys::KeyStore;

use crate::{
    ServerConfig, SessionFolders,
    auth::KeyCache,
    error::{ApiError, Result},
    housekeeping::RecalledTenants,
    login_links::LoginLinks,
    metrics::Metrics,
    workers::{WorkKind, Workers},
};

/// What the caller of a server brings.
pub struct ServerParts {
    /// The engine over the lessons of all tenants.
    pub engine: Engine,
    /// The keys that let callers in.
    pub keys: Arc<dyn KeyStore>,
    /// Where the state of sessions is kept.
    pub sessions: SessionFolders,
}

/// The shared state of all requests.
pub(crate) struct AppState {
    pub(crate) engine: Engine,
    pub(crate) keys: Arc<dyn KeyStore>,
    pub(crate) sessions: SessionFolders,
    pub(crate) workers: Workers,
    pub(crate) metrics: Metrics,
    pub(crate) default_agent: AgentId,
    pub(crate) request_timeout: Duration,
    pub(crate) key_cache: KeyCache,
    pub(crate) recalled: RecalledTenants,
    pub(crate) login_links: LoginLinks,
    /// Whether the server was told to stop.
    pub(crate) is_stopping: AtomicBool,
}

/// How handlers hold the state.
pub(crate) type SharedState = Arc<AppState>;

impl AppState {
    pub(crate) fn new(parts: ServerParts, config: &ServerConfig) -> Self {
        Self {
            engine: parts.engine,
            keys: parts.keys,
            sessions: parts.sessions,
            workers: Workers::new(
                config.readers,
                config.writers,
                config.waiting,
                config.request_timeout,
            ),
            metrics: Metrics::new(),
            default_agent: config.default_agent.clone(),
            request_timeout: config.request_timeout,
            key_cache: KeyCache::default(),
            recalled: RecalledTenants::default(),
            login_links: LoginLinks::default(),
            is_stopping: AtomicBool::new(false),
        }
    }

    /// Runs a look-up on a thread.
    pub(crate) async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.run(WorkKind::Read, work).await
    }

    /// Runs a change on a thread, when it is its turn.
    pub(crate) async fn write<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.run(WorkKind::Write, work).await
    }

    async fn run<T: Send + 'static>(
        self: &Arc<Self>,
        kind: WorkKind,
        work: impl FnOnce(&Self) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let state = Arc::clone(self);
        let done = self.workers.run(kind, move || work(&state)).await;
        done.map_err(ApiError::from)?
    }
}
