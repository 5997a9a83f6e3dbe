//! Learns from runs whose end nobody reported, once they have been quiet for long.
//!
//! Each report makes its run due. What is found here is claimed first, so that of several servers on the same files or
//! database one learns from it. What fails is tried again in a later round, a few times.

use std::time::SystemTime;

use hardwon_engine::{Principal, ReportedRun, SessionClaim, Sessions};

use crate::{AppState, Result, log::log_line};

/// Learns from the quiet runs of all tenants.
pub(crate) fn learn_quiet_runs(state: &AppState) -> Result<()> {
    for sessions in state.sessions.list_reporting()? {
        let quiet = sessions.list_quiet(SystemTime::now(), state.config.quiet_after);
        if quiet.is_empty() {
            continue;
        }
        // Another server may be at it.
        let Ok(Some(_lock)) = sessions.lock_learning() else {
            continue;
        };
        for key in quiet {
            if let Some(claim) = sessions.claim_due(&key) {
                learn_claimed(state, &*sessions, &claim);
            }
        }
    }
    Ok(())
}

/// Deletes what is kept of sessions that are long over.
pub(crate) fn delete_old_sessions(state: &AppState) -> Result<()> {
    let all = state.sessions.list_all(&state.keys)?;
    all.iter()
        .for_each(|sessions| sessions.delete_old_sessions(SystemTime::now()));
    Ok(())
}

fn learn_claimed(state: &AppState, sessions: &dyn Sessions, claim: &SessionClaim) {
    let Some(ReportedRun { run, scope }) = &claim.due.reported else {
        return sessions.finish_due(claim, None);
    };
    let desk = state.engine.acting_as(Principal::background(scope.clone()));
    match desk.learn_quiet_run(run, sessions) {
        Ok(_) => sessions.finish_due(claim, None),
        Err(error) => {
            let next = if sessions.put_off_due(claim) {
                ""
            } else {
                "; it is not tried again"
            };
            log_line(&format!("learning from a run that stopped: {error}{next}"));
        }
    }
}
