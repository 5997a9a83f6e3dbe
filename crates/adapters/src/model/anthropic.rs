//! Anthropic's messages.

use hardwon_core::text::RawText;
use hardwon_engine::model::{Answer, ModelAsk, ModelError, Tokens};
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
    request,
    read,
};

fn request(endpoint: &Endpoint, ask: &ModelAsk) -> HttpRequest {
    HttpRequest {
        url: format!("{}/v1/messages", endpoint.url),
        key: ("x-api-key", ""),
        headers: &[("anthropic-version", "2023-06-01")],
        body: json!({
            "model": endpoint.model,
            "system": ask.prompt.system,
            "messages": [{"role": "user", "content": ask.prompt.user}],
            "max_tokens": ask.answer_tokens,
        }),
    }
}

/// Reads a message, or the events of one.
fn read(pieces: &[Value]) -> Result<Answer, ModelError> {
    let mut text = String::new();
    let mut tokens = None::<Tokens>;
    let mut is_message = false;
    for piece in pieces {
        let kind = piece["type"].as_str().unwrap_or_default();
        if kind == "error" {
            return Err(ModelError::Failed("it failed while it answered".to_owned()));
        }
        let message = if kind == "message_start" {
            &piece["message"]
        } else {
            piece
        };
        is_message |= message["type"] == "message";
        for part in message["content"].as_array().into_iter().flatten() {
            // Thoughts have another type.
            if part["type"] == "text" {
                text.push_str(part["text"].as_str().unwrap_or_default());
            }
        }
        if piece["delta"]["type"] == "text_delta" {
            text.push_str(piece["delta"]["text"].as_str().unwrap_or_default());
        }
        let usage = &message["usage"];
        let known = tokens.unwrap_or_default();
        let input = [
            "input_tokens",
            "cache_creation_input_tokens",
            "cache_read_input_tokens",
        ];
        let input = input.iter().filter_map(|name| usage[*name].as_u64());
        if usage.is_object() {
            tokens = Some(Tokens {
                input: known.input.max(input.sum()),
                output: usage["output_tokens"].as_u64().unwrap_or(known.output),
            });
        }
    }
    match is_message {
        true => Ok(Answer {
            text: RawText::new(text),
            tokens,
        }),
        false => Err(ModelError::Failed("the answer holds no message".to_owned())),
    }
}
