#!/usr/bin/env bash
# Has agents read what `hardwon plugin` writes: their own validators where they have one, else an installation into an empty home.
# CLIENTS is a folder with agents installed by npm, as docs/design/recordings.md says. What is not there is said, and left out.
# usage: scripts/release/check_plugins.sh HARDWON CLIENTS
set -euo pipefail
hardwon=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
clients=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work/home
unset CLAUDE_CONFIG_DIR CODEX_HOME COPILOT_HOME GEMINI_CLI_HOME XDG_CONFIG_HOME XDG_DATA_HOME
mkdir "$HOME"
cd "$work"
"$hardwon" plugin "$work/plugins" > /dev/null

program() { echo "$clients/$1/node_modules/.bin/$2"; }

# Runs commands of an agent one after another, each a line; fails with what they said.
try() {
    local name=$1 folder=$2 program
    shift 2
    program=$(program "$folder" "$name")
    if [ ! -x "$program" ]; then echo "left out: $name, which is not in $clients/$folder"; return; fi
    for line in "$@"; do
        # shellcheck disable=SC2086
        timeout 120 "$program" $line < /dev/null > "$work/said" 2>&1 || { echo "FAIL $name $line"; cat "$work/said"; exit 1; }
        sed "s#$work#…#g; s/^/     /" "$work/said" | grep -v '^ *$' | tail -3
    done
    echo "ok   $name"
}

try claude claude "plugin validate $work/plugins/claude" "plugin marketplace add $work/plugins/claude" \
    "plugin install hardwon@hardwon" "plugin list"
try gemini gemini "extensions validate $work/plugins/gemini"
try codex codex "plugin marketplace add $work/plugins/claude" "plugin add hardwon@hardwon"
try copilot copilot "plugin marketplace add $work/plugins/claude" "plugin install hardwon@hardwon" "plugin list"
try qwen qwen "extensions install $work/plugins/claude:hardwon --consent" "extensions list"

# What the registry of MCP servers will be told is what is committed, and its own schema takes it.
diff "$work/plugins/server.json" "$here/../../server.json"
if python3 -c 'import skillsaw, jsonschema' 2> /dev/null; then
    python3 -B "$here/../api/server_json.py"
else
    echo "left out: the schema of server.json, which scripts/api/lint.sh checks as well"
fi
