//! Counts of the store.

use hardwon_api::v1::stats::{PauseDto, ScopeDto, StatsDto};
use hardwon_core::Scope;
use hardwon_store::Census;

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
