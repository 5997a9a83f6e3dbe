//! What becomes of a transaction when something is in its way: a collision, a connection that breaks before its commit,
//! and one that breaks during it.

use std::{
    cell::Cell,
    io::{Read as _, Write as _},
    os::unix::net::{UnixListener, UnixStream},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use hardwon_core::{Actor, LessonId};
use hardwon_server::{KeyOrder, KeyReach, KeyStore};
use hardwon_store::{LessonListing, RecallListing, Result, Store, StoreErrorKind};
use hardwon_store_postgres::{PostgresOptions, PostgresStore};
use hardwon_store_suite::samples::{
    admitted_lesson, commit_work, learn_in_transaction, learn_lesson, make_scope, sample_recall,
    tenant_id, time_at,
};
use tempfile::TempDir;

use crate::server::{ROLE, TestDatabase, server, small_index};

/// Learns one lesson, and calls `before` inside the transaction each time its work runs; returns how often it ran.
fn learn(store: &dyn Store, text: &str, before: &dyn Fn(u32)) -> (Result<LessonId>, u32) {
    let runs = Cell::new(0);
    let learned = commit_work(store, &tenant_id("t"), |transaction| {
        runs.set(runs.get() + 1);
        before(runs.get());
        let lesson = admitted_lesson(&make_scope("t", "a", "p"), text);
        Ok(learn_in_transaction(transaction, lesson, 9, time_at(0))?.0)
    });
    (learned, runs.get())
}

fn count_lessons(store: &dyn Store) -> usize {
    let snapshot = store.snapshot().unwrap();
    snapshot
        .lessons(&tenant_id("t"), &LessonListing::default())
        .unwrap()
        .len()
}

/// Makes the first statements that append to the journal collide with nobody.
fn make_collisions(database: &TestDatabase, state: &str, count: u32) {
    database.admin(&format!(
        "CREATE SEQUENCE public.tries;
         CREATE FUNCTION public.collide() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             IF nextval('public.tries') <= {count} THEN
                 RAISE EXCEPTION 'in the way' USING ERRCODE = '{state}';
             END IF;
             RETURN NEW;
         END $$;
         CREATE TRIGGER collide BEFORE INSERT ON hardwon.journal
             FOR EACH ROW EXECUTE FUNCTION public.collide();
         GRANT ALL ON SEQUENCE public.tries TO {ROLE}"
    ));
}

#[test]
fn work_is_run_again_after_a_collision() {
    let Some(server) = server() else { return };
    for state in ["40001", "40P01"] {
        let database = server.own_database();
        make_collisions(&database, state, 2);
        let store = database.open();
        store
            .spool_recall(&sample_recall(&make_scope("t", "a", "p"), &[]))
            .unwrap();
        let (learned, runs) = learn(&store, "use alpha", &|_| {});
        assert_eq!((learned.unwrap(), runs), (LessonId(1), 3), "{state}");
        assert_eq!(count_lessons(&store), 1);
        let recalls = store
            .snapshot()
            .unwrap()
            .recalls(&tenant_id("t"), &RecallListing::default());
        assert_eq!(recalls.unwrap().len(), 1);
    }
}

#[test]
fn work_that_always_collides_is_given_up() {
    let Some(server) = server() else { return };
    let database = server.own_database();
    make_collisions(&database, "40001", 1000);
    let store = database.open();
    store
        .spool_recall(&sample_recall(&make_scope("t", "a", "p"), &[]))
        .unwrap();
    let (learned, runs) = learn(&store, "use alpha", &|_| {});
    assert_eq!(
        (learned.unwrap_err().kind(), runs),
        (StoreErrorKind::Busy, 6)
    );
    assert_eq!(count_lessons(&store), 0);
    database.admin("DROP TRIGGER collide ON hardwon.journal");
    assert_eq!(store.flush(&tenant_id("t")).unwrap().recalls, 1);
}

/// An error of the statement itself is no reason to try again.
#[test]
fn work_that_is_refused_is_not_run_again() {
    let Some(server) = server() else { return };
    let database = server.own_database();
    make_collisions(&database, "23514", 1000);
    let (learned, runs) = learn(&database.open(), "use alpha", &|_| {});
    assert_eq!((learned.unwrap_err().kind(), runs), (StoreErrorKind::Io, 1));
}

#[test]
fn work_is_run_again_when_its_connection_breaks() {
    let Some(server) = server() else { return };
    let database = server.database();
    let store = database.open();
    let cut = |run: u32| {
        if run < 3 {
            database.admin(&format!(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                 WHERE datname = '{}' AND pid <> pg_backend_pid()",
                database.name()
            ));
        }
    };
    let (learned, runs) = learn(&store, "use alpha", &cut);
    assert_eq!((learned.unwrap(), runs), (LessonId(1), 3));
    assert_eq!(count_lessons(&store), 1);
}

/// What a proxy does with the next commit.
#[derive(Debug, Clone, Copy)]
enum Fault {
    /// Cuts the connection in place of passing the commit on.
    Before,
    /// Passes it on, and cuts the connection in place of passing the answer on.
    After,
}

/// A way to the server that breaks at a commit, once.
struct Proxy {
    folder: TempDir,
    is_armed: Arc<AtomicBool>,
}

impl Proxy {
    fn start(server_dir: &Path, fault: Fault) -> Self {
        let folder = TempDir::with_prefix("hardwon-proxy-").unwrap();
        let listener = UnixListener::bind(socket_path(folder.path())).unwrap();
        let is_armed = Arc::new(AtomicBool::new(false));
        let (armed, target) = (Arc::clone(&is_armed), socket_path(server_dir));
        thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server) = (client.unwrap(), UnixStream::connect(&target).unwrap());
                let armed = Arc::clone(&armed);
                thread::spawn(move || pass_on(&client, &server, &armed, fault));
            }
        });
        Self { folder, is_armed }
    }

    /// Opens the store of a database by this way.
    fn open(&self, database: &TestDatabase) -> PostgresStore {
        let way = self.folder.path().display();
        let url = format!("host={way} user={ROLE} dbname={}", database.name());
        PostgresStore::open(&url, small_index()).unwrap()
    }
}

fn socket_path(folder: &Path) -> PathBuf {
    folder.join(".s.PGSQL.5432")
}

/// Passes a connection's bytes on in both directions.
fn pass_on(client: &UnixStream, server: &UnixStream, is_armed: &AtomicBool, fault: Fault) {
    let is_cut = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut buffer = vec![0; 1 << 20];
            while let Some(data) = read_some(server, &mut buffer) {
                // A server that cannot answer gives up, so it is listened to until it has committed.
                let is_over = if is_cut.load(Ordering::SeqCst) {
                    has_commit(data)
                } else {
                    (&mut &*client).write_all(data).is_err()
                };
                if is_over {
                    break;
                }
            }
            drop(client.shutdown(std::net::Shutdown::Both));
        });
        let mut buffer = vec![0; 1 << 20];
        while let Some(data) = read_some(client, &mut buffer) {
            if has_commit(data) && is_armed.swap(false, Ordering::SeqCst) {
                is_cut.store(true, Ordering::SeqCst);
                if matches!(fault, Fault::Before) {
                    break;
                }
            }
            if (&mut &*server).write_all(data).is_err() {
                break;
            }
        }
        drop(server.shutdown(std::net::Shutdown::Both));
    });
}

/// Returns whether bytes hold the command to commit, or the answer to it.
fn has_commit(data: &[u8]) -> bool {
    data.windows(7).any(|it| it == b"COMMIT\0")
}

fn read_some<'b>(mut from: &UnixStream, buffer: &'b mut [u8]) -> Option<&'b [u8]> {
    let length = from.read(buffer).ok().filter(|it| *it > 0)?;
    Some(&buffer[..length])
}

/// Loses the connection during a commit. The lesson is there once, and so is a recall that was counted with it.
fn check_lost_commit(fault: Fault, expected_runs: u32) {
    let Some(server) = server() else { return };
    let database = server.database();
    let proxy = Proxy::start(server.socket_dir(), fault);
    let store = proxy.open(&database);
    learn_lesson(
        &store,
        admitted_lesson(&make_scope("t", "a", "p"), "use beta"),
    )
    .unwrap();
    store
        .spool_recall(&sample_recall(&make_scope("t", "a", "p"), &[LessonId(1)]))
        .unwrap();
    proxy.is_armed.store(true, Ordering::SeqCst);
    let (learned, runs) = learn(&store, "use alpha", &|_| {});
    assert_eq!(
        (learned.unwrap(), runs),
        (LessonId(2), expected_runs),
        "{fault:?}"
    );
    assert!(!proxy.is_armed.load(Ordering::SeqCst), "no commit was seen");
    assert_eq!(count_lessons(&store), 2);
    let snapshot = store.snapshot().unwrap();
    let first = snapshot
        .lesson(&tenant_id("t"), LessonId(1))
        .unwrap()
        .unwrap();
    assert_eq!(first.counts.shown, 1);
    assert_eq!(store.flush(&tenant_id("t")).unwrap().recalls, 0);
}

#[test]
fn a_commit_that_did_not_arrive_is_made_again() {
    check_lost_commit(Fault::Before, 2);
}

#[test]
fn a_commit_whose_answer_was_lost_is_not_made_again() {
    check_lost_commit(Fault::After, 1);
}

/// Loses the connection while a tenant is erased. The receipt says what there was, however often the work ran.
fn check_lost_erasure(fault: Fault) {
    let Some(server) = server() else { return };
    let database = server.database();
    let proxy = Proxy::start(server.socket_dir(), fault);
    let store = proxy.open(&database);
    for text in ["use alpha", "use beta"] {
        assert!(learn(&store, text, &|_| {}).0.is_ok());
    }
    let place = make_scope("t", "a", "p");
    store.spool_recall(&sample_recall(&place, &[])).unwrap();
    proxy.is_armed.store(true, Ordering::SeqCst);
    let erased = store.erase_tenant(&place.tenant).unwrap();
    assert!(!proxy.is_armed.load(Ordering::SeqCst), "no commit was seen");
    let told = (erased.journal_head.sequence, erased.lessons, erased.recalls);
    assert_eq!(told, (2, 2, 1), "{fault:?}");
    assert_eq!(count_lessons(&store), 0);
    let (learned, _) = learn(&store, "use alpha", &|_| {});
    assert_eq!(learned.unwrap(), LessonId(1));
}

#[test]
fn a_tenant_is_erased_once_whatever_breaks() {
    check_lost_erasure(Fault::Before);
    check_lost_erasure(Fault::After);
}

/// Loses the connection while a tenant is added. That is done once, and in the log once.
fn check_lost_order(fault: Fault) {
    let Some(server) = server() else { return };
    let database = server.database();
    let proxy = Proxy::start(server.socket_dir(), fault);
    let keys = KeyStore::new(proxy.open(&database).keys());
    let add = |name: &str| {
        let order = KeyOrder {
            at: time_at(0),
            by: Actor::person(),
            reach: KeyReach::Server,
        };
        keys.add_tenant(&order, &tenant_id(name)).unwrap()
    };
    add("t");
    proxy.is_armed.store(true, Ordering::SeqCst);
    assert_eq!(add("u").id, tenant_id("u"), "{fault:?}");
    assert!(!proxy.is_armed.load(Ordering::SeqCst), "no commit was seen");
    assert!(keys.find_tenant(&tenant_id("u")).unwrap().is_some());
    let report = keys.verify().unwrap();
    assert_eq!((report.entries, report.faults), (2, Vec::new()));
}

#[test]
fn an_order_takes_place_once_whatever_breaks() {
    check_lost_order(Fault::Before);
    check_lost_order(Fault::After);
}

/// Keys are found again by a connection that broke since it was last used.
#[test]
fn a_key_is_found_after_the_connections_broke() {
    let Some(server) = server() else { return };
    let database = server.own_database();
    let keys = KeyStore::new(database.open().keys());
    let find = || keys.find_tenant(&tenant_id("t")).unwrap();
    assert_eq!(find(), None);
    database.admin(&format!(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = '{}' AND pid <> pg_backend_pid()",
        database.name()
    ));
    assert_eq!(find(), None);
}

#[test]
fn roots_that_are_none_are_refused() {
    for roots in [
        "",
        "no certificate",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    ] {
        let options = PostgresOptions {
            tls_roots: Some(roots.as_bytes().to_vec()),
            ..small_index()
        };
        let url = "postgres://u:hunter2@localhost:1/d?sslmode=verify-full";
        let error = PostgresStore::open(url, options).unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Invalid, "{roots}: {error}");
        assert!(!format!("{error} {error:?}").contains("hunter2"));
    }
}

/// A server that does not encrypt is not spoken to where encryption is asked for.
#[test]
fn a_server_without_encryption_is_refused_where_it_is_asked_for() {
    let Some(server) = server() else { return };
    let database = server.database();
    let url = format!("{} sslmode=require", database.url_for(ROLE));
    assert!(PostgresStore::open(&url, small_index()).is_err());
}

#[test]
fn a_server_that_is_not_there_is_told() {
    let folder = TempDir::new().unwrap();
    let url = format!(
        "host={} user=nobody password=hunter2",
        folder.path().display()
    );
    let error = PostgresStore::open(&url, small_index()).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Unreachable);
    let told = format!("{error} {error:?}");
    assert!(
        told.contains("opening the database") && !told.contains("hunter2"),
        "{told}"
    );
}
