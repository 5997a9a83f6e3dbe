#!/usr/bin/env bash
# A release from a clean checkout: builds what this machine can, packs it, and tries the packages that run here.
# What was left out is said, and is built by .github/workflows/release.yml, whose steps are these scripts.
# usage: scripts/release/release.sh [TARGET]...     [default: all targets], to target/packages
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
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
    # The one that runs here.
    if "$folder/hardwon" --version > /dev/null 2>&1; then "$here/test_packages.sh" "$folder/hardwon" "$root/target/packages/pages"; fi
done
