//! The door that agents open by themselves: the program's own MCP server, in a process of its own.
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
    Fate, Row,
    payload::Payload,
    seen::{Frame, Sight, look},
};

/// The door's name.
pub(super) const NAME: &str = "MCP: record, search, list, get";

/// Records every payload, and looks at all that is answered from then on.
pub(super) fn pass(program: &Path, payloads: &[Payload]) -> anyhow::Result<Row> {
    let mut server = Server::start(program)?;
    let mut fates = Vec::new();
    for payload in payloads {
        let arguments = json!({"text": payload.head(4000), "signature": payload.line(60), "tags": [payload.line(40)]});
        let told = server.call("record", &arguments)?;
        let sight = look(Frame::Values, &told, payload);
        fates.push((read(&told), sight));
    }
    let listed = server.call("list", &json!({"limit": 100}))?;
    let mut row = Row::default();
    for (payload, ((fate, id), sight)) in payloads.iter().zip(fates) {
        let query = match payload.line(2000) {
            blank if blank.trim().is_empty() => "npm test".to_owned(),
            query => query,
        };
        let found = server.call("search", &json!({"query": query}))?;
        let shown = server.call("get", &json!({"id": id}))?;
        let seen = [&listed, &found, &shown];
        let sights = seen.map(|text| look(Frame::Values, text, payload));
        let sights = sights.into_iter();
        row.count(payload, fate, sights.fold(sight, Sight::and));
    }
    Ok(row)
}

/// Reads what became of a payload, and the number of the lesson that now says it.
fn read(told: &str) -> (Fate, i64) {
    let value: Value = serde_json::from_str(told).unwrap_or_default();
    let fate = match value["status"].as_str() {
        Some("active") => Fate::Taken,
        Some(_) => Fate::Pending,
        None => Fate::Rejected,
    };
    (fate, value["id"].as_i64().unwrap_or(0))
}

/// A server, and the lines that go to it and come from it.
struct Server {
    child: Child,
    to: ChildStdin,
    from: Lines<BufReader<ChildStdout>>,
    asked: u64,
    _home: TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Server {
    fn start(program: &Path) -> anyhow::Result<Self> {
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
            to,
            from: BufReader::new(from).lines(),
            asked: 0,
            _home: home,
        };
        let client = json!({"name": "sim", "version": "0"});
        server.ask(
            "initialize",
            &json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}),
        )?;
        let begun = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        writeln!(server.to, "{begun}")?;
        Ok(server)
    }

    fn ask(&mut self, method: &str, params: &Value) -> anyhow::Result<Value> {
        self.asked += 1;
        let id = self.asked;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(self.to, "{request}")?;
        loop {
            let line = self.from.next().context("the server ended")??;
            let mut answer: Value = serde_json::from_str(&line)?;
            if answer["id"] == id {
                ensure!(answer.get("error").is_none(), "{method}: {line}");
                return Ok(answer["result"].take());
            }
        }
    }

    /// Calls a tool, and returns what a model is given: a value, or a text as a value.
    fn call(&mut self, tool: &str, arguments: &Value) -> anyhow::Result<String> {
        let params = json!({"name": tool, "arguments": arguments});
        let mut result = self.ask("tools/call", &params)?;
        let value = result["structuredContent"].take();
        Ok(match value {
            Value::Null => result["content"].to_string(),
            value => value.to_string(),
        })
    }
}
