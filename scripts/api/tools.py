"""Installs the tools of the scripts of this folder below target/api, at the versions that are pinned here."""
import pathlib, shutil, subprocess, sys, venv

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
KEPT = ROOT / "target/api"
DESCRIPTION = ROOT / "crates/server/openapi.json"


def install_python():
    """Returns the folder of programs of a virtual environment with what requirements.txt names."""
    wanted = (HERE / "requirements.txt").read_text()
    folder = KEPT / "python"
    mark = folder / "installed.txt"
    if not mark.exists() or mark.read_text() != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, with_pip=True)
        subprocess.run([folder / "bin/pip", "install", "-q", "--disable-pip-version-check", "-r", HERE / "requirements.txt"], check=True)
        mark.write_text(wanted)
    return folder / "bin"


def install_npm():
    """Returns a folder with the packages of package.json, as package-lock.json says, and with story.ts."""
    folder = KEPT / "npm"
    lock = (HERE / "package-lock.json").read_bytes()
    mark = folder / "installed.json"
    if not mark.exists() or mark.read_bytes() != lock:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, folder)
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--silent"], cwd=folder, check=True)
        mark.write_bytes(lock)
    return folder


if __name__ == "__main__":
    install_python() if sys.argv[1] == "python" else install_npm()
