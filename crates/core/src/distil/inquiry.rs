//! A question about a run, before anybody is asked: how, about what, and where the answer belongs.
//!
//! Which questions a run gives rise to is for [`trigger`](super::trigger); when they are asked, and how
//! often, is for [`queue`](crate::queue).

use crate::{
    CleanText, Excerpt, FailureKey, Scope, digest,
    id::RunId,
    lesson::{Cause, RunOutcome},
    named_enum::named_enum,
};

named_enum! {
    /// The method by which a model is asked.
    JobMethod {
        /// Asks for lessons, in four blocks.
        Lesson = "lesson",
        /// Asks for a judgement of the run, in JSON.
        Judge = "judge",
    }
}

/// The question of a job.
#[derive(Debug, Clone, PartialEq)]
pub struct JobTask {
    /// The method of asking.
    pub method: JobMethod,
    /// The origin of the lessons in the answer.
    pub origin: InquiryOrigin,
    /// The record of the run that the model is shown; empty once the job is done.
    pub excerpt: Excerpt,
}

impl JobTask {
    /// Returns the key that identifies the job: its scope, its failure or run, and its method.
    pub fn key(&self) -> String {
        let scope = &self.origin.scope;
        let project = scope.project_name().unwrap_or_default();
        let mut parts = vec![scope.agent.as_str(), project];
        match &self.origin.failure {
            Some(trouble) => parts.extend(["", "trouble", trouble.key.as_str()]),
            None => parts.push(self.origin.run.as_str()),
        }
        parts.push(self.method.name());
        digest::to_hex(&digest::hash_parts(parts.into_iter().map(str::as_bytes))[..16])
    }

    /// Returns the task with the record of another run that met the same trouble, as long as there is
    /// room for it.
    pub(crate) fn with_other_run(self, other: Self) -> Self {
        let Some(excerpt) = self.excerpt.with_record(&other.excerpt) else {
            return self;
        };
        let mut origin = self.origin;
        origin.other_runs.push(other.origin.run);
        origin.tainted |= other.origin.tainted;
        Self {
            excerpt,
            origin,
            ..self
        }
    }

    /// Returns a digest of the record, to distinguish records of the same run.
    pub fn fingerprint(&self) -> String {
        let text = self.excerpt.text().as_str().as_bytes();
        digest::to_hex(&digest::hash_parts([text])[..16])
    }
}

/// A question that a run gives rise to.
#[derive(Debug, Clone, PartialEq)]
pub struct Inquiry {
    /// The question.
    pub task: JobTask,
    /// The failures that it is about, each by the keys that a lesson about it may have: if there are lessons about all of
    /// them, it need not be asked. Empty if it is about something else.
    pub unless_known: Vec<Vec<FailureKey>>,
    /// Whether this run alone is reason enough to ask.
    pub is_sufficient_alone: bool,
}

/// The origin of the lessons in a reply. All of it is ours; nothing is taken from the reply.
#[derive(Debug, Clone, PartialEq)]
pub struct InquiryOrigin {
    /// The scope that the lessons would belong to.
    pub scope: Scope,
    /// The run that was asked about; the first if there were several.
    pub run: RunId,
    /// Other runs with the same failure.
    pub other_runs: Vec<RunId>,
    /// The failure that was asked about; `None` if it was the whole run.
    pub failure: Option<InquiryFailure>,
    /// The cause of the question.
    pub cause: Cause,
    /// How the run ended.
    pub outcome: RunOutcome,
    /// Whether content from outside had a part in it.
    pub tainted: bool,
    /// The person's request at that time. The lessons can be found by it; it is no part of the question.
    pub task: Option<CleanText>,
}

/// A failure that a model is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InquiryFailure {
    /// The key of the failure.
    pub key: FailureKey,
    /// The failure for people: a command, and its error in parentheses.
    pub signature: CleanText,
}

impl InquiryOrigin {
    /// Returns the runs that were asked about; at least one.
    pub fn runs(&self) -> impl Iterator<Item = &RunId> {
        std::iter::once(&self.run).chain(&self.other_runs)
    }
}
