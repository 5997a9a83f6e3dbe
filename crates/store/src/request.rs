//! Requests that a caller repeats because it cannot tell whether they arrived.
//!
//! A caller names a request by an [`IdempotencyKey`]. Its [`RequestMark`] is stored with what the request did, and its
//! answer after that, so a repetition does nothing and gets the same answer. Both are hashes: what callers choose as
//! names is not stored. This module does not answer requests.

use jiff::{SignedDuration, Timestamp};

use hardwon_core::{digest::hash_parts, limits};

use crate::Sha256Hash;

/// The name that a caller gave a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey(String);

/// Why a text cannot name a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidIdempotencyKey {
    /// It is empty or too long.
    #[error(
        "an idempotency key has 1 to {} characters",
        limits::IDEMPOTENCY_KEY_CHARS
    )]
    Length,
    /// It has a character that headers should not have.
    #[error(
        "an idempotency key consists of visible ASCII characters other than quotes and backslashes"
    )]
    Character,
}

impl IdempotencyKey {
    /// Parses the value of a header: a string of structured fields, in quotes, or the same without them.
    pub fn parse(text: &str) -> Result<Self, InvalidIdempotencyKey> {
        let inside_quotes = text
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'));
        let text = inside_quotes.unwrap_or(text);
        if text.is_empty() || text.len() > limits::IDEMPOTENCY_KEY_CHARS {
            return Err(InvalidIdempotencyKey::Length);
        }
        // Within quotes, these two would be written with a backslash before them.
        let is_plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\');
        if !text.bytes().all(is_plain) {
            return Err(InvalidIdempotencyKey::Character);
        }
        Ok(Self(text.to_owned()))
    }
}

/// A request that may be repeated, within its tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestMark {
    /// The hash of the caller and the name: callers do not know of one another's names.
    pub name: Sha256Hash,
    /// The hash of what was asked.
    pub digest: Sha256Hash,
}

impl RequestMark {
    /// Makes the mark of a request. `caller` tells callers apart, such as by the id of a key; `asked` is all that
    /// decides what the request does: method, path and body.
    pub fn new<'a>(
        caller: &str,
        key: &IdempotencyKey,
        asked: impl IntoIterator<Item = &'a [u8]>,
    ) -> Self {
        Self {
            name: Sha256Hash::from_bytes(hash_parts([caller.as_bytes(), key.0.as_bytes()])),
            digest: Sha256Hash::from_bytes(hash_parts(asked)),
        }
    }
}

impl RequestMark {
    /// Returns whether room is made for answers when this one is saved: looking through all of them each time would cost
    /// more than it saves, so names take turns, one of 256.
    pub fn makes_room(&self) -> bool {
        self.name.as_bytes()[0] == 0
    }
}

/// What is kept of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptAnswer {
    /// The hash of what was asked.
    pub digest: Sha256Hash,
    /// The answer. `None` if it was not given yet, was too long, or has gone with a lesson that was erased.
    pub answer: Option<String>,
    /// When the request was made, in whole milliseconds.
    pub at: Timestamp,
}

/// Why a repeated request gets no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RequestConflict {
    /// The name stands for another request.
    #[error("this idempotency key was used for another request")]
    OtherRequest,
    /// The request was made, and its answer is not there.
    #[error("a request with this idempotency key was made already, and its answer is not there")]
    NoAnswer,
}

impl KeptAnswer {
    /// Returns whether the request is still remembered at `now`.
    pub fn is_remembered(&self, now: Timestamp) -> bool {
        now < self.at + SignedDuration::from_hours(limits::ANSWER_HOURS)
    }

    /// Returns the answer for a request of the same name.
    pub fn answer_again(&self, mark: &RequestMark) -> Result<&str, RequestConflict> {
        match &self.answer {
            Some(answer) if self.digest == mark.digest => Ok(answer),
            _ => Err(self.conflict_with(mark)),
        }
    }

    /// Returns why a request of the same name is not carried out.
    pub fn conflict_with(&self, mark: &RequestMark) -> RequestConflict {
        if self.digest == mark.digest {
            RequestConflict::NoAnswer
        } else {
            RequestConflict::OtherRequest
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan as _;

    use super::*;

    #[test]
    fn a_key_is_short_and_visible() {
        let long = "k".repeat(limits::IDEMPOTENCY_KEY_CHARS + 1);
        for (text, expected) in [
            ("8e03978e-40d5-43dd-bc93-6894a57f9324", Ok(())),
            ("\"quoted\"", Ok(())),
            ("\"", Err(InvalidIdempotencyKey::Character)),
            ("\"\"", Err(InvalidIdempotencyKey::Length)),
            ("\"half", Err(InvalidIdempotencyKey::Character)),
            ("\"a\";b=1", Err(InvalidIdempotencyKey::Character)),
            ("back\\slash", Err(InvalidIdempotencyKey::Character)),
            (&long[1..], Ok(())),
            ("", Err(InvalidIdempotencyKey::Length)),
            (&long, Err(InvalidIdempotencyKey::Length)),
            ("two words", Err(InvalidIdempotencyKey::Character)),
            ("line\n", Err(InvalidIdempotencyKey::Character)),
            ("schlüssel", Err(InvalidIdempotencyKey::Character)),
        ] {
            assert_eq!(IdempotencyKey::parse(text).map(drop), expected, "{text}");
        }
        assert_eq!(IdempotencyKey::parse("\"k\""), IdempotencyKey::parse("k"));
    }

    #[test]
    fn a_repetition_is_the_same_request_of_the_same_caller() {
        let mark = |caller: &str, key: &str, asked: &[&str]| {
            let key = IdempotencyKey::parse(key).unwrap();
            RequestMark::new(caller, &key, asked.iter().map(|it| it.as_bytes()))
        };
        let first = mark("one", "k", &["POST", "/v1/lessons", "{}"]);
        let kept = KeptAnswer {
            digest: first.digest,
            answer: Some("done".to_owned()),
            at: Timestamp::UNIX_EPOCH,
        };
        assert_eq!(kept.answer_again(&first), Ok("done"));
        let other = mark("one", "k", &["POST", "/v1/lessons", "{ }"]);
        assert_eq!(first.name, other.name);
        assert_eq!(
            kept.answer_again(&other),
            Err(RequestConflict::OtherRequest)
        );
        for stranger in [
            mark("two", "k", &[]),
            mark("one", "K", &[]),
            mark("onek", "k", &[]),
        ] {
            assert_ne!(first.name, stranger.name);
        }
        let open = KeptAnswer {
            answer: None,
            ..kept.clone()
        };
        assert_eq!(open.answer_again(&first), Err(RequestConflict::NoAnswer));
        let day = Timestamp::UNIX_EPOCH + 24.hours();
        assert!(kept.is_remembered(day - 1.millisecond()) && !kept.is_remembered(day));
    }
}
