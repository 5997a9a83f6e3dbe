//! Models provided by services: the APIs of OpenAI, Anthropic and Gemini.
//!
//! Any other service with OpenAI's API (Ollama, vLLM, LM Studio, most gateways) is reached by its address. Each API is
//! two pure functions: from a question to a request, and from a body to the answer.

mod anthropic;
mod gemini;
mod openai;

use std::time::Duration;

use hardwon_core::{RawText, limits};
use hardwon_engine::{Model, ModelAnswer, ModelError, ModelRequest};
use serde_json::Value;

use crate::{
    http::{self, HttpRequest},
    service::{Endpoint, ProviderDefaults, ServiceConfig},
};

/// Longest response body that is read, in bytes, including what a service puts around the answer.
const BODY_BYTES: usize = 16 * limits::MODEL_REPLY_BYTES;

/// The API of a model service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelApi {
    /// OpenAI's chat completions.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// Gemini's `generateContent`.
    Gemini,
}

/// An API as two functions, with the defaults of its provider.
struct ApiForm {
    defaults: ProviderDefaults,
    build_request: fn(&Endpoint, &ModelRequest) -> HttpRequest,
    /// Reads an answer, `None` if it has another form; fails where it says that there is none.
    read_answer: fn(&Value) -> Result<Option<ModelAnswer>, ModelError>,
    /// The expected content of a response, for the error that it is missing.
    holds: &'static str,
}

/// A model provided by a service.
pub struct ModelService {
    endpoint: Endpoint,
    form: &'static ApiForm,
    timeout: Duration,
}

impl ModelApi {
    fn form(self) -> &'static ApiForm {
        match self {
            Self::OpenAi => &openai::FORM,
            Self::Anthropic => &anthropic::FORM,
            Self::Gemini => &gemini::FORM,
        }
    }
}

impl ModelService {
    /// Makes a model that takes no longer than `timeout` for an answer; `read_variable` returns the value of an
    /// environment variable. Nothing is sent yet.
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::Unusable`] if a required key is missing, or the address must not be trusted with it.
    pub fn new(
        api: ModelApi,
        config: &ServiceConfig,
        timeout: Duration,
        read_variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ModelError> {
        let form = api.form();
        Ok(Self {
            endpoint: Endpoint::find(config, form.defaults, read_variable)?,
            form,
            timeout,
        })
    }
}

impl Model for ModelService {
    fn complete(&self, ask: &ModelRequest) -> Result<ModelAnswer, ModelError> {
        let request = (self.form.build_request)(&self.endpoint, ask);
        let body = http::post(&self.endpoint, &request, self.timeout, BODY_BYTES)?;
        let missing = || ModelError::Failed(format!("the answer holds no {}", self.form.holds));
        (self.form.read_answer)(&body)?.ok_or_else(missing)
    }
}

/// Makes an answer of its parts' texts and of the token counts that a usage has under these names; without a usage their sum
/// is not known.
fn build_answer<'v>(
    parts: impl Iterator<Item = &'v Value>,
    usage: &Value,
    counts: &[&str],
) -> ModelAnswer {
    let text: String = parts.filter_map(|part| part["text"].as_str()).collect();
    let tokens = counts.iter().filter_map(|name| usage[*name].as_u64());
    ModelAnswer {
        text: RawText::new(text),
        tokens: usage
            .is_object()
            .then(|| tokens.fold(0, u64::saturating_add)),
    }
}

#[cfg(test)]
mod tests;
