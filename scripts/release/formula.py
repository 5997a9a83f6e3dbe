#!/usr/bin/env -S python3 -B
"""Fills the Homebrew formula with the checksums of a release. A target whose archive is not there is left out, and said.

usage: formula.py FOLDER     reads FOLDER/SHA256SUMS, writes FOLDER/hardwon.rb
"""
import pathlib, sys

from common import DESCRIPTION, ROOT, VERSION, archive_name, read_repository

BLOCKS = {"aarch64-apple-darwin": ("macos", "arm"), "x86_64-apple-darwin": ("macos", "intel"),
          "aarch64-unknown-linux-musl": ("linux", "arm"), "x86_64-unknown-linux-musl": ("linux", "intel")}


def main():
    folder = pathlib.Path(sys.argv[1])
    rows = (line.split() for line in (folder / "SHA256SUMS").read_text().splitlines())
    sums = {name.lstrip("*"): checksum for checksum, name in rows}
    blocks = []
    for target, (system, cpu) in BLOCKS.items():
        name = archive_name(target)
        if name not in sums:
            print(f"left out of the formula: {target}: {name} is not in {folder}", file=sys.stderr)
            continue
        url = f"{read_repository()}/releases/download/v{VERSION}/{name}"
        blocks.append(f'  on_{system} do\n    on_{cpu} do\n      url "{url}"\n      sha256 "{sums[name]}"\n    end\n  end\n')
    if not blocks:
        sys.exit("no archive of a release is there, so there is no formula")
    text = (ROOT / "deploy/hardwon.rb.in").read_text()
    for word, value in {"@DESCRIPTION@": DESCRIPTION, "@HOMEPAGE@": read_repository(), "@VERSION@": VERSION, "@BLOCKS@\n": "\n".join(blocks)}.items():
        text = text.replace(word, value)
    (folder / "hardwon.rb").write_text(text)
    print(folder / "hardwon.rb")


if __name__ == "__main__":
    main()
