//! What changed in the lessons that a key may recall: all of them, what is new, what is gone, and waiting for it.

use std::time::{Duration, Instant};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use hardwon_core::api_key::Role;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::client::{TestKey, TestServer, limits, on_each_store};

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
    let long = format!("/v1/changes?after={}", "x".repeat(65));
    let mut told = String::new();
    let viewer = server.key(Role::Viewer, "acme");
    for (key, path) in [
        (&agent, "/v1/changes?agent_id=builder&project=mill"),
        (&agent, "/v1/changes?agent_id=gardener&project=shop"),
        (&viewer, "/v1/changes"),
        (&server.operator(), "/v1/changes"),
        (&agent, &*long),
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
    /v1/changes?after=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
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

/// Neither the numbers of lessons that it never saw, nor that there was a change.
#[test]
fn a_key_learns_nothing_of_what_it_may_not_see() {
    on_each_store(|| {
        let server = TestServer::start();
        let owner = server.key(Role::Owner, "acme");
        let agent = server.key_with(Role::Agent, "acme", limits(&["builder"], &["shop"]));
        let everywhere = owner.lesson(&note(None, "Read the whole log."));
        let mill = owner.lesson(&note(Some("mill"), "Oil the mill wheel."));
        let other = owner.lesson(&json!({
            "agent_id": "gardener", "project": "shop", "signature": "hoe", "lesson_text": "Hoe on Mondays.",
        }));
        let all = ask(&agent, "");
        check(&all, &[everywhere], &[]);
        for erased in [mill, other] {
            let path = format!("/v1/lessons/{erased}?erase=true");
            assert_eq!(owner.send("DELETE", &path, "").status, 200);
        }
        let since = ask(&agent, &format!("&after={}", all.next));
        check(&since, &[], &[]);
        // A place says no number and no hash, is no other key's to read, and is another each time.
        let decoded = URL_SAFE_NO_PAD.decode(&all.next).unwrap();
        assert_eq!(decoded.len(), 44, "{}", all.next);
        assert_ne!(ask(&agent, "").next, ask(&agent, "").next);
        let foreign = server.key_with(Role::Agent, "globex", limits(&["builder"], &["shop"]));
        let elsewhere = ask(&foreign, &format!("&after={}", all.next));
        assert!(elsewhere.reset);
        // What it saw and may not see any more it is told of, by whichever server.
        let beside = server.start_beside();
        let path = format!("/v1/lessons/{everywhere}?erase=true");
        assert_eq!(owner.send("DELETE", &path, "").status, 200);
        let told = ask(&agent.at(&beside), &format!("&after={}", since.next));
        check(&told, &[], &[everywhere]);
        assert!(!told.reset);
    });
}
