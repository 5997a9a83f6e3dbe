#!/bin/bash
# Runs the tests of the store in a database once more, on PostgreSQL 18. They are built already where the tests of the workspace were, and
# are not built anew. Where PostgreSQL 18 cannot be fetched, that is said and left out.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
if ! programs=$("$here/install_18.sh" 2> /dev/null); then
    echo "left out: the tests of the store on PostgreSQL 18, which python3 and PyPI are needed for"
    exit 0
fi
# PostgreSQL refuses the superuser of the machine, so the tests run it as somebody else, who has to get at it.
if [ "$(id -u)" = 0 ] && ! runuser -u nobody -- test -x "$programs/postgres"; then
    echo "left out: the tests of the store on PostgreSQL 18, because nobody but root can reach $programs"
    exit 0
fi
find_test='
import json, sys
built = [json.loads(line) for line in sys.stdin if line.startswith("{")]
tests = [it["executable"] for it in built if it.get("executable") and "store-postgres" in it["package_id"] and it["target"]["name"] == "it"]
print(tests[0])
'
test=$(cargo test --workspace --locked --no-run --message-format json 2> /dev/null | python3 -c "$find_test")
"$programs/postgres" --version
cd crates/store-postgres
HARDWON_DEMAND_POSTGRES=1 HARDWON_TEST_PG_BIN=$programs "$test"
