//! A question about a run, before anybody is asked: how, about what, and where the answer belongs.
//!
//! Which questions a run gives rise to is for [`trigger`](super::trigger); when they are asked, and how
//! often, is for [`queue`](crate::queue).

use crate::{
    digest,
    distil::excerpt::Excerpt,
    id::RunId,
    lesson::{Cause, FailureKey, RunOutcome},
    named_enum::named_enum,
    scope::Scope,
    text::CleanText,
};

named_enum! {
    /// How a model is asked.
    JobMethod {
        /// For one lesson, in four blocks.
        Lesson = "lesson",
        /// For a judgement of the run, in JSON.
        Judge = "judge",
    }
}

/// What is to be asked.
#[derive(Debug, Clone, PartialEq)]
pub struct JobTask {
    /// How.
    pub method: JobMethod,
    /// Where the answer belongs.
    pub origin: InquiryOrigin,
    /// What is shown of the run; empty once the job is done.
    pub excerpt: Excerpt,
}

impl JobTask {
    /// Returns what tells this job from others: whose trouble or run it asks about, and how.
    #[must_use]
    pub fn key(&self) -> String {
        let scope = &self.origin.scope;
        let project = scope.project.as_ref().map_or("", |it| it.as_str());
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

    /// Returns what tells one record of the run from another.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let text = self.excerpt.text().as_str().as_bytes();
        digest::to_hex(&digest::hash_parts([text])[..16])
    }
}

/// A question that a run gives rise to.
#[derive(Debug, Clone, PartialEq)]
pub struct Inquiry {
    /// What is to be asked.
    pub task: JobTask,
    /// The failures that it is about: if lessons are about all of them, it need not be asked. None if
    /// it is about something else.
    pub unless_known: Vec<FailureKey>,
    /// Whether this run alone is reason enough to ask.
    pub is_sufficient_alone: bool,
}

/// Where the lessons of a reply belong. All of it is ours; none is taken from the reply.
#[derive(Debug, Clone, PartialEq)]
pub struct InquiryOrigin {
    /// Where they would live.
    pub scope: Scope,
    /// The run that was asked about; the first if they were several.
    pub run: RunId,
    /// The other runs that met the same trouble.
    pub other_runs: Vec<RunId>,
    /// The trouble that was asked about; none if it was the whole run.
    pub failure: Option<InquiryFailure>,
    /// Why it was asked about.
    pub cause: Cause,
    /// How it ended.
    pub outcome: RunOutcome,
    /// Whether content from outside had a part in it.
    pub tainted: bool,
    /// What the person asked for then. The lessons are found by it; it is no part of the question.
    pub task: Option<CleanText>,
}

/// A trouble that a model is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InquiryFailure {
    /// By which it is known.
    pub key: FailureKey,
    /// The failure for people: a command, and its error in brackets.
    pub signature: CleanText,
}

impl InquiryOrigin {
    /// Returns the runs that were asked about; never none.
    pub fn runs(&self) -> impl Iterator<Item = &RunId> {
        std::iter::once(&self.run).chain(&self.other_runs)
    }
}
