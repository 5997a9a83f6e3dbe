//! What every request of the API goes through, from the outside in: its connection knows of it, it gets an id, it is
//! counted, a panic is one request's, it has only so long, its answer is compressed, it says everything once, and its body
//! is only so large.

use std::{collections::HashSet, sync::Arc, time::Instant};

use axum::{
    Extension, Router,
    extract::{
        DefaultBodyLimit, MatchedPath, Query, RawPathParams, Request, State,
        rejection::RawPathParamsRejection,
    },
    http::{HeaderName, HeaderValue, Uri, Version, header},
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
};
use tokio::time::timeout;
use tower::ServiceBuilder;
use tower_http::{
    catch_panic::CatchPanicLayer,
    compression::{CompressionLayer, predicate::SizeAbove},
    request_id::{MakeRequestUuid, PropagateRequestIdLayer, SetRequestIdLayer},
    set_header::SetResponseHeaderLayer,
};

use crate::{ApiError, Connection, SharedState};

/// Most bytes of a body, where a route says nothing else.
pub(super) const BODY_BYTES: usize = 64 * 1024;
/// An answer of fewer bytes is not compressed.
const COMPRESSED_FROM: u64 = 1024;

/// The route that takes whole transcripts, which need longer.
const UPLOAD_PATH: &str = "/v1/runs";
/// The route on which the model may be asked.
const SWEEP_PATH: &str = "/v1/sweeps";

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The headers that a request is understood by, each of which has one value.
const SAID_ONCE: [HeaderName; 12] = [
    header::HOST,
    header::AUTHORIZATION,
    header::CONTENT_LENGTH,
    header::CONTENT_TYPE,
    header::ORIGIN,
    HeaderName::from_static("sec-fetch-site"),
    HeaderName::from_static("x-forwarded-proto"),
    HeaderName::from_static("x-api-key"),
    HeaderName::from_static("idempotency-key"),
    HeaderName::from_static("x-hardwon-agent"),
    HeaderName::from_static("x-hardwon-project"),
    HeaderName::from_static("x-hardwon-client"),
];

/// Puts the layers round the routes.
pub(super) fn wrap(router: Router, state: &SharedState) -> Router {
    let no_store = HeaderValue::from_static("no-store");
    let no_sniff = HeaderValue::from_static("nosniff");
    let is_compressed = SizeAbove::new(COMPRESSED_FROM);
    let layers = ServiceBuilder::new()
        .layer(middleware::from_fn(note_request))
        .layer(SetRequestIdLayer::new(REQUEST_ID, MakeRequestUuid))
        .layer(PropagateRequestIdLayer::new(REQUEST_ID))
        .layer(middleware::from_fn_with_state(
            Arc::clone(state),
            count_request,
        ))
        .layer(SetResponseHeaderLayer::if_not_present(
            header::CACHE_CONTROL,
            no_store,
        ))
        .layer(SetResponseHeaderLayer::overriding(
            header::X_CONTENT_TYPE_OPTIONS,
            no_sniff,
        ))
        .layer(CatchPanicLayer::custom(|_| {
            ApiError::internal("a request broke off inside").into_response()
        }))
        .layer(middleware::from_fn_with_state(
            Arc::clone(state),
            limit_time,
        ))
        .layer(CompressionLayer::new().compress_when(is_compressed))
        .layer(middleware::from_fn(refuse_ambiguity))
        .layer(middleware::from_fn(refuse_garbled_path))
        .layer(DefaultBodyLimit::max(BODY_BYTES));
    router.layer(layers)
}

/// Has the connection know of the request until it is answered.
async fn note_request(
    Extension(connection): Extension<Connection>,
    request: Request,
    next: Next,
) -> Response {
    let (parts, body) = request.into_parts();
    let (_guard, body) = connection.begin_request(body);
    next.run(Request::from_parts(parts, body)).await
}

/// Refuses a request that a proxy in front may read in another way.
async fn refuse_ambiguity(request: Request, next: Next) -> Response {
    match find_ambiguity(&request) {
        Some(ambiguity) => ApiError::bad_request(ambiguity).into_response(),
        None => next.run(request).await,
    }
}

fn find_ambiguity(request: &Request) -> Option<String> {
    let headers = request.headers();
    let is_doubled = |name: &&HeaderName| headers.get_all(*name).iter().nth(1).is_some();
    if let Some(name) = SAID_ONCE.iter().find(is_doubled) {
        return Some(format!("the header {name} stands twice"));
    }
    let (host, authority) = (headers.get(header::HOST), request.uri().authority());
    match (host, authority) {
        (None, _) if request.version() >= Version::HTTP_11 => {
            Some("the header host is missing".to_owned())
        }
        (Some(host), Some(name)) if name.as_str() != host => {
            Some("the address and the header host name two hosts".to_owned())
        }
        _ => find_doubled_parameter(request.uri()),
    }
}

fn find_doubled_parameter(uri: &Uri) -> Option<String> {
    let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(uri).ok()?;
    let mut names = HashSet::new();
    let mut pairs = pairs.iter();
    let (name, _) = pairs.find(|(name, _)| !names.insert(name))?;
    Some(format!("the parameter {name} stands twice"))
}

async fn limit_time(State(state): State<SharedState>, request: Request, next: Next) -> Response {
    let matched_path = request.extensions().get::<MatchedPath>();
    let most = match matched_path.map(MatchedPath::as_str) {
        Some(UPLOAD_PATH) => state.config.upload_timeout,
        Some(SWEEP_PATH) => state.sweep_timeout(),
        _ => state.config.request_timeout,
    };
    let result = timeout(most, next.run(request)).await;
    result.unwrap_or_else(|_| ApiError::overloaded().into_response())
}

/// Refuses a path with escapes that are no UTF-8, in the form of all other errors.
async fn refuse_garbled_path(
    params: Result<RawPathParams, RawPathParamsRejection>,
    request: Request,
    next: Next,
) -> Response {
    match params {
        Err(RawPathParamsRejection::InvalidUtf8InPathParam(_)) => {
            ApiError::bad_request("the path is not UTF-8").into_response()
        }
        _ => next.run(request).await,
    }
}

/// Counts the request by the template of its route: a path as it was sent may hold anything.
async fn count_request(State(state): State<SharedState>, request: Request, next: Next) -> Response {
    let path = request.extensions().get::<MatchedPath>();
    let route = path.map_or("none", MatchedPath::as_str).to_owned();
    let method = request.method().clone();
    let began = Instant::now();
    let response = next.run(request).await;
    let status = response.status().as_u16();
    let seconds = began.elapsed().as_secs_f64();
    state
        .metrics
        .count_request(&route, &method, status, seconds);
    response
}
