//! InterCode results: one document a task, with the actions and observations as two lists, and
//! for each action whether the environment could run it.

use hardwon_core::event::RunStatus;
use serde::Deserialize;

use crate::transcript::{
    BrokenRecord, FormatReader,
    call_report::{CallReport, judge_report},
    format::FormatRow,
    session::TranscriptSession,
    tool,
    wire::{PlainContent, Text, text_or_empty},
};

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    is_document: |opening| {
        opening.any_part(&["turn_history"], |turns| turns.get("actions").is_some())
            || opening.parts.iter().any(|(_, value)| is_task(value))
    },
    ..FormatRow::new("intercode", None, || Box::new(InterCodeReader::default()))
};

/// One task. When tasks are alone in a file, its members come one by one.
#[derive(Deserialize)]
struct InterCodeTask<'a> {
    #[serde(borrow, default)]
    environment: Option<Text<'a>>,
    #[serde(borrow, default)]
    query: Option<Text<'a>>,
    #[serde(borrow)]
    turn_history: InterCodeTurns<'a>,
    #[serde(default)]
    summary: Option<InterCodeSummary>,
}

#[derive(Deserialize)]
struct InterCodeTurns<'a> {
    #[serde(borrow, default)]
    actions: Vec<Text<'a>>,
    #[serde(borrow, default)]
    observations: Vec<PlainContent<'a>>,
    #[serde(default)]
    valid_action: Vec<Option<bool>>,
}

#[derive(Deserialize)]
struct InterCodeSummary {
    #[serde(default)]
    max_reward: Option<f64>,
}

#[derive(Default)]
struct InterCodeReader {
    environment: String,
}

impl FormatReader for InterCodeReader {
    fn read_value(
        &mut self,
        key: &str,
        json: &str,
        session: &mut TranscriptSession,
    ) -> Result<(), BrokenRecord> {
        match key {
            "environment" => {
                let name: Text<'_> = serde_json::from_str(json)?;
                name.as_str().clone_into(&mut self.environment);
            }
            "query" => {
                let query: Text<'_> = serde_json::from_str(json)?;
                session.add_user_message(query.as_str());
            }
            "turn_history" => read_turns(&serde_json::from_str(json)?, &self.environment, session),
            "summary" => read_summary(&serde_json::from_str(json)?, session),
            _ => read_whole_task(json, session),
        }
        Ok(())
    }

    fn end_document(&mut self, session: &mut TranscriptSession) {
        session.close_run();
    }
}

/// Reads a record that is a whole task, and skips any other.
fn read_whole_task(json: &str, session: &mut TranscriptSession) {
    let Ok(task) = serde_json::from_str::<InterCodeTask<'_>>(json) else {
        return;
    };
    session.close_run();
    session.enter_next_unnamed();
    session.add_user_message(text_or_empty(task.query.as_ref()));
    read_turns(
        &task.turn_history,
        text_or_empty(task.environment.as_ref()),
        session,
    );
    if let Some(summary) = &task.summary {
        read_summary(summary, session);
    }
    session.close_run();
}

fn read_turns(history: &InterCodeTurns<'_>, environment: &str, session: &mut TranscriptSession) {
    let name = match environment.strip_prefix("ic_").unwrap_or(environment) {
        "" | "ctf" => "bash",
        name => name,
    };
    for (at, action) in history.actions.iter().enumerate() {
        let text = history.observations.get(at).map(PlainContent::joined_text);
        let can_run = history.valid_action.get(at).copied().flatten();
        let text = text.unwrap_or_default();
        let outcome = judge_report(CallReport {
            exit: None,
            failed: can_run.map(|can_run| !can_run),
            text: &text,
        });
        session.add_finished_call(name, tool::args_from_text(action.as_str()), outcome);
    }
}

fn read_summary(verdict: &InterCodeSummary, session: &mut TranscriptSession) {
    if let Some(reward) = verdict.max_reward {
        let status = if reward >= 1.0 {
            RunStatus::Completed
        } else {
            RunStatus::Failed
        };
        session.set_end(status, Some(reward));
    }
}

/// Returns whether a value is a whole task.
fn is_task(value: &serde_json::Value) -> bool {
    value.pointer("/turn_history/actions").is_some()
}
