//! Health, metrics and an orderly end.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

use hardwon_server::Role;
use hardwon_server::ServerConfig;

use serde_json::json;

use crate::client::{TestServer, on_each_store};

#[test]
fn health_and_metrics_need_no_key() {
    let server = TestServer::start();
    assert_eq!(
        (server.ops("/healthz").status, server.ops("/readyz").status),
        (200, 200)
    );
    server
        .key(Role::Agent, "acme")
        .send("POST", "/v1/recall", r#"{"prompt":"x"}"#);
    server.send("GET", "/v1/lessons/987654321", "");
    let metrics = server.ops("/metrics").body;
    for line in [
        r#"hardwon_http_requests_total{route="/v1/recall",method="POST",status="200"} 1"#,
        r#"hardwon_http_requests_total{route="/v1/lessons/{id}",method="GET",status="401"} 1"#,
        r#"hardwon_recalls_total{outcome="silent"} 1"#,
        "hardwon_refused_keys_total 1",
    ] {
        assert!(metrics.contains(line), "{line} is not in\n{metrics}");
    }
    assert!(!metrics.contains("987654321") && !metrics.contains("acme"));
    assert_eq!(server.send("GET", "/metrics", "").status, 404);
}

#[test]
fn a_server_that_is_told_to_stop_ends() {
    let server = TestServer::start();
    let (url, ops) = (server.url.clone(), server.ops_url.clone());
    server.stop();
    for url in [url, ops] {
        let address = url.strip_prefix("http://").unwrap();
        assert!(std::net::TcpStream::connect(address).is_err());
    }
}

/// Would it wait for them, it would not end.
#[test]
fn a_server_that_stops_waits_for_nobody_who_said_nothing() {
    let hour = Duration::from_secs(3600);
    let server = TestServer::start_with(ServerConfig {
        header_timeout: hour,
        idle_timeout: hour,
        drain_timeout: hour,
        ..ServerConfig::default()
    });
    let address = server.url.strip_prefix("http://").unwrap().to_owned();
    let silent: Vec<TcpStream> = (0..3)
        .map(|_| TcpStream::connect(&address).unwrap())
        .collect();
    // One that had an answer, and waits.
    let mut polite = TcpStream::connect(&address).unwrap();
    polite
        .write_all(b"GET /v1/openapi.json HTTP/1.1\r\nhost: x\r\n\r\n")
        .unwrap();
    assert_ne!(polite.read(&mut [0; 1024]).unwrap(), 0);
    server.stop();
    for mut stream in silent {
        assert!(matches!(stream.read(&mut [0; 1]), Ok(0) | Err(_)));
    }
}

#[test]
fn what_was_shown_is_not_forgotten_when_a_server_stops() {
    on_each_store(|| {
        let mut one = TestServer::start();
        let two = one.start_beside();
        let key = two.key(Role::Owner, "acme");
        key.lesson(&json!({"signature": "npm test", "lesson_text": "Run the unit tests alone."}));
        let body = json!({"prompt": "npm test fails"}).to_string();
        let recalled = key.at(&one).send("POST", "/v1/recall", &body);
        assert_eq!(recalled.json()["lessons"].as_array().unwrap().len(), 1);
        one.end();
        let listed = key.send("GET", "/v1/recalls", "").json();
        assert_eq!(listed["recalls"].as_array().unwrap().len(), 1, "{listed}");
    });
}
