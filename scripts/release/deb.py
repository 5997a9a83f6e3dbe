#!/usr/bin/env -S python3 -B
"""Makes a Debian package of a program, by dpkg-deb. A static program depends on nothing.

usage: deb.py TARGET BINARY PAGES OUT
"""
import gzip, os, pathlib, subprocess, sys, tempfile

from common import AUTHORS, DESCRIPTION, LEVEL, LICENCE_FILES, ROOT, VERSION, find_target, read_binary, read_epoch, read_repository, share_files

COPYRIGHT = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: hardwon
Source: {repository}

Files: *
Copyright: {authors}
License: MIT or Apache-2.0

License: MIT
{mit}
License: Apache-2.0
 On Debian systems the text is in /usr/share/common-licenses/Apache-2.0.
"""
CONTROL = """Package: hardwon
Version: {version}
Architecture: {architecture}
Maintainer: {authors}
Installed-Size: {size}
Section: utils
Priority: optional
Homepage: {repository}
Suggests: git
Description: {description}
 hardwon reads what a coding agent really did, finds where it struggled,
 records that as a short lesson, and shows it again when it matters.
 One program, one SQLite file; no model, no network, no daemon.
"""


def indent(text):
    return "".join(f" {line or '.'}\n" for line in text.strip().splitlines())


def package_files(target, binary, pages):
    pack = lambda data: gzip.compress(data, 9, mtime=0)
    files = {"usr/bin/hardwon": read_binary(binary, target)}
    for name, data in share_files(pages, zsh="zsh/vendor-completions").items():
        is_page = name.startswith("man/")
        files[f"usr/share/{name}" + (".gz" if is_page else "")] = pack(data) if is_page else data
    mit = indent((ROOT / LICENCE_FILES[1]).read_text())
    files["usr/share/doc/hardwon/copyright"] = COPYRIGHT.format(repository=read_repository(), authors=AUTHORS, mit=mit).encode()
    files["usr/share/doc/hardwon/changelog.gz"] = pack((ROOT / "CHANGELOG.md").read_bytes())
    unit = (ROOT / "deploy/hardwon.service").read_text().replace("/usr/local/bin/", "/usr/bin/")
    files["usr/share/doc/hardwon/examples/hardwon.service"] = unit.encode()
    return files


def main():
    target, binary, pages, out = sys.argv[1:]
    architecture = find_target(target)[3]
    if architecture is None:
        sys.exit(f"Debian has no architecture for {target}")
    files = package_files(target, binary, pages)
    size = sum(len(data) for data in files.values()) // 1024 + 1
    control = CONTROL.format(version=VERSION, architecture=architecture, authors=AUTHORS, size=size, repository=read_repository(),
                             description=DESCRIPTION[0].lower() + DESCRIPTION[1:])
    path = pathlib.Path(out) / f"hardwon_{VERSION}_{architecture}.deb"
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder) / "root"
        for name, data in {**files, "DEBIAN/control": control.encode()}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(data)
            (root / name).chmod(0o755 if name == "usr/bin/hardwon" else 0o644)
        for below in [root, *root.rglob("*")]:
            if below.is_dir():
                below.chmod(0o755)
        command = ["dpkg-deb", "--root-owner-group", "-Zxz", f"-z{LEVEL}", "--build", root, path]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "SOURCE_DATE_EPOCH": str(read_epoch())})
    print(path)


if __name__ == "__main__":
    main()
