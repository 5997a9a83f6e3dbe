//! Learns from a report on work that is over: rules find its lessons, in their words. A report teaches once.

use hardwon_core::{Memo, Trace};
use hardwon_store::SourceProgress;

use crate::{Desk, LearnOutcome, Result, access::Rights};

impl Desk<'_> {
    /// Learns from a report about work that is over, unless one of the same name was learned from before: what it says
    /// may be worded differently each time. `None` if it was.
    pub fn learn_from_report(&self, trace: &Trace) -> Result<Option<LearnOutcome>> {
        let scope = trace.scope();
        self.check_access(Rights::Write, scope)?;
        let name = format!("report {} {}", scope.digest(), trace.run());
        let snapshot = self.snapshot()?;
        if snapshot.source_progress(&scope.tenant, &name)?.is_some() {
            return Ok(None);
        }
        drop(snapshot);
        let learner = self.learner();
        let proposal = learner.propose_from_run(trace, &mut Memo::default())?;
        // One that taught nothing may be given again with more words.
        if !proposal.has_drafts() {
            return Ok(Some(LearnOutcome::default()));
        }
        let read = SourceProgress {
            position: 0,
            fingerprint: "report".to_owned(),
            state: Vec::new(),
            at: self.now(),
        };
        let sources = [(name.as_str(), &read)];
        let mut outcomes = learner.learn_proposals(&scope.tenant, &[&proposal], &sources)?;
        Ok(outcomes.pop())
    }
}
