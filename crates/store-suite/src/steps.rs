//! Random sequences of steps, played on two stores that must agree after each.

use std::fmt::Debug;

use hardwon_core::{
    AdmittedLesson, Change, JobFailure, JobId, JobState, LessonId, ModelCost, Retirement,
    RunOutcome, Scope, Status, Trust, TrustClass, Vector, vector::content_fingerprint,
};
use hardwon_store::{
    Commit as _, Durability, LessonVector, Result, Sighting, SourceProgress, Store, StoreError,
    Write,
};
use jiff::SignedDuration;
use proptest::{prelude::*, sample::select};

use super::{
    inspect::{FAILURE_NAMES, REQUEST_NAMES, SOURCE_NAMES, SPACE_NAMES, audit_tenant, dump_tenant},
    samples::{
        admitted_lesson, clean_text, commit_work, failure_key, learn_in_transaction, make_batch,
        make_delta, make_scope, request_mark, run_evidence, run_id, sample_inquiry,
        sample_judgement, sample_recall, tenant_id, time_at,
    },
};

const TENANTS: [&str; 2] = ["t", "u"];
/// Few, so that there are duplicates and contradictions among them.
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

/// One operation on a store.
#[derive(Debug, Clone)]
pub enum StoreStep {
    /// Learns lessons in one transaction.
    Learn(Vec<AdmittedLesson>),
    /// Changes lessons by number, which may conflict.
    Change(&'static str, Vec<Change>),
    /// Learns a lesson and then aborts the transaction.
    RefuseLesson(Box<AdmittedLesson>),
    /// Spools a recall that showed lessons.
    SpoolRecall(Scope, Vec<LessonId>),
    /// Flushes the spooled recalls.
    Flush(&'static str),
    /// Judges a run, or saves a judgement without a run.
    SaveJudgement(&'static str, Option<&'static str>, i64),
    /// Records the sighting of a failure.
    RecordSighting(Box<Sighting>),
    /// Deletes the candidate lesson of a failure.
    DeleteCandidate(Scope, &'static str),
    /// Saves how far a source was read.
    SaveSource(&'static str, &'static str, u64),
    /// Adds a question of a run about a failure, or about the run itself.
    AddInquiry(Scope, &'static str, &'static str, Option<&'static str>),
    /// Claims the next ready job, and does this with it.
    WorkJob(&'static str, JobWork),
    /// Deletes a job.
    DeleteJob(&'static str, i64),
    /// Sets what models cost on a day.
    SetModelCost(&'static str, i64, u64),
    /// Saves a lesson's vector, made of its present words or of others.
    SaveVector(&'static str, LessonId, &'static str, [i8; 2], bool),
    /// Saves an answer, or that a request was made, at an hour.
    SaveAnswer(&'static str, &'static str, Option<&'static str>, i64),
    /// Closes the store and opens it again, if it is persistent.
    Reopen,
}

/// What happens to a claimed job.
#[derive(Debug, Clone, Copy)]
pub enum JobWork {
    /// It finishes.
    Finish,
    /// It fails, and may fail twice.
    Fail,
    /// Its worker disappears.
    Leave,
}

/// Plays steps on a store and its model, and panics when they differ or the journal is invalid. `reopen` closes and
/// opens the store.
pub fn check_agreement(
    model: &dyn Store,
    store: Box<dyn Store>,
    reopen: &dyn Fn(Box<dyn Store>) -> Box<dyn Store>,
    steps: &[StoreStep],
) {
    let mut store = store;
    for (place, step) in steps.iter().enumerate() {
        let now = i64::try_from(place).expect("few steps");
        let (expected, got) = (play_step(model, step, now), play_step(&*store, step, now));
        let kind = |outcome: Result<String>| outcome.map_err(|error| error.kind());
        assert_eq!(kind(got), kind(expected), "{step:?}");
        if matches!(step, StoreStep::Reopen) {
            store = reopen(store);
        }
        for name in TENANTS {
            let name = tenant_id(name);
            assert_eq!(dump_tenant(&*store, &name), dump_tenant(model, &name));
            audit_tenant(&*store, &name);
        }
    }
}

/// Plays one step and returns its result as text.
fn play_step(store: &dyn Store, step: &StoreStep, now: i64) -> Result<String> {
    let now = time_at(now);
    match step {
        StoreStep::Learn(lessons) => {
            let learned = commit_work(store, &lessons[0].scope.tenant, |tx| {
                let lessons = lessons.iter();
                let learned =
                    lessons.map(|lesson| learn_in_transaction(tx, lesson.clone(), 3, now));
                learned.collect::<Result<Vec<_>>>()
            })?;
            Ok(format!("{learned:?}"))
        }
        StoreStep::Change(name, changes) => {
            let name = tenant_id(name);
            let changed = commit_work(store, &name, |tx| {
                tx.apply(&make_batch(&name, changes.clone(), now))
            })?;
            Ok(format!("{changed:?}"))
        }
        StoreStep::RefuseLesson(lesson) => commit_work(store, &lesson.scope.tenant, |tx| {
            learn_in_transaction(tx, (**lesson).clone(), 3, now)?;
            Err(StoreError::refused("thought better of it"))
        }),
        StoreStep::SpoolRecall(scope, shown) => {
            let mut recall = sample_recall(scope, shown);
            recall.at = now;
            store.spool_recall(&recall).map(|_| String::new())
        }
        StoreStep::Flush(name) => Ok(format!("{:?}", store.flush(&tenant_id(name))?)),
        StoreStep::SaveJudgement(name, run, shift) => {
            let judged = sample_judgement(*run, *shift);
            debug_text(commit_work(store, &tenant_id(name), |tx| {
                tx.save_judgement(&judged)
            }))
        }
        StoreStep::RecordSighting(sighting) => {
            let mut sighting = sighting.clone();
            sighting.at = now;
            let tenant = &sighting.scope.tenant;
            debug_text(commit_work(store, tenant, |tx| {
                tx.record_sighting(&sighting)
            }))
        }
        StoreStep::DeleteCandidate(scope, name) => {
            debug_text(commit_work(store, &scope.tenant, |tx| {
                tx.delete_candidate_lesson(scope, &failure_key(name))
            }))
        }
        StoreStep::SaveSource(name, source, position) => {
            let kept = SourceProgress {
                position: *position,
                fingerprint: format!("{position:x}"),
                state: vec![0, 255, 10],
                at: now,
            };
            let keep = |tx: &mut dyn Write| tx.save_source_progress(source, &kept);
            debug_text(store.commit_with(&tenant_id(name), Durability::Lazy, keep))
        }
        StoreStep::AddInquiry(place, run, shown, trouble) => {
            let inquiry = sample_inquiry(place, run, shown, *trouble);
            let task = &inquiry.task;
            let state = JobState::from_inquiry(&inquiry, now);
            debug_text(commit_work(store, &place.tenant, |tx| {
                match tx.reader().job_with_key(&place.tenant, &task.key())? {
                    None => tx.add_job(task, now, state).map(|_| ()),
                    Some(job) => match job.apply_inquiry(inquiry.clone(), now) {
                        Some(job) => tx.update_job(&job),
                        None => tx.add_job(task, now, state).map(|_| ()),
                    },
                }
            }))
        }
        StoreStep::WorkJob(name, work) => {
            let name = tenant_id(name);
            debug_text(commit_work(store, &name, |tx| {
                let Some(job) = tx.reader().next_job(&name, now)? else {
                    return Ok(());
                };
                let job = job.claim(now);
                tx.update_job(&match work {
                    _ if job.state == JobState::Dead => job,
                    JobWork::Finish => job.complete(),
                    JobWork::Leave => job,
                    JobWork::Fail => {
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
        StoreStep::DeleteJob(name, id) => debug_text(commit_work(store, &tenant_id(name), |tx| {
            tx.delete_job(JobId(*id))
        })),
        StoreStep::SetModelCost(name, day, tokens) => {
            let spent = ModelCost {
                calls: 1,
                tokens: *tokens,
            };
            debug_text(commit_work(store, &tenant_id(name), |tx| {
                tx.set_model_cost(*day, spent)
            }))
        }
        StoreStep::SaveVector(name, lesson, space, numbers, is_stale) => {
            let name = tenant_id(name);
            let words = store.snapshot()?.lesson(&name, *lesson)?;
            let vector = LessonVector {
                lesson: *lesson,
                embedding_space: (*space).to_owned(),
                fingerprint: words.map_or(0, |word| content_fingerprint(&word.content))
                    ^ u64::from(*is_stale),
                vector: Vector::from_numbers(&numbers.map(f32::from)).unwrap(),
            };
            debug_text(commit_work(store, &name, |tx| tx.save_vector(&vector)))
        }
        StoreStep::SaveAnswer(name, request, answer, hour) => {
            let mark = request_mark(request, answer.unwrap_or_default());
            let at = time_at(0) + SignedDuration::from_hours(*hour);
            debug_text(commit_work(store, &tenant_id(name), |tx| {
                tx.save_answer(&mark, *answer, at)
            }))
        }
        StoreStep::Reopen => Ok(String::new()),
    }
}

fn debug_text<T: Debug>(outcome: Result<T>) -> Result<String> {
    outcome.map(|value| format!("{value:?}"))
}

/// Generates sequences of steps.
pub fn arbitrary_steps() -> impl Strategy<Value = Vec<StoreStep>> {
    prop::collection::vec(arbitrary_step(), 1..30)
}

fn arbitrary_step() -> impl Strategy<Value = StoreStep> {
    let learned = arbitrary_scope()
        .prop_flat_map(|place| prop::collection::vec(arbitrary_lesson(place), 1..4));
    let changes = prop::collection::vec(arbitrary_change(), 1..4);
    let shown = prop::collection::vec(arbitrary_id(), 0..3);
    prop_oneof![
        8 => learned.prop_map(StoreStep::Learn),
        4 => (select(&TENANTS[..]), changes).prop_map(|(name, changes)| StoreStep::Change(name, changes)),
        1 => arbitrary_scope().prop_flat_map(arbitrary_lesson).prop_map(|map| StoreStep::RefuseLesson(Box::new(map))),
        3 => (arbitrary_scope(), shown).prop_map(|(place, shown)| StoreStep::SpoolRecall(place, shown)),
        1 => select(&TENANTS[..]).prop_map(StoreStep::Flush),
        1 => (select(&TENANTS[..]), select(vec![None, Some("r1"), Some("r2")]), -9..9_i64)
            .prop_map(|(name, run, shift)| StoreStep::SaveJudgement(name, run, shift)),
        2 => arbitrary_sighting().prop_map(|arbitrary_sighting| StoreStep::RecordSighting(Box::new(arbitrary_sighting))),
        1 => (arbitrary_scope(), select(&FAILURE_NAMES[..])).prop_map(|(place, name)| StoreStep::DeleteCandidate(place, name)),
        1 => (select(&TENANTS[..]), select(&SOURCE_NAMES[..]), 0..9_u64)
            .prop_map(|(name, source, position)| StoreStep::SaveSource(name, source, position)),
        3 => (arbitrary_scope(), select(&RUNS[..]), select(&TEXTS[..]), select(vec![None, Some(FAILURE_NAMES[0])]))
            .prop_map(|(place, run, shown, about)| StoreStep::AddInquiry(place, run, shown, about)),
        3 => (select(&TENANTS[..]), select(&[JobWork::Finish, JobWork::Fail, JobWork::Leave][..]))
            .prop_map(|(name, work)| StoreStep::WorkJob(name, work)),
        1 => (select(&TENANTS[..]), 1..4_i64).prop_map(|(name, id)| StoreStep::DeleteJob(name, id)),
        1 => (select(&TENANTS[..]), select(&[0, 1, 500][..]), 0..9_u64)
            .prop_map(|(name, day, tokens)| StoreStep::SetModelCost(name, day, tokens)),
        4 => (select(&TENANTS[..]), arbitrary_id(), select(&SPACE_NAMES[..]), (1..9_i8, -9..9_i8),
            prop::bool::weighted(0.1))
            .prop_map(|(name, id, space, (x, y), is_stale)| {
                StoreStep::SaveVector(name, id, space, [x, y], is_stale)
            }),
        1 => (select(&TENANTS[..]), select(&REQUEST_NAMES[..]), select(vec![None, Some("{}")]), 0..60_i64)
            .prop_map(|(name, request, answer, hour)| StoreStep::SaveAnswer(name, request, answer, hour)),
        1 => Just(StoreStep::Reopen),
    ]
}

fn arbitrary_scope() -> impl Strategy<Value = Scope> {
    let names = (
        select(&TENANTS[..]),
        select(vec!["a", "b"]),
        select(vec!["", "p", "q"]),
    );
    names.prop_map(|(tenant, agent, project)| make_scope(tenant, agent, project))
}

fn arbitrary_id() -> impl Strategy<Value = LessonId> {
    (0..12_i64).prop_map(LessonId)
}

fn arbitrary_status() -> impl Strategy<Value = Status> {
    let why = || clean_text("because");
    prop_oneof![
        4 => Just(Status::Active),
        1 => Just(Status::Pending { why: why() }),
        1 => Just(Status::Quarantined { why: why() }),
        1 => select(&Retirement::ALL[..]).prop_map(move |by| Status::Archived { by, why: why() }),
        1 => arbitrary_id().prop_map(|by| Status::Superseded { by }),
    ]
}

fn arbitrary_lesson(place: Scope) -> impl Strategy<Value = AdmittedLesson> {
    let class = select(vec![
        TrustClass::Derived,
        TrustClass::Distilled,
        TrustClass::Person,
    ]);
    let about = prop::option::weighted(0.3, select(&FAILURE_NAMES[..]));
    let expires = prop::option::weighted(0.2, 0..30_i64);
    let replaces = prop::collection::vec(arbitrary_id(), 0..2);
    let parts = (
        select(&TEXTS[..]),
        class,
        about,
        0..4_u8,
        arbitrary_status(),
        expires,
        replaces,
    );
    parts.prop_map(
        move |(text, class, about, source, status, expires, replaces)| AdmittedLesson {
            trust: Trust::untainted(class),
            failure: about.map(failure_key),
            evidence: vec![run_evidence(&format!("r{source}"))],
            status,
            expires_at: expires.map(time_at),
            supersedes: replaces,
            task: (source > 1).then(|| clean_text("hand the build to the yard")),
            ..admitted_lesson(&place, text)
        },
    )
}

fn arbitrary_change() -> impl Strategy<Value = Change> {
    let revise = (arbitrary_id(), select(&TEXTS[..])).prop_map(|(id, text)| Change::Revise {
        id,
        content: Box::new(admitted_lesson(&Scope::default(), text).content),
    });
    let reinforce = (arbitrary_id(), 0..9_u8).prop_map(|(id, source)| Change::Reinforce {
        id,
        evidence: vec![run_evidence(&format!("r{source}"))],
    });
    let credit =
        (arbitrary_id(), -2..3_i64, -2..3_i64).prop_map(|(id, helped, harmed)| Change::Credit {
            id,
            delta: make_delta(helped, harmed),
        });
    let class = select(vec![TrustClass::Imported, TrustClass::Person]);
    let amend = (arbitrary_id(), class, 0..30_i64).prop_map(|(id, class, end)| Change::Amend {
        id,
        outcome: RunOutcome::Mixed,
        confidence: 0.25,
        expires_at: Some(time_at(end)),
        trust: Trust::untainted(class),
    });
    prop_oneof![
        revise,
        reinforce,
        credit,
        amend,
        (arbitrary_id(), arbitrary_status())
            .prop_map(|(id, status)| Change::SetStatus { id, status }),
        (arbitrary_id(), any::<bool>()).prop_map(|(id, says)| Change::Approve {
            id,
            why: says.then(|| clean_text("looked at it")),
        }),
        (arbitrary_id(), arbitrary_id(), any::<bool>()).prop_map(|(id, by, says)| {
            Change::Supersede {
                id,
                by,
                why: says.then(|| clean_text("a better one")),
            }
        }),
        (arbitrary_id(), arbitrary_id()).prop_map(|(id, other)| Change::Contradict { id, other }),
        (arbitrary_id(), arbitrary_scope()).prop_map(|(id, place)| Change::Move {
            id,
            project: place.project,
        }),
        arbitrary_id().prop_map(|id| Change::Retract {
            id,
            evidence: vec![run_evidence("r1")],
        }),
        arbitrary_id().prop_map(|id| Change::Vouch {
            id,
            trust: Trust::untainted(TrustClass::Person),
        }),
        arbitrary_id().prop_map(|id| Change::Erase { id }),
    ]
}

fn arbitrary_sighting() -> impl Strategy<Value = Sighting> {
    let parts = (
        arbitrary_scope(),
        select(&FAILURE_NAMES[..]),
        0..12_u8,
        any::<bool>(),
    );
    parts.prop_map(|(place, name, source, has_lesson)| Sighting {
        failure: failure_key(name),
        run: run_id(&format!("r{source}")),
        at: time_at(0),
        lesson: has_lesson.then(|| super::samples::full_lesson(&place)),
        scope: place,
    })
}
