//! The API over TLS: whom clients trust, what is said to those without TLS, and a certificate that is renewed.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    process::Command,
    thread,
    time::Duration,
};

use hardwon_server::Role;
use hardwon_server::{ServerConfig, TlsFiles};
use serde_json::json;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use crate::{
    certificate::TestCertificate,
    client::{TestServer, on_each_store},
};

/// Returns the settings of a server with the certificate in a folder.
fn config_with(folder: &tempfile::TempDir) -> ServerConfig {
    ServerConfig {
        tls: Some(TlsFiles {
            certificate: folder.path().join("certificate.pem"),
            key: folder.path().join("key.pem"),
        }),
        ..ServerConfig::default()
    }
}

fn start(certificate: &TestCertificate) -> (TestServer, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    certificate.write_to(folder.path());
    (TestServer::start_with(config_with(&folder)), folder)
}

fn https(server: &TestServer) -> String {
    server.url.replace("http://", "https://")
}

/// Asks with a client that trusts one certificate; the error is the client's.
fn ask(url: &str, token: &str, trusted: &TestCertificate) -> Result<u16, String> {
    let root = Certificate::from_pem(trusted.certificate.as_bytes()).unwrap();
    let tls = TlsConfig::builder().root_certs(RootCerts::new_with_certs(&[root]));
    let agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .tls_config(tls.build())
        .build()
        .new_agent();
    let call = agent
        .get(url)
        .header("authorization", format!("Bearer {token}"));
    call.call()
        .map(|answer| answer.status().as_u16())
        .map_err(|error| error.to_string())
}

#[test]
fn a_client_that_trusts_the_certificate_is_answered() {
    on_each_store(|| {
        let own = TestCertificate::new("own");
        let (server, _folder) = start(&own);
        let key = server.key(Role::Agent, "acme");
        let lessons = format!("{}/v1/lessons", https(&server));
        assert_eq!(ask(&lessons, &key.token, &own), Ok(200));
        assert_eq!(ask(&lessons, "hwk_0", &own), Ok(401));
        let by_name = lessons.replace("127.0.0.1", "localhost");
        assert_eq!(ask(&by_name, &key.token, &own), Ok(200));
        let stranger = ask(&lessons, &key.token, &TestCertificate::new("other")).unwrap_err();
        assert!(stranger.contains("certificate"), "{stranger}");
        // Health and metrics stay as they are.
        assert_eq!(server.ops("/readyz").status, 200);
    });
}

#[test]
fn who_comes_without_tls_is_told_so() {
    let (server, _folder) = start(&TestCertificate::new("own"));
    let answer = server.send("GET", "/v1/lessons", "");
    assert_eq!(
        (answer.status, &answer.json()["error"]),
        (
            400,
            &json!("this port speaks HTTPS: write https:// in the address")
        )
    );
    // The answer reaches also who is still sending.
    let long = server.send("POST", "/v1/lessons", &"x".repeat(32 * 1024));
    assert_eq!(long.status, 400);
    let address = server.url.strip_prefix("http://").unwrap();
    let mut silent = TcpStream::connect(address).unwrap();
    silent.write_all(b"\x16nonsense").unwrap();
    let mut said = Vec::new();
    silent.read_to_end(&mut said).ok();
    assert!(!said.starts_with(b"HTTP"), "{said:?}");
}

#[test]
fn curl_and_the_page_work_over_tls() {
    let own = TestCertificate::new("own");
    let (server, folder) = start(&own);
    let key = server.key(Role::Owner, "acme");
    let curl = |arguments: &[&str]| {
        let output = Command::new("curl")
            .args(["--silent", "--show-error", "--noproxy", "*", "--cacert"])
            .arg(folder.path().join("certificate.pem"))
            .args(arguments)
            .output();
        output.map(|it| String::from_utf8_lossy(&[it.stdout, it.stderr].concat()).into_owned())
    };
    let Ok(versions) = curl(&["--version"]) else {
        eprintln!("curl over TLS is not tested: there is no curl");
        return;
    };
    assert!(versions.contains("curl"), "{versions}");
    let address = https(&server);
    let bearer = format!("authorization: Bearer {}", key.token);
    let listed = curl(&["-H", &bearer, &format!("{address}/v1/lessons")]).unwrap();
    assert_eq!(listed, r#"{"lessons":[]}"#);
    for version in ["--tlsv1.2", "--tlsv1.3"] {
        let listed = curl(&[version, "-H", &bearer, &format!("{address}/v1/lessons")]).unwrap();
        assert_eq!(listed, r#"{"lessons":[]}"#, "{version}");
    }
    let old = curl(&[
        "--tls-max",
        "1.1",
        "--ciphers",
        "DEFAULT@SECLEVEL=0",
        &address,
    ])
    .unwrap();
    assert!(old.starts_with("curl: "), "{old}");
    // A session over TLS is in a cookie that only travels so.
    let log_in = [
        "-i",
        "-H",
        "sec-fetch-site: same-origin",
        "-d",
        &format!("key={}", key.token),
        &format!("{address}/login"),
    ];
    let answer = curl(&log_in).unwrap();
    assert!(
        answer.contains("set-cookie: __Host-hardwon=hws_") && answer.contains("; Secure"),
        "{answer}"
    );
}

/// Waits until a client that trusts a certificate is answered.
fn wait_until_trusted(url: &str, token: &str, trusted: &TestCertificate) {
    for _ in 0..600 {
        if ask(url, token, trusted) == Ok(200) {
            return;
        }
        thread::sleep(Duration::from_millis(100));
    }
    panic!("the certificate was not read again");
}

#[test]
fn a_renewed_certificate_is_read_again() {
    let (old, new) = (
        TestCertificate::new("old"),
        TestCertificate::new("the new one"),
    );
    let (server, folder) = start(&old);
    let key = server.key(Role::Agent, "acme");
    let url = format!("{}/v1/lessons", https(&server));
    assert_eq!(ask(&url, &key.token, &old), Ok(200));
    // Half of a renewal changes nothing.
    fs::write(folder.path().join("key.pem"), &new.key).unwrap();
    assert_eq!(ask(&url, &key.token, &old), Ok(200));
    new.write_to(folder.path());
    wait_until_trusted(&url, &key.token, &new);
    assert!(ask(&url, &key.token, &old).is_err());
}

#[test]
fn what_is_no_certificate_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (own, other) = (TestCertificate::new("own"), TestCertificate::new("other"));
    let place = folder.path().display().to_string();
    let refuse = || {
        let error = TestServer::try_start(config_with(&folder)).unwrap_err();
        error.to_string().replace(&place, "FOLDER")
    };
    insta::assert_snapshot!(refuse(), @"reading the certificate FOLDER/certificate.pem: No such file or directory (os error 2)");
    own.write_to(folder.path());
    fs::write(folder.path().join("key.pem"), &other.key).unwrap();
    insta::assert_snapshot!(refuse(), @"reading the certificate FOLDER/certificate.pem: with the key FOLDER/key.pem: keys may not be consistent: KeyMismatch");
    fs::write(folder.path().join("key.pem"), "secret").unwrap();
    insta::assert_snapshot!(refuse(), @"reading the key FOLDER/key.pem: there is none in it in PEM form");
    fs::write(folder.path().join("certificate.pem"), &own.key).unwrap();
    insta::assert_snapshot!(refuse(), @"reading the certificate FOLDER/certificate.pem: there is none in it in PEM form");
}
