//! Whether keys and terms in the file were made by the rules of this program, and making them anew.

use hardwon_core::{change::MEANING_VERSION as WORDS, tokens, trigger};
use rusqlite::{Connection, OptionalExtension as _};

use super::{database::SqliteTransaction, index::IndexTuning};
use crate::{Result, rows::parse_tenant};

/// The rules that make the terms of the index.
const TERMS: u32 = 1000 * trigger::VERSION + tokens::VERSION;

/// Returns whether the keys and terms in the file were made by this program's rules.
pub(super) fn has_current_rules(conn: &Connection) -> Result<bool> {
    let rules = conn
        .query_row("SELECT terms, words FROM rules", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    Ok(rules == Some((TERMS, WORDS)))
}

/// Rebuilds every key and term.
pub(super) fn rebuild_derived(conn: &Connection, tuning: IndexTuning) -> Result<()> {
    conn.execute_batch(
        "DELETE FROM index_scope; DELETE FROM index_doc;
         DELETE FROM index_term; DELETE FROM index_posting; DELETE FROM rules",
    )?;
    let mut select = conn.prepare("SELECT name FROM tenant ORDER BY id")?;
    let names = select.query_map([], |row| row.get::<_, String>(0))?;
    for name in names {
        let tenant = parse_tenant(&name?)?;
        SqliteTransaction::begin(conn, &tenant, tuning)?.rebuild_derived()?;
    }
    conn.execute("INSERT INTO rules VALUES (?1, ?2)", [TERMS, WORDS])?;
    Ok(())
}
