//! The server as one caller stands before it: the desks that the caller's key opens, and threads to work at them.

use std::collections::BTreeSet;

use axum::{
    Json,
    extract::FromRequestParts,
    http::{StatusCode, request::Parts},
    response::{IntoResponse as _, Response},
};
use hardwon_core::{LessonId, Scope};
use hardwon_engine::{Desk, Principal};
use serde::Serialize;

use crate::{ApiError, AskedScope, Caller, Result, SharedState, WorkKind};

/// Most pairs of agent and project that a key which is tied to several is asked about.
const MAX_DESKS: usize = 64;

/// The server as one caller stands before it.
#[derive(Clone)]
pub(crate) struct Door {
    pub(crate) state: SharedState,
    pub(crate) caller: Caller,
}

impl FromRequestParts<SharedState> for Door {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &SharedState) -> Result<Self> {
        Ok(Self {
            state: SharedState::clone(state),
            caller: Caller::from_request_parts(parts, state).await?,
        })
    }
}

impl Door {
    /// Runs work on a thread, when it is its turn.
    pub(crate) async fn run<T: Send + 'static>(
        self,
        kind: WorkKind,
        work: impl FnOnce(&Self) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let state = SharedState::clone(&self.state);
        state.run(kind, move |_| work(&self)).await
    }

    /// Returns the caller's desk to look lessons up.
    pub(crate) fn read_desk(&self, asked: &AskedScope) -> Result<Desk<'_>> {
        let principal = self.caller.principal(&self.state, asked, false)?;
        Ok(self.state.engine.acting_as(principal))
    }

    /// Returns the caller's desk to change lessons. An agent's word may be that of content which one of its sessions has
    /// read, in whichever project: a request names its own.
    pub(crate) fn write_desk(&self, asked: &AskedScope) -> Result<Desk<'_>> {
        let mut principal = self.caller.principal(&self.state, asked, false)?;
        let sessions = self.state.sessions.for_scope(&principal.scope);
        if sessions.has_tainted_scope() {
            principal = self.caller.principal(&self.state, asked, true)?;
        }
        let desk = self.state.engine.acting_as(principal);
        Ok(match &self.caller.request {
            Some(mark) => desk.for_request(mark),
            None => desk,
        })
    }

    /// Returns desks that together see all that the caller sees, or the one of the names that a request has: one, unless
    /// the key is tied to several names.
    pub(crate) fn read_desks(&self, asked: &AskedScope) -> Result<Vec<Desk<'_>>> {
        let scopes = self.spread_scope(asked).into_iter();
        scopes.map(|scope| self.read_desk(&scope)).collect()
    }

    /// Returns the same desks to change lessons.
    pub(crate) fn write_desks(&self, asked: &AskedScope) -> Result<Vec<Desk<'_>>> {
        let scopes = self.spread_scope(asked).into_iter();
        scopes.map(|scope| self.write_desk(&scope)).collect()
    }

    /// Returns the pairs of agent and project that a request is about, which may name neither.
    fn spread_scope(&self, asked: &AskedScope) -> Vec<AskedScope> {
        let limits = self.caller.record().grant.limits();
        if *asked != AskedScope::default() {
            return vec![asked.clone()];
        }
        let (agents, projects) = (list_or_none(&limits.agents), list_or_none(&limits.projects));
        let pairs = agents.iter().flat_map(|agent| {
            projects.iter().map(|project| AskedScope {
                agent: agent.clone(),
                project: project.clone(),
            })
        });
        pairs.take(MAX_DESKS).collect()
    }

    /// Returns the names of a lesson's scope, if a request with this key might have named them; else none.
    pub(crate) fn scope_of_lesson(&self, id: LessonId) -> Result<AskedScope> {
        let Some(tenant) = self.caller.tenant() else {
            return Ok(AskedScope::default());
        };
        let scope = Scope::of_tenant(tenant.clone());
        let everything = self.state.engine.acting_as(Principal::background(scope));
        let lesson = everything.lesson_if_visible(id)?;
        let scope = lesson.map(|lesson| AskedScope {
            agent: Some(lesson.scope.agent.clone()),
            project: lesson.scope.project.clone(),
        });
        let may_name = |scope: &AskedScope| self.caller.record().principal(scope, false).is_ok();
        Ok(scope.filter(may_name).unwrap_or_default())
    }

    /// Looks up what a number or a name stands for, at the first of the caller's desks for which it is there.
    pub(crate) fn find<'s, T>(&'s self, look: impl FnMut(&Desk<'s>) -> Result<T>) -> Result<T> {
        find_desk(self.read_desks(&AskedScope::default())?, look).map(|(_, found)| found)
    }

    /// Looks up a lesson that a request names by its number alone.
    pub(crate) fn find_lesson<'s, T>(
        &'s self,
        id: LessonId,
        look: impl FnMut(&Desk<'s>) -> Result<T>,
    ) -> Result<T> {
        let scope = self.scope_of_lesson(id)?;
        find_desk(self.read_desks(&scope)?, look).map(|(_, found)| found)
    }

    /// Changes a lesson that a request names by its number alone.
    pub(crate) fn change_lesson<'s, T>(
        &'s self,
        id: LessonId,
        work: impl FnMut(&Desk<'s>) -> Result<T>,
    ) -> Result<T> {
        self.change(&self.scope_of_lesson(id)?, work)
    }

    /// Changes what a number or a name stands for, at the first of the caller's desks for which it is there; the names
    /// that a request has narrow which those are.
    pub(crate) fn change<'s, T>(
        &'s self,
        asked: &AskedScope,
        work: impl FnMut(&Desk<'s>) -> Result<T>,
    ) -> Result<T> {
        find_desk(self.write_desks(asked)?, work).map(|(_, done)| done)
    }
}

/// Answers with a value as JSON.
pub(crate) fn json(value: &impl Serialize) -> Result<Response> {
    Ok(Json(value).into_response())
}

/// Returns the names that a key is tied to, or that it is tied to none.
fn list_or_none<T: Clone>(names: &BTreeSet<T>) -> Vec<Option<T>> {
    if names.is_empty() {
        return vec![None];
    }
    names.iter().cloned().map(Some).collect()
}

/// Has desks do something: returns the first for which what it is about is there, and what came of it.
pub(crate) fn find_desk<'s, T>(
    desks: Vec<Desk<'s>>,
    mut work: impl FnMut(&Desk<'s>) -> Result<T>,
) -> Result<(Desk<'s>, T)> {
    let mut missing = ApiError::lesson_not_found();
    for desk in desks {
        match work(&desk) {
            Ok(done) => return Ok((desk, done)),
            Err(error) if error.status() == StatusCode::NOT_FOUND => missing = error,
            Err(error) => return Err(error),
        }
    }
    Err(missing)
}
