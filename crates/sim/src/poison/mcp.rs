//! The MCP door: the program's own server, in a process of its own.
//!
//! All payloads are recorded in one project; then everything in it is searched for, listed and shown.

use std::{
    io::{BufRead as _, BufReader, Lines, Write as _},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{
    PayloadOutcome, PoisonRow,
    careless_reader::{Exposure, TextFrame, find_exposure},
    payload::PoisonPayload,
};

/// The door's name.
pub(super) const DOOR_NAME: &str = "MCP: record, search, list, get";

/// Records every payload, and examines all answers from then on.
pub(super) fn pass_payloads(
    program: &Path,
    payloads: &[PoisonPayload],
) -> anyhow::Result<PoisonRow> {
    let mut server = McpProcess::spawn(program)?;
    let mut fates = Vec::new();
    for payload in payloads {
        let arguments = json!({"text": payload.truncated(4000), "signature": payload.one_line(60), "tags": [payload.one_line(40)]});
        let told = server.call_tool("record", &arguments)?;
        let sight = find_exposure(TextFrame::Values, &told, payload);
        fates.push((parse_record_reply(&told), sight));
    }
    let listed = server.call_tool("list", &json!({"limit": 100}))?;
    let mut row = PoisonRow::default();
    for (payload, ((fate, id), sight)) in payloads.iter().zip(fates) {
        let query = match payload.one_line(2000) {
            blank if blank.trim().is_empty() => "npm test".to_owned(),
            query => query,
        };
        let found = server.call_tool("search", &json!({"query": query}))?;
        let shown = server.call_tool("get", &json!({"id": id}))?;
        let seen = [&listed, &found, &shown];
        let sights = seen.map(|text| find_exposure(TextFrame::Values, text, payload));
        let sights = sights.into_iter();
        row.count_payload(payload, fate, sights.fold(sight, Exposure::merge));
    }
    Ok(row)
}

/// Parses the outcome of a payload, and the number of the lesson that holds it.
fn parse_record_reply(told: &str) -> (PayloadOutcome, i64) {
    let value: Value = serde_json::from_str(told).unwrap_or_default();
    let fate = match value["status"].as_str() {
        Some("active") => PayloadOutcome::Taken,
        Some(_) => PayloadOutcome::Pending,
        None => PayloadOutcome::Rejected,
    };
    (fate, value["id"].as_i64().unwrap_or(0))
}

/// A server, and the lines that go to it and come from it.
struct McpProcess {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    request_count: u64,
    _home: TempDir,
}

impl Drop for McpProcess {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl McpProcess {
    fn spawn(program: &Path) -> anyhow::Result<Self> {
        let home = tempfile::tempdir()?;
        let mut child = Command::new(program)
            .arg("mcp")
            .current_dir(home.path())
            .env_clear()
            .env("HOME", home.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("starting {}", program.display()))?;
        let to = child.stdin.take().context("a pipe was asked for")?;
        let from = child.stdout.take().context("a pipe was asked for")?;
        let mut server = Self {
            child,
            input: to,
            output: BufReader::new(from).lines(),
            request_count: 0,
            _home: home,
        };
        let client = json!({"name": "sim", "version": "0"});
        server.send_request(
            "initialize",
            &json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}),
        )?;
        let begun = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        writeln!(server.input, "{begun}")?;
        Ok(server)
    }

    fn send_request(&mut self, method: &str, params: &Value) -> anyhow::Result<Value> {
        self.request_count += 1;
        let id = self.request_count;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(self.input, "{request}")?;
        loop {
            let line = self.output.next().context("the server ended")??;
            let mut answer: Value = serde_json::from_str(&line)?;
            if answer["id"] == id {
                ensure!(answer.get("error").is_none(), "{method}: {line}");
                return Ok(answer["result"].take());
            }
        }
    }

    /// Calls a tool, and returns what a model gets: a value, or a text as a value.
    fn call_tool(&mut self, tool: &str, arguments: &Value) -> anyhow::Result<String> {
        let params = json!({"name": tool, "arguments": arguments});
        let mut result = self.send_request("tools/call", &params)?;
        let value = result["structuredContent"].take();
        Ok(match value {
            Value::Null => result["content"].to_string(),
            value => value.to_string(),
        })
    }
}
