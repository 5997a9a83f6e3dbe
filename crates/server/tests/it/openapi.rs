//! The description of the API is the one that is committed.

mod conventions;
mod document;

use std::{env, fs, path::Path};

use hardwon_server::Role;

use self::document::describe_api;
use crate::client::TestServer;

/// `HARDWON_WRITE_OPENAPI=1` writes it anew.
#[test]
fn the_committed_description_is_the_servers() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi.json");
    let document = describe_api();
    if env::var_os("HARDWON_WRITE_OPENAPI").is_some() {
        fs::write(&path, &document).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == document,
        "{} is old: HARDWON_WRITE_OPENAPI=1 writes it anew",
        path.display()
    );
    let served = TestServer::start()
        .send("GET", "/v1/openapi.json", "")
        .json();
    assert_eq!(
        served,
        serde_json::from_str::<serde_json::Value>(&document).unwrap()
    );
}

fn described() -> serde_json::Value {
    serde_json::from_str(&describe_api()).unwrap()
}

/// Calls `check` with the path, the method and the description of each operation.
fn each_operation(check: impl Fn(&str, &str, &serde_json::Value)) {
    for (path, methods) in described()["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            if operation["responses"].is_object() {
                check(path, method, operation);
            }
        }
    }
}

#[test]
fn every_error_is_described_as_it_is_sent() {
    each_operation(|path, method, operation| {
        let answers = operation["responses"].as_object().unwrap();
        assert!(answers.contains_key("429"), "{method} {path}");
        for (status, answer) in answers.iter().filter(|it| it.0.as_str() >= "400") {
            let content = &answer["content"];
            assert!(
                content["application/problem+json"].is_object()
                    && content["application/json"].is_null(),
                "{method} {path} {status}"
            );
        }
    });
}

/// Whatever is POSTed takes a name, and says so; only what counts once by itself passes it by. A wrong name shows which does.
#[test]
fn whatever_is_posted_takes_an_idempotency_key() {
    let by_itself = ["/v1/recall", "/v1/runs", "/v1/deliveries"];
    let server = TestServer::start();
    let key = server.key(Role::Owner, "acme");
    each_operation(|path, method, operation| {
        let parameters = operation["parameters"].as_array();
        let mut parameters = parameters.into_iter().flatten();
        let says = parameters.any(|it| it["name"] == "Idempotency-Key");
        let is_named = method == "post" && !by_itself.contains(&path);
        assert_eq!(says, is_named, "{method} {path}");
        if method == "post" {
            let answer = key.send_named("two words", &path.replace("{id}", "7"), "{}");
            let takes = answer.told().contains("400") && answer.body.contains("Idempotency-Key: ");
            assert_eq!(takes, is_named, "{path}: {}", answer.told());
        }
    });
}
