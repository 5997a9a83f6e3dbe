//! Who asks: an API key, and the principal that it makes of a request.
//!
//! A key is parsed before anything is looked up, so a mistyped one costs no look-up. Records are remembered for some
//! seconds; a change of keys by this server drops them at once, one by another process is seen after that.

use std::sync::Arc;

use axum::{
    extract::FromRequestParts,
    http::{Extensions, HeaderMap, header, request::Parts},
};
use hardwon_core::{AgentId, InvalidName, ProjectId, TenantId};
use hardwon_engine::Principal;
use hardwon_store::RequestMark;
use jiff::Timestamp;

use crate::{
    ApiError, ApiKey, ApiKeyRecord, AppState, AskedScope, Capability, Connection, KeyId, KeyReach,
    KeyRefusal, Result, SharedState, WorkKind, connections::NoRoom,
};

/// Whoever sent a request, with the key that was checked.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    record: Arc<ApiKeyRecord>,
    /// The request that its changes are to be saved with, if it may be repeated.
    pub(crate) request: Option<RequestMark>,
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
            state
                .run(WorkKind::Read, move |state| find_record(state, &id))
                .await?
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
        match refusal {
            KeyRefusal::Unknown => Self::unauthorized(),
            refusal => Self::forbidden(refusal.to_string()),
        }
    }
}

/// Parses the agent and the project that a request names.
pub(crate) fn parse_asked_scope<T: AsRef<str>>(
    agent: Option<T>,
    project: Option<T>,
) -> Result<AskedScope> {
    Ok(AskedScope {
        agent: parse_name(agent, "agent_id", AgentId::parse)?,
        project: parse_name(project, "project", ProjectId::parse)?,
    })
}

/// Parses a name that may be absent; an error names the member.
pub(crate) fn parse_name<T>(
    name: Option<impl AsRef<str>>,
    field: &'static str,
    parse: impl Fn(&str) -> Result<T, InvalidName>,
) -> Result<Option<T>> {
    let parse = |name| parse(AsRef::as_ref(&name));
    name.map(parse).transpose().map_err(invalid_name(field))
}

/// Says of a member that what it holds is no name.
pub(crate) fn invalid_name(field: &'static str) -> impl Fn(InvalidName) -> ApiError {
    move |error| ApiError::bad_request(error.to_string()).with_field(field)
}

impl Caller {
    /// Returns who asks, with the request that changes are to be saved with.
    pub(crate) fn with_request(self, mark: RequestMark) -> Self {
        Self {
            request: Some(mark),
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
                .get_or_insert_with(|| state.config.default_agent.clone());
        }
        Ok(self.record.principal(&scope, is_tainted)?)
    }
}
