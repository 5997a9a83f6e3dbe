#!/bin/bash
# Runs the protocol's conformance suite and the inspector's strict look against the MCP server.
# What may fail, and why, is in the two baselines beside this file and in docs/mcp.md.
# usage: scripts/conformance/mcp.sh [FOLDER]   the folder keeps the npm packages and the results
# The suite speaks HTTP: without HARDWON_MCP_URL to the service that servers mount, in a process of its own; else to the
# server at that address, with the key in HARDWON_MCP_KEY if it wants one. The inspector starts `hardwon mcp`.
# Needs node from 22.19 on, npm, and their registry the first time.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=$(mkdir -p "${1:-$root/target/conformance}" && cd "${1:-$root/target/conformance}" && pwd)

# Two versions of one package cannot share a folder.
install() {
  [ -d "$folder/$1/node_modules" ] && return
  mkdir -p "$folder/$1"
  npm install --prefix "$folder/$1" --no-audit --no-fund --silent "$2"
}
install older @modelcontextprotocol/conformance@0.1.16
install newer @modelcontextprotocol/conformance@0.2.0-alpha.12
install inspector @modelcontextprotocol/inspector@2.12.0

cd "$root"
cargo build --quiet -p hardwon

work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT
# Starts what prints its address, with nothing of the person's own: neither lessons nor settings.
start() {
  env -i HOME="$work" PATH="$PATH" "$@" >"$work/url" &
  server=$!
  for _ in $(seq 100); do
    [ -s "$work/url" ] && break
    sleep 0.1
  done
  url=$(cat "$work/url")
}
url=${HARDWON_MCP_URL:-}
if [ -z "$url" ]; then
  cargo build --quiet -p hardwon-sim --features mcp
  start target/debug/hardwon-sim mcp-http --db "$work/lessons.db"
elif [ -n "${HARDWON_MCP_KEY:-}" ]; then
  printf %s "$HARDWON_MCP_KEY" >"$work/key"
  start node "$here/add_key.mjs" "$url" "$work/key"
fi

failed=0
suite() {
  echo "== conformance, $1 suite"
  node "$folder/$1/node_modules/@modelcontextprotocol/conformance/dist/index.js" server --url "$url" \
    --expected-failures "$here/$2" "${@:3}" >"$folder/$1.log" 2>&1 || failed=1
  sed -n '/SUMMARY/,$p' "$folder/$1.log"
}
suite older mcp-2025-11-25.yml
suite newer mcp-2026-07-28.yml --requirements 2026-07-28 --timeout 8000

inspector=$folder/inspector/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js
inspect() {
  local told
  if told=$(env -i HOME="$work" PATH="$PATH" node "$inspector" --cli \
    target/debug/hardwon mcp --db "$work/lessons.db" --everywhere --method "$@" 2>&1); then
    echo "ok: $*"
  else
    echo "failed: $*"
    echo "$told"
    failed=1
  fi
}
echo "== inspector"
inspect tools/list --strict
inspect tools/call --tool-name record --tool-arg 'text=Run make all first, then make test.' 'signature=make test'
inspect tools/call --tool-name search --tool-arg 'query=make test fails'
inspect tools/call --tool-name search --tool-arg query=make --load --load-concurrency 8 --load-requests 400
inspect resources/list
inspect resources/templates/list
inspect resources/read --uri lesson://everywhere/1
inspect prompts/list
inspect prompts/get --prompt-name preflight --prompt-args 'task=make the tests pass'
exit "$failed"
