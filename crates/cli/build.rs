//! Links the released program so that it starts fast, where that is known to work.
//!
//! A program that can be moved has every address in its tables mended at each start: here half a
//! megabyte of them, a tenth of the time of a recall. Libraries, heap and stack are placed at random
//! all the same, and no code of ours is unsafe. And each shared library is found, mapped and bound at
//! each start: the compiler's own, of which only a panic needs a handful of functions, becomes part of
//! the program. docs/design/start-up.md weighs both.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::Command,
};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=RUSTC_LINKER");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|it| it == value);
    let is_gnu = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    if is_gnu && is("PROFILE", "release") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
        let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo names a folder"));
        if let (Some(unwinder), Some(rest)) = (archive("libgcc_eh.a"), archive("libgcc.a")) {
            // The linker is asked for the shared library by name, and finds this in its place.
            let sent = format!("GROUP ( {unwinder} {rest} )\n");
            fs::write(folder.join("libgcc_s.so"), sent)?;
            println!("cargo::rustc-link-arg-bins=-L{}", folder.display());
        }
    }
    Ok(())
}

/// Returns where the compiler that links has an archive; none if it does not know of it.
fn archive(name: &str) -> Option<String> {
    let linker = env::var_os("RUSTC_LINKER").unwrap_or_else(|| "cc".into());
    let asked = format!("-print-file-name={name}");
    let told = Command::new(linker).arg(asked).output().ok()?.stdout;
    let path = String::from_utf8(told).ok()?.trim().to_owned();
    // A name that it does not know it repeats.
    let is_usable = Path::new(&path).is_absolute() && !path.contains(char::is_whitespace);
    (is_usable && Path::new(&path).is_file()).then_some(path)
}
