//! The REST API, version 1: its routes, and what every request goes through.
//!
//! Each module is one resource. A handler finds out who asks, parses what was sent, has a verb of the desk run on a
//! thread, and turns the answer into a type of `hardwon_api::v1`. Nothing here decides about lessons.

mod archives;
mod audit;
mod changes;
mod deliveries;
mod effects;
mod journal;
mod keys;
mod layers;
mod lessons;
mod observe;
mod outcomes;
mod recall;
mod runs;
mod writ;
mod query;
mod recalls;
mod reviews;
mod tenants;

use axum::{Router, routing::any};
use utoipa_axum::router::OpenApiRouter;

use crate::{error::ApiError, mcp, openapi, page, state::SharedState};

/// Returns every route of the API, with the layers round them.
pub(crate) fn routes(state: &SharedState) -> Router {
    let (router, document) = documented_routes().split_for_parts();
    let router = router
        .route(
            "/v1/openapi.json",
            axum::routing::get(|| async move { axum::Json(document) }),
        )
        .fallback(any(|| async {
            ApiError::not_found("there is nothing at this path")
        }))
        .method_not_allowed_fallback(|| async {
            ApiError::new(
                axum::http::StatusCode::METHOD_NOT_ALLOWED,
                "method not allowed",
            )
        })
        .merge(page::routes())
        .with_state(state.clone());
    layers::wrap(router.merge(mcp::routes(state)), state)
}

/// Returns the description as JSON, in the form that is committed.
#[must_use]
pub fn openapi_json() -> String {
    let document = documented_routes().into_openapi();
    document.to_pretty_json().expect("a document is JSON") + "\n"
}

fn documented_routes() -> OpenApiRouter<SharedState> {
    OpenApiRouter::with_openapi(openapi::base_document())
        .merge(lessons::routes())
        .merge(recall::routes())
        .merge(observe::routes())
        .merge(runs::routes())
        .merge(outcomes::routes())
        .merge(writ::routes())
        .merge(recalls::routes())
        .merge(reviews::routes())
        .merge(effects::routes())
        .merge(journal::routes())
        .merge(keys::routes())
        .merge(tenants::routes())
        .merge(audit::routes())
        .merge(archives::routes())
        .merge(changes::routes())
        .merge(deliveries::routes())
}
