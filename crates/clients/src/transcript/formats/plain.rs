//! The plain trace: what any runtime can write about its runs, one JSON object a line.
//!
//! `docs/trace.md` describes it for people and `docs/trace.schema.json` for programs. Unlike a
//! client's transcript it is written for hardwon, so nothing in it is guessed at, and a line of
//! an unknown type is an error that the writer should hear of.

use std::sync::Arc;

use hardwon_core::{
    event::{CallStatus, MessageRole, NO_OUTPUT, RawEvent, RunEvent, RunStatus, Signal, ToolCall},
    id::{AgentId, ProjectId, RunId},
    lesson::TargetKind,
    limits,
    outside::OutsideWords,
    rank::Requester,
    text::RawText,
};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use crate::transcript::{
    Broken, FormatReader,
    format::{FormatRow, text_at},
    head::error_head,
    session::Session,
    text::shorten,
    tool,
    wire::{Text, raw_of, str_of},
};

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    line: is_plain,
    ..FormatRow::new("plain-trace", None, || Box::new(Plain))
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
pub enum BadLine {
    /// It is not one JSON object with the fields' types.
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
    /// A field has a value that is none of those it may have.
    #[error("the field \"{field}\" must be {allowed}")]
    Value {
        /// The field.
        field: &'static str,
        /// What it may be.
        allowed: &'static str,
    },
}

/// One line with the fields of every type of event.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Option<Text<'a>>,
    // run
    #[serde(borrow, default)]
    run: Option<Text<'a>>,
    #[serde(borrow, default)]
    agent: Option<Text<'a>>,
    #[serde(borrow, default)]
    project: Option<Text<'a>>,
    #[serde(borrow, default)]
    cwd: Option<Text<'a>>,
    #[serde(borrow, default)]
    task: Option<Text<'a>>,
    #[serde(borrow, default)]
    operator: Option<Text<'a>>,
    #[serde(borrow, default)]
    skills: Vec<Text<'a>>,
    // tool
    #[serde(default)]
    turn: Option<u32>,
    #[serde(borrow, default)]
    tool: Option<Text<'a>>,
    #[serde(borrow, default)]
    args: Option<&'a RawValue>,
    #[serde(borrow, default)]
    status: Option<Text<'a>>,
    #[serde(borrow, default)]
    error: Option<Text<'a>>,
    #[serde(default)]
    external: Option<bool>,
    #[serde(borrow, default)]
    output: Option<Text<'a>>,
    // message, and of a run the agent's
    #[serde(borrow, default)]
    role: Option<Text<'a>>,
    #[serde(borrow, default)]
    text: Option<Text<'a>>,
    // signal; its `kind` is not the line's type
    #[serde(borrow, default, rename = "kind")]
    signal: Option<Text<'a>>,
    #[serde(borrow, default)]
    detail: Option<&'a RawValue>,
    // end
    #[serde(default)]
    score: Option<f64>,
}

/// What a signal's `detail` may hold; a string stands for its main text.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Detail {
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

/// What a line of a plain trace tells while the run goes on.
#[derive(Debug, Clone, PartialEq)]
pub enum LiveLine {
    /// Something that happened.
    Event(RawEvent),
    /// A run begins.
    Run {
        /// What happened.
        event: RawEvent,
        /// What the run says of the agent in it.
        asker: Requester,
        /// The folder that it works in, if it says.
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

/// Reads one line of a plain trace that tells what happened.
pub fn parse(line: &str) -> Result<RawEvent, BadLine> {
    event(&serde_json::from_str(line)?)
}

/// Reads one line of a plain trace as a run writes it while it goes on.
pub fn parse_live(line: &str) -> Result<LiveLine, BadLine> {
    let line: Line<'_> = serde_json::from_str(line)?;
    match str_of(line.kind.as_ref()) {
        CALLING => calling(&line),
        "run" => Ok(LiveLine::Run {
            event: event(&line)?,
            asker: asker(&line),
            folder: line.cwd.as_ref().map(|it| it.as_str().to_owned()),
        }),
        _ => Ok(LiveLine::Event(event(&line)?)),
    }
}

/// The type of a line about a call that is yet to be made; of a finished run it tells nothing.
const CALLING: &str = "calling";

fn calling(line: &Line<'_>) -> Result<LiveLine, BadLine> {
    let name = required(CALLING, "tool", line.tool.as_ref())?;
    Ok(LiveLine::Calling {
        tool: shorten(name, limits::NAME_CHARS).into(),
        args: tool::args(name, raw_of(line.args)).into(),
    })
}

fn asker(line: &Line<'_>) -> Requester {
    let skills = line.skills.iter().take(limits::TAGS);
    let names = [
        (TargetKind::Operator, line.operator.as_ref()),
        (TargetKind::Role, line.role.as_ref()),
    ];
    let names = names
        .into_iter()
        .filter_map(|(kind, name)| Some((kind, name?)));
    let names = names.chain(skills.map(|it| (TargetKind::Skill, it)));
    Requester {
        identities: names
            .map(|(kind, name)| (kind, shorten(name.as_str().trim(), limits::NAME_CHARS)))
            .filter(|(_, name)| !name.is_empty())
            .collect(),
        ..Requester::default()
    }
}

fn event(line: &Line<'_>) -> Result<RawEvent, BadLine> {
    match str_of(line.kind.as_ref()) {
        "run" => run(line),
        "tool" => tool_call(line),
        "message" => message(line),
        "signal" => signal(line),
        "end" => end(line),
        _ => Err(BadLine::Value {
            field: "type",
            allowed: "run, calling, tool, message, signal or end",
        }),
    }
}

fn required<'t>(
    kind: &'static str,
    field: &'static str,
    text: Option<&'t Text<'_>>,
) -> Result<&'t str, BadLine> {
    text.map(Text::as_str)
        .ok_or(BadLine::Missing { kind, field })
}

fn bounded(text: &str) -> RawText {
    shorten(text, limits::INTAKE_BYTES).into()
}

fn run(line: &Line<'_>) -> Result<RawEvent, BadLine> {
    const NAME: &str = "a name of at most 256 characters without control characters";
    fn name<T, E>(field: &'static str, parsed: Result<T, E>) -> Result<T, BadLine> {
        parsed.map_err(|_| BadLine::Value {
            field,
            allowed: NAME,
        })
    }
    let agent = line
        .agent
        .as_ref()
        .map(|agent| AgentId::parse(agent.as_str()));
    let project = line
        .project
        .as_ref()
        .map(|project| ProjectId::parse(project.as_str()));
    Ok(RunEvent::Run {
        run: name(
            "run",
            RunId::parse(required("run", "run", line.run.as_ref())?),
        )?,
        agent: name("agent", agent.transpose())?,
        project: name("project", project.transpose())?,
        task: line.task.as_ref().map(|task| bounded(task.as_str())),
    })
}

fn tool_call(line: &Line<'_>) -> Result<RawEvent, BadLine> {
    let name = required("tool", "tool", line.tool.as_ref())?;
    let args = tool::args(name, raw_of(line.args));
    let status = match required("tool", "status", line.status.as_ref())? {
        "ok" => CallStatus::Ok,
        "error" => CallStatus::Error(head_of(str_of(line.error.as_ref()))),
        _ => {
            return Err(BadLine::Value {
                field: "status",
                allowed: "ok or error",
            });
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

/// Returns the words of a result that was written elsewhere; unknown ones, where the trace does not hold
/// it.
fn outside_words(line: &Line<'_>, name: &str, args: &str) -> Option<OutsideWords> {
    let says = line.external;
    says.unwrap_or_else(|| tool::is_outside(name, args, false))
        .then(|| {
            let mut words = OutsideWords::from_text(str_of(line.error.as_ref()));
            words.extend(&match &line.output {
                Some(output) => OutsideWords::from_text(output.as_str()),
                None => OutsideWords::unknown(),
            });
            words
        })
}

/// The error as it is if it is short, else its head.
fn head_of(error: &str) -> RawText {
    let error = error.trim();
    if error.is_empty() {
        NO_OUTPUT.into()
    } else if error.len() <= limits::ERROR_HEAD_BYTES && !error.contains('\n') {
        error.into()
    } else {
        error_head(error).into()
    }
}

fn message(line: &Line<'_>) -> Result<RawEvent, BadLine> {
    let role = match required("message", "role", line.role.as_ref())? {
        "user" => MessageRole::User,
        "assistant" => MessageRole::Assistant,
        _ => {
            return Err(BadLine::Value {
                field: "role",
                allowed: "user or assistant",
            });
        }
    };
    let text = bounded(required("message", "text", line.text.as_ref())?);
    Ok(RunEvent::Message { role, text })
}

fn signal(line: &Line<'_>) -> Result<RawEvent, BadLine> {
    let detail = detail(line.detail)?;
    let text = |text: Option<String>| bounded(&text.unwrap_or_default());
    Ok(RunEvent::Signal(
        match required("signal", "kind", line.signal.as_ref())? {
            "discrepancy" => Signal::Discrepancy {
                detail: text(match (detail.claim, detail.actual) {
                    (Some(claim), Some(actual)) => {
                        Some(format!("claimed: {claim}; in fact: {actual}"))
                    }
                    (claim, actual) => detail.text.or(actual).or(claim),
                }),
            },
            "low_quality" => Signal::LowQuality {
                score: detail
                    .score
                    .or(line.score)
                    .filter(|score| score.is_finite()),
                detail: text(detail.text),
            },
            "root_cause" => Signal::RootCause {
                cause: text(detail.cause.or(detail.text)),
                fix: detail.fix.map(|fix| bounded(&fix)),
            },
            "heal" => Signal::Heal {
                attempts: detail.attempts.unwrap_or(1),
                escalated: detail.escalated.unwrap_or(false),
                detail: text(detail.text),
            },
            "review" => Signal::Review {
                fixed: findings(&detail.fixed),
                flagged: findings(&detail.flagged),
            },
            _ => {
                return Err(BadLine::Value {
                    field: "kind",
                    allowed: "discrepancy, low_quality, root_cause, heal or review",
                });
            }
        },
    ))
}

fn detail(json: Option<&RawValue>) -> Result<Detail, BadLine> {
    let Some(json) = json else {
        return Ok(Detail::default());
    };
    if let Ok(text) = serde_json::from_str::<Option<String>>(json.get()) {
        return Ok(Detail {
            text,
            ..Detail::default()
        });
    }
    Ok(serde_json::from_str(json.get())?)
}

fn findings(texts: &[String]) -> Vec<RawText> {
    let texts = texts.iter().take(limits::REVIEW_FINDINGS);
    texts.map(|text| bounded(text)).collect()
}

fn end(line: &Line<'_>) -> Result<RawEvent, BadLine> {
    let status = match required("end", "status", line.status.as_ref())? {
        "completed" => RunStatus::Completed,
        "failed" => RunStatus::Failed,
        "aborted" => RunStatus::Aborted,
        _ => {
            return Err(BadLine::Value {
                field: "status",
                allowed: "completed, failed or aborted",
            });
        }
    };
    Ok(RunEvent::End {
        status,
        score: line.score.filter(|score| score.is_finite()),
    })
}

/// Reads a file of plain traces: runs one after another, each from its `run` line on.
struct Plain;

impl FormatReader for Plain {
    fn value(&mut self, _: &str, json: &str, session: &mut Session) -> Result<(), Broken> {
        let line: Line<'_> = serde_json::from_str(json)?;
        if str_of(line.kind.as_ref()) == CALLING {
            return calling(&line).map(drop).map_err(|_| Broken);
        }
        let event = event(&line).map_err(|_| Broken)?;
        match event {
            RunEvent::Run {
                run,
                agent,
                project,
                task,
            } => {
                session.close();
                session.enter(run.as_str());
                let open = session.run();
                let info = Arc::make_mut(&mut open.info);
                (info.agent, info.project) = (agent, project);
                open.task = task;
                if let Some(cwd) = &line.cwd {
                    session.works_in(cwd.as_str());
                }
                session.begin();
            }
            RunEvent::End { status, score } => {
                session.begin();
                session.end(status, score);
                session.close();
            }
            other => {
                if let RunEvent::Tool(call) = &other {
                    session.run().last_call_failed = matches!(call.status, CallStatus::Error(_));
                }
                session.begin();
                session.emit(other);
            }
        }
        Ok(())
    }
}
