//! Models that can be asked: services over HTTP, and any command.
//!
//! Three services are spoken to in their own forms; whatever speaks OpenAI's (Ollama, vLLM, LM
//! Studio, most gateways) is reached by its address. Each form is two pure functions: a question
//! to a request, and the pieces of a body to an answer. A body may come in one piece, as a stream
//! that nobody asked for, or as a list; [`http`] takes them apart alike. A key is read from the
//! environment when it is needed, goes into one header, and into no message.

mod anthropic;
mod command;
mod gemini;
pub(crate) mod http;
mod openai;

use std::{env, fmt, time::Duration};

use hardwon_core::distil::Prompt;
use hardwon_engine::{
    Drain, Engine,
    model::{Answer, Model, ModelAsk, ModelError},
};
use jiff::SignedDuration;

use crate::config::{
    Settings,
    asking::{Asking, Provider},
};

/// How much longer than a call a job is given to a worker.
const SPARE: Duration = Duration::from_secs(30);

/// Jobs that a process in the background takes up at most.
const IN_BACKGROUND: u32 = 16;

/// A key, which prints as nothing.
#[derive(Clone)]
pub(crate) struct Key(pub(crate) String);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

/// A service, and what to ask it for.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    pub(crate) url: String,
    pub(crate) model: String,
    pub(crate) key: Option<Key>,
    pub(crate) timeout: Duration,
    /// What the names of its settings begin with.
    pub(crate) settings: &'static str,
}

/// A service that speaks one of the forms.
struct Service {
    endpoint: Endpoint,
    form: http::Form,
}

impl Model for Service {
    fn complete(&self, ask: &ModelAsk) -> Result<Answer, ModelError> {
        http::complete(&self.endpoint, self.form, ask)
    }
}

/// Returns the model that the settings name; none if there is none.
///
/// # Errors
///
/// Returns why it cannot be asked as the settings stand.
pub fn of(asking: &Asking) -> Result<Option<Box<dyn Model>>, ModelError> {
    let form = match asking.provider {
        Provider::Off => return Ok(None),
        Provider::Command => {
            if asking.command.trim().is_empty() {
                let what = "the setting model is `command`, but model_command is not set";
                return Err(ModelError::Unusable(what.to_owned()));
            }
            return Ok(Some(Box::new(command::Command::new(
                &asking.command,
                asking.timeout,
            ))));
        }
        Provider::OpenAi => openai::FORM,
        Provider::Anthropic => anthropic::FORM,
        Provider::Gemini => gemini::FORM,
    };
    let model = match (asking.name.is_empty(), form.model) {
        (false, _) => asking.name.clone(),
        (true, Some(usual)) => usual.to_owned(),
        (true, None) => {
            let what = "model_name is not set: set it with `hardwon config set model_name NAME`";
            return Err(ModelError::Unusable(what.to_owned()));
        }
    };
    let endpoint = Endpoint {
        url: if asking.url.is_empty() {
            form.url.to_owned()
        } else {
            asking.url.trim_end_matches('/').to_owned()
        },
        model,
        key: key(&asking.key_env, &asking.url, form.key)?,
        timeout: asking.timeout,
        settings: "model",
    };
    http::check(&endpoint)?;
    Ok(Some(Box::new(Service { endpoint, form })))
}

/// Returns a question that every model can answer in a word.
#[must_use]
pub fn probe() -> ModelAsk {
    ModelAsk {
        prompt: Prompt {
            system: "Answer in one word.".to_owned(),
            user: "Are you there?".to_owned(),
        },
        wants_json: false,
        // Some think before they say a word.
        answer_tokens: 500,
    }
}

/// Reads the key. The usual variable is looked at only for the usual address, so that a key never
/// goes to a place that it was not made for.
pub(crate) fn key(named: &str, url: &str, usual: &str) -> Result<Option<Key>, ModelError> {
    let name = match (!named.is_empty(), url.is_empty()) {
        (true, _) => named,
        (false, true) => usual,
        (false, false) => return Ok(None),
    };
    match env::var(name) {
        Ok(key) if !key.trim().is_empty() => Ok(Some(Key(key.trim().to_owned()))),
        _ => Err(ModelError::Unusable(format!(
            "the environment variable {name} holds no key"
        ))),
    }
}

/// Works off some of what is due, for a process that nobody waits for; returns a line for the log
/// if something went wrong.
#[must_use]
pub fn drain_in_background(settings: &Settings, engine: &Engine) -> Option<String> {
    let model = match of(&settings.asking) {
        Ok(model) => model?,
        Err(error) => return Some(format!("asking the model: {error}")),
    };
    let how = how(&settings.asking, IN_BACKGROUND);
    match engine.acting_as(settings.person()).drain(&*model, &how) {
        Ok(drained) => {
            let (job, why) = drained.failed.first()?;
            Some(format!("asking the model, job {job}: {why}"))
        }
        Err(error) => Some(format!("asking the model: {error}")),
    }
}

/// Returns how the queue is worked off, at most so many jobs of it.
#[must_use]
pub fn how(asking: &Asking, jobs: u32) -> Drain {
    Drain {
        workers: asking.workers,
        jobs,
        lease: SignedDuration::try_from(asking.timeout + SPARE).unwrap_or(SignedDuration::MAX),
        answer_tokens: asking.answer_tokens,
        allowance: asking.allowance,
        prices: asking.prices,
    }
}

#[cfg(test)]
pub(crate) mod tests;
