//! OpenAI's chat completions, which most servers of models speak as well.
//!
//! Only what all of them understand is sent: no temperature, no response format.

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
        url: "https://api.openai.com/v1",
        key_variable: "OPENAI_API_KEY",
    },
    request,
    read,
};

fn request(endpoint: &Endpoint, ask: &ModelAsk) -> HttpRequest {
    // OpenAI's own newer models know this name only, and others the older one only.
    let most = match endpoint.url == FORM.defaults.url {
        true => "max_completion_tokens",
        false => "max_tokens",
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
            most: ask.answer_tokens,
            "stream": false,
        }),
    }
}

fn read(pieces: &[Value]) -> Result<Answer, ModelError> {
    let mut text = String::new();
    let mut tokens = None;
    let mut is_choice = false;
    for piece in pieces {
        let choice = &piece["choices"][0];
        is_choice |= choice.is_object();
        for message in [&choice["message"], &choice["delta"]] {
            if let Some(why) = message["refusal"].as_str().filter(|it| !it.is_empty()) {
                let why = hardwon_core::redact::clean_chars(&RawText::from(why), 200);
                return Err(ModelError::Refused(format!("it will not answer: {why}")));
            }
            said(&message["content"], &mut text);
        }
        let usage = &piece["usage"];
        if let (Some(input), Some(output)) = (
            usage["prompt_tokens"].as_u64(),
            usage["completion_tokens"].as_u64(),
        ) {
            tokens = Some(Tokens { input, output });
        }
    }
    match is_choice {
        true => Ok(Answer {
            text: RawText::new(text),
            tokens,
        }),
        false => Err(ModelError::Failed("the answer holds no choice".to_owned())),
    }
}

/// A content is a text, or a list of parts.
fn said(content: &Value, text: &mut String) {
    match content {
        Value::String(part) => text.push_str(part),
        Value::Array(parts) => parts
            .iter()
            .filter_map(|part| part["text"].as_str())
            .for_each(|part| text.push_str(part)),
        _ => {}
    }
}
