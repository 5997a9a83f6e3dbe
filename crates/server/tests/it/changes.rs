//! What changed in the lessons that a key may recall: all of them, what is new, what is gone, and waiting for it.

use std::time::{Duration, Instant};

use hardwon_core::api_key::Role;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::client::{TestKey, TestServer, limits};

fn note(project: Option<&str>, text: &str) -> Value {
    json!({"agent_id": "builder", "project": project, "signature": "make", "lesson_text": text})
}

/// What a page of changes says, in short.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    lessons: Vec<i64>,
    gone: Vec<i64>,
    reset: bool,
    next: String,
}

fn ask(key: &TestKey<'_>, rest: &str) -> Told {
    let path = format!("/v1/changes?agent_id=builder&project=shop{rest}");
    let answer = key.send("GET", &path, "");
    assert_eq!(answer.status, 200, "{}", answer.body);
    let page = answer.json();
    let numbers = |list: &Value| -> Vec<i64> {
        let list = list.as_array().unwrap().iter();
        list.map(|it| it["id"].as_i64().or(it.as_i64()).unwrap())
            .collect()
    };
    Told {
        lessons: numbers(&page["lessons"]),
        gone: numbers(&page["gone"]),
        reset: page["reset"].as_bool().unwrap(),
        next: page["next"].as_str().unwrap().to_owned(),
    }
}

fn check(told: &Told, lessons: &[i64], gone: &[i64]) {
    assert_eq!((&*told.lessons, &*told.gone), (lessons, gone), "{told:?}");
}

#[test]
fn a_copy_is_kept_up_by_what_changed() {
    let server = TestServer::start();
    let owner = server.key(Role::Owner, "acme");
    let agent = server.key_with(Role::Agent, "acme", limits(&["builder"], &["shop"]));
    let first = owner.lesson(&note(Some("shop"), "Run `make all`."));
    let everywhere = owner.lesson(&note(None, "Read the whole log."));
    let elsewhere = owner.lesson(&note(Some("mill"), "Oil the mill wheel."));

    let all = ask(&agent, "");
    check(&all, &[everywhere, first], &[]);
    assert!(all.reset);
    let since = |told: &Told| format!("&after={}", told.next);
    check(&ask(&agent, &since(&all)), &[], &[]);

    let second = owner.lesson(&note(Some("shop"), "Set `CC=clang` before the build."));
    owner.send(
        "PATCH",
        &format!("/v1/lessons/{elsewhere}"),
        r#"{"lesson_text": "Oil it twice."}"#,
    );
    let grown = ask(&agent, &since(&all));
    check(&grown, &[second], &[]);
    assert!(!grown.reset);

    owner.send("DELETE", &format!("/v1/lessons/{first}"), "");
    owner.send("DELETE", &format!("/v1/lessons/{second}?erase=true"), "");
    let shrunk = ask(&agent, &since(&grown));
    check(&shrunk, &[], &[first, second]);
    check(&ask(&agent, &since(&shrunk)), &[], &[]);
    check(&ask(&agent, ""), &[everywhere], &[]);

    let lost = ask(&agent, "&after=7-0123456789abcdef");
    check(&lost, &[everywhere], &[]);
    assert!(lost.reset, "no such place: all lessons are told");
}

#[test]
fn what_waits_is_told_by_its_number_only() {
    let server = TestServer::start();
    let owner = server.key(Role::Owner, "acme");
    let agent = server.key_with(Role::Agent, "acme", limits(&["builder"], &["shop"]));
    let id = owner.lesson(&note(Some("shop"), "Run `make all`."));
    let all = ask(&agent, "");
    let stale = json!({"verdict": "stale", "agent_id": "builder", "project": "shop"}).to_string();
    let held = owner.send("POST", &format!("/v1/lessons/{id}/feedback"), &stale);
    assert_eq!(held.status, 200, "{}", held.body);
    let path = format!(
        "/v1/changes?agent_id=builder&project=shop&after={}",
        all.next
    );
    let held = agent.send("GET", &path, "");
    assert!(!held.body.contains("make all"), "{}", held.body);
    check(&ask(&agent, &format!("&after={}", all.next)), &[], &[id]);
}

#[test]
fn who_may_not_is_told_nothing() {
    let server = TestServer::start();
    let agent = server.key_with(Role::Agent, "acme", limits(&["builder"], &["shop"]));
    let all = ask(&agent, "");
    let other = server.key(Role::Owner, "globex");
    other.lesson(&note(Some("shop"), "Only for globex."));
    check(&ask(&agent, &format!("&after={}", all.next)), &[], &[]);
    check(&ask(&agent, ""), &[], &[]);
    let mut told = String::new();
    let viewer = server.key(Role::Viewer, "acme");
    for (key, path) in [
        (&agent, "/v1/changes?agent_id=builder&project=mill"),
        (&agent, "/v1/changes?agent_id=gardener&project=shop"),
        (&viewer, "/v1/changes"),
        (&server.operator(), "/v1/changes"),
        (&agent, "/v1/changes?after=12"),
        (&agent, "/v1/changes?wait=soon"),
        (&agent, "/v1/changes?cursor=x"),
    ] {
        told += &format!("{path}\n{}\n", key.send("GET", path, "").told());
    }
    assert_snapshot!(told, @r#"
    /v1/changes?agent_id=builder&project=mill
    403 {"detail":"this key does not reach that project","error":"this key does not reach that project","status":403,"title":"Forbidden"}
    /v1/changes?agent_id=gardener&project=shop
    403 {"detail":"this key does not reach that agent","error":"this key does not reach that agent","status":403,"title":"Forbidden"}
    /v1/changes
    403 {"detail":"a key of role `viewer` may not be used for `recall`","error":"a key of role `viewer` may not be used for `recall`","status":403,"title":"Forbidden"}
    /v1/changes
    403 {"detail":"a key of role `operator` may not be used for `recall`","error":"a key of role `operator` may not be used for `recall`","status":403,"title":"Forbidden"}
    /v1/changes?after=12
    400 {"detail":"this is no `next` of a page","error":"this is no `next` of a page","field":"after","status":400,"title":"Bad Request"}
    /v1/changes?wait=soon
    400 {"detail":"it is no number of seconds","error":"it is no number of seconds","field":"wait","status":400,"title":"Bad Request"}
    /v1/changes?cursor=x
    400 {"detail":"it is no number from 1 on","error":"it is no number from 1 on","field":"cursor","status":400,"title":"Bad Request"}
    "#);
}

#[test]
fn who_waits_is_answered_when_something_changed() {
    let server = TestServer::start();
    let owner = server.key(Role::Owner, "acme");
    let agent = server.key_with(Role::Agent, "acme", limits(&["builder"], &["shop"]));
    let all = ask(&agent, "");
    let wait = format!("&after={}&wait=20", all.next);
    let id = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| (ask(&agent, &wait), Instant::now()));
        // What is nobody's business here wakes nobody.
        owner.lesson(&note(Some("mill"), "Oil the mill wheel."));
        std::thread::sleep(Duration::from_millis(600));
        assert!(!waiting.is_finished(), "another project's lesson");
        let id = owner.lesson(&note(Some("shop"), "Run `make all`."));
        let (told, _) = waiting.join().unwrap();
        check(&told, &[id], &[]);
        id
    });
    assert!(id > 0);
}

#[test]
fn a_server_that_stops_keeps_nobody_waiting() {
    let mut server = TestServer::start();
    let token = {
        let agent = server.key_with(Role::Agent, "acme", limits(&["builder"], &["shop"]));
        agent.token.clone()
    };
    let url = server.url.clone();
    let next = ask(&server.with_token(token.clone()), "").next;
    let waiting = std::thread::spawn(move || {
        let path = format!("{url}/v1/changes?agent_id=builder&project=shop&after={next}&wait=25");
        let call = ureq::get(&path).header("authorization", format!("Bearer {token}"));
        call.call().unwrap().status().as_u16()
    });
    std::thread::sleep(Duration::from_millis(300));
    server.end();
    assert_eq!(waiting.join().unwrap(), 200);
}
