#!/usr/bin/env bash
# Runs a program that was built for another system: by wine, by qemu, or as it is; in a home of its own, which is removed.
# Goes through what a person and an agent do on the first day. Exits with 3, and says why, where nothing runs it.
# usage: scripts/platforms/run.sh TARGET BINARY
set -euo pipefail
target=$1
binary=$(readlink -f "$2")
root=$(cd "$(dirname "$0")/../.." && pwd)
leave_out() { echo "left out: running the program for $target: $1" >&2; exit 3; }
fail() { echo "FAILED: $*" >&2; exit 1; }

place=$(mktemp -d)
runner=()
home=$place/home
case $target in
    *-windows-*)
        if [ "${OS:-}" = Windows_NT ]; then
            trap 'rm -rf "$place"' EXIT
            mkdir -p "$home"
            USERPROFILE=$(cygpath -w "$home")
            export USERPROFILE APPDATA="$USERPROFILE\\AppData\\Roaming" LOCALAPPDATA="$USERPROFILE\\AppData\\Local"
        else
            wine=$(command -v wine64 || ls /usr/lib/wine/wine64 2> /dev/null) || leave_out "it needs wine64"
            runner=("$wine")
            export WINEPREFIX=$place/wine WINEDEBUG=-all
            trap '"$wine" wineboot -k > /dev/null 2>&1 || true; sleep 3; rm -rf "$place"' EXIT
            "$wine" wineboot -i > /dev/null 2>&1
            "$wine" reg add 'HKCU\Software\Wine' /v Version /d win10 /f > /dev/null
            home=$(dirname "$(find "$WINEPREFIX/drive_c/users" -maxdepth 2 -name AppData)")
            cp "$binary" "$place/hardwon.exe"
            binary=$place/hardwon.exe
            # Older ones lack a library that Windows 10 has, and Rust takes random numbers from.
            if [ ! -e "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" ]; then
                x86_64-w64-mingw32-gcc -shared -o "$place/bcryptprimitives.dll" -x c - -ladvapi32 <<< '
                    #include <windows.h>
                    BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
                    __declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE b, SIZE_T n) { return SystemFunction036(b, (ULONG)n); }'
            fi
        fi ;;
    aarch64-unknown-linux-*)
        trap 'rm -rf "$place"' EXIT
        if [ "$(uname -m)" != aarch64 ]; then
            runner=("$(command -v qemu-aarch64-static || command -v qemu-aarch64)") || leave_out "it needs qemu-user-static"
        fi ;;
    *-apple-darwin)
        [ "$(uname)" = Darwin ] || leave_out "only macOS runs it"
        trap 'rm -rf "$place"' EXIT ;;
    x86_64-unknown-linux-*) trap 'rm -rf "$place"' EXIT ;;
esac
mkdir -p "$home/.claude" "$place/shop"
echo '{}' > "$home/.claude/settings.json"
cd "$place/shop"
export HOME=$home
# The folder as the system calls it, and as it stands in an agent's JSON.
case ${OS:-}:$target in
    Windows_NT:*) shop=$(cygpath -m "$(pwd)") ;;
    *windows*) shop=Z:$(pwd) ;;
    *) shop=$(pwd) ;;
esac
cwd=$shop
case $target in *windows*) cwd=${shop//\//\\\\} ;; esac
unset "${!XDG_@}"

# What follows is printed, so that whoever reads it sees what was there.
run() { ${runner[@]+"${runner[@]}"} "$binary" "$@" | tr -d '\r'; }
step() {
    echo "== hardwon $*"
    run "$@" 2>&1 < "${input:-/dev/null}" | tee "$place/said"
}
says() { grep -q -- "$1" "$place/said" || fail "it does not say: $1"; }

step --version
says "hardwon 0"
step init --yes
says settings.json
grep -q "hook --client claude-code" "$home/.claude/settings.json" || fail "no hook was written"
for session in "$root"/crates/cli/demo/[1-3]-*.jsonl; do
    # The folder that the session was in is this one here.
    sed "s|/home/dev/shop|$shop|g" "$session" > "$place/$(basename "$session")"
done
step learn "$place"/[1-3]-*.jsonl
says "learned    #1"
step lesson list --all-projects
step recall --everywhere "the tests of the cart fail"
step lesson add --everywhere "deploy to staging" "Run \`make seed\` before \`make deploy\`, because the shop is empty otherwise."
step recall "deploy the shop to staging"
says "make seed"
prompt() { # EVENT MORE
    printf '{"session_id":"s1","hook_event_name":"%s","cwd":"%s"%s}' "$1" "$cwd" "$2" > "$place/event.json"
    input=$place/event.json step hook --client claude-code
}
prompt SessionStart ',"source":"startup"'
says "make seed"
prompt UserPromptSubmit ',"prompt":"deploy the shop to staging, please"'
# A reader of the hook's output sees its end while what it started in the background goes on.
prompt PostToolUse ',"tool_name":"Bash","tool_input":{"command":"make deploy"},"tool_response":{"stdout":"ok"}'
prompt Stop ''
prompt SessionEnd ',"reason":"exit"'
step demo
step sweep || true
step doctor || true
says "lessons"
step backup "$place/copy.db"

# A server answers, and a writer that is killed leaves a whole database.
${runner[@]+"${runner[@]}"} "$binary" serve --listen 127.0.0.1:0 --ops-listen 127.0.0.1:0 > "$place/key" 2> "$place/served" < /dev/null &
served=$!
for _ in $(seq 300); do
    address=$(tr -d '\r' < "$place/served" | sed -n 's|.*API at \(http://[^/]*\)/.*|\1|p')
    [ -n "$address" ] && [ -s "$place/key" ] && break
    sleep 0.2
done
[ -n "$address" ] || fail "the server did not start: $(cat "$place/served")"
echo "== GET $address/v1/lessons"
answer=$(curl -sS -H "authorization: Bearer $(tr -d '\r\n' < "$place/key")" "$address/v1/lessons?limit=1")
echo "${answer:0:200}"
grep -q '"lessons"' <<< "$answer" || fail "the server does not answer: $answer"
kill -9 "$served" 2> /dev/null || true
wait "$served" 2> /dev/null || true
for number in 1 2 3 4 5 6 7 8; do
    ${runner[@]+"${runner[@]}"} "$binary" lesson add --everywhere "crash $number" "Look at log number $number first." \
        > "$place/added.$number" 2>&1 < /dev/null &
    # What wine or qemu starts takes its time.
    if [ ${#runner[@]} = 0 ]; then sleep "0.0$number"; else sleep "$((number / 3)).$((number % 3 * 3))"; fi
    kill -9 $! 2> /dev/null || true
    wait $! 2> /dev/null || true
done
step journal verify
step lesson list --everywhere
for number in 1 2 3 4 5 6 7 8; do
    if grep -q recorded "$place/added.$number"; then says "crash $number]"; fi
done
echo "all of it ran: $target"
