//! What a page says when something cannot be done.

use askama::Template;
use axum::{
    http::{StatusCode, header},
    response::{Html, IntoResponse, Response},
};

use super::{text::VisibleText, view_links::ViewLink};
use crate::ApiError;

/// The result of a view.
pub(super) type Result<T, E = PageError> = std::result::Result<T, E>;

/// A view that could not be shown, or a form that was not carried out.
#[derive(Debug)]
pub(super) struct PageError(ApiError);

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorView {
    title: &'static str,
    message: VisibleText,
    /// Whether it is about what was sent, to which one can go back.
    is_about_form: bool,
    links: Vec<ViewLink>,
}

impl From<ApiError> for PageError {
    fn from(error: ApiError) -> Self {
        Self(error)
    }
}

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        let status = self.0.status();
        if status == StatusCode::UNAUTHORIZED {
            return super::send_on("/login");
        }
        let title = match status {
            StatusCode::FORBIDDEN => "Not allowed",
            StatusCode::NOT_FOUND => "Not found",
            StatusCode::SERVICE_UNAVAILABLE => "Busy",
            _ if status.is_client_error() => "Not done",
            _ => "Something went wrong",
        };
        let view = ErrorView {
            title,
            message: VisibleText::new(self.0.message()),
            is_about_form: title == "Not done",
            links: ViewLink::all(None, 0),
        };
        let page = render(&view).unwrap_or_default();
        let mut response = (status, Html(page)).into_response();
        if status == StatusCode::SERVICE_UNAVAILABLE {
            let soon = header::HeaderValue::from(1);
            response.headers_mut().insert(header::RETRY_AFTER, soon);
        }
        response
    }
}

/// Renders a view. A template writes to a text, which does not fail.
pub(super) fn render(view: &impl Template) -> crate::error::Result<String> {
    view.render().map_err(ApiError::internal)
}
