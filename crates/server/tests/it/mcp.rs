//! The tools of MCP at `/mcp`, as far as this server has a part in them.

use hardwon_core::limits;
use hardwon_server::Role;
use insta::assert_snapshot;
use serde_json::json;

use crate::client::{TestKey, TestServer};

/// Calls a tool as clients of the protocol of 2025 do: what they are called is not in the call.
fn call(key: &TestKey<'_>, server: &TestServer, more: &[(&str, &str)], tool: &str) {
    let args = match tool {
        "search" => json!({"query": "npm test"}),
        _ => json!({"signature": "npm test", "text": "Run npm run test:unit."}),
    };
    let params = json!({"name": tool, "arguments": args});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let authorization = format!("Bearer {}", key.token);
    let mut headers = vec![
        ("authorization", &*authorization),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2025-11-25"),
    ];
    headers.extend(more);
    let answer = server.browse("POST", "/mcp", &headers, &call.to_string());
    assert_eq!(answer.json()["result"]["isError"], false, "{}", answer.body);
}

#[test]
fn a_header_names_the_client_where_the_protocol_does_not() {
    let server = TestServer::start();
    let key = server.key(Role::Owner, "acme");
    call(&key, &server, &[], "record");
    for client in [None, Some("gardener")] {
        let header = client.map(|it| ("x-hardwon-client", it));
        call(&key, &server, header.as_slice(), "search");
        let recalls = key.send("GET", "/v1/recalls?all=true", "").json();
        assert_eq!(recalls["recalls"][0]["client"], client.unwrap_or("mcp"));
    }
    // An agent read it both times, whatever its client is called.
    let lesson = key.send("GET", "/v1/lessons/1", "").json();
    assert_eq!(lesson["lesson"]["hit_count"], 2);
}

#[test]
fn a_project_in_any_script_is_that_project() {
    let server = TestServer::start();
    let key = server.key(Role::Owner, "acme");
    call(&key, &server, &[("x-hardwon-project", "größe")], "record");
    let lesson = key.send("GET", "/v1/lessons/1", "").json();
    assert_eq!(lesson["lesson"]["project"], "größe");
}

#[test]
fn what_is_no_message_is_answered_as_the_protocol_says() {
    let server = TestServer::start();
    let key = server.key(Role::Owner, "acme");
    let authorization = format!("Bearer {}", key.token);
    let post = |kind: &str, body: &str| {
        let headers = [
            ("authorization", &*authorization),
            ("content-type", kind),
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2025-11-25"),
        ];
        server.browse("POST", "/mcp", &headers, body).told()
    };
    let json = |body: &str| post("application/json; charset=utf-8", body);
    assert_snapshot!(json(r#"{"jsonrpc":"2.0","#), @r#"400 {"error":{"code":-32700,"message":"Parse error"},"id":null,"jsonrpc":"2.0"}"#);
    assert_snapshot!(json("{\"a\":\"\u{fffd}"), @r#"400 {"error":{"code":-32700,"message":"Parse error"},"id":null,"jsonrpc":"2.0"}"#);
    assert_snapshot!(json("[]"), @r#"400 {"error":{"code":-32600,"message":"Invalid Request"},"id":null,"jsonrpc":"2.0"}"#);
    assert_snapshot!(json(r#"{"id": 7, "method": 1}"#), @r#"400 {"error":{"code":-32600,"message":"Invalid Request"},"id":7,"jsonrpc":"2.0"}"#);
    assert_snapshot!(json(r#"{"id": {"a": 1}}"#), @r#"400 {"error":{"code":-32600,"message":"Invalid Request"},"id":null,"jsonrpc":"2.0"}"#);
    assert!(post("text/plain", "{}").starts_with("415"));
    let long = format!("\"{}\"", "x".repeat(limits::MCP_REQUEST_BYTES));
    assert!(json(&long).starts_with("413"));
}
