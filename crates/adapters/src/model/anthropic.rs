//! Anthropic's messages API.

use hardwon_engine::{ModelAnswer, ModelError, ModelRequest};
use serde_json::{Value, json};

use super::{ApiForm, build_answer};
use crate::{
    http::HttpRequest,
    service::{Endpoint, ProviderDefaults},
};

pub(super) static FORM: ApiForm = ApiForm {
    defaults: ProviderDefaults {
        url: "https://api.anthropic.com",
        key_variable: "ANTHROPIC_API_KEY",
    },
    build_request,
    read_answer,
    holds: "message",
};

fn build_request(endpoint: &Endpoint, ask: &ModelRequest) -> HttpRequest {
    HttpRequest {
        url: format!("{}/v1/messages", endpoint.url),
        key: ("x-api-key", ""),
        headers: &[("anthropic-version", "2023-06-01")],
        body: json!({
            "model": endpoint.model,
            "system": ask.prompt.system,
            "messages": [{"role": "user", "content": ask.prompt.user}],
            "max_tokens": ask.max_answer_tokens,
        }),
    }
}

fn read_answer(body: &Value) -> Result<Option<ModelAnswer>, ModelError> {
    if body["type"] != "message" {
        return Ok(None);
    }
    // Thoughts have another type.
    let parts = body["content"].as_array().into_iter().flatten();
    let texts = parts.filter(|part| part["type"] == "text");
    let counts = [
        "input_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
        "output_tokens",
    ];
    Ok(Some(build_answer(texts, &body["usage"], &counts)))
}
