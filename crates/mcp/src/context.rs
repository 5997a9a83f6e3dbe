//! What a door gives the tools: where a call comes from, and what it may read and write.
//!
//! The doors differ in this and in nothing else. What is asked here has an answer at every door; how it is found,
//! and how long an engine lives, is the door's own.

use std::sync::Arc;

use hardwon_api::v1::verbs::{Members, VerbCall, VerbEffect, VerbError};
use hardwon_core::{ClientName, LessonContent, RawText};
use hardwon_engine::{Engine, Principal, Sessions};
use rmcp::{RoleServer, service::RequestContext};
use serde_json::Value;

use crate::{McpError, Result};

/// A request as the transport handed it over.
pub type McpRequest = RequestContext<RoleServer>;

/// A door through which clients of the protocol come in.
pub trait McpDoor: Clone + Send + Sync + 'static {
    /// What is known of a call before its work begins.
    type Origin: Send + 'static;
    /// What a call has to work with.
    type Context: CallContext;

    /// Finds out where a call comes from; may ask the client, and must not block.
    fn find_origin(&self, request: &McpRequest) -> impl Future<Output = Self::Origin> + Send;

    /// Makes the context of a call, on a thread where it may block. `client` is what the client calls itself.
    ///
    /// # Errors
    ///
    /// Why the call cannot be answered; the agent is told it in these words.
    fn open_call(&self, origin: Self::Origin, client: Option<ClientName>) -> Result<Self::Context>;

    /// Returns what the client calls itself; `None` if this door cannot tell.
    fn name_client(&self, request: &McpRequest) -> Option<ClientName> {
        let client = request.client_info()?;
        ClientName::parse(&client.name).ok()
    }

    /// Forgets what a client said about the folders that it works in: they have changed.
    fn forget_roots(&self) -> impl Future<Output = ()> + Send {
        async {}
    }
}

/// Who makes a call.
pub struct CallingAgent {
    /// The agent, with the scope whose lessons are meant. Of rights, sight and trust beyond an agent's none is used here,
    /// whoever is named.
    pub principal: Principal,
    /// The name of the client, as it is recorded with what was shown.
    pub client: Option<ClientName>,
    /// The state of the scope's sessions, which knows what they have read from outside; `None` where nobody reports it.
    pub sessions: Option<Box<dyn Sessions>>,
}

/// One call of one client, at work on a thread where it may block.
pub trait CallContext {
    /// Returns who calls.
    fn agent(&self) -> &CallingAgent;

    /// Returns an engine for a verb of this effect; one that answers to several calls at once serves every use.
    ///
    /// # Errors
    ///
    /// Why there is none.
    fn open_engine(&self, effect: VerbEffect) -> Result<Arc<Engine>>;

    /// Has a call of a tool that writes carried out where the lessons are kept, and returns what was answered there; `None`
    /// if they are kept here.
    fn forward_call(&self, _tool: &str, _arguments: &Members) -> Option<Result<Value>> {
        None
    }

    /// Reports what went wrong without spoiling the call, to whoever runs this program.
    fn report_trouble(&self, trouble: &str);

    /// Returns whether the agent is told only that something is broken ([`McpError::fault`]), and what it is goes
    /// to [`report_trouble`](Self::report_trouble): so it should be where the agent is not on this machine.
    fn hides_faults(&self) -> bool;
}

/// Has a verb done at the agent's desk. What changes something may be the word of content from outside that a session
/// here has read: that of a lesson if it is in there, else any.
pub(crate) fn at_desk<T, E: Into<McpError>>(
    context: &dyn CallContext,
    effect: VerbEffect,
    content: Option<&LessonContent<RawText>>,
    work: impl FnOnce(&VerbCall<'_>) -> Result<T, E>,
) -> Result<T> {
    let engine = context.open_engine(effect)?;
    let agent = context.agent();
    let sessions = agent.sessions.as_ref().filter(|_| effect.is_change());
    let is_tainted = sessions.is_some_and(|sessions| match content {
        None => sessions.is_tainted(&agent.principal.scope),
        Some(content) => {
            let scope = &agent.principal.scope;
            // Of a server's agents none may notice what another one has read.
            let words = if context.hides_faults() {
                sessions.outside_words_in_scope(scope)
            } else {
                sessions.words_around(scope)
            };
            words.has_unknown() || words.are_in_lesson(content)
        }
    });
    let report = |error: VerbError| context.report_trouble(&McpError::from(error).to_string());
    let call = VerbCall {
        desk: engine.acting_as(agent.principal.clone().restrict_to_agent(is_tainted)),
        client: agent.client.as_ref(),
        report: &report,
    };
    work(&call).map_err(E::into)
}
