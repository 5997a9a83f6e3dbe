//! Records as a store keeps them: their times to the millisecond.

use hardwon_core::{Job, JobState};
use hardwon_store::{SourceProgress, backend as records};

/// Returns a source's progress as it is stored: to the millisecond.
pub(super) fn truncate_source_time(source: &SourceProgress) -> SourceProgress {
    SourceProgress {
        at: records::truncate_to_millisecond(source.at),
        ..source.clone()
    }
}

/// Returns a job as it is stored: to the millisecond.
pub(super) fn truncate_job_times(job: &Job) -> Job {
    let truncate = records::truncate_to_millisecond;
    let state = match job.state {
        JobState::Waiting { due } => JobState::Waiting { due: truncate(due) },
        JobState::Running { until } => JobState::Running {
            until: truncate(until),
        },
        timeless @ (JobState::Done | JobState::Dead | JobState::Seen) => timeless,
    };
    Job {
        state,
        created: truncate(job.created),
        ..job.clone()
    }
}
