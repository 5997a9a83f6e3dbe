//! The REST API, version 1: its routes, and what every request goes through.
//!
//! Each module is one resource. A handler finds out who asks, parses what was sent, has a verb of the desk run on a
//! thread, and turns the answer into a type of `hardwon_api::v1`. Nothing here decides about lessons.

/// Serves handlers at the paths and with the methods that their descriptions say, each with the layer that carries a
/// repeated request out once, and gathers the descriptions. Before each handler stands the kind of its work, by which it
/// gets a thread, or `Own` where it sees to that itself.
///
/// Only tests call the description: what makes it is no part of the program, which serves the committed file.
macro_rules! serve_handlers {
    (@serve Own $handler:ident) => { $handler };
    (@serve $kind:ident $handler:ident) => {
        crate::v1::door::on_thread(crate::workers::WorkKind::$kind, $handler)
    };
    ($($kind:ident $handler:ident),+ $(,)?) => { pastey::paste! {
        pub(super) fn routes(
            state: &crate::state::SharedState,
        ) -> axum::Router<crate::state::SharedState> {
            let once = crate::v1::repeats::answer_once;
            let once = axum::middleware::from_fn_with_state(state.clone(), once);
            axum::Router::new()
                $(.route(
                    &<[<__path_ $handler>] as utoipa::Path>::path(),
                    axum::routing::on(
                        crate::openapi::find_method::<[<__path_ $handler>]>(),
                        serve_handlers!(@serve $kind $handler),
                    )
                    .route_layer(once.clone()),
                ))+
        }

        #[derive(utoipa::OpenApi)]
        #[openapi(paths($($handler),+))]
        pub(super) struct Description;
    } };
}

/// Lists the resources, each with the most bytes of a body if that is not the usual bound: their routes, and what tests
/// make the description of.
macro_rules! list_resources {
    ($($resource:ident $(<= $bytes:expr)?),+ $(,)?) => {
        fn api_routes(state: &SharedState) -> Router<SharedState> {
            Router::new()$(.merge(
                $resource::routes(state)$(.layer(DefaultBodyLimit::max($bytes)))?
            ))+
        }

        fn describe_resources() -> Vec<utoipa::openapi::OpenApi> {
            vec![$($resource::Description::openapi()),+]
        }
    };
}

mod archives;
mod audit;
mod deliveries;
mod door;
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
mod repeats;
mod replica;
mod reviews;
mod sweeps;
mod tenants;

use axum::{
    Router,
    extract::DefaultBodyLimit,
    http::{StatusCode, header},
    routing::{any, get},
};
use utoipa::OpenApi as _;

use crate::{error::ApiError, mcp, openapi, page, state::SharedState};

list_resources! {
    lessons,
    recall,
    observe <= observe::REPORT_BYTES,
    runs,
    outcomes,
    writ,
    recalls,
    reviews,
    sweeps <= sweeps::PLAN_BYTES,
    effects,
    journal,
    keys,
    tenants,
    audit,
    replica,
    deliveries <= deliveries::DELIVERY_BYTES,
    archives <= archives::PACKED_BYTES,
}

/// Returns every route of the API, with the layers round them.
pub(crate) fn routes(state: &SharedState) -> Router {
    let router = api_routes(state)
        .route("/v1/openapi.json", get(show_description))
        .fallback(any(|| async {
            ApiError::not_found("there is nothing at this path")
        }))
        .method_not_allowed_fallback(|| async {
            ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method not allowed")
        })
        .merge(page::routes())
        .with_state(state.clone());
    layers::wrap(router.merge(mcp::routes(state)), state)
}

async fn show_description() -> ([(header::HeaderName, &'static str); 1], &'static str) {
    let json = [(header::CONTENT_TYPE, "application/json")];
    (json, include_str!("../openapi.json"))
}

/// Returns the description of the API as JSON, made of the handlers, in the form that is committed.
pub fn describe_api() -> String {
    let mut document = openapi::base_document();
    for part in describe_resources() {
        document.merge(part);
    }
    let mut document = openapi::add_repeats(document, repeats::takes_key);
    openapi::conventions::apply(&mut document);
    document.to_pretty_json().expect("a document is JSON") + "\n"
}
