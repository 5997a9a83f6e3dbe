//! The contract, on both stores.

use std::path::Path;

use hardwon_store::{
    Memory, Sqlite, Store,
    sqlite::Tuning,
    suite::{CASES, Rerun, agree, steps},
};
use proptest::prelude::*;
use tempfile::TempDir;

/// Tells every case on a store, and on the same with its transactions run again.
fn each(make: &dyn Fn() -> Box<dyn Store>) {
    for (says, tell) in CASES {
        println!("{says}");
        tell(make);
        tell(&|| Box::new(Rerun::new(make(), 7)));
    }
}

#[test]
fn memory_keeps_the_contract() {
    each(&|| Box::new(Memory::new()));
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
    let tuning = Tuning { fresh_words: 12 };
    Box::new(Sqlite::open_tuned(path, tuning).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn sqlite_agrees_with_memory(steps in steps()) {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("hardwon.db");
        let reopen = |store: Box<dyn Store>| {
            drop(store);
            open(&path)
        };
        agree(&Memory::new(), open(&path), &reopen, &steps);
    }

    #[test]
    fn transactions_that_are_run_again_agree_with_memory(steps in steps(), seed: u64) {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("hardwon.db");
        let again = |path: &Path| Box::new(Rerun::new(open(path), seed));
        let reopen = |store: Box<dyn Store>| -> Box<dyn Store> {
            drop(store);
            again(&path)
        };
        agree(&Memory::new(), again(&path), &reopen, &steps);
    }
}
