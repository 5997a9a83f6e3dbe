//! OpenAI's chat completions, which most model servers have as well.
//!
//! Only what all of them understand is sent: no temperature, no response format.

use hardwon_core::{RawText, limits};
use hardwon_engine::{ModelAnswer, ModelError, ModelRequest};
use hardwon_redact::clean_to_chars;
use serde_json::{Value, json};

use super::ApiForm;
use crate::{
    http::HttpRequest,
    service::{Endpoint, ProviderDefaults},
};

pub(super) static FORM: ApiForm = ApiForm {
    defaults: ProviderDefaults {
        url: "https://api.openai.com/v1",
        key_variable: "OPENAI_API_KEY",
    },
    build_request,
    read_answer,
    holds: "choice",
};

fn build_request(endpoint: &Endpoint, ask: &ModelRequest) -> HttpRequest {
    // OpenAI's own newer models know only this name, and other servers only the older one.
    let most = if endpoint.url == FORM.defaults.url {
        "max_completion_tokens"
    } else {
        "max_tokens"
    };
    HttpRequest {
        url: format!("{}/chat/completions", endpoint.url),
        key: ("authorization", "Bearer "),
        headers: &[],
        body: json!({
            "model": endpoint.model,
            "messages": [
                {"role": "system", "content": ask.prompt.system},
                {"role": "user", "content": ask.prompt.user},
            ],
            most: ask.max_answer_tokens,
            "stream": false,
        }),
    }
}

fn read_answer(body: &Value) -> Result<Option<ModelAnswer>, ModelError> {
    let choice = &body["choices"][0];
    if !choice.is_object() {
        return Ok(None);
    }
    let message = &choice["message"];
    if let Some(why) = message["refusal"].as_str().filter(|text| !text.is_empty()) {
        let reason = clean_to_chars(&RawText::from(why), limits::REASON_CHARS);
        return Err(ModelError::Refused(format!("it will not answer: {reason}")));
    }
    let usage = &body["usage"];
    let count = |name: &str| usage[name].as_u64();
    let tokens = count("prompt_tokens").zip(count("completion_tokens"));
    Ok(Some(ModelAnswer {
        text: RawText::new(read_content(&message["content"])),
        tokens: tokens.map(|(input, output)| input.saturating_add(output)),
    }))
}

/// Reads a content, which is a text or a list of parts.
fn read_content(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .filter_map(|part| part["text"].as_str())
            .collect(),
        _ => String::new(),
    }
}
