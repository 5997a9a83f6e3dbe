#!/usr/bin/env bash
# Has clippy read every crate and its tests as another system compiles them. Runs nothing of them.
# Exits with 3, and says why, where this machine has no standard library for that system.
# usage: scripts/platforms/check.sh TARGET [ARGUMENT OF CARGO]...    [default: --workspace --all-targets]
#   With what toolchain.sh prints in its environment, it builds the standard library.
set -euo pipefail
target=$1
shift
cd "$(dirname "$0")/../.."
leave_out() { echo "left out: clippy for $target: $1" >&2; exit 3; }

extra=()
if [ "${HARDWON_BUILD_STD:-}" = 1 ]; then
    extra+=(-Z build-std=std,panic_unwind,test)
elif [ ! -d "$("${RUSTC:-rustc}" --print target-libdir --target "$target" 2> /dev/null)" ]; then
    leave_out "its standard library is not installed (rustup target add $target)"
fi
# SQLite and the cryptography are C, which a compiler of that system has to read, too.
clippy=(cargo clippy)
lints=(-D warnings)
case $target in
    *-windows-gnu)
        command -v x86_64-w64-mingw32-gcc > /dev/null || leave_out "it needs mingw-w64"
        # There a `thread_local!` that is `const` already is taken for one that is not.
        lints+=(-A clippy::missing_const_for_thread_local) ;;
    *-apple-darwin | *-linux-musl)
        command -v cargo-zigbuild > /dev/null || leave_out "it needs zig: pip install ziglang cargo-zigbuild"
        clippy=(cargo-zigbuild clippy) ;;
esac
if [ $# = 0 ]; then set -- --workspace --all-targets; fi
"${clippy[@]}" "$@" --locked --profile "${HARDWON_PROFILE:-dev}" --target "$target" ${extra[@]+"${extra[@]}"} -- "${lints[@]}"
