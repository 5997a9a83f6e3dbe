//! The search of the reference store: every document is read, every vector compared.

use hardwon_core::{DocTerms, Lesson, LessonId, SearchHit, SearchResults, Status, Vector, trigger};
use hardwon_store::{
    LessonQuery, QueryVector, Result,
    backend::{ComparedVectors, merge_similar},
};

use super::MemoryState;
use crate::search_all;

impl MemoryState {
    /// Adds the lessons nearest to the prompt's vector to those found by words.
    pub(super) fn add_similar(
        &self,
        query: &LessonQuery,
        near: &QueryVector,
        found: SearchResults,
    ) -> Result<SearchResults> {
        let tenant = self.tenant(&query.scope.tenant);
        let visible = query.scope.visible_scopes();
        let similar = |(id, (space, vector)): (&LessonId, &(String, Vector))| {
            let is_alike =
                *space == near.embedding_space && visible.contains(&tenant.lessons[id].scope);
            let similarity = near.vector.cosine_similarity(&vector.to_bytes())?;
            is_alike.then_some((*id, similarity))
        };
        let mut similar: Vec<_> = tenant.vectors.iter().filter_map(similar).collect();
        let compared = if near.can_compare_all(found.stats.docs) {
            ComparedVectors::All(similar)
        } else {
            similar.retain(|similar| found.hits.iter().any(|hit| hit.lesson.id == similar.0));
            ComparedVectors::Matched(similar)
        };
        merge_similar(query, found, compared, |id| {
            Ok(tenant.lessons.get(&id).cloned())
        })
    }

    /// Returns the best matches, including expired lessons.
    pub(super) fn search_best(&self, query: &LessonQuery, limit: usize) -> SearchResults {
        let visible = query.scope.visible_scopes();
        let docs: Vec<(&Lesson, DocTerms)> = self
            .tenant(&query.scope.tenant)
            .lessons
            .values()
            .filter(|value| value.status == Status::Active && visible.contains(&value.scope))
            .map(|value| {
                (
                    value,
                    trigger::index_terms(&value.content, value.task.as_ref()),
                )
            })
            .collect();
        let bags: Vec<(LessonId, &DocTerms)> =
            docs.iter().map(|(it, terms)| (it.id, terms)).collect();
        let scored = search_all(&bags, &query.terms, limit);
        let hit = |(id, score): (LessonId, f32)| {
            let (lesson, terms) = docs.iter().find(|(it, _)| it.id == id)?;
            Some(SearchHit {
                lesson: (*lesson).clone(),
                terms: terms.clone(),
                score,
                similarity: None,
            })
        };
        SearchResults {
            stats: scored.stats,
            df: scored.df,
            hits: scored.best.into_iter().filter_map(hit).collect(),
        }
    }
}
