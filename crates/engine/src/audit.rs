//! Checking the store: the journal's chain, and the lessons against it.

use hardwon_core::{
    id::TenantId,
    journal::{ChainBreak, ChainHead, Discrepancy, JournalEntry, LessonLedger},
    limits,
};
use hardwon_store::{LessonListing, Read};

use crate::{Engine, Result};

/// What an audit found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditReport {
    /// Where the journal ends.
    pub head: ChainHead,
    /// Where the chain breaks first, if it does.
    pub chain_break: Option<ChainBreak>,
    /// Lessons that are not what the journal says they are.
    pub discrepancies: Vec<Discrepancy>,
    /// How many lessons were checked.
    pub lessons: u64,
}

impl AuditReport {
    /// Returns whether all is as it should be.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.chain_break.is_none() && self.discrepancies.is_empty()
    }
}

impl Engine {
    pub(crate) fn audit_tenant(&self, tenant: &TenantId) -> Result<AuditReport> {
        let mut head = ChainHead::genesis(tenant);
        let (mut broken, mut ledger) = (None, LessonLedger::default());
        // One state of both: what others write meanwhile stands in neither.
        let reader = self.store.snapshot()?;
        for_each_entry(&*reader, tenant, |entry| {
            if broken.is_none() {
                match head.verify_next(entry) {
                    Ok(next) => head = next,
                    Err(found) => broken = Some(found),
                }
            }
            ledger = std::mem::take(&mut ledger).apply_entry(entry);
        })?;
        let (mut lessons, mut discrepancies) = (0, Vec::new());
        let mut before = None;
        loop {
            let page = reader.lessons(
                tenant,
                &LessonListing {
                    before,
                    ..LessonListing::default()
                },
            )?;
            let Some(last) = page.last() else { break };
            before = Some(last.id);
            lessons += page.len() as u64;
            discrepancies.extend(
                page.iter()
                    .filter_map(|lesson| ledger.check_row(lesson).err()),
            );
        }
        discrepancies.extend(ledger.missing_lessons());
        Ok(AuditReport {
            head,
            chain_break: broken,
            discrepancies,
            lessons,
        })
    }
}

fn for_each_entry(
    reader: &dyn Read,
    tenant: &TenantId,
    mut each: impl FnMut(&JournalEntry),
) -> Result<()> {
    let mut after = 0;
    loop {
        let page = reader.journal(tenant, after, limits::PAGE_ROWS)?;
        let Some(last) = page.last() else {
            return Ok(());
        };
        after = last.sequence;
        page.iter().for_each(&mut each);
    }
}
