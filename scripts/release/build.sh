#!/usr/bin/env bash
# Builds the program for a target, static where that is possible, the same bytes each time: no path of this machine is in it.
# Exits with 3, and says why, where this machine cannot.
# usage: scripts/release/build.sh TARGET OUT
#   A target that is not this machine's own needs its standard library (`rustup target add TARGET`) and a linker: for Linux and
#   macOS `pip install ziglang cargo-zigbuild`, for Windows mingw-w64.
#   HARDWON_BUILD_STD=1   builds the standard library from its source instead, where the toolchain has that
#   HARDWON_PROFILE=NAME  another profile than `release`
set -euo pipefail
target=$1
out=$(mkdir -p "$2" && cd "$2" && pwd)
cd "$(dirname "$0")/../.."
root=$PWD
profile=${HARDWON_PROFILE:-release}
rustc=${RUSTC:-rustc}
leave_out() { echo "left out: $target: $1" >&2; exit 3; }

host=$("$rustc" -vV | sed -n 's/^host: //p')
built=${CARGO_TARGET_DIR:-$root/target}
extra=()
if [ "${HARDWON_BUILD_STD:-}" = 1 ]; then
    export RUSTC_BOOTSTRAP=1
    extra+=(-Z 'build-std=std,panic_unwind')
elif [ ! -d "$("$rustc" --print target-libdir --target "$target" 2> /dev/null)" ]; then
    leave_out "its standard library is not installed: rustup target add $target"
fi
build=(cargo build)
case $target in
    "$host") ;;
    *-windows-msvc) case $host in *-msvc) ;; *) leave_out "it is built on Windows; here it is x86_64-pc-windows-gnu" ;; esac ;;
    *-windows-gnu)
        linker=${target%%-*}-w64-mingw32-gcc
        command -v "$linker" > /dev/null || leave_out "it needs mingw-w64"
        variable=CARGO_TARGET_$(tr 'a-z-' 'A-Z_' <<< "$target")_LINKER
        export "$variable=$linker" ;;
    *-apple-darwin) case $host in *-darwin) ;; *) zig=1 ;; esac ;;
    *) zig=1 ;;
esac
if [ "${zig:-}" = 1 ]; then
    cargo zigbuild --help > /dev/null 2>&1 || leave_out "it needs zig: pip install ziglang cargo-zigbuild"
    build=(cargo zigbuild)
fi
# A static program: no loader, no C library of the machine. Without the standard library of the target its start files are
# missing, too, and zig has them.
flags=()
case $target in
    *-linux-musl)
        flags+=(-C target-feature=+crt-static)
        if [ "${HARDWON_BUILD_STD:-}" = 1 ]; then flags+=(-C link-self-contained=no -C relocation-model=static); fi ;;
    *-windows-*) flags+=(-C target-feature=+crt-static) ;;
esac
# The two start files of Rust itself, which every program for Windows by mingw begins and ends with.
if [[ $target = *-windows-gnu && "${HARDWON_BUILD_STD:-}" = 1 ]]; then
    source=$("$rustc" --print sysroot)/lib/rustlib/src/rust/library/rtstartup
    mkdir -p "$built/$target/start"
    for name in rsbegin rsend; do
        "$rustc" --target "$target" --edition 2024 -O --emit=obj -o "$built/$target/start/$name.o" "$source/$name.rs"
    done
    flags+=(-L "native=$built/$target/start")
fi

# The last that fits counts, so the folder of what is built comes last.
prefixes=("$("$rustc" --print sysroot)=/rust" "${CARGO_HOME:-$HOME/.cargo}=/cargo" "$root=/hardwon" "$built=/hardwon/target")
for prefix in "${prefixes[@]}"; do flags+=("--remap-path-prefix=$prefix"); done
CARGO_ENCODED_RUSTFLAGS=$(printf '%s\037' "${flags[@]}")
export CARGO_ENCODED_RUSTFLAGS=${CARGO_ENCODED_RUSTFLAGS%$'\037'}
if [[ $target != *-msvc ]]; then
    for prefix in "${CARGO_HOME:-$HOME/.cargo}=/cargo" "$root=/hardwon" "$built=/hardwon/target"; do
        CFLAGS="${CFLAGS:-} $(printf %q "-ffile-prefix-map=$prefix")"
    done
    # A folder may have a space in its name.
    export CFLAGS CC_SHELL_ESCAPED_FLAGS=1
fi
SOURCE_DATE_EPOCH=$(python3 -B scripts/release/common.py epoch)
export SOURCE_DATE_EPOCH CARGO_INCREMENTAL=0

"${build[@]}" --package hardwon --bin hardwon --locked --profile "$profile" --target "$target" ${extra[@]+"${extra[@]}"} >&2
folder=$profile
if [ "$profile" = dev ]; then folder=debug; fi
name=hardwon
case $target in *windows*) name=hardwon.exe ;; esac
cp "$built/$target/$folder/$name" "$out/$name"

# 20 MB, as docs/measurements.md has it: what is larger is not shipped unseen.
size=$(wc -c < "$out/$name")
if [ "$profile" = release ] && [ "$size" -gt $((20 * 1024 * 1024)) ]; then echo "note: $out/$name has $size bytes, over 20 MiB" >&2; fi
echo "$out/$name"
