#!/usr/bin/env -S python3 -B
"""Writes install.sh as a release has it: it knows its own release, and where that is.

usage: install_script.py OUT
"""
import pathlib, sys

from common import ROOT, VERSION, read_repository


def main():
    text = (ROOT / "deploy/install.sh").read_text()
    for word, value in {"'@BASE_URL@'": f"'{read_repository()}/releases/download'", "'@VERSION@'": f"'{VERSION}'"}.items():
        assert text.count(word) == 1, word
        text = text.replace(word, value)
    path = pathlib.Path(sys.argv[1]) / "install.sh"
    path.write_text(text)
    path.chmod(0o755)
    print(path)


if __name__ == "__main__":
    main()
