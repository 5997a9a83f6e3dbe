//! Clients that mean harm: whatever they hold on to, whoever has a key is answered within a second.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    num::NonZeroUsize,
    time::{Duration, Instant},
};

use hardwon_server::Role;
use hardwon_server::ServerConfig;

use crate::client::{TestKey, TestServer};

/// How long a request with a key may take, whatever others do.
const SOON: Duration = Duration::from_secs(1);
/// Most connections of the server; several times as many come.
const MOST: usize = 32;

fn start() -> TestServer {
    TestServer::start_with(ServerConfig {
        max_connections: NonZeroUsize::new(MOST).unwrap(),
        ..ServerConfig::default()
    })
}

fn address(server: &TestServer) -> &str {
    server.url.strip_prefix("http://").unwrap()
}

/// Opens many connections that say the same and then nothing more.
fn hold(server: &TestServer, bytes: &[u8]) -> Vec<TcpStream> {
    let connect = |_| {
        let mut stream = TcpStream::connect(address(server)).unwrap();
        stream.set_write_timeout(Some(SOON)).unwrap();
        // One that lost its place may have ended already.
        stream.write_all(bytes).ok();
        stream
    };
    (0..4 * MOST).map(connect).collect()
}

/// Returns the first line that a request with a key is answered, on a connection of its own, and how long that takes.
fn ask(key: &TestKey<'_>, server: &TestServer) -> (String, Duration) {
    let began = Instant::now();
    let mut stream = TcpStream::connect(address(server)).unwrap();
    stream.set_read_timeout(Some(3 * SOON)).unwrap();
    let asked = format!(
        "GET /v1/lessons HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer {}\r\n\r\n",
        key.token
    );
    stream.write_all(asked.as_bytes()).ok();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok();
    let answer = String::from_utf8_lossy(&answer).into_owned();
    (
        answer.lines().next().unwrap_or_default().to_owned(),
        began.elapsed(),
    )
}

fn check(server: &TestServer, kind: &str, bytes: &[u8]) {
    let key = server.key(Role::Viewer, "acme");
    let held = hold(server, bytes);
    for _ in 0..8 {
        let (line, time) = ask(&key, server);
        assert_eq!(line, "HTTP/1.1 200 OK", "{kind}");
        assert!(time < SOON, "{kind}: {time:?}");
    }
    drop(held);
}

/// Begins a request with a body, and leaves out all of it but a byte.
fn half_body(server: &TestServer, path: &str, more: &str) -> Vec<u8> {
    let host = address(server);
    format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n{more}Content-Length: 1000\r\n\
         Content-Type: application/x-www-form-urlencoded\r\n\r\nk"
    )
    .into_bytes()
}

#[test]
fn what_strangers_hold_keeps_nobody_with_a_key_waiting() {
    let server = start();
    let long = format!(
        "GET / HTTP/1.1\r\nHost: x\r\nX-Long: {}",
        "a".repeat(15_000)
    );
    let unread = "GET /v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(20);
    check(&server, "nothing", b"");
    check(&server, "a byte", b"G");
    check(&server, "half a head", b"GET / HTTP/1.1\r\nHost: x\r\n");
    check(&server, "half a long head", long.as_bytes());
    check(
        &server,
        "HTTP/2",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0",
    );
    check(&server, "TLS", b"\x16\x03\x01\x02\0\x01\0\x01\xfc");
    check(&server, "answers unread", unread.as_bytes());
    check(&server, "half a form", &half_body(&server, "/login", ""));
    check(
        &server,
        "half a body",
        &half_body(&server, "/v1/lessons", ""),
    );
    let wrong = "Authorization: Bearer hwk_0\r\n";
    check(
        &server,
        "a wrong key",
        &half_body(&server, "/v1/lessons", wrong),
    );
}

/// Also who has a key cannot keep others waiting by sending slowly.
#[test]
fn half_bodies_with_a_key_keep_nobody_else_waiting() {
    let server = start();
    let slow = server.key(Role::Agent, "acme");
    let bearer = format!("Authorization: Bearer {}\r\n", slow.token);
    check(
        &server,
        "half a body",
        &half_body(&server, "/v1/lessons", &bearer),
    );
    let idle = format!("GET /v1/lessons HTTP/1.1\r\nHost: x\r\n{bearer}\r\n");
    check(&server, "no next request", idle.as_bytes());
}

#[test]
fn methods_that_nobody_knows_are_counted_as_one() {
    let server = start();
    let mut stream = TcpStream::connect(address(&server)).unwrap();
    for number in 0..50 {
        let method = format!("Z{number}{}", "A".repeat(1000));
        write!(stream, "{method} /v1/lessons HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        assert_ne!(stream.read(&mut [0; 4096]).unwrap(), 0);
    }
    let metrics = server.ops("/metrics").body;
    let has = |words: &str| metrics.contains(words);
    assert!(
        has(r#"method="OTHER""#) && !has("Z1AAA"),
        "{} bytes",
        metrics.len()
    );
}
