//! The contract of the queue, case by case.

use hardwon_core::{
    limits,
    queue::{Job, JobId, JobState, ModelCost},
};
use jiff::Timestamp;

use super::{Make, samples::*};
use crate::{ErrorKind, JobListing, Result, Store, StoreError, Write};

fn add(store: &dyn Store, name: &str, run: &str, due: i64) -> Result<JobId> {
    let task = task(&scope(name, "a", "p"), run, "what happened");
    let state = JobState::Waiting { due: at(due) };
    write(store, &tenant(name), |tx| tx.add_job(&task, at(0), state))
}

fn keep(store: &dyn Store, job: &Job) -> Result<()> {
    let name = &job.task.origin.scope.tenant;
    write(store, name, |tx| tx.keep_job(job))
}

/// Takes the job whose turn it is up, until that second.
fn take(store: &dyn Store, now: Timestamp, until: i64) -> Option<Job> {
    let name = tenant("t");
    let take = |tx: &mut dyn Write| {
        let Some(job) = tx.reader().next_job(&name, now)? else {
            return Ok(None);
        };
        let job = job.claim(at(until));
        tx.keep_job(&job)?;
        Ok(Some(job))
    };
    write(store, &name, take).unwrap()
}

pub(super) fn once(make: Make<'_>) {
    let store = make();
    let id = add(&*store, "t", "r1", 0).unwrap();
    let again = add(&*store, "t", "r1", 0).unwrap_err();
    assert_eq!(again.kind(), ErrorKind::Conflict);
    let first = take(&*store, at(0), 60).unwrap();
    assert_eq!((first.id, first.claims), (id, 1));
    assert_eq!(take(&*store, at(59), 99), None);
    let second = take(&*store, at(60), 99).unwrap();
    let finish = |job: &Job, claim: u32, word: &str| {
        write(&*store, &tenant("t"), |tx| {
            learn_in(tx, admitted(&scope("t", "a", "p"), word), 9, at(0))?;
            let held = tx
                .reader()
                .job(&tenant("t"), job.id)?
                .filter(|it| it.has_claim(claim));
            let Some(job) = held else {
                return Err(StoreError::refused("somebody else has it"));
            };
            tx.keep_job(&job.complete())
        })
    };
    let late = finish(&first, first.claims, "use alpha").unwrap_err();
    assert_eq!(late.kind(), ErrorKind::Refused);
    finish(&second, second.claims, "use beta").unwrap();
    let twice = finish(&second, second.claims, "use gamma").unwrap_err();
    assert_eq!(twice.kind(), ErrorKind::Refused);
    let lessons = store
        .snapshot()
        .unwrap()
        .lessons(&tenant("t"), &Default::default())
        .unwrap();
    let texts: Vec<&str> = lessons.iter().map(|it| it.content.text.as_str()).collect();
    assert_eq!(texts, ["use beta"]);
    let done = store
        .snapshot()
        .unwrap()
        .job(&tenant("t"), id)
        .unwrap()
        .unwrap();
    assert_eq!(
        (done.state, done.task.excerpt.text().as_str()),
        (JobState::Done, "")
    );
}

pub(super) fn turns(make: Make<'_>) {
    let store = make();
    for (run, due) in [("late", 9), ("first", 1), ("second", 1)] {
        add(&*store, "t", run, due).unwrap();
    }
    let next = |second: i64| {
        let job = store
            .snapshot()
            .unwrap()
            .next_job(&tenant("t"), at(second))
            .unwrap();
        job.map(|it| it.task.origin.run.to_string())
    };
    assert_eq!((next(0), next(1)), (None, Some("first".to_owned())));
    take(&*store, at(1), 5).unwrap();
    assert_eq!(next(4), Some("second".to_owned()));
    take(&*store, at(1), 20).unwrap();
    assert_eq!((next(4), next(9)), (None, Some("first".to_owned())));
    let queue = store
        .snapshot()
        .unwrap()
        .queue(&tenant("t"), at(6))
        .unwrap();
    assert_eq!((queue.waiting, queue.running, queue.held), (1, 2, 1));
    assert_eq!(queue.due, Some(at(9)));
}

pub(super) fn apart(make: Make<'_>) {
    let store = make();
    assert_eq!(add(&*store, "t", "r1", 0).unwrap(), JobId(1));
    assert_eq!(add(&*store, "u", "r1", 0).unwrap(), JobId(1));
    let spent = ModelCost {
        calls: 2,
        tokens: 30,
        micros: 400,
    };
    write(&*store, &tenant("t"), |tx| tx.set_spent(20_000, spent)).unwrap();
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .spent(&tenant("t"), 20_000)
            .unwrap(),
        spent
    );
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .spent(&tenant("t"), 20_001)
            .unwrap(),
        ModelCost::default()
    );
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .spent(&tenant("u"), 20_000)
            .unwrap(),
        ModelCost::default()
    );
    let job = store
        .snapshot()
        .unwrap()
        .job(&tenant("u"), JobId(1))
        .unwrap()
        .unwrap();
    assert_eq!(job.task, task(&scope("u", "a", "p"), "r1", "what happened"));
    write(&*store, &tenant("t"), |tx| {
        tx.forget_job(JobId(1)).map(drop)
    })
    .unwrap();
    keep(&*store, &job).unwrap();
    let gone = Job {
        task: task(&scope("t", "a", "p"), "r1", ""),
        ..job
    };
    assert_eq!(
        keep(&*store, &gone).unwrap_err().kind(),
        ErrorKind::Conflict
    );
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .jobs(&tenant("t"), &JobListing::default())
            .unwrap(),
        []
    );
    assert_eq!(
        add(&*store, "t", "r1", 0).unwrap(),
        JobId(2),
        "no number is used twice"
    );
}

pub(super) fn forgotten(make: Make<'_>) {
    let store = make();
    let place = scope("t", "a", "p");
    write(&*store, &tenant("t"), |tx| {
        for n in 0..=limits::QUEUE_DEAD {
            let id = tx.add_job(
                &task(&place, &format!("r{n}"), ""),
                at(0),
                JobState::Waiting { due: at(0) },
            )?;
            let job = tx.reader().job(&tenant("t"), id)?.unwrap();
            let state = JobState::Dead;
            tx.keep_job(&Job { state, ..job })?;
        }
        Ok(())
    })
    .unwrap();
    let queue = store
        .snapshot()
        .unwrap()
        .queue(&tenant("t"), at(0))
        .unwrap();
    assert_eq!(queue.dead, limits::QUEUE_DEAD as u64);
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .job(&tenant("t"), JobId(1))
            .unwrap(),
        None
    );
}
