//! `/v1/changes`: what changed in the lessons that a key may recall, for those who keep a replica of them.

use std::{
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use axum::{
    Json,
    extract::State,
    response::{IntoResponse as _, Response},
};
use hardwon_api::v1::changes::ChangesReply;
use hardwon_core::{
    api_key::{AskedScope, Capability},
    id::{LessonId, TenantId},
};
use hardwon_engine::{FeedPage, FeedPosition};
use serde::Deserialize;
use tokio::time::sleep;
use utoipa::IntoParams;

use super::query::{QueryOf, parse_number};
use crate::{
    auth::{Caller, parse_asked_scope},
    error::{ApiError, ProblemDto, Result},
    journal_watch::MAX_AGE,
    state::{AppState, SharedState},
};

/// Longest time to wait for a change.
pub(super) const MAX_WAIT: Duration = Duration::from_secs(25);
/// Longest `next` that any server has told.
const AFTER_BYTES: usize = 64;

serve_handlers!(list_changes);

/// Whose lessons, and since when.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ChangesQuery {
    /// The agent; if absent the key's, else the server's default.
    agent_id: Option<String>,
    /// The project. Lessons that hold everywhere are always among them.
    project: Option<String>,
    /// The `next` of the page before; if absent, all lessons are listed.
    after: Option<String>,
    /// The `cursor` of the page before, of a list of all lessons.
    cursor: Option<String>,
    /// How many seconds to wait for a change if there is none, at most 25; 0 unless said.
    wait: Option<String>,
}

/// List what changed in the lessons that may be recalled for an agent and a project.
///
/// Without `after` the answer is a list of all of them. With `wait`, an answer without changes is held back until there
/// is one. Lessons that wait for a person's review are not among them.
#[utoipa::path(
    get,
    path = "/v1/changes",
    tag = "recall",
    params(ChangesQuery),
    responses(
        (status = 200, description = "A page of changes, perhaps none, or of all lessons", body = ChangesReply),
        (status = 400, description = "A parameter is not as it should be", body = ProblemDto),
        (status = 401, description = "No valid key", body = ProblemDto),
        (status = 403, description = "The key does not allow it", body = ProblemDto),
    )
)]
async fn list_changes(
    State(state): State<SharedState>,
    caller: Caller,
    QueryOf(query): QueryOf<ChangesQuery>,
) -> Result<Response> {
    caller.check_capability(Capability::Recall)?;
    let asked = parse_asked_scope(query.agent_id.as_deref(), query.project.as_deref())?;
    let wait = query.parse_wait()?;
    let cursor = parse_number(query.cursor.as_deref(), "cursor")?.map(LessonId);
    match query.parse_after(&state, &caller).await? {
        None => list_all(&state, caller, asked, cursor).await,
        Some(after) => {
            // Whoever finds no place to wait in is answered at once.
            let slot = state.polls.take(&caller.record().id);
            let wait = slot.as_ref().map_or(Duration::ZERO, |_| wait);
            let poll = ChangePoll {
                state: &state,
                caller,
                asked,
                until: Instant::now() + wait,
            };
            poll.await_changes(after).await
        }
    }
}

impl ChangesQuery {
    /// Opens the place that the caller was told last. One that was sealed for somebody else, or before the store was
    /// restored, is no place: all lessons are listed again.
    async fn parse_after(
        &self,
        state: &SharedState,
        caller: &Caller,
    ) -> Result<Option<FeedPosition>> {
        let Some(after) = self.after.clone() else {
            return Ok(None);
        };
        if after.len() > AFTER_BYTES {
            let why = "this is no `next` of a page";
            return Err(ApiError::bad_request(why).with_field("after"));
        }
        let tenant = find_tenant(caller)?.clone();
        let opened = state.read(move |state| Ok(state.position_seal()?.open(&tenant, &after)));
        opened.await
    }

    fn parse_wait(&self) -> Result<Duration> {
        let Some(wait) = &self.wait else {
            return Ok(Duration::ZERO);
        };
        let invalid = |_| ApiError::bad_request("it is no number of seconds").with_field("wait");
        let seconds: u64 = wait.parse().map_err(invalid)?;
        Ok(Duration::from_secs(seconds).min(MAX_WAIT))
    }
}

async fn list_all(
    state: &SharedState,
    caller: Caller,
    asked: AskedScope,
    before: Option<LessonId>,
) -> Result<Response> {
    let tenant = find_tenant(&caller)?.clone();
    let listed = state.read(move |state| {
        let page = caller.read_desk(state, &asked)?.copy_lessons(before)?;
        let next = seal(state, &tenant, &page.next)?;
        Ok(Json(ChangesReply::from_copy(&page, next)).into_response())
    });
    listed.await
}

fn find_tenant(caller: &Caller) -> Result<&TenantId> {
    let tenant = caller.tenant();
    tenant.ok_or_else(|| ApiError::forbidden("this needs a tenant's key"))
}

fn seal(state: &AppState, tenant: &TenantId, place: &FeedPosition) -> Result<String> {
    let sealed = state.position_seal()?.seal(tenant, place);
    sealed.map_err(|error| ApiError::internal(&error))
}

/// A request that waits for changes.
struct ChangePoll<'s> {
    state: &'s SharedState,
    caller: Caller,
    asked: AskedScope,
    until: Instant,
}

impl ChangePoll<'_> {
    /// Answers with the first changes after a position that concern this caller, or with none when time is over.
    async fn await_changes(&self, after: FeedPosition) -> Result<Response> {
        let mut after = after;
        loop {
            let Some(page) = self.read_page(after).await? else {
                let (caller, asked) = (self.caller.clone(), self.asked.clone());
                return list_all(self.state, caller, asked, None).await;
            };
            if !page.is_empty() || self.is_over() {
                let next = seal(self.state, find_tenant(&self.caller)?, &page.next)?;
                return Ok(Json(ChangesReply::from_feed(&page, next)).into_response());
            }
            // Of changes that are not for this caller it learns nothing, also not how many there were.
            if !page.has_more {
                self.await_growth(page.next.sequence()).await?;
            }
            after = page.next;
        }
    }

    async fn read_page(&self, after: FeedPosition) -> Result<Option<FeedPage>> {
        let (caller, asked) = (self.caller.clone(), self.asked.clone());
        let read = self
            .state
            .read(move |state| Ok(caller.read_desk(state, &asked)?.feed(&after)?));
        read.await
    }

    /// Waits until the tenant's journal has another length, or time is over.
    async fn await_growth(&self, length: u64) -> Result<()> {
        while !self.is_over() && self.find_length().await? == length {
            sleep(MAX_AGE).await;
        }
        Ok(())
    }

    async fn find_length(&self) -> Result<u64> {
        let recent = |state: &AppState| {
            let tenant = self.caller.tenant()?;
            state.journals.recent_length(tenant, Instant::now())
        };
        if let Some(length) = recent(self.state) {
            return Ok(length);
        }
        let (caller, asked) = (self.caller.clone(), self.asked.clone());
        let counted = self.state.read(move |state| {
            let desk = caller.read_desk(state, &asked)?;
            let length = desk.count_entries()?;
            let tenant = &desk.principal().scope.tenant;
            state.journals.note_length(tenant, length, Instant::now());
            Ok(length)
        });
        counted.await
    }

    fn is_over(&self) -> bool {
        Instant::now() >= self.until || self.state.is_stopping.load(Ordering::Relaxed)
    }
}
