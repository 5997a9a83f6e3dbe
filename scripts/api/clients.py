#!/usr/bin/env -S python3 -B
"""Generates clients from the description of the API, and has each play the same story against a fresh server.

usage: clients.py HARDWON [OPTION]...    the options go to `hardwon serve`

The Python client is made by openapi-python-client, the TypeScript one by openapi-typescript for openapi-fetch, and checked
by tsc. What cannot be described to either of them is an error. The tools are kept in target/api; `--python` or
`--typescript` before the program plays one story only.
"""
import os, shutil, subprocess, sys

from serving import Served
from tools import DESCRIPTION, HERE, KEPT, install_npm, install_python

STORIES = HERE / "stories"


def generate_python():
    """Returns the command that plays the story in Python."""
    programs, folder = install_python(), KEPT / "story-python"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    # It tidies its work with ruff, which it looks for on the path.
    env = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    command = [programs / "openapi-python-client", "generate", "--path", DESCRIPTION, "--config", STORIES / "python.yml",
               "--meta", "none", "--output-path", folder / "hardwon_client", "--fail-on-warning"]
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL)
    shutil.copy(STORIES / "story.py", folder)
    return [programs / "python", folder / "story.py"]


def generate_typescript():
    """Returns the command that plays the story in TypeScript."""
    folder = install_npm()
    programs = folder / "node_modules/.bin"
    for name in ("story.ts", "tsconfig.json"):
        shutil.copy(STORIES / name, folder)
    subprocess.run([programs / "openapi-typescript", DESCRIPTION, "-o", folder / "api.d.ts"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run([programs / "tsc", "--project", folder], check=True)
    return ["node", folder / "built/story.js"]


def main():
    wanted = [it for it in sys.argv[1:] if it in ("--python", "--typescript")]
    program, *options = [it for it in sys.argv[1:] if it not in wanted]
    generators = {"--python": generate_python, "--typescript": generate_typescript}
    failed = False
    for name, generate in generators.items():
        if wanted and name not in wanted:
            continue
        command = generate()
        # A lesson that is left out at random now and then would end a story that expects it.
        with Served(program, options, HARDWON_HOLDOUT="off") as server:
            env = {**os.environ, "HARDWON_URL": server.url, "HARDWON_OWNER": server.owner, "HARDWON_OPERATOR": server.operator}
            failed |= subprocess.run(command, env=env).returncode != 0
            failed |= bool(server.faults())
            print("".join(server.faults()), end="")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
