//! Links the released program at a fixed address, where that is known to work.
//!
//! A program that can be moved has every address in its tables mended at each start: here half a
//! megabyte of them, a tenth of the time of a recall. Libraries, heap and stack are placed at random
//! all the same, and no code of ours is unsafe; docs/design/start-up.md weighs it.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|it| it == value);
    let is_gnu = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    if is_gnu && is("PROFILE", "release") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
