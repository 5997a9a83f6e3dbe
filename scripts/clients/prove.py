#!/usr/bin/env -S python3 -B
"""Runs real coding agents with hardwon installed, and checks what reaches their model.

usage: prove.py CLIENTS_FOLDER HARDWON [CLIENT]...

Each agent gets a fresh home, `hardwon init`, and three sessions in one project, all against the
scripted model in a box without a network (scripts/record):

1. `npm test` fails, the agent looks into package.json, `npm run test:unit` works.
2. The same task again. The model must be given the lesson before its first turn, again right at
   the failure, and a warning when it repeats the failing call; it then calls `search` and `record`
   of the MCP server and ends with a `/lesson` line.
3. A prompt that says nothing about tests, and then `npm test`: the lesson must come with the call,
   which `hardwon log` tells from the one at the failure that follows.

What the model was given is read from its own log. The table at the end has one row an agent; a
check that an agent cannot pass says why in `CANNOT`. The exit code is 1 if another one failed.
"""
import json, pathlib, shlex, shutil, sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "record"))
from clients import CLAUDE_MAY, CLIENTS
from record import GIT, PROFILE, box, lay_out
from scenarios import SHOP

PROVED = ["claude-code", "codex", "gemini-cli", "opencode", "qwen-code", "copilot-cli", "pi"]
RECORDED = "Ask for the port before starting the shop server."
TURNS = [
    {"prompt": "Run the tests of this shop.", "steps": [
        {"say": "Running the tests.", "calls": [{"run": "npm test"}]},
        {"say": "Which scripts are there?", "calls": [{"read": "package.json"}]},
        {"say": "The script has another name.", "calls": [{"run": "npm run test:unit"}]},
        {"say": "The unit tests ran; one of them fails."}]},
    {"prompt": "Please run the tests of the shop once more with npm test.", "steps": [
        {"say": "Running the tests.", "calls": [{"run": "npm test"}]},
        {"say": "Once more.", "calls": [{"run": "npm test"}]},
        {"say": "Let me look it up.", "calls": [{"lessons": "search", "args": {"query": "npm test missing script"}}]},
        {"say": "I note something.", "calls": [
            {"lessons": "record", "args": {"signature": "npm start", "text": RECORDED}}]},
        {"say": "Done.\n\n/lesson shop release: tag the release before publishing the shop package\n"}]},
    {"prompt": "Do what you did on Monday.", "steps": [
        {"say": "All right.", "calls": [{"run": "npm test"}]},
        {"say": "It failed, as on Monday."}]},
]
CANNOT = {
    ("pi", "search"): "has no MCP client in this version",
    ("pi", "record"): "has no MCP client in this version",
    ("gemini-cli", "before a call"): "its hook before a tool takes no addition",
    ("copilot-cli", "writ"): "a hook at its end runs before its last message is on disk",
}
CHECKS = ["learned", "before the turn", "at the failure", "loop", "search", "record", "writ", "before a call"]


def session(name, client):
    """The shell script of the three sessions, run inside the box as the user."""
    program = client.start.split()[0].rsplit("/", 1)[0]
    lines = [GIT, f"export PATH=$PATH:{program}", *(f"export {k}={shlex.quote(v)}" for k, v in client.env.items())]
    trust = " --trust-codex" if name == "codex" else ""
    lines += [f"hardwon init --client {name} --yes --no-learn{trust} > /opt/work/out/init 2>&1"]
    for n, turn in enumerate(TURNS):
        start = client.start.replace(CLAUDE_MAY, CLAUDE_MAY + "mcp__lessons__search mcp__lessons__record ")
        start = start.replace("{prompt}", shlex.quote(turn["prompt"]))
        lines += [f"timeout 170 {start} </dev/null > /opt/work/out/session-{n + 1} 2>&1",
                  # Learning runs apart from the agent, and may still be at it.
                  'for _ in $(seq 60); do hardwon lesson list --json | grep -q \'"id"\' && break; sleep 0.25; done']
    lines += [f"hardwon {command} > /opt/work/out/{command.split()[0]} 2>&1"
              for command in ("lesson list --json", "log --json", "doctor")]
    lines += ["cat ~/.local/state/hardwon/hook.log > /opt/work/out/hook.log 2>&1"]
    return "\n".join(lines) + "\n"


def play(clients, hardwon, work, name):
    client = CLIENTS[name]
    shutil.rmtree(work, ignore_errors=True)
    lay_out(SHOP, work / "home" / "shop")
    lay_out({".profile": PROFILE, **client.home}, work / "home")
    lay_out({"script.json": json.dumps({"name": f"clients/{name}", "turns": TURNS}), "out/.keep": "",
             "session.sh": session(name, client)}, work)
    (work / "out").chmod(0o777)
    (work / "bin").mkdir()
    shutil.copy(hardwon, work / "bin" / "hardwon")
    return box(clients, work, "shop")


def texts(value):
    """Every string in a JSON value, one a line."""
    if isinstance(value, dict):
        value = list(value.values())
    return "\n".join(map(texts, value)) if isinstance(value, list) else value if isinstance(value, str) else ""


def read(work):
    """What the model read before each step, as {(session, step): text}; the last request counts."""
    log = work / "requests.jsonl"
    rows = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    return {(row["turn"] + 1, row["index"]): texts(row["body"]) for row in rows}


def lessons(work):
    try:
        return json.loads((work / "out" / "lesson").read_text())["lessons"]
    except (OSError, ValueError, KeyError):
        return []


def recalls(work):
    try:
        return [json.loads(line) for line in (work / "out" / "log").read_text().splitlines() if line.startswith("{")]
    except (OSError, ValueError):
        return []


def judge(work):
    seen, known = read(work), lessons(work)
    called = any(recall["moment"] == "call" and recall["shown"] for recall in recalls(work))
    shown = lambda at: seen.get(at, "").count("[KNOWN PITFALLS")
    told = lambda at, what: what in seen.get(at, "")
    held = lambda what: any(what in lesson["text"] for lesson in known)
    return {
        "learned": held("test:unit"),
        "before the turn": shown((2, 0)) > 0 and told((2, 0), "npm run test:unit"),
        "at the failure": shown((2, 1)) > shown((2, 0)) and told((2, 1), "npm run test:unit"),
        "loop": not told((2, 1), "[LOOP DETECTED]") and told((2, 2), "[LOOP DETECTED]"),
        "search": told((2, 3), '"lessons"') or told((2, 3), '\\"lessons\\"'),
        "record": held(RECORDED),
        "writ": held("tag the release before publishing"),
        "before a call": called and shown((3, 1)) > shown((3, 0)),
    }


def main():
    clients, hardwon = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
    failed = False
    print("| agent | " + " | ".join(CHECKS) + " |\n" + "|---" * (len(CHECKS) + 1) + "|")
    for name in sys.argv[3:] or PROVED:
        work = pathlib.Path("/var/tmp/hardwon-clients") / name
        play(clients, hardwon, work, name)
        found = judge(work)
        cells = ["yes" if ok else CANNOT.get((name, check), "NO") for check, ok in found.items()]
        failed |= "NO" in cells
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
