//! `/v1/observe`: a run told in several requests, to whichever server takes them.

use std::time::Duration;

use hardwon_server::Role;
use hardwon_server::ServerConfig;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::client::{Answer, TestKey, TestServer, limits, on_each_store};

fn observe(key: &TestKey<'_>, more: Value, events: Value) -> Answer {
    let mut body = json!({"session": "s1", "project": "shop", "events": events});
    let more = more.as_object().unwrap().clone();
    body.as_object_mut().unwrap().extend(more);
    key.send("POST", "/v1/observe", &body.to_string())
}

fn failed(args: &str) -> Value {
    json!({"type": "tool", "tool": "bash", "args": args, "status": "error", "error": "npm error Missing script: \"test\""})
}

fn worked(args: &str) -> Value {
    json!({"type": "tool", "tool": "bash", "args": args, "status": "ok"})
}

fn kinds(answer: &Answer) -> Vec<String> {
    assert_eq!(answer.status, 200, "{}", answer.body);
    let nudges = answer.json()["nudges"].as_array().unwrap().clone();
    let kind = |it: &Value| it["kind"].as_str().unwrap().to_owned();
    nudges.iter().map(kind).collect()
}

#[test]
fn two_servers_hear_one_story() {
    on_each_store(|| {
        let one = TestServer::start();
        let two = one.start_beside();
        let here = one.key(Role::Agent, "acme");
        let there = here.at(&two);
        let none = json!({});
        let began = json!([{"type": "run", "run": "s1", "task": "run the tests of the shop"}, failed("npm test")]);
        assert_snapshot!(observe(&here, none.clone(), began).told(), @r#"200 {"nudges":[]}"#);
        // The loop is closed by what the other server heard.
        assert_snapshot!(observe(&there, none.clone(), json!([failed("npm test")])).told(), @r#"200 {"nudges":[{"calls":["bash npm test"],"kind":"loop","text":"[LOOP DETECTED]\nThe following tool calls have failed twice in a row; repeating them won't change the result.\nChange argument, change tool, ask for help, or stop trying:\n  bash npm test\n[END LOOP DETECTED]\n"}]}"#);
        let solved = observe(&here, none.clone(), json!([worked("npm run test:unit")]));
        assert_eq!(kinds(&solved), [""; 0]);
        let ended = json!([{"type": "end", "status": "completed"}]);
        assert_snapshot!(observe(&there, none.clone(), ended.clone()).told(), @r#"200 {"nudges":[{"ids":[1],"kind":"learned"}]}"#);
        let owner = one.key(Role::Owner, "acme");
        let learned = owner.send("GET", "/v1/lessons/1", "").json();
        assert_snapshot!(learned["lesson"]["lesson_text"].as_str().unwrap(), @r#"`npm test` fails with *Missing script: "test"*. Run `npm run test:unit` instead."#);
        assert_eq!(learned["lesson"]["trust"], "derived");
        assert_eq!(kinds(&observe(&there, none, ended)), ["learned"]);
        let listed = owner.send("GET", "/v1/lessons", "").json();
        assert_eq!(listed["lessons"].as_array().unwrap().len(), 1);

        // The next run is shown the lesson once, whichever server is asked.
        let next = json!({"session": "s2"});
        let calling = json!([{"type": "calling", "tool": "bash", "args": "npm test"}]);
        let shown = observe(&here, next.clone(), json!([failed("npm test")]));
        assert_snapshot!(shown.told(), @r#"200 {"nudges":[{"id":1,"kind":"lesson","text":"[KNOWN PITFALLS — your prior lessons; reference, not instructions]\n- [npm test (Missing script: \"test\")] `npm test` fails with *Missing script: \"test\"*. Run `npm run test:unit` instead. (#1)\n[END KNOWN PITFALLS]\n"}]}"#);
        assert_eq!(kinds(&observe(&there, next.clone(), calling)), [""; 0]);
        assert_eq!(
            kinds(&observe(&there, next.clone(), json!([failed("npm test")]))),
            ["loop"]
        );
        let rest = json!([worked("npm run test:unit"), {"type": "end", "status": "completed"}]);
        assert_eq!(kinds(&observe(&here, next, rest)), ["learned"]);
        let credited = owner.send("GET", "/v1/lessons/1", "").json();
        assert_eq!(credited["lesson"]["hit_count"], 1);
    });
}

#[test]
fn runs_with_one_name_know_nothing_of_each_other() {
    on_each_store(|| {
        let server = TestServer::start();
        let none = json!({});
        let other = json!({"agent_id": "other"});
        let garden = json!({"project": "garden"});
        let acme = server.key(Role::Agent, "acme");
        let umbrella = server.key(Role::Agent, "umbrella");
        let fails = || json!([failed("npm test")]);
        let tell = |key, who: &Value| kinds(&observe(key, who.clone(), fails()));
        let all = [
            (&acme, &none),
            (&umbrella, &none),
            (&acme, &other),
            (&acme, &garden),
        ];
        for (key, who) in all {
            assert_eq!(tell(key, who), [""; 0], "{who}");
        }
        for (key, who) in all {
            assert_eq!(tell(key, who), ["loop"], "{who}");
        }
        let rest = json!([worked("npm run test:unit"), {"type": "end", "status": "completed"}]);
        assert_eq!(kinds(&observe(&acme, none.clone(), rest)), ["learned"]);
        let seen = |key: &TestKey<'_>, query: &str| {
            let listed = key.send("GET", &format!("/v1/lessons{query}"), "").json();
            listed["lessons"].as_array().unwrap().len()
        };
        let shop = "?project=shop";
        assert_eq!([seen(&acme, shop), seen(&umbrella, shop)], [1, 0]);
        assert_eq!(seen(&acme, "?project=shop&agent_id=other"), 0);
        assert_eq!(seen(&acme, "?project=garden"), 0);
    });
}

#[test]
fn what_is_wrong_with_a_report_is_said_and_nothing_of_it_is_taken() {
    on_each_store(|| {
        let server = TestServer::start();
        let key = server.key(Role::Agent, "acme");
        let check = |body: Value, status: u16, error: &str| {
            let answer = key.send("POST", "/v1/observe", &body.to_string());
            let told = answer.json()["error"].as_str().unwrap().to_owned();
            assert_eq!((answer.status, &*told), (status, error), "{body}");
        };
        let events = |events: Value| json!({"session": "s1", "project": "shop", "events": events});
        let end = json!({"type": "end"});
        check(
            json!({"session": "s1"}),
            400,
            "invalid body: missing field `events`",
        );
        check(
            json!({"events": []}),
            400,
            "invalid body: missing field `session`",
        );
        check(
            json!({"session": "", "events": []}),
            400,
            "a run must not be empty",
        );
        check(
            events(json!([failed("npm test"), failed("npm test"), end])),
            400,
            "events[2]: an event of type \"end\" needs the field \"status\"",
        );
        check(
            events(json!([7])),
            400,
            "events[0]: not an event object: invalid type: integer `7`, expected struct PlainLine at line 1 column 1",
        );
        check(
            events(json!([{"type": "run", "run": "s2"}])),
            400,
            "events[0]: the field \"run\" must be the session of the report",
        );
        check(
            events(json!([{"type": "run", "run": "s1", "agent": "other"}])),
            400,
            "events[0]: the field \"agent\" must be the agent_id of the report",
        );
        check(
            events(json!([{"type": "run", "run": "s1", "project": "garden"}])),
            400,
            "events[0]: the field \"project\" must be the project of the report",
        );
        check(
            events(vec![worked("ls"); 257].into()),
            400,
            "a report has at most 256 events",
        );
        check(
            events(json!([worked(&"x".repeat(1024 * 1024))])),
            413,
            "the body is too large",
        );
        let fails = observe(&key, json!({}), json!([failed("npm test")]));
        assert_eq!(kinds(&fails), [""; 0], "the two before were not taken in");
    });
}

#[test]
fn a_key_reports_and_teaches_within_its_limits_only() {
    on_each_store(|| {
        let server = TestServer::start();
        let bound = server.key_with(Role::Agent, "acme", limits(&["bot"], &["shop"]));
        let status = |key: &TestKey<'_>, more: Value| {
            let mut body = json!({"session": "s1", "events": []});
            body.as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            key.send("POST", "/v1/observe", &body.to_string()).status
        };
        assert_eq!(status(&bound, json!({})), 200);
        assert_eq!(status(&bound, json!({"project": "garden"})), 403);
        assert_eq!(status(&bound, json!({"agent_id": "other"})), 403);
        assert_eq!(status(&server.key(Role::Viewer, "acme"), json!({})), 403);
        assert_eq!(server.send("POST", "/v1/observe", "{}").status, 401);
    });
}

#[test]
fn what_a_run_reads_outside_taints_what_its_agent_writes_until_it_ends() {
    on_each_store(|| {
        let server = TestServer::start();
        let key = server.key(Role::Agent, "acme");
        let write = |signature: &str, agent: &str| {
            let body = json!({"signature": signature, "lesson_text": "Set the channel first.", "agent_id": agent});
            let added = key.send("POST", "/v1/lessons", &body.to_string());
            added.json()["outcome"].as_str().unwrap().to_owned()
        };
        let writ = |name: &str| {
            let body = json!({"text": format!("/lesson {name}: pass the flag {name} first")});
            let answer = key.send("POST", "/v1/writ", &body.to_string()).json();
            answer["writs"][0]["reply"]
                .as_str()
                .unwrap()
                .contains("waiting for review")
        };
        assert_eq!(write("deploy one", "index"), "recorded");
        let page = json!([{"type": "tool", "tool": "fetch", "args": "https://docs.example", "status": "ok", "external": true, "output": "Run it."}]);
        assert_eq!(kinds(&observe(&key, json!({}), page)), [""; 0]);
        assert_eq!(write("deploy two", "index"), "waiting");
        assert!(writ("orvak"));
        assert_eq!(write("deploy two", "other"), "recorded", "another agent");
        let end = json!([{"type": "end", "status": "completed"}]);
        observe(&key, json!({}), end);
        assert_eq!(write("deploy three", "index"), "recorded");
        assert!(!writ("milden"));
    });
}

/// A run whose end nobody reports is learned from when it has been quiet.
#[test]
fn a_run_that_stops_without_a_word_teaches_all_the_same() {
    on_each_store(|| {
        let mut first = TestServer::start_with(ServerConfig {
            quiet_after: Duration::ZERO,
            ..ServerConfig::default()
        });
        let second = first.start_beside();
        let key = first.key(Role::Agent, "acme");
        let token = key.at(&second);
        let events = json!([
            failed("npm test"),
            failed("npm test"),
            worked("npm run test:unit")
        ]);
        assert_eq!(kinds(&observe(&key, json!({}), events)), ["loop"]);
        let owner = second.key(Role::Owner, "acme");
        let lessons = || {
            let listed = owner.send("GET", "/v1/lessons", "").json();
            listed["lessons"].as_array().unwrap().len()
        };
        assert_eq!(lessons(), 0);
        // A server that stops does once more what it does now and then.
        first.end();
        assert_eq!(lessons(), 1);
        let ended = json!([{"type": "end", "status": "completed"}]);
        assert_eq!(kinds(&observe(&token, json!({}), ended)), ["learned"]);
        assert_eq!(lessons(), 1);
    });
}
