//! The names that most handlers use: how a verb is written down, what it takes of a request, and what it works with.

pub(super) use axum::{
    extract::{Path, Request},
    response::Response,
};
pub(super) use hardwon_core::{LessonId, limits};
pub(super) use hardwon_engine::Desk;
pub(super) use serde::Deserialize;
pub(super) use utoipa::IntoParams;

pub(super) use super::{
    door::{Door, json},
    query::{LessonNumber, QueryOf, filter_by_names, parse_limit, parse_number},
    verb::{Learn, Read, VerbRow, WorkKind, Write, own_verb, verb},
};
pub(super) use crate::{
    ApiError, AskedScope, Capability, Result,
    auth::{parse_asked_scope, parse_name},
    body::JsonBody,
};
