//! People who log in to the page at a provider.

use std::sync::Arc;

use hardwon_core::api_key::Role;
use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{PUBLIC, Story, config};
use crate::{
    client::{Answer, TestServer},
    identity_provider::{CLIENT, SigningKey, TestProvider, decode},
    page_visitor::PageVisitor,
};

/// What a browser was answered when it began to log in: where it is sent, and its cookie.
fn begin_login(story: &Story, next: &str) -> (String, String) {
    let begun = story
        .server
        .browse("GET", &format!("/login/provider{next}"), &[], "");
    assert_eq!(begun.status, 303, "{}", begun.body);
    let cookie = begun.header("set-cookie");
    assert!(
        cookie.ends_with("; Path=/; HttpOnly; SameSite=Lax; Max-Age=600"),
        "{cookie}"
    );
    let cookie = cookie.split(';').next().unwrap().to_owned();
    (begun.header("location").to_owned(), cookie)
}

/// Logs in at the provider, and returns the path that it sends the browser back to.
fn log_in_there(url: &str) -> String {
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .max_redirects(0)
        .max_redirects_will_error(false)
        .build()
        .into();
    let answer = agent.get(url).call().unwrap();
    let back = answer.headers()["location"].to_str().unwrap();
    back.strip_prefix(PUBLIC).unwrap().to_owned()
}

fn come_back(story: &Story, path: &str, cookie: &str) -> Answer {
    story.server.browse(
        "GET",
        path,
        &[("cookie", cookie), ("sec-fetch-site", "cross-site")],
        "",
    )
}

fn cookies(answer: &Answer) -> Vec<String> {
    let cookies = answer.headers.get_all("set-cookie").iter();
    cookies.map(|it| it.to_str().unwrap().to_owned()).collect()
}

#[test]
fn a_person_logs_in_at_the_provider() {
    let story = Story::begin(SigningKey::rsa("one"));
    story
        .provider
        .log_in_as(json!({"sub": "ada", "name": "Ada of the orchard", "groups": ["owners"]}));
    let form = story.server.send("GET", "/login?next=/keys", "").body;
    let host = story.provider.url.trim_start_matches("http://");
    assert!(
        form.contains(&format!(
            "<a class=\"main\" href=\"/login/provider?next=/keys\">Log in with {host}</a>"
        )),
        "{form}"
    );
    let (there, cookie) = begin_login(&story, "?next=/keys");
    let asked = decode(&there);
    for part in [
        "redirect_uri=http://localhost:7433/login/callback",
        "scope=openid groups",
        "client_id=lesson page",
    ] {
        assert!(asked.contains(part), "{asked}");
    }
    let back = log_in_there(&there);
    let answer = come_back(&story, &back, &cookie);
    assert_eq!(
        (answer.status, answer.header("location")),
        (303, "/keys"),
        "{}",
        answer.body
    );
    let [session, attempt] = &cookies(&answer)[..] else {
        panic!("{:?}", answer.headers);
    };
    assert!(
        attempt.contains("-login=;") && attempt.contains("Max-Age=0"),
        "{attempt}"
    );
    // It ends when the token does, which is sooner than a session of a key.
    let seconds = session
        .split("Max-Age=")
        .nth(1)
        .unwrap()
        .parse::<i64>()
        .unwrap();
    assert!(
        session.contains("SameSite=Strict") && (280..=300).contains(&seconds),
        "{session}"
    );

    let visitor = PageVisitor::with_cookie(&story.server, session);
    let keys = visitor.get("/keys").body;
    assert!(keys.contains("Ada of the orchard"), "{keys}");
    let owner = story.server.key(Role::Owner, "acme");
    let audit = owner.send("GET", "/v1/audit", "").json();
    let mut logged = Vec::new();
    for entry in audit["entries"].as_array().unwrap() {
        let after = entry["after"].as_str().unwrap_or("{}");
        let after: Value = serde_json::from_str(after).unwrap();
        if after["name"] == "Ada of the orchard" {
            let opened = after["opened_by"].is_string();
            let by = entry["actor"].as_str().unwrap().split(' ').next();
            let (by, kind) = (by.unwrap(), &after["kind"]);
            logged.push(format!(
                "{by}: {} {kind}, opened: {opened}",
                entry["action"]
            ));
        }
    }
    assert_snapshot!(logged.join("\n"), @r#"
    server: "key-added" "hwi", opened: false
    key: "key-added" "hws", opened: true
    "#);
    // Of the token and the codes nothing is kept.
    let code = decode(
        back.split("code=")
            .nth(1)
            .unwrap()
            .split('&')
            .next()
            .unwrap(),
    );
    for (path, content) in story.server.files() {
        let content = String::from_utf8_lossy(&content).into_owned();
        assert!(
            !content.contains(&code) && !content.contains("eyJ"),
            "{}",
            path.display()
        );
    }
    let gone = visitor.post("/logout", &[]);
    assert_eq!((gone.status, gone.header("location")), (303, "/login"));
    assert_eq!(visitor.get("/keys").header("location"), "/login?next=/keys");
}

#[test]
fn an_answer_counts_once_in_the_browser_that_asked() {
    let story = Story::begin(SigningKey::ecdsa("one"));
    story
        .provider
        .log_in_as(json!({"sub": "ada", "groups": ["owners"]}));
    let refused = |what: &str, path: &str, cookie: &str, status: u16| {
        let answer = come_back(&story, path, cookie);
        assert_eq!(answer.status, status, "{what}: {}", answer.body);
        assert_eq!(cookies(&answer), [""; 0], "{what}");
    };
    let name = |cookie: &str| cookie.split('=').next().unwrap().to_owned();

    // Somebody else's answer, in a browser that began none or another login.
    let (there, cookie) = begin_login(&story, "");
    let back = log_in_there(&there);
    refused("no login was begun", &back, "", 400);
    let (_, other_cookie) = begin_login(&story, "");
    refused("another browser", &back, &other_cookie, 400);
    refused(
        "a made-up cookie",
        &back,
        &format!("{}=1.AAAA.AAAA", name(&cookie)),
        400,
    );
    let without_state = back.replace("state=", "s=");
    refused("no state", &without_state, &cookie, 400);
    // The right one still counts, and only once.
    assert_eq!(come_back(&story, &back, &cookie).status, 303);
    refused("replayed", &back, &cookie, 400);

    // A code of another login, which the verifier does not fit.
    let (there, cookie) = begin_login(&story, "");
    let (own, stolen) = (
        log_in_there(&there),
        log_in_there(&begin_login(&story, "").0),
    );
    let code = |path: &str| {
        path.split("code=")
            .nth(1)
            .unwrap()
            .split('&')
            .next()
            .unwrap()
            .to_owned()
    };
    refused(
        "a stolen code",
        &own.replace(&code(&own), &code(&stolen)),
        &cookie,
        502,
    );

    for (what, from, to, status) in [
        ("a made-up code", "code=", "code=x", 502),
        ("no code", "code=", "c=", 400),
        ("another issuer", "iss=http", "iss=https", 403),
        ("no issuer", "iss=", "i=", 403),
        ("refused there", "code=", "error=access_denied&c=", 403),
    ] {
        let (there, cookie) = begin_login(&story, "");
        let back = log_in_there(&there).replace(from, to);
        refused(what, &back, &cookie, status);
    }

    for (what, claims, status) in [
        ("no rule fits", json!({"sub": "ada"}), 403),
        (
            "another's token",
            json!({"sub": "ada", "groups": ["owners"], "aud": "another page"}),
            403,
        ),
        (
            "also for another",
            json!({"sub": "ada", "groups": ["owners"], "aud": [CLIENT, "x"]}),
            403,
        ),
        (
            "of another login",
            json!({"sub": "ada", "groups": ["owners"], "nonce": "x"}),
            403,
        ),
        (
            "of another issuer",
            json!({"sub": "ada", "groups": ["owners"], "iss": "https://evil.example"}),
            403,
        ),
        (
            "expired",
            json!({"sub": "ada", "groups": ["owners"], "exp": 7}),
            403,
        ),
    ] {
        story.provider.log_in_as(claims);
        let (there, cookie) = begin_login(&story, "");
        refused(what, &log_in_there(&there), &cookie, status);
    }
}

#[test]
fn a_login_leads_to_a_page_of_this_server() {
    let story = Story::begin(SigningKey::ed25519("one"));
    story
        .provider
        .log_in_as(json!({"sub": "ada", "groups": ["owners"]}));
    let check = |next: &str, expected: &str| {
        let (there, cookie) = begin_login(&story, next);
        assert!(
            there.starts_with(&format!("{}/authorize?", story.provider.url)),
            "{there}"
        );
        let answer = come_back(&story, &log_in_there(&there), &cookie);
        assert_eq!(
            (answer.status, answer.header("location")),
            (303, expected),
            "{next}"
        );
    };
    check("", "/");
    check("?next=/lessons%3Fq=a", "/lessons?q=a");
    for elsewhere in [
        "https://evil.example",
        "//evil.example",
        "/%5Cevil.example",
        "/login",
        "/logout",
    ] {
        check(&format!("?next={elsewhere}"), "/");
    }
    // What the browser kept is not believed either.
    let (there, cookie) = begin_login(&story, "");
    let (kept, _) = cookie.rsplit_once('.').unwrap();
    // `//evil.example`
    let changed = format!("{kept}.Ly9ldmlsLmV4YW1wbGU");
    let answer = come_back(&story, &log_in_there(&there), &changed);
    assert_eq!((answer.status, answer.header("location")), (303, "/"));
}

#[test]
fn settings_that_would_let_too_many_in_are_refused() {
    let provider = TestProvider::start(Arc::new(SigningKey::ed25519("one")));
    let config = |audience: &str| {
        let mut config = config(&provider);
        let oidc = config.oidc.as_mut().unwrap();
        oidc.audiences = vec![audience.to_owned()];
        TestServer::try_start(config).map_err(|error| error.to_string())
    };
    assert_eq!(config("lessons"), Ok(()));
    let why = config(CLIENT).unwrap_err();
    assert!(
        why.contains("every token of a login would do as one for the API"),
        "{why}"
    );
}
