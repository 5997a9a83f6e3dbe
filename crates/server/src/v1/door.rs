//! The server as one caller stands before it: the desks that the caller's key opens, and threads to work at them.

use axum::{
    Json,
    extract::FromRequestParts,
    http::request::Parts,
    response::{IntoResponse as _, Response},
};
use hardwon_core::id::LessonId;
use hardwon_engine::Desk;
use serde::Serialize;

use crate::{
    api_key::AskedScope,
    auth::{Caller, find_desk},
    error::{ApiError, Result},
    state::SharedState,
    workers::WorkKind,
};

/// The server as one caller stands before it.
#[derive(Clone)]
pub(super) struct Door {
    pub(super) state: SharedState,
    pub(super) caller: Caller,
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
    pub(super) async fn run<T: Send + 'static>(
        self,
        kind: WorkKind,
        work: impl FnOnce(&Self) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let state = SharedState::clone(&self.state);
        state.run(kind, move |_| work(&self)).await
    }

    /// Returns the caller's desk to look lessons up.
    pub(super) fn read_desk(&self, asked: &AskedScope) -> Result<Desk<'_>> {
        self.caller.read_desk(&self.state, asked)
    }

    /// Returns desks that together see all that the caller sees, or what a request names of it.
    pub(super) fn read_desks(&self, asked: &AskedScope) -> Result<Vec<Desk<'_>>> {
        self.caller.read_desks(&self.state, asked)
    }

    /// Returns the caller's desk to change lessons.
    pub(super) fn write_desk(&self, asked: &AskedScope) -> Result<Desk<'_>> {
        self.caller.write_desk(&self.state, asked)
    }

    /// Looks up what a number or a name stands for, at the first of the caller's desks for which it is there.
    pub(super) fn find<'s, T>(&'s self, look: impl FnMut(&Desk<'s>) -> Result<T>) -> Result<T> {
        find_desk(self.read_desks(&AskedScope::default())?, look).map(|(_, found)| found)
    }

    /// Looks up a lesson that a request names by its number alone.
    pub(super) fn find_lesson<'s, T>(
        &'s self,
        id: LessonId,
        look: impl FnMut(&Desk<'s>) -> Result<T>,
    ) -> Result<T> {
        let asked = self.caller.scope_of_lesson(&self.state, id)?;
        find_desk(self.read_desks(&asked)?, look).map(|(_, found)| found)
    }

    /// Changes a lesson that a request names by its number alone.
    pub(super) fn change_lesson<'s, T>(
        &'s self,
        id: LessonId,
        work: impl FnMut(&Desk<'s>) -> Result<T>,
    ) -> Result<T> {
        self.change(&self.caller.scope_of_lesson(&self.state, id)?, work)
    }

    /// Changes what a number or a name stands for, at the first of the caller's desks for which it is there; the names
    /// that a request has narrow which those are.
    pub(super) fn change<'s, T>(
        &'s self,
        asked: &AskedScope,
        work: impl FnMut(&Desk<'s>) -> Result<T>,
    ) -> Result<T> {
        let desks = self.caller.write_desks(&self.state, asked)?;
        find_desk(desks, work).map(|(_, done)| done)
    }
}

/// Answers with a value as JSON.
pub(super) fn json(value: &impl Serialize) -> Result<Response> {
    Ok(Json(value).into_response())
}
