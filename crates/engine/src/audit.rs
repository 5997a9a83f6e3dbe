//! Checking the store: the journal's chain, and the lessons against it.

use hardwon_core::{
    id::TenantId,
    journal::{Break, Discrepancy, Entry, Head, Ledger},
    limits,
};
use hardwon_store::Listing;

use crate::{Engine, Result};

/// What an audit found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Audit {
    /// Where the journal ends.
    pub head: Head,
    /// Where the chain breaks first, if it does.
    pub broken: Option<Break>,
    /// Lessons that are not what the journal says they are.
    pub discrepancies: Vec<Discrepancy>,
    /// How many lessons were checked.
    pub lessons: u64,
}

impl Audit {
    /// Returns whether all is as it should be.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.broken.is_none() && self.discrepancies.is_empty()
    }
}

impl Engine {
    pub(crate) fn audit(&self, tenant: &TenantId) -> Result<Audit> {
        let mut head = Head::start(tenant);
        let (mut broken, mut ledger) = (None, Ledger::default());
        self.each_entry(tenant, |entry| {
            if broken.is_none() {
                match head.follow(entry) {
                    Ok(next) => head = next,
                    Err(found) => broken = Some(found),
                }
            }
            ledger = std::mem::take(&mut ledger).follow(entry);
        })?;
        let (mut lessons, mut discrepancies) = (0, Vec::new());
        let mut before = None;
        loop {
            let page = self.store.snapshot()?.lessons(
                tenant,
                &Listing {
                    before,
                    ..Listing::default()
                },
            )?;
            let Some(last) = page.last() else { break };
            before = Some(last.id);
            lessons += page.len() as u64;
            discrepancies.extend(page.iter().filter_map(|lesson| ledger.check(lesson).err()));
        }
        discrepancies.extend(ledger.missing());
        Ok(Audit {
            head,
            broken,
            discrepancies,
            lessons,
        })
    }

    fn each_entry(&self, tenant: &TenantId, mut each: impl FnMut(&Entry)) -> Result<()> {
        let mut after = 0;
        loop {
            let page = self
                .store
                .snapshot()?
                .journal(tenant, after, limits::PAGE)?;
            let Some(last) = page.last() else {
                return Ok(());
            };
            after = last.sequence;
            page.iter().for_each(&mut each);
        }
    }
}
