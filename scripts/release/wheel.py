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


def write_wheel(name, tags, files, described, licences, out):
    """Writes (name, bytes, mode) as a wheel, with the metadata and the licences (name, bytes)."""
    about, is_pure = f"{name}-{VERSION}.dist-info", tags == "any"
    wheel = ["Wheel-Version: 1.0", "Generator: hardwon", f"Root-Is-Purelib: {str(is_pure).lower()}", *(f"Tag: py3-none-{tag}" for tag in tags.split("."))]
    files = [*files, *((f"{about}/licenses/{licence}", text, 0o644) for licence, text in licences)]
    files += [(f"{about}/METADATA", described.encode(), 0o644), (f"{about}/WHEEL", ("\n".join(wheel) + "\n").encode(), 0o644)]
    record = [f"{file},sha256={base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b'=').decode()},{len(text)}"
              for file, text, _ in files]
    files.append((f"{about}/RECORD", ("\n".join([*record, f"{about}/RECORD,,"]) + "\n").encode(), 0o644))
    path = pathlib.Path(out) / f"{name}-{VERSION}-py3-none-{tags}.whl"
    write_zip(path, files, read_epoch())
    print(path)


def main():
    target, binary, pages, out = sys.argv[1:]
    data = f"hardwon-{VERSION}.data"
    files = [(f"{data}/scripts/{program_name(target)}", read_binary(binary, target), 0o755)]
    if "windows" not in target:
        files += [(f"{data}/data/share/{name}", text, 0o644) for name, text in share_files(pages).items()]
    licences = [(name, (ROOT / name).read_bytes()) for name in LICENCE_FILES]
    write_wheel("hardwon", find_target(target)[2], files, metadata(), licences, out)


if __name__ == "__main__":
    main()
