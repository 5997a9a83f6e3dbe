//! How often a key may ask.

use std::num::NonZeroU32;

use hardwon_server::Role;
use hardwon_server::ServerConfig;
use insta::assert_snapshot;

use crate::client::TestServer;

#[test]
fn a_key_that_asks_too_often_is_told_when_to_come_back() {
    let one = NonZeroU32::MIN;
    let server = TestServer::start_with(ServerConfig {
        // Slower than any machine that runs this.
        requests_per_second: Some(one),
        requests_at_once: one.saturating_add(1),
        ..ServerConfig::default()
    });
    let (busy, other) = (
        server.key(Role::Viewer, "acme"),
        server.key(Role::Viewer, "acme"),
    );
    let mut answers = (0..100).map(|_| busy.send("GET", "/v1/lessons", ""));
    assert_eq!(answers.next().unwrap().status, 200);
    let refused = answers.find(|it| it.status == 429).unwrap();
    assert_eq!(refused.header("retry-after"), "1");
    assert_snapshot!(refused.told(), @r#"429 {"detail":"this key sends too many requests; try again later","error":"this key sends too many requests; try again later","reason":"rate_limit","retry_after_seconds":1,"status":429,"title":"Too Many Requests"}"#);
    assert_eq!(other.send("GET", "/v1/lessons", "").status, 200);
}
