//! Reads bytes as a transcript and renders the events, one a line.

use std::{
    io::{self, Cursor as Bytes},
    path::Path,
};

use hardwon_clients::{
    archive::recognise_format,
    transcript::{Format, ResumePoint, read_transcript},
};
use hardwon_core::{
    CallStatus, FailedStep, MessageRole, RawEvent, RawText, RunEvent, RunId, Signal,
};
use hardwon_engine::{
    ReadSummary, TranscriptEvent,
    transcript::{TranscriptCursor as _, TranscriptEvents as _},
};

/// The result of reading.
pub(crate) struct Reading {
    pub(crate) format: Format,
    pub(crate) lines: Vec<String>,
    pub(crate) summary: ReadSummary<ResumePoint>,
}

impl Reading {
    /// Renders the events, and in the end the counts.
    pub(crate) fn shown(&self) -> String {
        let ReadSummary {
            events,
            runs,
            unreadable: broken,
            ..
        } = &self.summary;
        let format = self.format.name();
        format!(
            "{}\n({format}: {runs} runs, {events} events, {broken} broken)",
            self.lines.join("\n")
        )
    }
}

/// Recognises and reads; `None` if it is no transcript.
pub(crate) fn read_bytes(path: &Path, bytes: &[u8]) -> Option<Reading> {
    let format = recognise_format(path, bytes)?;
    Some(read_from(
        format,
        ResumePoint::start(RunId::parse("file").unwrap()),
        bytes,
    ))
}

/// Reads what a cursor has not read yet.
pub(crate) fn read_from(format: Format, cursor: ResumePoint, bytes: &[u8]) -> Reading {
    let start = usize::try_from(cursor.offset()).unwrap();
    let mut events = read_transcript(Bytes::new(&bytes[start..]), format, cursor);
    let shown = |item: io::Result<TranscriptEvent>| {
        let item = item.unwrap();
        let cwd = item.run.cwd.as_deref().unwrap_or("-");
        match &item.event {
            RunEvent::Run { .. } => format!("{} {} in {cwd}", item.run.id, event(&item.event)),
            other => format!("{} {}", item.run.id, event(other)),
        }
    };
    let lines = events.by_ref().map(shown).collect();
    let summary = events.summary();
    Reading {
        format,
        lines,
        summary,
    }
}

fn event(event: &RawEvent) -> String {
    match event {
        RunEvent::Run {
            agent,
            project,
            task,
            ..
        } => format!(
            "run agent={} project={} task={}",
            agent.as_ref().map_or("-", |name| name.as_str()),
            project.as_ref().map_or("-", |name| name.as_str()),
            task.as_ref().map_or_else(|| "-".to_owned(), shown),
        ),
        RunEvent::Tool(call) => format!(
            "tool {} {}{} {} => {}",
            call.turn,
            call.tool.expose(),
            if call.outside.is_some() {
                " (external)"
            } else {
                ""
            },
            shown(&call.args),
            match &call.status {
                CallStatus::Ok => "ok".to_owned(),
                CallStatus::PartlyFailed(steps) => {
                    let told =
                        |it: &FailedStep<RawText>| format!("{} {}", it.step, shown(&it.error));
                    let steps: Vec<String> = steps.iter().map(told).collect();
                    format!("partly {}", steps.join(", "))
                }
                CallStatus::Doubtful(step) => {
                    format!("doubtful {} {}", step.step, shown(&step.error))
                }
                CallStatus::Error(head) => format!("error {}", shown(head)),
            }
        ),
        RunEvent::Message { role, text } => match role {
            MessageRole::User => format!("user {}", shown(text)),
            MessageRole::Assistant => format!("assistant {}", shown(text)),
        },
        RunEvent::Signal(signal) => format!("signal {}", signal_shown(signal)),
        RunEvent::End { status, score } => match score {
            Some(score) => format!("end {status:?} {score}"),
            None => format!("end {status:?}"),
        },
    }
}

fn signal_shown(signal: &Signal<RawText>) -> String {
    let all = |texts: &[RawText]| texts.iter().map(shown).collect::<Vec<_>>().join(",");
    match signal {
        Signal::Discrepancy { detail } => format!("discrepancy {}", shown(detail)),
        Signal::LowQuality { score, detail } => format!("low_quality {score:?} {}", shown(detail)),
        Signal::RootCause { cause, fix } => {
            format!(
                "root_cause {} fix {:?}",
                shown(cause),
                fix.as_ref().map(shown)
            )
        }
        Signal::Heal {
            attempts,
            escalated,
            detail,
        } => format!("heal {attempts} {escalated} {}", shown(detail)),
        Signal::Review { fixed, flagged } => {
            format!("review fixed {} flagged {}", all(fixed), all(flagged))
        }
    }
}

fn shown(text: &RawText) -> String {
    text.expose().replace('\n', "⏎")
}
