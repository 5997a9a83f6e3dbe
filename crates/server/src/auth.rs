//! Who asks: an API key, and the principal that it makes of a request.
//!
//! A key is parsed before anything is looked up, so a mistyped one costs no look-up. Records are remembered for some
//! seconds; a change of keys by this server drops them at once, one by another process is seen after that.

use std::{collections::BTreeSet, sync::Arc};

use axum::{
    extract::FromRequestParts,
    http::{Extensions, HeaderMap, StatusCode, header, request::Parts},
};
use hardwon_core::{
    id::{AgentId, LessonId, ProjectId, TenantId},
    scope::Scope,
};
use hardwon_engine::{Desk, access::Principal};
use hardwon_store::request::RequestMark;
use jiff::Timestamp;

use crate::{
    api_key::{ApiKey, ApiKeyRecord, AskedScope, Capability, KeyId, KeyReach, KeyRefusal},
    connections::{Connection, NoRoom},
    error::{ApiError, Result},
    state::{AppState, SharedState},
};

/// Most pairs of agent and project that a key which is tied to several is asked about.
const MAX_DESKS: usize = 64;

/// Whoever sent a request, with the key that was checked.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    record: Arc<ApiKeyRecord>,
    /// The request that its changes are to be saved with, if it may be repeated.
    request: Option<RequestMark>,
}

impl FromRequestParts<SharedState> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &SharedState) -> Result<Self> {
        // A layer may have found out already.
        if let Some(caller) = parts.extensions.get::<Self>() {
            return Ok(caller.clone());
        }
        let caller_or_error = match find_token(&parts.headers).map(ApiKey::parse) {
            Some(Ok(key)) => authenticate(state, key, &parts.extensions).await,
            _ => Err(ApiError::unauthorized()),
        };
        if caller_or_error.is_err() {
            state.metrics.count_refused_key();
        }
        let caller = caller_or_error?;
        let result = state.rate_limits.count_request(&caller.record);
        result.map_err(ApiError::too_often)?;
        Ok(caller)
    }
}

/// Returns the key that a request brings: as a bearer token, or in the header that other stores use.
fn find_token(headers: &HeaderMap) -> Option<&str> {
    let bearer = headers.get(header::AUTHORIZATION);
    let bearer = bearer.and_then(|bearer| bearer.to_str().ok());
    let token = bearer.and_then(|bearer| {
        let (scheme, token) = bearer.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    });
    token.or_else(|| headers.get("x-api-key")?.to_str().ok())
}

/// Finds the record of a key, and checks the key against it. The connection of the request, which is among its
/// extensions, may stay.
pub(crate) async fn authenticate(
    state: &SharedState,
    key: ApiKey,
    extensions: &Extensions,
) -> Result<Caller> {
    let now = Timestamp::now();
    let record = match state.key_cache.find(key.id()) {
        Some(record) => record,
        None => {
            let id = key.id().clone();
            state.read(move |state| find_record(state, &id)).await?
        }
    };
    record.authenticate(&key, now)?;
    if let Some(connection) = extensions.get::<Connection>() {
        connection
            .admit()
            .map_err(|NoRoom| ApiError::overloaded())?;
    }
    state.key_cache.note_use(key.id(), now);
    Ok(Caller {
        record,
        request: None,
    })
}

/// Finds the record of a key that there has to be.
fn find_record(state: &AppState, id: &KeyId) -> Result<Arc<ApiKeyRecord>> {
    let record = state.find_key_record(id)?;
    record.ok_or_else(ApiError::unauthorized)
}

impl From<KeyRefusal> for ApiError {
    fn from(refusal: KeyRefusal) -> Self {
        if refusal.is_about_key() {
            Self::unauthorized()
        } else {
            Self::forbidden(refusal.to_string())
        }
    }
}

/// Parses the agent and the project that a request names.
pub(crate) fn parse_asked_scope(agent: Option<&str>, project: Option<&str>) -> Result<AskedScope> {
    let invalid = |field| {
        move |error: hardwon_core::id::InvalidName| {
            ApiError::bad_request(error.to_string()).with_field(field)
        }
    };
    let agent = agent.map(AgentId::parse).transpose();
    let project = project.map(ProjectId::parse).transpose();
    Ok(AskedScope {
        agent: agent.map_err(invalid("agent_id"))?,
        project: project.map_err(invalid("project"))?,
    })
}

impl Caller {
    /// Returns who asks, with the request that changes are to be saved with.
    pub(crate) fn with_request(self, mark: RequestMark) -> Self {
        Self {
            request: Some(mark),
            ..self
        }
    }

    /// Returns who asks for something that has no effect a second time, and may be done again.
    pub(crate) fn without_request(self) -> Self {
        Self {
            request: None,
            ..self
        }
    }

    /// Returns what is kept of the key.
    pub(crate) fn record(&self) -> &ApiKeyRecord {
        &self.record
    }

    /// Returns the tenant whose key it is; `None` for an operator's.
    pub(crate) fn tenant(&self) -> Option<&TenantId> {
        self.record.grant.tenant()
    }

    /// Checks that the key may be used for something that no desk checks.
    pub(crate) fn check_capability(&self, needed: Capability) -> Result<()> {
        Ok(self.record.check_capability(needed)?)
    }

    /// Returns which keys the caller manages: an owner those of their tenant, an operator all.
    pub(crate) fn find_reach(&self) -> Result<KeyReach> {
        self.check_capability(Capability::ManageKeys)?;
        let own = self.tenant().cloned();
        Ok(own.map_or(KeyReach::Server, KeyReach::Tenant))
    }

    /// Returns a desk to look lessons up.
    pub(crate) fn read_desk<'s>(
        &self,
        state: &'s AppState,
        asked: &AskedScope,
    ) -> Result<Desk<'s>> {
        let principal = self.principal(state, asked, false)?;
        Ok(state.engine.acting_as(principal))
    }

    /// Returns a desk to change lessons. An agent's word may be that of content which one of its sessions has read, in
    /// whichever project: a request names its own.
    pub(crate) fn write_desk<'s>(
        &self,
        state: &'s AppState,
        asked: &AskedScope,
    ) -> Result<Desk<'s>> {
        let principal = self.principal(state, asked, false)?;
        let sessions = state.sessions.for_scope(&principal.scope);
        let principal = if sessions.has_tainted_scope() {
            self.principal(state, asked, true)?
        } else {
            principal
        };
        let desk = state.engine.acting_as(principal);
        Ok(match &self.request {
            Some(mark) => desk.for_request(mark),
            None => desk,
        })
    }

    /// Returns desks that together see all that the key sees, or the one of the names that a request has: one, unless
    /// the key is tied to several names.
    pub(crate) fn read_desks<'s>(
        &self,
        state: &'s AppState,
        asked: &AskedScope,
    ) -> Result<Vec<Desk<'s>>> {
        let scopes = self.spread_scope(asked).into_iter();
        scopes.map(|scope| self.read_desk(state, &scope)).collect()
    }

    /// Returns the same desks to change lessons.
    pub(crate) fn write_desks<'s>(
        &self,
        state: &'s AppState,
        asked: &AskedScope,
    ) -> Result<Vec<Desk<'s>>> {
        let scopes = self.spread_scope(asked).into_iter();
        scopes.map(|scope| self.write_desk(state, &scope)).collect()
    }

    /// Returns the names of a lesson's scope, if a request with this key might have named them; else none.
    pub(crate) fn scope_of_lesson(&self, state: &AppState, id: LessonId) -> Result<AskedScope> {
        let Some(tenant) = self.tenant() else {
            return Ok(AskedScope::default());
        };
        let scope = Scope {
            tenant: tenant.clone(),
            ..Scope::default()
        };
        let everything = state.engine.acting_as(Principal::background(scope));
        let lesson = everything.lesson_if_visible(id)?;
        let scope = lesson.map(|lesson| AskedScope {
            agent: Some(lesson.scope.agent.clone()),
            project: lesson.scope.project.clone(),
        });
        let scope = scope.filter(|scope| self.record.principal(scope, false).is_ok());
        Ok(scope.unwrap_or_default())
    }

    /// Returns the pairs of agent and project that a request is about, which may name neither.
    fn spread_scope(&self, asked: &AskedScope) -> Vec<AskedScope> {
        if *asked != AskedScope::default() {
            return vec![asked.clone()];
        }
        let limits = self.record.grant.limits();
        let projects = spread_names(&limits.projects);
        let pairs = spread_names(&limits.agents).into_iter().flat_map(|agent| {
            projects.iter().map(move |project| AskedScope {
                agent: agent.clone(),
                project: project.clone(),
            })
        });
        pairs.take(MAX_DESKS).collect()
    }

    /// Makes the principal of a request. One that names no agent is that of the key, or else the server's default.
    pub(crate) fn principal(
        &self,
        state: &AppState,
        asked: &AskedScope,
        is_tainted: bool,
    ) -> Result<Principal> {
        // A request may have waited for its turn while its key was revoked, or its tenant erased.
        if !find_record(state, &self.record.id)?.is_valid_at(Timestamp::now()) {
            return Err(ApiError::unauthorized());
        }
        let mut scope = asked.clone();
        if self.record.grant.limits().agents.is_empty() {
            scope
                .agent
                .get_or_insert_with(|| state.default_agent.clone());
        }
        Ok(self.record.principal(&scope, is_tainted)?)
    }
}

/// Returns each of the names, or that there is none.
fn spread_names<T: Clone>(names: &BTreeSet<T>) -> Vec<Option<T>> {
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
