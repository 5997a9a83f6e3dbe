#!/usr/bin/env bash
# Writes man pages and completions, made from the commands themselves, to OUT/man and OUT/completions. They are written by a
# test, so that the program carries nothing of it.
# usage: scripts/release/pages.sh OUT
set -euo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")/../.."
HARDWON_PAGES_FOLDER=$out cargo test --quiet --package hardwon --test it --locked -- --exact pages::every_command_has_a_page > /dev/null
ls "$out/man/hardwon.1" "$out/completions/hardwon.bash"
