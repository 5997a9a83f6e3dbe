//! `/v1/journal` and the history of a lesson.

use hardwon_server::Role;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::client::{Answer, TestServer, limits};

/// Returns an answer without times and digests.
fn told(answer: &Answer) -> String {
    let mut json = answer.json();
    hide(&mut json);
    format!("{} {json}", answer.status)
}

fn hide(json: &mut Value) {
    match json {
        Value::Object(members) => {
            for (name, value) in members {
                match &**name {
                    "at" | "content" | "hash" | "previous" | "remark_hash" | "head" => {
                        *value = "0".into();
                    }
                    "actor" if value.as_str().unwrap().starts_with("key ") => *value = "key".into(),
                    _ => hide(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(hide),
        _ => {}
    }
}

#[test]
fn every_change_is_in_the_journal() {
    let server = TestServer::start();
    let key = server.key(Role::Owner, "acme");
    for number in 1..=2 {
        key.lesson(&json!({"signature": format!("npm {number}"), "lesson_text": format!("Run script {number}.")}));
    }
    key.send(
        "PATCH",
        "/v1/lessons/1",
        r#"{"lesson_text": "Run the first script."}"#,
    );
    key.send("DELETE", "/v1/lessons/2?erase=true", "");
    assert_snapshot!(told(&key.send("GET", "/v1/journal", "")), @r#"200 {"entries":[{"actor":"key","at":"0","content":"0","hash":"0","kind":"add","lesson":1,"previous":"0","sequence":1},{"actor":"key","at":"0","content":"0","hash":"0","kind":"add","lesson":2,"previous":"0","sequence":2},{"actor":"key","at":"0","content":"0","hash":"0","kind":"revise","lesson":1,"previous":"0","remark":"new text","remark_hash":"0","sequence":3},{"actor":"key","at":"0","content":"0","hash":"0","kind":"delete","lesson":2,"previous":"0","sequence":4}]}"#);
    assert_snapshot!(told(&key.send("GET", "/v1/journal?after=3", "")), @r#"200 {"entries":[{"actor":"key","at":"0","content":"0","hash":"0","kind":"delete","lesson":2,"previous":"0","sequence":4}]}"#);
    assert_snapshot!(told(&key.send("GET", "/v1/journal?lesson=1", "")), @r#"200 {"entries":[{"actor":"key","at":"0","content":"0","hash":"0","kind":"add","lesson":1,"previous":"0","sequence":1},{"actor":"key","at":"0","content":"0","hash":"0","kind":"revise","lesson":1,"previous":"0","remark":"new text","remark_hash":"0","sequence":3}]}"#);
    assert_snapshot!(told(&key.send("GET", "/v1/journal/verify", "")), @r#"200 {"entries":4,"head":"0","lessons":1,"sound":true,"troubles":[]}"#);
    assert_snapshot!(told(&key.send("GET", "/v1/lessons/1/history", "")), @r#"200 {"changes":[{"actor":"key","at":"0","kind":"add","sequence":1},{"actor":"key","at":"0","kind":"revise","remark":"new text","sequence":3}],"id":1,"lineage":[{"id":1,"status":"active","title":"Run the first script."}]}"#);
    assert_snapshot!(told(&key.send("GET", "/v1/lessons/2/history", "")), @r#"200 {"changes":[{"actor":"key","at":"0","kind":"add","sequence":2},{"actor":"key","at":"0","kind":"delete","sequence":4}],"id":2,"lineage":[]}"#);
    assert_snapshot!(key.send("GET", "/v1/lessons/3/history", "").told(), @r#"404 {"detail":"lesson not found","error":"lesson not found","status":404,"title":"Not Found"}"#);
    assert_snapshot!(key.send("GET", "/v1/journal?after=x", "").told(), @r#"400 {"detail":"Failed to deserialize query string: after: invalid digit found in string","error":"Failed to deserialize query string: after: invalid digit found in string","status":400,"title":"Bad Request"}"#);
}

#[test]
fn a_journal_is_of_one_whole_tenant() {
    let server = TestServer::start();
    let key = server.key(Role::Owner, "acme");
    key.lesson(&json!({"signature": "npm", "lesson_text": "Run it.", "agent_id": "bob"}));
    key.lesson(&json!({"signature": "npm", "lesson_text": "Run that.", "agent_id": "carol"}));
    let other = server.key(Role::Owner, "umbrella");
    assert_eq!(
        other.send("GET", "/v1/journal", "").json()["entries"],
        json!([])
    );
    assert_eq!(other.send("GET", "/v1/journal?lesson=1", "").status, 404);
    assert_eq!(other.send("GET", "/v1/lessons/1/history", "").status, 404);
    assert_eq!(
        other.send("GET", "/v1/journal/verify", "").json()["entries"],
        0
    );
    let tied = server.key_with(Role::Curator, "acme", limits(&["bob"], &[]));
    assert_eq!(tied.send("GET", "/v1/journal", "").status, 403);
    assert_eq!(tied.send("GET", "/v1/journal/verify", "").status, 403);
    assert_eq!(tied.send("GET", "/v1/journal?lesson=1", "").status, 200);
    assert_eq!(tied.send("GET", "/v1/journal?lesson=2", "").status, 404);
}
