//! Records that an earlier version made of whom an identity provider vouched for. None is made any more, and nobody holds
//! the secret of one.

use super::{ApiKeyRecord, KeyKind};

impl ApiKeyRecord {
    /// Returns whether this record of an identity may take the place of one that there is: of the same identity with the
    /// same grant, that nobody revoked.
    #[must_use]
    pub(super) fn renews(&self, kept: &Self) -> bool {
        let are_identities = [self, kept].map(|it| it.kind) == [KeyKind::Identity; 2];
        are_identities && self.grant == kept.grant && kept.revoked.is_none()
    }
}
