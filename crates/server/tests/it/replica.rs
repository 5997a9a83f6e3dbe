//! The lessons that a key may recall, as a file: what is in it, who gets it, and when it is another.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
};

use hardwon_core::TenantId;
use hardwon_server::Role;
use hardwon_store::{LessonListing, SqliteStore, Store as _};
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::client::{TestKey, TestServer, limits, on_each_store};

const PATH: &str = "/v1/replica?agent_id=builder&project=shop";

fn note(project: Option<&str>, text: &str) -> Value {
    json!({"agent_id": "builder", "project": project, "signature": "make", "lesson_text": text})
}

/// An answer with a file, or without.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    status: u16,
    tag: String,
    bytes: Vec<u8>,
}

fn ask_for(key: &TestKey<'_>, path: &str, known: &[&Told]) -> Told {
    let tags = known.iter().map(|it| format!("W/{}", it.tag));
    let tags = tags.collect::<Vec<_>>().join(", ");
    let (status, headers, bytes) = key.fetch(path, &[("if-none-match", &tags)]);
    let tag = headers
        .get("etag")
        .map(|it| it.to_str().unwrap().to_owned());
    Told {
        status,
        tag: tag.unwrap_or_default(),
        bytes,
    }
}

fn ask(key: &TestKey<'_>, known: &[&Told]) -> Told {
    ask_for(key, PATH, known)
}

/// Returns the numbers of the lessons in a file, the newest first.
fn list(told: &Told, tenant: &str) -> Vec<i64> {
    assert_eq!(told.status, 200);
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), &told.bytes).unwrap();
    let store = SqliteStore::open_reader(file.path()).unwrap();
    let reader = store.snapshot().unwrap();
    let tenant = TenantId::parse(tenant).unwrap();
    let found = reader.lessons(&tenant, &LessonListing::default());
    found.unwrap().iter().map(|it| it.id.0).collect()
}

fn has(told: &Told, words: &str) -> bool {
    let mut windows = told.bytes.windows(words.len());
    windows.any(|it| it == words.as_bytes())
}

/// Neither the numbers of lessons that it never saw, nor that there was a change.
#[test]
fn a_file_has_what_the_key_may_recall_and_is_the_same_until_that_changes() {
    on_each_store(|| {
        let server = TestServer::start();
        let owner = server.key(Role::Owner, "acme");
        let agent = server.key_with(Role::Agent, "acme", limits(&["builder"], &["shop"]));
        let first = owner.lesson(&note(Some("shop"), "Run `make all`."));
        let everywhere = owner.lesson(&note(None, "Read the whole log."));
        let mill = owner.lesson(&note(Some("mill"), "Oil the mill wheel."));
        let other = owner.lesson(&json!({
            "agent_id": "gardener", "project": "shop", "signature": "hoe", "lesson_text": "Hoe on Mondays.",
        }));
        let all = ask(&agent, &[]);
        assert_eq!(list(&all, "acme"), [everywhere, first]);
        assert!(!has(&all, "mill wheel") && !has(&all, "Mondays"));
        for erased in [mill, other] {
            let path = format!("/v1/lessons/{erased}?erase=true");
            assert_eq!(owner.send("DELETE", &path, "").status, 200);
        }
        // Neither here nor at another server over the same store.
        let beside = server.start_beside();
        for server in [&server, &beside] {
            assert_eq!(ask(&agent.at(server), &[]), all);
            let same = ask(&agent.at(server), &[&all]);
            assert_eq!(
                (same.status, &same.tag, same.bytes.len()),
                (304, &all.tag, 0)
            );
        }
        let second = owner.lesson(&note(Some("shop"), "Set `CC=clang` before the build."));
        let grown = ask(&agent, &[&all]);
        assert_eq!(list(&grown, "acme"), [second, everywhere, first]);
        assert_eq!(ask(&agent, &[&all, &grown]).status, 304);
        owner.send("DELETE", &format!("/v1/lessons/{first}"), "");
        owner.send("DELETE", &format!("/v1/lessons/{second}?erase=true"), "");
        for server in [&server, &beside] {
            let shrunk = ask(&agent.at(server), &[&all, &grown]);
            assert_eq!(list(&shrunk, "acme"), [everywhere]);
            assert!(!has(&shrunk, "make all") && !has(&shrunk, "clang"));
        }
    });
}

#[test]
fn what_waits_is_in_no_byte() {
    let server = TestServer::start();
    let owner = server.key(Role::Owner, "acme");
    let agent = server.key_with(Role::Agent, "acme", limits(&["builder"], &["shop"]));
    let id = owner.lesson(&note(Some("shop"), "Run `make all`."));
    assert!(has(&ask(&agent, &[]), "make all"));
    let stale = json!({"verdict": "stale", "agent_id": "builder", "project": "shop"}).to_string();
    let held = owner.send("POST", &format!("/v1/lessons/{id}/feedback"), &stale);
    assert_eq!(held.status, 200, "{}", held.body);
    let after = ask(&agent, &[]);
    assert!(!has(&after, "make all"));
    assert_eq!(list(&after, "acme"), [] as [i64; 0]);
}

/// Also if all that they ask for is called the same, and was packed a moment ago.
#[test]
fn no_key_gets_the_file_of_another() {
    let server = TestServer::start();
    let names = || limits(&["builder"], &["shop"]);
    let keys = ["acme", "globex"].map(|it| server.key_with(Role::Agent, it, names()));
    let owners = ["acme", "globex"].map(|it| server.key(Role::Owner, it));
    owners[0].lesson(&note(Some("shop"), "Only for the wheelwrights."));
    owners[1].lesson(&note(Some("shop"), "Only for the millers."));
    for _ in 0..2 {
        let (acme, globex) = (ask(&keys[0], &[]), ask(&keys[1], &[]));
        assert!(has(&acme, "wheelwrights") && !has(&acme, "millers") && !has(&acme, "globex"));
        assert!(has(&globex, "millers") && !has(&globex, "wheelwrights"));
        // What one of them was told says nothing to the other, nor to another key of the same tenant.
        assert_eq!(ask(&keys[1], &[&acme]).status, 200);
        let twin = server.key_with(Role::Agent, "acme", names());
        assert_eq!(ask(&twin, &[&acme]).status, 200);
    }
    let whole = server.key(Role::Agent, "acme");
    let everywhere = ask_for(&whole, "/v1/replica?agent_id=builder", &[]);
    assert_eq!(list(&everywhere, "acme"), [] as [i64; 0]);
}

#[test]
fn who_may_not_gets_nothing() {
    let server = TestServer::start();
    let agent = server.key_with(Role::Agent, "acme", limits(&["builder"], &["shop"]));
    let viewer = server.key(Role::Viewer, "acme");
    let mut told = String::new();
    for (key, path) in [
        (&agent, "/v1/replica?agent_id=builder&project=mill"),
        (&agent, "/v1/replica?agent_id=gardener&project=shop"),
        (&viewer, "/v1/replica"),
        (&server.operator(), "/v1/replica"),
        (&agent, "/v1/replica?agent_id="),
    ] {
        told += &format!("{path}\n{}\n", key.send("GET", path, "").told());
    }
    assert_snapshot!(told, @r#"
    /v1/replica?agent_id=builder&project=mill
    403 {"detail":"this key does not reach that project","error":"this key does not reach that project","status":403,"title":"Forbidden"}
    /v1/replica?agent_id=gardener&project=shop
    403 {"detail":"this key does not reach that agent","error":"this key does not reach that agent","status":403,"title":"Forbidden"}
    /v1/replica
    403 {"detail":"a key of role `viewer` may not be used for `recall`","error":"a key of role `viewer` may not be used for `recall`","status":403,"title":"Forbidden"}
    /v1/replica
    403 {"detail":"a key of role `operator` may not be used for `recall`","error":"a key of role `operator` may not be used for `recall`","status":403,"title":"Forbidden"}
    /v1/replica?agent_id=
    400 {"detail":"an agent must not be empty","error":"an agent must not be empty","field":"agent_id","status":400,"title":"Bad Request"}
    "#);
    let known = ask(&agent, &[]);
    assert_eq!(ask(&agent, &[&known]).status, 304);
    let owner = server.key(Role::Owner, "acme");
    let revoked = owner.send("DELETE", &format!("/v1/keys/{}", agent.id()), "");
    assert_eq!(revoked.status, 200, "{}", revoked.body);
    let after = ask(&agent, &[&known]);
    assert_eq!((after.status, after.tag.as_str()), (401, ""));
}

#[test]
fn a_file_travels_compressed_to_who_can_read_that() {
    let server = TestServer::start();
    let owner = server.key(Role::Owner, "acme");
    for number in 0..20 {
        owner.lesson(&note(
            Some("shop"),
            &format!("Run step {number} of the build alone."),
        ));
    }
    // Our client unpacks what it gets, so the bytes that travel are looked at.
    let travel = |encoding: &str| {
        let mut stream = TcpStream::connect(server.url.strip_prefix("http://").unwrap()).unwrap();
        let request = format!(
            "GET {PATH} HTTP/1.1\r\nhost: test\r\nconnection: close\r\naccept-encoding: {encoding}\r\n\
             authorization: Bearer {}\r\n\r\n",
            owner.token
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let is_packed = answer.windows(22).any(|it| it == b"content-encoding: gzip");
        (is_packed, answer.len())
    };
    let (packed, plain) = (travel("gzip"), travel("identity"));
    assert!(
        packed.0 && !plain.0 && packed.1 * 2 < plain.1,
        "{packed:?} {plain:?}"
    );
    assert!(ask(&owner, &[]).bytes.starts_with(b"SQLite format 3\0"));
}
