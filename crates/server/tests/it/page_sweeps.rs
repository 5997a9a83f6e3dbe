//! The page of sweeps without a browser: what it says, who may do what, and that it can be taken back.

use hardwon_server::api_key::Role;
use insta::assert_snapshot;
use serde_json::json;

use crate::{
    client::{Answer, TestServer, limits},
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

#[test]
fn a_sweep_is_looked_at_applied_and_taken_back() {
    let server = TestServer::start();
    let key = server.key(Role::Curator, "acme");
    plant(&server.key(Role::Agent, "acme"), Some("shop"));
    let curator = PageVisitor::log_in(&server, &key);
    let view = |path: &str| main_text(&curator.get(path)).replace(&key.id(), "KEY");
    assert_snapshot!(view("/sweeps"), @"
    Sweeps
    A sweep makes few lessons of many, takes out what no longer holds, and changes nothing until its plan is applied.
    | Project | all | shop Look
    Applied
    No sweep was applied yet.
    ");
    let plan = follow(&curator.post("/sweeps/plans", &[]));
    assert_snapshot!(view(&plan), @"
    Plan PLAN
    4 lessons looked at. 3 merged into 1, 0 replaced, 0 held for review, 0 archived. Made TIME by key KEY.
    Tell as one
    #1 | stays
    | When npm test
    Use `pnpm test` here. One lockfile is kept. Workspaces need it.
    #2 | is told by it
    | When npm test
    Use `pnpm test` here. Workspaces need it.
    #3 | is told by it
    | When npm test
    Use `pnpm test` here.
    Apply
    It is done at once, if the lessons are still those that were looked at. It can be taken back. | I am sure Apply
    All sweeps
    ");
    assert_eq!(curator.post(&format!("{plan}/apply"), &[]).status, 400);
    let listed = view("/sweeps");
    assert!(listed.contains("| 1 item"), "{listed}");
    let sweep = follow(&curator.post(&format!("{plan}/apply"), &SURE));
    assert_snapshot!(view(&sweep), @"
    Applied. It can be taken back here.
    Sweep PLAN
    Applied TIME by key KEY: 2 taken out, 0 added.
    | No. | Lesson | What became of it
    | #2 | Use `pnpm test` here. | is told by #1 | told as one by a sweep
    | #3 | Use `pnpm test` here. | is told by #1 | told as one by a sweep
    Take back
    What it took out is in use again, and what it added leaves. A lesson that was changed since stays as it is. | I am sure Take back
    All sweeps
    ");
    assert_eq!(curator.get(&plan).status, 404);
    let listed = view("/sweeps");
    assert!(listed.contains("| 2 | 0 | | applied"), "{listed}");
    let path = sweep.split('?').next().unwrap();
    assert_eq!(curator.post(&format!("{path}/undo"), &[]).status, 400);
    let undone = follow(&curator.post(&format!("{path}/undo"), &SURE));
    assert!(undone.ends_with("?done=taken-back"), "{undone}");
    let shown = view(&undone);
    assert!(
        shown.starts_with("Taken back.") && !shown.contains("I am sure"),
        "{shown}"
    );
    assert_eq!(curator.post(&format!("{path}/undo"), &SURE).status, 409);
    let nothing = curator.post("/sweeps/plans", &[("project", "elsewhere")]);
    assert_eq!(follow(&nothing), "/sweeps?done=nothing-to-sweep");
    assert!(view("/sweeps?done=nothing-to-sweep").starts_with("Looked: there is nothing to do."));
}

#[test]
fn a_plan_of_lessons_that_have_changed_is_not_applied() {
    let server = TestServer::start();
    let key = server.key(Role::Owner, "acme");
    plant(&key, None);
    let owner = PageVisitor::log_in(&server, &key);
    let plan = follow(&owner.post("/sweeps/plans", &[]));
    key.lesson(&json!({"signature": "tar", "lesson_text": "Name the archive first."}));
    let refused = owner.post(&format!("{plan}/apply"), &SURE);
    assert_eq!(refused.status, 409);
    assert!(
        refused
            .body
            .contains("the lessons have changed since the plan was made")
    );
}

#[test]
fn whoever_may_not_decide_sees_no_sweeps() {
    let server = TestServer::start();
    let owner = server.key(Role::Owner, "acme");
    plant(&owner, None);
    owner.lesson(
        &json!({"signature": "tar", "lesson_text": "Name the archive first.", "project": "site"}),
    );
    let id = look_for_plan(&owner);
    let statuses = |visitor: &PageVisitor<'_>| {
        [
            visitor.get("/sweeps").status,
            visitor.get(&format!("/sweeps/plans/{id}")).status,
            visitor.post("/sweeps/plans", &[]).status,
            visitor
                .post(&format!("/sweeps/plans/{id}/apply"), &SURE)
                .status,
            visitor.post("/sweeps/0123456789ab/undo", &SURE).status,
        ]
    };
    for role in [Role::Agent, Role::Viewer] {
        let visitor = PageVisitor::log_in(&server, &server.key(role, "acme"));
        assert_eq!(statuses(&visitor), [403; 5], "{role:?}");
    }
    let stranger = PageVisitor::log_in(&server, &server.key(Role::Owner, "umbrella"));
    assert_eq!(statuses(&stranger), [200, 404, 303, 404, 404]);
    let limited = server.key_with(Role::Curator, "acme", limits(&["index"], &["shop"]));
    let limited = PageVisitor::log_in(&server, &limited);
    assert_eq!(statuses(&limited), [200, 404, 303, 404, 404]);
    let foreign = PageVisitor::log_in(&server, &owner).post_from(
        &format!("/sweeps/plans/{id}/apply"),
        &SURE,
        &[("sec-fetch-site", "cross-site")],
    );
    assert_eq!(foreign.status, 403);
}

/// What lessons and plans say comes as text.
#[test]
fn a_hostile_plan_is_text() {
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
    let plan = format!("/sweeps/plans/{}", looked["plan"]["id"].as_str().unwrap());
    let mut edited = looked["plan"].clone();
    let lesson = edited["items"][0]["members"][0].clone();
    edited["items"] = json!([{"do": "archive", "lesson": lesson, "why": markup}]);
    let shown = owner.get(&plan);
    let sent = key.send("POST", "/v1/sweeps", &json!({ "plan": edited }).to_string());
    assert_eq!(sent.status, 200, "{}", sent.body);
    let id = sent.json()["sweep"]["id"].as_str().unwrap().to_owned();
    let swept = owner.get(&format!("/sweeps/{id}"));
    for page in [&shown, &swept] {
        assert_eq!(page.status, 200, "{}", page.body);
        assert!(page.body.contains("&#60;script&#62;"), "{}", page.body);
        for word in ["<script>", "<img", "<a href=\"java", "' onmouse"] {
            assert!(!page.body.contains(word), "{word}");
        }
    }
}

/// A plan of many items is on several pages.
#[test]
fn a_long_plan_is_read_page_by_page() {
    let server = TestServer::start();
    let (key, agent) = (
        server.key(Role::Owner, "acme"),
        server.key(Role::Agent, "acme"),
    );
    for number in 0..30 {
        for more in ["", " Workspaces need it."] {
            let text = format!("Use `pnpm job{number}` here.{more}");
            let signature = format!("npm job{number}");
            agent.lesson(&json!({"signature": signature, "lesson_text": text}));
        }
    }
    let owner = PageVisitor::log_in(&server, &key);
    let plan = follow(&owner.post("/sweeps/plans", &[]));
    let first = main_text(&owner.get(&plan));
    assert!(first.contains("Items 1 to 25 of 30."), "{first}");
    let second = main_text(&owner.get(&format!("{plan}?from=25")));
    assert_eq!(second.matches("Tell as one").count(), 5, "{second}");
    assert_eq!(apply(&key, plan.rsplit('/').next().unwrap()).status, 200);
}
