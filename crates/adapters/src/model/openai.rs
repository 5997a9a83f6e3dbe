//! OpenAI's chat completions, which most model servers have as well.
//!
//! Only what all of them understand is sent: no temperature, no response format.

use hardwon_core::{RawText, limits};
use hardwon_engine::{ModelError, ModelRequest};
use hardwon_redact::clean_to_chars;
use serde_json::{Value, json};

use super::{ApiForm, PartialAnswer, TokenUsage};
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
    add_piece,
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

fn add_piece(answer: &mut PartialAnswer, piece: &Value) -> Result<(), ModelError> {
    let choice = &piece["choices"][0];
    answer.is_found |= choice.is_object();
    for message in [&choice["message"], &choice["delta"]] {
        if let Some(why) = message["refusal"].as_str().filter(|text| !text.is_empty()) {
            let reason = clean_to_chars(&RawText::from(why), limits::REASON_CHARS);
            return Err(ModelError::Refused(format!("it will not answer: {reason}")));
        }
        add_content(&mut answer.text, &message["content"]);
    }
    let usage = &piece["usage"];
    let count = |name: &str| usage[name].as_u64();
    if let Some((input, output)) = count("prompt_tokens").zip(count("completion_tokens")) {
        answer.tokens = Some(TokenUsage { input, output });
    }
    Ok(())
}

/// Adds a content, which is a text or a list of parts.
fn add_content(text: &mut String, content: &Value) {
    match content {
        Value::String(part) => text.push_str(part),
        Value::Array(parts) => parts
            .iter()
            .filter_map(|part| part["text"].as_str())
            .for_each(|part| text.push_str(part)),
        _ => {}
    }
}
