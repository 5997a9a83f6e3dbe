//! The webhook of a tenant, as it is kept beside the tenant's keys: where it leads, and what its deliveries are signed
//! with.
//!
//! How its deliveries fare is a text of whoever makes them. Nothing here signs or sends.

use std::fmt;

use jiff::Timestamp;

use super::KeyId;
use crate::{id::TenantId, text::CleanText};

/// The secret that deliveries are signed with.
///
/// Of a key only a hash is kept, because its holder brings it along. This one is what signatures are made with, so it
/// is kept as it is, where whoever runs the server alone can read.
#[derive(Clone)]
pub struct WebhookSecret([u8; 32]);

impl WebhookSecret {
    /// Takes bytes that nobody can guess, or those that were stored.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes, to be stored or to sign with.
    #[must_use]
    pub fn expose(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecret")
    }
}

/// What is kept of a tenant's webhook. `Debug` shows the host that it leads to, and nothing behind it.
#[derive(Clone)]
pub struct WebhookRecord {
    /// The tenant.
    pub tenant: TenantId,
    /// Where it leads. What stands behind the host may be a secret of its receiver.
    pub url: String,
    /// What its deliveries are signed with.
    pub secret: WebhookSecret,
    /// When it was set, in whole milliseconds.
    pub set_at: Timestamp,
    /// The key that set it.
    pub set_by: KeyId,
    /// How its deliveries fare, in the form of whoever makes them.
    pub progress: String,
}

impl WebhookRecord {
    /// Returns whether another record is this one, with its deliveries as far.
    #[must_use]
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.tenant == other.tenant
            && self.secret.expose() == other.secret.expose()
            && self.progress == other.progress
    }

    /// Writes what of it may be read by whoever reads the log: the host that it leads to, and nothing that could be a
    /// secret of the receiver.
    pub(super) fn describe(&self) -> CleanText {
        let host = serde_json::json!({ "host": find_host(&self.url) });
        CleanText::assume_clean(host.to_string())
    }
}

impl fmt::Debug for WebhookRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebhookRecord")
            .field("tenant", &self.tenant)
            .field("host", &find_host(&self.url))
            .field("set_at", &self.set_at)
            .field("set_by", &self.set_by)
            .field("progress", &self.progress)
            .finish_non_exhaustive()
    }
}

/// Returns the host of an address, with its port.
fn find_host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let end = rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len());
    let authority = &rest[..end];
    authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_tells_the_host_alone() {
        let check = |url: &str, host: &str| assert_eq!(find_host(url), host, "{url}");
        check("https://hooks.example/T0/B1?token=hunter2", "hooks.example");
        check(
            "https://hooks.example:8443?token=hunter2",
            "hooks.example:8443",
        );
        check("https://user:hunter2@hooks.example#x", "hooks.example");
        check("https://hooks.example", "hooks.example");
        check("", "");
    }

    #[test]
    fn a_secret_is_not_printed() {
        let secret = WebhookSecret::from_bytes([0; 32]);
        assert_eq!(format!("{secret:?}"), "WebhookSecret");
        let record = WebhookRecord {
            tenant: TenantId::default(),
            url: "https://hooks.example/in?token=hunter2".to_owned(),
            secret,
            set_at: Timestamp::UNIX_EPOCH,
            set_by: KeyId::parse("abcdefghij").unwrap(),
            progress: "{}".to_owned(),
        };
        let told = format!("{record:?}");
        assert!(
            told.contains("hooks.example") && !told.contains("hunter2"),
            "{told}"
        );
    }
}
