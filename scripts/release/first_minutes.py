#!/usr/bin/env -S python3 -B
"""Plays somebody's first minutes with hardwon on a machine that has never seen it: one command installs it, `hardwon init` sets it up
and learns from the sessions that an agent left in the home, and both are timed. Then all of it is removed again, and what is left
behind is named. The machine is a folder with a system in it (as debootstrap makes), entered by chroot; so this needs root.

usage: first_minutes.py PACKAGES ROOT SESSIONS [WAY]...
       PACKAGES is what package.sh made, SESSIONS a folder with transcripts of Claude Code; a WAY is one of those that --help lists
"""
import fcntl, hashlib, os, pathlib, pty, re, select, shutil, struct, subprocess, sys, termios, time

HERE = pathlib.Path(__file__).resolve().parent
HOME = "home/newcomer"
FOLDER = "tmp/packages"
# How it is installed, and how it is removed.
WAYS = {
    "npm": ("npm install --global hardwon", "npm uninstall --global hardwon"),
    "pip": ("pip3 install --user --break-system-packages hardwon", "pip3 uninstall --yes --break-system-packages hardwon"),
    "old-pip": ("pip3 install --user hardwon", "pip3 uninstall --yes hardwon"),
    "pipx": ("pipx install hardwon", "pipx uninstall hardwon"),
    "uv": ("uv tool install hardwon", "uv tool uninstall hardwon"),
    "curl": ("curl -fsSL $RELEASES/latest/download/install.sh | sh", "curl -fsSL $RELEASES/latest/download/install.sh | sh -s -- --uninstall"),
    "wget": ("wget -qO- $RELEASES/latest/download/install.sh | sh", "wget -qO- $RELEASES/latest/download/install.sh | sh -s -- --uninstall"),
    "deb": (f"dpkg --install /{FOLDER}/hardwon_*_amd64.deb", "dpkg --purge hardwon"),
    "archive": (f"mkdir -p ~/.local/bin && tar -xzf /{FOLDER}/hardwon-*-linux-musl.tar.gz -C /tmp && mv /tmp/hardwon-*/hardwon ~/.local/bin/ "
                "&& rm -r /tmp/hardwon-*", "rm ~/.local/bin/hardwon && rmdir ~/.local/bin ~/.local"),
}
# What package managers keep for themselves.
KEPT = re.compile(rf"^({HOME}/\.(npm|cache)|root/|var/(cache|log|lib/dpkg)|run/|tmp/node-compile-cache|{FOLDER})|__pycache__|\.pyc$"
                  rf"|^{HOME}/\.local/(pipx/(logs|shared|\.cache|trash|venvs$|$)|pipx$|state/pipx|share/uv|share/pipx)"
                  r"|^usr/local/lib/node_modules(/@hardwon)?$")


class Machine:
    def __init__(self, root, port):
        self.root = pathlib.Path(root).resolve()
        address = f"http://127.0.0.1:{port}"
        self.env = {"HOME": f"/{HOME}", "PATH": f"/{HOME}/.local/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "TERM": "xterm", "LANG": "C.UTF-8",
                    "npm_config_registry": f"{address}/npm/", "npm_config_update_notifier": "false", "PIP_INDEX_URL": f"{address}/simple",
                    "PIP_DISABLE_PIP_VERSION_CHECK": "1", "UV_DEFAULT_INDEX": f"{address}/simple", "RELEASES": f"{address}/releases",
                    "HARDWON_BASE_URL": f"{address}/releases/download"}

    def run(self, command, answer="\n"):
        """Runs a command as a person does, in a terminal, with the same answer to each question. Returns what was printed, the
        seconds that it took, and the seconds until a lesson was seen."""
        start, said, seen = time.monotonic(), b"", None
        child, terminal = pty.fork()
        if child == 0:
            os.chroot(self.root)
            os.chdir(self.env["HOME"])
            os.execve("/bin/sh", ["sh", "-c", command], self.env)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        while True:
            if select.select([terminal], [], [], 1)[0]:
                try:
                    data = os.read(terminal, 65536)
                except OSError:
                    break
                said += data
                if seen is None and b" times  [" in said:
                    seen = time.monotonic() - start
                if re.search(rb"\[[yY]/[nN]\] $", said):
                    os.write(terminal, answer.encode())
                    said += b"\n"
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", said.decode(errors="replace")).replace("\r\n", "\n")
        said = re.sub(r"[^\n]*\r(?!\n)", "", said)
        if code:
            sys.exit(f"FAIL {command}: exit code {code}\n{said}")
        return said, time.monotonic() - start, seen

    def list_files(self):
        """Each file and each folder of ours on the machine, in the home with what is in it. (Package managers leave empty folders.)"""
        found = {}
        for folder, folders, files in os.walk(self.root):
            below = os.path.relpath(folder, self.root)
            folders[:] = [it for it in folders if below != "." or it not in ("proc", "sys", "dev")]
            for name in [*folders, *files]:
                path = os.path.normpath(os.path.join(below, name))
                is_kept = not path.startswith(HOME) or os.path.islink(self.root / path) or not os.path.isfile(self.root / path)
                is_folder = os.path.isdir(self.root / path) and not os.path.islink(self.root / path)
                if not KEPT.search(path) and (not is_folder or "hardwon" in name):
                    found[path] = None if is_kept else hashlib.sha256((self.root / path).read_bytes()).hexdigest()
        return found


def lay_out_home(machine, sessions):
    home = machine.root / HOME
    shutil.rmtree(home, ignore_errors=True)
    project = home / ".claude/projects/-home-newcomer-work"
    project.mkdir(parents=True)
    for file in sorted(pathlib.Path(sessions).glob("*.jsonl")):
        shutil.copy2(file, project)


def play(machine, way, sessions, is_told):
    install, remove = WAYS[way]
    lay_out_home(machine, sessions)
    before = machine.list_files()
    said, installing, _ = machine.run(install)
    told, learning, seen = machine.run("hardwon init")
    if seen is None:
        sys.exit(f"FAIL {way}: no lesson was shown\n{told}")
    gone, *_ = machine.run("hardwon uninstall --purge", answer="y\n")
    machine.run(remove)
    after = machine.list_files()
    changed = sorted(path for path in before.keys() | after.keys() if before.get(path, "") != after.get(path, ""))
    if is_told:
        print(f"$ {install}\n{said}$ hardwon init\n{told}$ hardwon uninstall --purge\n{gone}")
    print(f"{way:<8} installed in {installing:.1f} s, a lesson {seen:.1f} s later, init ended after {learning:.1f} s; "
          f"left behind: {' '.join(changed[:8]) or 'nothing'}", flush=True)
    return bool(changed)


def main():
    if len(sys.argv) < 4 or "--help" in sys.argv:
        sys.exit(f"{__doc__.strip()}: {', '.join(WAYS)}")
    packages, root, sessions, *ways = sys.argv[1:]
    server = subprocess.Popen([HERE / "serve.py", packages], stdout=subprocess.PIPE, text=True)
    machine = Machine(root, server.stdout.readline().strip())
    try:
        into = machine.root / FOLDER
        # A program asks there which file it is.
        (machine.root / "proc").mkdir(exist_ok=True)
        subprocess.run(["mount", "-t", "proc", "proc", machine.root / "proc"], check=True)
        shutil.rmtree(into, ignore_errors=True)
        shutil.copytree(packages, into)
        left = [play(machine, way, sessions, number == 0) for number, way in enumerate(ways or WAYS)]
        shutil.rmtree(into)
    finally:
        server.kill()
        subprocess.run(["umount", machine.root / "proc"], check=False)
    sys.exit(any(left))


if __name__ == "__main__":
    main()
