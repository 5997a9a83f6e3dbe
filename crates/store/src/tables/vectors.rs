//! The rows of vectors: written with a lesson's words, compared with a prompt's vector.

use hardwon_core::{Lesson, LessonId, Scope, SearchResults};

use super::{name_key, one_of, place_values};
use crate::{
    ColumnValue, LessonQuery, LessonVector, QueryVector, Result, TenantDatabase, TenantTables,
    port::{select_rows, values},
    records, rows,
    similarity::{ComparedVectors, merge_similar},
};

impl<D: TenantDatabase> TenantTables<'_, D> {
    /// Adds the lessons nearest to the prompt's vector to those found by words.
    pub(super) fn add_similar(
        &self,
        query: &LessonQuery,
        near: &QueryVector,
        found: SearchResults,
    ) -> Result<SearchResults> {
        let vectors = if near.can_compare_all(found.stats.docs) {
            ComparedVectors::All(self.compare_visible(near, &query.scope)?)
        } else {
            ComparedVectors::Matched(self.compare_found(near, &found)?)
        };
        merge_similar(query, found, vectors, |id| self.find_lesson(id))
    }

    fn compare_visible(&self, near: &QueryVector, scope: &Scope) -> Result<Vec<(LessonId, f32)>> {
        let mut values = place_values(scope);
        values.push(near.embedding_space.as_str().into());
        let from = format!(
            "hardwon.scope s JOIN hardwon.vector v ON {}
             WHERE s.tenant = $1 AND s.agent = $2 AND s.project IN ($3, '') AND v.space = $4",
            D::WORDS.vector_of_scope
        );
        self.compare(near, &from, values)
    }

    fn compare_found(
        &self,
        near: &QueryVector,
        found: &SearchResults,
    ) -> Result<Vec<(LessonId, f32)>> {
        let hits = found.hits.iter();
        let keys = hits.filter_map(|hit| D::lesson_key(self.key, hit.lesson.id));
        let keys: Vec<i64> = keys.collect();
        let (of_lesson, own) = (D::WORDS.vector_of_lesson, D::WORDS.own_lesson);
        let from = format!(
            "hardwon.lesson l JOIN hardwon.vector v ON {of_lesson} WHERE {own}{} AND v.space = $3",
            one_of::<D>()
        );
        self.compare(near, &from, values![keys, near.embedding_space.as_str()])
    }

    /// Compares vectors with the prompt's.
    fn compare(
        &self,
        near: &QueryVector,
        from: &str,
        more: Vec<ColumnValue<'_>>,
    ) -> Result<Vec<(LessonId, f32)>> {
        let sql = format!("SELECT {}, v.data FROM {from}", D::WORDS.vector_lesson);
        let similar = select_rows(&self.view.database, self.statement(sql, more), |row| {
            let id = LessonId(row.next_integer()?);
            let similarity = near.vector.cosine_similarity(row.next_bytes()?);
            Ok(similarity.map(|similarity| (id, similarity)))
        })?;
        Ok(similar.into_iter().flatten().collect())
    }

    /// Returns active lessons without a vector in this space.
    pub(super) fn select_without_vector(
        &self,
        space: &str,
        after: LessonId,
        count: usize,
    ) -> Result<Vec<Lesson>> {
        let Some(first) = D::lesson_key(self.key, after) else {
            return Ok(Vec::new());
        };
        let mut values = self.lesson_keys_below(None);
        values[0] = first.into();
        values.extend(values![space, rows::to_sql_page_limit(count)]);
        let of_lesson = D::WORDS.vector_of_lesson;
        let rest = format!(
            "l.KEY > $2 AND l.KEY < $3 AND l.status = 'active' AND NOT EXISTS (
                SELECT 1 FROM hardwon.vector v WHERE {of_lesson} AND v.space = $4)
             ORDER BY l.KEY LIMIT $5"
        );
        self.select_lessons(&name_key::<D>(&rest), values)
    }

    /// Counts the vectors of one scope in this space.
    pub(super) fn select_vector_count(&self, scope: &Scope, space: &str) -> Result<u64> {
        let sql = format!(
            "SELECT count(*) FROM hardwon.scope s JOIN hardwon.vector v ON {}
             WHERE s.tenant = $1 AND s.agent = $2 AND s.project = $3 AND v.space = $4",
            D::WORDS.vector_of_scope
        );
        let mut values = place_values(scope);
        values.push(space.into());
        let count = self.select_first(sql, values, |row| row.next_count())?;
        Ok(count.unwrap_or_default())
    }

    /// Saves a lesson's vector, unless its words have changed; returns whether it was saved.
    pub(super) fn write_vector(&self, vector: &LessonVector) -> Result<bool> {
        records::check_vector_space(vector)?;
        let lesson = self.find_lesson(vector.lesson)?;
        let current = lesson.filter(|lesson| records::is_current_vector(vector, lesson));
        let Some(lesson) = current else {
            return Ok(false);
        };
        let scope = self.ensure_scope(&lesson.scope)?;
        let place = D::vector_place(self.key, scope, lesson.id)?;
        let columns = vec![
            ("space", vector.embedding_space.as_str().into()),
            ("data", vector.vector.to_bytes().into()),
        ];
        self.save("vector", place, columns)?;
        Ok(true)
    }

    /// Moves a lesson's vector to another scope: it stays valid, as the words are the same.
    pub(super) fn move_vector(&self, lesson: LessonId, from: i64, to: i64) -> Result<()> {
        let [from, to] = [from, to].map(|scope| D::vector_place(self.key, scope, lesson));
        self.update("vector", from?, to?)
    }

    /// Deletes a lesson's vector, because its words changed.
    pub(super) fn delete_vector(&self, scope: i64, lesson: LessonId) -> Result<()> {
        self.delete("vector", D::vector_place(self.key, scope, lesson)?)
    }
}
