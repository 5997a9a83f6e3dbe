use proptest::prelude::*;

use super::*;

fn query(weights: &[f32]) -> QueryTerms {
    QueryTerms {
        terms: (weights.iter().enumerate())
            .map(|(n, &w)| (format!("t{n:03}"), w))
            .collect(),
        sequence: Vec::new(),
        ..QueryTerms::default()
    }
}

#[test]
fn idf_stays_finite_and_falls() {
    let values: Vec<f32> = [0, 1, 10, 500, 999, 1000, 5000]
        .map(|df| idf(1000, df))
        .into();
    assert!(values.windows(2).all(|two| two[0] >= two[1]), "{values:?}");
    assert!(
        values.iter().all(|value| value.is_finite() && *value > 0.0),
        "{values:?}"
    );
    assert!((idf(1000, 10) - 4.5574).abs() < 1e-3);
}

#[test]
fn length_codes_are_monotone_and_near() {
    let mut before = 0;
    for length in (0..5_000)
        .chain((5_000..262_144).step_by(97))
        .chain([262_143])
    {
        let code = encode_length(length);
        assert!(code >= before, "{length}");
        before = code;
        let off = (decode_length(code) - length as f32).abs() / (length.max(1) as f32);
        assert!(
            off <= 1.0 / 32.0,
            "{length} decodes to {}",
            decode_length(code)
        );
        assert!(
            length >= 64 || off == 0.0,
            "{length} is short and must be exact"
        );
    }
    assert!((0..u8::MAX).all(|code| decode_length(code) < decode_length(code + 1)));
    assert_eq!(encode_length(262_144), u8::MAX);
    assert_eq!(encode_length(u32::MAX), u8::MAX);
}

#[test]
fn terms_are_chosen_by_weight_within_the_budget() {
    let check = |weights: &[f32], df: &[u64], docs, expected: &[usize]| {
        assert_eq!(
            select_terms(&query(weights), df, docs),
            expected,
            "{df:?} of {docs}"
        );
    };
    check(&[1.0, 1.0, 1.0], &[5, 1, 0], 10, &[1, 0]);
    // Equal weights go by the text of the term.
    check(&[1.0, 1.0], &[4, 4], 10, &[0, 1]);
    // A term that does not fit the budget is skipped, and those after it are tried.
    check(&[3.0, 3.0, 1.0], &[1_500, 1_400, 400], 5_000, &[1, 2]);
    check(&[1.0, 1.0], &[1_999, 2], 2_500, &[1]);
    // The budget grows with the bank, up to a bound.
    check(&[1.0, 1.0], &[19_000, 10_000], 90_000, &[1, 0]);
    check(&[1.0, 1.0], &[390_000, 20_000], 9_000_000, &[1]);
    // If no term fits, the rarest is scored, as long as it stays below the upper bound.
    check(&[1.0, 1.0], &[40_000, 35_000], 90_000, &[1]);
    check(&[1.0], &[3_000_000], 9_000_000, &[]);
    check(&[], &[], 0, &[]);
}

proptest! {
    #[test]
    fn the_budget_holds(
        terms in proptest::collection::vec((0.1_f32..3.0, 0_u64..5_000), 0..50),
        docs in 5_000_u64..2_000_000,
    ) {
        let (weights, df): (Vec<_>, Vec<_>) = terms.into_iter().unzip();
        let query = query(&weights);
        let chosen = select_terms(&query, &df, docs);
        let spent: u64 = chosen.iter().map(|&term| df[term]).sum();
        let budget = (docs / 3).clamp(limits::POSTINGS_FREE, limits::POSTINGS_MAX);
        prop_assert!(spent <= budget || chosen.len() == 1);
        prop_assert_eq!(chosen.is_empty(), df.iter().all(|&df| df == 0));
        let order = |&term: &usize| term_weight(&query, term, df[term], docs);
        prop_assert!(chosen.is_sorted_by(|a, b| order(a) >= order(b)));
        // Each term that was left out would exceed what remains of the budget.
        for (term, &df) in df.iter().enumerate() {
            let left_out = df > 0 && !chosen.contains(&term);
            prop_assert!(!left_out || spent + df > budget);
        }
    }

    #[test]
    fn more_occurrences_in_a_shorter_lesson_never_score_less(
        halves in 1_u32..100, more in 0_u32..100, code in 0_u8..255, docs in 1_u64..1_000, length in 0_u64..1_000_000,
    ) {
        let scorer = Scorer::new(CorpusStats { docs, length });
        let part = scorer.posting_score(halves, code);
        prop_assert!(part.is_finite() && part > 0.0 && part < 2.2);
        prop_assert!(scorer.posting_score(halves + more, code) >= part);
        prop_assert!(scorer.posting_score(halves, code + 1) <= part);
    }
}
