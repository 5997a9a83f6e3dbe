#!/usr/bin/env -S python3 -B
"""Packs a program with its licence, README, man pages and completions, as releases and `install.sh` have it.

usage: archive.py TARGET BINARY PAGES OUT
"""
import pathlib, sys

from common import LICENCE_FILES, ROOT, VERSION, archive_name, list_pages, program_name, read_binary, read_epoch, write_tar, write_zip


def main():
    target, binary, pages, out = sys.argv[1:]
    man, completions = list_pages(pages)
    top = f"hardwon-{VERSION}-{target}"
    files = [(program_name(target), read_binary(binary, target), 0o755)]
    files += [(name, (ROOT / name).read_bytes(), 0o644) for name in ("README.md", "CHANGELOG.md", *LICENCE_FILES)]
    files += [(f"man/{page.name}", page.read_bytes(), 0o644) for page in man]
    files += [(f"completions/{file.name}", file.read_bytes(), 0o644) for _, file in completions]
    write = write_zip if archive_name(target).endswith(".zip") else write_tar
    path = pathlib.Path(out) / archive_name(target)
    write(path, [(f"{top}/{name}", data, mode) for name, data, mode in files], read_epoch())
    print(path)


if __name__ == "__main__":
    main()
