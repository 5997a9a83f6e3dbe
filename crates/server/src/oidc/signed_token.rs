//! Reads a token (a JWT in the compact form of JWS) and checks its signature.
//!
//! The algorithm is that of the provider's key and never chosen by the token, which has only to name the same; there is
//! none that works with a shared secret, and none that signs nothing. Keys and addresses in a token's own head are not
//! looked at. Encrypted tokens are none. What a token says is checked elsewhere.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{claims::TokenRefusal, provider_keys::ProviderKey};

/// Longest token, in bytes.
const TOKEN_BYTES: usize = 16 * 1024;

/// What a token is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenUse {
    /// It tells who logged in.
    Login,
    /// It lets a program in.
    Access,
}

/// The head of a token, as far as it matters.
#[derive(Debug, Deserialize)]
struct TokenHead {
    alg: String,
    kid: Option<String>,
    typ: Option<String>,
    /// Names members without which the token must not be understood. None is known here.
    crit: Option<Value>,
}

/// A token whose signature is not checked yet.
#[derive(Debug)]
pub(super) struct SignedToken<'t> {
    head: TokenHead,
    signed: &'t str,
    signature: Vec<u8>,
    body: Vec<u8>,
}

impl<'t> SignedToken<'t> {
    /// Reads a token that has to be for something.
    pub(super) fn read(text: &'t str, token_use: TokenUse) -> Result<Self, TokenRefusal> {
        let read = Self::split(text).ok_or(TokenRefusal::Form)?;
        if read.head.crit.is_some() {
            return Err(TokenRefusal::Form);
        }
        match fits_use(read.head.typ.as_deref(), token_use) {
            true => Ok(read),
            false => Err(TokenRefusal::Use),
        }
    }

    fn split(text: &'t str) -> Option<Self> {
        if text.len() > TOKEN_BYTES {
            return None;
        }
        let (signed, signature) = text.rsplit_once('.')?;
        let (head, body) = signed.split_once('.')?;
        let decode = |part: &str| URL_SAFE_NO_PAD.decode(part).ok();
        Some(Self {
            head: serde_json::from_slice(&decode(head)?).ok()?,
            signed,
            signature: decode(signature)?,
            body: decode(body)?,
        })
    }

    /// Returns the name of the key that it says it was signed with.
    pub(super) fn key_name(&self) -> Option<&str> {
        self.head.kid.as_deref()
    }

    /// Returns the algorithm that it says it was signed by.
    pub(super) fn algorithm(&self) -> &str {
        &self.head.alg
    }

    /// Returns the claims, if this key signed them.
    pub(super) fn verify(&self, key: &ProviderKey) -> Result<Map<String, Value>, TokenRefusal> {
        if !key.has_signed(self.signed.as_bytes(), &self.signature) {
            return Err(TokenRefusal::Signature);
        }
        serde_json::from_slice(&self.body).map_err(|_| TokenRefusal::Form)
    }
}

/// Returns whether a kind of token, if it names one, may be used so. Many providers write `JWT` for each.
fn fits_use(kind: Option<&str>, token_use: TokenUse) -> bool {
    let kind = kind.unwrap_or("jwt").to_ascii_lowercase();
    match kind.strip_prefix("application/").unwrap_or(&kind) {
        "jwt" => true,
        "at+jwt" => token_use == TokenUse::Access,
        _ => false,
    }
}
