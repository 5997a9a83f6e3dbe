//! Tests over a real socket, against a server that answers as such services do.

use hardwon_core::RawText;
use insta::assert_snapshot;

use super::*;
use crate::tests::{Does, KEY, config, serve};

fn service(url: &str, dimensions: Option<u32>) -> EmbeddingService {
    let config = config("embedding", url, "SOME_KEY");
    EmbeddingService::new(&config, dimensions, |_| Some(KEY.to_owned())).unwrap()
}

fn texts(texts: &[&str]) -> Vec<CleanText> {
    let clean = |text: &&str| hardwon_redact::clean_to_bytes(&RawText::from(*text), 2000);
    texts.iter().map(clean).collect()
}

/// Returns the result for two texts, in a line.
fn told(does: Does) -> String {
    let (url, _asked) = serve(does);
    let embedded = service(&url, None).embed(&texts(&["north", "east"]), Duration::from_secs(5));
    let told = match embedded {
        Ok(embedded) => {
            let bytes =
                |it: &Result<Vector, _>| it.as_ref().map(Vector::to_bytes).unwrap_or_default();
            let vectors: Vec<_> = embedded.vectors.iter().map(bytes).collect();
            format!("{vectors:?} {}", embedded.tokens)
        }
        Err(error) => format!("{error:?}"),
    };
    assert!(!told.contains("5up3r"), "{told}");
    told
}

fn ok(body: &str) -> String {
    told(Does::Answer(200, "", body.to_owned()))
}

fn no(status: u16, headers: &'static str, body: &str) -> String {
    told(Does::Answer(status, headers, body.to_owned()))
}

#[test]
fn a_service_is_asked_in_its_form() {
    let asked = |dimensions| {
        let (url, asked) = serve(Does::Answer(500, "", String::new()));
        let within = Duration::from_secs(5);
        drop(service(&url, dimensions).embed(&texts(&["token=hunter2hunter2", "b"]), within));
        asked.recv().unwrap()
    };
    assert_snapshot!(asked(None), @r#"
    POST /embeddings HTTP/1.1
    authorization: Bearer sk-test-5up3rs3cr3t
    {
      "input": [
        "token=[REDACTED:token]",
        "b"
      ],
      "model": "m-1"
    }
    "#);
    assert!(asked(Some(256)).contains(r#""dimensions": 256"#));
}

#[test]
fn vectors_come_in_the_order_of_their_index() {
    let one = r#"{"object":"list","model":"m-1","data":[
        {"object":"embedding","index":1,"embedding":[1.0,0]},
        {"object":"embedding","index":0,"embedding":[0,-2e-3]}],
        "usage":{"prompt_tokens":7,"total_tokens":8}}"#;
    assert_snapshot!(ok(one), @"[[0, 129], [127, 0]] 8");
    // Without indexes they come in order, and without a count the tokens are estimated.
    let bare = r#"{"data":[{"embedding":[0,1]},{"embedding":[0,0]}]}"#;
    assert_snapshot!(ok(bare), @"[[0, 127], []] 3");
}

#[test]
fn an_answer_that_is_none_is_told() {
    assert_snapshot!(ok("{}"), @r#"Failed("the answer holds no vectors")"#);
    assert_snapshot!(ok("<html>"), @r#"Failed("the answer is not what such a service answers")"#);
    let data = |data: &str| ok(&format!(r#"{{"data":[{data}]}}"#));
    assert_snapshot!(data(r#"{"index":0,"embedding":[1]}"#),
        @r#"Failed("the answer holds 1 of 2 vectors")"#);
    assert_snapshot!(data(r#"{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}"#),
        @r#"Failed("the answer numbers its vectors wrongly")"#);
    assert_snapshot!(data(r#"{"index":2,"embedding":[1]}"#),
        @r#"Failed("the answer numbers its vectors wrongly")"#);
    assert_snapshot!(data(r#"{"index":-1,"embedding":[1]}"#),
        @r#"Failed("the answer holds 1 of 2 vectors")"#);
    assert_snapshot!(data(r#"{"embedding":"AAAAAA=="}"#),
        @r#"Failed("the answer's vectors are no lists of numbers")"#);
    assert_snapshot!(data(r#"{"embedding":[1,null]}"#),
        @r#"Failed("a vector holds more than numbers")"#);
    // A vector that is too long is invalid, which the caller sees.
    let long = format!("[{}1]", "0,".repeat(4096));
    assert_snapshot!(data(&format!(r#"{{"embedding":{long}}},{{"embedding":[1e39]}}"#)),
        @"[[], []] 3");
}

#[test]
fn a_refusal_is_told_without_the_key() {
    assert_snapshot!(no(401, "", r#"{"error":{"message":"no such key sk-test-5up3rs3cr3t"}}"#),
        @r#"Unusable("it answered 401: no such key [key]")"#);
    assert_snapshot!(no(429, "retry-after: 3\r\n", r#"{"error":{"message":"slow down"}}"#),
        @r#"Busy { what: "it answered 429: slow down", after: Some(3s) }"#);
    assert_snapshot!(no(400, "", r#"{"error":"input is too long"}"#),
        @r#"Refused("it answered 400: input is too long")"#);
    assert_snapshot!(no(302, "location: http://127.0.0.1:9/\r\n", ""),
        @r#"Unusable("it answered 302")"#);
    assert_snapshot!(told(Does::BreakOff), @r#"Failed("the answer broke off")"#);
}

#[test]
fn nobody_waits_longer_than_said() {
    let (url, _asked) = serve(Does::Hang);
    let embedded = service(&url, None).embed(&texts(&["a"]), Duration::from_millis(50));
    assert_eq!(embedded, Err(ModelError::TimedOut));
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", gone.local_addr().unwrap());
    drop(gone);
    let embedded = service(&url, None).embed(&texts(&["a"]), Duration::from_secs(5));
    assert_snapshot!(embedded.unwrap_err(), @"nothing listens at its address");
}

#[test]
fn a_space_is_named_by_who_is_asked_for_what() {
    let space = |url: &str, dimensions| service(url, dimensions).space_name().unwrap();
    assert_snapshot!(space("http://localhost/v1", None), @"openai m-1 fff11d15");
    assert_ne!(
        space("http://localhost/v1", None),
        space("http://localhost/v1", Some(9))
    );
    assert_ne!(
        space("http://localhost/v1", None),
        space("http://localhost/v2", None)
    );
}

#[test]
fn a_service_that_cannot_be_trusted_with_the_key_is_refused() {
    let config = config("embedding", "https://a:b@x", "");
    let refused = EmbeddingService::new(&config, None, |_| None)
        .err()
        .unwrap();
    assert_snapshot!(refused, @"embedding_url holds a password; name a variable in embedding_key_env instead");
}

#[test]
fn an_unusable_embedding_says_why_each_time() {
    let why = ModelError::Unusable("nobody is there".to_owned());
    let embedder = UnusableEmbedder(why.clone());
    assert_eq!(embedder.space_name(), Err(why.clone()));
    assert_eq!(embedder.embed(&[], Duration::ZERO), Err(why));
}
