//! What a server does beside requests: now and then, and once more before it ends, it writes down which keys were used
//! and counts the recalls that were noted.

use std::time::{Duration, SystemTime};

use hardwon_core::{Scope, TenantId, limits};
use hardwon_engine::{Clock as _, Principal, SystemClock};
use jiff::SignedDuration;
use tokio::time::sleep;

use crate::{
    AppState, KeyReach, Result, SharedState, WorkKind, key_changes::order_of_server, log::log_line,
    quiet_runs, sent_file,
};

/// Time between two rounds.
const INTERVAL: Duration = Duration::from_secs(15);

/// Rounds between two removals of what is too old: an hour.
const ROUNDS_A_CLEANING: usize = 240;

/// Goes on until it is given up.
pub(crate) async fn repeat(state: SharedState) {
    loop {
        let delete_old = quiet_runs::delete_old_sessions;
        try_work(&state, WorkKind::Read, "removing old sessions", delete_old).await;
        let name = "ending keys whose time is over";
        try_work(&state, WorkKind::Write, name, end_expired_keys).await;
        for _ in 0..ROUNDS_A_CLEANING {
            sleep(INTERVAL).await;
            run_once(&state).await;
        }
    }
}

/// Removes what was left of bodies whose server was killed.
fn delete_sent_files(state: &AppState) -> Result<()> {
    sent_file::delete_old_files(&state.sessions.sent_folder(), SystemTime::now());
    Ok(())
}

/// One round. What fails is tried again in the next one; notes of uses that cannot be kept are lost.
pub(crate) async fn run_once(state: &SharedState) {
    state.rate_limits.forget_idle();
    let name = "writing down which keys were used";
    try_work(state, WorkKind::Write, name, write_key_uses).await;
    let name = "removing old transcripts";
    try_work(state, WorkKind::Read, name, delete_sent_files).await;
    let name = "learning from runs that stopped";
    try_work(state, WorkKind::Write, name, quiet_runs::learn_quiet_runs).await;
    for tenant in state.recalled.take() {
        flush_tenant(state, tenant).await;
    }
}

/// Counts what was noted for a tenant by now, so that whoever asks next sees it.
pub(crate) async fn count_recalls(state: &SharedState, tenant: Option<&TenantId>) {
    if let Some(tenant) = tenant.and_then(|tenant| state.recalled.take_one(tenant)) {
        flush_tenant(state, tenant).await;
    }
}

async fn flush_tenant(state: &SharedState, tenant: TenantId) {
    let again = tenant.clone();
    let result = state.run(WorkKind::Write, move |state| flush_recalls(state, tenant));
    if result.await.is_err() {
        state.recalled.note(&again);
    }
}

/// The last round, before the process ends: what could not be counted is sent to where others count it.
pub(crate) async fn finish(state: &SharedState) {
    run_once(state).await;
    let send = |state: &AppState| Ok(state.engine.send_noted_recalls()?);
    try_work(state, WorkKind::Write, "sending noted recalls", send).await;
}

/// Does something of which nobody waits for the end, and says so if it fails.
async fn try_work(
    state: &SharedState,
    kind: WorkKind,
    name: &str,
    work: fn(&AppState) -> Result<()>,
) {
    if state.run(kind, work).await.is_err() {
        log_line(&format!("{name} failed"));
    }
}

/// Notes in the log of keys which ones have ended, and forgets sessions whose time is over. They are not accepted any
/// more whether this is done or not.
fn end_expired_keys(state: &AppState) -> Result<()> {
    if state.keys.end_expired(&order_of_server(KeyReach::Server))? > 0 {
        state.key_cache.clear();
    }
    Ok(())
}

fn write_key_uses(state: &AppState) -> Result<()> {
    let uses = state.key_cache.take_uses();
    if uses.is_empty() {
        Ok(())
    } else {
        Ok(state.keys.note_uses(&uses)?)
    }
}

/// Counts the noted recalls of a tenant, and deletes query texts that are too old.
fn flush_recalls(state: &AppState, tenant: TenantId) -> Result<()> {
    let scope = Scope::of_tenant(tenant);
    let oldest = SystemClock.now() - SignedDuration::from_hours(24 * limits::QUERY_TEXT_DAYS);
    let desk = state.engine.acting_as(Principal::background(scope));
    Ok(desk.flush_recalls(oldest)?)
}
