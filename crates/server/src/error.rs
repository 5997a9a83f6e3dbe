//! What is answered when something cannot be done: a status, `{"error": …}`, and the members of RFC 9457 beside it.
//!
//! `error` is the published key, and its texts are the published ones where there are any. A cause inside the server is
//! named on its standard error stream and not in the answer.

use std::borrow::Cow;

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use hardwon_core::CurationError;
use hardwon_engine::{AccessError, Error, SweepError};
use hardwon_store::{RequestConflict, StoreErrorKind};
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{KeyChangeError, KeyChangeRefusal, workers::NotRun};

/// The result of a request.
pub(crate) type Result<T, E = ApiError> = std::result::Result<T, E>;

/// A request that was not carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ApiError {
    status: StatusCode,
    message: Cow<'static, str>,
    field: Option<&'static str>,
    reason: Option<&'static str>,
    retry_after: Option<u32>,
}

/// Why a request was not carried out (RFC 9457, and the published key `error`).
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProblemDto<'a> {
    /// What went wrong, in a sentence.
    error: &'a str,
    /// The status in words.
    title: &'a str,
    /// The status in numbers.
    status: u16,
    /// The same as `error`.
    detail: &'a str,
    /// The member of the body or query that is wrong; absent if it is none of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'a str>,
    /// Which bound was reached, such as `rate_limit`; absent if none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    /// After how many seconds another try makes sense; absent if none does.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_seconds: Option<u32>,
}

impl ApiError {
    pub(crate) fn new(status: StatusCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            status,
            message: message.into(),
            field: None,
            reason: None,
            retry_after: None,
        }
    }

    pub(crate) fn bad_request(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// No key, or none that is known: the answer does not say which.
    pub(crate) fn unauthorized() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "missing or invalid key")
    }

    pub(crate) fn forbidden(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::FORBIDDEN, message)
    }

    pub(crate) fn lesson_not_found() -> Self {
        Self::not_found("lesson not found")
    }

    pub(crate) fn not_found(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::NOT_FOUND, message)
    }

    /// The words were understood, and refused.
    pub(crate) fn refused(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, message)
    }

    /// Names the cause on standard error; the answer says only that there was one.
    pub(crate) fn internal(cause: impl std::fmt::Display) -> Self {
        crate::log::log_line(&format!("error: {cause}"));
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal error")
    }

    pub(crate) fn overloaded() -> Self {
        Self::unavailable("too much at once; try again")
    }

    fn unavailable(message: &'static str) -> Self {
        Self {
            retry_after: Some(1),
            ..Self::new(StatusCode::SERVICE_UNAVAILABLE, message)
        }
    }

    /// The database server does not answer for now. Names the cause on standard error.
    fn without_database(cause: &dyn std::fmt::Display) -> Self {
        crate::log::log_line(&format!("error: {cause}"));
        Self::unavailable("the database cannot be reached; try again")
    }

    /// A request of the same name is being carried out.
    pub(crate) fn under_way() -> Self {
        let message = "a request with this idempotency key is being carried out; try again";
        Self {
            reason: Some("under_way"),
            retry_after: Some(1),
            ..Self::new(StatusCode::CONFLICT, message)
        }
    }

    /// The key was used too often.
    pub(crate) fn too_often(seconds: u32) -> Self {
        let message = "this key sends too many requests; try again later";
        Self {
            reason: Some("rate_limit"),
            retry_after: Some(seconds),
            ..Self::new(StatusCode::TOO_MANY_REQUESTS, message)
        }
    }

    /// Names the member of the request that is wrong.
    pub(crate) fn with_field(self, field: &'static str) -> Self {
        Self {
            field: Some(field),
            ..self
        }
    }

    /// Returns what went wrong, in a sentence.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let problem = ProblemDto {
            error: &self.message,
            title: self.status.canonical_reason().unwrap_or_default(),
            status: self.status.as_u16(),
            detail: &self.message,
            field: self.field,
            reason: self.reason,
            retry_after_seconds: self.retry_after,
        };
        let mut response = (self.status, Json(problem)).into_response();
        let headers = response.headers_mut();
        let problem_json = HeaderValue::from_static("application/problem+json");
        headers.insert(header::CONTENT_TYPE, problem_json);
        if self.status == StatusCode::UNAUTHORIZED {
            let scheme = HeaderValue::from_static("Bearer");
            headers.insert(header::WWW_AUTHENTICATE, scheme);
        }
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl From<NotRun> for ApiError {
    fn from(why: NotRun) -> Self {
        match why {
            NotRun::Overloaded => Self::overloaded(),
            NotRun::Panicked => Self::internal("a request broke off inside"),
        }
    }
}

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        match error {
            Error::Denied(denied) => denied.into(),
            Error::Curation(unfit) => unfit.into(),
            Error::RejectedByGuard(why) => Self::refused(why),
            Error::Sweep(why) => why.into(),
            Error::Store(store) => store.into(),
            Error::RunState(busy) if busy.kind() == std::io::ErrorKind::WouldBlock => {
                Self::overloaded()
            }
            Error::Repeated(conflict) => conflict.into(),
            other => Self::internal(&other),
        }
    }
}

impl From<SweepError> for ApiError {
    fn from(why: SweepError) -> Self {
        let (reason, retry_after) = match &why {
            SweepError::Unknown(_) => return Self::not_found(why.to_string()),
            SweepError::Moved => ("moved", None),
            SweepError::Undone(_) => ("undone", None),
            SweepError::LeaseLost => ("lease_lost", Some(1)),
            SweepError::Busy(until) => {
                let seconds = until.duration_since(Timestamp::now()).as_secs() + 1;
                let seconds = u32::try_from(seconds).unwrap_or(1).max(1);
                ("sweep_under_way", Some(seconds))
            }
        };
        Self {
            reason: Some(reason),
            retry_after,
            ..Self::new(StatusCode::CONFLICT, why.to_string())
        }
    }
}

impl From<RequestConflict> for ApiError {
    fn from(conflict: RequestConflict) -> Self {
        let status = match conflict {
            RequestConflict::OtherRequest => StatusCode::UNPROCESSABLE_ENTITY,
            RequestConflict::NoAnswer => StatusCode::CONFLICT,
        };
        Self::new(status, conflict.to_string())
    }
}

impl From<AccessError> for ApiError {
    fn from(denied: AccessError) -> Self {
        match denied {
            AccessError::NotFound(_) => Self::lesson_not_found(),
            AccessError::AwaitsReview(_)
            | AccessError::MissingRight(_)
            | AccessError::OutOfScope => Self::forbidden(denied.to_string()),
        }
    }
}

impl From<CurationError> for ApiError {
    fn from(unfit: CurationError) -> Self {
        match unfit {
            CurationError::AlreadyArchived(_) => Self::lesson_not_found(),
            CurationError::LessTrusted(..) => Self::forbidden("a person has to decide this"),
            CurationError::NotOwn(_) => Self::forbidden(unfit.to_string()),
            _ => Self::new(StatusCode::CONFLICT, unfit.to_string()),
        }
    }
}

impl From<KeyChangeError> for ApiError {
    fn from(error: KeyChangeError) -> Self {
        let refusal = match error {
            KeyChangeError::Store(store) => return store.into(),
            KeyChangeError::Refused(refusal) => refusal,
        };
        let status = match refusal {
            KeyChangeRefusal::UnknownKey(_) | KeyChangeRefusal::UnknownTenant(_) => {
                StatusCode::NOT_FOUND
            }
            KeyChangeRefusal::OutOfReach => StatusCode::FORBIDDEN,
            KeyChangeRefusal::UnfitTenantName => StatusCode::BAD_REQUEST,
            _ => StatusCode::CONFLICT,
        };
        Self::new(status, refusal.to_string())
    }
}

impl From<hardwon_store::StoreError> for ApiError {
    fn from(error: hardwon_store::StoreError) -> Self {
        match error.kind() {
            StoreErrorKind::Busy => Self::overloaded(),
            StoreErrorKind::Unreachable => Self::without_database(&error),
            StoreErrorKind::Full => {
                drop(Self::internal(&error));
                Self::new(
                    StatusCode::INSUFFICIENT_STORAGE,
                    "the server's disk is full",
                )
            }
            StoreErrorKind::Conflict => Self::new(StatusCode::CONFLICT, error.to_string()),
            StoreErrorKind::Invalid => Self::bad_request(error.to_string()),
            _ => Self::internal(&error),
        }
    }
}
