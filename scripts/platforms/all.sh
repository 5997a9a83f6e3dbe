#!/usr/bin/env bash
# Checks, builds and runs hardwon for other systems, as far as this machine can. What it cannot is said, and is no failure.
# usage: scripts/platforms/all.sh [TARGET]...
#   HARDWON_PROFILE=NAME     the profile of the programs [default: demo, which is built soonest]
#   HARDWON_TOOLCHAIN=DIR    where Debian's compiler is unpacked, if rustup's has no library for a target
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
export HARDWON_PROFILE=${HARDWON_PROFILE:-demo}
if [ $# = 0 ]; then
    set -- x86_64-pc-windows-gnu aarch64-unknown-linux-musl aarch64-apple-darwin x86_64-apple-darwin
fi
out=$root/target/platforms
# Apart from the folder of the machine's own toolchain, which would be compiled again after each change of compiler.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target/cross}
for target in "$@"; do
    if [ ! -d "$("${RUSTC:-rustc}" --print target-libdir --target "$target")" ] && [ "${HARDWON_BUILD_STD:-}" != 1 ]; then
        settings=$("$here/toolchain.sh" "${HARDWON_TOOLCHAIN:-$root/target/toolchain}")
        eval "$settings"
    fi
    step() {
        local code=0
        "$@" || code=$?
        case $code in 0) return 0 ;; 3) return 1 ;; *) exit "$code" ;; esac
    }
    # The tests of the command line are for shells of Unix.
    step "$here/check.sh" "$target" --workspace --lib --bins || continue
    step "$root/scripts/release/build.sh" "$target" "$out/$target" || continue
    name=hardwon
    case $target in *windows*) name=hardwon.exe ;; esac
    step "$here/run.sh" "$target" "$out/$target/$name" || continue
done
