//! `hardwon observe`: a live run's events in, nudges out, line by line.

use std::{
    io::{self, BufRead as _},
    process::ExitCode,
};

use hardwon_core::id::RunId;
use hardwon_engine::{Nudge, transcript::plain};
use serde::Serialize;

use crate::{args::Global, config::Settings, error::Failure, open, output};

/// A nudge as JSON shows it.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum NudgeDto<'a> {
    Loop { calls: &'a [String], text: &'a str },
    Lesson { id: i64, text: &'a str },
    Learned { ids: Vec<i64> },
}

impl<'a> From<&'a Nudge> for NudgeDto<'a> {
    fn from(nudge: &'a Nudge) -> Self {
        match nudge {
            Nudge::Loop { calls, text } => Self::Loop { calls, text },
            Nudge::Lesson { id, text } => Self::Lesson { id: id.0, text },
            Nudge::Learned(learned) => {
                let lessons = learned
                    .noted
                    .iter()
                    .cloned()
                    .filter_map(|it| it.lesson().ok());
                Self::Learned {
                    ids: lessons.map(|lesson| lesson.id.0).collect(),
                }
            }
        }
    }
}

/// A line that cannot be read is named on stderr and the run goes on without it.
pub(super) fn run(global: &Global) -> Result<ExitCode, Failure> {
    let settings = Settings::load(global)?;
    let engine = open::writer(&settings)?;
    let unnamed = RunId::parse("unnamed").expect("a word is a name");
    let mut watch = engine.watch(unnamed, settings.scope.clone());
    let mut broken = 0;
    for (index, line) in io::stdin().lock().split(b'\n').enumerate() {
        let line = line?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        match plain::parse(&String::from_utf8_lossy(&line)) {
            Ok(event) => {
                for nudge in watch.observe(event)? {
                    output::json(&NudgeDto::from(&nudge))?;
                }
            }
            Err(why) => {
                broken += 1;
                output::note(&format!("line {}: {why}; it was passed over", index + 1));
            }
        }
    }
    Ok(ExitCode::from(if broken == 0 { 0 } else { 2 }))
}
