//! The tools of MCP at `/mcp`, as far as this server has a part in them.

use hardwon_core::api_key::Role;
use serde_json::{Value, json};

use crate::client::{TestKey, TestServer};

/// Calls a tool as clients of the protocol of 2025 do: what they are called is not in the call.
fn call(server: &TestServer, key: &TestKey<'_>, client: Option<&str>, tool: &str, args: Value) {
    let params = json!({"name": tool, "arguments": args});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let authorization = format!("Bearer {}", key.token);
    let mut headers = vec![
        ("authorization", &*authorization),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2025-11-25"),
    ];
    headers.extend(client.map(|it| ("x-hardwon-client", it)));
    let answer = server.browse("POST", "/mcp", &headers, &call.to_string());
    assert_eq!(answer.json()["result"]["isError"], false, "{}", answer.body);
}

#[test]
fn a_header_names_the_client_where_the_protocol_does_not() {
    let server = TestServer::start();
    let key = server.key(Role::Owner, "acme");
    key.lesson(&json!({"signature": "npm test", "lesson_text": "Run npm run test:unit."}));
    for client in [None, Some("gardener")] {
        call(
            &server,
            &key,
            client,
            "search",
            json!({"query": "npm test"}),
        );
        let recalls = key.send("GET", "/v1/recalls?all=true", "").json();
        assert_eq!(recalls["recalls"][0]["client"].as_str(), client);
    }
}
