#!/bin/bash
# usage: scripts/api/fuzz.sh HARDWON [OPTION]...   see fuzz.py
exec python3 -B "$(dirname "$0")/fuzz.py" "$@"
