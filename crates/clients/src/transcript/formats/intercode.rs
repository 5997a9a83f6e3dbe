//! InterCode results: one document a task, with the actions and observations as two lists, and
//! for each action whether the environment could run it.

use hardwon_core::event::RunStatus;
use serde::Deserialize;

use crate::transcript::{
    Broken, FormatReader,
    failure::{Report, judge},
    format::FormatRow,
    session::Session,
    tool,
    wire::{PlainContent, Text, str_of},
};

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    document: |opening| {
        opening.any(&["turn_history"], |turns| turns.get("actions").is_some())
            || opening.parts.iter().any(|(_, value)| is_task(value))
    },
    ..FormatRow::new("intercode", None, || Box::new(InterCode::default()))
};

/// One task. When tasks stand alone in a file, its members come one by one.
#[derive(Deserialize)]
struct Task<'a> {
    #[serde(borrow, default)]
    environment: Option<Text<'a>>,
    #[serde(borrow, default)]
    query: Option<Text<'a>>,
    #[serde(borrow)]
    turn_history: TurnHistory<'a>,
    #[serde(default)]
    summary: Option<Verdict>,
}

#[derive(Deserialize)]
struct TurnHistory<'a> {
    #[serde(borrow, default)]
    actions: Vec<Text<'a>>,
    #[serde(borrow, default)]
    observations: Vec<PlainContent<'a>>,
    #[serde(default)]
    valid_action: Vec<Option<bool>>,
}

#[derive(Deserialize)]
struct Verdict {
    #[serde(default)]
    max_reward: Option<f64>,
}

#[derive(Default)]
struct InterCode {
    environment: String,
}

impl FormatReader for InterCode {
    fn value(&mut self, key: &str, json: &str, session: &mut Session) -> Result<(), Broken> {
        match key {
            "environment" => {
                let name: Text<'_> = serde_json::from_str(json)?;
                name.as_str().clone_into(&mut self.environment);
            }
            "query" => {
                let query: Text<'_> = serde_json::from_str(json)?;
                session.user(query.as_str());
            }
            "turn_history" => turns(&serde_json::from_str(json)?, &self.environment, session),
            "summary" => verdict(&serde_json::from_str(json)?, session),
            _ => whole_task(json, session),
        }
        Ok(())
    }

    fn document_end(&mut self, session: &mut Session) {
        session.close();
    }
}

/// Reads a record that is a whole task, and passes over any other.
fn whole_task(json: &str, session: &mut Session) {
    let Ok(task) = serde_json::from_str::<Task<'_>>(json) else {
        return;
    };
    session.close();
    session.enter_next_unnamed();
    session.user(str_of(task.query.as_ref()));
    turns(
        &task.turn_history,
        str_of(task.environment.as_ref()),
        session,
    );
    if let Some(summary) = &task.summary {
        verdict(summary, session);
    }
    session.close();
}

fn turns(history: &TurnHistory<'_>, environment: &str, session: &mut Session) {
    let name = match environment.strip_prefix("ic_").unwrap_or(environment) {
        "" | "ctf" => "bash",
        name => name,
    };
    for (at, action) in history.actions.iter().enumerate() {
        let text = history.observations.get(at).map(PlainContent::joined);
        let can_run = history.valid_action.get(at).copied().flatten();
        let text = text.unwrap_or_default();
        let outcome = judge(Report {
            exit: None,
            failed: can_run.map(|can_run| !can_run),
            text: &text,
        });
        session.act(name, tool::plain(action.as_str()), outcome);
    }
}

fn verdict(verdict: &Verdict, session: &mut Session) {
    if let Some(reward) = verdict.max_reward {
        let status = if reward >= 1.0 {
            RunStatus::Completed
        } else {
            RunStatus::Failed
        };
        session.end(status, Some(reward));
    }
}

/// Whether a value is a whole task.
fn is_task(value: &serde_json::Value) -> bool {
    value.pointer("/turn_history/actions").is_some()
}
