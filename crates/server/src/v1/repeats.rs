//! Requests that a caller names by an `Idempotency-Key`, so that it may repeat them: each is carried out once, and a
//! repetition gets the same answer.
//!
//! One layer, which every verb has that is POSTed, unless its row says that it counts once by itself. What was answered is kept when the work is done, and a desk saves with the first
//! thing that it changes that the request was made, so that no crash has it done twice. The work goes on when the
//! caller is gone, because that is why a request is repeated. An error is not kept: such a request may be made again.

use axum::{
    body::{Body, to_bytes},
    extract::{FromRequestParts as _, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header, request::Parts},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use hardwon_core::{Scope, limits};
use hardwon_engine::{Desk, Principal};
use hardwon_store::{IdempotencyKey, RequestConflict, RequestMark};
use serde::{Deserialize, Serialize};

use crate::{
    ApiError, AppState, Caller, Result, SharedState, WorkKind, body::read_bytes, log::log_line,
    requests_under_way::RequestUnderWay,
};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

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
    let key = request.headers().get(IDEMPOTENCY_KEY);
    let Some(key) = key.map(parse_key).transpose()? else {
        return Ok(next.run(request).await);
    };
    let (mut parts, body) = request.into_parts();
    let caller = Caller::from_request_parts(&mut parts, &state).await?;
    let body = read_bytes(Request::from_parts(parts.clone(), body), &state).await?;
    let mark = make_mark(&caller, &key, &parts, &body);
    let under_way = state.requests_under_way.enter(mark.name);
    let named_request = NamedRequest {
        _under_way: under_way.ok_or_else(ApiError::under_way)?,
        state,
        caller,
        mark,
    };
    if let Some(reply) = named_request.find_reply().await? {
        return Ok(reply.replay());
    }
    let caller = named_request
        .caller
        .clone()
        .with_request(named_request.mark.clone());
    parts.extensions.insert(caller);
    let request = Request::from_parts(parts, Body::from(body));
    let work = tokio::spawn(named_request.carry_out(request, next));
    work.await.map_err(ApiError::internal)?
}

fn parse_key(value: &HeaderValue) -> Result<IdempotencyKey> {
    let result = IdempotencyKey::parse(value.to_str().unwrap_or("\u{fffd}"));
    result.map_err(|error| ApiError::bad_request(format!("Idempotency-Key: {error}")))
}

fn make_mark(caller: &Caller, key: &IdempotencyKey, parts: &Parts, body: &[u8]) -> RequestMark {
    let target = parts
        .uri
        .path_and_query()
        .map_or("", |path_and_query| path_and_query.as_str());
    let request_parts = [parts.method.as_str().as_bytes(), target.as_bytes(), body];
    RequestMark::new(caller.record().id.as_str(), key, request_parts)
}

/// A request with a name, while it is carried out.
struct NamedRequest {
    state: SharedState,
    caller: Caller,
    mark: RequestMark,
    _under_way: RequestUnderWay,
}

impl NamedRequest {
    /// Finds what was answered before.
    async fn find_reply(&self) -> Result<Option<KeptReply>> {
        let (caller, mark) = (self.caller.clone(), self.mark.clone());
        let find = move |state: &AppState| Ok(open_desk(state, &caller).find_answer(&mark)?);
        let text = self.state.run(WorkKind::Read, find).await?;
        let reply = text.map(|text| serde_json::from_str(&text)).transpose();
        reply.map_err(|_| RequestConflict::NoAnswer.into())
    }

    async fn carry_out(self, request: Request, next: Next) -> Result<Response> {
        let mut response = next.run(request).await;
        let instead = response.extensions_mut().remove::<KeptInstead>();
        let (response, reply) = copy_reply(response).await?;
        let reply = match instead {
            Some(KeptInstead(error)) => copy_reply(error.into_response()).await?.1,
            None => reply,
        };
        // The work is done, and its answer stands.
        if response.status().is_success() && self.keep(reply).await.is_err() {
            log_line("keeping the answer to a request failed; a repetition of it gets another one");
        }
        Ok(response)
    }

    /// Keeps the answer, unless it is too long.
    async fn keep(&self, reply: KeptReply) -> Result<()> {
        let text = serde_json::to_string(&reply).map_err(ApiError::internal)?;
        if text.len() > limits::ANSWER_BYTES {
            return Ok(());
        }
        let (caller, mark) = (self.caller.clone(), self.mark.clone());
        let save = move |state: &AppState| Ok(open_desk(state, &caller).save_answer(&mark, &text)?);
        self.state.run(WorkKind::Write, save).await
    }
}

/// Returns the desk where the answers to a key's requests are kept: its tenant's. An operator belongs to none; theirs are
/// kept with this machine's own, where no other key can name them.
fn open_desk<'s>(state: &'s AppState, caller: &Caller) -> Desk<'s> {
    let scope = Scope::of_tenant(caller.tenant().cloned().unwrap_or_default());
    state.engine.acting_as(Principal::background(scope))
}

/// Copies an answer as it is to be kept.
async fn copy_reply(response: Response) -> Result<(Response, KeptReply)> {
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, usize::MAX).await;
    let body = body.map_err(ApiError::internal)?;
    let reply = KeptReply::new(parts.status, &parts.headers, &body);
    Ok((Response::from_parts(parts, Body::from(body)), reply))
}

impl KeptReply {
    fn new(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Self {
        let content_type = headers.get(header::CONTENT_TYPE);
        Self {
            status: status.as_u16(),
            content_type: content_type
                .and_then(|content_type| content_type.to_str().ok())
                .unwrap_or_default()
                .to_owned(),
            body: String::from_utf8_lossy(body).into_owned(),
        }
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
