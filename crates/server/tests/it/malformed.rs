//! Requests that no client should send are answered in the form of all other errors.

use hardwon_server::api_key::Role;
use insta::assert_snapshot;

use crate::client::TestServer;

#[test]
fn a_path_that_is_no_utf_8_is_refused() {
    let server = TestServer::start();
    let key = server.key(Role::Owner, "acme");
    let answer = key.send("GET", "/v1/recalls/%FF", "");
    assert_snapshot!(answer.told(), @r#"400 {"detail":"the path is not UTF-8","error":"the path is not UTF-8","status":400,"title":"Bad Request"}"#);
    assert_snapshot!(answer.header("content-type"), @"application/problem+json");
}

#[test]
fn a_number_that_no_entry_has_is_refused() {
    let server = TestServer::start();
    let key = server.key(Role::Owner, "acme");
    let journal = |after: &str| {
        key.send("GET", &format!("/v1/journal?after={after}"), "")
            .told()
    };
    assert_snapshot!(journal("9223372036854775807"), @r#"200 {"entries":[]}"#);
    assert_snapshot!(journal("9223372036854775808"), @r#"400 {"detail":"this number is too large","error":"this number is too large","field":"after","status":400,"title":"Bad Request"}"#);
}

#[test]
fn a_limit_is_a_number_of_its_range() {
    let server = TestServer::start();
    let key = server.key(Role::Owner, "acme");
    assert_snapshot!(key.send("GET", "/v1/recalls?limit=99999999999999999999", "").told(), @r#"200 {"recalls":[],"silent":0}"#);
    assert_snapshot!(key.send("GET", "/v1/recalls?limit=0", "").told(), @r#"400 {"detail":"a limit is a number from 1 on","error":"a limit is a number from 1 on","field":"limit","status":400,"title":"Bad Request"}"#);
    let recall = |limit: u8| {
        let body = format!(r#"{{"prompt": "x", "limit": {limit}}}"#);
        key.send("POST", "/v1/recall", &body).told()
    };
    assert_snapshot!(recall(7), @r#"200 {"lessons":[],"preamble":"","silent":"there are no lessons here yet"}"#);
    assert_snapshot!(recall(0), @r#"400 {"detail":"a limit is from 1 to 7","error":"a limit is from 1 to 7","field":"limit","status":400,"title":"Bad Request"}"#);
    assert_snapshot!(recall(8), @r#"400 {"detail":"a limit is from 1 to 7","error":"a limit is from 1 to 7","field":"limit","status":400,"title":"Bad Request"}"#);
}

#[test]
fn a_name_is_called_by_its_kind() {
    let server = TestServer::start();
    let key = server.key(Role::Owner, "acme");
    assert_snapshot!(key.send("GET", "/v1/lessons?agent_id=", "").told(), @r#"400 {"detail":"an agent must not be empty","error":"an agent must not be empty","field":"agent_id","status":400,"title":"Bad Request"}"#);
}

/// The header is for what changes something: elsewhere it is passed over, whatever it says.
#[test]
fn a_malformed_name_of_a_request_matters_where_it_is_taken() {
    let server = TestServer::start();
    let key = server.key(Role::Owner, "acme");
    let status = |method: &str, path: &str| {
        let authorization = format!("Bearer {}", key.token);
        let headers = [
            ("authorization", &*authorization),
            ("idempotency-key", "two words"),
        ];
        server.browse(method, path, &headers, "").status
    };
    assert_eq!(status("POST", "/v1/lessons"), 400);
    assert_eq!(status("GET", "/v1/lessons"), 200);
    assert_eq!(status("TRACE", "/v1/lessons"), 405);
    assert_eq!(status("POST", "/v1/replica"), 405);
    assert_eq!(status("POST", "/v1/nothing"), 404);
}
