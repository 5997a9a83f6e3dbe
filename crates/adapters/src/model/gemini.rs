//! Google's Gemini API: `generateContent`.

use hardwon_engine::{ModelError, ModelRequest};
use serde_json::{Value, json};

use super::{ApiForm, PartialAnswer, TokenUsage};
use crate::{
    http::HttpRequest,
    service::{Endpoint, ProviderDefaults},
};

pub(super) static FORM: ApiForm = ApiForm {
    defaults: ProviderDefaults {
        url: "https://generativelanguage.googleapis.com",
        key_variable: "GEMINI_API_KEY",
    },
    build_request,
    add_piece,
    holds: "candidate",
};

fn build_request(endpoint: &Endpoint, ask: &ModelRequest) -> HttpRequest {
    let mut config = json!({"maxOutputTokens": ask.max_answer_tokens});
    if ask.wants_json {
        config["responseMimeType"] = json!("application/json");
    }
    let model = endpoint.model.trim_start_matches("models/");
    HttpRequest {
        url: format!("{}/v1beta/models/{model}:generateContent", endpoint.url),
        key: ("x-goog-api-key", ""),
        headers: &[],
        body: json!({
            "system_instruction": {"parts": [{"text": ask.prompt.system}]},
            "contents": [{"role": "user", "parts": [{"text": ask.prompt.user}]}],
            "generationConfig": config,
        }),
    }
}

fn add_piece(answer: &mut PartialAnswer, piece: &Value) -> Result<(), ModelError> {
    let candidate = &piece["candidates"][0];
    answer.is_found |= candidate.is_object();
    let parts = candidate["content"]["parts"].as_array();
    let is_blocked = piece["promptFeedback"]["blockReason"].is_string();
    let is_stopped = matches!(
        candidate["finishReason"].as_str(),
        Some("SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII")
    );
    if is_blocked || (is_stopped && parts.is_none()) {
        let message = "it will not answer this question";
        return Err(ModelError::Refused(message.to_owned()));
    }
    let parts = parts.into_iter().flatten();
    for part in parts.filter(|part| part["thought"] != true) {
        answer
            .text
            .push_str(part["text"].as_str().unwrap_or_default());
    }
    let usage = &piece["usageMetadata"];
    let count = |name: &str| usage[name].as_u64().unwrap_or_default();
    if usage.is_object() {
        answer.tokens = Some(TokenUsage {
            input: count("promptTokenCount"),
            output: count("candidatesTokenCount") + count("thoughtsTokenCount"),
        });
    }
    Ok(())
}
