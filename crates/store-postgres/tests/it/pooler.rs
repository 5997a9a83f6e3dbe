//! The contract through PgBouncer, which gives each transaction another connection.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Child, Stdio},
    thread,
    time::Duration,
};

use hardwon_server::KeyStore;
use hardwon_store::Store;
use hardwon_store_postgres::{PostgresOptions, PostgresStore, Preparation};
use hardwon_store_suite::{CASES, KEY_CASES, MakeStore, SESSION_CASES};
use tempfile::TempDir;

use crate::{
    contract::StoreOfTest,
    server::{ROLE, TestServer, is_root, run, server, small_index, unprivileged},
};

fn find_pooler() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain(["/usr/sbin".into()]);
    folders
        .map(|it| it.join("pgbouncer"))
        .find(|it| it.exists())
}

/// A pooler that ends with the test.
struct Pooler {
    folder: TempDir,
    process: Child,
}

impl Drop for Pooler {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        drop(self.process.wait());
    }
}

impl Pooler {
    fn start(program: &Path, server: &TestServer) -> Self {
        let folder = TempDir::with_prefix("hardwon-pooler-").unwrap();
        let at = folder.path().display();
        let target = server.socket_dir().display();
        let settings = format!(
            "[databases]\n* = host={target}\n[pgbouncer]\npool_mode = transaction\nlisten_port = 6432\n\
             listen_addr =\nunix_socket_dir = {at}\nauth_type = trust\nauth_file = {at}/users\n\
             default_pool_size = 6\nmax_client_conn = 100\n"
        );
        fs::write(folder.path().join("settings"), settings).unwrap();
        fs::write(folder.path().join("users"), format!("\"{ROLE}\" \"\"\n")).unwrap();
        if is_root() {
            run(std::process::Command::new("chown")
                .args(["-R", "nobody"])
                .arg(folder.path()));
        }
        let keep = r#""$0" -q "$1" & pid=$!; cat > /dev/null; kill -TERM $pid; wait $pid"#;
        let mut shell = unprivileged(Path::new("/bin/sh"));
        shell
            .args(["-c", keep])
            .arg(program)
            .arg(folder.path().join("settings"));
        shell
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let process = shell.spawn().unwrap();
        let pooler = Self { folder, process };
        for _ in 0..200 {
            if pooler.folder.path().join(".s.PGSQL.6432").exists() {
                return pooler;
            }
            thread::sleep(Duration::from_millis(50));
        }
        panic!("the pooler did not start");
    }

    fn url(&self, database: &str) -> String {
        let at = self.folder.path().display();
        format!("host={at} port=6432 user={ROLE} dbname={database}")
    }
}

fn keep_contract(make: MakeStore<'_>) {
    for (says, tell) in CASES {
        println!("{says}");
        tell(make);
    }
}

#[test]
fn the_contract_is_kept_through_a_pooler() {
    let Some(server) = server() else { return };
    let Some(program) = find_pooler() else {
        println!("no pgbouncer on this machine");
        return;
    };
    let pooler = Pooler::start(&program, server);
    let options = PostgresOptions {
        preparation: Preparation::None,
        ..small_index()
    };
    keep_contract(&|| -> Box<dyn Store> {
        let database = server.database();
        let store = PostgresStore::open(&pooler.url(database.name()), options.clone()).unwrap();
        Box::new(StoreOfTest::new(store, database))
    });
    for (says, tell) in KEY_CASES {
        println!("{says}");
        let database = server.database();
        let store = PostgresStore::open(&pooler.url(database.name()), options.clone()).unwrap();
        tell(&KeyStore::new(store.keys()));
    }
    for (says, tell) in SESSION_CASES {
        println!("{says}");
        let database = server.database();
        let store = PostgresStore::open(&pooler.url(database.name()), options.clone()).unwrap();
        tell(&|| Box::new(store.sessions()));
    }
}
