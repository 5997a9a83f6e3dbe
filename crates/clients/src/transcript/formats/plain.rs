//! The plain trace: what any runtime can write about its runs, one JSON object a line.
//!
//! `docs/trace.md` describes it for people and `docs/trace.schema.json` for programs. Unlike a client's transcript it
//! is written for hardwon, so nothing in it is guessed at, and a line of an unknown type is an error that its writer
//! should see.

use std::sync::Arc;

use hardwon_core::{
    AgentId, CallStatus, MessageRole, OutsideWords, ProjectId, RawEvent, RawText, Requester,
    RunEvent, RunId, RunStatus, Signal, TargetKind, ToolCall, event::NO_OUTPUT, limits,
};
use serde::Deserialize;
use serde_json::Value;

use crate::transcript::{
    BrokenRecord, FormatRow, Json, ReadResult, Text, TranscriptSession, error_head::error_head,
    format::text_at, text::shorten, tool,
};

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    is_line: is_plain,
    ..FormatRow::new("plain-trace", None, || Box::new(read_line))
};

fn is_plain(line: &Value) -> bool {
    let has = |key: &str| line.get(key).is_some_and(Value::is_string);
    match text_at(line, "type") {
        "run" => has("run"),
        "tool" => has("tool") && has("status"),
        "message" => has("role") && has("text"),
        "signal" => has("kind") && line.get("detail").is_some(),
        "end" => has("status"),
        _ => false,
    }
}

/// Why a line is not an event.
#[derive(Debug, thiserror::Error)]
pub enum PlainLineError {
    /// It is not one JSON object with fields of the right types.
    #[error("not an event object: {0}")]
    Json(#[from] serde_json::Error),
    /// A field that this type of event needs is missing.
    #[error("an event of type \"{kind}\" needs the field \"{field}\"")]
    Missing {
        /// The event's type.
        kind: &'static str,
        /// The field.
        field: &'static str,
    },
    /// A field has a value that is not allowed.
    #[error("the field \"{0}\" must be {1}")]
    Value(&'static str, &'static str),
}

/// One line with the fields of every type of event.
#[derive(Deserialize, Default)]
#[serde(default, bound = "'de: 'a")]
struct PlainLine<'a> {
    #[serde(rename = "type")]
    kind: Text<'a>,
    // run
    run: Option<Text<'a>>,
    agent: Option<Text<'a>>,
    project: Option<Text<'a>>,
    cwd: Option<Text<'a>>,
    task: Option<Text<'a>>,
    operator: Option<Text<'a>>,
    skills: Vec<Text<'a>>,
    // tool
    turn: Option<u32>,
    tool: Option<Text<'a>>,
    args: Json<'a>,
    status: Option<Text<'a>>,
    error: Text<'a>,
    external: Option<bool>,
    output: Option<Text<'a>>,
    // message, and of a run the agent's
    role: Option<Text<'a>>,
    text: Option<Text<'a>>,
    // signal; its `kind` is not the line's type
    #[serde(rename = "kind")]
    signal: Option<Text<'a>>,
    detail: Json<'a>,
    // end
    score: Option<f64>,
}

/// The content of a signal's `detail`; a string stands for its main text.
#[derive(Deserialize, Default)]
#[serde(default)]
struct SignalDetail {
    text: Option<String>,
    claim: Option<String>,
    actual: Option<String>,
    score: Option<f64>,
    cause: Option<String>,
    fix: Option<String>,
    attempts: Option<u32>,
    escalated: Option<bool>,
    fixed: Vec<String>,
    flagged: Vec<String>,
}

/// A line of a plain trace of a run that goes on.
#[derive(Debug, Clone, PartialEq)]
pub enum LiveLine {
    /// An event of the run.
    Event(RawEvent),
    /// A run begins.
    Run {
        /// The start event.
        event: RawEvent,
        /// What the line says about the agent.
        asker: Requester,
        /// The run's working folder, if the line names it.
        folder: Option<String>,
    },
    /// A call that is about to be made.
    Calling {
        /// The tool.
        tool: RawText,
        /// Its arguments.
        args: RawText,
    },
}

/// Parses one line of a plain trace as an event.
pub fn parse_event(line: &str) -> Result<RawEvent, PlainLineError> {
    read_event(&serde_json::from_str(line)?)
}

/// Parses one line of a plain trace of a run that goes on.
pub fn parse_live(line: &str) -> Result<LiveLine, PlainLineError> {
    let line: PlainLine<'_> = serde_json::from_str(line)?;
    match line.kind.as_str() {
        CALLING => read_calling(&line),
        "run" => Ok(LiveLine::Run {
            event: read_event(&line)?,
            asker: read_requester(&line),
            folder: line.cwd.as_ref().map(|cwd| cwd.as_str().to_owned()),
        }),
        _ => Ok(LiveLine::Event(read_event(&line)?)),
    }
}

/// The type of a line about a call that is about to be made; ignored in a finished run.
const CALLING: &str = "calling";

fn read_calling(line: &PlainLine<'_>) -> Result<LiveLine, PlainLineError> {
    let name = require_field(CALLING, "tool", line.tool.as_ref())?;
    Ok(LiveLine::Calling {
        tool: shorten(name, limits::NAME_CHARS).into(),
        args: tool::args_from_json(name, line.args.as_str()).into(),
    })
}

fn read_requester(line: &PlainLine<'_>) -> Requester {
    let skills = line.skills.iter().take(limits::TAGS);
    let names = [
        (TargetKind::Operator, line.operator.as_ref()),
        (TargetKind::Role, line.role.as_ref()),
    ];
    let names = names.into_iter();
    let names = names.filter_map(|(kind, name)| Some((kind, name?)));
    let names = names.chain(skills.map(|skill| (TargetKind::Skill, skill)));
    let short = |name: &Text<'_>| shorten(name.as_str().trim(), limits::NAME_CHARS);
    let names = names.map(|(kind, name)| (kind, short(name)));
    Requester {
        identities: names.filter(|(_, name)| !name.is_empty()).collect(),
        ..Requester::default()
    }
}

fn read_event(line: &PlainLine<'_>) -> Result<RawEvent, PlainLineError> {
    match line.kind.as_str() {
        "run" => read_run(line),
        "tool" => read_tool_call(line),
        "message" => read_message(line),
        "signal" => read_signal(line),
        "end" => read_end(line),
        _ => Err(PlainLineError::Value(
            "type",
            "run, calling, tool, message, signal or end",
        )),
    }
}

fn require_field<'t>(
    kind: &'static str,
    field: &'static str,
    text: Option<&'t Text<'_>>,
) -> Result<&'t str, PlainLineError> {
    text.map(Text::as_str)
        .ok_or(PlainLineError::Missing { kind, field })
}

fn bound_text(text: &str) -> RawText {
    shorten(text, limits::INTAKE_BYTES).into()
}

fn read_run(line: &PlainLine<'_>) -> Result<RawEvent, PlainLineError> {
    fn name<T, E>(field: &'static str, parsed: Result<T, E>) -> Result<T, PlainLineError> {
        parsed.map_err(|_| {
            PlainLineError::Value(
                field,
                "a name of at most 256 characters without control characters",
            )
        })
    }
    let agent = line.agent.as_ref().map(Text::as_str).map(AgentId::parse);
    let project = line
        .project
        .as_ref()
        .map(Text::as_str)
        .map(ProjectId::parse);
    let run = require_field("run", "run", line.run.as_ref())?;
    Ok(RunEvent::Run {
        run: name("run", RunId::parse(run))?,
        agent: name("agent", agent.transpose())?,
        project: name("project", project.transpose())?,
        task: line.task.as_ref().map(|task| bound_text(task.as_str())),
    })
}

fn read_tool_call(line: &PlainLine<'_>) -> Result<RawEvent, PlainLineError> {
    let name = require_field("tool", "tool", line.tool.as_ref())?;
    let args = tool::args_from_json(name, line.args.as_str());
    let status = match require_field("tool", "status", line.status.as_ref())? {
        "ok" => CallStatus::Ok,
        "error" => CallStatus::Error(error_text(line.error.as_str())),
        _ => {
            return Err(PlainLineError::Value("status", "ok or error"));
        }
    };
    Ok(RunEvent::Tool(ToolCall {
        turn: line.turn.unwrap_or(0),
        tool: shorten(name, limits::NAME_CHARS).into(),
        outside: outside_words(line, name, &args),
        args: args.into(),
        status,
    }))
}

/// Returns the words of a result that was written elsewhere; an unknown set where the trace does not hold it.
fn outside_words(line: &PlainLine<'_>, name: &str, args: &str) -> Option<OutsideWords> {
    let is_outside = line.external;
    if !is_outside.unwrap_or_else(|| tool::is_outside_tool(name, args, false)) {
        return None;
    }
    let mut words = OutsideWords::from_text(line.error.as_str());
    words.extend(&match &line.output {
        Some(output) => OutsideWords::from_text(output.as_str()),
        None => OutsideWords::unknown(),
    });
    Some(words)
}

/// Returns the error as it is if it is short, else its head.
fn error_text(error: &str) -> RawText {
    let error = error.trim();
    if error.is_empty() {
        NO_OUTPUT.into()
    } else if error.len() <= limits::ERROR_HEAD_BYTES && !error.contains('\n') {
        error.into()
    } else {
        error_head(error).into()
    }
}

fn read_message(line: &PlainLine<'_>) -> Result<RawEvent, PlainLineError> {
    let role = match require_field("message", "role", line.role.as_ref())? {
        "user" => MessageRole::User,
        "assistant" => MessageRole::Assistant,
        _ => {
            return Err(PlainLineError::Value("role", "user or assistant"));
        }
    };
    let text = bound_text(require_field("message", "text", line.text.as_ref())?);
    Ok(RunEvent::Message { role, text })
}

fn read_signal(line: &PlainLine<'_>) -> Result<RawEvent, PlainLineError> {
    let detail = read_detail(line.detail)?;
    let text = |text: Option<String>| bound_text(&text.unwrap_or_default());
    Ok(RunEvent::Signal(
        match require_field("signal", "kind", line.signal.as_ref())? {
            "discrepancy" => Signal::Discrepancy {
                detail: text(match (detail.claim, detail.actual) {
                    (Some(claim), Some(actual)) => {
                        Some(format!("claimed: {claim}; in fact: {actual}"))
                    }
                    (claim, actual) => detail.text.or(actual).or(claim),
                }),
            },
            "low_quality" => Signal::LowQuality {
                score: finite(detail.score.or(line.score)),
                detail: text(detail.text),
            },
            "root_cause" => Signal::RootCause {
                cause: text(detail.cause.or(detail.text)),
                fix: detail.fix.map(|fix| bound_text(&fix)),
            },
            "heal" => Signal::Heal {
                attempts: detail.attempts.unwrap_or(1),
                escalated: detail.escalated.unwrap_or(false),
                detail: text(detail.text),
            },
            "review" => Signal::Review {
                fixed: bound_texts(&detail.fixed),
                flagged: bound_texts(&detail.flagged),
            },
            _ => {
                return Err(PlainLineError::Value(
                    "kind",
                    "discrepancy, low_quality, root_cause, heal or review",
                ));
            }
        },
    ))
}

fn finite(score: Option<f64>) -> Option<f64> {
    score.filter(|score| score.is_finite())
}

fn read_detail(json: Json<'_>) -> Result<SignalDetail, PlainLineError> {
    if json.is_empty() {
        return Ok(SignalDetail::default());
    }
    if let Some(text) = json.to_plain() {
        return Ok(SignalDetail {
            text,
            ..SignalDetail::default()
        });
    }
    Ok(serde_json::from_str(json.as_str())?)
}

fn bound_texts(texts: &[String]) -> Vec<RawText> {
    let texts = texts.iter().take(limits::REVIEW_FINDINGS);
    texts.map(|text| bound_text(text)).collect()
}

fn read_end(line: &PlainLine<'_>) -> Result<RawEvent, PlainLineError> {
    let status = require_field("end", "status", line.status.as_ref())?;
    let status = RunStatus::from_name(status).ok_or(PlainLineError::Value(
        "status",
        "completed, failed or aborted",
    ))?;
    Ok(RunEvent::End {
        status,
        score: finite(line.score),
    })
}

/// Reads a file of plain traces: runs one after another, each from its `run` line on.
fn read_line(_: &str, json: &str, session: &mut TranscriptSession) -> ReadResult {
    let line: PlainLine<'_> = serde_json::from_str(json)?;
    if line.kind.as_str() == CALLING {
        return read_calling(&line).map(drop).map_err(|_| BrokenRecord);
    }
    let event = read_event(&line).map_err(|_| BrokenRecord)?;
    match event {
        RunEvent::Run {
            run,
            agent,
            project,
            task,
        } => {
            session.close_run();
            session.enter_run(run.as_str());
            let open = session.current_run();
            let info = Arc::make_mut(&mut open.info);
            (info.agent, info.project) = (agent, project);
            open.task = task;
            session.set_folder(line.cwd.as_ref().map_or("", Text::as_str));
            session.begin_run();
        }
        RunEvent::End { status, score } => {
            session.begin_run();
            session.set_end(status, score);
            session.close_run();
        }
        other => {
            if let RunEvent::Tool(call) = &other {
                session.current_run().last_call_failed =
                    matches!(call.status, CallStatus::Error(_));
            }
            session.begin_run();
            session.emit_event(other);
        }
    }
    Ok(())
}
