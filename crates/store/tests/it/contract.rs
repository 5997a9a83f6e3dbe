//! The contract, on every store.

use hardwon_store::{
    Memory, Store,
    suite::{CASES, agree, steps},
};
use proptest::prelude::*;

fn each(make: &dyn Fn() -> Box<dyn Store>) {
    for (says, tell) in CASES {
        println!("{says}");
        tell(make);
    }
}

#[test]
fn memory_keeps_the_contract() {
    each(&|| Box::new(Memory::new()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn memory_agrees_with_itself(steps in steps()) {
        agree(&Memory::new(), Box::new(Memory::new()), &|store| store, &steps);
    }
}
