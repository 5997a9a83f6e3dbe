//! Anthropic's messages API.

use hardwon_engine::{ModelError, ModelRequest};
use serde_json::{Value, json};

use super::{ApiForm, PartialAnswer, TokenUsage};
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
    add_piece,
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

/// Adds a message, or an event of a streamed one.
fn add_piece(answer: &mut PartialAnswer, piece: &Value) -> Result<(), ModelError> {
    let message = match piece["type"].as_str() {
        Some("error") => {
            return Err(ModelError::Failed("it failed while it answered".to_owned()));
        }
        Some("message_start") => &piece["message"],
        _ => piece,
    };
    answer.is_found |= message["type"] == "message";
    for part in message["content"].as_array().into_iter().flatten() {
        // Thoughts have another type.
        if part["type"] == "text" {
            answer
                .text
                .push_str(part["text"].as_str().unwrap_or_default());
        }
    }
    if piece["delta"]["type"] == "text_delta" {
        let part = piece["delta"]["text"].as_str();
        answer.text.push_str(part.unwrap_or_default());
    }
    let usage = &message["usage"];
    if usage.is_object() {
        answer.tokens = Some(add_usage(answer.tokens.unwrap_or_default(), usage));
    }
    Ok(())
}

/// Adds up token counts. Events hold totals so far; the last one may leave out the question's.
fn add_usage(known: TokenUsage, usage: &Value) -> TokenUsage {
    let input = [
        "input_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
    ];
    let input = input.iter().filter_map(|name| usage[*name].as_u64());
    TokenUsage {
        input: known.input.max(input.sum()),
        output: usage["output_tokens"].as_u64().unwrap_or(known.output),
    }
}
