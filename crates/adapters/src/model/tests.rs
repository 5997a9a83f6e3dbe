//! Tests of every API over a real socket, against a server that answers as the services do.

use std::net::TcpListener;

use hardwon_core::ModelPrompt;
use insta::assert_snapshot;

use super::*;
use crate::tests::{Does, KEY, config, serve};

pub(crate) fn ask() -> ModelRequest {
    ModelRequest {
        prompt: ModelPrompt {
            system: "Answer in one word.".to_owned(),
            user: "Are you there?".to_owned(),
        },
        wants_json: true,
        max_answer_tokens: 500,
    }
}

/// Sends a question to a service with a key.
fn complete(api: ModelApi, url: &str, timeout: Duration) -> Result<ModelAnswer, ModelError> {
    let config = config("model", url, "SOME_KEY");
    let service = ModelService::new(api, &config, timeout, |_| Some(KEY.to_owned()));
    service.unwrap().complete(&ask())
}

/// Returns the result of an answer, in a line.
fn told(api: ModelApi, does: Does) -> String {
    let (url, _asked) = serve(does);
    let answer = complete(api, &url, Duration::from_secs(5));
    let told = match answer {
        Ok(answer) => {
            format!("{:?} {:?}", answer.text.expose(), answer.tokens)
        }
        Err(error) => format!("{error:?}"),
    };
    assert!(!told.contains("5up3r"), "{told}");
    told
}

fn ok(api: ModelApi, body: &str) -> String {
    told(api, Does::Answer(200, "", body.to_owned()))
}

fn no(api: ModelApi, status: u16, headers: &'static str, body: &str) -> String {
    told(api, Does::Answer(status, headers, body.to_owned()))
}

#[test]
fn each_service_is_asked_in_its_form() {
    let asked = |api| {
        let (url, asked) = serve(Does::Answer(500, "", String::new()));
        drop(complete(api, &url, Duration::from_secs(5)));
        asked.recv().unwrap()
    };
    assert_snapshot!(asked(ModelApi::OpenAi), @r#"
    POST /chat/completions HTTP/1.1
    authorization: Bearer sk-test-5up3rs3cr3t
    {
      "max_tokens": 500,
      "messages": [
        {
          "content": "Answer in one word.",
          "role": "system"
        },
        {
          "content": "Are you there?",
          "role": "user"
        }
      ],
      "model": "m-1",
      "stream": false
    }
    "#);
    assert_snapshot!(asked(ModelApi::Anthropic), @r#"
    POST /v1/messages HTTP/1.1
    anthropic-version: 2023-06-01
    x-api-key: sk-test-5up3rs3cr3t
    {
      "max_tokens": 500,
      "messages": [
        {
          "content": "Are you there?",
          "role": "user"
        }
      ],
      "model": "m-1",
      "system": "Answer in one word."
    }
    "#);
    assert_snapshot!(asked(ModelApi::Gemini), @r#"
    POST /v1beta/models/m-1:generateContent HTTP/1.1
    x-goog-api-key: sk-test-5up3rs3cr3t
    {
      "contents": [
        {
          "parts": [
            {
              "text": "Are you there?"
            }
          ],
          "role": "user"
        }
      ],
      "generationConfig": {
        "maxOutputTokens": 500,
        "responseMimeType": "application/json"
      },
      "system_instruction": {
        "parts": [
          {
            "text": "Answer in one word."
          }
        ]
      }
    }
    "#);
}

#[test]
fn openai_answers() {
    let api = ModelApi::OpenAi;
    let whole = r#"{"id":"chatcmpl-B1","object":"chat.completion","created":1764000000,"model":"m-1",
        "choices":[{"index":0,"message":{"role":"assistant","content":"Yes.","refusal":null,
        "annotations":[]},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":21,
        "completion_tokens":3,"total_tokens":24,"completion_tokens_details":{"reasoning_tokens":0}}}"#;
    assert_snapshot!(ok(api, whole), @r#""Yes." Some(24)"#);
    let parts = r#"{"choices":[{"message":{"role":"assistant","content":[{"type":"text","text":"Ye"},
        {"type":"text","text":"s."}]},"finish_reason":"stop"}]}"#;
    assert_snapshot!(ok(api, parts), @r#""Yes." None"#);
    let thought = r#"{"choices":[{"message":{"role":"assistant","content":null,
        "reasoning_content":"hm"},"finish_reason":"length"}],"usage":{"prompt_tokens":1,"completion_tokens":99}}"#;
    assert_snapshot!(ok(api, thought), @r#""" Some(100)"#);
    let refused = r#"{"choices":[{"message":{"role":"assistant","content":null,
        "refusal":"I can't help with that."}}]}"#;
    assert_snapshot!(ok(api, refused), @r#"Refused("it will not answer: I can't help with that.")"#);
    assert_snapshot!(ok(api, "<html>Welcome</html>"), @r#"Failed("the answer is not what such a service answers")"#);
    assert_snapshot!(ok(api, "{}"), @r#"Failed("the answer holds no choice")"#);
    assert_snapshot!(ok(api, ""), @r#"Failed("the answer is not what such a service answers")"#);
}

#[test]
fn openai_refusals() {
    let api = ModelApi::OpenAi;
    let key = format!(
        r#"{{"error":{{"message":"Incorrect API key provided: {KEY}.","type":
        "invalid_request_error","param":null,"code":"invalid_api_key"}}}}"#
    );
    assert_snapshot!(no(api, 401, "", &key), @r#"Unusable("it answered 401: Incorrect API key provided: [key].")"#);
    let limit = r#"{"error":{"message":"Rate limit reached for m-1","type":"tokens","code":"rate_limit_exceeded"}}"#;
    assert_snapshot!(no(api, 429, "retry-after: 20\r\n", limit), @r#"Busy { what: "it answered 429: Rate limit reached for m-1", after: Some(20s) }"#);
    let quota = r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}"#;
    assert_snapshot!(no(api, 429, "", quota), @r#"Unusable("it answered 429: You exceeded your current quota")"#);
    assert_snapshot!(no(api, 404, "", r#"{"error":"model 'm-1' not found"}"#), @r#"Unusable("it answered 404: model 'm-1' not found")"#);
    assert_snapshot!(no(api, 400, "", r#"{"object":"error","message":"maximum context length is 4096"}"#), @r#"Refused("it answered 400: maximum context length is 4096")"#);
    assert_snapshot!(no(api, 500, "", "Internal Server Error"), @r#"Failed("it answered 500")"#);
    assert_snapshot!(no(api, 504, "", "<html>"), @"TimedOut");
    assert_snapshot!(no(api, 302, "location: https://elsewhere.example/\r\n", ""), @r#"Unusable("it answered 302")"#);
}

#[test]
fn anthropic_answers() {
    let api = ModelApi::Anthropic;
    let whole = r#"{"id":"msg_01","type":"message","role":"assistant","model":"m-1","content":[
        {"type":"thinking","thinking":"hm","signature":"x"},{"type":"text","text":"Yes."}],
        "stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":20,
        "cache_creation_input_tokens":0,"cache_read_input_tokens":5,"output_tokens":4}}"#;
    assert_snapshot!(ok(api, whole), @r#""Yes." Some(29)"#);
    let overloaded = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}"#;
    assert_snapshot!(no(api, 529, "", overloaded), @r#"Busy { what: "it answered 529: Overloaded", after: None }"#);
    let key =
        r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}"#;
    assert_snapshot!(no(api, 401, "", key), @r#"Unusable("it answered 401: invalid x-api-key")"#);
    assert_snapshot!(ok(api, "[]"), @r#"Failed("the answer is not what such a service answers")"#);
}

#[test]
fn gemini_answers() {
    let api = ModelApi::Gemini;
    let whole = r#"{"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"Yes."}],
        "role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":9,
        "candidatesTokenCount":2,"totalTokenCount":18,"thoughtsTokenCount":7},"modelVersion":"m-1"}"#;
    assert_snapshot!(ok(api, whole), @r#""Yes." Some(18)"#);
    let blocked = r#"{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":9}}"#;
    assert_snapshot!(ok(api, blocked), @r#"Refused("it will not answer this question")"#);
    let stopped = r#"{"candidates":[{"finishReason":"SAFETY","index":0}]}"#;
    assert_snapshot!(ok(api, stopped), @r#"Refused("it will not answer this question")"#);
    let key = r#"{"error":{"code":403,"message":"Method doesn't allow unregistered callers","status":"PERMISSION_DENIED"}}"#;
    assert_snapshot!(no(api, 403, "", key), @r#"Unusable("it answered 403: Method doesn't allow unregistered callers")"#);
    let limit = r#"{"error":{"code":429,"message":"Resource has been exhausted","status":"RESOURCE_EXHAUSTED"}}"#;
    assert_snapshot!(no(api, 429, "", limit), @r#"Busy { what: "it answered 429: Resource has been exhausted", after: None }"#);
}

#[test]
fn what_goes_wrong_below_is_told_apart() {
    let api = ModelApi::OpenAi;
    assert_snapshot!(told(api, Does::BreakOff), @r#"Failed("the answer broke off")"#);
    let (url, _asked) = serve(Does::Hang);
    let short = Duration::from_millis(100);
    assert_eq!(complete(api, &url, short), Err(ModelError::TimedOut));
    let nobody = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let away = complete(api, &format!("http://{nobody}"), Duration::from_secs(5));
    assert!(matches!(away, Err(ModelError::Unreachable(_))), "{away:?}");
    let long = format!("\"{}\"", "x".repeat(1 << 20));
    assert_snapshot!(ok(api, &long), @r#"Failed("the answer is longer than 1048576 bytes")"#);
}
