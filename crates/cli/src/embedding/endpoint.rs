//! OpenAI's embeddings, which most servers of models speak as well.
//!
//! Only what all of them understand is sent: no format of numbers is asked for, and a number of
//! dimensions only if one is set.

use std::time::Duration;

use hardwon_core::{digest, limits, text::CleanText, vector::Vector};
use hardwon_engine::{
    embed::{Embedded, Embedder},
    model::ModelError,
};
use serde_json::{Value, json};

use crate::model::{
    Endpoint,
    http::{Request, exchange},
};

/// Where it is unless told otherwise.
pub(super) const URL: &str = "https://api.openai.com/v1";
/// The environment variable that its key is usually in.
pub(super) const KEY: &str = "OPENAI_API_KEY";

/// Longest body of an answer that is read, in bytes: every number as a dozen characters.
const BODY_BYTES: usize = 16 * limits::VECTOR_DIMENSIONS * limits::EMBEDDED_TEXTS;

/// A service that embeds.
pub(super) struct Service {
    pub(super) endpoint: Endpoint,
    /// How many numbers a vector is to have, if not as many as usual.
    pub(super) dimensions: Option<u32>,
}

impl Embedder for Service {
    fn space(&self) -> Result<String, ModelError> {
        let endpoint = &self.endpoint;
        let dimensions = self.dimensions.unwrap_or(0).to_be_bytes();
        let parts = [
            endpoint.url.as_bytes(),
            endpoint.model.as_bytes(),
            &dimensions,
        ];
        let print = digest::hex(&digest::of(parts)[..4]);
        let name: String = endpoint.model.chars().take(100).collect();
        Ok(format!("openai {name} {print}"))
    }

    fn embed(&self, texts: &[CleanText], within: Duration) -> Result<Embedded, ModelError> {
        let endpoint = Endpoint {
            timeout: within,
            ..self.endpoint.clone()
        };
        let pieces = exchange(&endpoint, &self.request(texts), BODY_BYTES)?;
        read(&pieces, texts)
    }
}

impl Service {
    fn request(&self, texts: &[CleanText]) -> Request {
        let texts: Vec<&str> = texts.iter().map(CleanText::as_str).collect();
        let mut body = json!({"model": self.endpoint.model, "input": texts});
        if let Some(dimensions) = self.dimensions {
            body["dimensions"] = dimensions.into();
        }
        Request {
            url: format!("{}/embeddings", self.endpoint.url),
            key: ("authorization", "Bearer "),
            headers: &[],
            body,
        }
    }
}

/// Reads an answer, which may tell of the texts in any order.
fn read(pieces: &[Value], texts: &[CleanText]) -> Result<Embedded, ModelError> {
    let failed = |what: String| ModelError::Failed(what);
    let body = pieces.first().unwrap_or(&Value::Null);
    let Some(data) = body["data"].as_array() else {
        return Err(failed("the answer holds no vectors".to_owned()));
    };
    let mut vectors = vec![None; texts.len()];
    for (place, one) in data.iter().enumerate() {
        let index = one["index"].as_u64().map_or(Ok(place), usize::try_from);
        let free = index
            .ok()
            .and_then(|index| vectors.get_mut(index))
            .filter(|it| it.is_none());
        let Some(free) = free else {
            return Err(failed("the answer numbers its vectors wrongly".to_owned()));
        };
        let Some(numbers) = one["embedding"].as_array() else {
            return Err(failed(
                "the answer's vectors are no lists of numbers".to_owned(),
            ));
        };
        let numbers: Option<Vec<f32>> = numbers
            .iter()
            .map(|it| Some(single(it.as_f64()?)))
            .collect();
        let numbers =
            numbers.ok_or_else(|| failed("a vector holds more than numbers".to_owned()))?;
        *free = Some(Vector::of(&numbers));
    }
    let count = vectors.iter().flatten().count();
    let vectors: Option<Vec<_>> = vectors.into_iter().collect();
    let usage = &body["usage"];
    let told = usage["total_tokens"]
        .as_u64()
        .or(usage["prompt_tokens"].as_u64());
    Ok(Embedded {
        vectors: vectors.ok_or_else(|| {
            failed(format!(
                "the answer holds {count} of {} vectors",
                texts.len()
            ))
        })?,
        tokens: told.unwrap_or_else(|| reckoned(texts)),
    })
}

/// Reckons how many tokens texts take.
fn reckoned(texts: &[CleanText]) -> u64 {
    let tokens = texts
        .iter()
        .map(|it| it.as_str().len().div_ceil(limits::TOKEN_BYTES));
    tokens.sum::<usize>() as u64
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "services compute in f32 or less"
)]
fn single(number: f64) -> f32 {
    number as f32
}
