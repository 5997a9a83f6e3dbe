//! The server as bare lines on stdin and stdout: old versions, and what is no message at all.

use serde_json::{Value, json};

use crate::env::TestEnv;

/// Sends these lines, closes stdin, and returns what came back.
fn exchange(env: &TestEnv, lines: &[String]) -> Vec<Value> {
    let ran = env.run_with(&["mcp"], lines.join("\n") + "\n");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let answers = ran
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    answers.collect()
}

fn request(id: u32, method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

fn initialize(id: u32, version: &str) -> String {
    let client = json!({"name": "old", "version": "0"});
    let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client});
    request(id, "initialize", &params)
}

fn initialized() -> String {
    json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string()
}

fn answer(answers: &[Value], id: u32) -> &Value {
    let found = answers.iter().find(|answer| answer["id"] == id);
    found.unwrap_or_else(|| panic!("no answer to {id} in {answers:?}"))
}

#[test]
fn every_version_with_a_handshake_is_spoken() {
    let env = TestEnv::new();
    env.lessons(&[(
        "npm test",
        "Run `npm run test:unit`; there is no test script.",
    )]);
    for (asked, spoken) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        // It has no handshake, and neither has what nobody knows: the newest that has one answers.
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let call = json!({"name": "search", "arguments": {"query": "npm test fails"}});
        let answers = exchange(
            &env,
            &[
                initialize(1, asked),
                initialized(),
                request(2, "ping", &json!({})),
                request(3, "tools/list", &json!({})),
                request(4, "tools/call", &call),
            ],
        );
        assert_eq!(answer(&answers, 1)["result"]["protocolVersion"], spoken);
        assert_eq!(answer(&answers, 2)["result"], json!({}), "{asked}");
        let tools = answer(&answers, 3)["result"]["tools"].as_array().unwrap();
        assert!(tools.len() >= 6, "{asked}");
        let result = &answer(&answers, 4)["result"];
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("npm run test:unit"), "{asked}: {text}");
        // What only the newer protocol has is kept from older clients.
        assert!(result.get("resultType").is_none(), "{asked}: {result}");
    }
}

#[test]
fn the_newest_version_needs_no_handshake() {
    let env = TestEnv::new();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "new", "version": "1"},
    });
    let answers = exchange(
        &env,
        &[
            request(1, "server/discover", &json!({"_meta": meta})),
            request(2, "tools/list", &json!({"_meta": meta})),
            request(
                3,
                "resources/read",
                &json!({"_meta": meta, "uri": "lessons://index"}),
            ),
            request(4, "tools/list", &json!({})),
            request(5, "ping", &json!({"_meta": meta})),
        ],
    );
    let discovered = &answer(&answers, 1)["result"];
    let versions = [
        "2024-11-05",
        "2025-03-26",
        "2025-06-18",
        "2025-11-25",
        "2026-07-28",
    ];
    assert_eq!(discovered["supportedVersions"], json!(versions));
    for (id, ttl) in [(2, 60_000), (3, 5_000)] {
        let result = &answer(&answers, id)["result"];
        assert_eq!(result["resultType"], "complete", "{result}");
        assert_eq!(
            (&result["ttlMs"], &result["cacheScope"]),
            (&json!(ttl), &json!("private"))
        );
    }
    // A request that does not say what it speaks, and one that is gone from this version.
    assert_eq!(answer(&answers, 4)["error"]["code"], -32602);
    assert_eq!(answer(&answers, 5)["error"]["code"], -32601);
}

#[test]
fn what_is_no_message_is_passed_over() {
    let env = TestEnv::new();
    let cancelled = json!({
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": 0},
    });
    let answers = exchange(
        &env,
        &[
            // A client that gave up on an earlier question says so before it asks anew.
            cancelled.to_string(),
            json!({"jsonrpc": "2.0", "id": 7, "result": {}}).to_string(),
            initialize(1, "2025-06-18"),
            initialized(),
            String::new(),
            "hello".to_owned(),
            "{\"jsonrpc\":\"2.0\",".to_owned(),
            "\u{0}\u{1}\u{2}".to_owned(),
            "[]".to_owned(),
            "[".repeat(100_000),
            json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call"}).to_string(),
            json!({"jsonrpc": "2.0", "id": 3, "method": "no/such/method"}).to_string(),
            json!({"jsonrpc": "1.0", "id": 4, "method": "ping"}).to_string(),
            json!({"nothing": "of the kind"}).to_string(),
            "null".to_owned(),
            cancelled.to_string(),
            request(5, "ping", &json!({})),
        ],
    );
    assert_eq!(answer(&answers, 5)["result"], json!({}));
    assert_eq!(answer(&answers, 3)["error"]["code"], -32601);
    assert!(
        answers.iter().all(|answer| answer.get("result").is_some()
            || answer["error"]["code"].as_i64() < Some(-32_000))
    );
}

#[test]
fn a_client_that_asks_nothing_is_no_trouble() {
    let env = TestEnv::new();
    assert_eq!(env.told_with(&["mcp"], ""), "");
    // A line that never ends is no message.
    assert_eq!(env.told_with(&["mcp"], "{\"jsonrpc\""), "");
    assert!(!env.db().exists());
}
