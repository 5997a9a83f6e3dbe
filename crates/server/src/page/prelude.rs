//! The names that most views use: what stands round one, what it takes of a request, and what it shows.

pub(super) use askama::Template;
pub(super) use axum::{
    extract::{Path, Query},
    response::Response,
};
pub(super) use hardwon_core::{Lesson, LessonId, RawText, Scope, Status};
pub(super) use hardwon_engine::Desk;
pub(super) use hardwon_store::{LessonListing, ScopeFilter, StatusName};
pub(super) use serde::Deserialize;

pub(super) use super::{
    error::render,
    form::{FormFields, PostedForm, parse_lesson_id},
    frame::{Choice, DoneQuery, Frame, Notice, PlaceChoices},
    place_query::PlaceQuery,
    send_on,
    text::{TimeTag, VisibleText, describe_status, format_day, show_lesson_line},
    view_links::View,
    visitor::Visitor,
};
pub(super) use crate::{ApiError, Capability, Result};
