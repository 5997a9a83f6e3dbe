//! A PostgreSQL server for the tests: found on the machine, started once for all of them, gone when they are.
//!
//! Where there is none, tests that need it are left out and say so; `HARDWON_DEMAND_POSTGRES=1` makes that a failure.
//! `HARDWON_TEST_PG_BIN` names the folder of its programs.

use std::{
    env, fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Mutex, OnceLock,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::Duration,
};

use hardwon_store_postgres::{PostgresOptions, PostgresStore};
use tempfile::TempDir;
use tokio_postgres::{NoTls, Row};

/// A running server.
pub(crate) struct TestServer {
    socket_dir: PathBuf,
    databases: AtomicU32,
    /// Migrated databases that no test uses now.
    free: Mutex<Vec<String>>,
    /// Ends the server when its input does, which is when this process ends.
    _keeper: Child,
    _folder: TempDir,
}

/// The role of the store: it owns its databases and is no superuser, so the wall between tenants holds for it.
pub(crate) const ROLE: &str = "fleet";
/// The superuser, whom the wall does not hold.
pub(crate) const ADMIN: &str = "postgres";

/// Returns the server; `None` if there is none on this machine.
pub(crate) fn server() -> Option<&'static TestServer> {
    static SERVER: OnceLock<Option<TestServer>> = OnceLock::new();
    SERVER.get_or_init(start).as_ref()
}

fn start() -> Option<TestServer> {
    let Some(programs) = find_programs() else {
        let left_out =
            "no PostgreSQL server on this machine: the tests of its store are left out\n";
        assert!(
            env::var_os("HARDWON_DEMAND_POSTGRES").is_none(),
            "{left_out}"
        );
        // Not a print, which would be captured.
        io::stderr().write_all(left_out.as_bytes()).unwrap();
        return None;
    };
    let folder = TempDir::with_prefix("hardwon-pg-").unwrap();
    let data = folder.path().join("data");
    if is_root() {
        run(Command::new("chown").arg("nobody").arg(folder.path()));
    }
    let mut init = unprivileged(&programs.join("initdb"));
    init.args([
        "--auth=trust",
        "--no-sync",
        "--encoding=UTF8",
        "--locale=C",
        "-U",
        ADMIN,
        "-D",
    ]);
    run(init.arg(&data));
    let keeper = start_kept(&programs.join("postgres"), &data, folder.path());
    let server = TestServer {
        socket_dir: folder.path().to_owned(),
        databases: AtomicU32::new(0),
        free: Mutex::default(),
        _keeper: keeper,
        _folder: folder,
    };
    server.await_ready();
    server.admin(&format!("CREATE ROLE {ROLE} LOGIN"));
    Some(server)
}

/// Starts the server, with a shell beside it that ends it once this process has ended, however it does.
fn start_kept(postgres: &Path, data: &Path, socket_dir: &Path) -> Child {
    let keep = r#""$@" & pid=$!; cat > /dev/null; kill -QUIT $pid; wait $pid; rm -rf "$0""#;
    let mut shell = unprivileged(Path::new("/bin/sh"));
    shell
        .args(["-c", keep])
        .arg(socket_dir)
        .arg(postgres)
        .arg("-D")
        .arg(data)
        .arg("-k")
        .arg(socket_dir);
    for setting in [
        "listen_addresses=",
        "fsync=off",
        "max_connections=300",
        "log_min_messages=fatal",
    ] {
        shell.args(["-c", setting]);
    }
    shell
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    shell.spawn().unwrap()
}

fn find_programs() -> Option<PathBuf> {
    if let Some(named) = env::var_os("HARDWON_TEST_PG_BIN") {
        return Some(named.into());
    }
    let versions = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten();
    let debian = versions.map(|it| it.path().join("bin"));
    let path = env::var_os("PATH").unwrap_or_default();
    let mut found: Vec<PathBuf> = debian.chain(env::split_paths(&path)).collect();
    found.retain(|it| it.join("initdb").exists() && it.join("postgres").exists());
    found.into_iter().max()
}

pub(crate) fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|it| it.stdout.starts_with(b"0\n"))
}

/// A command that runs as somebody whom PostgreSQL accepts: it refuses the superuser of the machine.
pub(crate) fn unprivileged(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("runuser");
    command.args(["-u", "nobody", "--"]).arg(program);
    command.current_dir("/");
    command
}

pub(crate) fn run(command: &mut Command) {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
}

/// A database of one test, free for the next one afterwards.
pub(crate) struct TestDatabase {
    server: &'static TestServer,
    name: String,
    is_reusable: bool,
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        if self.is_reusable {
            self.server.free.lock().unwrap().push(self.name.clone());
        }
    }
}

impl TestDatabase {
    /// Returns where the database is, for this role.
    pub(crate) fn url_for(&self, role: &str) -> String {
        self.server.url(role, &self.name)
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Opens a store on it.
    pub(crate) fn open(&self) -> PostgresStore {
        self.open_with(small_index())
    }

    pub(crate) fn open_with(&self, options: PostgresOptions) -> PostgresStore {
        PostgresStore::open(&self.url_for(ROLE), options).unwrap()
    }

    /// Runs statements as the superuser.
    pub(crate) fn admin(&self, sql: &str) {
        simple_query(&self.url_for(ADMIN), sql);
    }
}

/// Options with which few lessons make long lists in many chunks.
pub(crate) fn small_index() -> PostgresOptions {
    PostgresOptions {
        connections: 8,
        fresh_words: 12,
        short_bytes: 12,
        chunk_bytes: 30,
        ..PostgresOptions::default()
    }
}

impl TestServer {
    pub(crate) fn url(&self, role: &str, database: &str) -> String {
        format!(
            "host={} user={role} dbname={database}",
            self.socket_dir.display()
        )
    }

    /// Runs statements as the superuser.
    pub(crate) fn admin(&self, sql: &str) {
        simple_query(&self.url(ADMIN, "postgres"), sql);
    }

    fn await_ready(&self) {
        let url = self.url(ADMIN, "postgres");
        for _ in 0..600 {
            if try_query(&url, "SELECT 1").is_ok() {
                return;
            }
            thread::sleep(Duration::from_millis(50));
        }
        panic!("the server did not start");
    }

    /// Returns the folder of the server's socket.
    pub(crate) fn socket_dir(&self) -> &Path {
        &self.socket_dir
    }

    /// Returns a migrated database that no other test will use.
    pub(crate) fn own_database(&'static self) -> TestDatabase {
        let database = self.empty_database();
        PostgresStore::migrate(&database.url_for(ROLE), PostgresOptions::default()).unwrap();
        database
    }

    /// Makes a database without tables, which no other test will use.
    pub(crate) fn empty_database(&'static self) -> TestDatabase {
        let name = format!("test_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        self.admin(&format!("CREATE DATABASE {name} OWNER {ROLE}"));
        TestDatabase {
            server: self,
            name,
            is_reusable: false,
        }
    }

    /// Returns a database with empty tables.
    pub(crate) fn database(&'static self) -> TestDatabase {
        let free = self.free.lock().unwrap().pop();
        let Some(name) = free else {
            let mut database = self.own_database();
            database.is_reusable = true;
            return database;
        };
        let database = TestDatabase {
            server: self,
            name,
            is_reusable: true,
        };
        let tables = "SELECT string_agg(format('hardwon.%I', tablename), ', ') FROM pg_tables
             WHERE schemaname = 'hardwon' AND tablename <> 'schema_version'";
        let tables = query(&database.url_for(ADMIN), tables);
        let tables: String = tables[0].get(0);
        database.admin(&format!("TRUNCATE {tables}"));
        database
    }
}

/// Runs statements on a connection of their own.
pub(crate) fn simple_query(url: &str, sql: &str) {
    try_query(url, sql).unwrap();
}

fn try_query(url: &str, sql: &str) -> Result<(), tokio_postgres::Error> {
    on_connection(url, async |client| client.batch_execute(sql).await)
}

/// Returns what a statement selects, on a connection of its own.
pub(crate) fn query(url: &str, sql: &str) -> Vec<Row> {
    on_connection(url, async |client| client.query(sql, &[]).await).unwrap()
}

fn on_connection<T>(
    url: &str,
    work: impl AsyncFnOnce(&tokio_postgres::Client) -> Result<T, tokio_postgres::Error>,
) -> Result<T, tokio_postgres::Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(async {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
        let served = tokio::spawn(connection);
        let done = work(&client).await;
        drop(client);
        served.await.unwrap()?;
        done
    })
}
