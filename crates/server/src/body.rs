//! Reads the body of a request: an object of JSON, with the published words for what is wrong with it.

use std::{collections::HashSet, fmt};

use axum::{
    body::Bytes,
    extract::{FromRequest, Request},
    http::StatusCode,
};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, Error as _, MapAccess, SeqAccess, Visitor},
};
use serde_json::Value;

use crate::ApiError;

/// A body that was an object and has the members that are asked for.
#[derive(Debug)]
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let bytes = read_bytes(request, state).await?;
        // Where each member may be left out, so may the body.
        let is_absent = bytes.is_empty();
        parse_object(if is_absent { b"{}" } else { &bytes }).map(Self)
    }
}

/// Reads a whole body, of which the route says how long it may be.
pub(crate) async fn read_bytes<S: Send + Sync>(
    request: Request,
    state: &S,
) -> Result<Bytes, ApiError> {
    let bytes = Bytes::from_request(request, state).await;
    bytes.map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => {
            ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large")
        }
        status => ApiError::new(status, "the body could not be read"),
    })
}

fn parse_object<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    let invalid = |error| ApiError::bad_request(format!("invalid JSON: {error}"));
    let value: Value = serde_json::from_slice(bytes).map_err(invalid)?;
    let UniqueMembers = serde_json::from_slice(bytes).map_err(invalid)?;
    if !value.is_object() {
        return Err(ApiError::bad_request("body must be a JSON object"));
    }
    // The words of the error may quote the caller's own, and go back to the caller only.
    serde_json::from_value(value)
        .map_err(|error| ApiError::bad_request(format!("invalid body: {error}")))
}

/// JSON in which no object has a member twice, of which one reader takes the first and another the last.
struct UniqueMembers;

impl<'de> Deserialize<'de> for UniqueMembers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

/// Has simple values be fine as they are.
macro_rules! pass_over {
    ($($visit:ident: $kind:ty),*) => { $(
        fn $visit<E>(self, _: $kind) -> Result<Self, E> {
            Ok(self)
        }
    )* };
}

impl<'de> Visitor<'de> for UniqueMembers {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    pass_over!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while let Some(Self) = items.next_element()? {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self, A::Error> {
        let mut names = HashSet::new();
        while let Some((name, Self)) = members.next_entry::<String, Self>()? {
            if !names.insert(name) {
                return Err(A::Error::custom("a member stands twice"));
            }
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    struct OneWord {
        word: String,
    }

    fn check(body: &str, expected: Result<&str, &str>) {
        let parsed = parse_object::<OneWord>(body.as_bytes());
        let told = parsed.map(|it| it.word);
        match (&told, expected) {
            (Ok(word), Ok(expected)) => assert_eq!(word, expected),
            (Err(error), Err(expected)) => {
                assert_eq!(*error, ApiError::bad_request(expected.to_owned()));
            }
            _ => panic!("{body}: {told:?}"),
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        check(r#"{"word": "x", "more": 1}"#, Ok("x"));
        check("[]", Err("body must be a JSON object"));
        check(
            "",
            Err("invalid JSON: EOF while parsing a value at line 1 column 0"),
        );
        check("{}", Err("invalid body: missing field `word`"));
        check(
            r#"{"word": 1}"#,
            Err("invalid body: invalid type: integer `1`, expected a string"),
        );
    }
}
