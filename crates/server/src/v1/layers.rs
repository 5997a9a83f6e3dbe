//! What every request of the API goes through, from the outside in: a panic is one request's, it gets an id, it is
//! counted, it has only so long, its answer is compressed, and its body is only so large.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{
    Router,
    extract::{DefaultBodyLimit, MatchedPath, Request, State},
    http::{HeaderName, HeaderValue, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
};
use tower::ServiceBuilder;
use tower_http::{
    catch_panic::CatchPanicLayer,
    compression::{
        CompressionLayer, Predicate as _,
        predicate::{NotForContentType, SizeAbove},
    },
    request_id::{MakeRequestUuid, PropagateRequestIdLayer, SetRequestIdLayer},
    set_header::SetResponseHeaderLayer,
    timeout::TimeoutLayer,
};

use crate::{error::ApiError, state::SharedState};

/// Most bytes of a body, where a route says nothing else.
const BODY_BYTES: usize = 64 * 1024;
/// An answer of fewer bytes is not compressed.
const COMPRESSED_FROM: u64 = 1024;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Puts the layers round the routes.
pub(super) fn wrap(router: Router, state: &SharedState) -> Router {
    let no_store = HeaderValue::from_static("no-store");
    let no_sniff = HeaderValue::from_static("nosniff");
    let is_compressed =
        SizeAbove::new(COMPRESSED_FROM).and(NotForContentType::const_new("application/gzip"));
    let layers = ServiceBuilder::new()
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
            ApiError::internal(&"a request broke off inside").into_response()
        }))
        .layer(limit_time(state.request_timeout))
        .layer(CompressionLayer::new().compress_when(is_compressed))
        .layer(DefaultBodyLimit::max(BODY_BYTES));
    router.layer(layers)
}

fn limit_time(most: Duration) -> TimeoutLayer {
    TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, most)
}

/// Counts the request by the template of its route: a path as it was sent may hold anything.
async fn count_request(State(state): State<SharedState>, request: Request, next: Next) -> Response {
    let matched = request.extensions().get::<MatchedPath>();
    let route = matched.map_or("none", MatchedPath::as_str).to_owned();
    let method = request.method().as_str().to_owned();
    let began = Instant::now();
    let response = next.run(request).await;
    let seconds = began.elapsed().as_secs_f64();
    let metrics = &state.metrics;
    metrics.count_request(&route, &method, response.status().as_u16(), seconds);
    response
}
