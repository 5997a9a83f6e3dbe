//! Random sequences of steps, played on two stores that must agree after each.

use std::fmt::Debug;

use hardwon_core::{
    change::Change,
    id::LessonId,
    lesson::{AdmittedLesson, RunOutcome, Status, Trust, TrustClass},
    queue::{JobFailure, JobId, JobState, ModelCost},
    scope::Scope,
    vector::{Vector, content_fingerprint},
};
use proptest::{prelude::*, sample::select};

use super::{
    ask::{FAILURES, SOURCES, SPACES, audit, everything},
    samples::{
        admitted, at, batch, clean, evidence, failure, inquiry, judged, learn_in, recall, run,
        scope, tally, tenant, write,
    },
};
use crate::{
    Commit as _, Durability, LessonVector, Result, Sighting, Source, Store, StoreError, Write,
};

const TENANTS: [&str; 2] = ["t", "u"];
/// Few, so that there are twins and opposites among them.
const TEXTS: [&str; 8] = [
    "use alpha in go",
    "Always use alpha in Go",
    "avoid alpha in go",
    "use beta, not gamma",
    "use gamma, not beta",
    "alpha beta gamma delta",
    "run delta before alpha",
    "Größe: 日本 \0 ' \" % _ ?",
];

const RUNS: [&str; 2] = ["r1", "r2"];

/// One thing that somebody does to a store.
#[derive(Debug, Clone)]
pub enum Step {
    /// Learns lessons in one transaction.
    Learn(Vec<AdmittedLesson>),
    /// Changes lessons by number, which may not fit.
    Change(&'static str, Vec<Change>),
    /// Learns a lesson and then thinks better of it.
    Refuse(Box<AdmittedLesson>),
    /// Shows lessons.
    Remember(Scope, Vec<LessonId>),
    /// Counts what was shown.
    Flush(&'static str),
    /// Judges a run, or hears a word.
    Judge(&'static str, Option<&'static str>, i64),
    /// Sees a trouble.
    Sight(Box<Sighting>),
    /// Forgets a trouble.
    Forget(Scope, &'static str),
    /// Reads a source.
    Keep(&'static str, &'static str, u64),
    /// A run gives rise to a question about a trouble, or about itself.
    Ask(Scope, &'static str, &'static str, Option<&'static str>),
    /// Takes the job whose turn it is up, and does this with it.
    Work(&'static str, Work),
    /// Forgets a job.
    ForgetJob(&'static str, i64),
    /// Pays.
    Pay(&'static str, i64, u64),
    /// Has a lesson embedded, unless it has changed its words meanwhile.
    Embed(&'static str, LessonId, &'static str, [i8; 2], bool),
    /// Closes the store and opens it again, if it is one that lasts.
    Reopen,
}

/// What becomes of a job that was taken up.
#[derive(Debug, Clone, Copy)]
pub enum Work {
    /// It is done.
    Finish,
    /// It failed, and may fail twice.
    Fail,
    /// Its worker is gone.
    Leave,
}

/// Plays steps on a store and its model, and panics when they differ or the journal breaks.
/// `reopen` closes and opens the store.
pub fn agree(
    model: &dyn Store,
    store: Box<dyn Store>,
    reopen: &dyn Fn(Box<dyn Store>) -> Box<dyn Store>,
    steps: &[Step],
) {
    let mut store = store;
    for (place, step) in steps.iter().enumerate() {
        let now = i64::try_from(place).expect("few steps");
        let (expected, got) = (play(model, step, now), play(&*store, step, now));
        let kind = |outcome: Result<String>| outcome.map_err(|error| error.kind());
        assert_eq!(kind(got), kind(expected), "{step:?}");
        if matches!(step, Step::Reopen) {
            store = reopen(store);
        }
        for name in TENANTS {
            let name = tenant(name);
            assert_eq!(everything(&*store, &name), everything(model, &name));
            audit(&*store, &name);
        }
    }
}

/// Does one step and tells how it went.
fn play(store: &dyn Store, step: &Step, now: i64) -> Result<String> {
    let now = at(now);
    match step {
        Step::Learn(lessons) => {
            let learned = write(store, &lessons[0].scope.tenant, |tx| {
                let lessons = lessons.iter();
                let learned = lessons.map(|it| learn_in(tx, it.clone(), 3, now));
                learned.collect::<Result<Vec<_>>>()
            })?;
            Ok(format!("{learned:?}"))
        }
        Step::Change(name, changes) => {
            let name = tenant(name);
            let changed = write(store, &name, |tx| {
                tx.apply(&batch(&name, changes.clone(), now))
            })?;
            Ok(format!("{changed:?}"))
        }
        Step::Refuse(lesson) => write(store, &lesson.scope.tenant, |tx| {
            learn_in(tx, (**lesson).clone(), 3, now)?;
            Err(StoreError::refused("thought better of it"))
        }),
        Step::Remember(scope, shown) => {
            let mut recall = recall(scope, shown);
            recall.at = now;
            store.remember(&recall).map(|_| String::new())
        }
        Step::Flush(name) => Ok(format!("{:?}", store.flush(&tenant(name))?)),
        Step::Judge(name, run, shift) => {
            let judged = judged(*run, *shift);
            told(write(store, &tenant(name), |tx| tx.judge(&judged)))
        }
        Step::Sight(sighting) => {
            let mut sighting = sighting.clone();
            sighting.at = now;
            let tenant = &sighting.scope.tenant;
            told(write(store, tenant, |tx| tx.sight(&sighting)))
        }
        Step::Forget(scope, name) => told(write(store, &scope.tenant, |tx| {
            tx.forget_witness(scope, &failure(name))
        })),
        Step::Keep(name, source, position) => {
            let kept = Source {
                position: *position,
                fingerprint: format!("{position:x}"),
                state: vec![0, 255, 10],
                at: now,
            };
            let keep = |tx: &mut dyn Write| tx.keep_source(source, &kept);
            told(store.commit_with(&tenant(name), Durability::Lazy, keep))
        }
        Step::Ask(place, run, shown, trouble) => {
            let inquiry = inquiry(place, run, shown, *trouble);
            let task = &inquiry.task;
            let state = JobState::from_inquiry(&inquiry, now);
            told(write(store, &place.tenant, |tx| {
                match tx.reader().job_of(&place.tenant, &task.key())? {
                    None => tx.add_job(task, now, state).map(|_| ()),
                    Some(job) => match job.apply_inquiry(inquiry.clone(), now) {
                        Some(job) => tx.keep_job(&job),
                        None => tx.add_job(task, now, state).map(|_| ()),
                    },
                }
            }))
        }
        Step::Work(name, work) => {
            let name = tenant(name);
            told(write(store, &name, |tx| {
                let Some(job) = tx.reader().next_job(&name, now)? else {
                    return Ok(());
                };
                let job = job.claim(now);
                tx.keep_job(&match work {
                    _ if job.state == JobState::Dead => job,
                    Work::Finish => job.complete(),
                    Work::Leave => job,
                    Work::Fail => {
                        let setback = JobFailure {
                            why: "no".into(),
                            max_attempts: Some(2),
                            retry_after: None,
                        };
                        job.fail(&setback, now, 0.0)
                    }
                })
            }))
        }
        Step::ForgetJob(name, id) => {
            told(write(store, &tenant(name), |tx| tx.forget_job(JobId(*id))))
        }
        Step::Pay(name, day, tokens) => {
            let spent = ModelCost {
                calls: 1,
                tokens: *tokens,
                micros: tokens * 3,
            };
            told(write(store, &tenant(name), |tx| tx.set_spent(*day, spent)))
        }
        Step::Embed(name, lesson, space, numbers, is_stale) => {
            let name = tenant(name);
            let words = store.snapshot()?.lesson(&name, *lesson)?;
            let vector = LessonVector {
                lesson: *lesson,
                space: (*space).to_owned(),
                print: words.map_or(0, |it| content_fingerprint(&it.content))
                    ^ u64::from(*is_stale),
                vector: Vector::from_numbers(&numbers.map(f32::from)).unwrap(),
            };
            told(write(store, &name, |tx| tx.keep_vector(&vector)))
        }
        Step::Reopen => Ok(String::new()),
    }
}

fn told<T: Debug>(outcome: Result<T>) -> Result<String> {
    outcome.map(|value| format!("{value:?}"))
}

/// Sequences of steps.
pub fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(), 1..30)
}

fn step() -> impl Strategy<Value = Step> {
    let learned = scopes().prop_flat_map(|place| prop::collection::vec(lesson(place), 1..4));
    let changes = prop::collection::vec(change(), 1..4);
    let shown = prop::collection::vec(id(), 0..3);
    prop_oneof![
        8 => learned.prop_map(Step::Learn),
        4 => (select(&TENANTS[..]), changes).prop_map(|(name, changes)| Step::Change(name, changes)),
        1 => scopes().prop_flat_map(lesson).prop_map(|it| Step::Refuse(Box::new(it))),
        3 => (scopes(), shown).prop_map(|(place, shown)| Step::Remember(place, shown)),
        1 => select(&TENANTS[..]).prop_map(Step::Flush),
        1 => (select(&TENANTS[..]), select(vec![None, Some("r1"), Some("r2")]), -9..9_i64)
            .prop_map(|(name, run, shift)| Step::Judge(name, run, shift)),
        2 => sighting().prop_map(|it| Step::Sight(Box::new(it))),
        1 => (scopes(), select(&FAILURES[..])).prop_map(|(place, name)| Step::Forget(place, name)),
        1 => (select(&TENANTS[..]), select(&SOURCES[..]), 0..9_u64)
            .prop_map(|(name, source, position)| Step::Keep(name, source, position)),
        3 => (scopes(), select(&RUNS[..]), select(&TEXTS[..]), select(vec![None, Some(FAILURES[0])]))
            .prop_map(|(place, run, shown, about)| Step::Ask(place, run, shown, about)),
        3 => (select(&TENANTS[..]), select(&[Work::Finish, Work::Fail, Work::Leave][..]))
            .prop_map(|(name, work)| Step::Work(name, work)),
        1 => (select(&TENANTS[..]), 1..4_i64).prop_map(|(name, id)| Step::ForgetJob(name, id)),
        1 => (select(&TENANTS[..]), select(&[0, 1, 500][..]), 0..9_u64)
            .prop_map(|(name, day, tokens)| Step::Pay(name, day, tokens)),
        4 => (select(&TENANTS[..]), id(), select(&SPACES[..]), (1..9_i8, -9..9_i8),
            prop::bool::weighted(0.1))
            .prop_map(|(name, id, space, (x, y), is_stale)| {
                Step::Embed(name, id, space, [x, y], is_stale)
            }),
        1 => Just(Step::Reopen),
    ]
}

fn scopes() -> impl Strategy<Value = Scope> {
    let names = (
        select(&TENANTS[..]),
        select(vec!["a", "b"]),
        select(vec!["", "p", "q"]),
    );
    names.prop_map(|(tenant, agent, project)| scope(tenant, agent, project))
}

fn id() -> impl Strategy<Value = LessonId> {
    (0..12_i64).prop_map(LessonId)
}

fn status() -> impl Strategy<Value = Status> {
    let why = || clean("because");
    prop_oneof![
        4 => Just(Status::Active),
        1 => Just(Status::Pending { why: why() }),
        1 => Just(Status::Quarantined { why: why() }),
        1 => Just(Status::Archived { why: why() }),
        1 => id().prop_map(|by| Status::Superseded { by }),
    ]
}

fn lesson(place: Scope) -> impl Strategy<Value = AdmittedLesson> {
    let class = select(vec![
        TrustClass::Derived,
        TrustClass::Distilled,
        TrustClass::Person,
    ]);
    let about = prop::option::weighted(0.3, select(&FAILURES[..]));
    let expires = prop::option::weighted(0.2, 0..30_i64);
    let replaces = prop::collection::vec(id(), 0..2);
    let parts = (
        select(&TEXTS[..]),
        class,
        about,
        0..4_u8,
        status(),
        expires,
        replaces,
    );
    parts.prop_map(
        move |(text, class, about, source, status, expires, replaces)| AdmittedLesson {
            trust: Trust::untainted(class),
            failure: about.map(failure),
            evidence: vec![evidence(&format!("r{source}"))],
            status,
            expires_at: expires.map(at),
            supersedes: replaces,
            task: (source > 1).then(|| clean("hand the build to the yard")),
            ..admitted(&place, text)
        },
    )
}

fn change() -> impl Strategy<Value = Change> {
    let revise = (id(), select(&TEXTS[..])).prop_map(|(id, text)| Change::Revise {
        id,
        content: Box::new(admitted(&Scope::default(), text).content),
    });
    let reinforce = (id(), 0..9_u8).prop_map(|(id, source)| Change::Reinforce {
        id,
        evidence: vec![evidence(&format!("r{source}"))],
    });
    let credit = (id(), -2..3_i64, -2..3_i64).prop_map(|(id, helped, harmed)| Change::Credit {
        id,
        delta: tally(helped, harmed),
    });
    let class = select(vec![TrustClass::Imported, TrustClass::Person]);
    let amend = (id(), class, 0..30_i64).prop_map(|(id, class, end)| Change::Amend {
        id,
        outcome: RunOutcome::Mixed,
        confidence: 0.25,
        expires_at: Some(at(end)),
        trust: Trust::untainted(class),
    });
    prop_oneof![
        revise,
        reinforce,
        credit,
        amend,
        (id(), status()).prop_map(|(id, status)| Change::SetStatus { id, status }),
        (id(), any::<bool>()).prop_map(|(id, says)| Change::Approve {
            id,
            why: says.then(|| clean("looked at it")),
        }),
        (id(), id(), any::<bool>()).prop_map(|(id, by, says)| Change::Supersede {
            id,
            by,
            why: says.then(|| clean("a better one")),
        }),
        (id(), id()).prop_map(|(id, other)| Change::Contradict { id, other }),
        (id(), scopes()).prop_map(|(id, place)| Change::Move {
            id,
            project: place.project,
        }),
        id().prop_map(|id| Change::Vouch {
            id,
            trust: Trust::untainted(TrustClass::Person),
        }),
        id().prop_map(|id| Change::Delete { id }),
    ]
}

fn sighting() -> impl Strategy<Value = Sighting> {
    let parts = (scopes(), select(&FAILURES[..]), 0..12_u8, any::<bool>());
    parts.prop_map(|(place, name, source, has_lesson)| Sighting {
        failure: failure(name),
        run: run(&format!("r{source}")),
        at: at(0),
        lesson: has_lesson.then(|| super::samples::full(&place)),
        scope: place,
    })
}
