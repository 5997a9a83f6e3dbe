//! Checks what a token says: who made it, for whom, about whom, and from when until when.
//!
//! The time is an argument. What the claims are worth is decided by the rules of the server.

use jiff::Timestamp;
use serde_json::{Map, Value};

/// By how many seconds the clocks of a provider and of this server may differ.
const LEEWAY: i64 = 30;
/// Longest name of somebody, in bytes.
const SUBJECT_BYTES: usize = 255;

/// Why a token is not accepted. Nothing of it is quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TokenRefusal {
    #[error("it is no signed token")]
    Form,
    #[error("it is a token for something else")]
    Use,
    #[error("the provider has no such key for signatures")]
    Key,
    #[error("its signature is wrong")]
    Signature,
    #[error("it is from another issuer")]
    Issuer,
    #[error("it is for another audience")]
    Audience,
    #[error("it has expired")]
    Expired,
    #[error("it is not valid yet")]
    NotYet,
    #[error("it does not say whom it is about")]
    Subject,
    #[error("it belongs to another login")]
    Nonce,
    #[error("it counts only with a proof that this server cannot check")]
    Bound,
}

/// What a token has to be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Expected<'e> {
    pub(super) issuer: &'e str,
    /// Whom it may be for.
    pub(super) audiences: &'e [String],
    /// The login that it is the answer to; `None` for a token that lets a program in.
    pub(super) nonce: Option<&'e str>,
    pub(super) now: Timestamp,
}

/// What a token says that is accepted.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CheckedClaims {
    pub(crate) subject: String,
    pub(crate) expires: Timestamp,
    pub(crate) all: Map<String, Value>,
}

/// Checks the claims of a token whose signature is right.
pub(super) fn check_claims(
    claims: Map<String, Value>,
    expected: &Expected<'_>,
) -> Result<CheckedClaims, TokenRefusal> {
    if claims.get("iss").and_then(Value::as_str) != Some(expected.issuer) {
        return Err(TokenRefusal::Issuer);
    }
    check_audience(&claims, expected)?;
    let expires = check_times(&claims, expected.now)?;
    if claims.contains_key("cnf") {
        return Err(TokenRefusal::Bound);
    }
    let nonce = claims.get("nonce").and_then(Value::as_str);
    if expected.nonce.is_some() && nonce != expected.nonce {
        return Err(TokenRefusal::Nonce);
    }
    let subject = claims.get("sub").and_then(Value::as_str);
    let is_name = |it: &&str| {
        let is_short = !it.trim().is_empty() && it.len() <= SUBJECT_BYTES;
        is_short && !it.contains(char::is_control)
    };
    let subject = subject.filter(is_name).ok_or(TokenRefusal::Subject)?;
    Ok(CheckedClaims {
        subject: subject.to_owned(),
        expires,
        all: claims,
    })
}

/// A token of a login names the party that asked for it, if it is for several.
fn check_audience(
    claims: &Map<String, Value>,
    expected: &Expected<'_>,
) -> Result<(), TokenRefusal> {
    let audience = claims.get("aud").ok_or(TokenRefusal::Audience)?;
    let is_ours = |it: &Value| {
        let name = it.as_str();
        name.is_some_and(|it| expected.audiences.iter().any(|own| own == it))
    };
    let (is_for_us, is_for_several) = match audience {
        Value::Array(several) => (several.iter().any(is_ours), several.len() > 1),
        one => (is_ours(one), false),
    };
    let party = claims.get("azp");
    let is_by_us = match (expected.nonce, party) {
        (None, _) => true,
        (Some(_), Some(party)) => is_ours(party),
        (Some(_), None) => !is_for_several,
    };
    match is_for_us && is_by_us {
        true => Ok(()),
        false => Err(TokenRefusal::Audience),
    }
}

/// Returns until when a token counts that counts now.
fn check_times(claims: &Map<String, Value>, now: Timestamp) -> Result<Timestamp, TokenRefusal> {
    let now = now.as_second();
    let expires = claims.get("exp").and_then(read_seconds);
    let expires = expires.ok_or(TokenRefusal::Expired)?;
    if expires.saturating_add(LEEWAY) <= now {
        return Err(TokenRefusal::Expired);
    }
    for name in ["nbf", "iat"] {
        if let Some(from) = claims.get(name) {
            let from = read_seconds(from).ok_or(TokenRefusal::NotYet)?;
            if from.saturating_sub(LEEWAY) > now {
                return Err(TokenRefusal::NotYet);
            }
        }
    }
    Ok(Timestamp::from_second(expires).unwrap_or(Timestamp::MAX))
}

/// Reads a time, which may have a fraction.
fn read_seconds(value: &Value) -> Option<i64> {
    let fraction = || value.as_f64().map(f64::floor);
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a number that is too large becomes the largest"
    )]
    let whole = || fraction().map(|it| it as i64);
    value.as_i64().or_else(whole)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ISSUER: &str = "https://id.example";
    const NOW: i64 = 1_800_000_000;

    fn check(change: Value, nonce: Option<&str>, expected: Result<i64, TokenRefusal>) {
        let mut claims = json!({"iss": ISSUER, "aud": "us", "sub": "ada", "exp": NOW + 300});
        for (name, value) in change.as_object().unwrap() {
            claims[name] = value.clone();
        }
        let claims = claims.as_object().unwrap().iter();
        let claims = claims.filter(|(_, it)| **it != json!("absent"));
        let claims = claims
            .map(|(name, it)| (name.clone(), it.clone()))
            .collect();
        let audiences = ["us".to_owned(), "us as well".to_owned()];
        let checked = check_claims(
            claims,
            &Expected {
                issuer: ISSUER,
                audiences: &audiences,
                nonce,
                now: Timestamp::from_second(NOW).unwrap(),
            },
        );
        let until = checked.map(|it| it.expires.as_second() - NOW);
        assert_eq!(until, expected, "{change}");
    }

    #[test]
    fn a_token_is_of_our_issuer_for_us_and_now() {
        use TokenRefusal as Why;
        let access = |change, expected| check(change, None, expected);
        access(json!({}), Ok(300));
        access(json!({"iss": "https://id.example/"}), Err(Why::Issuer));
        access(json!({"iss": [ISSUER]}), Err(Why::Issuer));
        access(json!({"iss": "absent"}), Err(Why::Issuer));
        access(json!({"aud": ["them", "us as well"]}), Ok(300));
        for other in [
            json!("them"),
            json!([]),
            json!([["us"]]),
            json!({"us": 1}),
            json!("absent"),
        ] {
            access(json!({ "aud": other }), Err(Why::Audience));
        }
        access(json!({"exp": NOW - 29}), Ok(-29));
        access(json!({"exp": NOW - 30}), Err(Why::Expired));
        access(json!({"exp": 1e300}), Ok(Timestamp::MAX.as_second() - NOW));
        access(json!({"exp": NOW as f64 + 0.5}), Ok(0));
        for never in [json!("absent"), json!("tomorrow"), json!(null), json!(-1)] {
            access(json!({ "exp": never }), Err(Why::Expired));
        }
        for name in ["nbf", "iat"] {
            access(json!({ name: NOW + 30 }), Ok(300));
            access(json!({ name: NOW + 31 }), Err(Why::NotYet));
            access(json!({ name: "now" }), Err(Why::NotYet));
        }
        for nobody in [
            json!("absent"),
            json!(""),
            json!(" "),
            json!(7),
            json!("a\u{0}b"),
            json!("a".repeat(256)),
        ] {
            access(json!({ "sub": nobody }), Err(Why::Subject));
        }
        access(json!({"cnf": {"jkt": "x"}}), Err(Why::Bound));
    }

    #[test]
    fn a_token_of_a_login_is_the_answer_to_it() {
        use TokenRefusal as Why;
        let login = |change, expected| check(change, Some("n"), expected);
        login(json!({"nonce": "n"}), Ok(300));
        login(json!({"nonce": "m"}), Err(Why::Nonce));
        login(json!({}), Err(Why::Nonce));
        login(
            json!({"nonce": "n", "aud": ["us", "them"]}),
            Err(Why::Audience),
        );
        login(
            json!({"nonce": "n", "aud": ["us", "them"], "azp": "us"}),
            Ok(300),
        );
        login(json!({"nonce": "n", "azp": "them"}), Err(Why::Audience));
    }
}
