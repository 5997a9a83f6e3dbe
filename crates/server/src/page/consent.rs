//! Asks a person whether words are meant that the guard would hold from anybody else, as the commands do.

use axum::{
    http::StatusCode,
    response::{Html, IntoResponse as _},
};
use hardwon_core::guard;

use super::prelude::*;

/// The field that says that the words are meant.
const MEANT: &str = "meant";

/// The question, and the form again with the field that answers it.
#[derive(Template)]
#[template(path = "consent.html")]
struct ConsentView<'f> {
    frame: Frame,
    objection: VisibleText,
    fields: Vec<(&'f str, &'f str)>,
}

/// Returns the page that asks whether the words of a form are meant; `None` if nothing is against them, or the form says so.
pub(super) fn ask_consent<'a>(
    form: &PostedForm,
    desk: &Desk<'_>,
    words: impl IntoIterator<Item = &'a str>,
) -> Result<Option<Response>> {
    form.visitor.check_may_curate()?;
    let objection = guard::find_objection(words).filter(|_| !form.fields.is_checked(MEANT));
    let Some(objection) = objection else {
        return Ok(None);
    };
    let frame = Frame::gather(&form.visitor, desk, View::Lessons, &DoneQuery::default())?;
    let page = render(&ConsentView {
        frame: frame.with_title(VisibleText::new("Is this meant?")),
        objection: VisibleText::new(&objection.replacen("the", "The", 1)),
        fields: form.fields.pairs(),
    })?;
    let status = StatusCode::UNPROCESSABLE_ENTITY;
    Ok(Some((status, Html(page)).into_response()))
}
