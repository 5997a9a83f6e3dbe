//! The rows of vectors: written with a lesson's words, compared with a prompt's vector.

use hardwon_core::{
    id::{LessonId, TenantId},
    lesson::Lesson,
    limits,
    rank::SearchResults,
    scope::Scope,
};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::{index, rows, view::SqliteView};
use crate::{
    LessonQuery, LessonVector, QueryVector, Result, records,
    similarity::{ComparedVectors, merge_similar},
};

impl SqliteView<'_> {
    /// Adds the lessons nearest to the prompt's vector to those found by words.
    pub(super) fn add_similar(
        &self,
        query: &LessonQuery,
        near: &QueryVector,
        scopes: &[i64],
        found: SearchResults,
    ) -> Result<SearchResults> {
        let compared = match near.can_compare_all(found.stats.docs) {
            true => ComparedVectors::All(self.similarities_in_scopes(near, scopes)?),
            false => ComparedVectors::Matched(self.similarities_of_found(
                near,
                &query.scope.tenant,
                &found,
            )?),
        };
        merge_similar(query, found, compared, |id| {
            self.find_lesson(&query.scope.tenant, id)
        })
    }

    fn similarities_in_scopes(
        &self,
        near: &QueryVector,
        scopes: &[i64],
    ) -> Result<Vec<(LessonId, f32)>> {
        let mut select = self.conn().prepare_cached(
            "SELECT key & 0xffffffff, data FROM vector
             WHERE key BETWEEN ?1 << 32 AND ?1 << 32 | 0xffffffff AND space = ?2",
        )?;
        let mut similar = Vec::new();
        for scope in scopes {
            let mut rows = select.query(params![scope, near.embedding_space])?;
            while let Some(row) = rows.next()? {
                let data = row.get_ref(1)?.as_blob().map_err(blob_error)?;
                let id = LessonId(row.get(0)?);
                similar.extend(near.vector.cosine_similarity(data).map(|it| (id, it)));
            }
        }
        Ok(similar)
    }

    fn similarities_of_found(
        &self,
        near: &QueryVector,
        tenant: &TenantId,
        found: &SearchResults,
    ) -> Result<Vec<(LessonId, f32)>> {
        let mut select = self
            .conn()
            .prepare_cached("SELECT data FROM vector WHERE key = ?1 AND space = ?2")?;
        let mut similar = Vec::new();
        for Lesson { id, admitted, .. } in found.hits.iter().map(|hit| &hit.lesson) {
            debug_assert_eq!(admitted.scope.tenant, *tenant);
            let Some(scope) = self.scope_row(&admitted.scope)? else {
                continue;
            };
            let key = index::doc_key(scope.id, *id)?;
            let data: Option<Vec<u8>> = select
                .query_row(params![key, near.embedding_space], |row| row.get(0))
                .optional()?;
            let similarity = data.and_then(|data| near.vector.cosine_similarity(&data));
            similar.extend(similarity.map(|it| (*id, it)));
        }
        Ok(similar)
    }

    /// Returns active lessons without a vector in this space.
    pub(super) fn select_without_vector(
        &self,
        tenant: &TenantId,
        space: &str,
        after: LessonId,
        count: usize,
    ) -> Result<Vec<Lesson>> {
        let Some(row) = self.tenant_row(tenant)? else {
            return Ok(Vec::new());
        };
        let keys = rows::lesson_key_range(row.id, None);
        let rest = "LEFT JOIN vector v ON v.key = (l.scope << 32 | (l.key & 0xffffffff))
                    AND v.space = ?4
             WHERE l.key > ?1 AND l.key < ?2 AND l.status = 'active' AND v.key IS NULL
             ORDER BY l.key LIMIT ?3";
        let from = rows::lesson_key(row.id, after).unwrap_or(keys.start);
        let count = rows::to_sql_bound(count.min(limits::PAGE_ROWS));
        self.select_lessons(tenant, rest, params![from, keys.end, count, space])
    }

    /// Counts the vectors of one scope in this space.
    pub(super) fn select_vector_count(&self, scope: &Scope, space: &str) -> Result<u64> {
        let Some(row) = self.scope_row(scope)? else {
            return Ok(0);
        };
        let count = self.conn().query_row(
            "SELECT count(*) FROM vector
             WHERE key BETWEEN ?1 << 32 AND ?1 << 32 | 0xffffffff AND space = ?2",
            params![row.id, space],
            |row| row.get(0),
        )?;
        rows::parse_count(count)
    }
}

/// Saves a lesson's vector, unless its words have changed; returns whether it was saved.
pub(super) fn save_vector(
    conn: &Connection,
    tenant: &TenantId,
    vector: &LessonVector,
) -> Result<bool> {
    let view = SqliteView::from_connection(conn);
    let lesson = view.find_lesson(tenant, vector.lesson)?;
    let Some(lesson) = lesson.filter(|it| records::is_current_vector(vector, it)) else {
        return Ok(false);
    };
    let Some(scope) = view.scope_row(&lesson.scope)? else {
        return Ok(false);
    };
    let key = index::doc_key(scope.id, lesson.id)?;
    conn.prepare_cached("INSERT OR REPLACE INTO vector (key, space, data) VALUES (?1, ?2, ?3)")?
        .execute(params![
            key,
            vector.embedding_space,
            vector.vector.to_bytes()
        ])?;
    Ok(true)
}

/// Moves a lesson's vector to another scope: it stays valid, as the words are the same.
pub(super) fn move_vector(conn: &Connection, lesson: LessonId, from: i64, to: i64) -> Result<()> {
    let (from, to) = (index::doc_key(from, lesson)?, index::doc_key(to, lesson)?);
    conn.prepare_cached("UPDATE vector SET key = ?2 WHERE key = ?1")?
        .execute([from, to])?;
    Ok(())
}

/// Deletes a lesson's vector, because its words changed.
pub(super) fn delete_vector(conn: &Connection, scope: i64, lesson: LessonId) -> Result<()> {
    conn.prepare_cached("DELETE FROM vector WHERE key = ?1")?
        .execute([index::doc_key(scope, lesson)?])?;
    Ok(())
}

fn blob_error(error: rusqlite::types::FromSqlError) -> crate::StoreError {
    crate::error::damaged_error(format!("a vector is no bytes ({error})"))
}
