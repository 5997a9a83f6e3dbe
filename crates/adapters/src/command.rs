//! Runs any command as a model: the question on its stdin, the answer on its stdout.
//!
//! Each question gets a task of its own, in a folder that belongs to no project, so that an agent asked this way reads no
//! project's instructions.

use std::{env, process::ExitStatus, time::Duration};

use hardwon_core::{RawText, limits};
use hardwon_engine::{Model, ModelAnswer, ModelError, ModelRequest};
use hardwon_redact::clean_to_chars;

use crate::task::CommandTask;

/// A shell command that answers questions.
#[derive(Debug, Clone)]
pub struct CommandModel {
    /// The command line.
    pub line: String,
    /// How long an answer may take.
    pub timeout: Duration,
    /// Environment variables that it gets in addition to this process's, as names and values.
    pub variables: Vec<(&'static str, &'static str)>,
}

impl Model for CommandModel {
    fn complete(&self, ask: &ModelRequest) -> Result<ModelAnswer, ModelError> {
        let variables = self.variables.iter();
        let task = CommandTask {
            line: self.line.clone(),
            folder: env::temp_dir(),
            timeout: self.timeout,
            removed_variables: Vec::new(),
            variables: variables
                .map(|(name, value)| (*name, value.into()))
                .collect(),
        };
        let end = task.run(&format!("{}\n\n{}", ask.prompt.system, ask.prompt.user))?;
        if !end.status.success() {
            return Err(describe_failure(end.status, &end.complaint));
        }
        if end.output.len() > limits::MODEL_REPLY_BYTES {
            return Err(ModelError::Failed(format!(
                "the answer is longer than {} bytes",
                limits::MODEL_REPLY_BYTES
            )));
        }
        Ok(ModelAnswer {
            text: RawText::new(end.output),
            tokens: None,
        })
    }
}

fn describe_failure(status: ExitStatus, complaint: &str) -> ModelError {
    let complaint = clean_to_chars(&RawText::new(complaint.trim()), limits::REASON_CHARS);
    let complaint_text = format!("it ended with {status}: {complaint}");
    match status.code() {
        // The shell's codes for a program that does not exist or cannot be run.
        Some(126 | 127) => ModelError::Unusable(complaint_text),
        _ => ModelError::Failed(complaint_text),
    }
}

#[cfg(all(test, unix))]
mod tests;
