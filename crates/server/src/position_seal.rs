//! Seals the places in a journal up to which copies are complete, for those who keep the copies.
//!
//! A place is a number and a part of a hash, and both tell of changes that a key may not see: how many there were, and when.
//! So it is handed out encrypted, for its tenant, and differently each time. The secret is shared by all servers over one
//! store. A place that was sealed with another secret is none, and a copy begins anew.

use std::io;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use hardwon_core::{api_key::SecretHash, id::TenantId};
use hardwon_engine::FeedPosition;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// The name of the secret.
pub(crate) const SECRET_NAME: &str = "places in the journal";

const NONCE_BYTES: usize = 12;
/// A number of 8 bytes and a hash of as many.
const PLACE_BYTES: usize = 16;
const TAG_BYTES: usize = 16;

/// What seals places and opens them.
pub(crate) struct PositionSeal([u8; 32]);

impl PositionSeal {
    pub(crate) fn new(secret: [u8; 32]) -> Self {
        Self(secret)
    }

    /// Seals a place of a tenant's journal.
    pub(crate) fn seal(&self, tenant: &TenantId, place: &FeedPosition) -> io::Result<String> {
        let mut nonce = [0; NONCE_BYTES];
        getrandom::fill(&mut nonce).map_err(io::Error::other)?;
        Ok(self.seal_with(tenant, place, nonce))
    }

    fn seal_with(
        &self,
        tenant: &TenantId,
        place: &FeedPosition,
        nonce: [u8; NONCE_BYTES],
    ) -> String {
        let mut sealed = nonce.to_vec();
        let mask = self.derive("mask", tenant, &nonce);
        let plain = place.to_bytes();
        sealed.extend(plain.iter().zip(mask).map(|(byte, mask)| byte ^ mask));
        let tag = self.derive("tag", tenant, &sealed);
        sealed.extend_from_slice(&tag[..TAG_BYTES]);
        URL_SAFE_NO_PAD.encode(sealed)
    }

    /// Opens what was sealed for a tenant; `None` if it was not.
    pub(crate) fn open(&self, tenant: &TenantId, text: &str) -> Option<FeedPosition> {
        let sealed = URL_SAFE_NO_PAD.decode(text).ok()?;
        if sealed.len() != NONCE_BYTES + PLACE_BYTES + TAG_BYTES {
            return None;
        }
        let (sealed, tag) = sealed.split_at(NONCE_BYTES + PLACE_BYTES);
        if !is_same_tag(tag, &self.derive("tag", tenant, sealed)[..TAG_BYTES]) {
            return None;
        }
        let (nonce, hidden) = sealed.split_at(NONCE_BYTES);
        let mask = self.derive("mask", tenant, nonce);
        let mut plain = [0; PLACE_BYTES];
        for (byte, (hidden, mask)) in plain.iter_mut().zip(hidden.iter().zip(mask)) {
            *byte = hidden ^ mask;
        }
        Some(FeedPosition::from_bytes(plain))
    }

    fn derive(&self, what: &str, tenant: &TenantId, bytes: &[u8]) -> [u8; 32] {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("a key may have any length");
        // The first is a word of ours, the last has a fixed length.
        for part in [
            what.as_bytes(),
            b"\0",
            tenant.as_str().as_bytes(),
            b"\0",
            bytes,
        ] {
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }
}

/// Compares in a time that does not depend on what was sent.
fn is_same_tag(sent: &[u8], expected: &[u8]) -> bool {
    let widen = |tag: &[u8]| {
        let mut bytes = [0; 32];
        bytes[..TAG_BYTES].copy_from_slice(tag);
        SecretHash::from_stored(bytes)
    };
    widen(sent).matches(&widen(expected))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tenant(name: &str) -> TenantId {
        TenantId::parse(name).unwrap()
    }

    #[test]
    fn a_place_opens_for_its_tenant_and_servers_only() {
        let place = FeedPosition::parse("71-0123456789abcdef").unwrap();
        let (seal, other) = (PositionSeal::new([7; 32]), PositionSeal::new([8; 32]));
        let acme = tenant("acme");
        let sealed = seal.seal(&acme, &place).unwrap();
        assert_eq!(seal.open(&acme, &sealed), Some(place.clone()));
        assert_eq!(seal.open(&tenant("globex"), &sealed), None);
        assert_eq!(other.open(&acme, &sealed), None);
        assert_eq!(sealed.len(), 59);
        // The same place is told differently each time, so that it tells of no change either.
        assert_ne!(seal.seal(&acme, &place).unwrap(), sealed);
    }

    #[test]
    fn what_was_altered_is_no_place() {
        let place = FeedPosition::parse("71-0123456789abcdef").unwrap();
        let (seal, acme) = (PositionSeal::new([7; 32]), tenant("acme"));
        let sealed = seal.seal_with(&acme, &place, [1; NONCE_BYTES]);
        let bytes = URL_SAFE_NO_PAD.decode(&sealed).unwrap();
        for at in 0..bytes.len() {
            let mut altered = bytes.clone();
            altered[at] ^= 1;
            let altered = URL_SAFE_NO_PAD.encode(altered);
            assert_eq!(seal.open(&acme, &altered), None, "{at}");
        }
        for text in [
            "",
            "71-0123456789abcdef",
            &sealed[..58],
            &format!("{sealed}AA"),
        ] {
            assert_eq!(seal.open(&acme, text), None, "{text}");
        }
    }
}
