#!/usr/bin/env bash
# Finds a compiler that can build for other systems, and prints the environment for it.
#
# A toolchain of rustup has what `rustup target add` installed. Where nothing can be added, Debian's packages of a newer compiler
# are unpacked into a folder, with the source of the standard library, which is then built with the program
# (HARDWON_BUILD_STD); nothing of the system is changed. About 150 MB are fetched, and 900 MB unpacked.
# usage: eval "$(scripts/platforms/toolchain.sh FOLDER)"
set -euo pipefail
folder=$(mkdir -p "$1" && cd "$1" && pwd)
packages="rustc-web cargo-web rust-web-clippy rust-web-src rust-web-llvm libstd-rust-web-dev"
# What cargo needs, and a machine may not have.
packages+=" libgit2-1.5 libmbedtls14 libmbedx509-1 libmbedcrypto7 libhttp-parser2.9 libssh2-1"
ziglang=0.17.1
zigbuild=0.24.0

if [ ! -x "$folder/usr/bin/rustc" ]; then
    command -v apt-get > /dev/null || { echo "there is no apt-get to fetch a compiler with" >&2; exit 3; }
    half=$(mktemp -d)
    trap 'rm -rf "$half"' EXIT
    apt-get update -qq >&2
    # The libraries of the compiler have its version in their names.
    depends() { apt-cache depends "$@" | sed -n 's/^ *Depends: \(libstd-rust-web-[0-9].*\|libllvm.*\)/\1/p' | sort -u; }
    library=$(depends libstd-rust-web-dev)
    (cd "$half" && apt-get download -qq $packages $library $(depends "$library") >&2)
    for package in "$half"/*.deb; do dpkg -x "$package" "$folder"; done
fi
if [ ! -x "$folder/py/bin/cargo-zigbuild" ]; then
    python3 -m venv "$folder/py" >&2
    "$folder/py/bin/pip" install --quiet "ziglang==$ziglang" "cargo-zigbuild==$zigbuild" >&2
fi
cat << END
export LD_LIBRARY_PATH=$folder/usr/lib/x86_64-linux-gnu RUSTC_BOOTSTRAP=1 HARDWON_BUILD_STD=1
export RUSTC=$folder/usr/bin/rustc PATH=$folder/usr/bin:$folder/py/bin:\$PATH
END
