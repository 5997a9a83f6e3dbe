//! Checking the store: the journal's chain, and the lessons against it.

use hardwon_core::{TenantId, limits};
use hardwon_store::{
    ChainHead, Discrepancy, JournalEntry, LessonLedger, LessonListing, Read, journal::ChainBreak,
    paging::read_journal,
};

use crate::{AccessError, Desk, Result, Visibility, access::Rights, paging::for_each_lesson};

/// The result of an audit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditReport {
    /// The number and hash of the journal's last entry.
    pub head: ChainHead,
    /// The first place where the hash chain breaks, if it does.
    pub chain_break: Option<ChainBreak>,
    /// Lessons that differ from what the journal says.
    pub discrepancies: Vec<Discrepancy>,
    /// What else is not as it should be, a sentence each: the end of the journal as the store has noted it, and rows that are
    /// made of others.
    pub faults: Vec<String>,
    /// How many lessons were checked.
    pub lessons: u64,
}

impl AuditReport {
    /// Returns whether the audit found no fault.
    pub fn is_sound(&self) -> bool {
        self.troubles().next().is_none()
    }

    /// Returns what is wrong, a sentence each.
    pub fn troubles(&self) -> impl Iterator<Item = String> {
        let chain_fault = self.chain_break.iter().map(ToString::to_string);
        let discrepancies = self.discrepancies.iter().map(ToString::to_string);
        chain_fault
            .chain(discrepancies)
            .chain(self.faults.iter().cloned())
    }
}

impl Desk<'_> {
    /// Verifies the tenant's journal and checks every lesson against it.
    pub fn audit_journal(&self) -> Result<AuditReport> {
        self.principal.check_right(Rights::Read)?;
        self.check_sees_tenant()?;
        // One snapshot of both, which later writes do not change.
        audit_tenant(&*self.snapshot()?, self.tenant())
    }

    /// Returns the number of entries in the tenant's journal.
    pub fn count_entries(&self) -> Result<u64> {
        self.principal.check_right(Rights::Read)?;
        let reader = self.snapshot()?;
        Ok(reader.journal_head(self.tenant())?.sequence)
    }

    /// Returns the tenant's journal entries after a number, at most [`limits::PAGE_ROWS`], oldest first.
    pub fn journal(&self, after: u64) -> Result<Vec<JournalEntry>> {
        self.principal.check_right(Rights::Curate)?;
        self.check_sees_tenant()?;
        let reader = self.snapshot()?;
        Ok(reader.journal(self.tenant(), after, limits::PAGE_ROWS)?)
    }

    /// Checks that the principal sees the whole tenant, of which there is one journal.
    pub(crate) fn check_sees_tenant(&self) -> Result<()> {
        match self.principal.visibility {
            Visibility::Tenant => Ok(()),
            _ => Err(AccessError::OutOfScope.into()),
        }
    }
}

fn audit_tenant(reader: &dyn Read, tenant: &TenantId) -> Result<AuditReport> {
    let mut head = ChainHead::genesis(tenant);
    let (mut chain_break, mut ledger) = (None, LessonLedger::default());
    for entry in read_journal(reader, tenant) {
        let entry = entry?;
        if chain_break.is_none() {
            match head.verify_next(&entry) {
                Ok(next) => head = next,
                Err(found) => chain_break = Some(found),
            }
        }
        ledger = ledger.apply_entry(&entry);
    }
    let (mut lessons, mut discrepancies) = (0, Vec::new());
    for_each_lesson(reader, tenant, LessonListing::default(), |lesson| {
        lessons += 1;
        discrepancies.extend(ledger.check_row(&lesson).err());
    })?;
    discrepancies.extend(ledger.missing_lessons());
    let stored_head = reader.journal_head(tenant)?;
    let mut faults = reader.find_faults(tenant)?;
    if chain_break.is_none() && stored_head != head {
        let (sequence, end) = (stored_head.sequence, head.sequence);
        let fault = if sequence == end {
            format!("the journal does not end as is noted of entry {end}")
        } else {
            format!("the journal ends with entry {end}, and entry {sequence} is noted as its end")
        };
        faults.insert(0, fault);
    }
    Ok(AuditReport {
        head,
        chain_break,
        discrepancies,
        faults,
        lessons,
    })
}
