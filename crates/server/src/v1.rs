//! The REST API, version 1: its routes, and what every request goes through.
//!
//! Each module is one resource, and gives its verbs as rows ([`verb`]), which are gathered here. A handler parses what was sent,
//! has a verb of the desk run, and turns the answer into a type of `hardwon_api::v1`. Nothing here decides about lessons.

mod audit;
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
mod shared;
mod writ;
mod prelude;
mod query;
mod recalls;
mod repeats;
mod replica;
mod reviews;
mod sweeps;
mod tenants;
mod verb;

pub use self::verb::VerbForm;
use self::verb::VerbRow;
use crate::{ApiError, SharedState, door, mcp, page};
use axum::{
    Router,
    http::{StatusCode, header},
    routing::{any, get},
};

/// Returns the verbs, by what they are about.
fn list_verbs() -> Vec<(&'static str, Vec<VerbRow>)> {
    vec![
        ("lessons", lessons::verbs()),
        ("lessons", shared::verbs()),
        ("recall", recall::verbs()),
        ("learn", observe::verbs()),
        ("learn", runs::verbs()),
        ("learn", outcomes::verbs()),
        ("learn", writ::verbs()),
        ("recall", recalls::verbs()),
        ("reviews", reviews::verbs()),
        ("sweeps", sweeps::verbs()),
        ("effects", effects::verbs()),
        ("journal", journal::verbs()),
        ("keys", keys::verbs()),
        ("tenants", tenants::verbs()),
        ("keys", audit::verbs()),
        ("recall", replica::verbs()),
        ("learn", deliveries::verbs()),
    ]
}

/// Returns the forms of the verbs, each with what it is about: what there is to describe.
pub fn list_verb_forms() -> Vec<(&'static str, VerbForm)> {
    let verbs = list_verbs().into_iter();
    let forms = verbs.flat_map(|(tag, verbs)| verbs.into_iter().map(move |verb| (tag, verb.form)));
    forms.collect()
}

/// Returns every route of the API, with the layers round them.
pub(crate) fn routes(state: &SharedState) -> Router {
    let verbs = list_verbs().into_iter().flat_map(|(_, verbs)| verbs);
    let router = verbs.fold(Router::new(), |router, verb| {
        router.merge(verb.serve(state))
    });
    let router = router
        .route("/v1/openapi.json", get(show_description))
        .fallback(any(page::answer_unknown_path))
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
