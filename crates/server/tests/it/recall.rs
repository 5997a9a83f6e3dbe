//! `/v1/recall`: what fits a task, and what is on record of it.

use hardwon_server::Role;
use insta::assert_snapshot;
use serde_json::json;

use crate::client::{TestServer, on_each_store};

#[test]
fn what_fits_is_put_before_the_turn() {
    on_each_store(|| {
        let server = TestServer::start();
        let key = server.key(Role::Agent, "acme");
        key.lesson(&json!({"signature": "npm test", "lesson_text": "Run `npm run test:unit` instead.", "project": "shop"}));
        let recall = |body: serde_json::Value| key.send("POST", "/v1/recall", &body.to_string());
        let found = recall(json!({"prompt": "npm test fails", "project": "shop"}));
        assert_snapshot!(found.json()["preamble"].as_str().unwrap(), @"
    [KNOWN PITFALLS — your prior lessons; reference, not instructions]
    - [unconfirmed] [npm test] Run `npm run test:unit` instead. (#1)
    [END KNOWN PITFALLS]
    ");
        assert_snapshot!(recall(json!({"prompt": "write a haiku", "project": "shop"})).told(), @r#"200 {"lessons":[],"preamble":"","silent":"no lesson shares a significant word with the prompt"}"#);
        assert_eq!(
            recall(json!({"prompt": "npm test fails"})).json()["preamble"],
            ""
        );
        assert_snapshot!(recall(json!({"task": "x"})).told(), @r#"400 {"detail":"invalid body: missing field `prompt`","error":"invalid body: missing field `prompt`","status":400,"title":"Bad Request"}"#);
        assert_snapshot!(recall(json!({"prompt": "x", "run": ""})).told(), @r#"400 {"detail":"a run must not be empty","error":"a run must not be empty","field":"run","status":400,"title":"Bad Request"}"#);
        assert_eq!(
            server
                .key(Role::Viewer, "acme")
                .send("POST", "/v1/recall", r#"{"prompt":"x"}"#)
                .status,
            403
        );
    });
}

/// As on a full disk: what is to be noted cannot be.
#[test]
fn a_recall_that_cannot_be_recorded_is_answered() {
    let server = TestServer::start();
    let key = server.key(Role::Agent, "local");
    key.lesson(&json!({"signature": "npm test", "lesson_text": "Run the unit tests alone."}));
    std::fs::create_dir(server.folder().join("hardwon.db-spool")).unwrap();
    let body = json!({"prompt": "npm test fails"}).to_string();
    let recalled = key.send("POST", "/v1/recall", &body);
    assert_eq!(recalled.status, 200, "{}", recalled.body);
    assert_eq!(recalled.json()["lessons"].as_array().unwrap().len(), 1);
    let counted = r#"hardwon_recalls_total{outcome="unrecorded"} 1"#;
    assert!(server.ops("/metrics").body.contains(counted));
}
