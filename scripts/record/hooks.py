#!/usr/bin/env -S python3 -B
"""Records what agents give their hooks on stdin, as fixtures for the hook door.

usage: hooks.py CLIENTS_FOLDER RAW_FOLDER REPOSITORY [CLIENT]...

Each agent plays one session (a command that fails, one that works, an edit that does not match,
one that does) with a probe registered for every event, which only files its stdin. The payloads
are kept as they came, one file each, numbered in order, neutralised like the transcripts.
"""
import dataclasses, json, pathlib, shutil, sys
from clients import CLIENTS
from neutralise import day_of, neutral
from record import play
from scenarios import SCENARIOS

SCENARIO = "missing-script"
# Where an agent needs calls of its own kind.
SCENARIO_OF = {"codex-code-mode": "code-mode"}
CLAUDE = ["SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch",
          "Stop", "StopFailure", "SubagentStart", "SubagentStop", "PreCompact", "Notification"]
GEMINI = ["SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "PreCompress", "Notification", "SessionEnd"]
COPILOT = ["sessionStart", "userPromptSubmitted", "preToolUse", "postToolUse", "postToolUseFailure", "agentStop",
           "errorOccurred", "sessionEnd"]


def probe(event):
    return f"cat > /opt/work/hooks/$(date +%s%N)-{event}.json"


def nested(events, **more):
    return {e: [{"matcher": "*", "hooks": [{"type": "command", "command": probe(e), **more}]}] for e in events}


def with_hooks(name, file, hooks, flag=""):
    """The client with the hooks written into one of its settings files."""
    client = CLIENTS[name]
    settings = json.loads(client.home.get(file, "{}")) | {"hooks": hooks}
    return dataclasses.replace(client, start=client.start.replace("{prompt}", flag + "{prompt}"),
                               home={**client.home, file: json.dumps(settings)})


def copilot(events):
    return {e: [{"type": "command", "bash": probe(e), "timeoutSec": 30}] for e in events}


PROBED = {
    "claude-code": with_hooks("claude-code", ".claude/settings.json", nested(CLAUDE)),
    "codex": with_hooks("codex", ".codex/hooks.json", nested(CLAUDE), "--dangerously-bypass-hook-trust "),
    "codex-code-mode": with_hooks("codex-code-mode", ".codex/hooks.json", nested(CLAUDE), "--dangerously-bypass-hook-trust "),
    "gemini-cli": with_hooks("gemini-cli", ".gemini/settings.json", nested(GEMINI, timeout=5000)),
    "qwen-code": with_hooks("qwen-code", ".qwen/settings.json", nested(CLAUDE)),
    "copilot-cli": with_hooks("copilot-cli", ".copilot/hooks/probe.json", copilot(COPILOT)),
    # The same agent speaks another dialect to hooks that are registered under Claude Code's names.
    "copilot-cli-claude-names": with_hooks("copilot-cli", ".copilot/hooks/probe.json", copilot(CLAUDE)),
}


def keep(files, folder):
    """Writes the payloads as fixtures; neutralised as one text, so that they share their ids."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    payloads = [f.read_text().strip() for f in files]
    text = neutral("\x1e".join(payloads), None, SCENARIO, day_of(files[0]))
    for n, (file, payload) in enumerate(zip(files, text.split("\x1e")), 1):
        (folder / f"{n:02}-{file.stem.split('-')[1]}.json").write_text(payload + "\n")


def main():
    clients, raw, repository = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
    for name in sys.argv[4:] or PROBED:
        client, work = PROBED[name], raw / ".hooks" / name
        play(clients, work, client, SCENARIOS[SCENARIO_OF.get(name, SCENARIO)], f"hooks/{name}")
        files = sorted((work / "hooks").glob("*.json"))
        keep(files, repository / "crates/clients/tests/hooks" / name)
        print(f"{name}: {len(files)} payloads")


if __name__ == "__main__":
    main()
