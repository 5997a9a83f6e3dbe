//! How a session at the page begins and ends, and what another site may not do with it.

use hardwon_server::Role;

use crate::{
    client::TestServer,
    page_visitor::{PageVisitor, fill, post_login},
};

#[test]
fn a_session_begins_with_a_key_and_ends_on_the_server() {
    let server = TestServer::start();
    let key = server.key(Role::Owner, "acme");
    let answer = post_login(&server, &key.token);
    assert_eq!((answer.status, answer.header("location")), (303, "/"));
    let cookie = answer.header("set-cookie");
    assert!(
        cookie.starts_with("hardwon-") && cookie.contains("=hws_"),
        "{cookie}"
    );
    assert!(
        cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict; Max-Age=28800"),
        "{cookie}"
    );
    let visitor = PageVisitor::with_cookie(&server, cookie);
    assert_eq!(visitor.get("/").header("location"), "/effects");
    let gone = visitor.post("/logout", &[]);
    assert_eq!((gone.status, gone.header("location")), (303, "/login"));
    assert!(gone.header("set-cookie").contains("Max-Age=0"));
    let after = visitor.get("/review");
    assert_eq!(
        (after.status, after.header("location")),
        (303, "/login?next=/review")
    );
    let secure = server.browse(
        "POST",
        "/login",
        &[
            ("content-type", "application/x-www-form-urlencoded"),
            ("sec-fetch-site", "same-origin"),
            ("x-forwarded-proto", "https"),
        ],
        &format!("key={}", key.token),
    );
    let cookie = secure.header("set-cookie");
    assert!(
        cookie.starts_with("__Host-hardwon=hws_") && cookie.ends_with("; Secure"),
        "{cookie}"
    );
}

#[test]
fn a_wrong_key_opens_nothing() {
    let server = TestServer::start();
    let key = server.key(Role::Owner, "acme");
    let visitor = PageVisitor::log_in(&server, &key);
    let (name, session) = visitor.cookie.split_once('=').unwrap();
    let cut = &key.token[..key.token.len() - 1];
    for wrong in ["", "hwk_", cut, session] {
        let answer = post_login(&server, wrong);
        assert_eq!(
            (answer.status, answer.header("set-cookie")),
            (401, ""),
            "{wrong}"
        );
    }
    // A key is no session, although it is genuine.
    let cookie = format!("{name}={}", key.token);
    let answer = server.browse("GET", "/", &[("cookie", &cookie)], "");
    assert_eq!((answer.status, answer.header("location")), (303, "/login"));
}

#[test]
fn logging_in_leads_to_the_page_that_was_asked_for() {
    let server = TestServer::start();
    let key = server.key(Role::Owner, "acme");
    let asked = server.browse("GET", "/lessons?q=a%26b", &[], "");
    let form = asked.header("location");
    assert_eq!(form, "/login?next=/lessons%3Fq%3Da%2526b");
    let shown = server.browse("GET", form, &[], "").body;
    let field = r#"<input type="hidden" name="next" value="/lessons?q=a%26b">"#;
    assert!(shown.contains(field), "{shown}");
    let log_in = |next: &str| {
        let headers = [
            ("content-type", "application/x-www-form-urlencoded"),
            ("sec-fetch-site", "same-origin"),
        ];
        let body = format!("key={}&next={next}", key.token);
        let answer = server.browse("POST", "/login", &headers, &body);
        answer.header("location").to_owned()
    };
    assert_eq!(log_in("%2Flessons%3Fq%3Da%2526b"), "/lessons?q=a%26b");
    assert_eq!(log_in("%2F%2Fevil.example"), "/");
    assert_eq!(log_in("https%3A%2F%2Fevil.example"), "/");
    let hostile = server
        .browse("GET", "/login?next=/%22%3E%3Cscript%3E", &[], "")
        .body;
    assert!(!hostile.contains("\"><script"), "{hostile}");
}

#[test]
fn a_link_opens_the_page_once() {
    let server = TestServer::start();
    let key = server.key(Role::Owner, "acme");
    let path = server.make_login_path(&key);
    let answer = server.browse("GET", &path, &[], "");
    assert_eq!((answer.status, answer.header("location")), (303, "/"));
    let visitor = PageVisitor::with_cookie(&server, answer.header("set-cookie"));
    assert_eq!(visitor.get("/review").status, 200);
    let again = server.browse("GET", &path, &[], "");
    assert_eq!(
        (again.header("location"), again.header("set-cookie")),
        ("/login?link=used", "")
    );
}

/// A form counts only from a page of the server, and only with what that page gave it.
#[test]
fn a_form_of_another_site_is_refused() {
    let server = TestServer::start();
    fill(&server);
    let owner = PageVisitor::log_in(&server, &server.key(Role::Owner, "acme"));
    let other = PageVisitor::log_in(&server, &server.key(Role::Owner, "acme"));
    let host = server.url.clone();
    let status = |token: &str, headers: &[(&str, &str)]| {
        owner
            .post_from("/lessons/5/approve", &[("token", token)], headers)
            .status
    };
    let own = ("sec-fetch-site", "same-origin");
    assert_eq!(
        status(owner.token(), &[("sec-fetch-site", "cross-site")]),
        403
    );
    assert_eq!(
        status(owner.token(), &[("sec-fetch-site", "same-site")]),
        403
    );
    assert_eq!(
        status(owner.token(), &[("origin", "https://evil.example")]),
        403
    );
    assert_eq!(status(owner.token(), &[]), 403);
    assert_eq!(status("", &[own]), 403);
    assert_eq!(status(other.token(), &[own]), 403);
    let login = [
        ("content-type", "application/x-www-form-urlencoded"),
        ("sec-fetch-site", "cross-site"),
    ];
    assert_eq!(server.browse("POST", "/login", &login, "key=x").status, 403);
    assert_eq!(status(owner.token(), &[("origin", &host)]), 303);
}

/// A link from another site brings no cookie; the browser is told to ask again by itself.
#[test]
fn a_link_from_another_site_leads_here() {
    let server = TestServer::start();
    let answer = server.browse("GET", "/lessons/1", &[("sec-fetch-site", "cross-site")], "");
    assert_eq!(answer.status, 200);
    assert!(
        answer.body.contains("http-equiv=\"refresh\" content=\"0\""),
        "{}",
        answer.body
    );
}
