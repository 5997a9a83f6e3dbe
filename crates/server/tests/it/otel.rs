//! Telemetry that reaches a collector, and what is not in it.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::mpsc,
    thread,
    time::Duration,
};

use hardwon_core::api_key::Role;
use hardwon_server::{ServerConfig, TelemetryConfig};
use serde_json::{Value, json};

use crate::client::TestServer;

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const SPAN: &str = "b7ad6b7169203331";

/// What a collector was sent: the path, the header that lets it in, and the body.
type Delivered = (String, String, Value);

/// Starts a collector, and returns its address and what it is sent.
fn start_collector() -> (String, mpsc::Receiver<Delivered>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (sender, delivered) = mpsc::channel();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let sender = sender.clone();
            thread::spawn(move || while take_in(&stream, &sender).is_some() {});
        }
    });
    (url, delivered)
}

/// Reads one request and answers it; `None` when the connection is over.
fn take_in(stream: &TcpStream, sender: &mpsc::Sender<Delivered>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        let read = reader.read_line(&mut line).ok()?;
        match line.trim() {
            "" if read == 0 => return None,
            "" => break,
            line => head.push(line.to_owned()),
        }
    }
    let header = |name: &str| {
        let lines = head.iter().filter_map(|it| it.split_once(": "));
        let mut found = lines.filter(|(it, _)| it.eq_ignore_ascii_case(name));
        found
            .next()
            .map(|(_, value)| value.to_owned())
            .unwrap_or_default()
    };
    let mut body = vec![0; header("content-length").parse().ok()?];
    reader.read_exact(&mut body).ok()?;
    let path = head[0].split(' ').nth(1)?.to_owned();
    let body = serde_json::from_slice(&body).ok()?;
    sender.send((path, header("x-collector-key"), body)).ok()?;
    let mut writer = stream;
    writer
        .write_all(
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}",
        )
        .ok()
}

#[test]
fn figures_and_spans_reach_a_collector_without_words() {
    let (url, delivered) = start_collector();
    let config = ServerConfig {
        telemetry: Some(TelemetryConfig {
            endpoint: url,
            headers: vec![("x-collector-key".to_owned(), "letmein".to_owned())],
            interval: Duration::from_millis(200),
        }),
        ..ServerConfig::default()
    };
    let server = TestServer::start_with(config);
    let key = server.key(Role::Owner, "quokka");
    let id = key.lesson(&json!({"signature": "the lighthouse", "lesson_text": "Mind the trailing narwhal.", "project": "wombat"}));
    let bearer = format!("Bearer {}", key.token);
    let parent = |flags: &str| format!("00-{TRACE}-{SPAN}-{flags}");
    let path = format!("/v1/lessons/{id}?agent_id=platypus");
    for flags in ["01", "00"] {
        let headers = [("authorization", &*bearer), ("traceparent", &parent(flags))];
        assert_eq!(server.browse("GET", &path, &headers, "").status, 200);
    }
    let token = key.token.clone();
    server.stop();
    let all: Vec<Delivered> = delivered.try_iter().collect();
    assert!(all.iter().all(|it| it.1 == "letmein"));
    let told = format!("{all:?}");
    for word in [
        "quokka",
        "lighthouse",
        "narwhal",
        "wombat",
        "platypus",
        &token,
    ] {
        assert!(!told.contains(word), "{word} is in {told}");
    }
    let spans = all.iter().filter(|it| it.0 == "/v1/traces");
    let spans = spans.flat_map(|it| it.2["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array());
    let spans: Vec<&Value> = spans.flatten().collect();
    let named = |name: &str| {
        spans
            .iter()
            .filter(|it| it["name"] == name)
            .collect::<Vec<_>>()
    };
    assert_eq!(named("POST /v1/lessons").len(), 1, "{spans:?}");
    let shown = named("GET /v1/lessons/{id}");
    assert_eq!(
        shown.len(),
        1,
        "what its sender does not record is not sent: {spans:?}"
    );
    assert_eq!(
        (&shown[0]["traceId"], &shown[0]["parentSpanId"]),
        (&json!(TRACE), &json!(SPAN))
    );
    let nanos = |name: &str| shown[0][name].as_str().unwrap().parse::<u128>().unwrap();
    assert!(nanos("endTimeUnixNano") >= nanos("startTimeUnixNano"));
    // The last figures are those of the end.
    let last = all.iter().rfind(|it| it.0 == "/v1/metrics").unwrap();
    let resource = &last.2["resourceMetrics"][0];
    assert_eq!(
        resource["resource"]["attributes"][0]["value"]["stringValue"],
        "hardwon"
    );
    let metrics = resource["scopeMetrics"][0]["metrics"].as_array().unwrap();
    let requests = metrics
        .iter()
        .find(|it| it["name"] == "hardwon_http_requests")
        .unwrap();
    let points = requests["sum"]["dataPoints"].as_array().unwrap();
    let counted: f64 = points.iter().filter_map(|it| it["asDouble"].as_f64()).sum();
    assert!((counted - 3.0).abs() < f64::EPSILON, "{points:?}");
}

/// A collector that is away holds nothing up.
#[test]
fn a_server_without_its_collector_serves() {
    let config = ServerConfig {
        telemetry: Some(TelemetryConfig {
            endpoint: "http://127.0.0.1:9".to_owned(),
            headers: Vec::new(),
            interval: Duration::from_millis(20),
        }),
        ..ServerConfig::default()
    };
    let server = TestServer::start_with(config);
    let key = server.key(Role::Agent, "acme");
    for _ in 0..5 {
        assert_eq!(key.send("GET", "/v1/lessons", "").status, 200);
    }
    server.stop();
}
