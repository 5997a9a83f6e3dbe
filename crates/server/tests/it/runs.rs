//! `/v1/runs`: transcripts that are sent, however long.

use std::{
    io::{self, Read as _, Write as _},
    net::TcpStream,
    path::PathBuf,
};

use hardwon_server::Role;
use insta::assert_snapshot;
use serde_json::json;

use crate::client::{TestKey, TestServer, limits, on_each_store};

const MONDAY: &str = r#"{"type":"run","run":"monday","task":"run the tests of the shop"}
{"type":"tool","tool":"bash","args":"npm test","status":"error","error":"npm error Missing script: \"test\""}
{"type":"tool","tool":"bash","args":"npm test","status":"error","error":"npm error Missing script: \"test\""}
{"type":"tool","tool":"bash","args":"npm run test:unit","status":"ok"}
{"type":"end","status":"completed"}
"#;

#[test]
fn a_transcript_teaches_once() {
    on_each_store(|| {
        let server = TestServer::start();
        let key = server.key(Role::Agent, "acme");
        let send = |query: &str, body: &str| key.send("POST", &format!("/v1/runs{query}"), body);
        assert_snapshot!(send("?project=shop", MONDAY).told(), @r#"200 {"asks":0,"broken_lines":0,"for_review":0,"format":"plain-trace","learned":1,"lessons":[{"lesson":{"agent_id":"index","cause":"error","comes_up":["before `npm test`","when this fails","for tasks about its words"],"confidence":0.7,"contradicts":[],"created_at":0,"evidence":[{"kind":"run","note":"failed twice, worked 2 calls later","ref":"monday"}],"expires_at":null,"helped":0,"hit_count":0,"id":1,"last_seen_at":0,"lesson_text":"`npm test` fails with *Missing script: \"test\"*. Run `npm run test:unit` instead.","mistake":"`npm test` was called in a way that fails (twice).","outcome":"success","project":"shop","signature":"npm test (Missing script: \"test\")","situation":"`npm test` stops with *Missing script: \"test\"*.","slug":"run-npm-run-test-unit-instead-of-npm-test","status":"active","supersedes":[],"tags":["missing-script","npm","npm-test","test"],"tainted":false,"title":"Run `npm run test:unit` instead of `npm test`","tools":["npm test","bash"],"trust":"derived","updated_at":0,"wrong":0},"outcome":"recorded"}],"refused":0,"runs":1,"seen_again":0,"skipped":{},"witnessed":0}"#);
        let again = send("?project=shop&name=monday.jsonl", MONDAY).json();
        assert_eq!([&again["learned"], &again["seen_again"]], [0, 1]);
        assert_eq!(
            again["lessons"][0]["lesson"]["evidence"]
                .as_array()
                .unwrap()
                .len(),
            1
        );
        let broken = format!("{MONDAY}{{\"type\":\"tool\"}}\n");
        assert_eq!(send("?project=shop", &broken).json()["broken_lines"], 1);
    });
}

#[test]
fn a_run_without_a_name_is_known_by_its_transcripts_name_or_content() {
    on_each_store(|| {
        let server = TestServer::start();
        let key = server.key(Role::Agent, "acme");
        // A file is known by its first 1,024 bytes, so a short one that grows is another one.
        let (_, calls) = MONDAY.split_once('\n').unwrap();
        let nameless = format!(
            "{}{calls}",
            json!({"type": "message", "role": "user", "text": "word ".repeat(300)}).to_string()
                + "\n"
        );
        let nameless = &*nameless;
        let owner = server.key(Role::Owner, "acme");
        let runs = || {
            let lesson = owner.send("GET", "/v1/lessons/1", "").json();
            lesson["lesson"]["evidence"].as_array().unwrap().len()
        };
        let send = |query: &str, body: &str| {
            let sent = key.send("POST", &format!("/v1/runs?project=shop{query}"), body);
            assert_eq!(sent.status, 200, "{}", sent.body);
            runs()
        };
        assert_eq!([send("", nameless), send("", nameless)], [1, 1]);
        assert_eq!(send("&name=a", nameless), 2);
        let grown = format!(
            "{nameless}{}\n",
            r#"{"type":"message","role":"user","text":"go on"}"#
        );
        assert_eq!(send("&name=a", &grown), 2);
    });
}

#[test]
fn what_is_wrong_with_a_transcript_is_said() {
    on_each_store(|| {
        let server = TestServer::start();
        let key = server.key(Role::Agent, "acme");
        let check = |key: &TestKey<'_>, query: &str, body: &str, status: u16, error: &str| {
            let answer = key.send("POST", &format!("/v1/runs{query}"), body);
            let told = answer.json()["error"].as_str().unwrap().to_owned();
            assert_eq!((answer.status, &*told), (status, error), "{query}");
            assert_eq!(sent_files(&server).len(), 0);
        };
        let unknown = "this is not a transcript in a known format";
        check(&key, "", "", 400, unknown);
        check(&key, "", "password=hunter2", 400, unknown);
        check(
            &key,
            "?project=",
            MONDAY,
            400,
            "a project must not be empty",
        );
        let bound = server.key_with(Role::Agent, "acme", limits(&["bot"], &["shop"]));
        let beyond = "this key does not reach that project";
        check(&bound, "?project=garden", MONDAY, 403, beyond);
        let viewer = server.key(Role::Viewer, "acme");
        let refused = "a key of role `viewer` may not be used for `learn`";
        check(&viewer, "", MONDAY, 403, refused);
    });
}

/// A transcript's own words do not carry it beyond the limits of the key that sent it.
#[test]
fn a_transcript_teaches_where_its_key_may() {
    on_each_store(|| {
        let server = TestServer::start();
        let named = MONDAY.replace(
            "\"task\"",
            "\"agent\":\"other\",\"project\":\"garden\",\"task\"",
        );
        let taught = |key: &TestKey<'_>| {
            let sent = key.send("POST", "/v1/runs", &named).json();
            let lesson = &sent["lessons"][0]["lesson"];
            (lesson["agent_id"].clone(), lesson["project"].clone())
        };
        let bound = server.key_with(Role::Agent, "acme", limits(&["bot"], &["shop"]));
        assert_eq!(taught(&bound), (json!("bot"), json!("shop")));
        let owner = server.key(Role::Owner, "acme");
        assert_eq!(taught(&owner), (json!("index"), json!("garden")));
    });
}

/// How much of what was sent may still be on its way to the file, in bytes.
const ON_ITS_WAY: usize = 8 * 1024 * 1024;

#[test]
fn a_long_transcript_is_streamed_and_leaves_nothing_behind() {
    const SECRET: &str = "ghp_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5";
    let server = TestServer::start();
    let key = server.key(Role::Agent, "acme");
    let line = format!(
        "{{\"type\":\"tool\",\"tool\":\"read\",\"args\":\"{SECRET}\",\"status\":\"ok\",\"output\":\"{}\"}}\n",
        "word ".repeat(12_000)
    );
    let lines = 30 * 1024 * 1024 / line.len() + 1;
    let answer = send_slowly(&server, &key, "/v1/runs?project=shop", |to| {
        to.write_all(b"{\"type\":\"run\",\"run\":\"long\"}\n")?;
        (0..lines / 2).try_for_each(|_| to.write_all(line.as_bytes()))?;
        // The first half is in the file before the second is sent.
        wait_for_file(&server, lines / 2 * line.len() - ON_ITS_WAY);
        (lines / 2..lines).try_for_each(|_| to.write_all(line.as_bytes()))
    });
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.contains("\"runs\":1"), "{answer}");
    let holds_secret = |content: &[u8]| {
        content
            .windows(SECRET.len())
            .any(|it| it == SECRET.as_bytes())
    };
    for (path, content) in server.files() {
        assert!(!holds_secret(&content), "{}", path.display());
    }
    assert_eq!(sent_files(&server).len(), 0);
}

#[test]
fn a_body_that_breaks_off_or_is_too_long_leaves_nothing_behind() {
    on_each_store(|| {
        let mut server = TestServer::start();
        let key = server.key(Role::Agent, "acme");
        let head = |length: usize| {
            format!(
                "POST /v1/runs HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\ncontent-length: {length}\r\n\r\n",
                key.token
            )
        };
        let mut long = connect(&server);
        long.write_all(head(70 * 1024 * 1024).as_bytes()).unwrap();
        let mut answer = [0; 12];
        long.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"HTTP/1.1 413");
        let mut torn = connect(&server);
        torn.write_all(head(1000).as_bytes()).unwrap();
        torn.write_all(&MONDAY.as_bytes()[..100]).unwrap();
        drop(torn);
        // A server that stops has seen the end of every request.
        server.end();
        assert_eq!(sent_files(&server).len(), 0);
    });
}

/// Sends a body of unknown length, and returns the answer.
fn send_slowly(
    server: &TestServer,
    key: &TestKey<'_>,
    path: &str,
    write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
) -> String {
    let mut connection = connect(server);
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n",
        key.token
    );
    connection.write_all(head.as_bytes()).unwrap();
    write(&mut ChunkWriter(&mut connection)).unwrap();
    connection.write_all(b"0\r\n\r\n").unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    answer
}

/// Writes each piece as a chunk of HTTP.
struct ChunkWriter<'a>(&'a mut TcpStream);

impl io::Write for ChunkWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        write!(self.0, "{:x}\r\n", bytes.len())?;
        self.0.write_all(bytes)?;
        self.0.write_all(b"\r\n")?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn connect(server: &TestServer) -> TcpStream {
    TcpStream::connect(server.url.trim_start_matches("http://")).unwrap()
}

/// Waits until a transcript is in a file that only its owner reads, this much of it.
fn wait_for_file(server: &TestServer, bytes: usize) {
    for _ in 0..10_000 {
        if let [path] = &sent_files(server)[..] {
            let about = path.metadata().unwrap();
            #[cfg(unix)]
            {
                use std::os::unix::fs::MetadataExt as _;
                assert_eq!(about.mode() & 0o777, 0o600);
            }
            if about.len() >= bytes as u64 {
                return;
            }
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    panic!("the transcript never got into its file");
}

/// Returns the files that transcripts are in.
fn sent_files(server: &TestServer) -> Vec<PathBuf> {
    let folder = server.folder().join("sessions").join("sent");
    let files = std::fs::read_dir(folder).into_iter().flatten();
    files.map(|it| it.unwrap().path()).collect()
}
