//! `/v1/sweeps`: swept, listed and taken back; by whom, and by one at a time.

use std::{
    sync::{Mutex, mpsc},
    thread,
    time::Duration,
};

use hardwon_core::RawText;
use hardwon_engine::{Model, ModelAnswer, ModelError, ModelRequest};
use hardwon_server::{GroupModel, Role};
use insta::assert_snapshot;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::client::{Answer, TestKey, TestServer, limits, on_each_store};

/// Lessons of which the first says what the next two do, and one of something else.
const WORDS: [(&str, &str); 4] = [
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
fn plant(key: &TestKey<'_>, project: Option<&str>) -> Vec<i64> {
    plant_words(key, project, &WORDS)
}

fn plant_words(key: &TestKey<'_>, project: Option<&str>, words: &[(&str, &str)]) -> Vec<i64> {
    let write = |(signature, text): &(&str, &str)| {
        key.lesson(&json!({"signature": signature, "lesson_text": text, "project": project}))
    };
    words.iter().map(write).collect()
}

fn sweep(key: &TestKey<'_>, body: &Value) -> Answer {
    key.send("POST", "/v1/sweeps", &body.to_string())
}

/// Sweeps all that a key sees, and returns the sweep's name.
fn sweep_all(key: &TestKey<'_>) -> String {
    let swept = sweep(key, &json!({}));
    assert_eq!(swept.status, 200, "{}", swept.body);
    swept.json()["sweep"]["id"].as_str().unwrap().to_owned()
}

fn undo(key: &TestKey<'_>, id: &str) -> Answer {
    key.send("POST", &format!("/v1/sweeps/{id}/undo"), "{}")
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

fn count_superseded(key: &TestKey<'_>, ids: &[i64]) -> usize {
    let states = states(key, ids).into_iter();
    states.filter(|it| it == "superseded").count()
}

#[test]
fn a_sweep_is_made_listed_and_taken_back() {
    on_each_store(|| {
        let server = TestServer::start();
        let curator = server.key(Role::Curator, "acme");
        let ids = plant(&server.key(Role::Agent, "acme"), None);
        let list = || curator.send("GET", "/v1/sweeps", "");
        assert_snapshot!(list().told(), @r#"200 {"last_at":null,"sweeps":[]}"#);
        let swept = sweep(&curator, &json!({}));
        assert_snapshot!(tell(&swept), @r#"200 {"left_for_person":0,"model":"rules","postponed":0,"state":"done","sweep":{"added":[],"id":"ID","left_out":[],"retired":[2,3]}}"#);
        let id = swept.json()["sweep"]["id"].as_str().unwrap().to_owned();
        assert_eq!(count_superseded(&curator, &ids), 2);
        assert_snapshot!(tell(&list()).replace(&curator.id(), "KEY"), @r#"200 {"last_at":0,"sweeps":[{"actor":"key KEY","added":0,"at":"TIME","id":"ID","retired":2,"undone":false}]}"#);
        assert_snapshot!(sweep(&curator, &json!({})).told(), @r#"200 {"left_for_person":0,"model":"rules","postponed":0,"state":"nothing_to_do"}"#);
        assert_snapshot!(tell(&undo(&curator, &id)), @r#"200 {"state":"done","sweep":{"id":"ID","left":[],"restored":[3,2]}}"#);
        assert_eq!(states(&curator, &ids), ["active"; 4]);
        assert_snapshot!(tell(&undo(&curator, &id)), @r#"409 {"detail":"sweep ID was taken back already","error":"sweep ID was taken back already","reason":"undone","status":409,"title":"Conflict"}"#);
        assert_snapshot!(undo(&curator, "x").told(), @r#"404 {"detail":"there is no sweep of this name","error":"there is no sweep of this name","status":404,"title":"Not Found"}"#);
        assert_eq!(
            curator.send("GET", "/v1/journal/verify", "").json()["sound"],
            true
        );
    });
}

/// Nobody reads the plan before.
#[test]
fn what_a_person_wrote_is_left_for_a_person() {
    on_each_store(|| {
        let server = TestServer::start();
        let owner = server.key(Role::Owner, "acme");
        let ids = plant(&owner, None);
        assert_snapshot!(sweep(&owner, &json!({})).told(), @r#"200 {"left_for_person":1,"model":"rules","postponed":0,"state":"nothing_to_do"}"#);
        assert_eq!(states(&owner, &ids), ["active"; 4]);
    });
}

#[test]
fn only_who_may_decide_about_lessons_may_sweep() {
    on_each_store(|| {
        let server = TestServer::start();
        plant(&server.key(Role::Agent, "acme"), None);
        let statuses = |key: &TestKey<'_>| {
            [
                sweep(key, &json!({})).status,
                key.send("GET", "/v1/sweeps", "").status,
                undo(key, "0123456789ab").status,
            ]
        };
        for role in [Role::Agent, Role::Viewer] {
            assert_eq!(statuses(&server.key(role, "acme")), [403; 3], "{role:?}");
        }
        assert_eq!(statuses(&server.operator()), [403; 3]);
        assert_eq!(statuses(&server.with_token("hwk_0".to_owned())), [401; 3]);
        let stranger = server.key(Role::Owner, "umbrella");
        assert_eq!(statuses(&stranger), [200, 200, 404]);
        let curator = server.key(Role::Curator, "acme");
        let id = sweep_all(&curator);
        assert_eq!(statuses(&curator), [200, 200, 404]);
        let theirs = stranger.send("GET", "/v1/sweeps", "").json();
        assert_eq!(theirs["sweeps"], json!([]));
        assert_eq!(undo(&stranger, &id).status, 404);
    });
}

#[test]
fn a_key_for_a_project_sweeps_within_it() {
    on_each_store(|| {
        let server = TestServer::start();
        let (owner, agent) = (
            server.key(Role::Owner, "acme"),
            server.key(Role::Agent, "acme"),
        );
        let everywhere = plant(&agent, None);
        let in_shop = plant(&agent, Some("shop"));
        let limited = |projects: &[&str]| {
            server.key_with(Role::Curator, "acme", limits(&["index"], projects))
        };
        let (site, both) = (limited(&["site"]), limited(&["site", "shop"]));
        assert_eq!(sweep(&site, &json!({"project": "shop"})).status, 403);
        let done = sweep(&both, &json!({"project": "shop"}));
        assert_eq!(done.status, 200, "{}", done.body);
        let of_shop = done.json()["sweep"]["id"].as_str().unwrap().to_owned();
        assert_eq!(
            (
                count_superseded(&owner, &in_shop),
                count_superseded(&owner, &everywhere)
            ),
            (2, 0)
        );
        // What the whole tenant's sweep did, a part of the tenant does not take back.
        let whole = sweep_all(&owner);
        assert_eq!(count_superseded(&owner, &everywhere), 2);
        assert_eq!(undo(&site, &of_shop).status, 404);
        assert_eq!(undo(&both, &of_shop).status, 200);
        assert_eq!(undo(&owner, &whole).status, 200);
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
        tokens_per_day: None,
    };
    (model, was_asked, answer)
}

#[test]
fn a_model_words_groups_where_the_server_has_one() {
    on_each_store(|| {
        let (model, _asked, answer) = slow_model();
        let server = TestServer::start_with_model(model);
        let (owner, agent) = (
            server.key(Role::Owner, "acme"),
            server.key(Role::Agent, "acme"),
        );
        plant_words(&agent, None, &PRINCIPLED);
        answer.send(Ok(PRINCIPLE)).unwrap();
        let done = sweep(&owner, &json!({"model": true}));
        assert_snapshot!(tell(&done), @r#"200 {"left_for_person":0,"model":"asked","postponed":0,"state":"done","sweep":{"added":[5],"id":"ID","left_out":[],"retired":[1,2,3]}}"#);
        // The next question is not answered.
        plant_words(&agent, Some("shop"), &PRINCIPLED);
        drop(answer);
        assert_snapshot!(tell(&sweep(&owner, &json!({"model": true}))), @r#"200 {"left_for_person":0,"model":"away","model_error":"nobody listens","postponed":0,"state":"nothing_to_do"}"#);
        let without = TestServer::start();
        let key = without.key(Role::Owner, "acme");
        assert_snapshot!(sweep(&key, &json!({"model": true})).told(), @r#"409 {"detail":"this server has no model: leave `model` out, and nothing is merged by meaning","error":"this server has no model: leave `model` out, and nothing is merged by meaning","field":"model","status":409,"title":"Conflict"}"#);
    });
}

#[test]
fn one_sweep_goes_on_at_a_time_whichever_server_it_is_on() {
    on_each_store(|| {
        let (model, asked, answer) = slow_model();
        let server = TestServer::start_with_model(model);
        let other = server.start_beside();
        let owner = server.key(Role::Owner, "acme");
        plant(&server.key(Role::Agent, "acme"), None);
        thread::scope(|scope| {
            let sweeping = scope.spawn(|| sweep(&owner, &json!({"model": true})).status);
            asked.recv().unwrap();
            for at in [&server, &other] {
                let refused = sweep(&owner.at(at), &json!({}));
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
            assert_eq!(sweeping.join().unwrap(), 200);
        });
        assert_eq!(sweep(&owner.at(&other), &json!({})).status, 200);
    });
}

/// What came while the model was asked is in no plan.
#[test]
fn a_sweep_of_lessons_that_changed_meanwhile_does_nothing() {
    on_each_store(|| {
        let (model, asked, answer) = slow_model();
        let server = TestServer::start_with_model(model);
        let (owner, agent) = (
            server.key(Role::Owner, "acme"),
            server.key(Role::Agent, "acme"),
        );
        let ids = plant(&agent, None);
        thread::scope(|scope| {
            let sweeping = scope.spawn(|| sweep(&owner, &json!({"model": true})));
            asked.recv().unwrap();
            agent.lesson(&json!({"signature": "tar", "lesson_text": "Name the archive first."}));
            answer.send(Ok("<skip>nothing in common</skip>")).unwrap();
            assert_snapshot!(sweeping.join().unwrap().told(), @r#"409 {"detail":"the lessons have changed since the plan was made","error":"the lessons have changed since the plan was made","reason":"moved","status":409,"title":"Conflict"}"#);
        });
        assert_eq!(states(&owner, &ids), ["active"; 4]);
    });
}

#[test]
fn a_repeated_request_sweeps_once() {
    on_each_store(|| {
        let server = TestServer::start();
        let owner = server.key(Role::Owner, "acme");
        let ids = plant(&server.key(Role::Agent, "acme"), None);
        let twice = |name: &str, path: &str| {
            let first = owner.send_named(name, path, "{}");
            assert_eq!(first.status, 200, "{}", first.body);
            let again = owner.send_named(name, path, "{}");
            assert_eq!(again.header("idempotency-replayed"), "true");
            assert_eq!((again.status, &again.body), (200, &first.body));
            first.json()
        };
        let swept = twice("sweep", "/v1/sweeps");
        let id = swept["sweep"]["id"].as_str().unwrap();
        twice("undo", &format!("/v1/sweeps/{id}/undo"));
        assert_eq!(states(&owner, &ids), ["active"; 4]);
        // Another name is another request.
        let more = owner.send_named("sweep-again", "/v1/sweeps", "{}");
        assert_eq!(more.json()["state"], "done", "{}", more.body);
    });
}
