//! Google's Gemini API: `generateContent`.

use hardwon_engine::{ModelAnswer, ModelError, ModelRequest};
use serde_json::{Value, json};

use super::{ApiForm, build_answer};
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
    read_answer,
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

fn read_answer(body: &Value) -> Result<Option<ModelAnswer>, ModelError> {
    let candidate = &body["candidates"][0];
    let parts = candidate["content"]["parts"].as_array();
    let is_blocked = body["promptFeedback"]["blockReason"].is_string();
    let is_stopped = matches!(
        candidate["finishReason"].as_str(),
        Some("SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII")
    );
    if is_blocked || (is_stopped && parts.is_none()) {
        let message = "it will not answer this question";
        return Err(ModelError::Refused(message.to_owned()));
    }
    if !candidate.is_object() {
        return Ok(None);
    }
    let parts = parts.into_iter().flatten();
    let texts = parts.filter(|part| part["thought"] != true);
    let counts = [
        "promptTokenCount",
        "candidatesTokenCount",
        "thoughtsTokenCount",
    ];
    Ok(Some(build_answer(texts, &body["usageMetadata"], &counts)))
}
