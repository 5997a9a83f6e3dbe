//! The contract of stores of sessions, on the one in memory.

use hardwon_store_suite::{MemorySessionStore, SESSION_CASES};

#[test]
fn memory_keeps_the_contract_of_sessions() {
    for (says, tell) in SESSION_CASES {
        println!("{says}");
        tell(&|| Box::new(MemorySessionStore::default()));
    }
}
