//! Reads all that the index holds, to be compared with the lessons.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::{
    read_count, read_totals,
    search::{for_each_fresh, read_chunks},
};
use crate::{ChainHead, FoundIndex, Result, rows::parse_tenant};

/// Rows that belong to no row of another table, and what is said of them.
const STRAYS: [(&str, &str); 4] = [
    (
        "SELECT count(*) FROM index_scope WHERE scope NOT IN (SELECT id FROM scope)",
        "the search index has totals of no scope",
    ),
    (
        "SELECT count(*) FROM index_doc WHERE key >> 32 NOT IN (SELECT id FROM scope)",
        "the search index has a lesson of no scope",
    ),
    (
        "SELECT count(*) FROM index_term WHERE scope NOT IN (SELECT id FROM scope)",
        "the search index has a word of no scope",
    ),
    (
        "SELECT count(*) FROM index_posting WHERE key >> 32 NOT IN (SELECT id FROM index_term)",
        "the search index has lessons of no word",
    ),
];

/// Reads what the index of a scope holds.
pub(in crate::sqlite) fn read_index(conn: &Connection, scope: i64) -> Result<FoundIndex> {
    let mut lessons = BTreeMap::new();
    for_each_fresh(conn, scope, 0, |lesson, terms| {
        lessons.insert(lesson, terms.to_owned());
        Ok(true)
    })?;
    let mut select = conn.prepare_cached("SELECT term, id, df FROM index_term WHERE scope = ?1")?;
    let (mut rows, mut terms) = (select.query([scope])?, BTreeMap::new());
    while let Some(row) = rows.next()? {
        terms.insert(
            row.get(0)?,
            (read_count(row, 2)?, read_chunks(conn, row.get(1)?)?),
        );
    }
    let totals = read_totals(conn, scope)?;
    Ok(FoundIndex {
        totals,
        lessons,
        terms,
    })
}

/// Returns what is said of rows that belong to no other, and of journals that do not begin with their tenant's name.
pub(in crate::sqlite) fn find_strays(conn: &Connection) -> Result<Vec<String>> {
    let mut strays = find_misnamed(conn)?;
    for (sql, saying) in STRAYS {
        let count: i64 = conn.query_row(sql, [], |row| row.get(0))?;
        if count > 0 {
            strays.push(saying.to_owned());
        }
    }
    Ok(strays)
}

/// A journal begins with a digest of its tenant's name, under which nobody may ask for it any more.
fn find_misnamed(conn: &Connection) -> Result<Vec<String>> {
    let mut select = conn.prepare_cached(
        "SELECT t.name, j.previous FROM tenant t JOIN journal j ON j.tenant = t.id AND j.sequence = 1",
    )?;
    let (mut rows, mut misnamed) = (select.query([])?, Vec::new());
    while let Some(row) = rows.next()? {
        let tenant = parse_tenant(&row.get::<_, String>(0)?)?;
        let begin = ChainHead::genesis(&tenant).hash;
        if row.get_ref(1)?.as_blob().ok() != Some(&begin.as_bytes()[..]) {
            misnamed.push(format!(
                "the journal of tenant {tenant} began under another name"
            ));
        }
    }
    Ok(misnamed)
}
