//! Erasing a tenant: everything that is stored for it.
//!
//! Its keys, and the state of its sessions, are the business of whoever keeps those.

use hardwon_store::ErasedTenant;

use crate::{Desk, Result, access::Rights};

impl Desk<'_> {
    /// Erases the tenant: lessons, journal, recalls and whatever else is stored for it. Nothing brings it back.
    pub fn erase_tenant(&self) -> Result<ErasedTenant> {
        self.principal.check_right(Rights::Erase)?;
        self.check_sees_tenant()?;
        Ok(self.engine.store.erase_tenant(self.tenant())?)
    }
}
