//! The description of the API is the one that is committed.

use std::{env, fs, path::Path};

use crate::client::TestServer;

/// `HARDWON_WRITE_OPENAPI=1` writes it anew.
#[test]
fn the_committed_description_is_the_servers() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi.json");
    let document = hardwon_server::describe_api();
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
