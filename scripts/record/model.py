#!/usr/bin/env -S python3 -B
"""A model that plays a script, for recording real coding agents without a network.

It listens on loopback and answers in the four dialects that agents speak: Anthropic Messages,
OpenAI Responses, OpenAI Chat Completions and Gemini, as JSON or as a stream. It holds no state:
the latest scripted prompt that occurs in a request names the turn, and the tool results after
that prompt are counted against the calls of the turn's steps. So an agent may retry a request
or make side requests, and the script stays where it was.

A script is JSON: {"name": "...", "turns": [{"prompt": "...", "steps": [STEP, ...]}]}. A step has
"say" (text), "calls" or both, and the last one of a turn only says. A call names a deed, not a
tool: {"run": COMMAND}, {"read": PATH}, {"edit": PATH, "old": TEXT, "new": TEXT},
{"write": PATH, "text": TEXT}, {"fetch": URL}. It becomes the tool that the agent offers for it.
{"lessons": TOOL, "args": {...}} calls a tool of the MCP server named `lessons`, {"script": SOURCE} runs
JavaScript in Codex's code mode, {"wait": CELL} waits for one that goes on.

With LOG, every request is kept there as a JSON line {"turn", "index", "body"}: what the model was
given to read before it played that step.

usage: model.py SCRIPT PROJECT_FOLDER PORT [LOG]
"""
import hashlib, json, os, re, sys, time
from collections import namedtuple
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# What an agent may call the tool for a deed, best first, and its schema the arguments.
TOOLS = {
    "run": ["Bash", "bash", "exec_command", "shell_command", "run_shell_command", "shell"],
    "read": ["Read", "read", "read_file", "view"],
    "edit": ["Edit", "edit", "replace", "apply_patch"],
    "write": ["Write", "write", "write_file", "create"],
    "fetch": ["WebFetch", "webfetch", "web_fetch"],
}
ARGUMENTS = {
    "command": ["command", "cmd"],
    "path": ["file_path", "filePath", "path"],
    "old": ["old_string", "oldString", "old_str", "oldText"],
    "new": ["new_string", "newString", "new_str", "newText"],
    "text": ["content", "file_text"],
    "url": ["url"],
}


# What the script needs of a request in any dialect. `tools` maps a name to the JSON schema of its
# arguments, None for free text; `entries` are ("user", text) and ("result", "") in order.
Request = namedtuple("Request", "tools entries stream model")
# What to say and which tools to call: (id, name, arguments) each. Ids depend on the script alone.
Reply = namedtuple("Reply", "id say calls model")


def words(content):
    """All text in a content value: a string, a block, or a list of them."""
    if isinstance(content, list):
        return "\n".join(map(words, content))
    return (content.get("text") if isinstance(content, dict) else content) or ""


def read_anthropic(body, path):
    entries = []
    for m in body.get("messages", []):
        content = m["content"] if isinstance(m["content"], list) else [{"type": "text", "text": m["content"]}]
        for b in content if m["role"] == "user" else []:
            entries.append(("result", "") if b.get("type") == "tool_result" else ("user", words(b)))
    tools = {t["name"]: t.get("input_schema", {}) for t in body.get("tools") or []}
    return Request(tools, entries, body.get("stream"), body.get("model"))


def read_responses(body, path):
    entries = []
    for item in body.get("input") or []:
        if item.get("role") == "user":
            entries.append(("user", words(item.get("content"))))
        elif item.get("type", "").endswith("_call_output"):
            entries.append(("result", ""))
    added = [t for item in body.get("input") or [] if item.get("type") == "additional_tools" for t in item["tools"]]
    offered = (body.get("tools") or []) + added
    tools = {t["name"]: t.get("parameters") for t in offered if t.get("type") in ("function", "custom")}
    tools |= {f"{space['name']}.{t['name']}": t.get("parameters") for space in offered if space.get("type") == "namespace"
              for t in space["tools"]}
    return Request(tools, entries, body.get("stream"), body.get("model"))


def read_chat(body, path):
    entries = []
    for m in body.get("messages", []):
        if m["role"] in ("user", "tool"):
            entries.append(("user", words(m.get("content"))) if m["role"] == "user" else ("result", ""))
    tools = {t["function"]["name"]: t["function"].get("parameters") or {} for t in body.get("tools") or []}
    return Request(tools, entries, body.get("stream"), body.get("model"))


def read_gemini(body, path):
    parts = [p for c in body.get("contents") or [] if c.get("role") != "model" for p in c.get("parts") or []]
    entries = [("result", "") if "functionResponse" in p else ("user", words(p)) for p in parts]
    tools = {f["name"]: f.get("parametersJsonSchema") or f.get("parameters") or {}
             for t in body.get("tools") or [] for f in t.get("functionDeclarations") or []}
    return Request(tools, entries, "streamGenerateContent" in path, path.split("/")[-1].split(":")[0])


def next_step(script, request):
    """(turn, index, step) to play now. A request without tools is a side request."""
    if not request.tools:
        return 0, 0, {"say": "ok"}
    turn, results = 0, 0
    for kind, text in request.entries:
        named = [n for n, t in enumerate(script["turns"]) if t["prompt"] in text] if kind == "user" else []
        if named and named[-1] >= turn:
            # The prompt of a turn may be repeated inside it; only a later turn starts the count anew.
            turn, results = named[-1], results if named[-1] == turn else 0
        results += kind == "result"
    for index, step in enumerate(script["turns"][turn]["steps"]):
        if results <= 0 or not step.get("calls"):
            return turn, index, step
        results -= len(step["calls"])


def patch(call):
    """The edit or new file as the patch text that `apply_patch` takes."""
    sign = lambda s, text: "".join(f"{s}{line}\n" for line in text.splitlines())
    body = (f"*** Add File: {call['write']}\n{sign('+', call['text'])}" if "write" in call else
            f"*** Update File: {call['edit']}\n@@\n{sign('-', call['old'])}{sign('+', call['new'])}")
    return f"*** Begin Patch\n{body}*** End Patch"


def fit_lessons(call, tools):
    """The tool of the MCP server `lessons`, which every agent names in its own way; some offer it by way of another one."""
    name = next((n for n in tools if re.search(rf"(^|_)lessons(__|[-_.]){call['lessons']}$", n)), None)
    if name is None and "tool_call" in tools:
        return "tool_call", {"name": f"mcp__lessons__{call['lessons']}", "arguments": call["args"]}
    return name or f"lessons_{call['lessons']}", call["args"]


def fit(call, tools, folder):
    """(tool name, arguments) by which this agent does what the call says."""
    if "lessons" in call:
        return fit_lessons(call, tools)
    if "script" in call:
        return "exec", call["script"]
    if "wait" in call:
        return "wait", {"cell_id": call["wait"], "yield_time_ms": 10000}
    deed = next(d for d in TOOLS if d in call)
    name = next((n for n in TOOLS[deed] if n in tools), None)
    if name is None:
        command = {"read": "cat ", "fetch": "curl -fsS "}.get(deed)
        return fit({"run": command + call[deed] if command else f"apply_patch <<'EOF'\n{patch(call)}\nEOF"}, tools, folder)
    if name == "apply_patch":
        return name, patch(call) if tools[name] is None else {"input": patch(call)}
    offered = tools[name].get("properties", {})
    subject = {"run": "command", "fetch": "url"}.get(deed, "path")
    value = os.path.join(folder, call[deed]) if subject == "path" else call[deed]
    known = {subject: value, **{k: call[k] for k in ("old", "new", "text") if k in call}}
    args = {p: known[k] for k in known for p in ARGUMENTS[k] if p in offered}
    if "edits" in offered:
        args["edits"] = [{"oldText": call["old"], "newText": call["new"]}]
    for p in tools[name].get("required", []):
        kind = offered.get(p, {}).get("type")
        blank = {"boolean": False, "number": 1, "integer": 1, "array": []}.get(kind, call.get("why", call[deed]))
        args.setdefault(p, offered.get(p, {}).get("enum", [blank])[0])
    return name, args


def reply_to(script, request, folder):
    turn, index, step = next_step(script, request)
    seed = lambda *more: hashlib.sha256(" ".join(map(str, [script["name"], turn, index, *more])).encode()).hexdigest()[:20]
    calls = [(seed(k), *fit(c, request.tools, folder)) for k, c in enumerate(step.get("calls", []))]
    return Reply(seed(), step.get("say", ""), calls, request.model)


def write_anthropic(reply):
    blocks = [{"type": "text", "text": reply.say}] if reply.say else []
    blocks += [{"type": "tool_use", "id": "toolu_" + i, "name": n, "input": a} for i, n, a in reply.calls]
    stop = "tool_use" if reply.calls else "end_turn"
    usage = {"input_tokens": 100, "output_tokens": 20, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    whole = {"id": "msg_" + reply.id, "type": "message", "role": "assistant", "model": reply.model,
             "content": blocks, "stop_reason": stop, "stop_sequence": None, "usage": usage}
    events = [{"type": "message_start", "message": dict(whole, content=[], stop_reason=None)}]
    for k, b in enumerate(blocks):
        empty, delta = ((dict(b, text=""), {"type": "text_delta", "text": b["text"]}) if b["type"] == "text" else
                        (dict(b, input={}), {"type": "input_json_delta", "partial_json": json.dumps(b["input"])}))
        events += [{"type": "content_block_start", "index": k, "content_block": empty},
                   {"type": "content_block_delta", "index": k, "delta": delta},
                   {"type": "content_block_stop", "index": k}]
    events += [{"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": usage},
               {"type": "message_stop"}]
    return whole, events


def write_responses(reply):
    items = [{"type": "message", "id": "msg_" + reply.id, "role": "assistant", "status": "completed",
              "content": [{"type": "output_text", "text": reply.say, "annotations": []}]}] if reply.say else []
    for i, name, args in reply.calls:
        free = isinstance(args, str)
        kind, given = ("custom_tool_call", {"input": args}) if free else ("function_call", {"arguments": json.dumps(args)})
        space, _, name = name.rpartition(".")
        given |= {"namespace": space} if space else {}
        items.append({"type": kind, "id": "fc_" + i, "call_id": "call_" + i, "name": name, "status": "completed", **given})
    usage = {"input_tokens": 100, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 20,
             "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 120}
    whole = {"id": "resp_" + reply.id, "object": "response", "created_at": int(time.time()), "status": "completed",
             "model": reply.model, "output": items, "usage": usage, "error": None}
    events = [{"type": "response.created", "response": dict(whole, status="in_progress", output=[])}]
    for k, item in enumerate(items):
        at = {"output_index": k, "item_id": item["id"], "content_index": 0}
        message = item["type"] == "message"
        events.append({"type": "response.output_item.added", **at, "item": dict(item, content=[]) if message else item})
        events += [{"type": "response.output_text.delta", **at, "delta": reply.say}] if message else []
        events.append({"type": "response.output_item.done", **at, "item": item})
    return whole, events + [{"type": "response.completed", "response": whole}]


def write_chat(reply):
    calls = [{"index": k, "id": "call_" + i, "type": "function", "function": {"name": n, "arguments": json.dumps(a)}}
             for k, (i, n, a) in enumerate(reply.calls)]
    message = {"role": "assistant", "content": reply.say or None, **({"tool_calls": calls} if calls else {})}
    finish, usage = "tool_calls" if calls else "stop", {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    head = {"id": "chatcmpl-" + reply.id, "created": int(time.time()), "model": reply.model}
    chunk = lambda choices, **more: dict(head, object="chat.completion.chunk", choices=choices, **more)
    events = [chunk([{"index": 0, "delta": message, "finish_reason": None}]),
              chunk([{"index": 0, "delta": {}, "finish_reason": finish}]), chunk([], usage=usage), "[DONE]"]
    whole = dict(head, object="chat.completion", usage=usage)
    return whole | {"choices": [{"index": 0, "message": message, "finish_reason": finish}]}, events


def write_gemini(reply):
    parts = [{"text": reply.say}] if reply.say else []
    parts += [{"functionCall": {"name": n, "args": a}} for _, n, a in reply.calls]
    whole = {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
             "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120},
             "modelVersion": reply.model, "responseId": reply.id}
    return whole, [whole]


def frame(event):
    """One server-sent event; the two dialects with typed events name the type too."""
    kind = f"event: {event['type']}\n" if isinstance(event, dict) and "type" in event else ""
    return f"{kind}data: {event if isinstance(event, str) else json.dumps(event)}\n\n".encode()


DIALECTS = [(r"/messages$", read_anthropic, write_anthropic), (r"/responses$", read_responses, write_responses),
            (r"/chat/completions$", read_chat, write_chat), (r"enerateContent$", read_gemini, write_gemini)]


class Door(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    log_message = lambda *_: None

    def answer(self, kind, payload):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def keep(self, request, raw):
        if self.server.log and request.tools:
            turn, index, _ = next_step(self.server.script, request)
            with open(self.server.log, "a") as log:
                log.write(json.dumps({"turn": turn, "index": index, "body": json.loads(raw)}) + "\n")

    def do_GET(self):
        model = {"id": "scripted", "object": "model", "created": 0, "owned_by": "nobody"}
        self.answer("application/json", json.dumps({"object": "list", "data": [model], "models": []}).encode())

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.path.split("?")[0]
        for pattern, read, write in DIALECTS:
            if re.search(pattern, path):
                request = read(json.loads(raw), path)
                self.keep(request, raw)
                whole, events = write(reply_to(self.server.script, request, self.server.folder))
                if request.stream:
                    return self.answer("text/event-stream", b"".join(map(frame, events)))
                return self.answer("application/json", json.dumps(whole).encode())
        self.answer("application/json", b'{"input_tokens": 1000, "totalTokens": 1000}')


if __name__ == "__main__":
    script, folder, port, *log = sys.argv[1:]
    server = ThreadingHTTPServer(("127.0.0.1", int(port)), Door)
    server.script, server.folder, server.log = json.load(open(script)), folder, (log or [None])[0]
    server.serve_forever()
