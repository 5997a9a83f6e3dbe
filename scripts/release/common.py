"""What the scripts of a release share: the table of targets, facts of the workspace, archives of the same bytes each time.

usage: common.py version|epoch|repository|registry   prints one of them; the last is server.json of who publishes it
       common.py target BINARY                       prints the target that a program was built for
"""
import gzip, io, json, os, pathlib, struct, subprocess, sys, tarfile, tomllib, zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORKSPACE = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]
VERSION = WORKSPACE["version"]
DESCRIPTION = WORKSPACE["description"]
LICENCE = WORKSPACE["license"]
LICENCE_FILES = ("LICENSE-APACHE", "LICENSE-MIT")
AUTHORS = "The hardwon authors"
# For a quick try: packed less tightly, which takes a fifth of the time.
LEVEL = 1 if os.environ.get("HARDWON_QUICK") else 9

# Names for one kind of machine: npm's `os` and `cpu`, the tags of a wheel, Debian's architecture. A static program needs no
# libc, so its wheel has the tags of both, and its package for npm names none.
TARGETS = {
    "x86_64-unknown-linux-musl": ("linux", "x64", "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64", "amd64"),
    "aarch64-unknown-linux-musl": ("linux", "arm64", "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64", "arm64"),
    "x86_64-apple-darwin": ("darwin", "x64", "macosx_10_12_x86_64", None),
    "aarch64-apple-darwin": ("darwin", "arm64", "macosx_11_0_arm64", None),
    "x86_64-pc-windows-msvc": ("win32", "x64", "win_amd64", None),
}
# What a machine builds for itself: good for trying the packages, but it runs only where this C library is, or a newer one.
TRIAL_TARGETS = {
    "x86_64-unknown-linux-gnu": ("linux", "x64", "linux_x86_64", "amd64"),
    "aarch64-unknown-linux-gnu": ("linux", "arm64", "linux_aarch64", "arm64"),
}


def find_target(name):
    found = {**TARGETS, **TRIAL_TARGETS}.get(name)
    if found is None:
        sys.exit(f"there is no target {name!r}; the targets are {', '.join(TARGETS)}")
    return found


def program_name(target):
    return "hardwon.exe" if "windows" in target else "hardwon"


def archive_name(target):
    return f"hardwon-{VERSION}-{target}" + (".zip" if "windows" in target else ".tar.gz")


def read_repository():
    """The address of the repository, without a slash at its end. The root Cargo.toml alone says it, as cargo does to the registry."""
    return WORKSPACE["repository"].rstrip("/")


def is_repository_named():
    """Whether somebody publishes it: until then `OWNER` stands in the address, which is good for a trial only."""
    return "/OWNER/" not in read_repository() + "/"


def read_epoch():
    """The time that every file of a package has: SOURCE_DATE_EPOCH, else that of the last commit."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return int(given)
    return int(subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, check=True, capture_output=True, text=True).stdout)


def guess_target(binary):
    """The target of a program, read off its head: an ELF program that names no loader is static."""
    head = binary.read_bytes()[:4096]
    if head[:4] == b"\x7fELF":
        machine = {62: "x86_64", 183: "aarch64"}.get(struct.unpack_from("<H", head, 18)[0], "unknown")
        start, = struct.unpack_from("<Q", head, 32)
        size, count = struct.unpack_from("<HH", head, 54)
        kinds = [struct.unpack_from("<I", head, start + size * at)[0] for at in range(count)]
        return f"{machine}-unknown-linux-{'gnu' if 3 in kinds else 'musl'}"
    if head[:4] == b"\xcf\xfa\xed\xfe":
        return {0x0100000C: "aarch64", 0x01000007: "x86_64"}[struct.unpack_from("<I", head, 4)[0]] + "-apple-darwin"
    if head[:2] == b"MZ":
        return "x86_64-pc-windows-msvc"
    sys.exit(f"{binary} is not a program")


def read_binary(path, target):
    """The bytes of a program, if it is one for the target: a package of the wrong one fails only where it is installed."""
    found = guess_target(pathlib.Path(path))
    if found != target:
        sys.exit(f"{path} is a program for {found}, not for {target}")
    return pathlib.Path(path).read_bytes()


def list_pages(pages):
    """The man pages, and the completions as (shell, file), that `pages.sh` wrote to a folder."""
    man = sorted((pathlib.Path(pages) / "man").glob("*.1"))
    shells = {"bash": "hardwon.bash", "zsh": "_hardwon", "fish": "hardwon.fish", "powershell": "_hardwon.ps1", "elvish": "hardwon.elv"}
    completions = [(shell, pathlib.Path(pages) / "completions" / name) for shell, name in shells.items()]
    missing = [str(file) for _, file in completions if not file.is_file()]
    if not man or missing:
        sys.exit(f"{pages} does not hold what pages.sh writes: {' '.join(missing) or 'man pages'}")
    return man, completions


def share_files(pages, zsh="zsh/site-functions"):
    """Where man pages and completions go below `share`, for the shells that look there, with their bytes."""
    man, completions = list_pages(pages)
    places = {"bash": "bash-completion/completions/hardwon", "zsh": f"{zsh}/_hardwon", "fish": "fish/vendor_completions.d/hardwon.fish"}
    files = {f"man/man1/{page.name}": page.read_bytes() for page in man}
    files |= {places[shell]: file.read_bytes() for shell, file in completions if shell in places}
    return dict(sorted(files.items()))


def package_readme():
    """What npm and PyPI show. The registry of MCP servers looks in it for the server's name."""
    text = (ROOT / "scripts/release/package.md").read_text()
    return text.replace("{repository}", read_repository()).replace("{mcp_name}", mcp_name())


def registry_entry():
    """What the registry of MCP servers is told, under the name of who publishes it on GitHub."""
    owner = read_repository().removeprefix("https://github.com/").split("/")[0]
    return (ROOT / "server.json").read_text().replace("io.github.OWNER/", f"io.github.{owner}/")


def mcp_name():
    return json.loads(registry_entry())["name"]


def write_tar(path, files, epoch):
    """Writes (name, bytes, mode) as a .tar.gz that depends on nothing else."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, data, mode in files:
            about = tarfile.TarInfo(name)
            about.size, about.mode, about.mtime = len(data), mode, epoch
            tar.addfile(about, io.BytesIO(data))
    with open(path, "wb") as out, gzip.GzipFile("", "wb", LEVEL, out, mtime=epoch) as packed:
        packed.write(raw.getvalue())


def write_zip(path, files, epoch):
    """Writes (name, bytes, mode) as a .zip that depends on nothing else."""
    import time
    moment = max(time.gmtime(epoch)[:6], (1980, 1, 1, 0, 0, 0))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as packed:
        for name, data, mode in files:
            about = zipfile.ZipInfo(name, moment)
            about.external_attr, about.compress_type, about.create_system = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED, 3
            packed.writestr(about, data)


if __name__ == "__main__":
    if sys.argv[1:2] == ["target"]:
        print(guess_target(pathlib.Path(sys.argv[2])))
    else:
        facts = {"version": lambda: VERSION, "epoch": read_epoch, "repository": read_repository, "registry": registry_entry}
        print(facts[sys.argv[1]](), end="" if sys.argv[1] == "registry" else "\n")
