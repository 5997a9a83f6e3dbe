#!/usr/bin/env -S python3 -B
"""Runs real coding agents that reach the tools of `hardwon serve` over HTTP with a key, and checks what both sides saw.

usage: prove_mcp_http.py CLIENTS_FOLDER HARDWON [CLIENT]...

Each agent gets a fresh home and a fresh server with one lesson, is set up as docs/mcp.md says, and plays one session
against the scripted model in a box without a network (scripts/record): it calls `search` and then `record` of the MCP
server. The model must have been offered all tools and must have read the lesson; the server must have the recall and the
new lesson on record, both as this client's and the lesson as an agent's. With a wrong key the agent must be offered none of
the tools, and still do its work. The exit code is 1 if something of that was not so.
"""
import json, pathlib, shlex, shutil, sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "record"))
import model
from clients import BIN, CLAUDE_MAY, CLIENTS, CODEX, OPENCODE
from record import GIT, OUT, PROFILE, box, lay_out
from scenarios import SHOP

URL = "http://127.0.0.1:7433/mcp"
KNOWN = "Run npm run test:unit; there is no script called test."
RECORDED = "Ask for the port before starting the shop server."
TOOLS = ["search", "get", "record", "feedback", "list", "forget"]
PROMPT, REFUSED_PROMPT = "Please look up what is known of npm test.", "Please just say hello."
TURNS = [
    {"prompt": PROMPT, "steps": [
        {"say": "Let me look it up.", "calls": [{"lessons": "search", "args": {"query": "npm test missing script"}}]},
        {"say": "I note something.", "calls": [{"lessons": "record", "args": {"signature": "npm start", "text": RECORDED}}]},
        {"say": "That is known and noted."}]},
    {"prompt": REFUSED_PROMPT, "steps": [{"say": "Hello to the shop."}]},
]
HEADER = '--header "Authorization: Bearer $HARDWON_KEY"'
# Who does not say its name with each call, which only the newest protocol has it do, says it in a header.
NAME = '--header "X-Hardwon-Client: %s"'
# How each agent is told of the server: with a command of its own, or with a file.
SET_UP = {
    "claude-code": BIN % ("claude", "claude") + f"mcp add --scope user --transport http lessons {URL} {HEADER}",
    "codex": "true",
    "gemini-cli": BIN % ("gemini", "gemini") + f"mcp add --scope user --transport http {HEADER} {NAME % 'gemini-cli'} lessons {URL}",
    "qwen-code": BIN % ("qwen", "qwen") + f"mcp add --scope user --transport http {HEADER} {NAME % 'qwen-code'} lessons {URL}",
    "copilot-cli": BIN % ("copilot", "copilot") + f"mcp add --transport http {HEADER} lessons {URL}",
    "opencode": "true",
}
REMOTE = {"type": "remote", "url": URL, "oauth": False,
          "headers": {"Authorization": "Bearer {env:HARDWON_KEY}", "X-Hardwon-Client": "opencode"}}
CODEX_TABLE = f"""[mcp_servers.lessons]
url = "{URL}"
bearer_token_env_var = "HARDWON_KEY"
http_headers = {{ "X-Hardwon-Client" = "codex" }}
"""
FILES = {"codex": {".codex/config.toml": CODEX + CODEX_TABLE},
         "opencode": {".config/opencode/opencode.json": json.dumps({**OPENCODE, "mcp": {"lessons": REMOTE}})}}
TIDY_UP = {
    "claude-code": BIN % ("claude", "claude") + "mcp remove --scope user lessons",
    "gemini-cli": BIN % ("gemini", "gemini") + "mcp remove --scope user lessons",
    "qwen-code": BIN % ("qwen", "qwen") + "mcp remove --scope user lessons",
    "copilot-cli": BIN % ("copilot", "copilot") + "mcp remove lessons",
}


def start(name, prompt, out):
    may = CLAUDE_MAY + "mcp__lessons__search mcp__lessons__record "
    command = CLIENTS[name].start.replace(CLAUDE_MAY, may).replace("{prompt}", shlex.quote(prompt))
    return f"timeout 170 {command} </dev/null > {OUT}/{out} 2> {OUT}/{out}.err"


def ask(path, out):
    return f'curl -s -H "Authorization: Bearer $OWNER" "http://127.0.0.1:7433{path}" > {OUT}/{out}'


def script(name):
    """The shell script of the session, run inside the box as the user."""
    client = CLIENTS[name]
    lesson = json.dumps({"signature": "npm test", "lesson_text": KNOWN, "project": "shop"})
    return "\n".join([
        GIT, *(f"export {k}={shlex.quote(v)}" for k, v in client.env.items()), f"{client.version} > {OUT}/version",
        "OWNER=$(hardwon key add --role owner)", "export HARDWON_KEY=$(hardwon key add --role agent --project shop)",
        f"HARDWON_HOLDOUT=off hardwon serve > {OUT}/serve.log 2>&1 &",
        "for _ in $(seq 100); do curl -fs http://127.0.0.1:7434/readyz > /dev/null && break; sleep 0.1; done",
        f"curl -s -H \"Authorization: Bearer $OWNER\" http://127.0.0.1:7433/v1/lessons -d {shlex.quote(lesson)} > {OUT}/seeded",
        f"{SET_UP[name]} > {OUT}/set-up 2>&1", start(name, PROMPT, "said"),
        ask("/v1/lessons?project=shop", "lessons"), ask("/v1/recalls?project=shop", "recalls"),
        # A key that is wrong by one letter.
        f"export HARDWON_KEY=x$HARDWON_KEY; {TIDY_UP.get(name, 'true')} > /dev/null 2>&1; {SET_UP[name]} >> {OUT}/set-up 2>&1",
        start(name, REFUSED_PROMPT, "refused"), "kill %1"]) + "\n"


def play(clients, hardwon, work, name):
    shutil.rmtree(work, ignore_errors=True)
    lay_out(SHOP, work / "home" / "shop")
    lay_out({".profile": PROFILE, **CLIENTS[name].home, **FILES.get(name, {})}, work / "home")
    lay_out({"script.json": json.dumps({"name": f"mcp-http/{name}", "turns": TURNS}), "out/.keep": "", "session.sh": script(name)}, work)
    (work / "out").chmod(0o777)
    (work / "bin").mkdir()
    shutil.copy(hardwon, work / "bin" / "hardwon")
    return box(clients, work, "shop")


def offered(body):
    """The names of the tools in a request, whichever dialect it is in."""
    readers = {"input": model.read_responses, "contents": model.read_gemini}
    read = next((it for member, it in readers.items() if member in body), None)
    tools = body.get("tools") or []
    read = read or (model.read_chat if tools and "function" in tools[0] else model.read_anthropic)
    return read(body, "").tools


def judge(name, work):
    out = {it.name: it.read_text(errors="replace") for it in (work / "out").iterdir()}
    log = work / "requests.jsonl"
    rows = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    bodies = {(row["turn"], row["index"]): row["body"] for row in rows}
    rows_of = lambda name, member: json.loads(out.get(name) or "{}").get(member, [])
    named = lambda step, tool: model.fit_lessons({"lessons": tool, "args": {}}, offered(bodies.get(step, {})))[0] in offered(bodies.get(step, {}))
    lesson = next((it for it in rows_of("lessons", "lessons") if it["lesson_text"] == RECORDED), None)
    recall = next((it for it in rows_of("recalls", "recalls") if it["shown"]), {})
    return out.get("version", "").split("\n")[0], {
        "is offered all tools": all(named((0, 0), tool) for tool in TOOLS),
        "reads the lesson": KNOWN in json.dumps(bodies.get((0, 1), "")),
        "its recall is on record": recall.get("client") == name,
        "its lesson is on record": bool(lesson) and lesson["trust"] == "agent" and lesson["project"] == "shop",
        "goes on to the end": TURNS[0]["steps"][-1]["say"] in out.get("said", ""),
        "a wrong key: no tools": (1, 0) in bodies and not any(named((1, 0), tool) for tool in TOOLS),
        "a wrong key: goes on": TURNS[1]["steps"][0]["say"] in out.get("refused", ""),
    }


def main():
    clients, hardwon = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
    failed = is_headed = False
    for name in sys.argv[3:] or SET_UP:
        work = pathlib.Path("/var/tmp/hardwon-mcp-http") / name
        play(clients, hardwon, work, name)
        version, checks = judge(name, work)
        if not is_headed:
            print("| agent | version | " + " | ".join(checks) + " |\n" + "|---" * (len(checks) + 2) + "|")
            is_headed = True
        failed |= not all(checks.values())
        cells = [name, version, *("yes" if ok else "NO" for ok in checks.values())]
        print("| " + " | ".join(cells) + " |", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
