//! A database is made and changed when somebody asks for it, and refused with a hint otherwise.

use std::thread;

use hardwon_server::KeyStore;
use hardwon_store::{Store as _, StoreErrorKind};
use hardwon_store_postgres::{PostgresOptions, PostgresStore};
use hardwon_store_suite::{
    OLD_KEY_ROWS, check_old_keys,
    samples::{admitted_lesson, learn_lesson, make_query, make_scope},
};

use crate::server::{ROLE, TestDatabase, server, small_index};

/// Opens a database that cannot be opened, and checks what is said.
fn check_refused(database: &TestDatabase, kind: StoreErrorKind, message: &str, hint: &str) {
    let error = PostgresStore::open(&database.url_for(ROLE), small_index()).unwrap_err();
    let told = error.to_string();
    let told = told.split(" (database").next().unwrap();
    assert_eq!(
        (error.kind(), told, error.hint()),
        (kind, message, Some(hint))
    );
}

/// Makes of the newest tables those of the form 9.
const OLD_KEY_TABLES: &str = include_str!("old_keys.sql");
const HINT: &str = "run `hardwon db migrate` as the owner of the tables";

#[test]
fn a_database_without_tables_is_refused() {
    let Some(server) = server() else { return };
    let told = "opening the database: the database has no store yet";
    let database = server.empty_database();
    let error = PostgresStore::open(&database.url_for(ROLE), small_index()).unwrap_err();
    assert_eq!(
        (error.kind(), error.hint()),
        (StoreErrorKind::NotFound, Some(HINT))
    );
    assert!(error.to_string().starts_with(told), "{error}");
}

#[test]
fn many_migrate_at_once() {
    let Some(server) = server() else { return };
    let database = server.empty_database();
    let url = database.url_for(ROLE);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| PostgresStore::migrate(&url, PostgresOptions::default())))
            .collect();
        for thread in threads {
            thread.join().unwrap().unwrap();
        }
    });
    PostgresStore::migrate(&url, PostgresOptions::default()).unwrap();
    let store = database.open();
    learn_lesson(
        &store,
        admitted_lesson(&make_scope("t", "a", "p"), "use alpha"),
    )
    .unwrap();
}

#[test]
fn another_version_is_refused() {
    let Some(server) = server() else { return };
    let database = server.own_database();
    let set = |what: &str| database.admin(&format!("UPDATE hardwon.schema_version SET {what}"));
    set("version = 99");
    check_refused(
        &database,
        StoreErrorKind::TooNew,
        "opening the database: a newer version of the program made its tables (form 99; this one knows 11)",
        "update hardwon",
    );
    assert_eq!(
        PostgresStore::migrate(&database.url_for(ROLE), PostgresOptions::default())
            .unwrap_err()
            .kind(),
        StoreErrorKind::TooNew
    );
    set("version = 1");
    check_refused(
        &database,
        StoreErrorKind::TooOld,
        "opening the database: a trial version of the program made its tables (form 1)",
        "export its lessons with that program",
    );
    assert_eq!(
        PostgresStore::migrate(&database.url_for(ROLE), PostgresOptions::default())
            .unwrap_err()
            .kind(),
        StoreErrorKind::TooOld
    );
}

/// The form 8 had webhooks.
#[test]
fn an_older_form_is_brought_up_to_date() {
    let Some(server) = server() else { return };
    let database = server.own_database();
    let place = make_scope("t", "a", "p");
    learn_lesson(&database.open(), admitted_lesson(&place, "use alpha")).unwrap();
    database.admin(OLD_KEY_TABLES);
    database.admin(
        "CREATE TABLE hardwon.served_webhook (tenant text NOT NULL, PRIMARY KEY (tenant));
         UPDATE hardwon.schema_version SET version = 8",
    );
    check_refused(
        &database,
        StoreErrorKind::TooOld,
        "opening the database: its tables have form 8, and not form 11",
        HINT,
    );
    database.admin("ALTER TABLE hardwon.served_webhook OWNER TO fleet");
    PostgresStore::migrate(&database.url_for(ROLE), PostgresOptions::default()).unwrap();
    let found = database
        .open()
        .snapshot()
        .unwrap()
        .search(&make_query(&place, "alpha"));
    assert_eq!(found.unwrap().hits.len(), 1);
}

/// The form 9 chained the log of keys.
#[test]
fn old_keys_are_brought_up_to_date() {
    let Some(server) = server() else { return };
    let database = server.own_database();
    database.admin(OLD_KEY_TABLES);
    let rows = OLD_KEY_ROWS.replace("INSERT INTO tenant", "INSERT INTO served_tenant");
    let rows = rows.replace("INSERT INTO secret", "INSERT INTO server_secret");
    let rows = rows.replace("INSERT INTO ", "INSERT INTO hardwon.");
    database.admin(&rows.replace("X'", "'\\x"));
    PostgresStore::migrate(&database.url_for(ROLE), PostgresOptions::default()).unwrap();
    check_old_keys(&KeyStore::new(database.open().keys()));
}

/// Terms and keys that other rules made are made anew, for every tenant.
#[test]
fn other_rules_make_the_index_anew() {
    let Some(server) = server() else { return };
    let database = server.own_database();
    let store = database.open();
    let find = |store: &PostgresStore| {
        ["t", "u"].map(|tenant| {
            let query = make_query(&make_scope(tenant, "a", "p"), "alpha 7");
            store.snapshot().unwrap().search(&query).unwrap()
        })
    };
    for tenant in ["t", "u"] {
        for number in 0..30 {
            let text = format!("use alpha {number}");
            learn_lesson(
                &store,
                admitted_lesson(&make_scope(tenant, "a", "p"), &text),
            )
            .unwrap();
        }
    }
    let before = find(&store);
    assert_eq!(before[0].hits.len(), 20);
    drop(store);
    database.admin(
        "UPDATE hardwon.schema_version SET terms = 0; UPDATE hardwon.lesson SET words = 0;
         DELETE FROM hardwon.index_term; UPDATE hardwon.index_doc SET terms = 'x'",
    );
    check_refused(
        &database,
        StoreErrorKind::TooOld,
        "opening the database: other rules made the terms of its index",
        HINT,
    );
    PostgresStore::migrate(&database.url_for(ROLE), PostgresOptions::default()).unwrap();
    let store = database.open();
    assert_eq!(find(&store), before);
    let twin = learn_lesson(
        &store,
        admitted_lesson(&make_scope("t", "a", "p"), "use alpha 3"),
    );
    assert_eq!(twin.unwrap().0.0, 4, "the duplicate was found");
}
