#!/bin/bash
# usage: scripts/api/clients.sh HARDWON [OPTION]...   see clients.py
exec python3 -B "$(dirname "$0")/clients.py" "$@"
