//! Requests that no client should send are answered in the form of all other errors.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
};

use hardwon_server::Role;
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
fn a_number_in_a_path_is_its_digits() {
    let server = TestServer::start();
    let key = server.key(Role::Owner, "acme");
    let lesson = r#"{"signature": "make deploy", "lesson_text": "Run `make check` first."}"#;
    assert_eq!(key.send("POST", "/v1/lessons", lesson).status, 201);
    for path in [
        "/v1/lessons/+1",
        "/v1/lessons/1e0",
        "/v1/lessons/0",
        "/v1/lessons?cursor=%2B1",
    ] {
        assert_eq!(key.send("GET", path, "").status, 400, "{path}");
    }
    assert_eq!(key.send("GET", "/v1/lessons/1", "").status, 200);
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

/// Sends a request as it is written, and returns the status of the answer.
fn send_raw(server: &TestServer, head: &str) -> String {
    let address = server.url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split(' ').nth(1).unwrap_or_default().to_owned()
}

/// What is said twice could be read in two ways, by this server and by a proxy in front of it.
#[test]
fn what_must_be_said_once_is_said_once() {
    let server = TestServer::start();
    let key = server.key(Role::Owner, "acme");
    let bearer = format!("Authorization: Bearer {}\r\n", key.token);
    let status = |version: &str, head: &str| {
        let end = "Connection: close\r\n\r\n";
        send_raw(
            &server,
            &format!("GET /v1/lessons {version}\r\n{head}{end}"),
        )
    };
    let ask = |head: &str| status("HTTP/1.1", head);
    assert_eq!(ask(&format!("Host: x\r\n{bearer}")), "200");
    assert_eq!(ask(&bearer), "400");
    assert_eq!(ask(&format!("Host: x\r\nHost: x\r\n{bearer}")), "400");
    assert_eq!(ask(&format!("Host: x\r\n{bearer}{bearer}")), "400");
    let lengths = "Content-Length: 0\r\nContent-Length: 1\r\n";
    assert_eq!(ask(&format!("Host: x\r\n{lengths}{bearer}")), "400");
    assert_eq!(status("HTTP/1.0", &bearer), "200");
    let elsewhere = format!(
        "GET http://other/v1/lessons HTTP/1.1\r\nHost: x\r\n{bearer}Connection: close\r\n\r\n"
    );
    assert_eq!(send_raw(&server, &elsewhere), "400");
}

#[test]
fn a_member_that_stands_twice_is_refused() {
    let server = TestServer::start();
    let key = server.key(Role::Owner, "acme");
    let recall = |body: &str| key.send("POST", "/v1/recall", body).told();
    assert_snapshot!(recall(r#"{"prompt": "x", "prompt": "y"}"#), @r#"400 {"detail":"invalid JSON: a member stands twice at line 1 column 30","error":"invalid JSON: a member stands twice at line 1 column 30","status":400,"title":"Bad Request"}"#);
    let deep = r#"{"prompt": "x", "more": {"a": [{"b": 1, "b": 2}]}}"#;
    assert_eq!(key.send("POST", "/v1/recall", deep).status, 400);
    let list = |query: &str| key.send("GET", &format!("/v1/lessons{query}"), "").status;
    assert_eq!(list("?project=a&project=b"), 400);
    assert_eq!(list("?nothing=a&nothing=b"), 400);
}
