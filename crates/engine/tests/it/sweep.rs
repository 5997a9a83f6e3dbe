//! Sweeps over stores: what is planned is what is done, once, whole, and can be taken back.

use std::sync::Mutex;

use hardwon_core::{
    Cause, CleanText, Draft, Evidence, Lesson, LookupFinding, NamedThing, RawText, RunOutcome,
    Trust, TrustClass,
};
use hardwon_engine::{
    Desk, Engine, Error, FixedClock, LessonContent, Model, ModelAnswer, ModelError, ModelPart,
    ModelRequest, ModelUse, Note, NoteOutcome, PlanId, PlannedSweep, Policy, Principal,
    RecallRequest, RepositoryLookup, Scope, SweepError, SweepItem, SweepModel, SweepPolicy,
    SweepRequest, Visibility,
    access::Rights,
    id::{LessonId, ProjectId, RunId},
    store::{LessonListing, ScopeFilter, SourceProgress, SqliteStore, Store},
};
use hardwon_store_suite::{MemoryStore, samples::commit_work};
use jiff::{SignedDuration, Timestamp};

/// Lessons of which the first says what the others do, at the same call.
const REPEATS: [&str; 3] = [
    "Use `pnpm test` here. One lockfile is kept. Workspaces need it.",
    "Use `pnpm test` here.",
    "Use `pnpm test` here. Workspaces need it.",
];
/// The lessons of one principle, by an agent; another lesson, by a person.
const LESSONS: [(&str, &str); 3] = [
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
];
const PRINCIPLE: &str = r#"{"groups": [{"members": ["auth tests", "JWT expiry", "POST /auth/refresh"],
    "situation": "token lifecycles", "correction": "Treat time as a first-class dependency: use timezone-aware datetimes,
    control clocks in tests, and apply backoff to time-sensitive retries of token refresh.", "tags": ["auth", "time"]}]}"#;

fn engine_at(store: Box<dyn Store>, second: i64) -> Engine {
    Engine::new(
        store,
        Policy::default(),
        Box::new(FixedClock(Timestamp::from_second(second).unwrap())),
    )
}

/// Runs a story on each store.
fn on_each_store(story: impl Fn(&Engine)) {
    let folder = tempfile::tempdir().unwrap();
    let file = SqliteStore::open(&folder.path().join("hardwon.db")).unwrap();
    for store in [
        Box::new(MemoryStore::new()) as Box<dyn Store>,
        Box::new(file),
    ] {
        let engine = engine_at(store, 1_000);
        plant(&engine);
        story(&engine);
    }
}

fn plant(engine: &Engine) {
    let agent = engine.acting_as(Principal::agent(Scope::default(), false));
    for (signature, text) in LESSONS {
        agent
            .note(Note::new(LessonContent::new(signature, text)))
            .unwrap();
    }
    let person = crate::person(engine);
    person
        .note(Note::new(LessonContent::new(
            "zsh globs",
            "Quote globs in zsh.",
        )))
        .unwrap();
}

/// Has an agent note lessons of which one is enough.
fn plant_repeats(engine: &Engine) {
    let agent = engine.acting_as(Principal::agent(Scope::default(), false));
    for text in REPEATS {
        agent
            .note(Note::new(LessonContent::new("npm test", text)))
            .unwrap();
    }
}

/// A model that gives one answer, or fails.
pub(crate) struct OneAnswer<'a>(
    pub(crate) Result<&'a str, ModelError>,
    pub(crate) Mutex<u32>,
);

impl Model for OneAnswer<'_> {
    fn complete(&self, ask: &ModelRequest) -> Result<ModelAnswer, ModelError> {
        *self.1.lock().unwrap() += 1;
        self.0.clone().map(|text| ModelAnswer {
            text: RawText::new(number_members(text, &ask.prompt.user)),
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

pub(crate) fn request(model: Option<&dyn Model>) -> SweepRequest<'_> {
    SweepRequest {
        within: ScopeFilter::Tenant,
        policy: SweepPolicy::default(),
        model: model.map(|model| SweepModel {
            with: ModelUse {
                model,
                max_answer_tokens: 400,
                tokens_per_day: None,
            },
            may_ask: &|| true,
        }),
        repository: None,
        is_unattended: false,
    }
}

/// Plans with a model's answer, under a lease.
pub(crate) fn plan_with(desk: &Desk<'_>, answer: Result<&str, ModelError>) -> PlannedSweep {
    let model = OneAnswer(answer, Mutex::default());
    let lease = desk
        .take_sweep_lease(SignedDuration::from_secs(30))
        .unwrap();
    let planned = desk
        .plan_sweep(&request(Some(&model)), Some(&lease))
        .unwrap();
    desk.end_sweep(lease).unwrap();
    planned
}

fn all_lessons(desk: &Desk<'_>) -> Vec<Lesson> {
    desk.lessons(&LessonListing::default()).unwrap()
}

fn states(desk: &Desk<'_>) -> Vec<(i64, &'static str)> {
    let mut states: Vec<(i64, &'static str)> = all_lessons(desk)
        .iter()
        .map(|it| (it.id.0, it.status.name()))
        .collect();
    states.sort_unstable();
    states
}

#[test]
fn a_look_changes_nothing_and_a_plan_is_done_and_taken_back() {
    on_each_store(|engine| {
        let desk = crate::person(engine);
        plant_repeats(engine);
        let before = all_lessons(&desk);
        let planned = desk.plan_sweep(&request(None), None).unwrap();
        assert_eq!(all_lessons(&desk), before);
        let items: Vec<String> = planned.plan.items.iter().map(SweepItem::describe).collect();
        assert_eq!(items, ["absorb #5 #6 #7"]);
        let done = desk
            .apply_sweep(&planned.plan, &planned.within, None)
            .unwrap();
        assert_eq!((done.retired.len(), done.left_out.len()), (2, 0));
        assert!(desk.audit_journal().unwrap().is_sound());
        assert!(!desk.lesson(LessonId(5)).unwrap().evidence.is_empty());
        // Nothing joined, so there is nothing to do.
        assert_eq!(
            desk.plan_sweep(&request(None), None).unwrap().plan.items,
            []
        );
        let undone = desk.undo_sweep(&done.id).unwrap();
        assert_eq!(undone.left, []);
        let again = all_lessons(&desk);
        let told = |all: &[Lesson]| -> Vec<_> {
            all.iter()
                .map(|it| {
                    (
                        it.id,
                        it.status.clone(),
                        it.content.clone(),
                        it.evidence.clone(),
                    )
                })
                .collect()
        };
        assert_eq!(told(&again), told(&before));
        assert!(desk.audit_journal().unwrap().is_sound());
        let twice = desk.undo_sweep(&done.id).unwrap_err();
        assert_eq!(
            twice.to_string(),
            format!("sweep {} was taken back already", done.id)
        );
    });
}

#[test]
fn a_model_tells_a_group_as_one_principle() {
    on_each_store(|engine| {
        let desk = crate::person(engine);
        let planned = plan_with(&desk, Ok(PRINCIPLE));
        assert_eq!(planned.plan.model, ModelPart::Asked(1));
        let done = desk
            .apply_sweep(&planned.plan, &planned.within, None)
            .unwrap();
        assert_eq!(done.added, [LessonId(5)]);
        let superseded = "superseded";
        assert_eq!(
            states(&desk),
            [
                (1, superseded),
                (2, superseded),
                (3, superseded),
                (4, "active"),
                (5, "active")
            ]
        );
        let recalled = desk
            .recall(&RecallRequest::new(
                Scope::default(),
                "token refresh fails in tests",
            ))
            .unwrap();
        assert!(
            recalled.preamble.text.contains("first-class dependency"),
            "{}",
            recalled.preamble.text
        );
        assert_eq!(plan_with(&desk, Ok(PRINCIPLE)).plan.items, []);
        desk.undo_sweep(&done.id).unwrap();
        assert_eq!(
            states(&desk),
            [
                (1, "active"),
                (2, "active"),
                (3, "active"),
                (4, "active"),
                (5, "archived")
            ]
        );
    });
}

#[test]
fn where_a_model_is_away_or_talks_nonsense_nothing_is_merged_by_meaning() {
    on_each_store(|engine| {
        let desk = crate::person(engine);
        plant_repeats(engine);
        let before = all_lessons(&desk);
        let by_rules = desk.plan_sweep(&request(None), None).unwrap().plan.items;
        let away = plan_with(
            &desk,
            Err(ModelError::Unreachable("nobody listens".to_owned())),
        );
        assert_eq!(away.plan.items, by_rules);
        assert_eq!(
            away.plan.model,
            ModelPart::Away("nobody listens".to_owned())
        );
        for nonsense in ["I cannot help with that.", "", "{\"groups\": 3}", "[1, 2]"] {
            let planned = plan_with(&desk, Ok(nonsense));
            assert_eq!(
                (&planned.plan.items, planned.plan.refused.len()),
                (&by_rules, 1),
                "{nonsense}"
            );
        }
        assert_eq!(all_lessons(&desk), before);
    });
}

#[test]
fn what_a_model_was_asked_about_is_not_asked_again_until_something_joins() {
    on_each_store(|engine| {
        let desk = crate::person(engine);
        let count = |expected: u32| {
            let model = OneAnswer(Ok(r#"{"groups": []}"#), Mutex::default());
            let planned = desk.under_sweep_lease(None, |lease| {
                desk.plan_sweep(&request(Some(&model)), Some(lease))
            });
            assert_eq!(planned.unwrap().plan.items, [], "the model saw no group");
            assert_eq!(*model.1.lock().unwrap(), expected);
        };
        count(1);
        count(0);
        desk.note(Note::new(LessonContent::new(
            "tar",
            "Name the archive first.",
        )))
        .unwrap();
        count(1);
        count(0);
        // A reply that is no answer settles nothing.
        desk.note(Note::new(LessonContent::new("awk", "Quote the program.")))
            .unwrap();
        plan_with(&desk, Ok("nonsense"));
        count(1);
    });
}

#[test]
fn a_plan_of_lessons_that_have_changed_is_refused() {
    on_each_store(|engine| {
        let desk = crate::person(engine);
        let planned = desk.plan_sweep(&request(None), None).unwrap();
        desk.note(Note::new(LessonContent::new(
            "tar",
            "Name the archive before the files.",
        )))
        .unwrap();
        let moved = desk
            .apply_sweep(&planned.plan, &planned.within, None)
            .unwrap_err();
        assert!(matches!(moved, Error::Sweep(SweepError::Moved)), "{moved}");
        assert_eq!(
            states(&desk)
                .iter()
                .filter(|(_, it)| *it == "active")
                .count(),
            5
        );
    });
}

#[test]
fn one_sweep_goes_on_at_a_time_and_a_dead_one_is_in_nobodys_way() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hardwon.db");
    let open = |second| engine_at(Box::new(SqliteStore::open(&path).unwrap()), second);
    let first = open(1_000);
    plant(&first);
    let dead = crate::person(&first)
        .take_sweep_lease(SignedDuration::from_secs(30))
        .unwrap();
    let busy = crate::person(&first)
        .take_sweep_lease(SignedDuration::from_secs(30))
        .unwrap_err();
    assert_eq!(
        busy.to_string(),
        "another sweep goes on, at the latest until 1970-01-01T00:17:10Z"
    );
    let later = open(1_031);
    let desk = crate::person(&later);
    let lease = desk
        .take_sweep_lease(SignedDuration::from_secs(30))
        .unwrap();
    let planned = desk.plan_sweep(&request(None), Some(&lease)).unwrap();
    // Whoever lost the lease does not apply, even if it is not dead after all.
    let lost = crate::person(&first)
        .apply_sweep(&planned.plan, &planned.within, Some(&dead))
        .unwrap_err();
    assert!(
        matches!(lost, Error::Sweep(SweepError::LeaseLost)),
        "{lost}"
    );
    desk.apply_sweep(&planned.plan, &planned.within, Some(&lease))
        .unwrap();
    desk.end_sweep(lease).unwrap();
    assert_eq!(
        desk.last_sweep().unwrap(),
        Some(Timestamp::from_second(1_031).unwrap())
    );
}

#[test]
fn a_sweep_that_nobody_attends_takes_nothing_of_a_person() {
    on_each_store(|engine| {
        let person = crate::person(engine);
        for text in REPEATS {
            person
                .note(Note::new(LessonContent::new("npm test", text)))
                .unwrap();
        }
        let attended = person.plan_sweep(&request(None), None).unwrap();
        assert_eq!(attended.plan.items.len(), 1);
        let night = engine.acting_as(Principal::sweep(Scope::default()));
        let alone = SweepRequest {
            is_unattended: true,
            ..request(None)
        };
        let planned = night.plan_sweep(&alone, None).unwrap();
        assert_eq!((planned.plan.items.len(), planned.left_for_person), (0, 1));
        // By hand all is shown; and what is done is bound by trust, whatever a plan says.
        let forced = night
            .apply_sweep(&attended.plan, &attended.within, None)
            .unwrap();
        assert_eq!((forced.retired.len(), forced.left_out.len()), (0, 1));
    });
}

#[test]
fn words_for_what_a_person_wrote_wait_for_a_person() {
    on_each_store(|engine| {
        let desk = crate::person(engine);
        let clock = "Freeze the clock with `freeze_time` in token tests.";
        desk.note(Note::new(LessonContent::new("clock", clock)))
            .unwrap();
        let agent = engine.acting_as(Principal::agent(Scope::default(), false));
        let other = "Token tests race unless `freeze_time` holds the clock.";
        agent
            .note(Note::new(LessonContent::new("races", other)))
            .unwrap();
        let answer = r#"{"groups": [{"members": ["clock", "races"], "situation": "token tests",
            "correction": "Hold the clock with `freeze_time` in token tests, or they race.", "tags": ["time"]}]}"#;
        let planned = plan_with(&desk, Ok(answer));
        assert!(
            matches!(planned.plan.items[..], [SweepItem::Propose { .. }]),
            "{:?}",
            planned.plan
        );
        let done = desk
            .apply_sweep(&planned.plan, &planned.within, None)
            .unwrap();
        assert_eq!((done.added.len(), done.retired.len()), (1, 0));
        let proposed = desk.lesson(done.added[0]).unwrap();
        assert_eq!(proposed.status.name(), "pending");
        // It is not proposed again, and what a person wrote stays when it is approved.
        assert_eq!(plan_with(&desk, Ok(answer)).plan.items, []);
        desk.approve_lesson(proposed.id, None).unwrap();
        let names: Vec<&str> = [5, 6, 7]
            .map(|id| desk.lesson(LessonId(id)).unwrap().status.name())
            .to_vec();
        assert_eq!(names, ["active", "superseded", "active"]);
        let undone = desk.undo_sweep(&done.id).unwrap();
        assert_eq!(undone.left, [proposed.id], "somebody has approved it since");
    });
}

#[test]
fn what_cannot_both_hold_is_marked_and_stays() {
    on_each_store(|engine| {
        let agent = engine.acting_as(Principal::agent(Scope::default(), false));
        for (about, text) in [
            (
                "clean",
                "Run `make clean` before each build of the firmware.",
            ),
            (
                "dirty",
                "Never run `make clean` before a build of the firmware.",
            ),
        ] {
            agent
                .note(Note::new(LessonContent::new(about, text)))
                .unwrap();
        }
        let desk = crate::person(engine);
        let answer = r#"{"groups": [{"members": ["clean", "dirty"], "situation": "builds of the firmware",
            "correction": "Run `make clean` before each build of the firmware.", "tags": ["make"]}]}"#;
        let planned = plan_with(&desk, Ok(answer));
        let items: Vec<String> = planned.plan.items.iter().map(SweepItem::describe).collect();
        assert_eq!(items, ["contradict #5 #6"]);
        assert_eq!(planned.plan.refused.len(), 1);
        desk.apply_sweep(&planned.plan, &planned.within, None)
            .unwrap();
        let [one, other] = [5, 6].map(|id| desk.lesson(LessonId(id)).unwrap());
        assert_eq!(
            (one.status.name(), other.status.name()),
            ("active", "active")
        );
        assert_eq!(one.contradicts, [other.id]);
        assert_eq!(plan_with(&desk, Ok(answer)).plan.items, []);
    });
}

#[test]
fn showings_that_are_not_counted_yet_keep_a_lesson() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hardwon.db");
    let open = |second| engine_at(Box::new(SqliteStore::open(&path).unwrap()), second);
    plant(&open(1_000));
    let later = open(90_000);
    let desk = crate::person(&later);
    let show = |prompt: &str, times: usize| {
        let ask = RecallRequest::new(Scope::default(), prompt);
        for _ in 0..times {
            assert!(!desk.recall(&ask).unwrap().preamble.shown.is_empty());
        }
    };
    let plan = || {
        let sweep = SweepRequest {
            policy: SweepPolicy { prune_days: 1 },
            ..request(None)
        };
        desk.plan_sweep(&sweep, None).unwrap()
    };
    let items = |planned: &PlannedSweep| -> Vec<String> {
        planned.plan.items.iter().map(SweepItem::describe).collect()
    };
    show("a glob in zsh is not quoted: zsh globs", 60);
    show("JWT expiry check compared naive and aware datetimes", 1);
    let planned = plan();
    assert_eq!(
        items(&planned),
        [
            "archive #1 never shown in 1 days",
            "archive #3 never shown in 1 days"
        ]
    );
    show("flaky auth test raced the clock mock", 1);
    let done = desk
        .apply_sweep(&planned.plan, &planned.within, None)
        .unwrap();
    assert_eq!(done.retired, [LessonId(3)]);
    assert_eq!(
        done.left_out,
        [(vec![LessonId(1)], "#1 was shown since".to_owned())]
    );
}

#[test]
fn an_agent_may_not_sweep() {
    on_each_store(|engine| {
        let agent = engine.acting_as(Principal::agent(Scope::default(), false));
        assert!(matches!(
            agent.plan_sweep(&request(None), None),
            Err(Error::Denied(_))
        ));
        let planned = crate::person(engine)
            .plan_sweep(&request(None), None)
            .unwrap();
        assert!(matches!(
            agent.apply_sweep(&planned.plan, &planned.within, None),
            Err(Error::Denied(_))
        ));
        assert!(matches!(
            agent.undo_sweep(&PlanId::parse("0123456789ab").unwrap()),
            Err(Error::Denied(_))
        ));
    });
}

/// An agent's lesson that is of use until a second.
fn draft_until(second: i64, text: &str, run: &str) -> Draft {
    Draft {
        scope: Scope::default(),
        content: LessonContent::new("", text),
        cause: Cause::Error,
        outcome: RunOutcome::Failure,
        evidence: vec![Evidence::from_run(&RunId::parse(run).unwrap())],
        trust: Trust::untainted(TrustClass::Agent),
        confidence: 0.5,
        failure: None,
        expires_at: Some(Timestamp::from_second(second).unwrap()),
        supersedes: Vec::new(),
        task: None,
    }
}

#[test]
fn what_a_sweep_archived_is_back_when_it_is_learned_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hardwon.db");
    let open = |second| engine_at(Box::new(SqliteStore::open(&path).unwrap()), second);
    let mirror = |second, run| draft_until(second, "Use the staging mirror.", run);
    let globs = |run| draft_until(1_000_000, "Quote globs in zsh.", run);
    let first = open(1_000);
    let drafts = vec![mirror(2_000, "r1"), globs("r1")];
    let admitted = first
        .acting_as(Principal::agent(Scope::default(), false))
        .admit_drafts(drafts);
    let ids: Vec<LessonId> = admitted
        .unwrap()
        .iter()
        .filter_map(NoteOutcome::id)
        .collect();
    drop(first);
    let later = open(3_000);
    let desk = crate::person(&later);
    let mut planned = desk.plan_sweep(&request(None), None).unwrap();
    planned.plan.items.push(SweepItem::Archive {
        lesson: ids[1],
        why: CleanText::from_stored("never shown in 180 days".to_owned()),
    });
    desk.apply_sweep(&planned.plan, &planned.within, None)
        .unwrap();
    assert_eq!(states(&desk), [(1, "archived"), (2, "archived")]);
    let agent = later.acting_as(Principal::agent(Scope::default(), false));
    agent
        .admit_drafts(vec![mirror(9_000, "r2"), globs("r2")])
        .unwrap();
    let back = [(1, "superseded"), (2, "active"), (3, "active")];
    assert_eq!(states(&desk), back);
}

/// A repository in which one script is gone.
struct NoSeedScript(ProjectId);

impl RepositoryLookup for NoSeedScript {
    fn project(&self) -> &ProjectId {
        &self.0
    }

    fn look_up(&self, thing: &NamedThing) -> LookupFinding {
        match thing {
            NamedThing::File(path) if path == "scripts/seed.sh" => {
                LookupFinding::Gone(String::new())
            }
            _ => LookupFinding::Present,
        }
    }
}

#[test]
fn what_names_a_file_that_is_gone_waits_for_a_person() {
    on_each_store(|engine| {
        let project = ProjectId::parse("shop").unwrap();
        let scope = Scope {
            project: Some(project.clone()),
            ..Scope::default()
        };
        let desk = engine.acting_as(Principal::person(scope));
        for text in [
            "Seed the shop with `scripts/seed.sh`.",
            "Start the shop with `scripts/start.sh`.",
        ] {
            desk.note(Note::new(LessonContent::new("shop", text)))
                .unwrap();
        }
        let repository = NoSeedScript(project);
        let request = SweepRequest {
            repository: Some(&repository),
            ..request(None)
        };
        let planned = desk.plan_sweep(&request, None).unwrap();
        let held: Vec<String> = (planned.plan.items.iter())
            .filter(|it| matches!(it, SweepItem::Hold { .. }))
            .map(SweepItem::describe)
            .collect();
        assert_eq!(held, ["hold #5 on probation: `scripts/seed.sh` is gone"]);
        desk.apply_sweep(&planned.plan, &planned.within, None)
            .unwrap();
        assert_eq!(desk.lesson(LessonId(5)).unwrap().status.name(), "pending");
    });
}

/// A principal that decides about one project's lessons.
fn curator_of(project: &str) -> Principal {
    let scope = Scope {
        project: Some(ProjectId::parse(project).unwrap()),
        ..Scope::default()
    };
    Principal {
        rights: Rights::Curate,
        ..Principal::person(scope).restrict_to(Visibility::Project)
    }
}

/// Plans on the sleep of a quokka.
fn plan_with_words(desk: &Desk<'_>) -> PlannedSweep {
    let mut planned = plan_with(desk, Ok(PRINCIPLE));
    planned.plan.items.push(SweepItem::Archive {
        lesson: LessonId(4),
        why: CleanText::from_stored("the quokka is asleep".to_owned()),
    });
    planned
}

#[test]
fn a_sweep_is_known_to_those_who_see_all_of_it() {
    on_each_store(|engine| {
        let desk = crate::person(engine);
        let planned = plan_with_words(&desk);
        let done = desk
            .apply_sweep(&planned.plan, &planned.within, None)
            .unwrap();
        // Whoever does not see all of it does not see it, and takes nothing of it back.
        let shop = engine.acting_as(curator_of("shop").restrict_to(Visibility::Project));
        assert_eq!(
            shop.sweeps().unwrap().len(),
            1,
            "its lessons hold everywhere"
        );
        desk.relocate_lesson(LessonId(4), Some(&ProjectId::parse("site").unwrap()))
            .unwrap();
        assert_eq!(shop.sweeps().unwrap(), []);
        let hidden = shop.undo_sweep(&done.id).unwrap_err();
        assert!(
            matches!(hidden, Error::Sweep(SweepError::Unknown(_))),
            "{hidden}"
        );
    });
}

#[test]
fn what_is_erased_is_in_no_record_of_a_sweep_and_in_no_plan_of_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hardwon.db");
    let engine = engine_at(Box::new(SqliteStore::open(&path).unwrap()), 0);
    plant(&engine);
    let desk = crate::person(&engine);
    let planned = plan_with_words(&desk);
    desk.apply_sweep(&planned.plan, &planned.within, None)
        .unwrap();
    let store = SqliteStore::open(&path).unwrap();
    let tenant = Scope::default().tenant;
    let read = |name: &str| store.snapshot().unwrap().source_progress(&tenant, name);
    let (record, plan) = ("hardwon sweep 0", "hardwon sweep plan 3");
    // A server of an earlier version kept it.
    let kept = SourceProgress {
        state: br#"{"text":"the quokka is asleep"}"#.to_vec(),
        ..read(record).unwrap().unwrap()
    };
    commit_work(&store, &tenant, |tx| tx.save_source_progress(plan, &kept)).unwrap();
    let tells = |name: &str| {
        let state = read(name).unwrap().unwrap().state;
        String::from_utf8(state).unwrap().contains("quokka")
    };
    assert_eq!([record, plan].map(tells), [true; 2]);
    desk.erase_lesson(LessonId(4)).unwrap();
    assert_eq!([record, plan].map(tells), [false; 2]);
    assert_eq!(desk.sweeps().unwrap().len(), 1);
}

#[test]
fn groups_that_there_is_no_time_for_are_left() {
    on_each_store(|engine| {
        let desk = crate::person(engine);
        let model = OneAnswer(Ok(PRINCIPLE), Mutex::default());
        let mut request = request(Some(&model));
        if let Some(model) = &mut request.model {
            model.may_ask = &|| false;
        }
        let planned = desk.under_sweep_lease(None, |lease| desk.plan_sweep(&request, Some(lease)));
        let plan = planned.unwrap().plan;
        assert_eq!((plan.items.len(), plan.postponed), (0, 1));
        assert_eq!(*model.1.lock().unwrap(), 0);
    });
}
