//! How a view is shown and a form carried out: both are plain functions of whoever asks and of what the address says, and do
//! their work on a thread.

use axum::{
    extract::FromRequestParts,
    http::header::SET_COOKIE,
    response::{AppendHeaders, Html, IntoResponse},
    routing::{self, MethodRouter},
};

use super::{error::PageError, form::PostedForm, visitor::Visitor};
use crate::{Result, SharedState, WorkKind, housekeeping};

/// Shows a view to a visitor, with what was shown to agents until now.
pub(super) fn show_view<I>(view: fn(&Visitor, I) -> Result<String>) -> MethodRouter<SharedState>
where
    I: FromRequestParts<SharedState> + Send + 'static,
{
    routing::get(move |visitor: Visitor, input: I| async move {
        let state = SharedState::clone(&visitor.state);
        let cookie = visitor.place_cookie.clone();
        housekeeping::count_recalls(&state, visitor.tenant()).await;
        let page = state
            .run(WorkKind::Read, move |_| view(&visitor, input))
            .await;
        let cookie = cookie.map(|cookie| AppendHeaders([(SET_COOKIE, cookie)]));
        page.map(|page| (cookie, Html(page)))
            .map_err(PageError::from)
    })
}

/// Carries a form out, and answers with what it leads to.
pub(super) fn take_form<I, R>(
    kind: WorkKind,
    carry_out: fn(&PostedForm, I) -> Result<R>,
) -> MethodRouter<SharedState>
where
    I: FromRequestParts<SharedState> + Send + 'static,
    R: IntoResponse + Send + 'static,
{
    routing::post(move |input: I, form: PostedForm| async move {
        let state = SharedState::clone(&form.visitor.state);
        let result = state.run(kind, move |_| carry_out(&form, input)).await;
        result.map_err(PageError::from)
    })
}
