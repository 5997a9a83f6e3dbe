//! Vector search that every store shares: how many lessons are compared, and how the nearest ones join those found by
//! words.

use std::collections::HashMap;

use hardwon_core::{DocTerms, Lesson, LessonId, SearchHit, SearchResults, limits};

use crate::{LessonQuery, Result, query::MAX_SEARCH_ROUNDS};

/// The lessons that a prompt was compared with, each with its similarity.
pub enum ComparedVectors {
    /// All visible lessons that have a vector.
    All(Vec<(LessonId, f32)>),
    /// Only those found by words, because there are too many in all.
    Matched(Vec<(LessonId, f32)>),
}

/// Appends the nearest lessons to those found by words, and sets the similarity of each.
pub fn merge_similar(
    query: &LessonQuery,
    mut found: SearchResults,
    compared: ComparedVectors,
    mut lesson: impl FnMut(LessonId) -> Result<Option<Lesson>>,
) -> Result<SearchResults> {
    let (mut similar, is_all) = match compared {
        ComparedVectors::All(similar) => (similar, true),
        ComparedVectors::Matched(similar) => (similar, false),
    };
    // One order everywhere, because floating-point sums depend on it.
    similar.sort_unstable_by_key(|similar| similar.0);
    let similarities: HashMap<LessonId, f32> = similar.iter().copied().collect();
    for hit in &mut found.hits {
        hit.similarity = similarities.get(&hit.lesson.id).copied();
    }
    if !is_all {
        return Ok(found);
    }
    similar.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
    let by_words = found.hits.len();
    let mut room = query.limit.min(limits::PAGE_ROWS);
    for (id, similarity) in similar.into_iter().take(room << MAX_SEARCH_ROUNDS) {
        if room == 0 {
            break;
        }
        if found.hits[..by_words].iter().any(|hit| hit.lesson.id == id) {
            room -= 1;
            continue;
        }
        let near = lesson(id)?.filter(|lesson| lesson.is_recallable(query.now));
        room -= usize::from(near.is_some());
        found.hits.extend(near.map(|lesson| SearchHit {
            terms: DocTerms::from_content(&lesson.content, lesson.task.as_ref()),
            lesson,
            score: 0.0,
            similarity: Some(similarity),
        }));
    }
    Ok(found)
}
