//! A server of its own for a test, and requests to it as a client writes them.

use std::{
    cell::Cell,
    net::Ipv4Addr,
    path::{Path, PathBuf},
    sync::Arc,
    thread::JoinHandle,
    time::Duration,
};

use hardwon_core::{Actor, AgentId, KeyName, ProjectId, TenantId};
use hardwon_engine::{Engine, Policy, SystemClock};
use hardwon_server::KeyStore;
use hardwon_server::{
    ApiKey, ApiKeyRecord, KeyGrant, KeyKind, KeyLimits, KeyOrder, KeyReach, Role,
    api_key::KEY_ENTROPY_BYTES,
};
use hardwon_server::{GroupModel, LoginLinks, Server, ServerConfig, ServerParts, SessionFolders};
use hardwon_store::{SqliteKeyDatabase, SqliteStore};
use jiff::Timestamp;
use serde_json::Value;
use tokio::sync::oneshot;

use crate::postgres::{self, TestDatabase};

/// A running server, which stops when this is dropped.
pub(crate) struct TestServer {
    pub(crate) url: String,
    pub(crate) ops_url: String,
    keys: Arc<KeyStore>,
    /// The database, if it is not on files.
    database: Option<Arc<TestDatabase>>,
    login_links: LoginLinks,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    folder: Arc<tempfile::TempDir>,
}

thread_local! {
    /// Whether the story that this thread tells has its servers on a database.
    static IS_ON_DATABASE: Cell<bool> = const { Cell::new(false) };
}

/// Tells a story with its servers on files, and once more on a database where there is a PostgreSQL server.
pub(crate) fn on_each_store(story: impl Fn()) {
    let server = postgres::server();
    // What is expected is the same on both.
    insta::allow_duplicates! {
        story();
        if server.is_some() {
            eprintln!("the same on a database");
            IS_ON_DATABASE.set(true);
            story();
            IS_ON_DATABASE.set(false);
        }
    }
}

fn keys_in_memory() -> KeyStore {
    KeyStore::new(SqliteKeyDatabase::in_memory().unwrap())
}

fn make_order() -> KeyOrder {
    KeyOrder {
        at: Timestamp::now(),
        by: Actor::person(),
        reach: KeyReach::Server,
    }
}

/// Returns a database of its own for a story that is told on one.
fn find_database() -> Option<TestDatabase> {
    let server = IS_ON_DATABASE.get().then(postgres::server).flatten()?;
    Some(server.database())
}

impl TestServer {
    pub(crate) fn start() -> Self {
        Self::start_with(ServerConfig::default())
    }

    pub(crate) fn start_with(config: ServerConfig) -> Self {
        Self::start_anew(config, None)
    }

    /// Starts a server that may ask a model.
    pub(crate) fn start_with_model(model: GroupModel) -> Self {
        Self::start_anew(ServerConfig::default(), Some(model))
    }

    fn start_anew(config: ServerConfig, model: Option<GroupModel>) -> Self {
        let folder = Arc::new(tempfile::tempdir().unwrap());
        match find_database() {
            Some(database) => Self::start_on_database(folder, Arc::new(database), config, model),
            None => {
                let keys = Arc::new(keys_in_memory());
                Self::start_on_files(folder, keys, config, model)
            }
        }
    }

    /// Starts another server on the files and keys of this one; one on a database shares nothing but that.
    pub(crate) fn start_beside(&self) -> Self {
        self.start_beside_with(ServerConfig::default())
    }

    pub(crate) fn start_beside_with(&self, config: ServerConfig) -> Self {
        match &self.database {
            Some(database) => {
                let folder = Arc::new(tempfile::tempdir().unwrap());
                Self::start_on_database(folder, Arc::clone(database), config, None)
            }
            None => {
                let (folder, keys) = (Arc::clone(&self.folder), Arc::clone(&self.keys));
                Self::start_on_files(folder, keys, config, None)
            }
        }
    }

    fn start_on_files(
        folder: Arc<tempfile::TempDir>,
        keys: Arc<KeyStore>,
        config: ServerConfig,
        group_model: Option<GroupModel>,
    ) -> Self {
        let store = SqliteStore::open(&folder.path().join("hardwon.db")).unwrap();
        let parts = ServerParts {
            engine: Engine::new(Box::new(store), Policy::default(), Box::new(SystemClock)),
            keys,
            sessions: SessionFolders::new(&folder.path().join("sessions")),
            group_model,
        };
        Self::start_parts(parts, folder, None, config)
    }

    fn start_on_database(
        folder: Arc<tempfile::TempDir>,
        database: Arc<TestDatabase>,
        config: ServerConfig,
        group_model: Option<GroupModel>,
    ) -> Self {
        let store = database.open();
        let keys = Arc::new(KeyStore::new(store.keys()));
        let sessions = SessionFolders::new(&folder.path().join("sessions"));
        let parts = ServerParts {
            sessions: sessions.in_store(Arc::new(store.sessions())),
            engine: Engine::new(Box::new(store), Policy::default(), Box::new(SystemClock)),
            keys,
            group_model,
        };
        Self::start_parts(parts, folder, Some(database), config)
    }

    fn start_parts(
        parts: ServerParts,
        folder: Arc<tempfile::TempDir>,
        database: Option<Arc<TestDatabase>>,
        config: ServerConfig,
    ) -> Self {
        let keys = Arc::clone(&parts.keys);
        let free = (Ipv4Addr::LOCALHOST, 0).into();
        let config = ServerConfig {
            listen: free,
            ops_listen: free,
            stop_notice: Duration::ZERO,
            ..config
        };
        let server = Server::bind(config, parts).unwrap();
        let url = format!("http://{}", server.address().unwrap());
        let ops_url = format!("http://{}", server.ops_address().unwrap());
        let login_links = server.login_links();
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Runtime::new().unwrap();
            let until = async { stopped.await.unwrap_or_default() };
            runtime.block_on(server.run(until)).unwrap();
        });
        Self {
            url,
            ops_url,
            keys,
            database,
            login_links,
            stop: Some(stop),
            thread: Some(thread),
            folder,
        }
    }

    /// Makes a link that opens the page for whoever holds a key.
    pub(crate) fn make_login_path(&self, key: &TestKey<'_>) -> String {
        let key = ApiKey::parse(&key.token).unwrap();
        self.login_links.make_path(key.id(), None).unwrap()
    }

    /// Adds a key of whoever runs the server.
    pub(crate) fn operator_key(&self) -> String {
        let key = ApiKey::from_entropy(KeyKind::Operator, random_bytes());
        let grant = KeyGrant::new(Role::Operator, None, KeyLimits::default()).unwrap();
        let name = KeyName::parse("a test").unwrap();
        let record = ApiKeyRecord::new(&key, grant, name, Timestamp::now(), None);
        self.add_key(&record);
        key.reveal()
    }

    /// Opens its store beside it, to put in what takes an agent weeks.
    pub(crate) fn open_store(&self) -> SqliteStore {
        SqliteStore::open(&self.folder.path().join("hardwon.db")).unwrap()
    }

    /// Sends a request as a browser does, and follows no redirect.
    pub(crate) fn browse(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Answer {
        send(&format!("{}{path}", self.url), method, headers, body)
    }

    /// Adds a key without limits, and its tenant if there is none.
    pub(crate) fn key(&self, role: Role, tenant: &str) -> TestKey<'_> {
        self.key_with(role, tenant, KeyLimits::default())
    }

    pub(crate) fn key_with(&self, role: Role, tenant: &str, limits: KeyLimits) -> TestKey<'_> {
        let tenant = TenantId::parse(tenant).unwrap();
        if self.keys.find_tenant(&tenant).unwrap().is_none() {
            self.keys.add_tenant(&make_order(), &tenant).unwrap();
        }
        let key = ApiKey::from_entropy(KeyKind::Tenant, random_bytes());
        let grant = KeyGrant::new(role, Some(tenant), limits).unwrap();
        let name = KeyName::parse("a test").unwrap();
        let record = ApiKeyRecord::new(&key, grant, name, Timestamp::now(), None);
        self.add_key(&record);
        TestKey {
            server: self,
            token: key.reveal(),
        }
    }

    /// Adds an operator's key.
    pub(crate) fn operator(&self) -> TestKey<'_> {
        let key = ApiKey::from_entropy(KeyKind::Operator, random_bytes());
        let grant = KeyGrant::new(Role::Operator, None, KeyLimits::default()).unwrap();
        let name = KeyName::parse("an operator").unwrap();
        let record = ApiKeyRecord::new(&key, grant, name, Timestamp::now(), None);
        self.add_key(&record);
        self.with_token(key.reveal())
    }

    /// Sends with a key that was got in some other way.
    pub(crate) fn with_token(&self, token: String) -> TestKey<'_> {
        TestKey {
            server: self,
            token,
        }
    }

    fn add_key(&self, record: &ApiKeyRecord) {
        self.keys.add_key(&make_order(), record).unwrap();
    }

    /// Returns the folder of the server's files.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns every file that the server keeps, with its content.
    pub(crate) fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut folders = vec![self.folder.path().to_owned()];
        let mut files = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let content = std::fs::read(&path).unwrap();
                    files.push((path, content));
                }
            }
        }
        files
    }

    /// Sends a request without a key.
    pub(crate) fn send(&self, method: &str, path: &str, body: &str) -> Answer {
        send(&format!("{}{path}", self.url), method, &[], body)
    }

    /// Asks the second listener.
    pub(crate) fn ops(&self, path: &str) -> Answer {
        send(&format!("{}{path}", self.ops_url), "GET", &[], "")
    }

    /// Stops it and waits for its end.
    pub(crate) fn stop(mut self) {
        self.end();
    }

    pub(crate) fn end(&mut self) {
        if let (Some(stop), Some(thread)) = (self.stop.take(), self.thread.take()) {
            stop.send(()).ok();
            thread.join().unwrap();
        }
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.end();
    }
}

/// A key, to send requests with.
pub(crate) struct TestKey<'s> {
    server: &'s TestServer,
    pub(crate) token: String,
}

impl TestKey<'_> {
    pub(crate) fn send(&self, method: &str, path: &str, body: &str) -> Answer {
        send(
            &format!("{}{path}", self.server.url),
            method,
            &[("authorization", &format!("Bearer {}", self.token))],
            body,
        )
    }

    /// Sends a request that has a name, so that it may be repeated.
    pub(crate) fn send_named(&self, name: &str, path: &str, body: &str) -> Answer {
        let authorization = format!("Bearer {}", self.token);
        let headers = [
            ("authorization", &*authorization),
            ("idempotency-key", name),
        ];
        send(
            &format!("{}{path}", self.server.url),
            "POST",
            &headers,
            body,
        )
    }

    /// Returns the same key for another server on the same keys.
    pub(crate) fn at<'o>(&self, server: &'o TestServer) -> TestKey<'o> {
        TestKey {
            server,
            token: self.token.clone(),
        }
    }

    /// Fetches something with headers, and returns the status, the headers and the bytes of the answer.
    pub(crate) fn fetch(
        &self,
        path: &str,
        headers: &[(&str, &str)],
    ) -> (u16, ureq::http::HeaderMap, Vec<u8>) {
        let url = format!("{}{path}", self.server.url);
        let authorization = format!("Bearer {}", self.token);
        let headers = [&[("authorization", &*authorization)], headers].concat();
        let mut answer = run(&url, "GET", &headers, b"");
        let bytes = answer.body_mut().read_to_vec().unwrap();
        (answer.status().as_u16(), answer.headers().clone(), bytes)
    }

    /// Returns the public part of the key.
    pub(crate) fn id(&self) -> String {
        ApiKey::parse(&self.token).unwrap().id().to_string()
    }

    /// Records a lesson, and returns its number.
    pub(crate) fn lesson(&self, body: &Value) -> i64 {
        let added = self.send("POST", "/v1/lessons", &body.to_string());
        assert_eq!(added.status, 201, "{}", added.body);
        added.json()["lesson"]["id"].as_i64().unwrap()
    }
}

/// What was answered.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: ureq::http::HeaderMap,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |it| it.to_str().unwrap())
    }

    /// Returns status and body for a snapshot: times are written `0`.
    pub(crate) fn told(&self) -> String {
        let body = match serde_json::from_str::<Value>(&self.body) {
            Ok(mut json) => {
                hide_times(&mut json);
                json.to_string()
            }
            Err(_) => self.body.clone(),
        };
        format!("{} {body}", self.status)
    }
}

fn hide_times(json: &mut Value) {
    match json {
        Value::Object(members) => {
            for (name, value) in members {
                if name.ends_with("_at") && value.is_number() {
                    *value = 0.into();
                } else {
                    hide_times(value);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(hide_times),
        _ => {}
    }
}

fn send(url: &str, method: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let mut answer = run(url, method, headers, body.as_bytes());
    Answer {
        status: answer.status().as_u16(),
        headers: answer.headers().clone(),
        body: answer.body_mut().read_to_string().unwrap(),
    }
}

fn run(
    url: &str,
    method: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> ureq::http::Response<ureq::Body> {
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .allow_non_standard_methods(true)
        .build()
        .into();
    let mut request = ureq::http::Request::builder().method(method).uri(url);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    match body {
        [] => agent.run(request.body(()).unwrap()),
        body => agent.run(request.body(body).unwrap()),
    }
    .unwrap()
}

fn random_bytes() -> [u8; KEY_ENTROPY_BYTES] {
    use std::hash::{BuildHasher as _, RandomState};
    std::array::from_fn(|at| RandomState::new().hash_one(at).to_le_bytes()[0])
}

/// Ties a key to agents and projects.
pub(crate) fn limits(agents: &[&str], projects: &[&str]) -> KeyLimits {
    KeyLimits {
        agents: agents
            .iter()
            .map(|it| AgentId::parse(it).unwrap())
            .collect(),
        projects: projects
            .iter()
            .map(|it| ProjectId::parse(it).unwrap())
            .collect(),
    }
}
