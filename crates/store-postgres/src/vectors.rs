//! The rows of vectors: written with a lesson's words, compared with a prompt's vector.

use hardwon_core::{
    id::{LessonId, TenantId},
    lesson::Lesson,
    rank::SearchResults,
    scope::Scope,
};
use hardwon_store::{
    LessonQuery, LessonVector, QueryVector, Result,
    backend::{ComparedVectors, check_vector_space, is_current_vector, merge_similar},
    rows::{self, ReadColumns as _},
};
use tokio_postgres::Row;

use crate::{
    session::TenantKey,
    values::{RowColumns, SqlValue, values},
    view::PostgresView,
};

impl PostgresView<'_> {
    /// Adds the lessons nearest to the prompt's vector to those found by words.
    pub(crate) fn add_similar(
        &self,
        query: &LessonQuery,
        near: &QueryVector,
        found: SearchResults,
    ) -> Result<SearchResults> {
        let compared = match near.can_compare_all(found.stats.docs) {
            true => ComparedVectors::All(self.similarities_in_scopes(near, &query.scope)?),
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
        scope: &Scope,
    ) -> Result<Vec<(LessonId, f32)>> {
        let key = TenantKey::from_name(&scope.tenant);
        let visible = scope.visible_scopes();
        let projects = SqlValue::from_texts(visible.iter().map(rows::project_column));
        let (agent, space) = (scope.agent.as_str(), near.embedding_space.as_str());
        let found = self.session.query(
            key,
            "SELECT v.lesson, v.data FROM hardwon.scope s
             JOIN hardwon.vector v ON v.tenant = s.tenant AND v.scope = s.id
             WHERE s.tenant = $1 AND s.agent = $2 AND s.project = ANY($3) AND v.space = $4",
            vec![key.into(), agent.into(), projects, space.into()],
        )?;
        compare_rows(near, &found)
    }

    fn similarities_of_found(
        &self,
        near: &QueryVector,
        tenant: &TenantId,
        found: &SearchResults,
    ) -> Result<Vec<(LessonId, f32)>> {
        let key = TenantKey::from_name(tenant);
        let numbers: Vec<i64> = found.hits.iter().map(|it| it.lesson.id.0).collect();
        let found = self.session.query(
            key,
            "SELECT v.lesson, v.data FROM hardwon.lesson l
             JOIN hardwon.vector v ON v.tenant = l.tenant AND v.scope = l.scope AND v.lesson = l.number
             WHERE l.tenant = $1 AND l.number = ANY($2) AND v.space = $3",
            values![key, numbers, near.embedding_space.as_str()],
        )?;
        compare_rows(near, &found)
    }

    /// Returns active lessons without a vector in this space.
    pub(crate) fn select_without_vector(
        &self,
        tenant: &TenantId,
        space: &str,
        after: LessonId,
        count: usize,
    ) -> Result<Vec<Lesson>> {
        let key = TenantKey::from_name(tenant);
        let rest = "l.number > $2 AND l.status = 'active' AND NOT EXISTS (
                SELECT 1 FROM hardwon.vector v WHERE v.tenant = $1 AND v.scope = l.scope
                AND v.lesson = l.number AND v.space = $3)
             ORDER BY l.number LIMIT $4";
        let most = rows::to_sql_page_limit(count);
        self.select_lessons(tenant, rest, values![key, after.0, space, most])
    }

    /// Counts the vectors of one scope in this space.
    pub(crate) fn select_vector_count(&self, scope: &Scope, space: &str) -> Result<u64> {
        let key = TenantKey::from_name(&scope.tenant);
        let found = self.session.query_one(
            key,
            "SELECT count(*) FROM hardwon.scope s
             JOIN hardwon.vector v ON v.tenant = s.tenant AND v.scope = s.id
             WHERE s.tenant = $1 AND s.agent = $2 AND s.project = $3 AND v.space = $4",
            values![
                key,
                scope.agent.as_str(),
                rows::project_column(scope),
                space
            ],
        )?;
        let row = found.expect("a count is always there");
        RowColumns::new(&row).next_count()
    }

    /// Saves a lesson's vector, unless its words have changed; returns whether it was saved.
    pub(crate) fn save_vector(&self, tenant: &TenantId, vector: &LessonVector) -> Result<bool> {
        check_vector_space(vector)?;
        let lesson = self.find_lesson(tenant, vector.lesson)?;
        let Some(lesson) = lesson.filter(|it| is_current_vector(vector, it)) else {
            return Ok(false);
        };
        let key = TenantKey::from_name(tenant);
        let scope = self.ensure_scope(tenant, &lesson.scope)?;
        let (space, data) = (vector.embedding_space.as_str(), vector.vector.to_bytes());
        self.session.queue(
            key,
            "INSERT INTO hardwon.vector (tenant, scope, lesson, space, data)
             VALUES ($1, $2, $3, $4, $5) ON CONFLICT (tenant, scope, lesson) DO UPDATE
             SET space = excluded.space, data = excluded.data",
            values![key, scope, lesson.id.0, space, data],
        )?;
        Ok(true)
    }

    /// Moves a lesson's vector to another scope: it stays valid, as the words are the same.
    pub(crate) fn move_vector(
        &self,
        key: TenantKey,
        lesson: LessonId,
        from: i64,
        to: i64,
    ) -> Result<()> {
        let sql =
            "UPDATE hardwon.vector SET scope = $4 WHERE tenant = $1 AND scope = $2 AND lesson = $3";
        self.session
            .queue(key, sql, values![key, from, lesson.0, to])
    }

    /// Deletes a lesson's vector, because its words changed.
    pub(crate) fn delete_vector(&self, key: TenantKey, scope: i64, lesson: LessonId) -> Result<()> {
        let sql = "DELETE FROM hardwon.vector WHERE tenant = $1 AND scope = $2 AND lesson = $3";
        self.session.queue(key, sql, values![key, scope, lesson.0])
    }
}

/// Compares vectors with the prompt's.
fn compare_rows(near: &QueryVector, found: &[Row]) -> Result<Vec<(LessonId, f32)>> {
    let mut similar = Vec::with_capacity(found.len());
    for row in found {
        let mut row = RowColumns::new(row);
        let id = LessonId(row.next_integer()?);
        let similarity = near.vector.cosine_similarity(row.next_bytes()?);
        similar.extend(similarity.map(|it| (id, it)));
    }
    Ok(similar)
}
