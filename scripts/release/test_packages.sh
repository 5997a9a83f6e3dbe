#!/usr/bin/env bash
# Packs a program in every way, installs each package into an empty place, runs it, removes it, and looks for what is left.
# What this machine has no means for is said, and left out.
# usage: scripts/release/test_packages.sh BINARY [PAGES]     PAGES is what pages.sh wrote; without it, it is run
#   HARDWON_QUICK=1   packs the program without what is for debuggers, less tightly, and not twice
set -euo pipefail
if ! python3 -c 'import tomllib' 2> /dev/null; then
    echo "left out: all packages, which python3 of version 3.11 or later is needed for"
    exit 0
fi
here=$(cd "$(dirname "$0")" && pwd)
binary=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
work=$(mktemp -d)
started=()
# shellcheck disable=SC2317
clean_up() {
    local id
    for id in ${started[@]+"${started[@]}"}; do kill "$id" 2> /dev/null || true; done
    rm -rf "$work"
}
trap clean_up EXIT
version=$(python3 -B "$here/common.py" version)
target=$(python3 -B "$here/common.py" target "$binary")
out=$work/out
said=$work/said
export CARGO_HOME=${CARGO_HOME:-$HOME/.cargo} RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup}
export HOME=$work/home npm_config_cache=$work/npm-cache npm_config_update_notifier=false PIP_DISABLE_PIP_VERSION_CHECK=1
unset XDG_DATA_HOME XDG_CONFIG_HOME XDG_STATE_HOME XDG_CACHE_HOME HARDWON_BASE_URL
mkdir -p "$HOME" "$work/built/$target"

fail() { echo "FAIL $*" >&2; exit 1; }
leave_out() { echo "left out: $*"; }
has() { command -v "$1" > /dev/null; }

# Runs a check, and says how long it took.
try() {
    local start=$EPOCHREALTIME
    "$1" || fail "$1"
    echo "ok   ${1#check_}, $(((${EPOCHREALTIME/./} - ${start/./}) / 1000)) ms"
}

# Runs an installed program: it says its version, its demo learns, and its own database works.
run_program() {
    [ "$("$@" --version)" = "hardwon $version" ] || fail "$*: --version"
    "$@" demo | grep -q LEARNED || fail "$*: demo"
    "$@" --db "$work/run.db" lesson add make 'Run make all.' > /dev/null || fail "$*: lesson add"
    [ "$("$@" --db "$work/run.db" lesson list | wc -l)" = 1 ] || fail "$*: lesson list"
    local code=0
    "$@" --db "$work/run.db" lesson show 99 > /dev/null 2>&1 || code=$?
    [ "$code" = 1 ] || fail "$*: the exit code is $code, not 1"
    rm -f "$work"/run.db*
}

# Runs a command that has to fail with 1 and these words, which it leaves in `said`.
expect_refusal() {
    local words=$1 code=0
    shift
    "$@" > "$said" 2>&1 || code=$?
    if [ "$code" != 1 ] || ! grep -q "$words" "$said"; then fail "$*: exit code $code, $(cat "$said")"; fi
}

# Fails if a folder has anything of ours. (npm leaves the empty folder of a scope behind.)
expect_nothing() {
    local left
    left=$(find "$1" -iname '*hardwon*' ! '(' -type d -empty ')' | head -5)
    [ -z "$left" ] || fail "left behind: $left"
}

# The same bytes twice, the second time elsewhere and by another umask.
check_packing() {
    local packages
    "$here/package.sh" "$work/built" "$out" "$pages" > /dev/null
    if [ -n "${HARDWON_QUICK:-}" ]; then leave_out "packing twice"; return; fi
    packages=$(cat "$out/SHA256SUMS")
    (umask 077 && "$here/package.sh" "$work/built" "$work/again" "$pages" > /dev/null)
    diff <(echo "$packages") "$work/again/SHA256SUMS"
}

check_archive() {
    local top=$work/archive/hardwon-$version-$target
    mkdir "$work/archive"
    tar -xzf "$out/hardwon-$version-$target.tar.gz" -C "$work/archive"
    run_program "$top/hardwon"
    for name in README.md LICENSE-MIT LICENSE-APACHE man/hardwon.1 man/hardwon-recall.1 completions/_hardwon; do
        [ -s "$top/$name" ] || fail "the archive has no $name"
    done
    # What `cargo binstall` will ask for.
    (cd "$here" && python3 -B binstall.py "$out" "$target")
}

check_sbom() {
    local file=$out/hardwon-$version-$target.cdx.json
    python3 - "$file" <<'PYTHON'
import json, sys
bom = json.load(open(sys.argv[1]))
names = {it["name"] for it in bom["components"]}
assert {"rusqlite", "hardwon-core", "libsqlite3-sys"} <= names and not names & {"insta", "proptest"}, names
assert all(it["licenses"] for it in bom["components"])
refs = {it["bom-ref"] for it in bom["components"]} | {bom["metadata"]["component"]["bom-ref"]}
assert all(set(it["dependsOn"]) <= refs for it in bom["dependencies"])
try:
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator
except ImportError:
    print("left out: the SBOM's schema, which cyclonedx-python-lib[json-validation] is needed for")
else:
    wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(json.dumps(bom))
    assert wrong is None, wrong
PYTHON
}

# A package of another system, with as much of a program as is looked at.
make_foreign_package() {
    printf '\xcf\xfa\xed\xfe\x0c\x00\x00\x01' > "$work/foreign"
    head -c 4096 /dev/zero >> "$work/foreign"
    "$here/npm.py" platform aarch64-apple-darwin "$work/foreign" "$out" > /dev/null
}

check_npm() {
    local app=$work/npm id cpu code=0
    cpu=$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')
    mkdir "$app"
    make_foreign_package
    cat > "$app/package.json" <<JSON
{"dependencies": {"hardwon": "file:$out/hardwon-$version.tgz", "@hardwon/linux-$cpu": "file:$out/hardwon-linux-$cpu-$version.tgz"},
 "optionalDependencies": {"@hardwon/darwin-arm64": "file:$out/hardwon-darwin-arm64-$version.tgz"}}
JSON
    (cd "$app" && npm install --ignore-scripts --offline --no-audit --no-fund --silent)
    [ -x "$app/node_modules/@hardwon/linux-$cpu/bin/hardwon" ] || fail "npm: the program is not there"
    [ ! -e "$app/node_modules/@hardwon/darwin-arm64" ] || fail "npm: the program of another system was installed"
    run_program "$app/node_modules/.bin/hardwon"
    # A signal reaches the program, and how it ended is how the wrapper ends.
    mkfifo "$work/stdin"
    "$app/node_modules/.bin/hardwon" mcp < "$work/stdin" > /dev/null 2>&1 &
    id=$!
    started+=("$id")
    exec 9> "$work/stdin"
    sleep 1
    kill -TERM "$id"
    wait "$id" || code=$?
    exec 9>&-
    [ "$code" = 143 ] || fail "npm: after SIGTERM the exit code is $code, not 143"
    # Where npm was told to leave out optional packages, it says so.
    rm -r "$app/node_modules/@hardwon"
    expect_refusal 'optional dependencies' "$app/node_modules/.bin/hardwon" --version
    (cd "$app" && npm uninstall --silent hardwon "@hardwon/linux-$cpu" @hardwon/darwin-arm64)
    expect_nothing "$app"
}

check_npm_global() {
    local prefix=$work/npm-global cpu
    cpu=$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')
    npm install --global --prefix "$prefix" --ignore-scripts --offline --no-audit --no-fund --silent \
        "$out/hardwon-linux-$cpu-$version.tgz" "$out/hardwon-$version.tgz"
    run_program "$prefix/bin/hardwon"
    [ -s "$prefix/share/man/man1/hardwon.1" ] || fail "npm: no man page"
    "$prefix/bin/hardwon" upgrade | grep -q 'npm install --global hardwon' || fail "npm: upgrade"
    # Agents start the program itself: Node.js would take ten times as long, at each of their hooks.
    PATH=$prefix/bin:$PATH hardwon init --client claude-code --yes --no-learn > /dev/null
    grep -q '/bin/hardwon hook --client' "$HOME/.claude/settings.json" || fail "npm: the hooks start the wrapper"
    PATH=$prefix/bin:$PATH hardwon uninstall --yes > /dev/null
    [ -z "$(find "$HOME" -name '.claude*')" ] || fail "uninstall left settings of Claude Code behind"
    npm uninstall --global --prefix "$prefix" --silent hardwon "@hardwon/linux-$cpu"
    expect_nothing "$prefix"
}

check_wheel() {
    local venv=$work/venv
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --no-index "$out"/hardwon-"$version"-py3-none-*.whl
    run_program "$venv/bin/hardwon"
    [ -s "$venv/share/man/man1/hardwon.1" ] || fail "the wheel has no man page"
    "$venv/bin/hardwon" upgrade | grep -q 'pip install --upgrade hardwon' || fail "pip: upgrade"
    "$venv/bin/pip" uninstall --quiet --yes hardwon
    expect_nothing "$venv"
    if has twine; then
        twine check --strict "$out"/*.whl > "$work/twine" 2>&1 || fail "$(cat "$work/twine")"
    else
        leave_out "twine check, which twine is needed for"
    fi
    if has uvx; then
        run_program uvx --offline --quiet --from "$(ls "$out"/hardwon-"$version"-py3-none-*.whl)" hardwon
    else
        leave_out "uvx, which uv is needed for"
    fi
}

check_debian() {
    local root=$work/debian package
    package=$(ls "$out"/hardwon_"$version"_*.deb)
    mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
    touch "$root/var/lib/dpkg/status" "$root/var/lib/dpkg/available"
    if [ "$(id -u)" = 0 ]; then
        dpkg --root="$root" --install "$package" > "$work/dpkg" 2>&1 || fail "$(cat "$work/dpkg")"
    else
        dpkg -x "$package" "$root"
        leave_out "dpkg --install, which root is needed for: it was only unpacked"
    fi
    run_program "$root/usr/bin/hardwon"
    gzip --test "$root/usr/share/man/man1/hardwon.1.gz"
    [ -s "$root/usr/share/doc/hardwon/copyright" ] || fail "no copyright"
    if [ "$(id -u)" = 0 ]; then
        dpkg --root="$root" --purge hardwon > "$work/dpkg" 2>&1 || fail "$(cat "$work/dpkg")"
        expect_nothing "$root"
    fi
}

# Serves a folder on loopback, and leaves its address in `served`.
serve() {
    : > "$work/port"
    python3 -u - "$1" > "$work/port" <<'PYTHON' &
import functools, http.server, sys
class Quiet(http.server.SimpleHTTPRequestHandler):
    log_message = lambda *_: None
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=sys.argv[1]))
print(server.server_port)
server.serve_forever()
PYTHON
    started+=("$!")
    for _ in $(seq 100); do [ -s "$work/port" ] && break; sleep 0.05; done
    served=http://127.0.0.1:$(cat "$work/port")
}

check_install_script() {
    local prefix=$work/prefix shell=$1 id served
    mkdir -p "$work/served"
    ln -sfn "$out" "$work/served/v$version"
    serve "$work/served"
    install() { $shell "$out/install.sh" --base-url "$served" --target "$target" "$@"; }
    install --prefix "$prefix" > "$said" 2>&1 || fail "install.sh: $(cat "$said")"
    run_program "$prefix/bin/hardwon"
    [ -s "$prefix/share/man/man1/hardwon.1" ] || fail "install.sh: no man page"
    "$prefix/bin/hardwon" upgrade | grep -q 'install.sh' || fail "install.sh: upgrade"
    # Again, while the program runs: it goes on, and the new one is in its place.
    mkfifo "$work/stdin-$shell"
    "$prefix/bin/hardwon" mcp < "$work/stdin-$shell" > /dev/null 2>&1 &
    id=$!
    started+=("$id")
    exec 8> "$work/stdin-$shell"
    install --prefix "$prefix" > "$said" 2>&1 || fail "install.sh, again: $(cat "$said")"
    kill -0 "$id" || fail "install.sh: what ran has ended"
    exec 8>&-
    wait "$id" || true
    install --prefix "$prefix" --uninstall > "$said" 2>&1 || fail "install.sh --uninstall: $(cat "$said")"
    [ ! -e "$prefix" ] || fail "left behind: $(find "$prefix" | head -5)"

    # What is not what the release says is refused, and nothing is there afterwards.
    mkdir -p "$work/wrong/v$version"
    cp "$out/SHA256SUMS" "$work/wrong/v$version/"
    gzip -dc "$out/hardwon-$version-$target.tar.gz" | { cat; echo more; } | gzip -1 > "$work/wrong/v$version/hardwon-$version-$target.tar.gz"
    serve "$work/wrong"
    expect_refusal 'the checksum of' install --prefix "$prefix"
    [ ! -e "$prefix" ] || fail "install.sh left something behind"
    served=http://example.org
    expect_refusal 'it is not https' install --prefix "$prefix"
    # A program that somebody else installed stays.
    mkdir -p "$prefix/bin"
    echo other > "$prefix/bin/hardwon"
    serve "$work/served"
    expect_refusal 'in another way' install --prefix "$prefix"
    [ "$(cat "$prefix/bin/hardwon")" = other ] || fail "install.sh replaced another program"
    rm -r "$prefix"
}
check_install_script_sh() { check_install_script sh; }
check_install_script_busybox() { check_install_script "busybox sh"; }

# In a folder with nothing else: what an image from scratch, an old Debian or Alpine would give it.
check_image() {
    mkdir -p "$work/image"
    cp "$binary" "$work/image/hardwon"
    [ "$(chroot "$work/image" /hardwon --version)" = "hardwon $version" ] || fail "the program needs more than itself"
    chroot "$work/image" /hardwon demo | grep -q LEARNED || fail "the demo needs more than the program"
}

check_formula() {
    grep -q "sha256 \"$(sed -n "s/ .*hardwon-$version-$target.tar.gz$//p" "$out/SHA256SUMS")\"" "$out/hardwon.rb"
    if has ruby; then ruby -c "$out/hardwon.rb" > /dev/null; else leave_out "the formula's syntax, which ruby is needed for"; fi
}

check_shell() {
    shellcheck "$here"/*.sh "$here/../../deploy/install.sh"
}

if [ -n "${HARDWON_QUICK:-}" ] && has strip; then
    strip -o "$work/built/$target/hardwon" "$binary"
    binary=$work/built/$target/hardwon
else
    cp "$binary" "$work/built/$target/hardwon"
fi
pages=${2:-$work/pages}
[ -n "${2:-}" ] || "$here/pages.sh" "$pages" > /dev/null
pages=$(cd "$pages" && pwd)
try check_packing
try check_archive
try check_sbom
if has npm; then try check_npm; try check_npm_global; else leave_out "the packages for npm, which npm is needed for"; fi
if python3 -c 'import venv, ensurepip' 2> /dev/null; then try check_wheel; else leave_out "the wheel, which python3-venv is needed for"; fi
if has dpkg-deb; then try check_debian; else leave_out "the Debian package, which dpkg is needed for"; fi
try check_install_script_sh
if has busybox; then try check_install_script_busybox; else leave_out "install.sh by busybox"; fi
case $target in
    *-musl)
        try check_formula
        if [ "$(id -u)" = 0 ]; then try check_image; else leave_out "the image, which root is needed for"; fi ;;
    *) leave_out "the image and the formula, which a static program is needed for" ;;
esac
if has shellcheck; then try check_shell; else leave_out "shellcheck"; fi
leave_out "macOS and Windows, whose programs do not run here; Homebrew and cargo binstall, which ask their own servers"
