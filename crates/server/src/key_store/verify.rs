//! Compares the log with the tables, page by page, in one transaction.

use hardwon_core::limits::PAGE_ROWS;
use hardwon_store::{Result, port::WriteRows};

use super::KeyReader as _;

use crate::api_key::{KeyLogReport, KeyReach, KeyReplay};

/// Replays the log and compares what it comes to with the tables.
pub(super) fn verify(rows: &dyn WriteRows) -> Result<KeyLogReport> {
    let all = KeyReach::Server;
    let mut replay = KeyReplay::default();
    read_pages(|after: Option<&u64>| {
        let page = rows.log(&all, after.copied().unwrap_or(0), PAGE_ROWS)?;
        page.iter().for_each(|entry| replay.read_entry(entry));
        Ok(page.last().map(|entry| entry.sequence))
    })?;
    read_pages(|after| {
        let page = rows.keys(&all, after, PAGE_ROWS)?;
        page.iter().for_each(|key| replay.check_key(key));
        Ok(page.last().map(|key| key.id.clone()))
    })?;
    read_pages(|after| {
        let page = rows.tenants(after, PAGE_ROWS)?;
        page.iter().for_each(|tenant| replay.check_tenant(tenant));
        Ok(page.last().map(|tenant| tenant.id.clone()))
    })?;
    Ok(replay.end())
}

/// Reads pages until one is empty. Each begins after the last row of the one before.
fn read_pages<K>(mut read: impl FnMut(Option<&K>) -> Result<Option<K>>) -> Result<()> {
    let mut after = None;
    loop {
        after = read(after.as_ref())?;
        if after.is_none() {
            return Ok(());
        }
    }
}
