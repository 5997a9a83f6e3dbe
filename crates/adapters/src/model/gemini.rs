//! Google's Gemini: `generateContent`.

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
        url: "https://generativelanguage.googleapis.com",
        key_variable: "GEMINI_API_KEY",
    },
    request,
    read,
};

fn request(endpoint: &Endpoint, ask: &ModelAsk) -> HttpRequest {
    let mut config = json!({"maxOutputTokens": ask.answer_tokens});
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

fn read(pieces: &[Value]) -> Result<Answer, ModelError> {
    let mut text = String::new();
    let mut tokens = None;
    let mut is_answer = false;
    for piece in pieces {
        let blocked = piece["promptFeedback"]["blockReason"].as_str();
        let candidate = &piece["candidates"][0];
        is_answer |= candidate.is_object();
        let parts = candidate["content"]["parts"].as_array();
        let is_stopped = matches!(
            candidate["finishReason"].as_str(),
            Some("SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII")
        );
        if blocked.is_some() || (is_stopped && parts.is_none()) {
            return Err(ModelError::Refused(
                "it will not answer this question".to_owned(),
            ));
        }
        for part in parts
            .into_iter()
            .flatten()
            .filter(|part| part["thought"] != true)
        {
            text.push_str(part["text"].as_str().unwrap_or_default());
        }
        let usage = &piece["usageMetadata"];
        let count = |name: &str| usage[name].as_u64().unwrap_or_default();
        if usage.is_object() {
            tokens = Some(Tokens {
                input: count("promptTokenCount"),
                output: count("candidatesTokenCount") + count("thoughtsTokenCount"),
            });
        }
    }
    match is_answer {
        true => Ok(Answer {
            text: RawText::new(text),
            tokens,
        }),
        false => Err(ModelError::Failed(
            "the answer holds no candidate".to_owned(),
        )),
    }
}
