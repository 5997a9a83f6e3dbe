//! Builds the configured model, and drains the queue in the background.
//!
//! `hardwon-adapters` speaks to models, and the engine makes the questions.

use std::env;

use hardwon_adapters::{CommandModel, ModelService};
use hardwon_core::ModelPrompt;
use hardwon_engine::{DrainOptions, Engine, Model, ModelError, ModelRequest, ModelUse, Principal};
use jiff::SignedDuration;

use crate::{
    CliError, ModelProvider, Result, Settings,
    config::{PAUSED_VARIABLE, model::ModelSettings},
};

/// How much longer than a call a worker may hold a job.
const LEASE_MARGIN: SignedDuration = SignedDuration::from_secs(30);

/// Most jobs that a background process claims.
const BACKGROUND_JOBS: u32 = 16;

/// Builds the configured model; `None` if there is none. Nothing is sent yet.
///
/// # Errors
///
/// Why it cannot be used with these settings.
pub fn from_settings(settings: &ModelSettings) -> Result<Option<Box<dyn Model>>, ModelError> {
    Ok(match settings.provider {
        ModelProvider::Off => None,
        ModelProvider::Command if settings.command.trim().is_empty() => {
            let message = "the setting model is `command`, but model_command is not set";
            return Err(ModelError::Unusable(message.to_owned()));
        }
        ModelProvider::Command => Some(Box::new(CommandModel {
            line: settings.command.clone(),
            timeout: settings.timeout,
            // Otherwise our own hooks would learn from the distilling.
            variables: vec![(PAUSED_VARIABLE, "1")],
        })),
        ModelProvider::Service(_) if settings.service.model.is_empty() => {
            let message = "model_name is not set: set it with `hardwon config set model_name NAME`";
            return Err(ModelError::Unusable(message.to_owned()));
        }
        ModelProvider::Service(api) => Some(Box::new(ModelService::new(
            api,
            &settings.service,
            settings.timeout,
            read_variable,
        )?)),
    })
}

/// Builds the model that a command asks; `None` if there is none, or it goes by rules only.
pub fn find_for_command(
    settings: &ModelSettings,
    by_rules: bool,
) -> Result<Option<Box<dyn Model>>> {
    if by_rules {
        return Ok(None);
    }
    from_settings(settings).map_err(CliError::bad_input)
}

/// Returns the value of an environment variable, for a service that looks for its key.
pub(crate) fn read_variable(name: &str) -> Option<String> {
    env::var(name).ok()
}

/// Returns a model with what may be spent on it.
pub fn limit_use<'a>(settings: &ModelSettings, model: &'a dyn Model) -> ModelUse<'a> {
    ModelUse {
        model,
        max_answer_tokens: settings.answer_tokens,
        tokens_per_day: settings.tokens_per_day,
    }
}

/// Returns a question that every model can answer in a word.
pub fn probe_question() -> ModelRequest {
    ModelRequest {
        prompt: ModelPrompt {
            system: "Answer in one word.".to_owned(),
            user: "Are you there?".to_owned(),
        },
        wants_json: false,
        // Some models think before they answer.
        max_answer_tokens: 500,
    }
}

/// Drains a few due jobs, in a background process; returns a line for the log if it failed.
pub fn drain_in_background(settings: &Settings, engine: &Engine) -> Option<String> {
    let model = match from_settings(&settings.model) {
        Ok(model) => model?,
        Err(error) => return Some(format!("asking the model: {error}")),
    };
    let limits = drain_limits(&settings.model, BACKGROUND_JOBS);
    let desk = engine.acting_as(Principal::background(settings.scope.clone()));
    match desk.drain_queue(&*model, &limits) {
        Ok(drained) => {
            let (job, why) = drained.failed.first()?;
            Some(format!("asking the model, job {job}: {why}"))
        }
        Err(error) => Some(format!("asking the model: {error}")),
    }
}

/// Returns the limits for draining at most so many jobs.
pub fn drain_limits(settings: &ModelSettings, jobs: u32) -> DrainOptions {
    let timeout = SignedDuration::try_from(settings.timeout).unwrap_or(SignedDuration::MAX);
    DrainOptions {
        max_workers: settings.workers,
        max_jobs: jobs,
        lease: timeout.saturating_add(LEASE_MARGIN),
        max_answer_tokens: settings.answer_tokens,
        tokens_per_day: settings.tokens_per_day,
    }
}

#[cfg(test)]
pub(crate) mod tests;
