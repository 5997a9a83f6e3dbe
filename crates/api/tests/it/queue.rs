//! Questions for a model, and what came of asking.

use hardwon_api::v1::queue::{DrainResultDto, EmbedResultDto, JobCountDto, JobDto, QueueDto};
use hardwon_core::{
    Cause, Excerpt, InquiryOrigin, Job, JobId, JobMethod, JobState, JobTask, ModelCost, RunId,
    RunOutcome,
};
use hardwon_engine::{DrainReport, DrainStop, EmbedReport, EmbedStop, ModelError, NoteOutcome};

use crate::samples::{bare_lesson, clean, scope, show, time};

fn job(state: JobState) -> Job {
    let origin = InquiryOrigin {
        scope: scope(),
        run: RunId::parse("run-1").unwrap(),
        other_runs: Vec::new(),
        failure: None,
        cause: Cause::Error,
        outcome: RunOutcome::Failure,
        tainted: false,
        task: Some(clean("make the tests of the shop pass")),
    };
    let task = JobTask {
        method: JobMethod::Lesson,
        origin,
        excerpt: Excerpt::from_stored(clean("what a model is shown")),
    };
    Job::new(JobId(3), task, time("2026-11-20T08:00:00Z"), state)
}

const SPENT: ModelCost = ModelCost {
    calls: 2,
    tokens: 1500,
};

#[test]
fn jobs() {
    let waiting = job(JobState::Waiting {
        due: time("2026-11-20T08:30:00Z"),
    });
    let dead = Job {
        attempts: 3,
        why: Some(clean("no answer in time")),
        ..job(JobState::Dead)
    };
    let golden = [
        show("JobDto", &JobDto::from(&waiting)),
        show("JobDto, dead", &JobDto::from(&dead)),
        show("QueueDto", &QueueDto::from_counts([1, 2, 3, 4, 5], SPENT)),
        show("JobCountDto", &JobCountDto { jobs: 2 }),
    ];
    insta::assert_snapshot!("queue", golden.concat());
    assert_eq!(
        JobState::NAMES,
        ["waiting", "running", "done", "dead", "seen"]
    );
}

#[test]
fn drained() {
    let lesson = || Box::new(bare_lesson());
    let noted = vec![
        NoteOutcome::Recorded(lesson()),
        NoteOutcome::AlreadyKnown(lesson()),
        NoteOutcome::Pending(lesson()),
        NoteOutcome::Refused("it is empty".to_owned()),
    ];
    let drained = |stop| DrainReport {
        done: vec![(JobId(3), noted.clone()), (JobId(4), Vec::new())],
        failed: vec![(JobId(5), "no answer in time".to_owned())],
        cost: SPENT,
        stop: Some(stop),
        ..DrainReport::default()
    };
    let filled = |stop| EmbedReport {
        embedded: 9,
        unknown: 1,
        cost: SPENT,
        stop,
    };
    let golden = [
        show(
            "EmbedResultDto",
            &EmbedResultDto::from(&filled(Some(EmbedStop::OverBudget))),
        ),
        show(
            "DrainResultDto",
            &DrainResultDto::from_reports(
                Some(&drained(DrainStop::OverBudget)),
                Some(&filled(None)),
            ),
        ),
        show(
            "DrainResultDto, nothing",
            &DrainResultDto::from_reports(None, None),
        ),
    ];
    insta::assert_snapshot!("queue_drain", golden.concat());
    let stops = [
        DrainStop::LimitReached,
        DrainStop::OthersAtWork,
        DrainStop::ModelFailed(ModelError::TimedOut),
    ];
    let stops = stops.map(|stop| {
        DrainResultDto::from_reports(Some(&drained(stop)), None)
            .stopped
            .unwrap()
    });
    insta::assert_snapshot!("queue_stops", stops.join("\n"));
}
