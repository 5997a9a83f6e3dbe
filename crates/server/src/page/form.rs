//! A form that was sent: who sent it, and that it came from a page of this server.

use std::collections::HashMap;

use axum::{
    extract::{Form, FromRequest, FromRequestParts as _, Request},
    http::{Extensions, HeaderMap, StatusCode, Uri},
    response::{IntoResponse as _, Response},
};
use hardwon_core::LessonId;

use super::{error::PageError, find_header, visitor::Visitor};
use crate::{ApiError, Result, SharedState};

/// What a form says, by the names of its fields.
#[derive(Debug, Clone, Default)]
pub(super) struct FormFields(HashMap<String, String>);

impl FormFields {
    /// Returns what was written in a field; a field that is not there is empty.
    pub(super) fn text(&self, name: &str) -> &str {
        self.0.get(name).map_or("", |text| text.trim())
    }

    /// Returns what was written in a field that must not be empty.
    pub(super) fn required(&self, name: &'static str, missing: &'static str) -> Result<&str> {
        match self.text(name) {
            "" => Err(ApiError::bad_request(missing).with_field(name)),
            text => Ok(text),
        }
    }

    /// Returns the names that were written with commas between them.
    pub(super) fn list(&self, name: &str) -> impl Iterator<Item = &str> {
        self.text(name)
            .split(',')
            .map(str::trim)
            .filter(|text| !text.is_empty())
    }

    /// Returns the numbers of the things that are ticked, in order.
    pub(super) fn picked(&self) -> Vec<&str> {
        let names = self.0.keys().filter_map(|name| name.strip_prefix("pick-"));
        let mut numbers: Vec<&str> = names.collect();
        numbers.sort_unstable();
        numbers
    }

    /// Returns the list that a form was sent from, or the page of a lesson that it was about.
    pub(super) fn path_back(&self, lesson: &str) -> String {
        match self.text("back") {
            list @ ("review" | "lessons") => format!("/{list}"),
            _ => format!("/lessons/{lesson}"),
        }
    }

    /// Returns all fields with what was written in them, in the order of their names.
    pub(super) fn pairs(&self) -> Vec<(&str, &str)> {
        let pairs = self.0.iter().map(|(name, text)| (&**name, &**text));
        let mut pairs: Vec<_> = pairs.collect();
        pairs.sort_unstable();
        pairs
    }

    pub(super) fn is_checked(&self, name: &str) -> bool {
        self.text(name) == "yes"
    }
}

/// A form of a session.
pub(super) struct PostedForm {
    pub(super) visitor: Visitor,
    pub(super) fields: FormFields,
}

impl FromRequest<SharedState> for PostedForm {
    type Rejection = Response;

    async fn from_request(
        request: Request,
        state: &SharedState,
    ) -> std::result::Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let visitor = Visitor::from_request_parts(&mut parts, state).await?;
        let request = Request::from_parts(parts, body);
        let LoginForm(fields, _) = LoginForm::from_request(request, state).await?;
        if !visitor.has_form_token(fields.text("token")) {
            let error = "this form is of an earlier session: load the page again";
            return Err(PageError::from(ApiError::forbidden(error)).into_response());
        }
        Ok(Self { visitor, fields })
    }
}

/// A form of somebody without a session, and the extensions of its request.
#[derive(Debug)]
pub(super) struct LoginForm(pub(super) FormFields, pub(super) Extensions);

impl FromRequest<SharedState> for LoginForm {
    type Rejection = Response;

    async fn from_request(
        request: Request,
        state: &SharedState,
    ) -> std::result::Result<Self, Response> {
        let refuse = |error: ApiError| PageError::from(error).into_response();
        check_origin(request.headers()).map_err(refuse)?;
        let extensions = request.extensions().clone();
        let fields = read_fields(request, state).await.map_err(refuse)?;
        Ok(Self(fields, extensions))
    }
}

async fn read_fields(request: Request, state: &SharedState) -> Result<FormFields> {
    let refuse = |status| ApiError::new(status, "this is no form of this page");
    let read = Form::<Vec<(String, String)>>::from_request(request, state).await;
    let Form(pairs) = read.map_err(|refused| refuse(refused.status()))?;
    let pair_count = pairs.len();
    let fields: HashMap<_, _> = pairs.into_iter().collect();
    if fields.len() < pair_count {
        return Err(refuse(StatusCode::BAD_REQUEST));
    }
    Ok(FormFields(fields))
}

/// Checks that a form comes from a page of this server. Browsers say where from; those that do not name the relation
/// name the origin, and what names neither is no browser.
fn check_origin(headers: &HeaderMap) -> Result<()> {
    let is_own = match (
        find_header(headers, "sec-fetch-site"),
        find_header(headers, "origin"),
    ) {
        (Some(relation), _) => relation == "same-origin",
        (None, Some(origin)) => is_own_origin(origin, find_header(headers, "host")),
        (None, None) => false,
    };
    if is_own {
        Ok(())
    } else {
        Err(ApiError::forbidden(
            "this form was not sent from a page of this server",
        ))
    }
}

fn is_own_origin(origin: &str, host: Option<&str>) -> bool {
    let origin = origin.parse::<Uri>().ok();
    let authority = origin.as_ref().and_then(|origin| origin.authority());
    authority.is_some_and(|authority| Some(authority.as_str()) == host)
}

/// Parses the number of a lesson in a path.
pub(super) fn parse_lesson_id(id: &str) -> Result<LessonId> {
    id.parse().map_err(|_| ApiError::lesson_not_found())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_pages_send_forms() {
        let check = |site: &str, origin: &str, expected: bool| {
            let mut headers = HeaderMap::new();
            headers.insert("host", "memory.example:7433".parse().unwrap());
            for (name, value) in [("sec-fetch-site", site), ("origin", origin)] {
                if !value.is_empty() {
                    headers.insert(name, value.parse().unwrap());
                }
            }
            assert_eq!(check_origin(&headers).is_ok(), expected, "{site} {origin}");
        };
        let own = "http://memory.example:7433";
        check("same-origin", own, true);
        check("same-origin", "", true);
        check("same-site", own, false);
        check("cross-site", "https://evil.example", false);
        check("none", "", false);
        check("", own, true);
        check("", "https://evil.example", false);
        check("", "http://memory.example", false);
        check("", "null", false);
        check("", "", false);
    }
}
