//! The form of an API key: how its holder sends it, and what a mistyped one is known by.
//!
//! A key is read from a header as an [`ApiKey`], which costs no look-up if it was mistyped. What a key may do is recorded
//! at the server, by its [`KeyId`] and a hash of its secret. `Debug` shows neither secret nor hash. Randomness is an argument.

mod base62;
#[cfg(test)]
mod tests;

use std::fmt;

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use hardwon_core::{digest, named_enum};

/// Digits of a key's id.
const ID_DIGITS: usize = 10;
/// Digits of a key's secret: 190 bits, so that a fast hash protects it.
const SECRET_DIGITS: usize = 32;
/// Digits of the checksum, enough for 32 bits.
const CHECKSUM_DIGITS: usize = 6;
/// Bytes of a secret's mark in the log.
const MARK_BYTES: usize = 8;
/// Random bytes that an id is made of.
const ID_ENTROPY: usize = 16;
/// Random bytes that a key is made of: more than its digits need, so that each digit is as likely as any other.
pub const KEY_ENTROPY_BYTES: usize = 48;

named_enum! {
    /// What a key is for; its name is the prefix that people and scanners recognise.
    KeyKind {
        /// For the programs and persons of one tenant.
        Tenant = "hwk",
        /// For whoever runs the server.
        Operator = "hwa",
        /// A person's session in a browser, opened with another key.
        Session = "hws",
        /// Of an earlier version: whom an identity provider vouched for. Nobody holds its secret, and none is made any more.
        Identity = "hwi",
    }
}

/// Why a text is no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidKey {
    /// It has another form.
    #[error("this is no key: a key is `hwk_`, `hwa_` or `hws_` and 48 letters and digits")]
    Form,
    /// It has the form of a key, and a part of it is wrong.
    #[error("this key is mistyped or cut: its last six characters do not fit the others")]
    Checksum,
}

/// The public part of a key, by which its record is found.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
pub struct KeyId(String);

impl KeyId {
    /// Parses ten letters and digits; `None` if the text is anything else.
    pub fn parse(text: &str) -> Option<Self> {
        base62::is_number(text, ID_DIGITS).then(|| Self(text.to_owned()))
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The SHA-256 of a key's secret.
///
/// It has no `PartialEq`: a comparison that ends at the first difference would tell how much was right.
#[derive(Clone)]
pub struct SecretHash([u8; 32]);

impl SecretHash {
    /// Restores a stored hash.
    pub fn from_stored(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes, for the store of keys. Nothing else has a reason to call this.
    pub fn expose(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns what tells this secret from another one in the log, and helps nobody to guess it: eight bytes of a digest
    /// of the hash, in hexadecimal.
    pub fn mark(&self) -> String {
        let hash = digest::hash_parts([b"hardwon secret mark 1", &self.0[..]]);
        digest::to_hex(&hash[..MARK_BYTES])
    }

    /// Returns whether both are of the same secret, in a time that does not depend on them.
    pub fn matches(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl fmt::Debug for SecretHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretHash")
    }
}

/// A key with its secret, as its holder sends it.
#[derive(Clone)]
pub struct ApiKey {
    kind: KeyKind,
    id: KeyId,
    secret: String,
}

impl ApiKey {
    /// Parses a key, and checks its form and its checksum.
    pub fn parse(text: &str) -> Result<Self, InvalidKey> {
        let (prefix, rest) = text.split_once('_').ok_or(InvalidKey::Form)?;
        let kind = KeyKind::from_name(prefix).filter(|name| *name != KeyKind::Identity);
        let kind = kind.ok_or(InvalidKey::Form)?;
        if !base62::is_number(rest, ID_DIGITS + SECRET_DIGITS + CHECKSUM_DIGITS) {
            return Err(InvalidKey::Form);
        }
        let (id, rest) = rest.split_at(ID_DIGITS);
        let (secret, checksum) = rest.split_at(SECRET_DIGITS);
        let body = &text[..text.len() - CHECKSUM_DIGITS];
        if make_checksum(body) != checksum {
            return Err(InvalidKey::Checksum);
        }
        Ok(Self {
            kind,
            id: KeyId(id.to_owned()),
            secret: secret.to_owned(),
        })
    }

    /// Makes a key of bytes that nobody can guess.
    pub fn from_entropy(kind: KeyKind, entropy: [u8; KEY_ENTROPY_BYTES]) -> Self {
        let (id, secret) = entropy.split_at(ID_ENTROPY);
        Self {
            kind,
            id: KeyId(base62::write_digits(id, ID_DIGITS)),
            secret: base62::write_digits(secret, SECRET_DIGITS),
        }
    }

    /// Makes another secret for a key of this kind and id; of the entropy, only the part for the secret is used.
    pub fn with_new_secret(kind: KeyKind, id: KeyId, entropy: [u8; KEY_ENTROPY_BYTES]) -> Self {
        Self {
            id,
            ..Self::from_entropy(kind, entropy)
        }
    }

    /// Returns what the key is for.
    pub fn kind(&self) -> KeyKind {
        self.kind
    }

    /// Returns its public part.
    pub fn id(&self) -> &KeyId {
        &self.id
    }

    /// Returns the hash that is kept in place of the secret.
    pub fn secret_hash(&self) -> SecretHash {
        SecretHash(Sha256::digest(self.secret.as_bytes()).into())
    }

    /// Returns the whole key as text, to be shown to its holder once and kept nowhere.
    pub fn reveal(&self) -> String {
        let body = format!("{}_{}{}", self.kind.name(), self.id, self.secret);
        let checksum = make_checksum(&body);
        body + &checksum
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ApiKey({}_{})", self.kind.name(), self.id)
    }
}

fn make_checksum(checked: &str) -> String {
    let sum = crc32fast::hash(checked.as_bytes());
    base62::write_digits(&sum.to_be_bytes(), CHECKSUM_DIGITS)
}
