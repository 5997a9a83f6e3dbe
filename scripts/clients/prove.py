#!/usr/bin/env -S python3 -B
"""Runs real coding agents with hardwon installed, and checks what reaches their model.

usage: prove.py CLIENTS_FOLDER HARDWON [CLIENT]...

Each agent gets a fresh home, one session without hardwon, `hardwon init`, and the sessions of
`sessions.py` in one project, all against the scripted model in a box without a network (scripts/record):

- `npm test` fails and `npm run test:unit` works. In the next session the model must be given the lesson
  before its first turn, again right at the failure, and a warning when it repeats the failing call; it
  calls `search` and `record` of the MCP server and ends with a `/lesson` line. In the one after that the
  lesson must come with the call.
- A program of the project fails twice and then works. A run that nobody types into must print and end as
  it did without hardwon. With `ask = always` the agent is asked once; its lesson must be kept with the
  failure behind it and come up in the next session; to answer with nothing must be no error. In a terminal
  the person must see the question, and the last message before it.

What the model was given is read from its own log. The table at the end has one row an agent; a
check that an agent cannot pass says why in `CANNOT`. The exit code is 1 if another one failed.
"""
import json, pathlib, shlex, shutil, sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "record"))
from clients import CLAUDE_MAY, CLIENTS
from record import GIT, OUT, PROFILE, box, lay_out
from scenarios import SHOP
from sessions import (BEFORE_INIT, LESSON, PROGRAMS, PUSH, QUESTION, QUESTION_ENDS, RECORDED, SESSIONS, TURNS, answer, asked_about,
                      done, turn_of)

PROVED = ["claude-code", "codex", "gemini-cli", "opencode", "qwen-code", "copilot-cli", "pi"]
# Those that tell whether a person types are asked in a terminal by default; the others only on their owner's word.
TELLING = ["claude-code", "codex", "opencode", "pi"]
# Those that print are over as soon as the agent is at rest, and are asked in a terminal only.
OVER_AT_REST = ["opencode", "pi"]
CANNOT = {
    ("pi", "search"): "has no MCP client in this version",
    ("pi", "record"): "has no MCP client in this version",
    ("gemini-cli", "before a call"): "its hook before a tool takes no addition",
    ("qwen-code", "before a call"): "drops what a hook before a tool adds",
}
# The agent's screen is kept once the answer to the question stands on it, or when it never came.
SCREEN = """tmux -f /dev/null new-session -d -x 150 -y 120 {command}
for _ in $(seq 480); do tmux capture-pane -p > {out}; grep -qF {answer} {out} && break; sleep 0.25; done
sleep 3; tmux capture-pane -p > {out}; tmux kill-server"""
# What the exit code of a session may be; of one in a terminal there is none.
ENDED = ["0\n", ""]
# Learning runs apart from the agent, and may still be at it.
WAIT = "for _ in $(seq 60); do hardwon lesson list --json | grep -q '\"id\"' && break; sleep 0.25; done"


def start(name, session):
    """The shell lines of one session."""
    client = CLIENTS[name]
    typed = session.typed or (bool(session.answer) and name in OVER_AT_REST)
    template = client.typed if typed else client.start
    template = template.replace(CLAUDE_MAY, CLAUDE_MAY + "mcp__lessons__search mcp__lessons__record ")
    if name == "codex":
        template = template.replace("{prompt}", "--dangerously-bypass-hook-trust {prompt}")
    command, out = template.replace("{prompt}", shlex.quote(session.prompt)), f"{OUT}/{session.name}"
    if typed:
        return SCREEN.format(command=shlex.quote(command), out=out, answer=shlex.quote(session.answer[:20]))
    return f"timeout 170 {command} </dev/null > {out} 2> {out}.err; echo $? > {out}.code"


def script(name, client):
    """The shell script of all sessions, run inside the box as the user."""
    program = client.start.split()[0].rsplit("/", 1)[0]
    lines = [GIT, f"export PATH=$PATH:{program}", *(f"export {k}={shlex.quote(v)}" for k, v in client.env.items())]
    for session in BEFORE_INIT:
        lines += [*session.before, start(name, session)]
    lines += [f"hardwon init --client {name} --yes --no-learn > {OUT}/init 2>&1"]
    for session in SESSIONS:
        typed = [f"hardwon config set ask {'on' if name in TELLING else 'always'}"] if session.typed else []
        lines += [*session.before, *typed, start(name, session), WAIT]
    lines += [f"hardwon {command} > {OUT}/{command.split()[0]} 2>&1"
              for command in ("lesson list --limit 100 --json", "log --lines 1000 --json", "doctor")]
    lines += [f"cat ~/.local/state/hardwon/hook.log > {OUT}/hook.log 2>/dev/null"]
    return "\n".join(lines) + "\n"


def play(clients, hardwon, work, name):
    client = CLIENTS[name]
    shutil.rmtree(work, ignore_errors=True)
    lay_out({**SHOP, **{path: PUSH for path in PROGRAMS.values()}}, work / "home" / "shop")
    lay_out({".profile": PROFILE, **client.home}, work / "home")
    lay_out({"script.json": json.dumps({"name": f"clients/{name}", "turns": TURNS}), "out/.keep": "",
             "session.sh": script(name, client)}, work)
    (work / "out").chmod(0o777)
    (work / "bin").mkdir()
    shutil.copy(hardwon, work / "bin" / "hardwon")
    return box(clients, work, "shop")


def texts(value):
    """Every string in a JSON value, one a line."""
    if isinstance(value, dict):
        value = list(value.values())
    return "\n".join(map(texts, value)) if isinstance(value, list) else value if isinstance(value, str) else ""


class Found:
    """What was left behind when the sessions were over."""

    def __init__(self, work):
        self.work = work
        log = work / "requests.jsonl"
        rows = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        # What the model read before each step; the last request counts.
        self.requests = {(row["turn"], row["index"]): texts(row["body"]) for row in rows}
        self.log = [json.loads(line) for line in self.out("log").splitlines() if line.startswith("{")]
        try:
            self.lessons = json.loads(self.out("lesson"))["lessons"]
        except (ValueError, KeyError):
            self.lessons = []

    def out(self, name):
        file = self.work / "out" / name
        return file.read_text(errors="replace") if file.exists() else ""

    def read(self, session, step):
        prompt = next(it.prompt for it in SESSIONS if it.name == session)
        return self.requests.get((turn_of(prompt), step), "")

    def shown(self, session, step):
        text = self.read(session, step)
        return text.count("[KNOWN PITFALLS") + text.count("[PITFALLS]")

    def lesson(self, text):
        return next((it for it in self.lessons if text in it["text"]), None)

    def answers(self, program):
        """The lessons with which each question about a program was answered."""
        return [row["lessons"] for row in self.log if program in row.get("question", "")]

    def asked(self, program):
        """How often the model read the question about a program, in the request that it answered."""
        return self.requests.get((turn_of(asked_about(program)), 0), "").count(QUESTION_ENDS)


def judge(found):
    read, shown, out = found.read, found.shown, found.out
    called = any(row.get("moment") == "call" and row["shown"] for row in found.log)
    lesson = found.lesson(LESSON["stage"])
    screen = " ".join(out("screen").split())
    return {
        "learned": bool(found.lesson("test:unit")),
        "before the turn": shown("again", 0) > 0 and "npm run test:unit" in read("again", 0),
        "at the failure": shown("again", 1) > shown("again", 0) and "npm run test:unit" in read("again", 1),
        "loop": "[LOOP DETECTED]" not in read("again", 1) and "[LOOP DETECTED]" in read("again", 2),
        "search": '"lessons"' in read("again", 3) or '\\"lessons\\"' in read("again", 3),
        "record": bool(found.lesson(RECORDED)),
        "writ": bool(found.lesson("tag the release before publishing")),
        "before a call": called and shown("call", 1) > shown("call", 0),
        "prints as without": done("berth") in out("print") and not found.answers("berth") and all(
            out("print" + kind) == out("bare" + kind) for kind in ("", ".code")),
        "asked": found.asked("stage") == 1 and out("always.code") in ENDED,
        "answered": bool(lesson) and found.answers("stage") == [[lesson["id"]]],
        "evidence": bool(lesson) and any(it["kind"] == "run" and "stage" in it["note"] for it in lesson["evidence"]),
        "comes up": LESSON["stage"] in read("later", 1),
        "nothing to add": found.asked("kiln") == 1 and found.answers("kiln") == [[]] and out("nothing.code") in ENDED,
        "on screen": all(text in screen for text in (done("quay"), QUESTION, asked_about("quay"), answer("quay"))),
        "no trouble": not out("hook.log"),
    }


def main():
    clients, hardwon = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
    failed = is_headed = False
    for name in sys.argv[3:] or PROVED:
        work = pathlib.Path("/var/tmp/hardwon-clients") / name
        play(clients, hardwon, work, name)
        checks = judge(Found(work))
        if not is_headed:
            print("| agent | " + " | ".join(checks) + " |\n" + "|---" * (len(checks) + 1) + "|")
            is_headed = True
        cells = ["yes" if ok else CANNOT.get((name, check), "NO") for check, ok in checks.items()]
        failed |= "NO" in cells
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
