#!/bin/bash
# Checks the API from outside: its description, requests of all kinds, and clients made of the description. What cannot be
# fetched on this machine is said, and left out.
# usage: scripts/api/check.sh HARDWON [OPTION]...   the options go to `hardwon serve`
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
has_python=false
has_npm=false
if python3 -c 'import venv, ensurepip' 2> /dev/null && python3 -B "$here/tools.py" python; then has_python=true; fi
if command -v npm > /dev/null && python3 -B "$here/tools.py" npm; then has_npm=true; fi
if $has_python; then
    "$here/lint.sh" --python
    "$here/clients.sh" --python "$@"
    "$here/fuzz.sh" "$@"
else
    echo "left out: schemathesis, openapi-spec-validator and the client in Python, which python3 and PyPI are needed for"
fi
if $has_npm; then
    "$here/lint.sh" --typescript
    "$here/clients.sh" --typescript "$@"
else
    echo "left out: redocly and the client in TypeScript, which npm and its registry are needed for"
fi
