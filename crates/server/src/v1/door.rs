//! How a handler is run: it is a plain function of a [`Door`] and of what was sent, and does its work on a thread.
//!
//! The few handlers that read a body in pieces, or choose a thread by what was sent, are futures of their own.

use std::pin::Pin;

use axum::{
    Json,
    extract::{FromRequest, FromRequestParts, Request},
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

    /// Returns desks that together see all that the caller sees.
    pub(super) fn read_desks(&self) -> Result<Vec<Desk<'_>>> {
        self.caller.read_desks(&self.state, &AskedScope::default())
    }

    /// Returns the caller's desk to change lessons.
    pub(super) fn write_desk(&self, asked: &AskedScope) -> Result<Desk<'_>> {
        self.caller.write_desk(&self.state, asked)
    }

    /// Looks up what a number or a name stands for, at the first of the caller's desks for which it is there.
    pub(super) fn find<'s, T>(&'s self, look: impl FnMut(&Desk<'s>) -> Result<T>) -> Result<T> {
        find_desk(self.read_desks()?, look).map(|(_, found)| found)
    }

    /// Looks up a lesson that a request names by its number alone.
    pub(super) fn find_lesson<'s, T>(
        &'s self,
        id: LessonId,
        look: impl FnMut(&Desk<'s>) -> Result<T>,
    ) -> Result<T> {
        let desks = self.caller.read_lesson_desks(&self.state, id)?;
        find_desk(desks, look).map(|(_, found)| found)
    }

    /// Changes a lesson that a request names by its number alone.
    pub(super) fn change_lesson<'s, T>(
        &'s self,
        id: LessonId,
        work: impl FnMut(&Desk<'s>) -> Result<T>,
    ) -> Result<T> {
        let desks = self.caller.write_lesson_desks(&self.state, id)?;
        find_desk(desks, work).map(|(_, done)| done)
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

type Answer = Pin<Box<dyn Future<Output = Result<Response, Response>> + Send>>;

/// Answers with a value as JSON.
pub(super) fn json(value: &impl Serialize) -> Result<Response> {
    Ok(Json(value).into_response())
}

/// Has a handler run on a thread, with all that it takes of a request in one value.
pub(super) fn on_thread<I, M: 'static>(
    kind: WorkKind,
    handler: fn(&Door, I) -> Result<Response>,
) -> impl Fn(Door, Request) -> Answer + Clone
where
    I: FromRequest<SharedState, M> + Send + 'static,
{
    move |door, request| {
        Box::pin(async move {
            let input = I::from_request(request, &door.state).await;
            let input = input.map_err(|refusal| refusal.into_response())?;
            let result = door.run(kind, move |door| handler(door, input)).await;
            result.map_err(|error| error.into_response())
        })
    }
}
