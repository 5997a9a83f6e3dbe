//! `/v1/recalls` and `/v1/effects`: what was shown, to whom and why, and what came of it.

use hardwon_server::Role;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::{
    client::{TestKey, TestServer, limits},
    page_visitor::fill,
};

fn recall(key: &TestKey<'_>, body: Value) {
    let answer = key.send("POST", "/v1/recall", &body.to_string());
    assert_eq!(answer.status, 200, "{}", answer.body);
}

fn numbers(key: &TestKey<'_>, path: &str) -> Vec<i64> {
    let page = key.send("GET", path, "").json();
    let recalls = page["recalls"].as_array().unwrap().iter();
    recalls.map(|it| it["recall"].as_i64().unwrap()).collect()
}

/// Returns an answer with its times taken out.
fn told(answer: &crate::client::Answer) -> String {
    let mut json = answer.json();
    hide(&mut json);
    format!("{} {json}", answer.status)
}

fn hide(json: &mut Value) {
    match json {
        Value::Object(members) => {
            for (name, value) in members {
                match &**name {
                    "at" => *value = "0".into(),
                    _ => hide(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(hide),
        _ => {}
    }
}

#[test]
fn a_recall_that_passed_a_lesson_over_is_not_about_it() {
    let server = TestServer::start();
    fill(&server);
    let viewer = server.key(Role::Viewer, "acme");
    let newest = |lesson: i64| numbers(&viewer, &format!("/v1/recalls?lesson={lesson}&limit=1"));
    assert_eq!(newest(3), [60]);
    // One that it left out by chance is.
    assert_eq!(newest(2), [121]);
}

#[test]
fn a_recall_is_told_and_explained() {
    let server = TestServer::start();
    let (key, viewer) = (
        server.key(Role::Agent, "acme"),
        server.key(Role::Viewer, "acme"),
    );
    key.lesson(
        &json!({"signature": "npm test", "lesson_text": "Run `npm run test:unit` instead."}),
    );
    recall(
        &key,
        json!({"prompt": "npm test fails", "run": "run-1", "client": "my-runtime"}),
    );
    recall(&key, json!({"prompt": "write a haiku"}));
    assert_snapshot!(told(&viewer.send("GET", "/v1/recalls", "")), @r#"200 {"recalls":[{"agent":"index","asked":null,"at":"0","client":"my-runtime","held_back":[],"moment":"turn","project":null,"recall":1,"run":"run-1","shown":[{"fate":null,"good":null,"id":1,"score":17.447315,"title":"Run `npm run test:unit` instead.","why":"it fits what was asked"}],"silent":null}],"silent":1}"#);
    assert_snapshot!(told(&viewer.send("GET", "/v1/recalls/1", "")), @r#"200 {"agent":"index","asked":null,"at":"0","client":"my-runtime","considered":[{"fate":null,"good":null,"id":1,"score":17.447315,"shown":true,"title":"Run `npm run test:unit` instead.","why":"it fits what was asked"}],"moment":"turn","project":null,"prompt_chars":14,"recall":1,"run":"run-1","silent":null}"#);
    assert_snapshot!(told(&viewer.send("GET", "/v1/recalls/2", "")), @r#"200 {"agent":"index","asked":null,"at":"0","client":"rest","considered":[],"moment":"turn","project":null,"prompt_chars":13,"recall":2,"run":null,"silent":"no lesson shares a significant word with the prompt"}"#);
    assert_snapshot!(viewer.send("GET", "/v1/recalls/3", "").told(), @r#"404 {"detail":"recall not found","error":"recall not found","status":404,"title":"Not Found"}"#);
    assert_snapshot!(viewer.send("GET", "/v1/recalls/x", "").told(), @r#"400 {"detail":"it is no number from 1 on","error":"it is no number from 1 on","field":"id","status":400,"title":"Bad Request"}"#);
}

#[test]
fn recalls_are_listed_by_agent_project_run_and_lesson() {
    let server = TestServer::start();
    let key = server.key(Role::Owner, "acme");
    for (agent, project) in [("bob", "shop"), ("bob", "mill"), ("carol", "shop")] {
        key.lesson(&json!({"signature": "npm test", "lesson_text": "Run `npm run test:unit` instead.", "agent_id": agent, "project": project}));
        recall(
            &key,
            json!({"prompt": "npm test fails", "agent_id": agent, "project": project, "run": format!("{agent}-{project}")}),
        );
    }
    recall(
        &key,
        json!({"prompt": "write a haiku", "agent_id": "bob", "project": "shop"}),
    );
    let check = |query: &str, expected: &[i64]| {
        assert_eq!(
            numbers(&key, &format!("/v1/recalls?{query}")),
            expected,
            "{query}"
        );
    };
    check("", &[3, 2, 1]);
    check("all=true", &[4, 3, 2, 1]);
    check("agent_id=bob", &[2, 1]);
    check("project=shop", &[3, 1]);
    check("agent_id=bob&project=shop", &[1]);
    check("run=carol-shop", &[3]);
    check("lesson=2", &[2]);
    check("lesson=9", &[]);
    check("limit=2", &[3, 2]);
    check("limit=2&cursor=2", &[1]);
    let tied = server.key_with(Role::Agent, "acme", limits(&["bob"], &["mill"]));
    assert_eq!(numbers(&tied, "/v1/recalls"), [2]);
    assert_eq!(tied.send("GET", "/v1/recalls/1", "").status, 404);
    assert_eq!(
        tied.send("GET", "/v1/recalls?agent_id=carol", "").status,
        403
    );
    let foreign = server.key(Role::Owner, "umbrella");
    assert_eq!(numbers(&foreign, "/v1/recalls"), [0_i64; 0]);
    assert_eq!(foreign.send("GET", "/v1/recalls/1", "").status, 404);
}

#[test]
fn effects_are_those_of_visible_lessons() {
    let server = TestServer::start();
    let key = server.key(Role::Owner, "acme");
    key.lesson(
        &json!({"signature": "npm test", "lesson_text": "Run `npm run test:unit` instead."}),
    );
    recall(&key, json!({"prompt": "npm test fails"}));
    numbers(&key, "/v1/recalls");
    assert_snapshot!(key.send("GET", "/v1/effects", "").told(), @r#"200 {"effect":null,"lessons":[{"avoided":0,"caution":false,"compared":{"held_avoided":0,"held_met":0,"shown_avoided":0,"shown_met":0},"effect":null,"followed":0,"held":0,"id":1,"in_vain":0,"not_needed":0,"repeated":0,"shown":1,"signature":"npm test","status":"active","title":"Run `npm run test:unit` instead.","tokens":13}],"moments":[],"runs":0,"worth":{"answer":"Too early to say: lessons were shown, and no moment of theirs has come yet.","calls_saved":null,"compared":{"held_avoided":0,"held_met":0,"shown_avoided":0,"shown_met":0},"most":[],"nothing":[],"price":"Showing lessons cost about 13 tokens; how many calls it saved is not known yet.","tokens":13,"weeks":[]}}"#);
    assert_snapshot!(key.send("GET", "/v1/effects/1", "").told(), @r#"200 {"effect":null,"lessons":[{"avoided":0,"caution":false,"compared":{"held_avoided":0,"held_met":0,"shown_avoided":0,"shown_met":0},"effect":null,"followed":0,"held":0,"id":1,"in_vain":0,"not_needed":0,"repeated":0,"shown":1,"signature":"npm test","status":"active","title":"Run `npm run test:unit` instead.","tokens":13}],"moments":[],"runs":0,"worth":{"answer":"Too early to say: lessons were shown, and no moment of theirs has come yet.","calls_saved":null,"compared":{"held_avoided":0,"held_met":0,"shown_avoided":0,"shown_met":0},"most":[],"nothing":[],"price":"Showing lessons cost about 13 tokens; how many calls it saved is not known yet.","tokens":13,"weeks":[]}}"#);
    assert_eq!(key.send("GET", "/v1/effects/2", "").status, 404);
    let foreign = server.key(Role::Owner, "umbrella");
    assert_eq!(foreign.send("GET", "/v1/effects/1", "").status, 404);
    assert_eq!(
        foreign.send("GET", "/v1/effects", "").json()["lessons"],
        json!([])
    );
}

#[test]
fn a_tied_key_is_told_of_its_own_runs_only() {
    let server = TestServer::start();
    let key = server.key(Role::Owner, "acme");
    for project in ["shop", "mill", "mill"] {
        key.lesson(&json!({"signature": "npm test", "lesson_text": "Run `npm run test:unit` instead.", "agent_id": "bob", "project": project}));
    }
    for (run, project) in [("r1", "shop"), ("r2", "shop"), ("r3", "mill")] {
        let names =
            json!({"prompt": "npm test fails", "agent_id": "bob", "project": project, "run": run});
        recall(&key, names);
        let end = json!({"run": run, "agent_id": "bob", "project": project, "status": "completed"});
        let ended = key.send("POST", "/v1/outcomes", &end.to_string());
        assert_eq!(ended.json()["counted"], true, "{}", ended.body);
    }
    let runs = |key: &TestKey<'_>, path: &str| key.send("GET", path, "").json()["runs"].clone();
    let tied = |project: &str| server.key_with(Role::Viewer, "acme", limits(&["bob"], &[project]));
    assert_eq!(runs(&key, "/v1/effects?agent_id=bob&project=shop"), 2);
    assert_eq!(runs(&key, "/v1/effects?agent_id=bob"), 3);
    assert_eq!(runs(&key, "/v1/effects?project=mill"), 1);
    assert_eq!(runs(&key, "/v1/effects"), 3);
    assert_eq!(runs(&tied("shop"), "/v1/effects"), 2);
    assert_eq!(runs(&tied("mill"), "/v1/effects"), 1);
    assert_eq!(runs(&tied("mill"), "/v1/effects/2"), 1);
}
