//! The contract of stores of keys, on all of them.

use hardwon_store::{
    MemoryKeyStore,
    suite::{KEY_CASES, MakeKeyStore},
};

fn each(make: MakeKeyStore<'_>) {
    for (says, tell) in KEY_CASES {
        println!("{says}");
        tell(make);
    }
}

#[test]
fn memory_keeps_the_contract_of_keys() {
    each(&|| Box::new(MemoryKeyStore::new()));
}
