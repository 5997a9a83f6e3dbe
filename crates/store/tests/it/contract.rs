//! The contract, on both stores.

use std::path::Path;

use hardwon_store::{SqliteStore, Store, sqlite::IndexTuning};
use hardwon_store_suite::{CASES, MemoryStore, RerunStore, arbitrary_steps, check_agreement};
use proptest::prelude::*;
use tempfile::TempDir;

/// Runs every case on a store, and on the same with its transactions run again.
fn each(make: &dyn Fn() -> Box<dyn Store>) {
    for (says, tell) in CASES {
        println!("{says}");
        tell(make);
        tell(&|| Box::new(RerunStore::new(make(), 7)));
    }
}

#[test]
fn memory_keeps_the_contract() {
    each(&|| Box::new(MemoryStore::new()));
}

#[test]
fn sqlite_keeps_the_contract() {
    let folder = TempDir::new().unwrap();
    let count = std::cell::Cell::new(0);
    each(&|| {
        count.set(count.get() + 1);
        open(&folder.path().join(format!("{}.db", count.get())))
    });
}

/// Opens a store that merges its index every few lessons.
fn open(path: &Path) -> Box<dyn Store> {
    let tuning = IndexTuning { fresh_words: 12 };
    Box::new(SqliteStore::open_with_tuning(path, tuning).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn sqlite_agrees_with_memory(steps in arbitrary_steps()) {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("hardwon.db");
        let reopen = |store: Box<dyn Store>| {
            drop(store);
            open(&path)
        };
        check_agreement(&MemoryStore::new(), open(&path), &reopen, &steps);
    }

    #[test]
    fn transactions_that_are_run_again_agree_with_memory(steps in arbitrary_steps(), seed: u64) {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("hardwon.db");
        let again = |path: &Path| Box::new(RerunStore::new(open(path), seed));
        let reopen = |store: Box<dyn Store>| -> Box<dyn Store> {
            drop(store);
            again(&path)
        };
        check_agreement(&MemoryStore::new(), again(&path), &reopen, &steps);
    }
}
