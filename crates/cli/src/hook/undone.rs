//! The writs that hooks did not carry out, or not yet, with the reason: one file of lines.
//!
//! An agent that ended its turn hears nothing of it, so a person can read it. The size is bounded.

use std::{io, path::Path};

use hardwon_core::{RawText, RunId, Scope, limits};
use hardwon_engine::UndoneWrit;
use jiff::{Timestamp, fmt::serde::timestamp::millisecond};
use serde::{Deserialize, Serialize};

use super::line_log::LineLog;

/// A writ on record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedWrit {
    /// The time.
    #[serde(rename = "at_ms", with = "millisecond::required")]
    pub at: Timestamp,
    /// Whose writ it was.
    #[serde(flatten)]
    pub place: HookPlace,
    /// The writ, as its answer names it.
    pub writ: String,
    /// Why it was not carried out.
    pub why: String,
}

/// Where something of a hook happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookPlace {
    /// The run.
    pub run: String,
    /// The client's name.
    pub client: String,
    /// The tenant, the agent, and the project if there is one.
    #[serde(flatten)]
    pub scope: Scope,
}

impl HookPlace {
    /// Names the place of a client's run.
    pub fn new(client: &str, run: &str, scope: &Scope) -> Self {
        Self {
            run: run.to_owned(),
            client: client.to_owned(),
            scope: scope.clone(),
        }
    }
}

fn undone_log(state: &Path) -> LineLog {
    LineLog::new(state, "writs")
}

/// Records a writ of a client's run.
pub(super) fn note_undone(
    state: &Path,
    client: &str,
    run: &RunId,
    scope: &Scope,
    undone: &UndoneWrit,
) -> io::Result<()> {
    let clean = |text: &str| {
        let text = RawText::from(text);
        hardwon_redact::clean_to_bytes(&text, limits::LOG_LINE_BYTES).to_string()
    };
    undone_log(state).append(&LoggedWrit {
        at: Timestamp::now(),
        place: HookPlace::new(client, run.as_str(), scope),
        writ: clean(&undone.writ),
        why: clean(&undone.why),
    })
}

/// Returns the writs on record, the newest first.
pub fn read_undone(state: &Path) -> Vec<LoggedWrit> {
    let mut all: Vec<LoggedWrit> = undone_log(state).read();
    all.reverse();
    all
}
