//! Has the server that keeps the lessons carry out a call of a tool that writes, at its own `/mcp`.
//!
//! The texts are without secrets before they leave. What the agent has read from outside is told ahead, so that the server does
//! not trust what may be that content's word.

use std::time::Duration;

use hardwon_api::v1::verbs::Members;
use hardwon_core::ClientName;
use hardwon_mcp::McpError;
use serde_json::{Value, json};

use crate::{
    RemotePlace,
    remote::{
        follow,
        verb::{describe_trouble, redact_texts, tell_outside},
    },
};

/// How long the server may take.
const LIMIT: Duration = Duration::from_secs(20);

/// Carries a call out at the server, and returns the value that was answered.
pub(super) fn forward_call(
    place: &RemotePlace,
    client_name: Option<&ClientName>,
    tool: &str,
    arguments: &Members,
) -> Result<Value, McpError> {
    let client = place.connect()?;
    tell_outside(place, &client).map_err(|trouble| describe_trouble(&trouble))?;
    let arguments = redact_texts(Value::Object(arguments.clone()));
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": tool, "arguments": arguments},
    });
    let names = [
        (
            "x-hardwon-agent",
            place.agent.as_ref().map(|agent| agent.as_str()),
        ),
        ("x-hardwon-project", place.scope.project_name()),
        ("x-hardwon-client", client_name.map(ClientName::as_str)),
    ];
    let mut headers = vec![
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2025-11-25"),
    ];
    headers.extend(names.into_iter().filter_map(|(name, it)| Some((name, it?))));
    let answer = client.post_with("/mcp", &headers, &call.to_string(), LIMIT);
    let answer = answer.map_err(|trouble| describe_trouble(&trouble))?;
    // What was written is in the copy some seconds later.
    drop(follow::keep_following(place));
    read_answer(&answer)
}

/// Reads the result of a call. What the server refused is told in its own words, cleaned.
fn read_answer(text: &str) -> Result<Value, McpError> {
    let strange = || McpError::fault("the server's answer is not that of a hardwon server");
    let answer: Value = serde_json::from_str(text).map_err(|_| strange())?;
    let result = &answer["result"];
    let message = match result["isError"].as_bool() {
        Some(false) => return Ok(result["structuredContent"].clone()),
        Some(true) => &result["content"][0]["text"],
        None => &answer["error"]["message"],
    };
    let message = message.as_str().ok_or_else(strange)?;
    Err(McpError::refused(hardwon_redact::quote_error(&message)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_the_value_or_why_there_is_none() {
        let check = |text: &str, expected: Result<Value, &str>| {
            let read = read_answer(text).map_err(|error| error.to_string());
            assert_eq!(read, expected.map_err(str::to_owned), "{text}");
        };
        let value = r#"{"result": {"isError": false, "structuredContent": {"id": 7}}}"#;
        check(value, Ok(json!({"id": 7})));
        let refused = r#"{"result": {"isError": true, "content": [{"type": "text", "text": "it is no lesson"}]}}"#;
        check(refused, Err("it is no lesson"));
        check(
            r#"{"error": {"message": "no such tool"}}"#,
            Err("no such tool"),
        );
        check(
            "<html>",
            Err("the server's answer is not that of a hardwon server"),
        );
    }
}
