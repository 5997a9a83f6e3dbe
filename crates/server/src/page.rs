//! The web page: the effect of lessons, review, lessons, a trial, recalls and the journal, in a browser.
//!
//! Pages are HTML made on the server, and each change is a form, so that all of it works without the script, which only
//! adds keys and relative times. The page has no rights of its own: a session is a key that another key opened, each
//! view takes a desk as the API does, and what the desk refuses is not shown. What lessons say is hostile input: it is
//! escaped by the templates, and what nobody would see in it is shown as a mark.

mod assets;
mod consent;
mod effects;
mod error;
mod form;
mod frame;
mod journal;
mod lesson;
mod lessons;
mod login;
mod next_path;
mod place_names;
mod place_query;
mod prelude;
mod recalls;
mod review;
mod text;
mod trial;
mod undo;
mod view;
mod view_links;
mod visitor;

use axum::{
    Router,
    http::{HeaderMap, HeaderName, HeaderValue, header},
    response::{IntoResponse as _, Redirect, Response},
    routing::get,
};
use tower_http::set_header::SetResponseHeaderLayer;

use crate::{
    ApiError, SharedState,
    workers::WorkKind::{Read, Write},
};

use lesson::{approve_lesson, erase_lesson, reject_lesson, revise_lesson};
use view::{show_view, take_form};
use visitor::Visitor;

/// What a browser may do with a page: nothing that does not come from this server, and no script or style in a page.
const CONTENT_POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; \
     connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Returns the routes of the page.
pub(crate) fn routes() -> Router<SharedState> {
    let journal = show_view(journal::show_journal).merge(take_form(Read, journal::verify_journal));
    let router = Router::new()
        .route("/", get(open_first_view))
        .route("/journal", journal)
        .route("/assets/{name}", get(assets::send_asset))
        .route("/effects", show_view(effects::show_effects))
        .route("/try", show_view(trial::show_trial))
        .route("/recalls", show_view(recalls::list_recalls))
        .route("/recalls/{id}", show_view(recalls::show_recall))
        .route("/undo", take_form(Write, undo::undo_deed))
        .merge(login::routes());
    policy_headers()
        .into_iter()
        .fold(add_lesson_routes(router), |router, (name, value)| {
            router.layer(SetResponseHeaderLayer::overriding(name, value))
        })
}

fn add_lesson_routes(router: Router<SharedState>) -> Router<SharedState> {
    let list = show_view(lessons::list_lessons).merge(take_form(Write, lessons::add_lesson));
    let queue = show_view(review::show_queue).merge(take_form(Write, review::decide_several));
    router
        .route("/lessons", list)
        .route("/review", queue)
        .route("/lessons/{id}", show_view(lesson::show_lesson))
        .route("/lessons/{id}/approve", take_form(Write, approve_lesson))
        .route("/lessons/{id}/revise", take_form(Write, revise_lesson))
        .route("/lessons/{id}/reject", take_form(Write, reject_lesson))
        .route("/lessons/{id}/erase", take_form(Write, erase_lesson))
}

/// Pages send where they were to their own server only. With `no-referrer` a form would not say where it came from
/// either, and that is checked.
fn policy_headers() -> [(HeaderName, HeaderValue); 4] {
    let value = HeaderValue::from_static;
    let opener = HeaderName::from_static("cross-origin-opener-policy");
    [
        (header::CONTENT_SECURITY_POLICY, value(CONTENT_POLICY)),
        (header::REFERRER_POLICY, value("same-origin")),
        (header::X_FRAME_OPTIONS, value("DENY")),
        (opener, value("same-origin")),
    ]
}

/// Whoever comes wants to know first what it is worth; what waits is said at the top of every view.
async fn open_first_view(_: Visitor) -> Redirect {
    Redirect::to("/effects")
}

/// Sends the browser on after a form, so that a reload sends nothing again.
fn send_on(path: &str) -> Response {
    Redirect::to(path).into_response()
}

/// Answers for a path at which there is nothing: a browser with a page, a program as the API does.
pub(crate) async fn answer_unknown_path(headers: HeaderMap) -> Response {
    let error = ApiError::not_found("there is nothing at this path");
    let accepts_html = |accept: &str| accept.contains("text/html");
    if find_header(&headers, "accept").is_some_and(accepts_html) {
        error::PageError::from(error).into_response()
    } else {
        error.into_response()
    }
}

fn find_header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}
