//! The contract of the queue, case by case.

use hardwon_core::{Job, JobId, JobState, ModelCost, limits};
use hardwon_store::{JobListing, Result, Store, StoreError, StoreErrorKind, Write};
use jiff::Timestamp;

use super::{MakeStore, samples::*};

fn add_job(store: &dyn Store, name: &str, run: &str, due: i64) -> Result<JobId> {
    let task = sample_task(&make_scope(name, "a", "p"), run, "what happened");
    let state = JobState::Waiting { due: time_at(due) };
    commit_work(store, &tenant_id(name), |tx| {
        tx.add_job(&task, time_at(0), state)
    })
}

fn update_job(store: &dyn Store, job: &Job) -> Result<()> {
    let name = &job.task.origin.scope.tenant;
    commit_work(store, name, |tx| tx.update_job(job))
}

/// Claims the next ready job, until that second.
fn claim_job(store: &dyn Store, now: Timestamp, until: i64) -> Option<Job> {
    let name = tenant_id("t");
    let take = |tx: &mut dyn Write| {
        let Some(job) = tx.reader().next_job(&name, now)? else {
            return Ok(None);
        };
        let job = job.claim(time_at(until));
        tx.update_job(&job)?;
        Ok(Some(job))
    };
    commit_work(store, &name, take).unwrap()
}

pub(super) fn runs_job_once(make: MakeStore<'_>) {
    let store = make();
    let id = add_job(&*store, "t", "r1", 0).unwrap();
    let again = add_job(&*store, "t", "r1", 0).unwrap_err();
    assert_eq!(again.kind(), StoreErrorKind::Conflict);
    let first = claim_job(&*store, time_at(0), 60).unwrap();
    assert_eq!((first.id, first.claims), (id, 1));
    assert_eq!(claim_job(&*store, time_at(59), 99), None);
    let second = claim_job(&*store, time_at(60), 99).unwrap();
    let finish = |job: &Job, claim: u32, word: &str| {
        commit_work(&*store, &tenant_id("t"), |tx| {
            learn_in_transaction(
                tx,
                admitted_lesson(&make_scope("t", "a", "p"), word),
                9,
                time_at(0),
            )?;
            let held = tx
                .reader()
                .job(&tenant_id("t"), job.id)?
                .filter(|entry| entry.has_claim(claim));
            let Some(job) = held else {
                return Err(StoreError::refused("somebody else has it"));
            };
            tx.update_job(&job.complete())
        })
    };
    let late = finish(&first, first.claims, "use alpha").unwrap_err();
    assert_eq!(late.kind(), StoreErrorKind::Refused);
    finish(&second, second.claims, "use beta").unwrap();
    let twice = finish(&second, second.claims, "use gamma").unwrap_err();
    assert_eq!(twice.kind(), StoreErrorKind::Refused);
    let lessons = store
        .snapshot()
        .unwrap()
        .lessons(&tenant_id("t"), &Default::default())
        .unwrap();
    let texts: Vec<&str> = lessons
        .iter()
        .map(|lesson| lesson.content.text.as_str())
        .collect();
    assert_eq!(texts, ["use beta"]);
    let done = store
        .snapshot()
        .unwrap()
        .job(&tenant_id("t"), id)
        .unwrap()
        .unwrap();
    assert_eq!(
        (done.state, done.task.excerpt.text().as_str()),
        (JobState::Done, "")
    );
}

pub(super) fn orders_ready_jobs(make: MakeStore<'_>) {
    let store = make();
    for (run, due) in [("late", 9), ("first", 1), ("second", 1)] {
        add_job(&*store, "t", run, due).unwrap();
    }
    let next = |second: i64| {
        let job = store
            .snapshot()
            .unwrap()
            .next_job(&tenant_id("t"), time_at(second))
            .unwrap();
        job.map(|job| job.task.origin.run.to_string())
    };
    assert_eq!((next(0), next(1)), (None, Some("first".to_owned())));
    claim_job(&*store, time_at(1), 5).unwrap();
    assert_eq!(next(4), Some("second".to_owned()));
    claim_job(&*store, time_at(1), 20).unwrap();
    assert_eq!((next(4), next(9)), (None, Some("first".to_owned())));
    let queue = store
        .snapshot()
        .unwrap()
        .count_jobs(&tenant_id("t"), time_at(6))
        .unwrap();
    assert_eq!((queue.waiting, queue.running, queue.claimed), (1, 2, 1));
    assert_eq!(queue.next_due, Some(time_at(9)));
}

pub(super) fn separates_tenants(make: MakeStore<'_>) {
    let store = make();
    assert_eq!(add_job(&*store, "t", "r1", 0).unwrap(), JobId(1));
    assert_eq!(add_job(&*store, "u", "r1", 0).unwrap(), JobId(1));
    let spent = ModelCost {
        calls: 2,
        tokens: 30,
    };
    commit_work(&*store, &tenant_id("t"), |tx| {
        tx.set_model_cost(20_000, spent)
    })
    .unwrap();
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .model_cost(&tenant_id("t"), 20_000)
            .unwrap(),
        spent
    );
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .model_cost(&tenant_id("t"), 20_001)
            .unwrap(),
        ModelCost::default()
    );
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .model_cost(&tenant_id("u"), 20_000)
            .unwrap(),
        ModelCost::default()
    );
    let job = store
        .snapshot()
        .unwrap()
        .job(&tenant_id("u"), JobId(1))
        .unwrap()
        .unwrap();
    assert_eq!(
        job.task,
        sample_task(&make_scope("u", "a", "p"), "r1", "what happened")
    );
    commit_work(&*store, &tenant_id("t"), |tx| {
        tx.delete_job(JobId(1)).map(drop)
    })
    .unwrap();
    update_job(&*store, &job).unwrap();
    let gone = Job {
        task: sample_task(&make_scope("t", "a", "p"), "r1", ""),
        ..job
    };
    assert_eq!(
        update_job(&*store, &gone).unwrap_err().kind(),
        StoreErrorKind::Conflict
    );
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .jobs(&tenant_id("t"), &JobListing::default())
            .unwrap(),
        []
    );
    assert_eq!(
        add_job(&*store, "t", "r1", 0).unwrap(),
        JobId(2),
        "no number is used twice"
    );
}

pub(super) fn deletes_old_jobs(make: MakeStore<'_>) {
    let store = make();
    let place = make_scope("t", "a", "p");
    commit_work(&*store, &tenant_id("t"), |tx| {
        for n in 0..=limits::QUEUE_DEAD {
            let id = tx.add_job(
                &sample_task(&place, &format!("r{n}"), ""),
                time_at(0),
                JobState::Waiting { due: time_at(0) },
            )?;
            let job = tx.reader().job(&tenant_id("t"), id)?.unwrap();
            let state = JobState::Dead;
            tx.update_job(&Job { state, ..job })?;
        }
        Ok(())
    })
    .unwrap();
    let queue = store
        .snapshot()
        .unwrap()
        .count_jobs(&tenant_id("t"), time_at(0))
        .unwrap();
    assert_eq!(queue.dead, limits::QUEUE_DEAD as u64);
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .job(&tenant_id("t"), JobId(1))
            .unwrap(),
        None
    );
}
