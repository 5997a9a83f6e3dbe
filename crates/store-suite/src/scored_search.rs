//! The search by words as it can be read: every lesson is scored in turn.

use std::collections::HashMap;

use hardwon_core::{CorpusStats, DocTerms, LessonId, QueryTerms, Scorer, bm25};

/// The result of a search over all lessons.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScoredSearch {
    /// Statistics of the lessons searched.
    pub stats: CorpusStats,
    /// Document frequency of each query term, in the order of `QueryTerms::terms`.
    pub df: Vec<u64>,
    /// The best lessons: falling score, then falling lesson number.
    pub best: Vec<(LessonId, f32)>,
}

/// Scores every lesson in turn: slow, short, and the reference that every index must agree with.
pub fn search_all(
    docs: &[(LessonId, &DocTerms)],
    query: &QueryTerms,
    limit: usize,
) -> ScoredSearch {
    let places: HashMap<&str, usize> = (query.terms.iter().enumerate())
        .map(|(place, (term, _))| (term.as_str(), place))
        .collect();
    let mut stats = CorpusStats::default();
    let mut df = vec![0; query.terms.len()];
    let mut holders = Vec::new();
    for &(id, terms) in docs {
        let length = terms.weighted_length();
        stats.docs += 1;
        stats.length += u64::from(length);
        let mut halves = vec![0; query.terms.len()];
        for (term, count) in terms.weighted_terms() {
            if let Some(&place) = places.get(term) {
                halves[place] += count;
            }
        }
        for (df, _) in df
            .iter_mut()
            .zip(&halves)
            .filter(|(_, halves)| **halves > 0)
        {
            *df += 1;
        }
        holders.push((id, bm25::encode_length(length), halves));
    }
    let scorer = Scorer::new(stats);
    let terms = bm25::select_terms(query, &df, stats.docs);
    let score = |code: u8, halves: &[u32]| {
        (terms.iter())
            .filter(|&&term| halves[term] > 0)
            .map(|&term| {
                bm25::term_weight(query, term, df[term], stats.docs)
                    * scorer.posting_score(halves[term], code)
            })
            .sum()
    };
    let mut best: Vec<(LessonId, f32)> = (holders.iter())
        .map(|(id, code, halves)| (*id, score(*code, halves)))
        .filter(|(_, score)| *score > 0.0)
        .collect();
    best.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
    best.truncate(limit);
    ScoredSearch { stats, df, best }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_agree_with_the_formula_on_paper() {
        // Three lessons of 2, 4 and 6 text terms: N = 3, average length 4.
        let docs = ["\na b", "\na a c d", "a\nc e f g h"]
            .map(|packed| DocTerms::from_packed(packed.to_owned()));
        let docs: Vec<_> = (1..).map(LessonId).zip(&docs).collect();
        let query = QueryTerms {
            terms: vec![
                ("a".to_owned(), 1.0),
                ("c".to_owned(), 1.5),
                ("z".to_owned(), 1.0),
            ],
            sequence: Vec::new(),
            ..QueryTerms::default()
        };
        let found = search_all(&docs, &query, 10);
        assert_eq!(
            found.stats,
            CorpusStats {
                docs: 3,
                length: 4 + 8 + 13
            }
        );
        assert_eq!(found.df, [3, 2, 0]);
        // idf(a) = ln(1 + 0.5/3.5) = 0.133531, idf(c) = ln(1 + 1.5/2.5) = 0.470004; average 25/3.
        // #1: 0.133531·2.2/(1 + 1.2·(0.25 + 0.75·4/8.3333))                        = 0.1696
        // #2: 0.133531·2·2.2/(2 + 1.2·(0.25 + 0.75·8/8.3333))
        //     + 1.5·0.470004·2.2/(1 + 1.2·(0.25 + 0.75·8/8.3333))                   = 0.9024
        // #3: 0.133531·1.5·2.2/(1.5 + 1.2·(0.25 + 0.75·13/8.3333))
        //     + 1.5·0.470004·2.2/(1 + 1.2·(0.25 + 0.75·13/8.3333))                  = 0.7111
        let shown = found
            .best
            .iter()
            .map(|(id, score)| format!("{id} {score:.4}"));
        let shown: Vec<String> = shown.collect();
        assert_eq!(shown, ["#2 0.9024", "#3 0.7111", "#1 0.1696"]);
    }

    #[test]
    fn equal_scores_put_the_newer_lesson_first() {
        let same = DocTerms::from_packed("\na".to_owned());
        let docs: Vec<_> = [2, 3, 1].map(|id| (LessonId(id), &same)).into();
        let found = search_all(&docs, &query_of("a"), 2);
        assert_eq!(
            found.best.iter().map(|hit| hit.0.0).collect::<Vec<_>>(),
            [3, 2]
        );
    }

    fn query_of(term: &str) -> QueryTerms {
        QueryTerms {
            terms: vec![(term.to_owned(), 1.0)],
            sequence: vec![0],
            ..QueryTerms::default()
        }
    }

    #[test]
    fn nothing_to_search_finds_nothing() {
        assert_eq!(search_all(&[], &query_of("a"), 5).best, []);
        let blank = DocTerms::from_packed("\n".to_owned());
        let found = search_all(&[(LessonId(1), &blank)], &query_of("a"), 5);
        assert_eq!(
            (found.stats.docs, found.df, found.best),
            (1, vec![0], vec![])
        );
        assert_eq!(
            search_all(&[(LessonId(1), &blank)], &QueryTerms::default(), 5).best,
            []
        );
    }
}
