//! Recall by meaning, with a service on this machine whose embedding knows a few words.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::env::TestEnv;

/// Words, and which of three directions each points in.
const WORDS: [(&str, [f32; 3]); 10] = [
    ("slow", [1.0, 0.0, 0.0]),
    ("sluggish", [1.1, 0.1, 0.1]),
    ("crawl", [0.9, 0.0, 0.1]),
    ("crawls", [0.9, 0.1, 0.1]),
    ("postgres", [0.5, 0.6, 0.0]),
    ("index", [0.6, 0.5, 0.0]),
    ("topic", [0.0, 0.0, 1.0]),
    ("other", [0.0, 0.2, 1.0]),
    ("thing", [0.1, 0.0, 1.0]),
    ("things", [0.1, 0.1, 1.0]),
];

/// A service that embeds as OpenAI's does, until it fails.
struct EmbeddingServer {
    url: String,
    has_failed: Arc<AtomicBool>,
}

impl EmbeddingServer {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let has_failed = Arc::new(AtomicBool::new(false));
        let is_failing = Arc::clone(&has_failed);
        thread::spawn(move || {
            for stream in listener.incoming() {
                answer(stream.unwrap(), is_failing.load(Ordering::SeqCst));
            }
        });
        Self { url, has_failed }
    }

    fn fail(&self) {
        self.has_failed.store(true, Ordering::SeqCst);
    }
}

/// Reads one request, and answers it.
fn answer(mut stream: TcpStream, is_failing: bool) {
    let mut reader = BufReader::new(&stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let asked: Value = serde_json::from_slice(&body).unwrap();
    let texts = asked["input"].as_array().unwrap();
    let data: Vec<Value> = texts
        .iter()
        .map(|text| json!({"embedding": vector(text.as_str().unwrap())}))
        .collect();
    let (status, body) = if is_failing {
        (500, String::new())
    } else {
        (
            200,
            json!({"data": data, "usage": {"total_tokens": texts.len()}}).to_string(),
        )
    };
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).unwrap();
}

/// Adds up the directions of a text's words.
fn vector(text: &str) -> [f32; 3] {
    let text = text.to_lowercase();
    let words = text.split(|c: char| !c.is_alphanumeric());
    let known = words.filter_map(|word| WORDS.iter().find(|(known, _)| *known == word));
    known.fold([0.0; 3], |sum, (_, direction)| {
        [0, 1, 2].map(|at| sum[at] + direction[at])
    })
}

/// Starts a service and sets it.
fn set_up(env: &TestEnv) -> EmbeddingServer {
    let server = EmbeddingServer::start();
    for (name, value) in [
        ("embedding_url", server.url.as_str()),
        ("embedding_name", "m"),
        ("embedding", "openai"),
        // Nobody is to be in a hurry on a busy machine.
        ("embedding_timeout", "60000"),
    ] {
        env.ok(&["config", "set", name, value]);
    }
    server
}

/// A lesson about latency among twenty about other things.
fn lessons(env: &TestEnv) {
    env.lessons(&[(
        "postgres latency",
        "Vacuum nightly, and look for a missing index when postgres crawls.",
    )]);
    let others: Vec<(String, String)> = (0..20)
        .map(|it| {
            (
                format!("topic{it}"),
                format!("The other thing is thing{it}."),
            )
        })
        .collect();
    let others: Vec<(&str, &str)> = others
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    env.lessons(&others);
}

const SLUGGISH: &str = "a vacuum for the sluggish shop";

#[test]
fn an_embedding_helps_where_words_are_few() {
    let env = TestEnv::new();
    lessons(&env);
    assert_eq!(env.ok(&["recall", SLUGGISH]), "");
    let _server = set_up(&env);
    // Until lessons have vectors they go by words.
    assert_eq!(env.ok(&["recall", SLUGGISH]), "");
    assert_snapshot!(env.told(&["queue", "drain"]), @"21 lessons embedded; 1 call, 21 tokens");
    assert_snapshot!(env.told(&["queue", "drain", "--json"]), @r#"{"done":0,"failed":0,"learned":0,"seen_again":0,"for_review":0,"refused":0,"calls":0,"tokens":0,"money":0.0,"embedding":{"embedded":0,"unknown":0,"calls":0,"tokens":0}}"#);
    let shown = env.ok(&["recall", SLUGGISH]);
    assert!(shown.contains("missing index"), "{shown}");
    let explained = env.ok(&["recall", "--explain", SLUGGISH]);
    let near = explained
        .lines()
        .find(|line| line.contains("nearness"))
        .unwrap();
    assert_snapshot!(near.trim(), @"");
    let json: Value =
        serde_json::from_str(&env.ok(&["recall", "--explain", "--json", SLUGGISH])).unwrap();
    assert!(json["candidates"][0]["nearness"]["similarity"].as_f64() > Some(0.8));
    let doctor = env.told(&["doctor"]);
    assert!(doctor.contains("meaning   openai m "), "{doctor}");
    assert_eq!(env.run(&["doctor", "--probe"]).code, 0);
    // What is learned later has no vector yet, and what was reworded has none any more.
    env.lessons(&[("topic99", "The thing is another.")]);
    assert_snapshot!(env.told(&["queue", "drain"]), @"1 lesson embedded; 1 call, 1 token");
}

#[test]
fn an_embedding_in_trouble_leaves_the_words() {
    let env = TestEnv::new();
    lessons(&env);
    let server = set_up(&env);
    env.ok(&["queue", "drain"]);
    server.fail();
    let ran = env.run(&["recall", "a missing index makes postgres crawl"]);
    assert_eq!(ran.code, 0);
    assert!(ran.out.contains("missing index"), "{}", ran.out);
    assert!(
        ran.err
            .contains("found by words alone, because the embedding failed: it answered 500"),
        "{}",
        ran.err
    );
    assert_eq!(env.run(&["doctor", "--probe"]).code, 1);
    env.lessons(&[("topic99", "The thing is another.")]);
    let drained = env.run(&["queue", "drain"]);
    assert_eq!(drained.code, 3);
    let drained = drained.out;
    assert!(
        drained.starts_with("0 lessons embedded; the others are left for later: "),
        "{drained}"
    );
    env.ok(&["config", "unset", "embedding_name"]);
    let told = env.told(&["recall", "a missing index makes postgres crawl"]);
    assert!(told.contains("embedding_name is not set"), "{told}");
    assert_snapshot!(env.told(&["config", "set", "embedding", "ollama"]), @r#"
    ! hardwon: "ollama" is not a valid value of the setting embedding
    ! hint: a service for recall by meaning instead: off or openai
    [exit 2]
    "#);
}

#[test]
fn a_hook_tells_what_words_find_and_logs_the_rest() {
    let env = TestEnv::new();
    lessons(&env);
    let server = set_up(&env);
    env.ok(&["queue", "drain"]);
    let hook = |session: &str, prompt: &str| {
        let event = json!({"session_id": session, "hook_event_name": "UserPromptSubmit",
            "cwd": env.work(), "transcript_path": "/none", "prompt": prompt});
        env.ok_with(&["hook", "--client", "claude-code"], event.to_string())
    };
    // A busy machine may not answer within a hook's time, so it may try again.
    let mut sessions = (0..20).map(|at| hook(&format!("s{at}"), SLUGGISH));
    assert!(sessions.any(|it| it.contains("missing index")));
    server.fail();
    assert_eq!(hook("t1", SLUGGISH), "");
    assert!(hook("t2", "a missing index makes postgres crawl").contains("missing index"));
    let log =
        fs::read_to_string(env.work().parent().unwrap().join("state/hardwon/hook.log")).unwrap();
    let is_about_it = |it: &str| it.contains("claude-code: embedding the prompt: ");
    assert!(
        log.lines().count() >= 2 && log.lines().all(is_about_it),
        "{log}"
    );
}

/// An endpoint that answers nobody: the prompt's time is up soon, and lessons are found by words.
#[test]
fn a_service_that_hangs_is_not_waited_for() {
    let env = TestEnv::new();
    lessons(&env);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    for (name, value) in [
        ("embedding_url", url.as_str()),
        ("embedding_name", "m"),
        ("embedding", "openai"),
        ("embedding_timeout", "100"),
    ] {
        env.ok(&["config", "set", name, value]);
    }
    let ran = env.run(&["recall", "a missing index makes postgres crawl"]);
    assert!(ran.out.contains("missing index"), "{}", ran.out);
    assert!(
        ran.err
            .contains("because the embedding failed: no answer in time"),
        "{}",
        ran.err
    );
}
