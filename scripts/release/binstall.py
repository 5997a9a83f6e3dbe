#!/usr/bin/env -S python3 -B
"""Checks that `cargo binstall` will ask for the archive that is made, and will look into it where the program is.

usage: binstall.py OUT TARGET
"""
import pathlib, sys, tarfile, tomllib, zipfile

from common import ROOT, VERSION, archive_name, program_name, read_repository


def main():
    out, target = pathlib.Path(sys.argv[1]), sys.argv[2]
    package = tomllib.loads((ROOT / "crates/cli/Cargo.toml").read_text())["package"]
    assert package["repository"] == {"workspace": True}, "the registry has to know the repository, because cargo binstall asks it"
    wanted = package["metadata"]["binstall"]
    words = {"repo": read_repository(), "version": VERSION, "target": target, "bin": "hardwon", "binary-ext": program_name(target)[7:],
             "archive-suffix": ".zip" if "windows" in target else ".tar.gz"}
    wanted = {**wanted, **wanted["overrides"].get(target, {})}

    def fill(text):
        for word, value in words.items():
            text = text.replace("{ %s }" % word, value)
        assert "{" not in text, text
        return text

    expected = f"{read_repository()}/releases/download/v{VERSION}/{archive_name(target)}"
    assert fill(wanted["pkg-url"]) == expected, (fill(wanted["pkg-url"]), expected)
    path = out / archive_name(target)
    names = zipfile.ZipFile(path).namelist() if path.suffix == ".zip" else tarfile.open(path).getnames()
    assert fill(wanted["bin-dir"]) in names, (fill(wanted["bin-dir"]), names)
    assert wanted["pkg-fmt"] == ("zip" if path.suffix == ".zip" else "tgz")


if __name__ == "__main__":
    main()
