#!/bin/bash
# Checks that the description of the API is valid OpenAPI, and as redocly's recommended rules want it, and that server.json,
# which tells registries of MCP servers about this one, is as they want it.
# usage: scripts/api/lint.sh [--python|--typescript]   both tools, or only the one whose registry can be reached
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
description=$root/crates/server/openapi.json
if [ "${1:-}" != --typescript ]; then
    python3 -B "$here/tools.py" python
    "$root/target/api/python/bin/openapi-spec-validator" "$description"
    "$root/target/api/python/bin/python" -B "$here/server_json.py"
fi
if [ "${1:-}" != --python ]; then
    python3 -B "$here/tools.py" npm
    # It goes by the description alone, and tells nobody.
    REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true "$root/target/api/npm/node_modules/.bin/redocly" \
        lint --extends recommended --max-problems 20 "$description" 2>&1 | grep -v '[║╔╚]' | sed '/^ *$/d'
fi
