//! Models provided by services: the APIs of OpenAI, Anthropic and Gemini.
//!
//! Any other service with OpenAI's API (Ollama, vLLM, LM Studio, most gateways) is reached by its address. Each API is
//! two pure functions: from a question to a request, and from a piece of a body into the answer. A body may come in one
//! piece, as a stream although none was requested, or as a list; [`http`] splits them alike.

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
    /// Adds a piece; fails where it says that there will be no answer.
    add_piece: fn(&mut PartialAnswer, &Value) -> Result<(), ModelError>,
    /// The expected content of a response, for the error that it is missing.
    holds: &'static str,
}

/// How many tokens a question and its answer took.
#[derive(Clone, Copy, Default)]
struct TokenUsage {
    input: u64,
    output: u64,
}

/// The part of an answer that has been read.
#[derive(Default)]
struct PartialAnswer {
    text: String,
    tokens: Option<TokenUsage>,
    /// Whether any piece had the expected form.
    is_found: bool,
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
        let pieces = http::post(&self.endpoint, &request, self.timeout, BODY_BYTES)?;
        let mut answer = PartialAnswer::default();
        for piece in &pieces {
            (self.form.add_piece)(&mut answer, piece)?;
        }
        if answer.is_found {
            Ok(ModelAnswer {
                text: RawText::new(answer.text),
                tokens: (answer.tokens).map(|tokens| tokens.input.saturating_add(tokens.output)),
            })
        } else {
            Err(ModelError::Failed(format!(
                "the answer holds no {}",
                self.form.holds
            )))
        }
    }
}

#[cfg(test)]
mod tests;
