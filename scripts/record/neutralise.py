#!/usr/bin/env -S python3 -B
"""Makes fixtures of raw recordings: nothing of the machine, nothing of other people's prose.

usage: neutralise.py RAW_FOLDER REPOSITORY

The box already gives neutral names, so little is left to do, in this order:
- prose that comes with an agent (system prompts, tool descriptions, reminders) becomes REMOVED;
  only a line that holds some is written anew, and it must come out the same but for that;
- UUIDs are numbered in order of appearance, the kernel's name is a made-up one;
- the day of the recording becomes the scenario's day, in every spelling of a time.
All other bytes stay as the agent wrote them. A word that must not appear stops the run.
"""
import datetime, json, pathlib, platform, re, sys

REMOVED = "[removed: text that ships with the agent]"
FIRST_DAY = datetime.date(2026, 3, 2)
# Days after FIRST_DAY, where a scenario is meant for another day.
LATER = {"missing-script-again": 2, "user-correction": 3, "loop": 4, "secret-in-command": 4, "injection-in-page": 7, "good-run": 8}
# Names of this machine, and how agents' prompts begin.
FORBIDDEN = [f"{pathlib.Path.home()}/", str(pathlib.Path(__file__).resolve().parents[2]), platform.release(), "You are a"]
FIXTURES = {
    "claude-code": ["missing-script", "missing-script-again", "python-path", "cargo-feature", "push-rejected", "command-not-found",
                    "loop", "user-correction", "good-run", "fetch-fails", "secret-in-command", "injection-in-page", "killed",
                    "not-granted"],
    "codex": ["missing-script", "missing-script-again", "python-path", "push-rejected", "loop", "user-correction", "good-run",
              "fetch-fails", "killed", "code-mode"],
    "gemini-cli": ["missing-script", "cargo-feature", "command-not-found", "loop", "user-correction", "good-run", "fetch-fails"],
    "qwen-code": ["missing-script", "python-path", "loop", "user-correction", "secret-in-command", "fetch-fails"],
    "copilot-cli": ["missing-script", "push-rejected", "loop", "user-correction", "fetch-fails", "not-granted"],
    "pi": ["missing-script", "cargo-feature", "command-not-found", "loop", "user-correction", "injection-in-page"],
    "opencode": ["missing-script", "user-correction", "fetch-fails"],
}
DEMO = [("claude-code", "missing-script"), ("claude-code", "missing-script-again"), ("codex", "user-correction"), ("gemini-cli", "loop"),
        ("qwen-code", "secret-in-command"), ("pi", "injection-in-page"), ("claude-code", "good-run")]


def shorten(value, limit):
    """The value with every string longer than the limit replaced."""
    if isinstance(value, str):
        return value if len(value) <= limit else REMOVED
    if isinstance(value, list):
        return [shorten(v, limit) for v in value]
    if isinstance(value, dict):
        return {k: shorten(v, limit) for k, v in value.items()}
    return value


def claude(line):
    kind, attachment = line.get("type"), line.get("attachment", {})
    if kind == "api-request-shape":
        line["shape"] = {"system": [{"type": "text", "text": REMOVED}], "tools": []}
    elif kind == "api-request-blob":
        line["message"] = shorten(line["message"], 0) | {"role": line["message"]["role"]}
    elif attachment.get("type") == "prompt_snapshot":
        line["attachment"] = {k: [REMOVED] if isinstance(v, list) else shorten(v, 40) for k, v in attachment.items()}
    elif kind == "attachment" and attachment.get("type") != "edited_text_file":
        line["attachment"] = shorten(attachment, 40)
    if "rendered" in line:
        line["rendered"] = [r | {"content": REMOVED} for r in line["rendered"]]


def codex(line):
    payload = line.get("payload", {})
    if line.get("type") == "session_meta":
        payload["base_instructions"]["text"] = REMOVED
    elif line.get("type") == "world_state":
        payload["state"] = shorten(payload["state"], 200)
    elif payload.get("type") == "additional_tools":
        payload["tools"] = []
    elif payload.get("role") == "developer":
        payload["content"] = [c | {"text": REMOVED} for c in payload["content"]]


def gemini(line):
    for message in line.get("$set", {}).get("messages", []):
        for part in message["content"]:
            if part.get("text", "").startswith("<session_context>"):
                part["text"] = f"<session_context>\n{REMOVED}\n</session_context>"
    for call in line.get("toolCalls", []):
        if len(call.get("description", "")) > 150:
            call["description"] = REMOVED


def copilot(line):
    if line.get("type") == "system.message":
        line["data"]["content"] = REMOVED


PROSE = {"claude-code": claude, "codex": codex, "gemini-cli": gemini, "copilot-cli": copilot}


def without_prose(text, client):
    strip = PROSE.get(client)
    lines = text.splitlines(keepends=True) if strip else []
    for n, raw in enumerate(lines):
        line, before = json.loads(raw), json.loads(raw)
        strip(line)
        if line != before:
            assert compact(before) == raw.rstrip("\n"), f"line {n} would not come out as written"
            lines[n] = compact(line) + "\n"
    return "".join(lines) if strip else text


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def numbered(text):
    seen = {}
    number = lambda m: seen.setdefault(m[0], f"{len(seen) + 1:08x}-0000-4000-8000-{len(seen) + 1:012x}")
    return re.sub(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", number, text)


def redated(text, day, scenario):
    """The text with the recording's day (and the next, if it ran past midnight) moved."""
    shift = FIRST_DAY + datetime.timedelta(LATER.get(scenario, 0)) - day
    for recorded in (day, day + datetime.timedelta(1)):
        text = text.replace(recorded.isoformat(), (recorded + shift).isoformat())
    start = int(datetime.datetime.combine(day, datetime.time(), datetime.timezone.utc).timestamp())

    def moved(match):
        unit = 1000 if len(match[0]) == 13 else 1
        inside = 0 <= int(match[0]) // unit - start < 2 * 86400
        return str(int(match[0]) + shift.days * 86400 * unit) if inside else match[0]
    return re.sub(r"(?<![\d.])\d{13}(?!\d)|(?<![\d.])\d{10}(?!\d)", moved, text)


def neutral(text, client, scenario, day):
    """The recording as a fixture; `day` is when it was recorded."""
    text = without_prose(text, client)
    text = redated(numbered(re.sub(r"Linux \d[\w.-]+", "Linux 6.12.0", text)), day, scenario)
    for word in FORBIDDEN:
        assert word not in text, f"{client} {scenario} holds {word!r}"
    return text


def day_of(path):
    return datetime.datetime.fromtimestamp(path.stat().st_mtime, datetime.timezone.utc).date()


def main():
    raw, repository = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    fixtures, demo = repository / "crates/clients/tests/transcripts", repository / "crates/cli/demo"
    wanted = [(fixtures / c / s, c, s) for c, names in FIXTURES.items() for s in names]
    wanted += [(demo / f"{n}-{s}", c, s) for n, (c, s) in enumerate(DEMO, 1)]
    for target, client, scenario in wanted:
        # Codex's code mode is recorded as a client of its own, and is the same agent.
        source = next(raw.glob(f"{client}*/{scenario}.json*"))
        target = target.with_suffix(source.suffix)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(neutral(source.read_text(), client, scenario, day_of(source)))
        print(f"{target.stat().st_size:7} {target.relative_to(repository)}")


if __name__ == "__main__":
    main()
