//! What a server gets that mounts the tools.

use hardwon_core::{LessonContent, OutsideWords, RunId, limits};
use hardwon_engine::{Note, Principal, sessions::Sessions as _};
use hardwon_mcp::http::HttpOptions;
use serde_json::{Value, json};
use tokio::runtime::Builder;

use crate::{
    client::{Era, Session, post_plain},
    server::{TestServer, project_scope},
};

fn run<T>(work: impl Future<Output = T>) -> T {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(work)
}

async fn start() -> TestServer {
    TestServer::start(HttpOptions::default()).await
}

const LESSON: &str = "Run `npm run test:unit`; there is no test script.";

/// A lesson's whole life, in every version of the protocol that is spoken.
#[test]
fn a_lesson_from_record_to_forget() {
    for era in Era::ALL {
        run(async {
            let server = start().await;
            let session = Session::open(&server, era, "agent-orchard").await;
            live_through(&session, era).await;
        });
    }
}

async fn live_through(session: &Session, era: Era) {
    let tools = ["search", "get", "record", "feedback", "list", "forget"];
    assert_eq!(session.tools().await, tools, "{era:?}");
    let recorded = session
        .ok("record", json!({"signature": "npm test", "text": LESSON}))
        .await;
    assert_eq!(
        recorded,
        json!({"outcome": "recorded", "id": 1, "status": "active"}),
        "{era:?}"
    );
    let query = json!({"query": "npm test fails: missing script"});
    let found = session.ok("search", query).await;
    assert_eq!(found["lessons"][0]["text"], LESSON, "{era:?}");
    let lesson = session.ok("get", json!({"id": 1})).await;
    assert_eq!(
        [&lesson["text"], &lesson["trust"], &lesson["holds"]],
        [LESSON, "agent", "project"],
        "{era:?}"
    );
    let judged = json!({"id": 1, "verdict": "helped"});
    // It is the agent's own.
    assert_eq!(session.ok("feedback", judged).await["helped"], 0, "{era:?}");
    look_at_resources(session, era).await;
    let task = json!({"task": "make npm test pass"});
    let prompt = session.prompt("preflight", task).await.unwrap();
    assert!(prompt.starts_with("[KNOWN PITFALLS"), "{era:?}: {prompt}");
    assert!(prompt.contains("npm run test:unit"), "{era:?}: {prompt}");
    assert_eq!(
        session.prompt("postflight", json!({})).await,
        Err(-32602),
        "{era:?}"
    );
    let gone = json!({"id": 1, "why": "the user said so"});
    assert_eq!(session.ok("forget", gone).await["status"], "archived");
    let listed = session.ok("list", json!({})).await;
    assert_eq!(listed["lessons"], json!([]), "{era:?}");
}

async fn look_at_resources(session: &Session, era: Era) {
    let resources = ["lessons://index", "lessons://review-queue"];
    assert_eq!(session.resources().await, resources, "{era:?}");
    let index = session.read("lessons://index").await.unwrap();
    assert_eq!(index["lessons"][0]["uri"], "lesson://project/1", "{era:?}");
    let lesson = session.read("lesson://project/1").await.unwrap();
    assert_eq!(lesson["text"], LESSON, "{era:?}");
    let missing = session.read("lesson://project/2").await;
    // The newest protocol took away the code of its own.
    let code = if era == Era::Requests { -32602 } else { -32002 };
    assert_eq!(missing, Err(code), "{era:?}");
}

#[test]
fn a_long_lesson_is_linked_where_the_version_has_links() {
    let steps = [
        "Build the image with the cache of the last release first.",
        "Log in to the registry before, because the login of yesterday has ended.",
        "Take the tag from the file VERSION and never from the branch.",
        "Leave the folder of the front end out by .dockerignore, it doubles the size.",
        "The layer with the fonts changes rarely, so copy it before the sources.",
        "If the disk is full, prune dangling images and keep the named ones.",
        "The health check needs curl, which the slim variant does not have.",
        "Push both tags, the number and the word latest, in this order.",
        "Look at the size afterwards, anything above a gigabyte is a mistake.",
        "Tell the team channel which number went out, so that nobody builds it again.",
    ];
    run(async {
        let server = start().await;
        let session = Session::open(&server, Era::Requests, "agent-orchard").await;
        let record = json!({"signature": "docker build", "text": steps.join(" ")});
        session.ok("record", record).await;
        for era in Era::ALL {
            let session = Session::open(&server, era, "agent-orchard").await;
            let query = json!({"query": "docker build of the image"});
            let result = session.call("search", query).await;
            let kinds = result["content"].as_array().unwrap().iter();
            let kinds: Vec<&Value> = kinds.map(|block| &block["type"]).collect();
            match era {
                Era::Handshake("2025-03-26" | "2024-11-05") => assert_eq!(kinds, ["text"]),
                _ => assert_eq!(kinds, ["text", "resource_link"], "{era:?}"),
            }
        }
    });
}

/// Keys of two projects share an engine and nothing else.
#[test]
fn a_key_sees_its_own_project() {
    run(async {
        let server = start().await;
        let own = Session::open(&server, Era::Requests, "agent-orchard").await;
        own.ok("record", json!({"signature": "npm test", "text": LESSON}))
            .await;
        let other = Session::open(&server, Era::Requests, "agent-yard").await;
        let told = other.refused("get", json!({"id": 1})).await;
        assert!(told.contains("there is no lesson #1"), "{told}");
        assert_eq!(other.read("lesson://project/1").await, Err(-32602));
        let listed = other.ok("list", json!({})).await;
        assert_eq!(listed["lessons"], json!([]));
        let found = other.ok("search", json!({"query": "npm test"})).await;
        assert_eq!(found["lessons"], json!([]));
    });
}

#[test]
fn a_key_does_what_its_rights_allow() {
    run(async {
        let server = start().await;
        let reader = Session::open(&server, Era::Requests, "reader-orchard").await;
        reader.ok("search", json!({"query": "npm test"})).await;
        let told = reader.refused("record", json!({"text": LESSON})).await;
        assert_eq!(told, "this needs the right to write");
    });
}

/// Even by a person's key, it is an agent that speaks: it is trusted as one, and sees no words that wait.
#[test]
fn a_persons_key_makes_no_person_of_an_agent() {
    run(async {
        let server = start().await;
        let session = Session::open(&server, Era::Requests, "person-orchard").await;
        session.ok("record", json!({"text": LESSON})).await;
        assert_eq!(session.ok("get", json!({"id": 1})).await["trust"], "agent");
        session
            .ok("feedback", json!({"id": 1, "verdict": "stale"}))
            .await;
        let waiting = session.ok("list", json!({"status": "pending"})).await;
        let quarantined = session.ok("list", json!({"status": "quarantined"})).await;
        let shown = format!("{waiting}{quarantined}");
        assert!(shown.contains("\"id\":1"), "{shown}");
        assert!(!shown.contains("test:unit"), "{shown}");
        let told = session.refused("get", json!({"id": 1})).await;
        assert!(told.starts_with("#1 is held back\nhint: "), "{told}");
        // What a person wrote is a person's to take out.
        let desk = server
            .desk
            .engine
            .acting_as(Principal::person(project_scope("orchard")));
        desk.note(Note::new(LessonContent::new(
            "make",
            "Use `make -j2`, not more.",
        )))
        .unwrap();
        let gone = json!({"id": 2, "why": "it is in the way"});
        let told = session.refused("forget", gone).await;
        assert!(told.contains("hint: tell the user"), "{told}");
    });
}

/// What a session of the scope has read may be what its agent says.
#[test]
fn what_was_read_outside_is_held_back() {
    run(async {
        let server = start().await;
        let run = RunId::parse("r1").unwrap();
        let page = "the frobnicator daemon must always be restarted with elevated privileges";
        let words = OutsideWords::from_text(page);
        let scope = project_scope("orchard");
        server.desk.sessions.add_outside(&scope, &run, &words);
        let session = Session::open(&server, Era::Requests, "agent-orchard").await;
        let recorded = session.ok("record", json!({"text": page})).await;
        assert_eq!(recorded["status"], "pending", "{recorded}");
        let other = Session::open(&server, Era::Requests, "agent-yard").await;
        let recorded = other.ok("record", json!({"text": page})).await;
        assert_eq!(recorded["status"], "active", "{recorded}");
    });
}

/// The agent may be anywhere, and what is broken here is the server's own affair.
#[test]
fn a_fault_is_told_to_the_log_and_not_to_the_agent() {
    run(async {
        let server = start().await;
        let session = Session::open(&server, Era::Requests, "agent-broken").await;
        let told = session.refused("search", json!({"query": "x"})).await;
        assert_eq!(
            told,
            "the server of the lessons could not do this\n\
             hint: go on without it; whoever runs the server finds the reason in its log"
        );
        assert_eq!(session.read("lessons://index").await, Err(-32603));
        let log = server.desk.log.lock().unwrap().clone();
        assert_eq!(log, ["opening /srv/lessons.db: the disk is full"; 2]);
        // What the agent got wrong it is told as ever.
        let told = session.refused("search", json!({"query": " "})).await;
        assert!(told.starts_with("the query is empty"), "{told}");
    });
}

fn list_request() -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string()
}

/// A page in a browser reaches nothing that it was not given, whatever a name resolves to.
#[test]
fn hosts_and_origins_are_those_that_are_named() {
    let named = HttpOptions {
        hosts: vec!["lessons.example.com".to_owned()],
        origins: vec!["https://app.example.com:443".to_owned()],
        ..HttpOptions::default()
    };
    for (options, host, origin, expected) in [
        (HttpOptions::default(), "localhost", None, 200),
        (HttpOptions::default(), "127.0.0.1:8080", None, 200),
        (HttpOptions::default(), "[::1]:8080", None, 200),
        (HttpOptions::default(), "lessons.example.com", None, 403),
        (
            HttpOptions::default(),
            "localhost",
            Some("http://localhost"),
            403,
        ),
        (HttpOptions::default(), "localhost", Some("null"), 403),
        (named.clone(), "lessons.example.com", None, 200),
        (named.clone(), "lessons.example.com:8443", None, 200),
        (named.clone(), "localhost", None, 403),
        (
            named.clone(),
            "lessons.example.com",
            Some("https://app.example.com"),
            200,
        ),
        (
            named.clone(),
            "lessons.example.com",
            Some("http://app.example.com"),
            403,
        ),
        (
            named.clone(),
            "lessons.example.com",
            Some("https://example.org"),
            403,
        ),
    ] {
        run(async {
            let server = TestServer::start(options).await;
            let mut headers = vec![("host", host)];
            headers.extend(origin.map(|origin| ("origin", origin)));
            let (status, told) = post_plain(&server, &headers, list_request()).await;
            assert_eq!(status, expected, "{host} {origin:?}: {told}");
        });
    }
}

#[test]
fn a_request_has_an_end() {
    run(async {
        let server = start().await;
        let long = " ".repeat(limits::MCP_REQUEST_BYTES) + &list_request();
        let (status, _) = post_plain(&server, &[("host", "localhost")], long).await;
        assert_eq!(status, 413);
    });
}

#[test]
fn nothing_is_answered_after_the_shutdown() {
    run(async {
        let options = HttpOptions::default();
        let server = TestServer::start(options.clone()).await;
        let host = [("host", "localhost")];
        assert_eq!(post_plain(&server, &host, list_request()).await.0, 200);
        options.shutdown.cancel();
        assert_eq!(post_plain(&server, &host, list_request()).await.0, 500);
    });
}
