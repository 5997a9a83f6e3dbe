#!/usr/bin/env -S python3 -B
"""Checks that a release may be made of this checkout, and says in one sentence what is missing: who publishes it, what changed,
and that what is built is what was committed and tagged.

usage: check_release.py
"""
import os, subprocess, sys

from common import ROOT, VERSION, is_repository_named, read_repository


def find_trouble():
    if not is_repository_named():
        return ("nobody is named who publishes hardwon: set `repository` in the root Cargo.toml to the address of the repository, "
                "in place of OWNER")
    github = os.environ.get("GITHUB_REPOSITORY")
    if github and not read_repository().lower().endswith(f"/{github.lower()}"):
        return f"`repository` in the root Cargo.toml is {read_repository()}, but this runs in {github}: make them one"
    tag = os.environ.get("GITHUB_REF_NAME") if os.environ.get("GITHUB_REF_TYPE") == "tag" else None
    if tag and tag != f"v{VERSION}":
        return f"the tag is {tag}, but `version` in the root Cargo.toml is {VERSION}: tag v{VERSION}, or change it"
    if f"\n## {VERSION}" not in (ROOT / "CHANGELOG.md").read_text():
        return f"CHANGELOG.md has no section `## {VERSION}`: name what is unreleased so"
    changed = subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    if changed:
        return f"this is no clean checkout: commit or remove {changed.splitlines()[0][3:]}"


if __name__ == "__main__":
    trouble = find_trouble()
    sys.exit(trouble and f"no release: {trouble}")
