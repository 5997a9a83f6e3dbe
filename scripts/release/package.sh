#!/usr/bin/env bash
# Makes every package of a release from programs that were built: BUILT/TARGET/hardwon for each target that there is.
# usage: scripts/release/package.sh BUILT OUT [PAGES]     PAGES is what pages.sh wrote; without it, it is run
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
built=$(cd "$1" && pwd)
out=$(mkdir -p "$2" && cd "$2" && pwd)
pages=${3:-}
if [ -z "$pages" ]; then
    pages=$(mktemp -d)
    trap 'rm -rf "$pages"' EXIT
    "$here/pages.sh" "$pages" > /dev/null
fi
rm -f "$out"/*

for folder in "$built"/*/; do
    target=$(basename "$folder")
    binary=$folder/hardwon
    case $target in *windows*) binary=$folder/hardwon.exe ;; esac
    "$here/archive.py" "$target" "$binary" "$pages" "$out"
    "$here/wheel.py" "$target" "$binary" "$pages" "$out"
    "$here/sbom.py" "$target" "$out"
    if command -v npm > /dev/null; then "$here/npm.py" platform "$target" "$binary" "$out"; fi
    case $target in
        *-linux-*) if command -v dpkg-deb > /dev/null; then "$here/deb.py" "$target" "$binary" "$pages" "$out"; fi ;;
    esac
done
if command -v npm > /dev/null; then
    "$here/npm.py" wrapper "$pages" "$out"
else
    echo "left out: the packages for npm, which npm is needed for" >&2
fi
command -v dpkg-deb > /dev/null || echo "left out: the Debian packages, which dpkg-deb is needed for" >&2
"$here/install_script.py" "$out"
python3 -B "$here/common.py" registry > "$out/server.json"
"$here/sums.sh" "$out" > /dev/null
if grep -q -e linux-musl.tar.gz -e darwin.tar.gz "$out/SHA256SUMS"; then "$here/formula.py" "$out"; fi
"$here/sums.sh" "$out"
