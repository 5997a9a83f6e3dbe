#!/usr/bin/env -S python3 -B
"""Records sessions of real coding agents that are driven by the scripted model.

usage: record.py CLIENTS_FOLDER RAW_FOLDER [CLIENT[/SCENARIO]]...
Needs root (for namespaces), Node and the agents installed under CLIENTS_FOLDER; see
docs/design/recordings.md. What an agent wrote goes to RAW_FOLDER/CLIENT/SCENARIO.jsonl as
it is; `neutralise.py` makes a fixture of it.
"""
import json, os, pathlib, shlex, shutil, subprocess, sys
from clients import CLIENTS
from scenarios import SCENARIOS

HERE = pathlib.Path(__file__).resolve().parent
# Where a session's files lie inside the box (box.sh mounts the folder there), and those that it makes.
WORK = "/opt/work"
OUT = f"{WORK}/out"
# An agent may run its commands in a login shell, which starts from the system's own path.
PROFILE = "PATH=/opt/clients/node22/node_modules/.bin:/opt/rust/bin:/usr/bin:/bin\n"
GIT = ("git config --global user.name Dev && git config --global user.email dev@example.com && "
       "git config --global init.defaultBranch main && git init -q && git add -A && git commit -qm 'Begin'")


def lay_out(files, folder):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def session(client, scenario):
    """The shell script of a whole session, run inside the box as the user."""
    lines = [GIT, *scenario["prepare"]]
    lines += [f"export {k}={shlex.quote(v)}" for k, v in client.env.items()]
    lines += [f"{client.version} > {WORK}/version"]
    for n, turn in enumerate(scenario["turns"]):
        template = client.start if n == 0 else client.resume
        limit = f"-s KILL {scenario['killed_after']}" if scenario["killed_after"] else "170"
        granted = template if scenario["grants"] else template.replace(client.grant, "")
        lines.append(f"timeout {limit} " + granted.replace("{prompt}", shlex.quote(turn["prompt"])) + " </dev/null")
    if client.export:
        lines.append(f"{client.export} > {WORK}/export")
    return "\n".join(lines) + "\n"


def play(clients, work, client, scenario, name):
    """Runs the scenario in a box whose working folder is `work`, and gives its exit code."""
    shutil.rmtree(work, ignore_errors=True)
    lay_out(scenario["files"], work / "home" / scenario["project"])
    lay_out({".profile": PROFILE, **client.home}, work / "home")
    lay_out({"script.json": json.dumps({"name": name, "turns": scenario["turns"]}),
             "session.sh": session(client, scenario), "version": "", "export": "", "hooks/.keep": ""}, work)
    for written in ("version", "export", "hooks"):
        (work / written).chmod(0o777)
    return box(clients, work, scenario["project"])


def box(clients, work, project):
    """Runs `work`/session.sh in a box, in the project folder of `work`/home, and gives its exit code."""
    rust = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True, check=True).stdout.strip()
    command = ["unshare", "-nmup", "--fork", "--kill-child", "--mount-proc", "bash", HERE / "box.sh"]
    return subprocess.run([*command, clients, rust, HERE, work, project], timeout=3000).returncode


def record(clients, raw, client_name, scenario_name):
    client, scenario = CLIENTS[client_name], SCENARIOS[scenario_name]
    work = raw / ".work" / client_name / scenario_name
    code = play(clients, work, client, scenario, f"{client_name}/{scenario_name}")
    found = [work / "export"] if client.export else sorted((work / "home").glob(client.session))
    print(f"{client_name}/{scenario_name}: exit {code}, {len(found)} session file(s), "
          f"{sum(f.stat().st_size for f in found)} bytes", flush=True)
    for n, f in enumerate(found):
        target = raw / client_name / (scenario_name + (f"-{n + 1}" if n else "") + (".json" if client.export else ".jsonl"))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(f, target)


def main():
    clients, raw = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    for wanted in sys.argv[3:] or CLIENTS:
        client, _, scenario = wanted.partition("/")
        for name in [scenario] if scenario else SCENARIOS:
            record(clients, raw, client, name)


if __name__ == "__main__":
    main()
