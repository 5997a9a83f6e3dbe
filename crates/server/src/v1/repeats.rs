//! Requests that a caller names by an `Idempotency-Key`, so that it may repeat them: each is carried out once, and a
//! repetition gets the same answer.
//!
//! How that is held depends on what a route does ([`Guarantee`]). The work goes on when the caller is gone, because that
//! is why a request is repeated. Streamed transcripts and deliveries are passed by: what is in them counts once by itself.

use std::time::Instant;

use axum::{
    body::{Body, Bytes, to_bytes},
    extract::{FromRequestParts as _, MatchedPath, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, request::Parts},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use hardwon_core::{
    access::Principal,
    limits,
    request::{IdempotencyKey, RequestConflict, RequestMark},
    scope::Scope,
};
use hardwon_engine::{Desk, Error};
use serde::{Deserialize, Serialize};

use super::{
    archives::PACKED_BYTES, layers::BODY_BYTES, observe::REPORT_BYTES, sweeps::PLAN_BYTES,
};
use crate::{
    auth::Caller,
    error::{ApiError, NothingDone, Result},
    log::log_line,
    requests_under_way::RequestUnderWay,
    state::{AppState, SharedState},
};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// How it is held that a request is carried out once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Guarantee {
    /// That it was made is saved in the transaction of the first thing that it does.
    WithWork,
    /// That it was made is saved before: what it does is kept elsewhere than lessons are.
    Before,
    /// What it does has no effect a second time.
    ByItself,
}

/// Finds how a route holds that a request is carried out once, and the most bytes of its body; `None` for one that
/// takes no name.
fn find_guarantee(method: &Method, path: &str) -> Option<(Guarantee, usize)> {
    if method != Method::POST {
        return None;
    }
    match path {
        // What they do counts once by itself, or changes nothing.
        "/v1/recall" | "/v1/runs" | "/v1/deliveries" => None,
        "/v1/observe" => Some((Guarantee::Before, REPORT_BYTES)),
        "/v1/keys" | "/v1/keys/{id}/rotate" => Some((Guarantee::Before, BODY_BYTES)),
        "/v1/tenants" | "/v1/outcomes" | "/v1/sweeps/plans" => {
            Some((Guarantee::ByItself, BODY_BYTES))
        }
        "/v1/imports" => Some((Guarantee::WithWork, PACKED_BYTES)),
        "/v1/sweeps" => Some((Guarantee::WithWork, PLAN_BYTES)),
        "/v1/lessons"
        | "/v1/sweeps/{id}/undo"
        | "/v1/lessons/{id}/feedback"
        | "/v1/writ"
        | "/v1/reviews/{id}/approve"
        | "/v1/reviews/{id}/edit"
        | "/v1/reviews/{id}/reject" => Some((Guarantee::WithWork, BODY_BYTES)),
        // There is nothing to POST to.
        _ => None,
    }
}

/// Returns whether a route takes the header.
pub(super) fn takes_key(method: &Method, path: &str) -> bool {
    find_guarantee(method, path).is_some()
}

/// What is kept in place of an answer that must not be kept, because it holds a secret.
#[derive(Debug, Clone)]
pub(super) struct KeptInstead(pub(super) ApiError);

/// An answer as it is kept.
#[derive(Debug, Serialize, Deserialize)]
struct KeptReply {
    status: u16,
    content_type: String,
    body: String,
}

/// Carries a request out, unless it was already.
pub(super) async fn answer_once(
    State(state): State<SharedState>,
    request: Request,
    next: Next,
) -> Result<Response> {
    let path = request.extensions().get::<MatchedPath>();
    let guarantee = path.and_then(|it| find_guarantee(request.method(), it.as_str()));
    let Some((guarantee, most)) = guarantee else {
        return Ok(next.run(request).await);
    };
    let Some(key) = parse_key(request.headers())? else {
        return Ok(next.run(request).await);
    };
    let (mut parts, body) = request.into_parts();
    let caller = Caller::from_request_parts(&mut parts, &state).await?;
    let body = read_body(body, most).await?;
    let mark = make_mark(&caller, &key, &parts, &body);
    let under_way = state.requests_under_way.enter(mark.name);
    let under_way = under_way.ok_or_else(ApiError::under_way)?;
    let named = NamedRequest {
        state,
        caller,
        mark,
        guarantee,
        _under_way: under_way,
    };
    if let Some(reply) = named.find_reply().await? {
        return Ok(reply.replay());
    }
    named.check_room().await?;
    parts.extensions.insert(named.caller_of_work());
    let request = Request::from_parts(parts, Body::from(body));
    let work = tokio::spawn(named.carry_out(request, next));
    work.await.map_err(|error| ApiError::internal(&error))?
}

fn parse_key(headers: &HeaderMap) -> Result<Option<IdempotencyKey>> {
    let Some(value) = headers.get(IDEMPOTENCY_KEY) else {
        return Ok(None);
    };
    let parsed = IdempotencyKey::parse(value.to_str().unwrap_or("\u{fffd}"));
    let invalid = |error| ApiError::bad_request(format!("Idempotency-Key: {error}"));
    parsed.map(Some).map_err(invalid)
}

async fn read_body(body: Body, most: usize) -> Result<Bytes> {
    let too_large = |_| ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large");
    to_bytes(body, most).await.map_err(too_large)
}

fn make_mark(caller: &Caller, key: &IdempotencyKey, parts: &Parts, body: &[u8]) -> RequestMark {
    let target = parts.uri.path_and_query().map_or("", |it| it.as_str());
    let asked = [parts.method.as_str().as_bytes(), target.as_bytes(), body];
    RequestMark::new(caller.record().id.as_str(), key, asked)
}

/// A request with a name, while it is carried out.
struct NamedRequest {
    state: SharedState,
    caller: Caller,
    mark: RequestMark,
    guarantee: Guarantee,
    _under_way: RequestUnderWay,
}

impl NamedRequest {
    /// Returns who asks, with the request that the work saves, if it does.
    fn caller_of_work(&self) -> Caller {
        match self.guarantee {
            Guarantee::WithWork => self.caller.clone().with_request(self.mark.clone()),
            Guarantee::Before | Guarantee::ByItself => self.caller.clone(),
        }
    }

    /// Finds what was answered before.
    async fn find_reply(&self) -> Result<Option<KeptReply>> {
        let (caller, mark) = (self.caller.clone(), self.mark.clone());
        let find = move |state: &AppState| Ok(open_desk(state, &caller).find_answer(&mark)?);
        let Some(text) = self.state.read(find).await? else {
            return Ok(None);
        };
        let reply = serde_json::from_str(&text).map_err(|error| ApiError::internal(&error));
        reply.map(Some)
    }

    /// Refuses one more request of a tenant of which very many are remembered.
    async fn check_room(&self) -> Result<()> {
        let tenant = self.caller.tenant().cloned().unwrap_or_default();
        let now = Instant::now();
        let count = match self.state.kept_requests.count_one(&tenant, now) {
            Some(count) => count,
            None => {
                let caller = self.caller.clone();
                let count = move |state: &AppState| {
                    Ok(open_desk(state, &caller).count_kept_requests()? + 1)
                };
                let count = self.state.read(count).await?;
                self.state.kept_requests.note(&tenant, count, now);
                count
            }
        };
        match count > self.state.most_kept_requests {
            true => Err(ApiError::too_many_kept()),
            false => Ok(()),
        }
    }

    async fn carry_out(self, request: Request, next: Next) -> Result<Response> {
        if self.guarantee == Guarantee::Before {
            self.change(|desk, mark| desk.begin_request(mark)).await?;
        }
        let response = next.run(request).await;
        let (response, reply) = copy_reply(response).await?;
        let did_nothing = response.status().is_client_error()
            || response.extensions().get::<NothingDone>().is_some();
        let kept = self.keep(response.status(), did_nothing, reply).await;
        // The work is done, and its answer stands.
        if kept.is_err() {
            log_line("keeping the answer to a request failed; a repetition of it will be refused");
        }
        Ok(response)
    }

    /// Keeps the answer, or that nothing was done.
    async fn keep(&self, status: StatusCode, did_nothing: bool, reply: KeptReply) -> Result<()> {
        let is_settled = status.is_success() || status.is_client_error();
        let text = serde_json::to_string(&reply).map_err(|error| ApiError::internal(&error))?;
        match self.guarantee {
            // What did nothing does nothing again, and its answer need not take room.
            Guarantee::WithWork if is_settled && self.is_begun().await? => self.save(text).await,
            Guarantee::Before if status.is_success() => self.save(text).await,
            // What has no effect a second time is done again rather than refused for want of its answer.
            Guarantee::ByItself if status.is_success() && text.len() <= limits::ANSWER_BYTES => {
                self.save(text).await
            }
            Guarantee::Before if did_nothing => {
                self.change(|desk, mark| desk.release_request(mark)).await
            }
            // Either nothing of it is saved, or nobody knows how much of it was done.
            _ => Ok(()),
        }
    }

    async fn save(&self, text: String) -> Result<()> {
        self.change(move |desk, mark| desk.save_answer(mark, &text))
            .await
    }

    /// Returns whether the work saved that the request was made, although it failed after that.
    async fn is_begun(&self) -> Result<bool> {
        let (caller, mark) = (self.caller.clone(), self.mark.clone());
        let find = move |state: &AppState| match open_desk(state, &caller).find_answer(&mark) {
            Err(Error::Repeated(RequestConflict::NoAnswer)) => Ok(true),
            found => Ok(found.map(|_| false)?),
        };
        self.state.read(find).await
    }

    async fn change(
        &self,
        work: impl FnOnce(&Desk<'_>, &RequestMark) -> hardwon_engine::Result<()> + Send + 'static,
    ) -> Result<()> {
        let (caller, mark) = (self.caller.clone(), self.mark.clone());
        let change = move |state: &AppState| Ok(work(&open_desk(state, &caller), &mark)?);
        self.state.write(change).await
    }
}

/// Returns the desk where the answers to a key's requests are kept: its tenant's. An operator belongs to none; theirs are
/// kept with this machine's own, where no other key can name them.
fn open_desk<'s>(state: &'s AppState, caller: &Caller) -> Desk<'s> {
    let scope = Scope {
        tenant: caller.tenant().cloned().unwrap_or_default(),
        ..Scope::default()
    };
    state.engine.acting_as(Principal::background(scope))
}

/// Copies an answer as it is to be kept. One that is longer than what is kept is left out of it.
async fn copy_reply(response: Response) -> Result<(Response, KeptReply)> {
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, usize::MAX).await;
    let body = body.map_err(|error| ApiError::internal(&error))?;
    let kept_instead = parts.extensions.get::<KeptInstead>();
    let reply = match kept_instead {
        Some(KeptInstead(error)) => KeptReply::from_error(error.clone()).await?,
        None => KeptReply::new(parts.status, &parts.headers, &body),
    };
    Ok((Response::from_parts(parts, Body::from(body)), reply))
}

impl KeptReply {
    fn new(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Self {
        let content_type = headers.get(header::CONTENT_TYPE);
        Self {
            status: status.as_u16(),
            content_type: content_type
                .and_then(|it| it.to_str().ok())
                .unwrap_or_default()
                .to_owned(),
            body: String::from_utf8_lossy(body).into_owned(),
        }
    }

    async fn from_error(error: ApiError) -> Result<Self> {
        let (parts, body) = error.into_response().into_parts();
        let body = to_bytes(body, limits::ANSWER_BYTES).await;
        let body = body.map_err(|error| ApiError::internal(&error))?;
        Ok(Self::new(parts.status, &parts.headers, &body))
    }

    /// Answers once more.
    fn replay(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::OK);
        let mut response = (status, self.body).into_response();
        let headers = response.headers_mut();
        match HeaderValue::from_str(&self.content_type) {
            Ok(kind) if !kind.is_empty() => drop(headers.insert(header::CONTENT_TYPE, kind)),
            _ => drop(headers.remove(header::CONTENT_TYPE)),
        }
        headers.insert(REPLAYED, HeaderValue::from_static("true"));
        response
    }
}
