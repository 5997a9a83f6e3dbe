#!/bin/sh
# Installs hardwon for one user: the program, man pages and completions, below ~/.local. Asks for no rights, changes no settings.
# `--help` lists its options. Nothing is unpacked whose checksum is not that of the release.
set -eu

# Both are filled in when a release is made.
default_base_url='@BASE_URL@'
default_version='@VERSION@'

say() { printf '%s\n' "hardwon: $*"; }
fail() { printf '%s\n' "hardwon: $*" >&2; exit 1; }
has() { command -v "$1" > /dev/null 2>&1; }

usage() {
    cat << 'USAGE'
Installs hardwon for one user: the program, man pages and completions, below ~/.local.

  sh install.sh                    installs this release, or upgrades to it
  sh install.sh --prefix DIR       below another folder, such as /usr/local for everybody
  sh install.sh --version 1.2.3    another release
  sh install.sh --uninstall        removes what it installed, and nothing else

An archive is unpacked only if its checksum is that of the release. `--base-url URL` (or HARDWON_BASE_URL) names another place
of releases: URL/v1.2.3/hardwon-1.2.3-TARGET.tar.gz and URL/v1.2.3/SHA256SUMS. It must be https, or on this machine.
USAGE
}

find_target() {
    system=$(uname -s)
    machine=$(uname -m)
    case $system in
        Linux) system=unknown-linux-musl ;;
        Darwin)
            system=apple-darwin
            # A shell that is translated sees the other processor.
            if [ "$(sysctl -n sysctl.proc_translated 2> /dev/null || true)" = 1 ]; then machine=arm64; fi ;;
        *) fail "there is no program for $system here; Windows has it by npm, PyPI or the .zip of the release" ;;
    esac
    case $machine in
        x86_64 | amd64) machine=x86_64 ;;
        aarch64 | arm64) machine=aarch64 ;;
        *) fail "there is no program for $machine; build it with cargo" ;;
    esac
    printf '%s-%s\n' "$machine" "$system"
}

# Only https, but for this machine itself.
check_url() {
    case $1 in
        https://*) ;;
        http://127.0.0.1 | http://127.0.0.1[:/]* | http://localhost | http://localhost[:/]*) ;;
        *) fail "nothing is fetched from $1: it is not https" ;;
    esac
    case $1 in
        *[!A-Za-z0-9:/._~%+@-]*) fail "the address $1 has characters that none of ours has" ;;
    esac
}

fetch() {
    say "fetching $1"
    if has curl; then
        case $1 in https:*) only='=https' ;; *) only='=http,https' ;; esac
        curl --proto "$only" --proto-redir "$only" --fail --silent --show-error --location --retry 2 --output "$2" "$1" || fail "fetching $1 failed"
    elif has wget; then
        # GNU's goes on for many minutes otherwise, and says nothing.
        tries=
        if wget --version > /dev/null 2>&1; then tries=--tries=3; fi
        wget -q ${tries:+"$tries"} -O "$2" "$1" || fail "fetching $1 failed"
    else
        fail "curl or wget is needed"
    fi
}

sum_of() {
    if has sha256sum; then sha256sum < "$1"
    elif has shasum; then shasum -a 256 < "$1"
    elif has openssl; then openssl dgst -sha256 -r < "$1"
    else fail "sha256sum, shasum or openssl is needed to check what was fetched"
    fi | sed 's/[ *].*//'
}

# Checks a file against its line in SHA256SUMS.
check_sum() {
    wanted=$(awk -v name="$2" '$2 == name || $2 == "*" name { print $1 }' "$3")
    case $wanted in
        '') fail "$2 is not in SHA256SUMS of the release; nothing was installed" ;;
        *[!0-9a-f]*) fail "SHA256SUMS of the release does not say one checksum of $2; nothing was installed" ;;
    esac
    found=$(sum_of "$1")
    if [ "$found" != "$wanted" ]; then
        fail "the checksum of $2 is $found and should be $wanted; nothing was installed"
    fi
}

# Fails if a folder that is to be written to, or the nearest one above it that is there, is not ours to write to.
check_writable() {
    while read -r _ _ there; do
        below=$prefix/$there
        while [ ! -d "$below" ]; do
            below=$(dirname "$below")
            if [ -d "$below" ]; then break; fi
            if [ -e "$below" ]; then fail "$below is not a folder; name another one with --prefix DIR"; fi
        done
        [ -w "$below" ] || fail "you may not write to $below; name a folder of yours with --prefix DIR"
    done
}

# What a release has, a line a file: its mode, its name in the archive, its place below the prefix.
list_files() {
    echo "755 hardwon bin/hardwon"
    for page in "$1"/man/*.1; do echo "644 man/${page##*/} share/man/man1/${page##*/}"; done
    echo "644 completions/hardwon.bash share/bash-completion/completions/hardwon"
    echo "644 completions/_hardwon share/zsh/site-functions/_hardwon"
    echo "644 completions/hardwon.fish share/fish/vendor_completions.d/hardwon.fish"
}

# What has to be removed again: the folders that are not there yet, the files, and what an earlier release installed.
list_ours() {
    if [ ! -d "$prefix" ]; then echo 'folder .'; fi
    { cat "$1"; echo "644 - share/doc/hardwon/installed.txt"; } | while read -r _ _ there; do
        below=$(dirname "$there")
        while [ "$below" != . ] && [ ! -d "$prefix/$below" ]; do
            echo "folder $below"
            below=$(dirname "$below")
        done
        echo "file $there"
    done
    if [ -f "$kept_list" ]; then grep -E '^(file|folder) ' "$kept_list" || true; fi
}

# Puts a file in its place at once, so that a hardwon that runs, or is being started, is whole.
place() {
    mkdir -p "$prefix/$(dirname "$2")" && cp "$1" "$prefix/$2.hardwon-new" && chmod "$3" "$prefix/$2.hardwon-new" &&
        mv -f "$prefix/$2.hardwon-new" "$prefix/$2" && return
    rm -f "$prefix/$2.hardwon-new"
    fail "writing $prefix/$2 failed; run this again to finish, or with --uninstall to remove what is there"
}

remove_old() {
    [ -f "$kept_list" ] || fail "nothing that this script installed is below $prefix"
    # The list is on itself.
    cp "$kept_list" "$work/list"
    while read -r kind name; do
        case $name in /* | .. | ../* | */.. | */../*) fail "$kept_list names $name, which is not below $prefix" ;; esac
        case $kind in file) rm -f "$prefix/$name" ;; esac
    done < "$work/list"
    # The folders that it made, from below, if nobody else uses them.
    sed -n 's/^folder //p' "$work/list" | sort -r | while read -r name; do
        case $name in .) name=$prefix ;; *) name=$prefix/$name ;; esac
        rmdir "$name" 2> /dev/null || true
    done
    say "removed from $prefix; lessons and agents' settings are as they were"
}

# Says what to do next, by a name or path that this shell can start.
say_next() {
    case :$PATH: in
        *:"$prefix/bin":*)
            found=$(command -v hardwon 2> /dev/null || true)
            if [ "$found" = "$prefix/bin/hardwon" ]; then
                say "next: hardwon init"
                return
            fi
            say "note: $found comes first on your PATH" ;;
        *) say "note: $prefix/bin is not on your PATH; to have it there, add this line to ~/.profile (zsh: ~/.zprofile):"
            say "  export PATH=\"$prefix/bin:\$PATH\"" ;;
    esac
    say "next: $prefix/bin/hardwon init"
}

install_release() {
    case $version in
        '' | @* | *[!0-9A-Za-z.+-]*) fail "say which release: --version 1.2.3" ;;
    esac
    case $base_url in '' | @*) fail "say where the releases are: --base-url URL" ;; esac
    check_url "$base_url"
    name=hardwon-$version-$target
    if [ -e "$prefix/bin/hardwon" ] && ! grep -q '^file bin/hardwon$' "$kept_list" 2> /dev/null; then
        fail "$prefix/bin/hardwon was installed in another way; upgrade it in that way, or name another --prefix"
    fi
    echo "755 hardwon bin/hardwon" | check_writable
    fetch "$base_url/v$version/SHA256SUMS" "$work/SHA256SUMS"
    fetch "$base_url/v$version/$name.tar.gz" "$work/$name.tar.gz"
    check_sum "$work/$name.tar.gz" "$name.tar.gz" "$work/SHA256SUMS"
    (cd "$work" && tar -xzf "$name.tar.gz")
    "$work/$name/hardwon" --version > "$work/said" 2>&1 ||
        fail "the program does not run here ($(head -n 1 "$work/said")); nothing was installed. If $work may hold no programs, set TMPDIR"

    list_files "$work/$name" > "$work/files"
    check_writable < "$work/files"
    # First, so that what is interrupted can be finished or removed.
    list_ours "$work/files" | awk '!seen[$0]++' > "$work/list"
    place "$work/list" share/doc/hardwon/installed.txt 644
    while read -r mode file there; do
        place "$work/$name/$file" "$there" "$mode"
    done < "$work/files"
    say "installed hardwon $version as $prefix/bin/hardwon"
    if [ "$prefix" = /root/.local ]; then say "note: it is for root alone; --prefix /usr/local installs it for everybody"; fi
    say_next
}

main() {
    base_url=${HARDWON_BASE_URL:-$default_base_url}
    version=$default_version
    prefix=
    target=
    is_removal=false
    while [ $# -gt 0 ]; do
        case $1 in
            --prefix | --version | --base-url | --target)
                [ $# -gt 1 ] || fail "$1 needs a value"
                case $1 in
                    --prefix) prefix=$2 ;;
                    --version) version=${2#v} ;;
                    --base-url) base_url=${2%/} ;;
                    --target) target=$2 ;;
                esac
                shift ;;
            --uninstall) is_removal=true ;;
            -h | --help) usage; exit 0 ;;
            *) fail "there is no option $1; --help lists them" ;;
        esac
        shift
    done
    if [ -z "$prefix" ]; then
        [ -n "${HOME:-}" ] || fail "HOME is not set; name a folder with --prefix DIR"
        prefix=$HOME/.local
    fi
    case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
    # Not in share/hardwon: in a home that is where the lessons are.
    kept_list=$prefix/share/doc/hardwon/installed.txt
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    if $is_removal; then
        remove_old
    else
        if [ -z "$target" ]; then target=$(find_target); fi
        install_release
    fi
}

# Last, so that half of this file does nothing.
main "$@"
