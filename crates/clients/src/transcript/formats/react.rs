//! ReAct traces as text: `Thought`, `Action` and `Observation` lines, numbered or not.
//!
//! An action is `Tool[argument]`, or a name with an `Action Input` line. Each `Question` begins a
//! run. Whether an action failed is judged by what came back; `Finish` is no call but the end, and
//! what comes back on it may say whether the answer was right.

use hardwon_core::{event::RunStatus, limits};

use crate::transcript::{
    Broken, FormatReader,
    failure::{Report, judge},
    format::FormatRow,
    session::Session,
    text::{at_most, starts_with_any},
    tool,
};

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    // Programs and documents quote such traces.
    text: |extension, text| {
        matches!(extension, "" | "txt" | "log" | "trace" | "out") && is_trace(text)
    },
    ..FormatRow::new("react", None, || Box::new(React::default()))
};

/// What a part of the trace is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    Question,
    Thought,
    Action,
    ActionInput,
    Observation,
    FinalAnswer,
}

#[derive(Default)]
struct React {
    /// The part being gathered, and its text so far.
    part: Option<Label>,
    text: String,
    /// The action that waits for its observation.
    action: Option<(String, String)>,
}

impl FormatReader for React {
    fn value(&mut self, _: &str, line: &str, session: &mut Session) -> Result<(), Broken> {
        match labelled(line) {
            Some((label, words)) => {
                self.tell(session);
                self.part = Some(label);
                words.clone_into(&mut self.text);
            }
            None if line.starts_with("===") || line.starts_with("---") => {
                self.tell(session);
            }
            None if self.text.len() < 2 * limits::ERROR_SEARCH_BYTES => {
                self.text.push('\n');
                self.text
                    .push_str(at_most(line, limits::ERROR_SEARCH_BYTES));
            }
            None => {}
        }
        Ok(())
    }

    fn file_end(&mut self, session: &mut Session) {
        self.tell(session);
    }
}

/// Reads `Action 3: words`.
fn labelled(line: &str) -> Option<(Label, &str)> {
    const LABELS: &[(&str, Label)] = &[
        ("Question", Label::Question),
        ("Thought", Label::Thought),
        ("Action Input", Label::ActionInput),
        ("Action", Label::Action),
        ("Observation", Label::Observation),
        ("Final Answer", Label::FinalAnswer),
    ];
    let (before, words) = line.split_once(':')?;
    let name = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ');
    let (_, label) = LABELS.iter().find(|(known, _)| *known == name)?;
    Some((*label, words.trim()))
}

impl React {
    fn tell(&mut self, session: &mut Session) {
        let text = std::mem::take(&mut self.text);
        match self.part.take() {
            Some(Label::Question) => {
                session.close();
                session.enter_next_unnamed();
                session.user(text.lines().next().unwrap_or(""));
                self.action = None;
            }
            Some(Label::Thought) => session.assistant(&text),
            Some(Label::Action) => self.action = action(text.trim()),
            Some(Label::ActionInput) => {
                if let Some((_, args)) = &mut self.action {
                    *args = tool::plain(text.trim());
                }
            }
            Some(Label::Observation) => self.observed(&text, session),
            Some(Label::FinalAnswer) => session.end(RunStatus::Completed, None),
            None => {}
        }
    }

    fn observed(&mut self, text: &str, session: &mut Session) {
        let Some((name, args)) = self.action.take() else {
            return;
        };
        if name.eq_ignore_ascii_case("finish") {
            if let Some(status) = verdict(text) {
                session.end(status, None);
            }
            return;
        }
        let outcome = judge(Report {
            text,
            ..Report::default()
        });
        session.act(&name, args, outcome);
    }
}

/// Reads `Tool[argument]`, or a bare name.
fn action(text: &str) -> Option<(String, String)> {
    let (name, args) = match text.split_once('[') {
        Some((name, args)) => (name, args.trim_end().strip_suffix(']').unwrap_or(args)),
        None => (text, ""),
    };
    let name = at_most(name.lines().next().unwrap_or("").trim(), limits::TAG_CHARS);
    (!name.is_empty()).then(|| (name.to_owned(), tool::plain(args)))
}

/// What the environment says about the final answer.
fn verdict(text: &str) -> Option<RunStatus> {
    let text = text.trim();
    if starts_with_any(text, &["answer is incorrect", "incorrect", "wrong"]) {
        Some(RunStatus::Failed)
    } else if starts_with_any(text, &["answer is correct", "correct", "episode finished"]) {
        Some(RunStatus::Completed)
    } else {
        None
    }
}

/// Whether a text is such a trace: it has thoughts, actions and observations.
fn is_trace(text: &str) -> bool {
    let has = |wanted: Label| {
        let mut lines = text.lines();
        lines.any(|line| labelled(line).is_some_and(|(label, _)| label == wanted))
    };
    has(Label::Thought) && has(Label::Action) && has(Label::Observation)
}
