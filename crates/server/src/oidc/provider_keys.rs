//! The keys with which a provider signs: read from what it publishes (JWKS), and when to ask for them again.
//!
//! Nothing is fetched here. A key without which no token could be checked is passed over: of a kind that is not
//! accepted, for encryption, or damaged.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents,
    UnparsedPublicKey,
};
use serde_json::Value;

/// Most keys that are read.
const MOST_KEYS: usize = 64;
/// After how long keys are asked for again, beside the request that sees it.
const OLD_AFTER: Duration = Duration::from_secs(15 * 60);
/// For how long keys count while the provider does not answer.
const GOOD_FOR: Duration = Duration::from_secs(24 * 3600);
/// Least time between two times of asking because a key is not known.
const ASK_AGAIN: Duration = Duration::from_secs(60);
/// Least time between two times of asking a provider that did not answer.
const TRY_AGAIN: Duration = Duration::from_secs(5);
/// Bytes of a coordinate, and of a key of Ed25519.
const POINT_BYTES: usize = 32;

/// One key of a provider.
#[derive(Clone)]
pub(super) struct ProviderKey {
    name: Option<String>,
    material: KeyMaterial,
}

#[derive(Clone)]
enum KeyMaterial {
    Rsa { modulus: Vec<u8>, exponent: Vec<u8> },
    Ecdsa(Vec<u8>),
    Ed25519(Vec<u8>),
}

impl fmt::Debug for ProviderKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProviderKey({})", self.material.algorithm())
    }
}

impl KeyMaterial {
    /// Returns the one algorithm that this key signs by.
    fn algorithm(&self) -> &'static str {
        match self {
            Self::Rsa { .. } => "RS256",
            Self::Ecdsa(_) => "ES256",
            Self::Ed25519(_) => "EdDSA",
        }
    }

    fn read(jwk: &Value) -> Option<Self> {
        let bytes = |name: &str| URL_SAFE_NO_PAD.decode(jwk[name].as_str()?).ok();
        let point = |name: &str| bytes(name).filter(|it| it.len() == POINT_BYTES);
        match (jwk["kty"].as_str()?, jwk["crv"].as_str()) {
            ("RSA", _) => Some(Self::Rsa {
                modulus: bytes("n")?,
                exponent: bytes("e")?,
            }),
            // As a point is written that is not compressed.
            ("EC", Some("P-256")) => {
                Some(Self::Ecdsa([vec![4], point("x")?, point("y")?].concat()))
            }
            ("OKP", Some("Ed25519")) => Some(Self::Ed25519(point("x")?)),
            _ => None,
        }
    }
}

impl ProviderKey {
    fn read(jwk: &Value) -> Option<Self> {
        let material = KeyMaterial::read(jwk)?;
        let is_for_signing = jwk["use"].as_str().is_none_or(|it| it == "sig");
        let operations = jwk["key_ops"].as_array();
        let verifies = operations.is_none_or(|it| it.iter().any(|it| it == "verify"));
        let algorithm = jwk["alg"].as_str();
        let is_accepted = algorithm.is_none_or(|it| it == material.algorithm());
        (is_for_signing && verifies && is_accepted).then(|| Self {
            name: jwk["kid"].as_str().map(str::to_owned),
            material,
        })
    }

    /// Returns whether a signature of these bytes was made with this key.
    pub(super) fn has_signed(&self, signed: &[u8], signature: &[u8]) -> bool {
        let verified = match &self.material {
            KeyMaterial::Rsa { modulus, exponent } => RsaPublicKeyComponents {
                n: modulus,
                e: exponent,
            }
            .verify(&RSA_PKCS1_2048_8192_SHA256, signed, signature),
            KeyMaterial::Ecdsa(point) => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(signed, signature)
            }
            KeyMaterial::Ed25519(point) => {
                UnparsedPublicKey::new(&ED25519, point).verify(signed, signature)
            }
        };
        verified.is_ok()
    }
}

/// The keys that a provider published.
#[derive(Debug, Clone)]
pub(super) struct ProviderKeys(Vec<ProviderKey>);

impl ProviderKeys {
    /// Reads what a provider publishes; `None` if no key that is accepted is in it.
    pub(super) fn read(published: &Value) -> Option<Self> {
        let keys = published["keys"].as_array()?.iter();
        let keys: Vec<_> = keys.filter_map(ProviderKey::read).take(MOST_KEYS).collect();
        (!keys.is_empty()).then_some(Self(keys))
    }

    /// Finds the key of a name. Without a name there has to be one key of that algorithm only.
    fn find(&self, name: Option<&str>, algorithm: &str) -> Option<&ProviderKey> {
        let mut fitting = self
            .0
            .iter()
            .filter(|it| it.material.algorithm() == algorithm);
        match name {
            Some(name) => fitting.find(|it| it.name.as_deref() == Some(name)),
            None => {
                let only = fitting.next()?;
                fitting.next().is_none().then_some(only)
            }
        }
    }
}

/// What is known about the key of a token.
#[derive(Debug, Clone)]
pub(super) enum KeyAnswer {
    /// This is it. `is_old`: the keys are to be asked for again.
    Found { key: ProviderKey, is_old: bool },
    /// The provider has to be asked.
    Ask,
    /// The provider has none of this name.
    Unknown,
    /// The provider did not tell its keys.
    Away,
}

/// The keys that are known, and when they were asked for.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownKeys {
    keys: Option<(Instant, Arc<ProviderKeys>)>,
    tried: Option<Instant>,
    /// When they were asked for last because of a key that is not known.
    missed: Option<Instant>,
}

impl KnownKeys {
    /// Finds the key that a token names.
    pub(super) fn find(&self, name: Option<&str>, algorithm: &str, now: Instant) -> KeyAnswer {
        let since = |then: Instant| now.saturating_duration_since(then);
        let is_free = |then: Option<Instant>, pause| then.is_none_or(|it| since(it) >= pause);
        let kept = self.keys.as_ref().filter(|(at, _)| since(*at) < GOOD_FOR);
        let Some((at, keys)) = kept else {
            return match self.may_try(now) {
                true => KeyAnswer::Ask,
                false => KeyAnswer::Away,
            };
        };
        match keys.find(name, algorithm) {
            Some(key) => KeyAnswer::Found {
                key: key.clone(),
                is_old: since(*at) >= OLD_AFTER && is_free(self.tried, ASK_AGAIN),
            },
            None if is_free(self.missed, ASK_AGAIN) => KeyAnswer::Ask,
            None => KeyAnswer::Unknown,
        }
    }

    /// Returns whether a provider that told nothing may be asked again.
    pub(super) fn may_try(&self, now: Instant) -> bool {
        let tried = self.tried.map(|it| now.saturating_duration_since(it));
        tried.is_none_or(|it| it >= TRY_AGAIN)
    }

    /// Notes that the provider is asked now. If keys are known, it is because of one that is not.
    pub(super) fn note_asking(&mut self, now: Instant) {
        if self.keys.is_some() {
            self.missed = Some(now);
        }
    }

    /// Keeps what came of asking: keys, or nothing.
    pub(super) fn note_answer(&mut self, keys: Option<ProviderKeys>, now: Instant) {
        self.tried = Some(now);
        if let Some(keys) = keys {
            self.keys = Some((now, Arc::new(keys)));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn point(fill: u8) -> String {
        URL_SAFE_NO_PAD.encode([fill; POINT_BYTES])
    }

    fn ed25519(name: &str) -> Value {
        json!({"kty": "OKP", "crv": "Ed25519", "x": point(1), "kid": name})
    }

    fn read(keys: &[Value]) -> Option<ProviderKeys> {
        ProviderKeys::read(&json!({ "keys": keys }))
    }

    #[test]
    fn only_keys_that_sign_are_read() {
        let check = |member: &str, value: Value, expected: bool| {
            let mut key = ed25519("a");
            key[member] = value.clone();
            assert_eq!(read(&[key]).is_some(), expected, "{member} {value}");
        };
        check("use", json!("sig"), true);
        check("use", json!("enc"), false);
        check("key_ops", json!(["verify"]), true);
        check("key_ops", json!(["encrypt"]), false);
        check("alg", json!("EdDSA"), true);
        check("alg", json!("RS256"), false);
        check("alg", json!("HS256"), false);
        check("crv", json!("Ed448"), false);
        check("kty", json!("oct"), false);
        check("x", json!(""), false);
        check("x", json!("not base64"), false);
        assert!(ProviderKeys::read(&json!({})).is_none());
        assert!(ProviderKeys::read(&json!({"keys": {}})).is_none());
        assert!(read(&[]).is_none());
        let secret = json!({"kty": "oct", "k": point(1), "kid": "b"});
        let shared = read(&[secret, ed25519("a")]).unwrap();
        assert_eq!(shared.0.len(), 1);
    }

    #[test]
    fn a_key_is_found_by_name_and_algorithm() {
        let other = json!({"kty": "EC", "crv": "P-256", "x": point(1), "y": point(2), "kid": "c"});
        let keys = read(&[ed25519("a"), ed25519("b"), other]).unwrap();
        let check = |name: Option<&str>, algorithm: &str, expected: Option<&str>| {
            let found = keys.find(name, algorithm);
            let found = found.and_then(|it| it.name.as_deref());
            assert_eq!(found, expected, "{name:?} {algorithm}");
        };
        check(Some("b"), "EdDSA", Some("b"));
        check(Some("c"), "ES256", Some("c"));
        check(None, "ES256", Some("c"));
        // Of two, nobody says which.
        check(None, "EdDSA", None);
        check(Some("c"), "EdDSA", None);
        check(Some("b"), "HS256", None);
        check(Some("b"), "none", None);
        check(Some("../b"), "EdDSA", None);
        check(Some(""), "EdDSA", None);
    }

    #[test]
    fn a_provider_is_asked_only_so_often() {
        let start = Instant::now();
        let mut known = KnownKeys::default();
        let minute = |minutes: u64| start + Duration::from_secs(60 * minutes);
        let second = |seconds: u64| start + Duration::from_secs(seconds);
        let told = |known: &KnownKeys, name: &str, now| match known.find(Some(name), "EdDSA", now) {
            KeyAnswer::Found { is_old: false, .. } => "found",
            KeyAnswer::Found { is_old: true, .. } => "old",
            KeyAnswer::Ask => "ask",
            KeyAnswer::Unknown => "unknown",
            KeyAnswer::Away => "away",
        };
        let keys = |name: &str| read(&[ed25519(name)]);
        assert_eq!(told(&known, "a", start), "ask");
        known.note_asking(start);
        known.note_answer(None, start);
        assert_eq!(told(&known, "a", second(4)), "away");
        assert_eq!(told(&known, "a", second(5)), "ask");
        known.note_asking(second(5));
        known.note_answer(keys("a"), second(5));
        assert_eq!(told(&known, "a", second(6)), "found");
        // The first unknown name is asked about at once, others not before a minute is over.
        assert_eq!(told(&known, "b", second(6)), "ask");
        known.note_asking(second(6));
        known.note_answer(keys("b"), second(6));
        assert_eq!(told(&known, "b", second(7)), "found");
        assert_eq!(told(&known, "a", second(7)), "unknown");
        assert_eq!(told(&known, "a", second(65)), "unknown");
        assert_eq!(told(&known, "a", second(66)), "ask");
        // Old keys count while the provider is away, but not for ever.
        assert_eq!(told(&known, "b", minute(16)), "old");
        known.note_answer(None, minute(16));
        assert_eq!(told(&known, "b", minute(16)), "found");
        assert_eq!(told(&known, "b", minute(17)), "old");
        assert_eq!(told(&known, "b", minute(23 * 60)), "old");
        assert_eq!(told(&known, "b", minute(25 * 60)), "ask");
        known.note_answer(None, minute(25 * 60));
        assert_eq!(told(&known, "b", minute(25 * 60)), "away");
    }
}
