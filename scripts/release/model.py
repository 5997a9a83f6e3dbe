#!/usr/bin/env -S python3 -B
"""Packs the sentence model of published weights that a person has: `hardwon-model` for npm and PyPI, and an archive for a release.
Nothing is downloaded. Weights whose licence is not known are packed for nobody.

usage: model.py HARDWON SOURCE OUT     HARDWON is the program, SOURCE the archive or folder that `hardwon meaning add` takes
"""
import json, pathlib, struct, subprocess, sys, tempfile

import npm, wheel
from common import AUTHORS, ROOT, VERSION, read_epoch, read_repository, write_zip

FILE = "meaning.hwmodel"
LICENCE_FILE = "LICENSE-APACHE"
DESCRIPTION = "The sentence model of hardwon: finds lessons that say the same in other words"
README = """# hardwon-model

{notice}.

A file of numbers, and no program: nothing runs when it is installed, and nothing is fetched. It is put in place by one of

```
pip download --no-deps hardwon-model && hardwon meaning add hardwon_model-*.whl
npm install --no-save hardwon-model && hardwon meaning add node_modules/hardwon-model
```

{name}, {licence}. SHA-256 of its numbers: {sha256}. What it does: {repository}, docs/meaning.md.
"""


def convert(program, source):
    """Has hardwon convert the weights, and returns the file with what its head says."""
    with tempfile.TemporaryDirectory() as home:
        variables = {"HOME": home, "XDG_DATA_HOME": home, "PATH": ""}
        subprocess.run([pathlib.Path(program).resolve(), "meaning", "add", source], env=variables, check=True, stdout=subprocess.DEVNULL)
        data = next(pathlib.Path(home).rglob(FILE)).read_bytes()
    length, = struct.unpack_from("<I", data, 8)
    return data, json.loads(data[12:12 + length])


def main():
    program, source, out = sys.argv[1:]
    data, head = convert(program, source)
    licence = head["license"]
    if licence != "Apache-2.0":
        sys.exit(f"{head['name']}: {licence} is not known to let anybody pass the weights on")
    readme = README.format(notice=head["notice"].capitalize(), name=head["name"], licence=licence, sha256=head["sha256"], repository=read_repository())
    notice = f"{head['name']}\n{head['notice']}\nlicence: {licence}\n"
    text = (ROOT / LICENCE_FILE).read_bytes()
    files = {FILE: (data, 0o644), "NOTICE": (notice.encode(), 0o644)}
    archive = pathlib.Path(out) / f"hardwon-model-{VERSION}.zip"
    write_zip(archive, [(name, *file) for name, file in {**files, LICENCE_FILE: (text, 0o644)}.items()], read_epoch())
    print(archive)
    described = ["Metadata-Version: 2.4", "Name: hardwon-model", f"Version: {VERSION}", f"Summary: {DESCRIPTION}", f"Author: {AUTHORS}",
                 f"License-Expression: {licence}", f"License-File: {LICENCE_FILE}", "License-File: NOTICE", f"Project-URL: Source, {read_repository()}",
                 "Description-Content-Type: text/markdown"]
    licences = [(LICENCE_FILE, text), ("NOTICE", notice.encode())]
    wheel.write_wheel("hardwon_model", "any", [(f"hardwon_model/{FILE}", data, 0o644)], "\n".join(described) + "\n\n" + readme, licences, out)
    about = npm.describe("hardwon-model", DESCRIPTION) | {"license": licence, "files": [*files, LICENCE_FILE]}
    npm.pack(about, {**files, "README.md": (readme.encode(), 0o644)}, out, [LICENCE_FILE])


if __name__ == "__main__":
    main()
