//! Embeddings from services with OpenAI's API, which most model servers have.
//!
//! Only what all of them understand is sent: no number format is requested, and a number of dimensions only if one is
//! set.

use std::time::Duration;

use hardwon_core::{CleanText, Vector, digest, limits};
use hardwon_engine::{EmbeddedTexts, Embedder, ModelError};
use serde_json::{Value, json};

use crate::{
    http::{self, HttpRequest},
    service::{Endpoint, ProviderDefaults, ServiceConfig},
};

const OPENAI: ProviderDefaults = ProviderDefaults {
    url: "https://api.openai.com/v1",
    key_variable: "OPENAI_API_KEY",
};

/// Longest response body that is read, in bytes: a dozen characters for every number.
const BODY_BYTES: usize = 16 * limits::VECTOR_DIMENSIONS * limits::EMBEDDED_TEXTS;

/// An embedding provided by a service.
pub struct EmbeddingService {
    endpoint: Endpoint,
    dimensions: Option<u32>,
}

impl EmbeddingService {
    /// Makes an embedding; `read_variable` returns the value of an environment variable. Nothing is sent yet.
    ///
    /// `dimensions` is the length of a vector; `None` for the model's default.
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::Unusable`] if a required key is missing, or the address must not be trusted with it.
    pub fn new(
        config: &ServiceConfig,
        dimensions: Option<u32>,
        read_variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ModelError> {
        let endpoint = Endpoint::find(config, OPENAI, read_variable)?;
        Ok(Self {
            endpoint,
            dimensions,
        })
    }

    fn request(&self, texts: &[CleanText]) -> HttpRequest {
        let texts: Vec<&str> = texts.iter().map(CleanText::as_str).collect();
        let mut body = json!({"model": self.endpoint.model, "input": texts});
        if let Some(dimensions) = self.dimensions {
            body["dimensions"] = dimensions.into();
        }
        HttpRequest {
            url: format!("{}/embeddings", self.endpoint.url),
            key: ("authorization", "Bearer "),
            headers: &[],
            body,
        }
    }
}

impl Embedder for EmbeddingService {
    fn space_name(&self) -> Result<String, ModelError> {
        let endpoint = &self.endpoint;
        let dimensions = self.dimensions.unwrap_or(0).to_be_bytes();
        let parts = [
            endpoint.url.as_bytes(),
            endpoint.model.as_bytes(),
            &dimensions,
        ];
        let print = digest::to_hex(&digest::hash_parts(parts)[..4]);
        let name: String = endpoint.model.chars().take(100).collect();
        Ok(format!("openai {name} {print}"))
    }

    fn embed(&self, texts: &[CleanText], within: Duration) -> Result<EmbeddedTexts, ModelError> {
        let body = http::post(&self.endpoint, &self.request(texts), within, BODY_BYTES)?;
        read_vectors(&body, texts)
    }
}

/// An embedding whose configuration is unusable, so that recall goes by words and reports why.
pub struct UnusableEmbedder(pub ModelError);

impl Embedder for UnusableEmbedder {
    fn space_name(&self) -> Result<String, ModelError> {
        Err(self.0.clone())
    }

    fn embed(&self, _: &[CleanText], _: Duration) -> Result<EmbeddedTexts, ModelError> {
        Err(self.0.clone())
    }
}

/// Parses a response, which may list the texts in any order.
fn read_vectors(body: &Value, texts: &[CleanText]) -> Result<EmbeddedTexts, ModelError> {
    let Some(data) = body["data"].as_array() else {
        return Err(failed("the answer holds no vectors"));
    };
    let mut vectors = vec![None; texts.len()];
    for (place, one) in data.iter().enumerate() {
        let index = one["index"].as_u64().map_or(Ok(place), usize::try_from);
        let free = index.ok().and_then(|index| vectors.get_mut(index));
        let Some(free) = free.filter(|free| free.is_none()) else {
            return Err(failed("the answer numbers its vectors wrongly"));
        };
        *free = Some(Vector::from_numbers(&read_numbers(&one["embedding"])?));
    }
    let count = vectors.iter().flatten().count();
    let vectors: Option<Vec<_>> = vectors.into_iter().collect();
    let missing = || format!("the answer holds {count} of {} vectors", texts.len());
    let usage = &body["usage"];
    let tokens = usage["total_tokens"].as_u64();
    let tokens = tokens.or(usage["prompt_tokens"].as_u64());
    Ok(EmbeddedTexts {
        vectors: vectors.ok_or_else(|| failed(&missing()))?,
        tokens: tokens.unwrap_or_else(|| estimate_tokens(texts)),
    })
}

fn read_numbers(list: &Value) -> Result<Vec<f32>, ModelError> {
    let Some(numbers) = list.as_array() else {
        return Err(failed("the answer's vectors are no lists of numbers"));
    };
    let numbers = numbers
        .iter()
        .map(|number| Some(to_single(number.as_f64()?)));
    let numbers: Option<Vec<f32>> = numbers.collect();
    numbers.ok_or_else(|| failed("a vector holds more than numbers"))
}

fn failed(what: &str) -> ModelError {
    ModelError::Failed(what.to_owned())
}

/// Estimates how many tokens texts take, for a service that does not report it.
fn estimate_tokens(texts: &[CleanText]) -> u64 {
    let tokens = texts
        .iter()
        .map(|text| text.as_str().len().div_ceil(limits::TOKEN_BYTES));
    tokens.sum::<usize>() as u64
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "services compute in f32 or less"
)]
fn to_single(number: f64) -> f32 {
    number as f32
}

#[cfg(test)]
mod tests;
