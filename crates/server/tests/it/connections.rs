//! Clients that are slow, and those that say nothing.

use std::{
    io::{ErrorKind, Read as _, Write as _},
    net::TcpStream,
    num::NonZeroUsize,
    thread,
    time::Duration,
};

use hardwon_server::Role;
use hardwon_server::ServerConfig;

use crate::client::{TestKey, TestServer};

/// Longer than any test runs.
const NEVER: Duration = Duration::from_secs(3600);
/// Soon enough for a test to wait for.
const SOON: Duration = Duration::from_millis(150);

/// The head of a request, but for its end.
const HALF_HEAD: &[u8] = b"GET /v1/lessons HTTP/1.1\r\nHost: localhost\r\n";

fn start(most: usize, header_timeout: Duration, idle_timeout: Duration) -> TestServer {
    TestServer::start_with(ServerConfig {
        max_connections: NonZeroUsize::new(most).unwrap(),
        header_timeout,
        idle_timeout,
        ..ServerConfig::default()
    })
}

fn connect(server: &TestServer, bytes: &[u8]) -> TcpStream {
    let address = server.url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    // A connection that was turned away may have ended already.
    stream.write_all(bytes).ok();
    stream
}

/// Returns all that is answered until the server ends the connection.
fn read_to_end(mut stream: TcpStream) -> String {
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        Ok(_) => {}
        Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset),
    }
    String::from_utf8(answer).unwrap()
}

/// Returns whether the server keeps a connection open.
fn is_open(mut stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    match stream.read(&mut [0]) {
        Err(error) => error.kind() == ErrorKind::WouldBlock,
        Ok(read) => read > 0,
    }
}

fn request(method: &str, key: &TestKey<'_>, body: &str, length: usize) -> String {
    format!(
        "{method} /v1/lessons HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nContent-Length: {length}\r\n\r\n{body}",
        key.token
    )
}

#[test]
fn hundreds_that_say_nothing_do_not_block_others() {
    let most = 16;
    let server = start(most, NEVER, NEVER);
    let key = server.key(Role::Viewer, "acme");
    let silent: Vec<TcpStream> = (0..400)
        .map(|at| match at % 3 {
            0 => connect(&server, b""),
            1 => connect(&server, b"G"),
            _ => connect(&server, HALF_HEAD),
        })
        .collect();
    for _ in 0..3 {
        assert_eq!(key.send("GET", "/v1/lessons", "").status, 200);
        assert_eq!(server.ops("/readyz").status, 200);
    }
    let open = || silent.iter().filter(|it| is_open(it)).count();
    while open() >= most {
        thread::sleep(SOON);
    }
    let metrics = server.ops("/metrics").body;
    let count = metrics
        .lines()
        .find_map(|it| it.strip_prefix("hardwon_connections "));
    let count: usize = count.unwrap().parse().unwrap();
    assert!(count <= most, "{count}");
}

#[test]
fn a_head_that_comes_too_slowly_is_cut_off() {
    let server = start(16, SOON, NEVER);
    let nothing = connect(&server, b"");
    let mut slow = connect(&server, HALF_HEAD);
    // One header after the other, for ever.
    while slow.write_all(b"X-More: 1\r\n").is_ok() {
        thread::sleep(SOON / 10);
    }
    assert_eq!(read_to_end(nothing), "");
}

#[test]
fn a_connection_without_another_request_ends() {
    let server = start(16, NEVER, SOON);
    let key = server.key(Role::Viewer, "acme");
    let asked = request("GET", &key, "", 0);
    let answer = read_to_end(connect(
        &server,
        &[asked.as_bytes(), asked.as_bytes()].concat(),
    ));
    assert_eq!(answer.matches("HTTP/1.1 200 OK").count(), 2, "{answer}");
}

#[test]
fn a_body_that_comes_too_slowly_is_given_up() {
    let server = TestServer::start_with(ServerConfig {
        request_timeout: SOON,
        header_timeout: SOON,
        idle_timeout: SOON,
        ..ServerConfig::default()
    });
    let key = server.key(Role::Agent, "acme");
    let mut slow = connect(&server, request("POST", &key, "{", 1000).as_bytes());
    while slow.write_all(b" ").is_ok() && is_open(&slow) {
        thread::sleep(SOON / 10);
    }
    slow.set_nonblocking(false).unwrap();
    let answer = read_to_end(connect(
        &server,
        request("POST", &key, "{", 1000).as_bytes(),
    ));
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
}
