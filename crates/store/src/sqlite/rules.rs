//! Whether keys and terms in the file were made by the rules of this program, and making them anew.

use hardwon_core::{change::MEANING_VERSION as WORDS, lesson::Status, tokens, trigger};
use rusqlite::{Connection, OptionalExtension as _};

use super::{
    index::{self, IndexTuning},
    rows::{self, DuplicateKeys},
};
use crate::Result;

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
    let columns = rows::lesson_columns("s.agent, s.project");
    let sql = format!(
        "SELECT {columns}, l.scope, t.name FROM lesson l JOIN scope s ON s.id = l.scope
         JOIN tenant t ON t.id = s.tenant ORDER BY l.key"
    );
    let columns = columns.split(',').count();
    let mut select = conn.prepare(&sql)?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let (key, scope): (i64, i64) = (row.get(0)?, row.get(columns)?);
        let tenant = rows::parse_tenant(&row.get::<_, String>(columns + 1)?)?;
        let lesson = rows::read_lesson(row, &tenant)?;
        let DuplicateKeys { twin, words } = DuplicateKeys::from_content(&lesson.content);
        conn.prepare_cached("UPDATE lesson SET twin = ?2, words = ?3 WHERE key = ?1")?
            .execute([key, twin, words])?;
        if lesson.status == Status::Active {
            index::add_lesson(
                conn,
                scope,
                lesson.id,
                &trigger::index_terms(&lesson.content, lesson.task.as_ref()),
            )?;
            index::merge_postings(conn, scope, tuning.fresh_words)?;
        }
    }
    conn.execute("INSERT INTO rules VALUES (?1, ?2)", [TERMS, WORDS])?;
    Ok(())
}
