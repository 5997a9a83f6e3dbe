//! The page of sweeps without a browser: what it says, who may do what, and that a sweep can be taken back.

use hardwon_server::api_key::Role;
use insta::assert_snapshot;
use serde_json::json;

use crate::{
    client::{Answer, TestKey, TestServer, limits},
    page_visitor::{HOSTILE, PageVisitor, text_of},
    sweeps::{apply, look_for_plan, plant},
};

/// Returns what stands between the header and the footer, without the names of plans and keys.
fn main_text(answer: &Answer) -> String {
    assert_eq!(answer.status, 200, "{}", answer.body);
    let main = answer.body.split("<main").nth(1).unwrap();
    let main = main.split("</main>").next().unwrap();
    let text = text_of(&format!("<body><main{main}"));
    let words = text.split(' ').map(|word| {
        let is_name = |it: &str| it.len() == 12 && it.bytes().all(|it| it.is_ascii_hexdigit());
        match word.split_once('\n') {
            Some((name, rest)) if is_name(name) => format!("PLAN\n{rest}"),
            _ if is_name(word) => "PLAN".to_owned(),
            _ => word.to_owned(),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Returns where a form led, without the query.
fn follow(answer: &Answer) -> String {
    assert_eq!(answer.status, 303, "{}", answer.body);
    answer.header("location").to_owned()
}

const SURE: [(&str, &str); 1] = [("sure", "yes")];

/// Sweeps by the API; returns the page of what was done.
fn sweep(key: &TestKey<'_>) -> String {
    let plan = look_for_plan(key);
    assert_eq!(apply(key, &plan).status, 200);
    format!("/sweeps/{plan}")
}

#[test]
fn a_sweep_is_told_and_taken_back() {
    let server = TestServer::start();
    let key = server.key(Role::Curator, "acme");
    plant(&server.key(Role::Agent, "acme"), Some("shop"));
    let curator = PageVisitor::log_in(&server, &key);
    let view = |path: &str| main_text(&curator.get(path)).replace(&key.id(), "KEY");
    assert_snapshot!(view("/sweeps"), @"
    Sweeps
    A sweep makes few lessons of many, and takes out what no longer holds. hardwon sweep looks and applies; here it is taken back.
    Applied
    No sweep was applied yet.
    ");
    let path = sweep(&key);
    assert_snapshot!(view(&path), @"
    Sweep PLAN
    Applied TIME by key KEY: 2 taken out, 0 added.
    | No. | Lesson | What became of it
    | #2 | Use pnpm test here. Workspaces need it. | is told by #1 | told as one by a sweep
    | #3 | Use pnpm test here. | is told by #1 | told as one by a sweep
    Take back
    What it took out is in use again, and what it added leaves. A lesson that was changed since stays as it is. | I am sure Take back
    All sweeps
    ");
    let listed = view("/sweeps");
    assert!(listed.contains("| 2 | 0 | | applied"), "{listed}");
    assert_eq!(curator.post(&format!("{path}/undo"), &[]).status, 400);
    let undone = follow(&curator.post(&format!("{path}/undo"), &SURE));
    assert!(undone.ends_with("?done=taken-back"), "{undone}");
    let shown = view(&undone);
    assert!(
        shown.starts_with("Taken back.") && !shown.contains("I am sure"),
        "{shown}"
    );
    assert_eq!(curator.post(&format!("{path}/undo"), &SURE).status, 409);
}

#[test]
fn whoever_may_not_decide_sees_no_sweeps() {
    let server = TestServer::start();
    let owner = server.key(Role::Owner, "acme");
    plant(&owner, Some("site"));
    let path = sweep(&owner);
    let statuses = |visitor: &PageVisitor<'_>| {
        [
            visitor.get("/sweeps").status,
            visitor.get(&path).status,
            visitor.post(&format!("{path}/undo"), &SURE).status,
        ]
    };
    for role in [Role::Agent, Role::Viewer] {
        let visitor = PageVisitor::log_in(&server, &server.key(role, "acme"));
        assert_eq!(statuses(&visitor), [403; 3], "{role:?}");
    }
    let stranger = PageVisitor::log_in(&server, &server.key(Role::Owner, "umbrella"));
    assert_eq!(statuses(&stranger), [200, 404, 404]);
    let limited = server.key_with(Role::Curator, "acme", limits(&["index"], &["shop"]));
    let limited = PageVisitor::log_in(&server, &limited);
    assert_eq!(statuses(&limited), [200, 404, 404]);
    let undo = format!("{path}/undo");
    let foreign = PageVisitor::log_in(&server, &owner).post_from(
        &undo,
        &SURE,
        &[("sec-fetch-site", "cross-site")],
    );
    assert_eq!(foreign.status, 403);
}

/// What lessons and plans say comes as text.
#[test]
fn a_hostile_sweep_is_text() {
    let server = TestServer::start();
    let key = server.key(Role::Owner, "acme");
    let agent = server.key(Role::Agent, "acme");
    let markup = HOSTILE.split(" Ignore").next().unwrap();
    for more in ["", " Workspaces need it."] {
        let words = format!("Use `pnpm test` here {markup}.{more}");
        agent.lesson(&json!({"signature": "npm test", "lesson_text": words}));
    }
    let owner = PageVisitor::log_in(&server, &key);
    let looked = key.send("POST", "/v1/sweeps/plans", "{}").json();
    let mut edited = looked["plan"].clone();
    let lesson = edited["items"][0]["members"][0].clone();
    edited["items"] = json!([{"do": "archive", "lesson": lesson, "why": markup}]);
    let sent = key.send("POST", "/v1/sweeps", &json!({ "plan": edited }).to_string());
    assert_eq!(sent.status, 200, "{}", sent.body);
    let id = sent.json()["sweep"]["id"].as_str().unwrap().to_owned();
    let swept = owner.get(&format!("/sweeps/{id}"));
    assert_eq!(swept.status, 200, "{}", swept.body);
    assert!(swept.body.contains("&#60;script&#62;"), "{}", swept.body);
    for word in ["<script>", "<img", "<a href=\"java", "' onmouse"] {
        assert!(!swept.body.contains(word), "{word}");
    }
}
