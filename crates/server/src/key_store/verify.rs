//! Compares the log with the tables, page by page, in one transaction.

use hardwon_core::limits::PAGE_ROWS;
use hardwon_store::{Result, WriteRows, paging::read_pages};

use super::{KeyReader as _, read_tenants};

use crate::{KeyId, KeyLogReport, KeyReach, api_key::KeyReplay};

/// Replays the log and compares what it comes to with the tables.
pub(super) fn verify(rows: &dyn WriteRows) -> Result<KeyLogReport> {
    let all = KeyReach::Server;
    let mut replay = KeyReplay::default();
    let page = |after: &u64| rows.log(&all, *after, PAGE_ROWS);
    for entry in read_pages(0, page, |after, last| *after = last.sequence) {
        replay.read_entry(&entry?);
    }
    let page = |after: &Option<KeyId>| rows.keys(&all, after.as_ref(), PAGE_ROWS);
    for key in read_pages(None, page, |after, last| *after = Some(last.id.clone())) {
        replay.check_key(&key?);
    }
    for tenant in read_tenants(rows) {
        replay.check_tenant(&tenant?);
    }
    Ok(replay.end())
}
