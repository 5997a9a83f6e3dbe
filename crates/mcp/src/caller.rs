//! One call as the tools see it: who makes it, and what it may touch.

use std::sync::Arc;

use hardwon_core::{
    lesson::{Lesson, LessonContent, Status},
    preamble::PreambleFormat,
    rank::Requester,
    scope::Scope,
    text::RawText,
};
use hardwon_engine::{
    Engine, Error, RecallOutcome, RecallRequest,
    access::{AccessError, Principal},
    embed,
};
use hardwon_store::Moment;
use serde_json::{Map, Value};

use crate::{CallContext, EngineUse, McpError};

/// One call of one client.
#[derive(Clone, Copy)]
pub(crate) struct McpCaller<'c>(&'c dyn CallContext);

impl<'c> McpCaller<'c> {
    /// Makes the caller of this context.
    pub(crate) fn new(context: &'c dyn CallContext) -> Self {
        Self(context)
    }

    /// Returns whose lessons are meant.
    pub(crate) fn scope(&self) -> &Scope {
        &self.0.agent().scope
    }

    /// Returns the agent that calls. What it says after a session here read content from outside may be that
    /// content's.
    pub(crate) fn agent(&self) -> Principal {
        let sessions = self.0.sessions();
        self.agent_with_taint(sessions.is_some_and(|session| session.is_tainted(self.scope())))
    }

    /// Returns the agent that calls, where it is known what its word is worth.
    pub(crate) fn agent_with_taint(&self, is_tainted: bool) -> Principal {
        self.0.agent().clone().restrict_to_agent(is_tainted)
    }

    /// Returns whether a lesson may say what a session of this scope has read from outside.
    pub(crate) fn may_be_from_outside(&self, content: &LessonContent<RawText>) -> bool {
        self.0.sessions().is_some_and(|sessions| {
            let words = sessions.outside_words_in_scope(self.scope());
            words.has_unknown() || words.are_in_lesson(content)
        })
    }

    /// Returns an engine for this use.
    pub(crate) fn open_engine(&self, purpose: EngineUse) -> Result<Arc<Engine>, McpError> {
        self.0.open_engine(purpose)
    }

    /// Has a call that writes carried out elsewhere, if the lessons are kept there.
    pub(crate) fn forward_call(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
    ) -> Option<Result<Value, McpError>> {
        self.0.forward_call(tool, arguments)
    }

    /// Recalls what fits a text, for an agent of these names, in this form of preamble or the policy's.
    ///
    /// That it cannot be noted what was shown is no reason to show nothing.
    pub(crate) fn recall(
        &self,
        query: String,
        requester: Requester,
        limit: Option<usize>,
        format: Option<PreambleFormat>,
    ) -> Result<RecallOutcome, McpError> {
        let engine = self.open_engine(EngineUse::Recall)?;
        let ask = RecallRequest {
            requester,
            limit,
            format,
            client: self.0.client().cloned(),
            moment: Moment::Requested,
            ..RecallRequest::new(self.scope().clone(), RawText::from(query))
        };
        let desk = engine.acting_as(self.agent_with_taint(false));
        let recall = desk.explain_recall(&ask)?;
        if let Some(trouble) = &recall.embedding_error {
            self.0.report_trouble(&embed::explain_fallback(trouble));
        }
        if let Err(error) = desk.record_recall(&ask, &recall) {
            self.0.report_trouble(&McpError::from(error).to_string());
        }
        Ok(recall)
    }
}

/// Returns a lesson for an agent to read. Of one that is held back there is nothing to read.
pub(crate) fn require_readable(lesson: Lesson) -> Result<Lesson, Error> {
    match lesson.status {
        Status::Pending { .. } | Status::Quarantined { .. } => {
            Err(AccessError::AwaitsReview(lesson.id).into())
        }
        Status::Active | Status::Superseded { .. } | Status::Archived { .. } => Ok(lesson),
    }
}
