//! Health and metrics, on a listener of their own that no key guards and no agent needs to reach.

use std::sync::atomic::Ordering;

use axum::{
    Router,
    extract::State,
    http::{StatusCode, header},
    response::IntoResponse,
    routing::get,
};

use crate::{SharedState, WorkKind};

/// Returns the routes `/healthz`, `/readyz` and `/metrics`.
pub(crate) fn routes(state: SharedState) -> Router {
    Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(report_ready))
        .route("/metrics", get(report_metrics))
        .with_state(state)
}

/// Ready is who takes requests: not once the server was told to stop, and only while the keys can be read.
async fn report_ready(State(state): State<SharedState>) -> impl IntoResponse {
    if state.is_stopping.load(Ordering::Relaxed) {
        return (StatusCode::SERVICE_UNAVAILABLE, "stopping\n");
    }
    match state
        .run(WorkKind::Read, |state| Ok(state.keys.tenants(None, 1)?))
        .await
    {
        Ok(_) => (StatusCode::OK, "ready\n"),
        Err(_) => (
            StatusCode::SERVICE_UNAVAILABLE,
            "the database does not answer\n",
        ),
    }
}

async fn report_metrics(State(state): State<SharedState>) -> impl IntoResponse {
    let form = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, form)], state.render_figures())
}
