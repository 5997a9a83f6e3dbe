//! ReAct traces as text: `Thought`, `Action` and `Observation` lines, numbered or not.
//!
//! An action is `Tool[argument]`, or a name with an `Action Input` line. Each `Question` begins a run. The observation
//! shows whether an action failed; `Finish` is no call but the end, and its observation may say whether the answer was
//! right.

use hardwon_core::{event::RunStatus, limits};

use crate::transcript::{
    BrokenRecord, FormatReader,
    call_report::{CallReport, judge_report},
    format::FormatRow,
    session::TranscriptSession,
    text::{prefix_within, starts_with_any},
    tool,
};

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    // Programs and documents quote such traces.
    is_text: |extension, text| {
        matches!(extension, "" | "txt" | "log" | "trace" | "out") && is_trace(text)
    },
    ..FormatRow::new("react", None, || Box::new(ReactReader::default()))
};

/// The label of a part of the trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReactLabel {
    Question,
    Thought,
    Action,
    ActionInput,
    Observation,
    FinalAnswer,
}

#[derive(Default)]
struct ReactReader {
    /// The part being gathered, and its text so far.
    part: Option<ReactLabel>,
    text: String,
    /// The action that waits for its observation.
    action: Option<(String, String)>,
}

impl FormatReader for ReactReader {
    fn read_value(
        &mut self,
        _: &str,
        line: &str,
        session: &mut TranscriptSession,
    ) -> Result<(), BrokenRecord> {
        match split_label(line) {
            Some((label, words)) => {
                self.flush(session);
                self.part = Some(label);
                words.clone_into(&mut self.text);
            }
            None if line.starts_with("===") || line.starts_with("---") => {
                self.flush(session);
            }
            None if self.text.len() < 2 * limits::ERROR_SEARCH_BYTES => {
                self.text.push('\n');
                self.text
                    .push_str(prefix_within(line, limits::ERROR_SEARCH_BYTES));
            }
            None => {}
        }
        Ok(())
    }

    fn end_file(&mut self, session: &mut TranscriptSession) {
        self.flush(session);
    }
}

/// Splits a line such as `Action 3: words` into its label and text.
fn split_label(line: &str) -> Option<(ReactLabel, &str)> {
    const LABELS: &[(&str, ReactLabel)] = &[
        ("Question", ReactLabel::Question),
        ("Thought", ReactLabel::Thought),
        ("Action Input", ReactLabel::ActionInput),
        ("Action", ReactLabel::Action),
        ("Observation", ReactLabel::Observation),
        ("Final Answer", ReactLabel::FinalAnswer),
    ];
    let (before, words) = line.split_once(':')?;
    let name = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ');
    let (_, label) = LABELS.iter().find(|(known, _)| *known == name)?;
    Some((*label, words.trim()))
}

impl ReactReader {
    fn flush(&mut self, session: &mut TranscriptSession) {
        let text = std::mem::take(&mut self.text);
        match self.part.take() {
            Some(ReactLabel::Question) => {
                session.close_run();
                session.enter_next_unnamed();
                session.add_user_message(text.lines().next().unwrap_or(""));
                self.action = None;
            }
            Some(ReactLabel::Thought) => session.add_agent_message(&text),
            Some(ReactLabel::Action) => self.action = parse_action(text.trim()),
            Some(ReactLabel::ActionInput) => {
                if let Some((_, args)) = &mut self.action {
                    *args = tool::args_from_text(text.trim());
                }
            }
            Some(ReactLabel::Observation) => self.read_observation(&text, session),
            Some(ReactLabel::FinalAnswer) => session.set_end(RunStatus::Completed, None),
            None => {}
        }
    }

    fn read_observation(&mut self, text: &str, session: &mut TranscriptSession) {
        let Some((name, args)) = self.action.take() else {
            return;
        };
        if name.eq_ignore_ascii_case("finish") {
            if let Some(status) = parse_verdict(text) {
                session.set_end(status, None);
            }
            return;
        }
        let outcome = judge_report(CallReport {
            text,
            ..CallReport::default()
        });
        session.add_finished_call(&name, args, outcome);
    }
}

/// Parses `Tool[argument]`, or a bare name.
fn parse_action(text: &str) -> Option<(String, String)> {
    let (name, args) = match text.split_once('[') {
        Some((name, args)) => (name, args.trim_end().strip_suffix(']').unwrap_or(args)),
        None => (text, ""),
    };
    let name = prefix_within(name.lines().next().unwrap_or("").trim(), limits::TAG_CHARS);
    (!name.is_empty()).then(|| (name.to_owned(), tool::args_from_text(args)))
}

/// Returns the environment's verdict on the final answer; `None` if there is none.
fn parse_verdict(text: &str) -> Option<RunStatus> {
    let text = text.trim();
    if starts_with_any(text, &["answer is incorrect", "incorrect", "wrong"]) {
        Some(RunStatus::Failed)
    } else if starts_with_any(text, &["answer is correct", "correct", "episode finished"]) {
        Some(RunStatus::Completed)
    } else {
        None
    }
}

/// Returns whether a text is such a trace: it has thoughts, actions and observations.
fn is_trace(text: &str) -> bool {
    let has = |wanted: ReactLabel| {
        let mut lines = text.lines();
        lines.any(|line| split_label(line).is_some_and(|(label, _)| label == wanted))
    };
    has(ReactLabel::Thought) && has(ReactLabel::Action) && has(ReactLabel::Observation)
}
