#!/usr/bin/env -S python3 -B
"""Writes what the program for a target is made of, as CycloneDX 1.6: each crate with its licence, checksum and what it needs.
It asks cargo and Cargo.lock alone, so nothing has to be installed. Crates that only build or test it are not in it, nor are macros.

usage: sbom.py TARGET OUT
"""
import datetime, json, pathlib, subprocess, sys, tomllib, uuid

from common import AUTHORS, LICENCE, ROOT, VERSION, find_target, read_epoch, read_repository


def ask_cargo(*words):
    return subprocess.run(["cargo", *words, "--locked"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def list_linked(target):
    """The (name, version) of what is linked into the program; `cargo metadata` would count what only tests switch on."""
    told = ask_cargo("tree", "--package", "hardwon", "--edges", "normal,no-proc-macro", "--target", target, "--prefix", "none",
                     "--format", "{p}")
    return {(name, version.removeprefix("v")) for name, version, *_ in map(str.split, told.splitlines())}


def licence(expression):
    return [{"expression": expression.replace("/", " OR ")}] if expression else []


def component(package, checksums):
    name, version = package["name"], package["version"]
    about = {"type": "library", "bom-ref": f"{name}@{version}", "name": name, "version": version,
             "purl": f"pkg:cargo/{name}@{version}", "licenses": licence(package["license"])}
    if checksum := checksums.get((name, version)):
        about["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    return about


def main():
    target, out = sys.argv[1:]
    find_target(target)
    linked = list_linked(target)
    metadata = json.loads(ask_cargo("metadata", "--format-version", "1", "--filter-platform", target))
    packages = {it["id"]: it for it in metadata["packages"] if (it["name"], it["version"]) in linked}
    assert len(packages) == len(linked), linked
    root = next(id for id, it in packages.items() if it["name"] == "hardwon")
    is_needed = lambda it: it["pkg"] in packages and any(kind["kind"] is None for kind in it["dep_kinds"])
    needs = {it["id"]: [dep["pkg"] for dep in it["deps"] if is_needed(dep)] for it in metadata["resolve"]["nodes"] if it["id"] in packages}
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    checksums = {(it["name"], it["version"]): it.get("checksum") for it in locked}
    ref = lambda id: f"{packages[id]['name']}@{packages[id]['version']}"
    moment = datetime.datetime.fromtimestamp(read_epoch(), datetime.timezone.utc)
    program = {"type": "application", "bom-ref": ref(root), "name": "hardwon", "version": VERSION, "purl": f"pkg:cargo/hardwon@{VERSION}",
               "licenses": licence(LICENCE), "authors": [{"name": AUTHORS}],
               "externalReferences": [{"type": "vcs", "url": read_repository()}],
               "properties": [{"name": "target", "value": target}]}
    bom = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
           "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'{VERSION} {target} {sorted(linked)}')}",
           "metadata": {"timestamp": moment.strftime("%Y-%m-%dT%H:%M:%SZ"), "component": program},
           "components": sorted((component(packages[id], checksums) for id in needs if id != root), key=lambda it: it["bom-ref"]),
           "dependencies": sorted(({"ref": ref(id), "dependsOn": sorted(map(ref, needs[id]))} for id in needs), key=lambda it: it["ref"])}
    path = pathlib.Path(out) / f"hardwon-{VERSION}-{target}.cdx.json"
    path.write_text(json.dumps(bom, indent=1) + "\n")
    print(path)


if __name__ == "__main__":
    main()
