//! Remembers for which tenants recalls were noted, until somebody counts them.

use std::{collections::BTreeSet, mem};

use hardwon_core::TenantId;
use parking_lot::Mutex;

/// The tenants for which recalls were noted since the last round.
#[derive(Debug, Default)]
pub(crate) struct RecalledTenants(Mutex<BTreeSet<TenantId>>);

impl RecalledTenants {
    /// Notes a tenant.
    pub(crate) fn note(&self, tenant: &TenantId) {
        let mut tenants = self.0.lock();
        if !tenants.contains(tenant) {
            tenants.insert(tenant.clone());
        }
    }

    /// Takes one tenant's note, if there is one.
    pub(crate) fn take_one(&self, tenant: &TenantId) -> Option<TenantId> {
        let mut tenants = self.0.lock();
        tenants.take(tenant)
    }

    /// Takes the tenants that were noted.
    pub(crate) fn take(&self) -> BTreeSet<TenantId> {
        mem::take(&mut *self.0.lock())
    }
}
