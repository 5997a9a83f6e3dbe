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
current=
# shellcheck disable=SC2317
clean_up() {
    local id
    [ -z "$current" ] || echo "FAIL $current" >&2
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

# Runs a check, any command of which may fail it, and says how long it took.
try() {
    local start=$EPOCHREALTIME
    current=$1
    "$1"
    current=
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

# Serves a folder of packages on loopback, as a registry, an index and releases, and leaves its address in `served`.
serve() {
    : > "$work/port"
    python3 -B "$here/serve.py" "$1" > "$work/port" &
    started+=("$!")
    for _ in $(seq 200); do [ -s "$work/port" ] && break; sleep 0.05; done
    served=http://127.0.0.1:$(cat "$work/port")
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
    local prefix=$work/npm-global served
    serve "$out"
    export npm_config_registry=$served/npm/
    npm install --global --prefix "$prefix" --ignore-scripts --no-audit --no-fund --silent hardwon
    run_program "$prefix/bin/hardwon"
    [ -s "$prefix/share/man/man1/hardwon.1" ] || fail "npm: no man page"
    # Agents start the program itself: Node.js would take ten times as long, at each of their hooks.
    PATH=$prefix/bin:$PATH hardwon init --client claude-code --yes --no-learn > /dev/null
    grep -q '/bin/hardwon hook --client' "$HOME/.claude/settings.json" || fail "npm: the hooks start the wrapper"
    PATH=$prefix/bin:$PATH hardwon uninstall --yes > /dev/null
    [ -z "$(find "$HOME" -name '.claude*')" ] || fail "uninstall left settings of Claude Code behind"
    npm uninstall --global --prefix "$prefix" --silent hardwon
    expect_nothing "$prefix"
    # Without installing it.
    [ "$(cd "$HOME" && npx --yes hardwon --version)" = "hardwon $version" ] || fail "npx"
    unset npm_config_registry
}

check_wheel() {
    local venv=$work/venv served
    serve "$out"
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --index-url "$served/simple" hardwon
    run_program "$venv/bin/hardwon"
    [ -s "$venv/share/man/man1/hardwon.1" ] || fail "the wheel has no man page"
    "$venv/bin/pip" uninstall --quiet --yes hardwon
    expect_nothing "$venv"
    if has twine; then
        twine check --strict "$out"/*.whl > "$work/twine" 2>&1 || fail "$(cat "$work/twine")"
    else
        leave_out "twine check, which twine is needed for"
    fi
    if has uvx; then
        run_program uvx --quiet --no-config --default-index "$served/simple" hardwon
        uv tool install --quiet --no-config --default-index "$served/simple" hardwon
        run_program "$HOME/.local/bin/hardwon"
        uv tool uninstall --quiet hardwon
        [ ! -e "$HOME/.local/bin/hardwon" ] || fail "uv left the program behind"
    else
        leave_out "uvx and uv tool, which uv is needed for"
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

# A folder with the tools that install.sh needs and no others, to be all of PATH.
link_tools() {
    local tool
    mkdir -p "$1"
    for tool in awk basename cat chmod cp cut dirname grep gzip head id mkdir mktemp mv rm rmdir sed sh sha256sum sort tar uname "$2"; do
        ln -sf "$(command -v "$tool")" "$1/$tool"
    done
}

check_install_script() {
    local prefix=$work/prefix shell=$1 id served
    serve "$out"
    install() { $shell "$out/install.sh" --base-url "$served/releases/download" --target "$target" "$@"; }
    $shell "$out/install.sh" --help | grep -q -- '--uninstall' || fail "install.sh --help"
    install --prefix "$prefix" > "$said" 2>&1 || fail "install.sh: $(cat "$said")"
    # What to do next is said so that this shell can do it.
    grep -q "next: $prefix/bin/hardwon init" "$said" || fail "install.sh, beside the PATH: $(cat "$said")"
    run_program "$prefix/bin/hardwon"
    [ -s "$prefix/share/man/man1/hardwon.1" ] || fail "install.sh: no man page"
    # Again, while the program runs: it goes on, and the new one is in its place.
    mkfifo "$work/stdin-$shell"
    "$prefix/bin/hardwon" mcp < "$work/stdin-$shell" > /dev/null 2>&1 &
    id=$!
    started+=("$id")
    exec 8> "$work/stdin-$shell"
    PATH=$prefix/bin:$PATH install --prefix "$prefix" > "$said" 2>&1 || fail "install.sh, again: $(cat "$said")"
    grep -q "next: hardwon init" "$said" || fail "install.sh, on the PATH: $(cat "$said")"
    kill -0 "$id" || fail "install.sh: what ran has ended"
    exec 8>&-
    wait "$id" || true
    install --prefix "$prefix" --uninstall > "$said" 2>&1 || fail "install.sh --uninstall: $(cat "$said")"
    [ ! -e "$prefix" ] || fail "left behind: $(find "$prefix" | head -5)"
    # Where people have it: lessons are kept below the same folder, and each goes without the other.
    local -x HOME=$work/new-home
    mkdir -p "$HOME"
    install > "$said" 2>&1 || fail "install.sh, in a home: $(cat "$said")"
    "$HOME/.local/bin/hardwon" lesson add make 'Run make all.' > /dev/null
    "$HOME/.local/bin/hardwon" uninstall --purge --yes > /dev/null
    install --uninstall > "$said" 2>&1 || fail "install.sh --uninstall, after a purge: $(cat "$said")"
    [ ! -e "$HOME/.local" ] || fail "left behind: $(find "$HOME/.local" | head -5)"
}

# What install.sh refuses, and leaves nothing behind of.
check_install_refusals() {
    local prefix=$work/prefix name=hardwon-$version-$target.tar.gz served
    install() { sh "$out/install.sh" --base-url "$served/releases/download" --target "$target" --prefix "$prefix" "$@"; }
    expect_untouched() {
        expect_refusal "$1" "${@:2}"
        [ ! -e "$prefix" ] || fail "install.sh left something behind: $(find "$prefix" | head -5)"
    }
    mkdir -p "$work/wrong"
    # Something else, half of it, nothing, and a list that does not know it.
    cp "$out/SHA256SUMS" "$work/wrong/"
    serve "$work/wrong"
    { gzip -dc "$out/$name"; echo more; } | gzip -1 > "$work/wrong/$name"
    expect_untouched 'the checksum of' install
    head -c 100000 "$out/$name" > "$work/wrong/$name"
    expect_untouched 'the checksum of' install
    rm "$work/wrong/$name"
    expect_untouched 'fetching .* failed' install
    echo 'Not found' > "$work/wrong/SHA256SUMS"
    cp "$out/$name" "$work/wrong/"
    expect_untouched 'is not in SHA256SUMS' install
    served=http://example.org
    expect_untouched 'it is not https' install
    # A program that somebody else installed stays.
    serve "$out"
    mkdir -p "$prefix/bin"
    echo other > "$prefix/bin/hardwon"
    expect_refusal 'in another way' install
    [ "$(cat "$prefix/bin/hardwon")" = other ] || fail "install.sh replaced another program"
    rm -r "$prefix"
    # What is in the way is said before anything is written.
    mkdir "$prefix"
    touch "$prefix/share"
    expect_refusal 'share is not a folder' install
    [ "$(ls "$prefix")" = share ] || fail "install.sh left something behind: $(ls "$prefix")"
    rm -r "$prefix"
    if has setpriv && [ "$(id -u)" = 0 ]; then
        mkdir -m 755 "$prefix"
        chmod 755 "$work" "$out"
        (cd /; expect_refusal 'you may not write to' setpriv --reuid 65534 --regid 65534 --clear-groups \
            sh "$out/install.sh" --base-url "$served/releases/download" --target "$target" --prefix "$prefix")
        rmdir "$prefix"
    else
        leave_out "install.sh without the right to write, which root and setpriv are needed for"
    fi
    if has wget; then
        link_tools "$work/tools" wget
        (PATH=$work/tools install > "$said" 2>&1) || fail "install.sh by wget: $(cat "$said")"
        run_program "$prefix/bin/hardwon"
        install --uninstall > "$said" 2>&1
        rm "$work/tools/wget"
    else
        leave_out "install.sh by wget"
        link_tools "$work/tools" sh
    fi
    expect_untouched 'curl or wget is needed' env PATH="$work/tools" \
        sh "$out/install.sh" --base-url "$served/releases/download" --target "$target" --prefix "$prefix"
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

# The image of a release, by a builder that needs no engine: it runs, it is nobody's root, and its folder of data is its own.
check_container() {
    local context=$work/context image container folder arch
    arch=$(dpkg --print-architecture)
    local places=(--root "$work/containers" --runroot "$work/containers-run" --storage-driver vfs)
    mkdir -p "$context/data" "$context/$arch"
    cp "$binary" "$context/$arch/hardwon"
    image=$(buildah "${places[@]}" bud --quiet --isolation chroot --platform "linux/$arch" --file "$here/../../deploy/release.Dockerfile" "$context")
    container=$(buildah "${places[@]}" from "$image")
    folder=$(buildah "${places[@]}" mount "$container")
    [ "$(cd "$folder" && find . -type f)" = ./hardwon ] || fail "the image has more than the program"
    buildah "${places[@]}" umount "$container" > /dev/null
    inside() { buildah "${places[@]}" run --isolation chroot "$container" -- /hardwon "$@"; }
    [ "$(inside --version)" = "hardwon $version" ] || fail "the image: --version"
    inside lesson add make 'Run make all.' > /dev/null || fail "the image: lesson add"
    [ "$(inside lesson list | wc -l)" = 1 ] || fail "the image: lesson list"
    inside key add --role owner 2> /dev/null | grep -q '^hwk_' || fail "the image: key add"
    [ "$(find "$work/containers" -name hardwon.db -uid 10001 | wc -l)" = 1 ] || fail "the image: its user keeps no database of its own"
    buildah "${places[@]}" rm "$container" > /dev/null
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
try check_install_refusals
if has busybox; then try check_install_script_busybox; else leave_out "install.sh by busybox"; fi
case $target in
    *-musl)
        try check_formula
        if [ "$(id -u)" = 0 ]; then try check_image; else leave_out "the image, which root is needed for"; fi
        if has buildah && [ "$(id -u)" = 0 ]; then try check_container; else leave_out "the container image, which buildah and root are needed for"; fi ;;
    *) leave_out "the image and the formula, which a static program is needed for" ;;
esac
if has shellcheck; then try check_shell; else leave_out "shellcheck"; fi
leave_out "macOS and Windows, whose programs do not run here; Homebrew and cargo binstall, which ask their own servers"
