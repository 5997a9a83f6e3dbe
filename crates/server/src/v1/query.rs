//! What the lists of the API have in common: how a query is read, and its bounds.

use std::num::IntErrorKind;

use axum::{
    extract::{FromRequestParts, Path, Query},
    http::request::Parts,
};
use hardwon_core::LessonId;
use hardwon_engine::Desk;
use hardwon_store::ScopeFilter;
use serde::de::DeserializeOwned;

use crate::{ApiError, AskedScope, Result};

/// The parameters of a query, with an error in the API's form.
#[derive(Debug)]
pub(super) struct QueryOf<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for QueryOf<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self> {
        let query = Query::try_from_uri(&parts.uri);
        let query = query.map_err(|error| ApiError::bad_request(error.body_text()));
        query.map(|Query(it)| Self(it))
    }
}

/// Reads how many rows are wanted: a number from 1 on; more than the most is the most.
pub(super) fn parse_limit(limit: Option<&str>, default: usize, most: usize) -> Result<usize> {
    let Some(limit) = limit else {
        return Ok(default);
    };
    match limit.parse::<usize>() {
        Ok(number) if number > 0 => Ok(number.min(most)),
        Err(error) if *error.kind() == IntErrorKind::PosOverflow => Ok(most),
        _ => Err(ApiError::bad_request("a limit is a number from 1 on").with_field("limit")),
    }
}

/// Checks the number after which to go on: no entry has one that is beyond 63 bits.
pub(super) fn check_after(after: u64) -> Result<u64> {
    let invalid = || ApiError::bad_request("this number is too large").with_field("after");
    i64::try_from(after).map(|_| after).map_err(|_| invalid())
}

/// Reads a number from 1 on, in digits alone; an error names the parameter.
pub(super) fn parse_number(text: Option<&str>, field: &'static str) -> Result<Option<i64>> {
    let parse = |text: &str| {
        let digits = Some(text).filter(|text| !text.starts_with('+'));
        let number = digits.and_then(|digits| digits.parse().ok());
        let number = number.filter(|number| *number > 0);
        number.ok_or_else(|| ApiError::bad_request("it is no number from 1 on").with_field(field))
    };
    text.map(parse).transpose()
}

/// The number of a lesson, from a path.
pub(super) struct LessonNumber(pub(super) LessonId);

impl<S: Send + Sync> FromRequestParts<S> for LessonNumber {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let id = Path::<String>::from_request_parts(parts, state).await;
        let id = parse_number(id.ok().as_deref().map(String::as_str), "id")?;
        let id = id.ok_or_else(ApiError::lesson_not_found)?;
        Ok(Self(LessonId(id)))
    }
}

/// Returns the part of a tenant that a request names; what the key may see narrows it further.
pub(super) fn filter_by_names(desk: &Desk<'_>, asked: &AskedScope) -> ScopeFilter {
    match (&asked.agent, &asked.project) {
        (None, None) => ScopeFilter::Tenant,
        (Some(agent), None) => ScopeFilter::Agent(agent.clone()),
        (None, Some(project)) => ScopeFilter::Project(Some(project.clone())),
        (Some(_), Some(_)) => ScopeFilter::Scope(desk.principal().scope.clone()),
    }
}
