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
    assert_snapshot!(env.told(&["queue", "drain", "--json"]), @r#"{"done":0,"failed":0,"learned":0,"seen_again":0,"for_review":0,"refused":0,"calls":0,"tokens":0,"embedding":{"embedded":0,"unknown":0,"calls":0,"tokens":0}}"#);
    let shown = env.ok(&["recall", SLUGGISH]);
    assert!(shown.contains("missing index"), "{shown}");
    let explained = env.ok(&["recall", "--explain", SLUGGISH]);
    let near = explained
        .lines()
        .find(|line| line.contains("nearness"))
        .unwrap();
    assert_snapshot!(near.trim(), @"likeness 4.98, nearness 10.93: a cosine of 0.86");
    let json: Value =
        serde_json::from_str(&env.ok(&["recall", "--explain", "--json", SLUGGISH])).unwrap();
    assert!(json["candidates"][0]["nearness"]["similarity"].as_f64() > Some(0.8));
    let doctor = env.told(&["doctor"]);
    assert!(doctor.contains("meaning     openai m "), "{doctor}");
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
    let event = json!({"session_id": "s", "hook_event_name": "UserPromptSubmit",
        "cwd": env.work(), "transcript_path": "/none", "prompt": "postgres crawls"});
    env.ok_with(&["hook", "--client", "claude-code"], event.to_string());
    // The name of its space has the port in it.
    let line = doctor_line(&env);
    let late = "; too late for 1 prompt lately, found by their words alone\n";
    assert!(
        line.starts_with("ok   meaning     openai m ") && line.ends_with(late),
        "{line}"
    );
}

/// Returns what doctor says of recall by meaning.
fn doctor_line(env: &TestEnv) -> String {
    let told = env.told(&["doctor"]);
    let mut lines = told.lines().skip_while(|line| !line.contains(" meaning "));
    let first = lines.next().unwrap_or_default();
    let remedy = lines.next().filter(|line| line.contains("-> "));
    format!("{first}\n{}", remedy.unwrap_or_default())
}

/// The parts of a published model that knows six words, with one layer.
fn write_model(folder: &std::path::Path) {
    fs::create_dir_all(folder).unwrap();
    fs::write(
        folder.join("vocab.txt"),
        "[UNK]\n[CLS]\n[SEP]\nthe\ntests\nship\n",
    )
    .unwrap();
    let config = r#"{"_name_or_path":"nreimers/MiniLM-L6-H384-uncased","hidden_size":8,"intermediate_size":8,"num_attention_heads":2,"num_hidden_layers":1,"max_position_embeddings":4}"#;
    fs::write(folder.join("config.json"), config).unwrap();
    let (mut head, mut body) = (serde_json::Map::new(), Vec::new());
    let mut push = |name: &str, rows: usize| {
        let start = body.len();
        for place in 0..rows * 8 {
            let number = ((start + 7 * place) % 23) as f32 / 23.0 - 0.5;
            body.extend(number.to_le_bytes());
        }
        let shape = if rows == 1 {
            json!([8])
        } else {
            json!([rows, 8])
        };
        let entry = json!({"dtype": "F32", "shape": shape, "data_offsets": [start, body.len()]});
        head.insert(name.to_owned(), entry);
    };
    push("embeddings.word_embeddings.weight", 6);
    push("embeddings.position_embeddings.weight", 4);
    push("embeddings.token_type_embeddings.weight", 2);
    push("embeddings.LayerNorm.weight", 1);
    push("embeddings.LayerNorm.bias", 1);
    for part in [
        "attention.self.query",
        "attention.self.key",
        "attention.self.value",
        "attention.output.dense",
        "intermediate.dense",
        "output.dense",
    ] {
        push(&format!("encoder.layer.0.{part}.weight"), 8);
        push(&format!("encoder.layer.0.{part}.bias"), 1);
    }
    for norm in ["attention.output.LayerNorm", "output.LayerNorm"] {
        push(&format!("encoder.layer.0.{norm}.weight"), 1);
        push(&format!("encoder.layer.0.{norm}.bias"), 1);
    }
    let head = serde_json::to_vec(&head).unwrap();
    let bytes = [&(head.len() as u64).to_le_bytes()[..], &head, &body].concat();
    fs::write(folder.join("model.safetensors"), bytes).unwrap();
}

#[test]
fn a_model_is_put_in_place_and_taken_away() {
    let env = TestEnv::new();
    assert_snapshot!(env.told(&["meaning"]), @"no model is in place: lessons are found by their words. `hardwon meaning add FILE` puts one there (docs/meaning.md)");
    assert_snapshot!(doctor_line(&env), @"ok   meaning     no sentence model: lessons are found by their words; `hardwon meaning add FILE` adds one of 12 MB");
    assert_eq!(env.run(&["meaning", "add", "nowhere.whl"]).code, 2);
    let source = env.work().join("model");
    write_model(&source);
    let added = env.ok(&["meaning", "add", "model"]);
    assert!(
        added.starts_with("all-MiniLM-L6-v2, 0.0 MB, Apache-2.0; "),
        "{added}"
    );
    env.lessons(&[("tests", "Run the tests before you ship.")]);
    let told = env.ok(&["meaning"]);
    assert!(told.contains("\nhere a short prompt takes "), "{told}");
    assert!(
        told.ends_with("no prompt is kept that it could be tried on\n"),
        "{told}"
    );
    // The lesson got its vector when it was stored.
    let json = env.ok(&["recall", "--explain", "--json", "the tests"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert!(
        json["candidates"][0]["nearness"]["similarity"].is_number(),
        "{json}"
    );
    env.ok(&["recall", "run the tests"]);
    let told = env.ok(&["meaning"]);
    assert!(
        told.contains("\nof 1 prompt that was kept, 0 bring up"),
        "{told}"
    );
    assert_snapshot!(doctor_line(&env), @"ok   meaning     all-MiniLM-L6-v2, 0.0 MB, Apache-2.0; converted from the published weights of all-MiniLM-L6-v2; they were changed: rounded to 4 bits");
    env.ok(&["config", "set", "meaning", "off"]);
    assert_snapshot!(doctor_line(&env), @"ok   meaning     the setting `meaning` is off: lessons are found by their words");
    assert!(
        env.ok(&["meaning"])
            .ends_with("it is not used: the setting `meaning` is off\n")
    );
    env.ok(&["config", "unset", "meaning"]);
    // What is damaged leaves the words, and is told.
    let place = env
        .work()
        .parent()
        .unwrap()
        .join("data/hardwon/meaning.hwmodel");
    fs::write(&place, b"x").unwrap();
    let ran = env.run(&["recall", "run the tests before shipping"]);
    assert!(
        ran.out.contains("before you ship") && ran.err.contains("by words alone"),
        "{}",
        ran.err
    );
    assert_eq!(env.run(&["meaning"]).code, 2);
    assert_snapshot!(doctor_line(&env), @"
    FAIL meaning     [HOME]/data/hardwon/meaning.hwmodel is no model that this version can use: it is too short; lessons are found by their words
                     -> `hardwon meaning add FILE` puts a model in its place; see docs/meaning.md
    ");
    fs::write(&place, b"hwmodel3, of some later day").unwrap();
    assert_snapshot!(doctor_line(&env), @"
    FAIL meaning     [HOME]/data/hardwon/meaning.hwmodel is no model that this version can use: it is of another version: add the model again; lessons are found by their words
                     -> `hardwon meaning add FILE` puts a model in its place; see docs/meaning.md
    ");
    assert_snapshot!(env.told(&["meaning", "remove"]), @"removed the model; lessons are found by their words");
    assert_snapshot!(env.told(&["meaning", "remove"]), @"there is no model");
}
