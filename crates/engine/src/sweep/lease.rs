//! The lease of a sweep: one at a time, and none for ever.
//!
//! It is a number and a time in the store. Whoever finds that the time is over takes it, so a process that was killed
//! is in nobody's way for longer than its lease; whoever finds another number than its own stops.

use hardwon_store::Read;
use jiff::{SignedDuration, Timestamp};

use super::record::SweepState;
use crate::{Desk, Error, Result, Rights, SweepError};

/// The right to sweep, for a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SweepLease {
    claim: u64,
    duration: SignedDuration,
}

/// How long a sweep may hold its lease without a call to a model.
const LEASE: SignedDuration = SignedDuration::from_secs(30);

impl Desk<'_> {
    /// Does work under a lease, and gives it back, whatever happened. `longest_answer` is how long a model may take, if
    /// one is asked.
    ///
    /// # Errors
    ///
    /// `Sweep` if another sweep holds it; what the work failed with.
    pub fn under_sweep_lease<T, E: From<Error>>(
        &self,
        longest_answer: Option<SignedDuration>,
        work: impl FnOnce(&SweepLease) -> Result<T, E>,
    ) -> Result<T, E> {
        let duration = LEASE.saturating_add(longest_answer.unwrap_or_default());
        let lease = self.take_sweep_lease(duration)?;
        let result = work(&lease);
        self.end_sweep(lease)?;
        result
    }

    /// Takes the lease for so long at a time.
    ///
    /// # Errors
    ///
    /// `Sweep` if another sweep holds it.
    pub fn take_sweep_lease(&self, duration: SignedDuration) -> Result<SweepLease> {
        self.principal.check_right(Rights::Curate)?;
        let now = self.now();
        self.commit(|tx| {
            let mut state = SweepState::load(tx.reader(), self.tenant())?;
            check_is_free(&state, now)?;
            state.claims += 1;
            state.leased_until = end_of_lease(now, duration);
            state.save(tx, now)?;
            Ok(SweepLease {
                claim: state.claims,
                duration,
            })
        })
    }

    /// Holds the lease for another time, as its holder goes on.
    pub(super) fn renew_sweep_lease(&self, lease: &SweepLease) -> Result<()> {
        let now = self.now();
        self.commit(|tx| {
            let mut state = lease.find_state(tx.reader(), self)?;
            state.leased_until = end_of_lease(now, lease.duration);
            state.save(tx, now)
        })
    }

    /// Gives the lease back and notes that a sweep took place. A lease that was lost meanwhile is another's.
    pub fn end_sweep(&self, lease: SweepLease) -> Result<()> {
        let now = self.now();
        self.commit(|tx| {
            let mut state = SweepState::load(tx.reader(), self.tenant())?;
            if state.claims == lease.claim {
                state.leased_until = 0;
                state.last_at = Some(now.as_millisecond());
                state.save(tx, now)?;
            }
            Ok(())
        })
    }

    /// Returns when the last sweep took place; `None` if none did.
    pub fn last_sweep(&self) -> Result<Option<Timestamp>> {
        self.principal.check_right(Rights::Read)?;
        let state = SweepState::load(&*self.snapshot()?, self.tenant())?;
        Ok(state
            .last_at
            .and_then(|at| Timestamp::from_millisecond(at).ok()))
    }
}

impl SweepLease {
    /// Returns the state of sweeps, if this is still the lease.
    pub(super) fn find_state(&self, reader: &dyn Read, desk: &Desk<'_>) -> Result<SweepState> {
        let state = SweepState::load(reader, desk.tenant())?;
        if state.claims == self.claim {
            Ok(state)
        } else {
            Err(SweepError::LeaseLost.into())
        }
    }
}

/// Checks that no sweep goes on.
pub(super) fn check_is_free(state: &SweepState, now: Timestamp) -> Result<()> {
    match Timestamp::from_millisecond(state.leased_until) {
        Ok(until) if until > now => Err(SweepError::Busy(until).into()),
        _ => Ok(()),
    }
}

fn end_of_lease(now: Timestamp, duration: SignedDuration) -> i64 {
    now.checked_add(duration)
        .unwrap_or(Timestamp::MAX)
        .as_millisecond()
}
