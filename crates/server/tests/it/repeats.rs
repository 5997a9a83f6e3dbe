//! Requests that are sent again with the same `Idempotency-Key`.

use std::thread;

use hardwon_server::Role;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::client::{TestKey, TestServer, limits};

fn lesson_body(text: &str) -> String {
    json!({"signature": "npm test", "lesson_text": text}).to_string()
}

fn count_lessons(key: &TestKey<'_>) -> usize {
    let listed = key.send("GET", "/v1/lessons", "").json();
    listed["lessons"].as_array().unwrap().len()
}

/// Sends a request twice, and checks that the second one got the answer of the first.
fn check_repeated(key: &TestKey<'_>, path: &str, body: &str) -> Value {
    let name = format!("name of {path}");
    let name = name.replace([' ', '/'], "-");
    let first = key.send_named(&name, path, body);
    assert!(first.status < 300, "{path}: {}", first.told());
    assert_eq!(first.header("idempotency-replayed"), "", "{path}");
    let again = key.send_named(&name, path, body);
    assert_eq!(again.header("idempotency-replayed"), "true", "{path}");
    assert_eq!(
        (again.status, &again.body, again.header("content-type")),
        (first.status, &first.body, first.header("content-type")),
        "{path}"
    );
    first.json()
}

#[test]
fn a_repeated_request_gets_the_answer_of_the_first() {
    let server = TestServer::start();
    let key = server.key(Role::Owner, "acme");
    let body = lesson_body("Run `npm run test:unit` instead.");
    let added = check_repeated(&key, "/v1/lessons", &body);
    let id = added["lesson"]["id"].as_i64().unwrap();
    let evidence = |id: i64| {
        let shown = key.send("GET", &format!("/v1/lessons/{id}"), "").json();
        shown["lesson"]["evidence"].as_array().unwrap().len()
    };
    assert_eq!((count_lessons(&key), evidence(id)), (1, 1));
    let judged = check_repeated(
        &key,
        &format!("/v1/lessons/{id}/feedback"),
        r#"{"verdict":"wrong"}"#,
    );
    assert_eq!(judged["wrong"], 1, "{judged}");
    check_repeated(
        &key,
        "/v1/writ",
        r#"{"text":"/lesson the gate: Close the gate after the sheep."}"#,
    );
    assert_eq!(count_lessons(&key), 2);
    check_repeated(&key, "/v1/outcomes", r#"{"run":"r1","status":"completed"}"#);
    let operator = server.operator();
    check_repeated(&operator, "/v1/tenants", r#"{"tenant":"orchard"}"#);
    // The name may be written as a string of structured fields.
    let quoted = key.send_named("\"name-of--v1-lessons\"", "/v1/lessons", &body);
    assert_eq!(quoted.header("idempotency-replayed"), "true");
}

#[test]
fn a_name_stands_for_one_request_of_one_key() {
    let server = TestServer::start();
    let key = server.key(Role::Owner, "acme");
    let first = lesson_body("Run `npm run test:unit` instead.");
    let other = lesson_body("Mind the trailing slash.");
    assert_eq!(key.send_named("k", "/v1/lessons", &first).status, 201);
    assert_snapshot!(key.send_named("k", "/v1/lessons", &other).told(), @r#"422 {"detail":"this idempotency key was used for another request","error":"this idempotency key was used for another request","status":422,"title":"Unprocessable Entity"}"#);
    assert_eq!(key.send_named("k", "/v1/writ", &first).status, 422);
    assert_eq!(key.send_named("l", "/v1/lessons", &other).status, 201);
    let colleague = server.key(Role::Owner, "acme");
    let theirs = colleague.send_named("k", "/v1/lessons", &other);
    assert_eq!(
        (theirs.status, theirs.header("idempotency-replayed")),
        (201, "")
    );
    assert_snapshot!(key.send_named("two words", "/v1/lessons", &first).told(), @r#"400 {"detail":"Idempotency-Key: an idempotency key consists of visible ASCII characters other than quotes and backslashes","error":"Idempotency-Key: an idempotency key consists of visible ASCII characters other than quotes and backslashes","status":400,"title":"Bad Request"}"#);
    assert_eq!(
        key.send_named(&"k".repeat(256), "/v1/lessons", &first)
            .status,
        400
    );
    // Whoever has no key learns nothing of names.
    let stranger = server.with_token("hwk_x".to_owned());
    assert_eq!(stranger.send_named("k", "/v1/lessons", &first).status, 401);
}

#[test]
fn a_request_that_did_nothing_may_be_made_again() {
    let server = TestServer::start();
    let key = server.key(Role::Owner, "acme");
    for path in ["/v1/lessons", "/v1/keys", "/v1/observe"] {
        assert_eq!(key.send_named("k", path, "{}").status, 400, "{path}");
    }
    let body = lesson_body("Run `npm run test:unit` instead.");
    let done = key.send_named("k", "/v1/lessons", &body);
    assert_eq!(
        (done.status, done.header("idempotency-replayed")),
        (201, "")
    );
}

#[test]
fn a_report_that_is_repeated_counts_once() {
    let server = TestServer::start();
    let key = server.key_with(Role::Agent, "acme", limits(&["gardener"], &["orchard"]));
    let report = |run: &str| {
        let failed = json!({"type": "tool", "tool": "fetch", "args": "https://shop.example/prices",
            "status": "error", "error": "403 forbidden"});
        json!({"session": run, "events": [failed]}).to_string()
    };
    let kept = || {
        let files = server.files().into_iter();
        let of_runs = files.filter(|(path, _)| path.starts_with(server.folder().join("sessions")));
        of_runs
            .map(|(_, content)| {
                String::from_utf8_lossy(&content)
                    .matches("403 forbidden")
                    .count()
            })
            .sum::<usize>()
    };
    check_repeated(&key, "/v1/observe", &report("r1"));
    assert_eq!(kept(), 1);
    // Without a name it is another report, and the run goes round in a circle.
    let told = key.send("POST", "/v1/observe", &report("r1"));
    assert_eq!(
        (told.json()["nudges"][0]["kind"].as_str(), kept()),
        (Some("loop"), 2)
    );
}

#[test]
fn a_secret_is_in_no_answer_that_is_kept() {
    let server = TestServer::start();
    let owner = server.key(Role::Owner, "acme");
    let body = r#"{"role":"agent","name":"builder"}"#;
    let made = owner.send_named("k", "/v1/keys", body);
    assert_eq!(made.status, 201, "{}", made.body);
    let (text, id) = (made.json()["key"].clone(), made.json()["id"].clone());
    let (text, id) = (text.as_str().unwrap(), id.as_str().unwrap());
    let again = owner.send_named("k", "/v1/keys", body);
    assert_eq!(
        (again.status, again.header("idempotency-replayed")),
        (409, "true")
    );
    assert_snapshot!(again.told().replace(id, "ID"), @r#"409 {"detail":"this request was carried out and made key ID, whose text was in the answer to it alone: rotate or revoke it","error":"this request was carried out and made key ID, whose text was in the answer to it alone: rotate or revoke it","status":409,"title":"Conflict"}"#);
    let listed = owner.send("GET", "/v1/keys", "").json();
    assert_eq!(listed["keys"].as_array().unwrap().len(), 2);
    let path = format!("/v1/keys/{id}/rotate");
    let rotated = owner.send_named("l", &path, "{}").json();
    let again = owner.send_named("l", &path, "{}");
    assert_snapshot!(again.told().replace(id, "ID"), @r#"409 {"detail":"this request was carried out and gave another secret to key ID, whose text was in the answer to it alone: rotate or revoke it","error":"this request was carried out and gave another secret to key ID, whose text was in the answer to it alone: rotate or revoke it","status":409,"title":"Conflict"}"#);
    // The secret that was told is the one that counts.
    let rotated = rotated["key"].as_str().unwrap().to_owned();
    let agent = server.with_token(rotated.clone());
    assert_eq!(agent.send("GET", "/v1/lessons", "").status, 200);
    let operator = server.operator();
    let theirs = operator.send_named("k", "/v1/keys", r#"{"role":"operator"}"#);
    let again = operator.send_named("k", "/v1/keys", r#"{"role":"operator"}"#);
    assert_eq!((theirs.status, again.status), (201, 409));
    for (path, content) in server.files() {
        for secret in [text, &rotated] {
            let found = content
                .windows(secret.len())
                .any(|it| it == secret.as_bytes());
            assert!(!found, "{}", path.display());
        }
    }
}

#[test]
fn requests_of_one_name_at_the_same_time_are_one() {
    let server = TestServer::start();
    let beside = server.start_beside();
    let key = server.key(Role::Owner, "acme");
    let body = lesson_body("Run `npm run test:unit` instead.");
    let answers: Vec<_> = thread::scope(|scope| {
        let ask = |at: usize| {
            let key = key.at(if at.is_multiple_of(2) {
                &server
            } else {
                &beside
            });
            let body = &body;
            scope.spawn(move || key.send_named("k", "/v1/lessons", body))
        };
        let threads: Vec<_> = (0..16).map(ask).collect();
        threads.into_iter().map(|it| it.join().unwrap()).collect()
    });
    let is_first = |it: &&crate::client::Answer| {
        it.status == 201 && it.header("idempotency-replayed").is_empty()
    };
    assert_eq!(answers.iter().filter(is_first).count(), 1);
    for answer in &answers {
        assert!(matches!(answer.status, 201 | 409), "{}", answer.told());
    }
    assert_eq!(count_lessons(&key), 1);
    let shown = key.send("GET", "/v1/lessons/1", "").json();
    assert_eq!(shown["lesson"]["evidence"].as_array().unwrap().len(), 1);
}
