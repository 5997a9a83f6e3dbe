//! Counts of the store, and how well lessons are found.

use hardwon_api::v1::stats::{
    EmbeddingComparisonDto, FiguresDto, PauseDto, RecallComparisonDto, ScopeDto, StatsDto,
};
use hardwon_core::scope::Scope;
use hardwon_engine::{RecallComparison, RecallFigures, SemanticComparison, model::ModelError};
use hardwon_store::Census;
use jiff::SignedDuration;

use crate::samples::{scope, show};

#[test]
fn counts() {
    let census = Census {
        active: 1,
        learned: 2,
        pending: 3,
        quarantined: 4,
        superseded: 5,
        archived: 6,
        shown: 7,
        helped: 8,
        harmed: 9,
    };
    let everywhere = Scope {
        project: None,
        ..scope()
    };
    let scopes = [(scope(), census), (everywhere, Census::default())];
    let stats = |paused| StatsDto {
        database: "/home/ada/hardwon.db",
        journal_entries: 45,
        paused,
        scopes: scopes.iter().map(ScopeDto::from).collect(),
    };
    let pause = |until: Option<&str>| PauseDto {
        everywhere: until.is_none(),
        until: until.map(str::to_owned),
    };
    let golden = [
        show("PauseDto", &pause(None)),
        show("ScopeDto", &ScopeDto::from(&scopes[0])),
        show(
            "StatsDto",
            &stats(Some(pause(Some("2026-11-20T08:30:00Z")))),
        ),
        show("StatsDto, not paused", &stats(None)),
    ];
    insta::assert_snapshot!("stats", golden.concat());
}

#[test]
fn how_well_lessons_are_found() {
    let figures = |milliseconds: i64| RecallFigures {
        recall_at_3: 0.75,
        mrr_at_10: 0.625,
        shown: 0.5,
        mean_time: SignedDuration::from_micros(milliseconds * 1000 + 500),
    };
    let near = |trouble| SemanticComparison {
        vectors: 9,
        figures: figures(3),
        changed: 2,
        without_vector: 1,
        embedding_error: trouble,
    };
    let compared = |near| RecallComparison {
        lessons: 10,
        probed: 8,
        by_words: figures(1),
        semantic: near,
    };
    let full = compared(Some(near(Some(ModelError::TimedOut))));
    let golden = [
        show("FiguresDto", &FiguresDto::from(&figures(2))),
        show(
            "EmbeddingComparisonDto",
            &EmbeddingComparisonDto::from(&near(None)),
        ),
        show("RecallComparisonDto", &RecallComparisonDto::from(&full)),
        show(
            "RecallComparisonDto, by words",
            &RecallComparisonDto::from(&compared(None)),
        ),
    ];
    insta::assert_snapshot!("stats_recall", golden.concat());
}
