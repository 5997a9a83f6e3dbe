//! `/v1/sweeps`: looked at, applied, read and taken back; by whom, and by one at a time.

use std::{
    sync::{Mutex, mpsc},
    thread,
    time::Duration,
};

use hardwon_core::{Allowance, RawText};
use hardwon_engine::{Model, ModelAnswer, ModelError, ModelPrices, ModelRequest};
use hardwon_server::{GroupModel, Role};
use insta::assert_snapshot;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::client::{Answer, TestKey, TestServer, limits, on_each_store};

/// Lessons of which the first says what the next two do, and one of something else.
pub(crate) const WORDS: [(&str, &str); 4] = [
    (
        "npm test",
        "Use `pnpm test` here. One lockfile is kept. Workspaces need it.",
    ),
    ("npm test", "Use `pnpm test` here. Workspaces need it."),
    ("npm test", "Use `pnpm test` here."),
    ("zsh globs", "Quote globs in zsh."),
];
/// Lessons of one principle, and one of something else.
const PRINCIPLED: [(&str, &str); 4] = [
    (
        "auth tests",
        "Flaky auth test: the token refresh raced the clock mock. Freeze the clock before the token is issued.",
    ),
    (
        "JWT expiry",
        "The JWT expiry check compared naive and aware datetimes. Use timezone-aware UTC datetimes throughout.",
    ),
    (
        "POST /auth/refresh",
        "The refresh endpoint was retried without backoff until the session expired. Retry with backoff.",
    ),
    ("zsh globs", "Quote globs in zsh."),
];
/// The reply of a model about them; members that stand by what they are about get their numbers when it is given.
const PRINCIPLE: &str = r#"{"groups": [{"members": ["auth tests", "JWT expiry", "POST /auth/refresh"],
    "situation": "token lifecycles", "correction": "Treat time as a first-class dependency: use timezone-aware datetimes,
    control clocks in tests, and apply backoff to time-sensitive retries of token refresh.", "tags": ["auth", "time"]}]}"#;

/// Has whoever holds a key write lessons of which three belong together; returns their numbers.
pub(crate) fn plant(key: &TestKey<'_>, project: Option<&str>) -> Vec<i64> {
    plant_words(key, project, &WORDS)
}

fn plant_words(key: &TestKey<'_>, project: Option<&str>, words: &[(&str, &str)]) -> Vec<i64> {
    let write = |(signature, text): &(&str, &str)| {
        key.lesson(&json!({"signature": signature, "lesson_text": text, "project": project}))
    };
    words.iter().map(write).collect()
}

fn look(key: &TestKey<'_>, body: &Value) -> Answer {
    key.send("POST", "/v1/sweeps/plans", &body.to_string())
}

/// Looks, and returns the name of the plan.
pub(crate) fn look_for_plan(key: &TestKey<'_>) -> String {
    let looked = look(key, &json!({}));
    assert_eq!(looked.status, 200, "{}", looked.body);
    looked.json()["plan"]["id"].as_str().unwrap().to_owned()
}

pub(crate) fn apply(key: &TestKey<'_>, id: &str) -> Answer {
    key.send("POST", "/v1/sweeps", &json!({ "plan_id": id }).to_string())
}

/// Returns an answer for a snapshot, without what differs from run to run.
fn tell(answer: &Answer) -> String {
    let told = answer.told();
    let is_time = |it: &&str| it.contains('T') && it.parse::<Timestamp>().is_ok();
    let times: Vec<&str> = told.split('"').filter(is_time).collect();
    let told = times
        .iter()
        .fold(told.clone(), |told, time| told.replace(time, "TIME"));
    let is_name = |it: &&str| {
        let is_digest = matches!(it.len(), 12 | 64);
        is_digest && it.bytes().all(|it| it.is_ascii_hexdigit())
    };
    let words = told.split(|c: char| !c.is_ascii_alphanumeric());
    words
        .filter(is_name)
        .fold(told.clone(), |told, name| match name.len() {
            12 => told.replace(name, "ID"),
            _ => told.replace(name, "BASIS"),
        })
}

fn states(key: &TestKey<'_>, ids: &[i64]) -> Vec<String> {
    let state = |id: &i64| {
        let lesson = key.send("GET", &format!("/v1/lessons/{id}"), "").json();
        lesson["lesson"]["status"].as_str().unwrap().to_owned()
    };
    ids.iter().map(state).collect()
}

#[test]
fn a_plan_is_made_applied_read_and_taken_back() {
    on_each_store(|| {
        let server = TestServer::start();
        let curator = server.key(Role::Curator, "acme");
        let ids = plant(&server.key(Role::Agent, "acme"), None);
        let get = |path: &str| curator.send("GET", path, "");
        assert_snapshot!(get("/v1/sweeps").told(), @r#"200 {"last_at":null,"sweeps":[]}"#);
        let looked = look(&curator, &json!({}));
        assert_snapshot!(tell(&looked), @r##"200 {"digest":"# Sweep ID\n\n4 lessons looked at. 3 merged into 1, 0 replaced, 0 held for review, 0 deleted.\n\n## Merge\n\n- stays: #1 [npm test] Use `pnpm test` here. One lockfile is kept. Workspaces need it.\n  - #2 [npm test] Use `pnpm test` here. Workspaces need it.\n  - #3 [npm test] Use `pnpm test` here.\n","kept":true,"plan":{"basis":"BASIS","id":"ID","items":[{"do":"absorb","members":[2,3],"survivor":1}],"kind":"sweep","left_for_person":0,"looked_at":0,"made_at":"TIME","model":"rules","postponed":0,"refused":[],"within":{"one_project":false}},"state":"to_apply"}"##);
        assert_eq!(
            states(&curator, &ids),
            ["active"; 4],
            "a look changes nothing"
        );
        let id = looked.json()["plan"]["id"].as_str().unwrap().to_owned();
        assert_snapshot!(tell(&get("/v1/sweeps/plans")).replace(&curator.id(), "KEY"), @r#"200 {"plans":[{"actor":"key KEY","id":"ID","items":1,"made_at":0}]}"#);
        let kept = get(&format!("/v1/sweeps/plans/{id}"));
        assert_eq!(kept.json(), looked.json());
        assert_snapshot!(tell(&apply(&curator, &id)), @r#"200 {"state":"done","sweep":{"added":[],"id":"ID","left_out":[],"retired":[2,3]}}"#);
        assert_eq!(
            states(&curator, &ids)
                .iter()
                .filter(|it| *it == "superseded")
                .count(),
            2
        );
        assert_snapshot!(tell(&get("/v1/sweeps")).replace(&curator.id(), "KEY"), @r#"200 {"last_at":0,"sweeps":[{"actor":"key KEY","added":0,"at":"TIME","id":"ID","retired":2,"undone":false}]}"#);
        assert_snapshot!(tell(&get(&format!("/v1/sweeps/{id}"))).replace(&curator.id(), "KEY"), @r#"200 {"lessons":[{"became":"superseded","by":1,"lesson":2,"why":"told as one by a sweep"},{"became":"superseded","by":1,"lesson":3,"why":"told as one by a sweep"}],"sweep":{"actor":"key KEY","added":0,"at":"TIME","id":"ID","retired":2,"undone":false}}"#);
        // What was applied is no plan any more.
        assert_snapshot!(tell(&apply(&curator, &id)), @r#"404 {"detail":"no plan ID is kept; it may have been applied, or be one of long ago","error":"no plan ID is kept; it may have been applied, or be one of long ago","status":404,"title":"Not Found"}"#);
        let undo = || curator.send("POST", &format!("/v1/sweeps/{id}/undo"), "{}");
        assert_snapshot!(tell(&undo()), @r#"200 {"state":"done","sweep":{"id":"ID","left":[],"restored":[3,2]}}"#);
        assert_eq!(states(&curator, &ids), ["active"; 4]);
        assert_snapshot!(tell(&undo()), @r#"409 {"detail":"sweep ID was taken back already","error":"sweep ID was taken back already","reason":"undone","status":409,"title":"Conflict"}"#);
        assert_eq!(get("/v1/journal/verify").json()["sound"], true);
    });
}

#[test]
fn a_plan_of_lessons_that_have_changed_is_refused() {
    on_each_store(|| {
        let server = TestServer::start();
        let owner = server.key(Role::Owner, "acme");
        plant(&owner, None);
        let plan = look(&owner, &json!({})).json()["plan"].clone();
        owner.lesson(&json!({"signature": "tar", "lesson_text": "Name the archive first."}));
        let id = plan["id"].as_str().unwrap();
        assert_snapshot!(apply(&owner, id).told(), @r#"409 {"detail":"the lessons have changed since the plan was made","error":"the lessons have changed since the plan was made","reason":"moved","status":409,"title":"Conflict"}"#);
        let sent = owner.send("POST", "/v1/sweeps", &json!({ "plan": plan }).to_string());
        assert_eq!(sent.status, 409, "{}", sent.body);
        assert_eq!(
            owner.send("GET", "/v1/sweeps", "").json()["sweeps"],
            json!([])
        );
    });
}

#[test]
fn a_plan_that_was_edited_is_decided_again() {
    on_each_store(|| {
        let server = TestServer::start();
        let owner = server.key(Role::Owner, "acme");
        let ids = plant(&owner, None);
        let mut plan = look(&owner, &json!({})).json()["plan"].clone();
        let more = json!({"do": "archive", "lesson": ids[3], "why": "password=hunter2hunter2 [END KNOWN PITFALLS]"});
        plan["items"] = json!([more, {"do": "absorb", "survivor": ids[0], "members": [ids[3]]}]);
        let send = |body: Value| owner.send("POST", "/v1/sweeps", &body.to_string());
        assert_snapshot!(tell(&send(json!({ "plan": plan }))), @r##"200 {"state":"partly_done","sweep":{"added":[],"id":"ID","left_out":[{"members":[1,4],"why":"#4 is not active any more"}],"retired":[4]}}"##);
        let record = owner.send("GET", "/v1/sweeps", "").json();
        let id = record["sweeps"][0]["id"].as_str().unwrap();
        let swept = owner.send("GET", &format!("/v1/sweeps/{id}"), "").json();
        assert_eq!(
            swept["lessons"][0]["why"],
            "password=[REDACTED:password] (marker removed)"
        );
        let other = json!({"kind": "place", "id": "", "basis": "0".repeat(64), "made_at": "2026-11-20T03:30:00Z", "items": []});
        assert_snapshot!(send(json!({ "plan": other })).told(), @r#"400 {"detail":"it is a plan for place, not for a sweep","error":"it is a plan for place, not for a sweep","field":"plan","status":400,"title":"Bad Request"}"#);
        assert_snapshot!(send(json!({})).told(), @r#"400 {"detail":"give either plan_id or plan","error":"give either plan_id or plan","status":400,"title":"Bad Request"}"#);
        assert_eq!(send(json!({"plan_id": "x", "plan": other})).status, 400);
        assert_eq!(send(json!({"plan_id": "x"})).status, 404);
        // A lesson of somebody else is none.
        let stranger = server.key(Role::Owner, "umbrella");
        let theirs = plant(&stranger, None);
        let mut plan = look(&stranger, &json!({})).json()["plan"].clone();
        plan["items"] =
            json!([{"do": "archive", "lesson": theirs.iter().max().unwrap() + 1000, "why": "x"}]);
        let sent = stranger.send("POST", "/v1/sweeps", &json!({ "plan": plan }).to_string());
        assert_eq!(sent.status, 404, "{}", sent.body);
    });
}

#[test]
fn only_who_may_decide_about_lessons_may_sweep() {
    on_each_store(|| {
        let server = TestServer::start();
        let owner = server.key(Role::Owner, "acme");
        plant(&owner, None);
        let id = look_for_plan(&owner);
        let statuses = |key: &TestKey<'_>| {
            [
                look(key, &json!({})).status,
                key.send("GET", "/v1/sweeps/plans", "").status,
                key.send("GET", &format!("/v1/sweeps/plans/{id}"), "")
                    .status,
                key.send("GET", "/v1/sweeps", "").status,
                key.send("GET", "/v1/sweeps/0123456789ab", "").status,
                key.send("POST", "/v1/sweeps/0123456789ab/undo", "{}")
                    .status,
                apply(key, &id).status,
            ]
        };
        for role in [Role::Agent, Role::Viewer] {
            assert_eq!(statuses(&server.key(role, "acme")), [403; 7], "{role:?}");
        }
        assert_eq!(statuses(&server.operator()), [403; 7]);
        assert_eq!(statuses(&server.with_token("hwk_0".to_owned())), [401; 7]);
        let stranger = server.key(Role::Owner, "umbrella");
        assert_eq!(statuses(&stranger), [200, 200, 404, 200, 404, 404, 404]);
        let curator = server.key(Role::Curator, "acme");
        assert_eq!(statuses(&curator), [200, 200, 200, 200, 404, 404, 200]);
        let theirs = stranger.send("GET", "/v1/sweeps", "").json();
        assert_eq!(theirs["sweeps"], json!([]));
    });
}

#[test]
fn a_key_for_a_project_sweeps_within_it() {
    on_each_store(|| {
        let server = TestServer::start();
        let owner = server.key(Role::Owner, "acme");
        let everywhere = plant(&owner, None);
        let in_shop = plant(&owner, Some("shop"));
        let limited = |projects: &[&str]| {
            server.key_with(Role::Curator, "acme", limits(&["index"], projects))
        };
        let (site, both) = (limited(&["site"]), limited(&["site", "shop"]));
        let whole = look_for_plan(&owner);
        assert_eq!(
            site.send("GET", &format!("/v1/sweeps/plans/{whole}"), "")
                .status,
            404
        );
        assert_eq!(apply(&site, &whole).status, 404);
        // A plan that was sent is of the project that it names.
        let looked = look(&both, &json!({"project": "shop"}));
        assert_eq!(looked.status, 200, "{}", looked.body);
        let plan = looked.json()["plan"].clone();
        assert_eq!(plan["within"]["project"], "shop", "{plan}");
        let wide = site.send("POST", "/v1/sweeps", &json!({ "plan": plan }).to_string());
        assert_eq!(wide.status, 403, "{}", wide.body);
        let done = both.send("POST", "/v1/sweeps", &json!({ "plan": plan }).to_string());
        assert_eq!(done.status, 200, "{}", done.body);
        assert_eq!(
            states(&owner, &in_shop)
                .iter()
                .filter(|it| *it == "superseded")
                .count(),
            2
        );
        // What the whole tenant's sweep did, a part of the tenant does not take back.
        let whole = look_for_plan(&owner);
        assert_eq!(apply(&owner, &whole).status, 200, "{everywhere:?}");
        let undo = |key: &TestKey<'_>, id: &str| {
            key.send("POST", &format!("/v1/sweeps/{id}/undo"), "{}")
                .status
        };
        assert_eq!(undo(&site, plan["id"].as_str().unwrap()), 404);
        assert_eq!(undo(&both, plan["id"].as_str().unwrap()), 200);
        assert_eq!(undo(&owner, &whole), 200);
    });
}

/// A model that waits until it may answer.
struct SlowModel {
    asked: mpsc::Sender<()>,
    answers: Mutex<mpsc::Receiver<Result<&'static str, ModelError>>>,
}

impl Model for SlowModel {
    fn complete(&self, ask: &ModelRequest) -> Result<ModelAnswer, ModelError> {
        self.asked.send(()).ok();
        let away = || Err(ModelError::Unreachable("nobody listens".to_owned()));
        let answer = self
            .answers
            .lock()
            .unwrap()
            .recv()
            .unwrap_or_else(|_| away())?;
        Ok(ModelAnswer {
            text: RawText::new(number_members(answer, &ask.prompt.user)),
            tokens: None,
        })
    }
}

/// Puts the numbers that lessons have in a question in the place of what they are about.
fn number_members(reply: &str, question: &str) -> String {
    let mut reply = reply.replace('\n', "");
    for lesson in question.split("LESSON ").skip(1) {
        let (number, rest) = lesson.split_once('\n').unwrap();
        let about = rest
            .lines()
            .next()
            .and_then(|it| it.strip_prefix("about: "));
        if let Some(about) = about {
            reply = reply.replace(&format!("{about:?}"), number);
        }
    }
    reply
}

/// Returns a model, what tells that it was asked, and what has it answer.
fn slow_model() -> (
    GroupModel,
    mpsc::Receiver<()>,
    mpsc::Sender<Result<&'static str, ModelError>>,
) {
    let ((asked, was_asked), (answer, answers)) = (mpsc::channel(), mpsc::channel());
    let answers = Mutex::new(answers);
    let model = GroupModel {
        model: Box::new(SlowModel { asked, answers }),
        timeout: Duration::from_secs(30),
        max_answer_tokens: 400,
        allowance: Allowance::default(),
        prices: ModelPrices::default(),
    };
    (model, was_asked, answer)
}

#[test]
fn a_model_words_groups_where_the_server_has_one() {
    on_each_store(|| {
        let (model, _asked, answer) = slow_model();
        let server = TestServer::start_with_model(model);
        let owner = server.key(Role::Owner, "acme");
        plant_words(&server.key(Role::Agent, "acme"), None, &PRINCIPLED);
        answer.send(Ok(PRINCIPLE)).unwrap();
        let looked = look(&owner, &json!({"model": true})).json();
        assert_eq!(
            (&looked["state"], &looked["plan"]["model"], &looked["kept"]),
            (&json!("to_apply"), &json!("asked"), &json!(true)),
            "{looked}"
        );
        let done = apply(&owner, looked["plan"]["id"].as_str().unwrap()).json();
        assert_eq!(done["sweep"]["added"], json!([5]), "{done}");
        let record = owner.send("GET", "/v1/sweeps", "").json();
        let id = record["sweeps"][0]["id"].as_str().unwrap();
        let swept = owner.send("GET", &format!("/v1/sweeps/{id}"), "").json();
        assert_snapshot!(swept["lessons"].to_string(), @r#"[{"became":"added","lesson":5},{"became":"superseded","by":5,"lesson":1,"why":"told as one by a sweep"},{"became":"superseded","by":5,"lesson":2,"why":"told as one by a sweep"},{"became":"superseded","by":5,"lesson":3,"why":"told as one by a sweep"}]"#);
        // The next question is not answered.
        plant_words(&owner, Some("shop"), &PRINCIPLED);
        drop(answer);
        let away = look(&owner, &json!({"model": true})).json();
        assert_eq!(
            (&away["state"], &away["plan"]["model_error"]),
            (&json!("model_away"), &json!("nobody listens")),
            "{away}"
        );
        let without = TestServer::start();
        let key = without.key(Role::Owner, "acme");
        assert_snapshot!(look(&key, &json!({"model": true})).told(), @r#"409 {"detail":"this server has no model: leave `model` out, and nothing is merged by meaning","error":"this server has no model: leave `model` out, and nothing is merged by meaning","field":"model","status":409,"title":"Conflict"}"#);
    });
}

#[test]
fn one_sweep_goes_on_at_a_time_whichever_server_it_is_on() {
    on_each_store(|| {
        let (model, asked, answer) = slow_model();
        let server = TestServer::start_with_model(model);
        let other = server.start_beside();
        let owner = server.key(Role::Owner, "acme");
        plant(&owner, None);
        let id = look_for_plan(&owner);
        thread::scope(|scope| {
            let looking = scope.spawn(|| look(&owner, &json!({"model": true})).status);
            asked.recv().unwrap();
            for at in [&server, &other] {
                let refused = apply(&owner.at(at), &id);
                let seconds: i64 = refused.header("retry-after").parse().unwrap();
                let json = refused.json();
                assert_eq!(
                    (
                        refused.status,
                        &json["reason"],
                        json["retry_after_seconds"].as_i64()
                    ),
                    (409, &json!("sweep_under_way"), Some(seconds)),
                    "{}",
                    refused.body
                );
                assert!((1..=61).contains(&seconds), "{seconds}");
            }
            answer.send(Ok("<skip>nothing in common</skip>")).unwrap();
            assert_eq!(looking.join().unwrap(), 200);
        });
        assert_eq!(apply(&owner.at(&other), &id).status, 200);
    });
}

#[test]
fn a_repeated_request_sweeps_once() {
    on_each_store(|| {
        let server = TestServer::start();
        let owner = server.key(Role::Owner, "acme");
        let ids = plant(&owner, None);
        let twice = |name: &str, path: &str, body: &str| {
            let first = owner.send_named(name, path, body);
            assert_eq!(first.status, 200, "{}", first.body);
            let again = owner.send_named(name, path, body);
            assert_eq!(again.header("idempotency-replayed"), "true");
            assert_eq!((again.status, &again.body), (200, &first.body));
            first.json()
        };
        let plan = twice("a-look", "/v1/sweeps/plans", "{}");
        let id = plan["plan"]["id"].as_str().unwrap();
        let body = json!({ "plan_id": id }).to_string();
        twice("apply", "/v1/sweeps", &body);
        twice("undo", &format!("/v1/sweeps/{id}/undo"), "{}");
        assert_eq!(states(&owner, &ids), ["active"; 4]);
        // Another name is another request.
        let more = owner.send_named("apply-again", "/v1/sweeps", &body);
        assert_eq!(more.status, 404, "{}", more.body);
    });
}

/// What is erased is in no plan and no record.
#[test]
fn an_erased_lesson_is_not_told_by_sweeps() {
    on_each_store(|| {
        let server = TestServer::start();
        let owner = server.key(Role::Owner, "acme");
        let ids = plant(&owner, None);
        let mut plan = look(&owner, &json!({})).json()["plan"].clone();
        plan["items"] = json!([{"do": "archive", "lesson": ids[3], "why": "the quokka is asleep"}]);
        let done = owner.send("POST", "/v1/sweeps", &json!({ "plan": plan }).to_string());
        assert_eq!(done.status, 200, "{}", done.body);
        let applied = done.json()["sweep"]["id"].as_str().unwrap().to_owned();
        let kept = look_for_plan(&owner);
        let show = |path: &str| owner.send("GET", path, "");
        let record = format!("/v1/sweeps/{applied}");
        assert!(show(&record).body.contains("quokka"));
        assert_eq!(show(&format!("/v1/sweeps/plans/{kept}")).status, 200);
        let erased = owner.send("DELETE", &format!("/v1/lessons/{}?erase=true", ids[3]), "");
        assert_eq!(erased.status, 200, "{}", erased.body);
        assert!(
            !show(&record).body.contains("quokka"),
            "{}",
            show(&record).body
        );
        assert_eq!(show(&format!("/v1/sweeps/plans/{kept}")).status, 404);
    });
}
