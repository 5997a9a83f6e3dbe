//! Every form over a real socket, against a server that answers as the services do.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::mpsc,
    thread,
};

use hardwon_core::{distil::Triggers, queue::Method};
use hardwon_engine::model::{Prices, Tokens};
use insta::assert_snapshot;

use super::*;

/// What a server does with one request.
#[derive(Clone)]
pub(crate) enum Does {
    /// It answers: status, further headers, body.
    Answer(u16, &'static str, String),
    /// It says nothing for longer than anybody waits.
    Hang,
    /// It promises more than it sends.
    BreakOff,
}

/// Serves one request, and hands out what was asked.
pub(crate) fn serve(does: Does) -> (String, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (sender, asked) = mpsc::channel();
    thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        sender.send(request(&stream)).unwrap();
        let mut stream = stream;
        match does {
            Does::Answer(status, headers, body) => {
                let length = body.len();
                let head =
                    format!("HTTP/1.1 {status} X\r\n{headers}content-length: {length}\r\n\r\n");
                drop(stream.write_all((head + &body).as_bytes()));
            }
            Does::BreakOff => {
                drop(stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"));
            }
            Does::Hang => {
                // Until the client gives up.
                drop(stream.read(&mut [0]));
            }
        }
    });
    (url, asked)
}

fn request(stream: &TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
        let is_told = ["post", "authorization", "x-", "anthropic"];
        if is_told
            .iter()
            .any(|name| line.to_lowercase().starts_with(name))
        {
            head.push_str(line.trim());
            head.push('\n');
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
    format!("{head}{body:#}")
}

pub(crate) fn asking(provider: Provider, url: &str) -> Asking {
    Asking {
        provider,
        url: url.to_owned(),
        name: "m-1".to_owned(),
        key_env: String::new(),
        command: String::new(),
        method: Method::Lesson,
        triggers: Triggers::default(),
        quiet: SignedDuration::ZERO,
        workers: 1,
        timeout: Duration::from_secs(5),
        answer_tokens: 99,
        allowance: Default::default(),
        prices: Prices::default(),
    }
}

fn ask() -> ModelAsk {
    ModelAsk {
        wants_json: true,
        ..probe()
    }
}

const KEY: &str = "sk-test-5up3rs3cr3t";

/// Asks a service with a key.
fn complete(form: http::Form, url: &str, timeout: Duration) -> Result<Answer, ModelError> {
    let endpoint = Endpoint {
        url: url.to_owned(),
        model: "m-1".to_owned(),
        key: Some(Key(KEY.to_owned())),
        timeout,
        settings: "model",
    };
    http::complete(&endpoint, form, &ask())
}

/// What came of an answer, in a line.
fn told(form: http::Form, does: Does) -> String {
    let (url, _asked) = serve(does);
    let answer = complete(form, &url, Duration::from_secs(5));
    let told = match answer {
        Ok(answer) => {
            let tokens = answer
                .tokens
                .map(|Tokens { input, output }| (input, output));
            format!("{:?} {tokens:?}", answer.text.expose())
        }
        Err(error) => format!("{error:?}"),
    };
    assert!(!told.contains("5up3r"), "{told}");
    told
}

fn ok(form: http::Form, body: &str) -> String {
    told(form, Does::Answer(200, "", body.to_owned()))
}

fn no(form: http::Form, status: u16, headers: &'static str, body: &str) -> String {
    told(form, Does::Answer(status, headers, body.to_owned()))
}

#[test]
fn each_service_is_asked_in_its_form() {
    let asked = |form| {
        let (url, asked) = serve(Does::Answer(500, "", String::new()));
        drop(complete(form, &url, Duration::from_secs(5)));
        asked.recv().unwrap()
    };
    assert_snapshot!(asked(openai::FORM), @r#"
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
    assert_snapshot!(asked(anthropic::FORM), @r#"
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
    assert_snapshot!(asked(gemini::FORM), @r#"
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
    let form = openai::FORM;
    let whole = r#"{"id":"chatcmpl-B1","object":"chat.completion","created":1764000000,"model":"m-1",
        "choices":[{"index":0,"message":{"role":"assistant","content":"Yes.","refusal":null,
        "annotations":[]},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":21,
        "completion_tokens":3,"total_tokens":24,"completion_tokens_details":{"reasoning_tokens":0}}}"#;
    assert_snapshot!(ok(form, whole), @r#""Yes." Some((21, 3))"#);
    let parts = r#"{"choices":[{"message":{"role":"assistant","content":[{"type":"text","text":"Ye"},
        {"type":"text","text":"s."}]},"finish_reason":"stop"}]}"#;
    assert_snapshot!(ok(form, parts), @r#""Yes." None"#);
    let thought = r#"{"choices":[{"message":{"role":"assistant","content":null,
        "reasoning_content":"hm"},"finish_reason":"length"}],"usage":{"prompt_tokens":1,"completion_tokens":99}}"#;
    assert_snapshot!(ok(form, thought), @r#""" Some((1, 99))"#);
    let stream = "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n\
        : keep-alive\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"Yes\"}}]}\n\n\
        data: {\"choices\":[{\"delta\":{\"content\":\".\"},\"finish_reason\":\"stop\"}]}\n\n\
        data: {\"choices\":[],\"usage\":{\"prompt_tokens\":21,\"completion_tokens\":3}}\n\ndata: [DONE]\n\n";
    assert_snapshot!(ok(form, stream), @r#""Yes." Some((21, 3))"#);
    let refused = r#"{"choices":[{"message":{"role":"assistant","content":null,
        "refusal":"I can't help with that."}}]}"#;
    assert_snapshot!(ok(form, refused), @r#"Refused("it will not answer: I can't help with that.")"#);
    assert_snapshot!(ok(form, "<html>Welcome</html>"), @r#"Failed("the answer is not what such a service answers")"#);
    assert_snapshot!(ok(form, "{}"), @r#"Failed("the answer holds no choice")"#);
    assert_snapshot!(ok(form, ""), @r#"Failed("the answer is not what such a service answers")"#);
}

#[test]
fn openai_refusals() {
    let form = openai::FORM;
    let key = format!(
        r#"{{"error":{{"message":"Incorrect API key provided: {KEY}.","type":
        "invalid_request_error","param":null,"code":"invalid_api_key"}}}}"#
    );
    assert_snapshot!(no(form, 401, "", &key), @r#"Unusable("it answered 401: Incorrect API key provided: [key].")"#);
    let limit = r#"{"error":{"message":"Rate limit reached for m-1","type":"tokens","code":"rate_limit_exceeded"}}"#;
    assert_snapshot!(no(form, 429, "retry-after: 20\r\n", limit), @r#"Busy { what: "it answered 429: Rate limit reached for m-1", after: Some(20s) }"#);
    let quota = r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}"#;
    assert_snapshot!(no(form, 429, "", quota), @r#"Unusable("it answered 429: You exceeded your current quota")"#);
    assert_snapshot!(no(form, 404, "", r#"{"error":"model 'm-1' not found"}"#), @r#"Unusable("it answered 404: model 'm-1' not found")"#);
    assert_snapshot!(no(form, 400, "", r#"{"object":"error","message":"maximum context length is 4096"}"#), @r#"Refused("it answered 400: maximum context length is 4096")"#);
    assert_snapshot!(no(form, 500, "", "Internal Server Error"), @r#"Failed("it answered 500")"#);
    assert_snapshot!(no(form, 504, "", "<html>"), @"TimedOut");
    assert_snapshot!(no(form, 302, "location: https://elsewhere.example/\r\n", ""), @r#"Unusable("it answered 302")"#);
}

#[test]
fn anthropic_answers() {
    let form = anthropic::FORM;
    let whole = r#"{"id":"msg_01","type":"message","role":"assistant","model":"m-1","content":[
        {"type":"thinking","thinking":"hm","signature":"x"},{"type":"text","text":"Yes."}],
        "stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":20,
        "cache_creation_input_tokens":0,"cache_read_input_tokens":5,"output_tokens":4}}"#;
    assert_snapshot!(ok(form, whole), @r#""Yes." Some((25, 4))"#);
    let stream = r#"event: message_start
data: {"type":"message_start","message":{"id":"msg_01","type":"message","role":"assistant","content":[],"usage":{"input_tokens":25,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: ping
data: {"type":"ping"}

data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Ye"}}
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"s."}}
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":15}}
data: {"type":"message_stop"}
"#;
    assert_snapshot!(ok(form, stream), @r#""Yes." Some((25, 15))"#);
    let broken = "data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n";
    assert_snapshot!(ok(form, broken), @r#"Failed("it failed while it answered")"#);
    let overloaded = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}"#;
    assert_snapshot!(no(form, 529, "", overloaded), @r#"Busy { what: "it answered 529: Overloaded", after: None }"#);
    let key =
        r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}"#;
    assert_snapshot!(no(form, 401, "", key), @r#"Unusable("it answered 401: invalid x-api-key")"#);
    assert_snapshot!(ok(form, "[]"), @r#"Failed("the answer is not what such a service answers")"#);
}

#[test]
fn gemini_answers() {
    let form = gemini::FORM;
    let whole = r#"{"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"Yes."}],
        "role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":9,
        "candidatesTokenCount":2,"totalTokenCount":18,"thoughtsTokenCount":7},"modelVersion":"m-1"}"#;
    assert_snapshot!(ok(form, whole), @r#""Yes." Some((9, 9))"#);
    let list = r#"[{"candidates":[{"content":{"parts":[{"text":"Ye"}]}}]},
        {"candidates":[{"content":{"parts":[{"text":"s."}]}}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":2}}]"#;
    assert_snapshot!(ok(form, list), @r#""Yes." Some((9, 2))"#);
    let blocked = r#"{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":9}}"#;
    assert_snapshot!(ok(form, blocked), @r#"Refused("it will not answer this question")"#);
    let stopped = r#"{"candidates":[{"finishReason":"SAFETY","index":0}]}"#;
    assert_snapshot!(ok(form, stopped), @r#"Refused("it will not answer this question")"#);
    let key = r#"{"error":{"code":403,"message":"Method doesn't allow unregistered callers","status":"PERMISSION_DENIED"}}"#;
    assert_snapshot!(no(form, 403, "", key), @r#"Unusable("it answered 403: Method doesn't allow unregistered callers")"#);
    let limit = r#"{"error":{"code":429,"message":"Resource has been exhausted","status":"RESOURCE_EXHAUSTED"}}"#;
    assert_snapshot!(no(form, 429, "", limit), @r#"Busy { what: "it answered 429: Resource has been exhausted", after: None }"#);
}

#[test]
fn what_goes_wrong_below_is_told_apart() {
    let form = openai::FORM;
    assert_snapshot!(told(form, Does::BreakOff), @r#"Failed("the answer broke off")"#);
    let (url, _asked) = serve(Does::Hang);
    let short = Duration::from_millis(100);
    assert_eq!(complete(form, &url, short), Err(ModelError::TimedOut));
    let nobody = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let away = complete(form, &format!("http://{nobody}"), Duration::from_secs(5));
    assert!(matches!(away, Err(ModelError::Away(_))), "{away:?}");
    let long = format!("\"{}\"", "x".repeat(1 << 20));
    assert_snapshot!(ok(form, &long), @r#"Failed("the answer is longer than 1048576 bytes")"#);
}

#[test]
fn a_key_goes_nowhere_in_the_open() {
    let why = |asking: &Asking| match of(asking) {
        Ok(_) => "fine".to_owned(),
        Err(error) => error.to_string(),
    };
    let at = |url: &str, key_env: &str| {
        let mut asking = asking(Provider::OpenAi, url);
        key_env.clone_into(&mut asking.key_env);
        why(&asking)
    };
    // HOME is set wherever tests run, and serves as a key here.
    for (url, key_env, expected) in [
        ("http://localhost:11434/v1", "", "fine"),
        ("http://127.0.0.1:11434/v1", "HOME", "fine"),
        ("http://[::1]:8000/v1/", "HOME", "fine"),
        ("http://gpu.lan:8000/v1", "", "fine"),
        ("https://gateway.example/v1", "HOME", "fine"),
        (
            "http://localhost.evil.example/v1",
            "HOME",
            "a key would travel unencrypted; use https: http://localhost.evil.example/v1",
        ),
        (
            "http://me:pass@localhost/v1",
            "HOME",
            "model_url holds a password; name a variable in model_key_env instead",
        ),
        (
            "localhost:11434",
            "",
            "model_url is no address of the form https://…: localhost:11434",
        ),
        (
            "file:///etc/passwd",
            "",
            "model_url is no address of the form https://…: file:///etc/passwd",
        ),
        (
            "",
            "HARDWON_NO_SUCH_KEY",
            "the environment variable HARDWON_NO_SUCH_KEY holds no key",
        ),
    ] {
        assert_eq!(at(url, key_env), expected, "{url}");
    }
    assert_eq!(format!("{:?}", Key(KEY.to_owned())), "Key");
    let mut nameless = asking(Provider::Gemini, "http://localhost:1");
    nameless.name.clear();
    assert_snapshot!(why(&nameless), @"model_name is not set: set it with `hardwon config set model_name NAME`");
}

#[cfg(unix)]
mod command {
    use super::*;

    fn told(line: &str, seconds: u64) -> String {
        let mut asking = asking(Provider::Command, "");
        line.clone_into(&mut asking.command);
        asking.timeout = Duration::from_millis(seconds * 1000 + 300);
        match of(&asking).unwrap().unwrap().complete(&ask()) {
            Ok(answer) => format!("{:?}", answer.text.expose()),
            Err(error) => format!("{error:?}"),
        }
    }

    #[test]
    fn a_command_reads_the_question_and_says_the_answer() {
        assert_snapshot!(told("cat", 9), @r#""Answer in one word.\n\nAre you there?""#);
        assert_snapshot!(told("echo \"$HARDWON_PAUSED\"", 9), @r#""1\n""#);
        assert_snapshot!(told("echo no; echo 'token=hunter2hunter2 is bad' >&2; exit 3", 9), @r#"Failed("it ended with exit status: 3: token=[REDACTED:token] is bad")"#);
        assert!(told("/no/such/program", 9).starts_with("Unusable"));
    }

    #[test]
    fn a_command_is_ended_with_all_that_it_started() {
        let home = tempfile::tempdir().unwrap();
        let mark = home.path().join("mark");
        let line = format!("(sleep 1; touch {}) & sleep 60", mark.display());
        assert_eq!(told(&line, 0), "TimedOut");
        // One that leaves somebody behind with its pipe is not waited for longer than it may take.
        assert_eq!(told("sleep 60 & echo yes", 0), "TimedOut");
        assert_snapshot!(told("yes | head -c 3000000; sleep 60", 9), @r#"Failed("the answer is longer than 65536 bytes")"#);
        thread::sleep(Duration::from_secs(2));
        assert!(!mark.exists());
    }
}
