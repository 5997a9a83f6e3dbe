//! A login that was begun in a browser and goes on at the provider.
//!
//! The browser keeps a secret of it in a cookie, and what the provider and its answer are told is made of that: so the
//! answer counts in this browser only, once, within ten minutes, and on any server of several.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use hardwon_core::{api_key::SecretHash, digest};
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};

use crate::error::{ApiError, Result};

/// How long somebody may take at the provider.
pub(crate) const ATTEMPT_SECONDS: i64 = 600;
/// Most attempts that are remembered as used.
const MOST_USED: usize = 4096;
/// Bytes of a secret.
const SECRET_BYTES: usize = 32;

/// A login that was begun.
#[derive(Clone)]
pub(crate) struct LoginAttempt {
    began: i64,
    secret: [u8; SECRET_BYTES],
    /// Where to go afterwards. It was in a browser, and is checked by whoever goes there.
    pub(crate) next: String,
}

impl LoginAttempt {
    /// Begins a login.
    pub(crate) fn begin(next: &str, now: Timestamp) -> Result<Self> {
        let mut secret = [0; SECRET_BYTES];
        getrandom::fill(&mut secret).map_err(|error| ApiError::internal(&error))?;
        Ok(Self {
            began: now.as_second(),
            secret,
            next: next.to_owned(),
        })
    }

    /// Returns what the browser keeps.
    pub(crate) fn to_cookie(&self) -> String {
        let Self {
            began,
            secret,
            next,
        } = self;
        let encode = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        format!("{began}.{}.{}", encode(secret), encode(next.as_bytes()))
    }

    /// Reads what a browser kept; `None` if it is of no login that may still go on.
    pub(crate) fn read(cookie: &str, now: Timestamp) -> Option<Self> {
        let mut parts = cookie.split('.');
        let began: i64 = parts.next()?.parse().ok()?;
        let secret = URL_SAFE_NO_PAD.decode(parts.next()?).ok()?;
        let next = URL_SAFE_NO_PAD.decode(parts.next()?).ok()?;
        let age = now.as_second().checked_sub(began)?;
        let is_open = (0..ATTEMPT_SECONDS).contains(&age) && parts.next().is_none();
        is_open.then_some(Self {
            began,
            secret: secret.try_into().ok()?,
            next: String::from_utf8(next).ok()?,
        })
    }

    /// Derives a value for one purpose; it tells nothing of the secret or of another.
    fn derive(&self, purpose: &str) -> String {
        let began = self.began.to_be_bytes();
        let parts = [
            "hardwon login 1".as_bytes(),
            purpose.as_bytes(),
            &began,
            &self.secret,
        ];
        digest::to_hex(&digest::hash_parts(parts))
    }

    /// Returns what the answer has to bring back.
    pub(crate) fn state(&self) -> String {
        self.derive("state")
    }

    /// Returns what the token has to hold.
    pub(crate) fn nonce(&self) -> String {
        self.derive("nonce")
    }

    /// Returns what is shown when the code of the answer is turned in (PKCE).
    pub(crate) fn verifier(&self) -> String {
        self.derive("verifier")
    }

    /// Returns what the provider is told of that before.
    pub(crate) fn challenge(&self) -> String {
        URL_SAFE_NO_PAD.encode(Sha256::digest(self.verifier().as_bytes()))
    }

    /// Returns whether an answer brings the state back, in a time that does not depend on what it brings.
    pub(crate) fn has_state(&self, sent: &str) -> bool {
        hash_state(&self.state()).matches(&hash_state(sent))
    }
}

fn hash_state(state: &str) -> SecretHash {
    SecretHash::from_stored(digest::hash_parts([state.as_bytes()]))
}

/// The attempts whose answer came lately, so that none counts twice. The provider sees to that as well, also where there
/// are several servers: it takes a code once.
#[derive(Debug, Default)]
pub(super) struct UsedAttempts(Mutex<VecDeque<(i64, String)>>);

impl UsedAttempts {
    /// Notes that the answer to an attempt came; `false` if one came before.
    pub(super) fn note(&self, attempt: &LoginAttempt, now: Timestamp) -> bool {
        let mut used = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        used.retain(|(at, _)| now.as_second() - at < ATTEMPT_SECONDS);
        let state = attempt.state();
        if used.iter().any(|(_, it)| *it == state) {
            return false;
        }
        if used.len() >= MOST_USED {
            used.pop_front();
        }
        used.push_back((now.as_second(), state));
        true
    }
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan as _;

    use super::*;

    fn noon() -> Timestamp {
        "2026-03-02T12:00:00Z".parse().unwrap()
    }

    #[test]
    fn an_attempt_is_read_back_within_its_time() {
        let attempt = LoginAttempt::begin("/lessons?q=ä", noon()).unwrap();
        let cookie = attempt.to_cookie();
        let read = |cookie: &str, now| LoginAttempt::read(cookie, now);
        let same = read(&cookie, noon() + 599.seconds()).unwrap();
        assert_eq!(
            (same.state(), &*same.next),
            (attempt.state(), "/lessons?q=ä")
        );
        assert!(read(&cookie, noon() + 600.seconds()).is_none());
        assert!(read(&cookie, noon() - 1.second()).is_none());
        let (began, rest) = cookie.split_once('.').unwrap();
        for wrong in [
            String::new(),
            began.to_owned(),
            format!("{began}.AAAA.AAAA"),
            format!("{cookie}.AAAA"),
            format!("x.{rest}"),
        ] {
            assert!(read(&wrong, noon()).is_none(), "{wrong}");
        }
        // Whoever puts off its beginning has another attempt.
        let later = format!("{}.{rest}", noon().as_second() + 1);
        let later = read(&later, noon() + 1.second()).unwrap();
        assert!(!later.has_state(&attempt.state()));
    }

    #[test]
    fn what_is_told_of_an_attempt_tells_nothing_else() {
        let attempt = LoginAttempt::begin("/", noon()).unwrap();
        let cookie = attempt.to_cookie();
        let told = [
            attempt.state(),
            attempt.nonce(),
            attempt.verifier(),
            attempt.challenge(),
        ];
        for (at, one) in told.iter().enumerate() {
            assert!(!cookie.contains(one.as_str()), "{at}");
            assert!(told[at + 1..].iter().all(|it| it != one), "{at}");
        }
        assert!(attempt.has_state(&told[0]));
        assert!(!attempt.has_state(&told[1]));
        assert!(!attempt.has_state(""));
        // A code's verifier has 43 to 128 letters and digits.
        assert_eq!(told[2].len(), 64);
        assert_eq!(told[3].len(), 43);
    }

    #[test]
    fn an_attempt_counts_once() {
        let used = UsedAttempts::default();
        let attempt = || LoginAttempt::begin("/", noon()).unwrap();
        let (one, other) = (attempt(), attempt());
        assert!(used.note(&one, noon()));
        assert!(used.note(&other, noon()));
        assert!(!used.note(&one, noon() + 599.seconds()));
        for _ in 0..MOST_USED {
            assert!(used.note(&attempt(), noon()));
        }
        assert_eq!(used.0.lock().unwrap().len(), MOST_USED);
    }
}
