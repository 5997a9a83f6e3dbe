#!/usr/bin/env -S python3 -B
"""Packs the program for npm: one package a platform, which npm installs where `os` and `cpu` fit, and `hardwon` with a wrapper
that starts it. No install script, no download. None names a `libc`: what is static runs with any.

usage: npm.py platform TARGET BINARY OUT     the package of a platform
       npm.py wrapper PAGES OUT              the package `hardwon`
"""
import json, pathlib, subprocess, sys, tempfile

from common import (AUTHORS, DESCRIPTION, LICENCE, LICENCE_FILES, ROOT, TARGETS, VERSION, find_target, list_pages, mcp_name, package_readme,
                    program_name, read_binary, read_repository)

HERE = pathlib.Path(__file__).resolve().parent


def platform_name(target):
    system, cpu, *_ = find_target(target)
    return f"@hardwon/{system}-{cpu}"


def describe(name, description):
    return {"name": name, "version": VERSION, "description": description, "license": LICENCE, "author": AUTHORS,
            "repository": {"type": "git", "url": f"git+{read_repository()}.git"}, "publishConfig": {"access": "public"}}


def pack(about, files, out, licences=LICENCE_FILES):
    with tempfile.TemporaryDirectory() as folder:
        files |= {"package.json": ((json.dumps(about, indent=2) + "\n").encode(), 0o644)}
        files |= {name: ((ROOT / name).read_bytes(), 0o644) for name in licences}
        for name, (data, mode) in files.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            path.chmod(mode)
        command = ["npm", "pack", "--ignore-scripts", "--silent", "--json", "--pack-destination", str(pathlib.Path(out).resolve())]
        packed = json.loads(subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout)
        # A list up to npm 11, an object by names after it.
        packed = list(packed.values()) if isinstance(packed, dict) else packed
        print(pathlib.Path(out) / packed[0]["filename"])


def pack_platform(target, binary, out):
    system, cpu, *_ = find_target(target)
    program = f"bin/{program_name(target)}"
    about = describe(platform_name(target), f"The program of hardwon for {system} on {cpu}")
    about |= {"os": [system], "cpu": [cpu], "preferUnplugged": True, "files": [program, *LICENCE_FILES]}
    readme = f"The program of `hardwon` for {system} on {cpu}, which installs it. Install `hardwon` instead.\n"
    pack(about, {program: (read_binary(binary, target), 0o755), "README.md": (readme.encode(), 0o644)}, out)


def pack_wrapper(pages, out):
    man, completions = list_pages(pages)
    about = describe("hardwon", DESCRIPTION)
    about |= {"keywords": ["agents", "memory", "lessons", "llm", "mcp"], "mcpName": mcp_name(), "bin": {"hardwon": "bin/hardwon.js"},
              "man": [f"man/{page.name}" for page in man], "files": ["bin/hardwon.js", "man", "completions", *LICENCE_FILES], "engines": {"node": ">=18"},
              "optionalDependencies": {platform_name(target): VERSION for target in TARGETS}}
    files = {"bin/hardwon.js": ((HERE / "npm/hardwon.js").read_bytes(), 0o755), "README.md": (package_readme().encode(), 0o644)}
    files |= {f"man/{page.name}": (page.read_bytes(), 0o644) for page in man}
    files |= {f"completions/{file.name}": (file.read_bytes(), 0o644) for _, file in completions}
    pack(about, files, out)


if __name__ == "__main__":
    {"platform": pack_platform, "wrapper": pack_wrapper}[sys.argv[1]](*sys.argv[2:])
