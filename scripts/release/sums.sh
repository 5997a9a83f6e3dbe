#!/usr/bin/env bash
# Writes SHA256SUMS over every file of a folder of packages.
# usage: scripts/release/sums.sh FOLDER
set -euo pipefail
cd "$1"
sum() { if command -v sha256sum > /dev/null; then sha256sum -- "$@"; else shasum -a 256 -- "$@"; fi; }
files=()
for file in *; do
    if [ -f "$file" ] && [ "$file" != SHA256SUMS ]; then files+=("$file"); fi
done
sum "${files[@]}" > SHA256SUMS
echo "$1/SHA256SUMS"
