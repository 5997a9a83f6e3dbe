//! Anthropic's messages API.

use hardwon_core::RawText;
use hardwon_engine::{ModelAnswer, ModelError, ModelRequest};
use serde_json::{Value, json};

use super::ApiForm;
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
    let text: String = texts.filter_map(|part| part["text"].as_str()).collect();
    let names = [
        "input_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
        "output_tokens",
    ];
    let usage = &body["usage"];
    let tokens = names.iter().filter_map(|name| usage[*name].as_u64());
    Ok(Some(ModelAnswer {
        text: RawText::new(text),
        tokens: usage
            .is_object()
            .then(|| tokens.fold(0, u64::saturating_add)),
    }))
}
