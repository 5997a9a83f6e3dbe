//! What every request needs: the engine, the keys, the threads, and what is counted.

use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use hardwon_engine::Engine;
use hardwon_mcp::http::HttpOptions;

use crate::{
    ApiError, ApiKeyRecord, Connections, FormerWords, GroupModel, KeyId, KeyStore, LoginLinks,
    Result, ServerConfig, SessionFolders, WorkKind, group_model::ASKING_TIME, key_cache::KeyCache,
    metrics::Metrics, rate_limits::RateLimits, recalled_tenants::RecalledTenants,
    replica_cache::ReplicaCache, requests_under_way::RequestsUnderWay, workers::Workers,
};

/// What the caller of a server brings.
pub struct ServerParts {
    /// The engine over the lessons of all tenants.
    pub engine: Engine,
    /// The keys that let callers in.
    pub keys: Arc<KeyStore>,
    /// Where the state of sessions is kept.
    pub sessions: SessionFolders,
    /// The model that sweeps may ask; without one, nothing is merged by meaning.
    pub group_model: Option<GroupModel>,
}

/// The shared state of all requests.
pub(crate) struct AppState {
    pub(crate) engine: Arc<Engine>,
    pub(crate) keys: Arc<KeyStore>,
    pub(crate) sessions: SessionFolders,
    pub(crate) workers: Workers,
    pub(crate) metrics: Metrics,
    pub(crate) config: ServerConfig,
    /// What is served at `/mcp`, and until when.
    pub(crate) mcp: HttpOptions,
    pub(crate) replicas: ReplicaCache,
    pub(crate) key_cache: KeyCache,
    pub(crate) rate_limits: RateLimits,
    /// Those of the API.
    pub(crate) connections: Connections,
    pub(crate) recalled: RecalledTenants,
    pub(crate) requests_under_way: RequestsUnderWay,
    pub(crate) group_model: Option<GroupModel>,
    pub(crate) login_links: LoginLinks,
    pub(crate) former_words: FormerWords,
    /// Whether the server was told to stop.
    pub(crate) is_stopping: AtomicBool,
}

/// How handlers hold the state.
pub(crate) type SharedState = Arc<AppState>;

impl AppState {
    pub(crate) fn new(parts: ServerParts, config: ServerConfig) -> Self {
        let metrics = Metrics::new();
        Self {
            engine: Arc::new(parts.engine),
            keys: parts.keys,
            sessions: parts.sessions,
            group_model: parts.group_model,
            workers: Workers::new(
                config.readers,
                config.writers,
                config.waiting,
                config.request_timeout,
            ),
            mcp: config.mcp_options(),
            replicas: ReplicaCache::default(),
            key_cache: KeyCache::default(),
            rate_limits: RateLimits::new(config.requests_per_second, config.requests_at_once),
            connections: Connections::new(
                config.max_connections,
                config.header_timeout,
                metrics.turned_away.clone(),
            ),
            metrics,
            recalled: RecalledTenants::default(),
            requests_under_way: RequestsUnderWay::default(),
            login_links: LoginLinks::default(),
            former_words: FormerWords::default(),
            is_stopping: AtomicBool::new(false),
            config,
        }
    }

    /// Finds the record of a key, and remembers it; `None` if there is none.
    pub(crate) fn find_key_record(&self, id: &KeyId) -> Result<Option<Arc<ApiKeyRecord>>> {
        if let Some(record) = self.key_cache.find(id) {
            return Ok(Some(record));
        }
        let generation = self.key_cache.generation();
        let key_record = self.keys.find_key(id)?.map(Arc::new);
        if let Some(record) = &key_record {
            self.key_cache.keep(record, generation);
        }
        Ok(key_record)
    }

    /// Writes all figures, as of now.
    pub(crate) fn render_figures(&self) -> String {
        let count = |it: usize| i64::try_from(it).unwrap_or(i64::MAX);
        self.metrics.waiting.set(count(self.workers.waiting()));
        self.metrics
            .connections
            .set(count(self.connections.count()));
        self.metrics.render()
    }

    /// Returns how long a request may take that may ask the model.
    pub(crate) fn sweep_timeout(&self) -> Duration {
        let answer = self
            .group_model
            .as_ref()
            .map(|group_model| group_model.timeout + ASKING_TIME);
        self.config.request_timeout + answer.unwrap_or_default()
    }

    /// Runs work on a thread, when it is its turn.
    pub(crate) async fn run<T: Send + 'static>(
        self: &Arc<Self>,
        kind: WorkKind,
        work: impl FnOnce(&Self) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let state = Arc::clone(self);
        let result = self.workers.run(kind, move || work(&state)).await;
        result.map_err(ApiError::from)?
    }
}
