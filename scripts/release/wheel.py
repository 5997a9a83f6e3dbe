#!/usr/bin/env -S python3 -B
"""Writes a wheel with the program in it, for `uvx hardwon`, `uv tool install`, `pipx` and `pip`.

A wheel is a zip with three files about it, so no build tool is asked: the bytes depend on nothing but what goes in.

usage: wheel.py TARGET BINARY PAGES OUT
"""
import base64, hashlib, pathlib, sys

from common import (AUTHORS, DESCRIPTION, LICENCE, LICENCE_FILES, ROOT, VERSION, find_target, package_readme, program_name, read_binary,
                    read_epoch, read_repository, share_files, write_zip)


def metadata():
    head = ["Metadata-Version: 2.4", "Name: hardwon", f"Version: {VERSION}", f"Summary: {DESCRIPTION}", f"Author: {AUTHORS}",
            f"License-Expression: {LICENCE}", *(f"License-File: {name}" for name in LICENCE_FILES),
            f"Project-URL: Source, {read_repository()}", "Requires-Python: >=3.8", "Description-Content-Type: text/markdown"]
    return "\n".join(head) + "\n\n" + package_readme()


def main():
    target, binary, pages, out = sys.argv[1:]
    tags = find_target(target)[2]
    about, data = f"hardwon-{VERSION}.dist-info", f"hardwon-{VERSION}.data"
    wheel = ["Wheel-Version: 1.0", "Generator: hardwon", "Root-Is-Purelib: false", *(f"Tag: py3-none-{tag}" for tag in tags.split("."))]
    files = [(f"{data}/scripts/{program_name(target)}", read_binary(binary, target), 0o755)]
    if "windows" not in target:
        files += [(f"{data}/data/share/{name}", text, 0o644) for name, text in share_files(pages).items()]
    files += [(f"{about}/licenses/{name}", (ROOT / name).read_bytes(), 0o644) for name in LICENCE_FILES]
    files += [(f"{about}/METADATA", metadata().encode(), 0o644), (f"{about}/WHEEL", ("\n".join(wheel) + "\n").encode(), 0o644)]
    record = [f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b'=').decode()},{len(text)}"
              for name, text, _ in files]
    files.append((f"{about}/RECORD", ("\n".join([*record, f"{about}/RECORD,,"]) + "\n").encode(), 0o644))
    path = pathlib.Path(out) / f"hardwon-{VERSION}-py3-none-{tags}.whl"
    write_zip(path, files, read_epoch())
    print(path)


if __name__ == "__main__":
    main()
