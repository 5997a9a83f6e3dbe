//! Reports of other programs about work that is over: repair loops, debugging journals, reviews.
//!
//! Each becomes the [signals](Signal) that runtimes give of their own runs, so one gate and one wording serve both.
//! A report teaches only if it shows a struggle; what that is for each kind is said in its module. Nothing is read from
//! the network: what `gh` has to say is given as a file.

mod debug;
mod heal;
mod json;
mod points;
mod review;

use std::collections::BTreeSet;

use hardwon_core::{
    CallStatus, OutsideWords, RawText, RunEvent, RunId, RunStatus, Scope, Signal, ToolCall, Trace,
    digest, event::scrub_event, limits, named_enum,
};

named_enum! {
    /// The kind of a report.
    ReportKind {
        /// A loop that repairs failing checks.
        Heal = "heal",
        /// The journal of a debugging session.
        Debug = "debug",
        /// A review, or what people wrote about a pull request (`gh`'s JSON).
        Review = "review",
    }
}

/// What reports tell.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    kind: ReportKind,
    /// What it is about, in words that stay the same when the report is made again, if it says so.
    subject: Option<String>,
    /// What it says in all, in a few digits: the name of one that does not say what it is about.
    content: String,
    /// Whether the work went well in the end.
    status: RunStatus,
    /// The task, if it is known.
    pub task: Option<RawText>,
    /// What there is to learn from; empty if there was no struggle.
    pub signals: Vec<Signal<RawText>>,
    /// The words in it that others wrote.
    pub outside: OutsideWords,
}

impl Report {
    fn new(kind: ReportKind, subject: Option<String>) -> Self {
        Self {
            kind,
            subject: subject.filter(|subject| !subject.is_empty()),
            content: String::new(),
            status: RunStatus::Completed,
            task: None,
            signals: Vec::new(),
            outside: OutsideWords::default(),
        }
    }

    /// Returns the name of the run that it counts as. The same kind of report about the same thing has the same name,
    /// however it is worded; one that names neither its subject nor its task is named by what it says.
    pub fn run_id(&self) -> RunId {
        let kind = self.kind.name();
        let task = || self.task.as_ref().map(RawText::expose);
        let subject = self.subject.as_deref().or_else(task);
        let about = subject.unwrap_or(&self.content);
        let hash = digest::hash_parts([kind.as_bytes(), about.as_bytes()]);
        let name = format!("retro-{kind}-{}", digest::to_hex(&hash[..8]));
        RunId::parse(&name).expect("digits are a name")
    }

    /// Returns the report as a run of a scope, which a desk can learn from.
    pub fn into_trace(self, scope: Scope) -> Trace {
        let run = self.run_id();
        let mut trace = Trace::new(run.clone(), scope);
        let began = RunEvent::Run {
            run,
            agent: None,
            project: None,
            task: self.task,
        };
        let read = (!self.outside.is_empty()).then(|| {
            RunEvent::Tool(ToolCall {
                turn: 0,
                tool: RawText::from("report"),
                args: RawText::from(self.kind.name()),
                status: CallStatus::Ok,
                outside: Some(self.outside),
            })
        });
        let end = RunEvent::End {
            status: self.status,
            score: None,
        };
        let signals = self.signals.into_iter().map(RunEvent::Signal);
        let events = [began].into_iter().chain(read).chain(signals);
        let events = events.chain([end]);
        events.for_each(|event| trace.push(scrub_event(event)));
        trace
    }

    /// Drops signals that say the same, and all after the first few.
    fn bounded(mut self) -> Self {
        let mut seen_signals = BTreeSet::new();
        self.signals
            .retain(|signal| seen_signals.insert(format!("{signal:?}")));
        self.signals.truncate(limits::REVIEW_POINTS);
        self
    }
}

/// Why a report cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ReportError(String);

impl ReportError {
    fn new(what: impl Into<String>) -> Self {
        Self(what.into())
    }
}

/// Reads a report.
///
/// # Errors
///
/// If it is not of this kind.
pub fn read_report(kind: ReportKind, text: &str) -> Result<Report, ReportError> {
    let mut report = match kind {
        ReportKind::Heal => heal::read_heal(text)?,
        ReportKind::Debug => debug::read_journal(text)?,
        ReportKind::Review => review::read_review(text)?,
    };
    report.content = hardwon_redact::fingerprint_text(text);
    Ok(report.bounded())
}

#[cfg(test)]
mod tests;
