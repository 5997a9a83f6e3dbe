//! Models behind services: OpenAI's form, Anthropic's and Gemini's.
//!
//! Whatever speaks OpenAI's (Ollama, vLLM, LM Studio, most gateways) is reached by its address. Each form
//! is two pure functions: a question to a request, and a piece of a body into the answer. A body may come in
//! one piece, as a stream that nobody asked for, or as a list; [`http`] takes them apart alike.

mod anthropic;
mod gemini;
mod openai;

use std::time::Duration;

use hardwon_core::{limits, text::RawText};
use hardwon_engine::model::{Model, ModelAnswer, ModelError, ModelRequest, TokenUsage};
use serde_json::Value;

use crate::{
    http::{self, HttpRequest},
    service::{Endpoint, ProviderDefaults, ServiceConfig},
};

/// Longest body of an answer that is read, in bytes, with what a service says around it.
const BODY_BYTES: usize = 16 * limits::MODEL_REPLY_BYTES;

/// The form in which a service is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelApi {
    /// OpenAI's chat completions.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// Gemini's `generateContent`.
    Gemini,
}

/// A form as two functions, with what its provider is known by.
struct ApiForm {
    defaults: ProviderDefaults,
    build_request: fn(&Endpoint, &ModelRequest) -> HttpRequest,
    /// Fails where the piece says that there will be no answer.
    add_piece: fn(&mut PartialAnswer, &Value) -> Result<(), ModelError>,
    /// What an answer must hold, for the error that it does not.
    holds: &'static str,
}

/// An answer as far as its pieces were read.
#[derive(Default)]
struct PartialAnswer {
    text: String,
    tokens: Option<TokenUsage>,
    /// Whether a piece was of the expected form.
    is_found: bool,
}

/// A model behind a service.
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
    /// Makes a service that takes no longer than `timeout` for an answer; `read_variable` returns what an
    /// environment variable holds. Nothing is sent yet.
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::Unusable`] if there is no key where there should be one, or the address is not
    /// to be trusted with it.
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
        match answer.is_found {
            true => Ok(ModelAnswer {
                text: RawText::new(answer.text),
                tokens: answer.tokens,
            }),
            false => Err(ModelError::Failed(format!(
                "the answer holds no {}",
                self.form.holds
            ))),
        }
    }
}

#[cfg(test)]
mod tests;
