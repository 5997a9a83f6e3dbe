#!/usr/bin/env bash
# A release from a clean checkout: builds what this machine can, packs it, and tries the packages that run here.
# What was left out is said, and is built by .github/workflows/release.yml, whose steps are these scripts.
# usage: scripts/release/release.sh [--trial] [TARGET]...     [default: all targets], to target/packages
#   --trial   of any checkout, also while nobody is named who publishes it: packages to try, not to give to anybody
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
if [ "${1:-}" = --trial ]; then shift; else "$here/check_release.py"; fi
built=$root/target/packages/built
out=$root/target/packages/out
rm -rf "$root/target/packages"
mkdir -p "$built"
if [ $# = 0 ]; then
    read -r -a targets <<< "$(cd "$here" && python3 -B -c 'import common; print(*common.TARGETS)')"
    set -- "${targets[@]}"
fi
for target in "$@"; do
    code=0
    "$here/build.sh" "$target" "$built/$target" || code=$?
    case $code in
        0) ;;
        3) rmdir "$built/$target" ;;
        *) exit "$code" ;;
    esac
done
if [ -z "$(ls "$built")" ]; then
    echo "nothing was built: see above what each target needs" >&2
    exit 1
fi
"$here/pages.sh" "$root/target/packages/pages"
"$here/package.sh" "$built" "$out" "$root/target/packages/pages"
for folder in "$built"/*/; do
    # Those that run here, and not by an emulator.
    case $(basename "$folder") in
        "$(uname -m)"-*-linux-*) "$here/test_packages.sh" "$folder/hardwon" "$root/target/packages/pages" ;;
    esac
done
echo "the packages are in $out"
