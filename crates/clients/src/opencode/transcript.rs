//! opencode: what `opencode export` prints (one document), and `opencode run --format json`
//! (a part a line).
//!
//! A command that exits with 7 is completed, with the exit code in its metadata; a tool that
//! threw has the status `error`.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::transcript::{
    Broken, FormatReader,
    failure::judge_json,
    format::{FormatRow, has_text},
    home::SessionHome,
    session::Session,
    tool,
    wire::{Text, raw_of, str_of},
};

/// Where the sessions are.
pub(crate) static SESSION_HOMES: [SessionHome; 1] = [SessionHome {
    client: "opencode",
    settings: &[
        ("OPENCODE_DB", ""),
        ("XDG_DATA_HOME", "opencode/opencode.db"),
    ],
    default: ".local/share/opencode/opencode.db",
}];

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    line: |line| has_text(line, "sessionID") && line.get("part").is_some(),
    document: |opening| {
        opening.any(&["info"], |info| has_text(info, "directory"))
            || opening.any(&["messages"], |m| {
                m.get("info").is_some() && m.get("parts").is_some()
            })
    },
    ..FormatRow::new("opencode", Some("opencode"), || Box::new(OpenCode))
};

/// The `info` of a session or of a message.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Info<'a> {
    #[serde(borrow, default)]
    id: Option<Text<'a>>,
    #[serde(borrow, default)]
    directory: Option<Text<'a>>,
    #[serde(borrow, rename = "parentID", default)]
    parent: Option<Text<'a>>,
    #[serde(borrow, default)]
    role: Option<Text<'a>>,
    #[serde(borrow, default)]
    error: Option<Failure<'a>>,
}

#[derive(Deserialize)]
struct Failure<'a> {
    #[serde(borrow, default)]
    name: Option<Text<'a>>,
}

/// A message of an export, or a line of the stream, which has one part.
#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    info: Option<Info<'a>>,
    #[serde(borrow, default)]
    parts: Vec<Part<'a>>,
    #[serde(borrow, rename = "sessionID", default)]
    session: Option<Text<'a>>,
    #[serde(borrow, default)]
    part: Option<Part<'a>>,
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(rename = "type", default)]
    kind: Kind,
    #[serde(borrow, default)]
    text: Option<Text<'a>>,
    /// Whether the client wrote the text.
    #[serde(default)]
    synthetic: Option<bool>,
    #[serde(borrow, default)]
    tool: Option<Text<'a>>,
    #[serde(borrow, rename = "callID", default)]
    call: Option<Text<'a>>,
    #[serde(borrow, default)]
    state: Option<State<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Text,
    Tool,
    #[default]
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct State<'a> {
    #[serde(borrow, default)]
    status: Option<Text<'a>>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    output: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
    #[serde(default)]
    metadata: Option<Metadata>,
}

#[derive(Deserialize)]
struct Metadata {
    #[serde(default)]
    exit: Option<i64>,
}

struct OpenCode;

impl FormatReader for OpenCode {
    fn value(&mut self, key: &str, json: &str, session: &mut Session) -> Result<(), Broken> {
        match key {
            "info" => {
                let info: Info<'_> = serde_json::from_str(json)?;
                session.enter(str_of(info.id.as_ref()));
                session.works_in(str_of(info.directory.as_ref()));
                session.run().delegated = info.parent.is_some();
            }
            "" | "messages" => message(&serde_json::from_str(json)?, session),
            _ => {}
        }
        Ok(())
    }

    fn document_end(&mut self, session: &mut Session) {
        session.close();
    }
}

fn message(message: &Message<'_>, session: &mut Session) {
    if let Some(id) = &message.session {
        session.enter(id.as_str());
    }
    let role = message.info.as_ref().and_then(|info| info.role.as_ref());
    let is_user = str_of(role) == "user";
    for part in message.parts.iter().chain(&message.part) {
        match part.kind {
            Kind::Text if part.synthetic == Some(true) => {}
            Kind::Text if is_user => session.user(without_quotes(str_of(part.text.as_ref()))),
            Kind::Text => session.assistant(str_of(part.text.as_ref())),
            Kind::Tool => tool_part(part, session),
            Kind::Other => {}
        }
    }
    let error = message.info.as_ref().and_then(|info| info.error.as_ref());
    if error.is_some_and(|error| str_of(error.name.as_ref()) == "MessageAbortedError") {
        session.run().interrupted = true;
    }
}

/// Returns a prompt without the quotes that `opencode run` puts around that of its command line.
pub(super) fn without_quotes(text: &str) -> &str {
    let inner = text
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'));
    inner.filter(|inner| !inner.contains('"')).unwrap_or(text)
}

fn tool_part(part: &Part<'_>, session: &mut Session) {
    let Some(state) = &part.state else {
        return;
    };
    let name = str_of(part.tool.as_ref());
    let call = str_of(part.call.as_ref());
    session.call(call, name, tool::args(name, raw_of(state.input)));
    let failed = match str_of(state.status.as_ref()) {
        "completed" => false,
        "error" => true,
        _ => return,
    };
    let exit = state.metadata.as_ref().and_then(|metadata| metadata.exit);
    let said = raw_of(state.error.or(state.output));
    session.result(call, judge_json(exit, Some(failed), said));
}
