#!/usr/bin/env -S python3 -B
"""Sends a server what its description allows and what it does not, and checks every answer against the description.

usage: fuzz.py HARDWON [OPTION]...    the options go to `hardwon serve`

Two runs of schemathesis, of all its checks but those that fuzz.toml names: as an owner, who may do everything in a
tenant, and as an agent, whose every request ought to be answered in order too. Then requests that no program would make,
by hand (malformed.py). Seeds are fixed and examples bounded, so that all of it takes about a minute. `FUZZ_EXAMPLES` makes
it search longer. The tools are kept in target/api.
"""
import json, os, subprocess, sys

import malformed
from serving import Served
from tools import DESCRIPTION, HERE, KEPT, install_python

FOLDER = KEPT / "fuzz"


def id_of(key):
    return key.split("_")[1][:10]


def schemathesis(st, server, keys_owner, caller, *more):
    protected = [*map(id_of, (server.owner, server.operator, keys_owner)), "local", "spare"]
    env = {**os.environ, "HARDWON_KEYS_OWNER": keys_owner, "HARDWON_OPERATOR": server.operator,
           "HARDWON_PROTECTED": " ".join(protected), "HARDWON_HOOKS": str(HERE / "fuzz_hooks.py"), "PYTHONDONTWRITEBYTECODE": "1"}
    examples = ["--max-examples", os.environ["FUZZ_EXAMPLES"]] if "FUZZ_EXAMPLES" in os.environ else []
    command = [st, "--config-file", HERE / "fuzz.toml", "run", DESCRIPTION, "--url", server.url, "--no-color",
               "--report", "junit", "--report-dir", FOLDER, "-H", f"Authorization: Bearer {caller}", *examples, *more]
    # It leaves a cache in the folder that it is started in.
    FOLDER.mkdir(parents=True, exist_ok=True)
    return subprocess.run(command, env=env, cwd=FOLDER).returncode == 0


def is_alive(server, key):
    """A key that was revoked on the way would have every later request refused, and nothing tested."""
    return malformed.ask(server.url, "GET", "/v1/keys", key)[0] in (200, 403)


def seed(server):
    """Leaves something behind for the routes that nothing else would lead to: lessons that wait for a review."""
    for number in range(12):
        lesson = {"signature": f"make {number}", "lesson_text": f"Run step {number} first.\u202e"}
        status, _, answer = malformed.ask(server.url, "POST", "/v1/lessons", server.owner, json.dumps(lesson))
        if status != 201 or json.loads(answer)["outcome"] != "waiting":
            raise SystemExit(f"a lesson with a hidden character does not wait: {answer}")


def main():
    st = install_python() / "st"
    with Served(sys.argv[1], sys.argv[2:]) as server:
        server.run("tenant", "add", "spare")
        keys_owner, agent = server.add_key("owner", "--tenant", "spare"), server.add_key("agent")
        seed(server)
        passed = {
            "malformed requests": malformed.check(server),
            "as an owner": schemathesis(st, server, keys_owner, server.owner),
            "as an agent": schemathesis(st, server, agent, agent, "--phases", "coverage,fuzzing", "--exclude-path-regex", "^/v1/(tenants|audit)"),
            "keys in use": all(is_alive(server, key) for key in (server.owner, server.operator, keys_owner, agent)),
            "no fault named": not server.faults(),
        }
        print("\n".join(server.faults()))
    for name, ok in passed.items():
        print(f"{'ok' if ok else 'FAILED'}: {name}")
    return 0 if all(passed.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
