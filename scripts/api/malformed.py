"""Requests that no program would make: each must be refused in the form of all errors, and none be a fault of the server."""
import http.client, json, socket, urllib.parse

DEEP = b'{"prompt":' + b"[" * 10_000 + b"]" * 10_000 + b"}"
LONG = "x" * 100_000
REFUSED = [400]
MCP = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
# Method, path, body, headers, and the statuses that are right.
REQUESTS = [
    # Paths.
    ("GET", "/v1/recalls/%FF", b"", {}, REFUSED),
    ("GET", "/v1/lessons/%FF", b"", {}, REFUSED),
    ("DELETE", "/v1/tenants/%C0%AF", b"", {}, REFUSED),
    ("GET", "/v1/lessons/1%2F..%2F2", b"", {}, REFUSED),
    ("GET", "/v1/lessons/%00", b"", {}, REFUSED),
    ("GET", "/v1/lessons/+1", b"", {}, REFUSED),
    ("GET", "/v1/lessons/1e3", b"", {}, REFUSED),
    ("GET", "/v1/lessons/9223372036854775808", b"", {}, REFUSED),
    ("GET", "/v1/lessons/9223372036854775807", b"", {}, [404]),
    ("GET", "/v1/../v1/lessons", b"", {}, [404]),
    ("GET", "/v1//lessons", b"", {}, [404]),
    ("GET", "/v1/lessons/1/", b"", {}, [404]),
    ("GET", "//v1/lessons", b"", {}, [404]),
    ("GET", "/v1/" + "a/" * 3000, b"", {}, [404]),
    # Queries.
    ("GET", "/v1/lessons?agent_id=a%00b", b"", {}, REFUSED),
    ("GET", "/v1/lessons?agent_id=a&agent_id=b", b"", {}, REFUSED),
    ("GET", "/v1/lessons?cursor=-1", b"", {}, REFUSED),
    ("GET", "/v1/lessons?cursor=99999999999999999999", b"", {}, REFUSED),
    ("GET", "/v1/lessons?q=%00%FF%22*%22(NEAR", b"", {}, [200]),
    ("GET", "/v1/lessons?q=" + "%22" * 5000, b"", {}, [200]),
    ("GET", "/v1/lessons?q=" + "a+" * 5000, b"", {}, [200]),
    ("GET", "/v1/journal?after=18446744073709551615", b"", {}, REFUSED),
    ("GET", "/v1/journal?after=9223372036854775807", b"", {}, [200]),
    ("GET", "/v1/journal?lesson=0", b"", {}, REFUSED),
    ("GET", "/v1/audit?after=9223372036854775808", b"", {}, REFUSED),
    ("GET", "/v1/recalls?limit=99999999999999999999999", b"", {}, [200]),
    ("GET", "/v1/recalls?all=maybe", b"", {}, REFUSED),
    ("DELETE", "/v1/lessons/1?erase=1", b"", {}, REFUSED),
    # Bodies.
    ("POST", "/v1/recall", b"", {}, REFUSED),
    ("POST", "/v1/recall", b"null", {}, REFUSED),
    ("POST", "/v1/recall", b"[]", {}, REFUSED),
    ("POST", "/v1/recall", b'{"prompt":"x"', {}, REFUSED),
    ("POST", "/v1/recall", b'{"prompt":"\xff\xfe"}', {}, REFUSED),
    ("POST", "/v1/recall", b'{"prompt":"\\ud800"}', {}, REFUSED),
    ("POST", "/v1/recall", b"\xef\xbb\xbf{}", {}, REFUSED),
    ("POST", "/v1/recall", '{"prompt":"x"}'.encode("utf-16"), {"content-type": "application/json; charset=utf-16"}, REFUSED),
    ("POST", "/v1/recall", DEEP, {}, REFUSED),
    ("POST", "/v1/recall", b'{"prompt":"x","limit":1e400}', {}, REFUSED),
    ("POST", "/v1/recall", b'{"prompt":"x","limit":99999999999999999999999}', {}, REFUSED),
    ("POST", "/v1/recall", b'{"prompt":"x","limit":-1}', {}, REFUSED),
    ("POST", "/v1/recall", b'{"prompt":"a\\u0000b"}', {}, [200]),
    ("POST", "/v1/recall", json.dumps({"prompt": LONG}).encode(), {}, [413]),
    ("POST", "/v1/recall", json.dumps({"prompt": "word " * 12_000}).encode(), {}, [200]),
    ("POST", "/v1/recall", json.dumps({"prompt": "\"'*()^:{}~ NEAR AND OR NOT"}).encode(), {}, [200]),
    ("POST", "/v1/lessons", b'{"signature":"a\\u0000b","lesson_text":"c\\u0000d \\u202e","supersedes":[9223372036854775807,-1,0]}', {}, [201, 422]),
    ("POST", "/v1/lessons", b'{"signature":"nul in tags","lesson_text":"c d","tags":["\\u0000",""],"tools":["\\n"],"ref":"\\u0000"}', {}, [201, 422]),
    ("POST", "/v1/lessons", b'{"signature":"x","lesson_text":"y","supersedes":[9223372036854775808]}', {}, REFUSED),
    ("POST", "/v1/lessons", json.dumps({"signature": "x", "lesson_text": "y", "tags": ["t"] * 9000}).encode(), {}, [201, 400, 422]),
    ("POST", "/v1/outcomes", b'{"run":"r","status":"completed","score":1e308}', {}, REFUSED),
    ("POST", "/v1/outcomes", b'{"run":"r","status":"completed","score":NaN}', {}, REFUSED),
    ("POST", "/v1/outcomes", b'{"run":"\\u0000","status":"completed"}', {}, REFUSED),
    ("POST", "/v1/observe", b'{"session":"s","events":[1,null,{}]}', {}, REFUSED),
    ("POST", "/v1/observe", b'{"session":"s","events":[{"type":"tool","tool":"\\u0000","status":"error","error":"\\u0000\\u202e"}]}', {}, [200, 400]),
    ("POST", "/v1/observe", json.dumps({"session": "s", "events": [{"type": "end"}] * 257}).encode(), {}, REFUSED),
    ("POST", "/v1/observe", json.dumps({"session": "s", "events": [{"type": "message", "role": "user", "text": LONG * 11}]}).encode(), {}, [413]),
    ("POST", "/v1/keys", b'{"role":"agent","expires_in_seconds":4294967296}', {}, REFUSED),
    ("POST", "/v1/keys", b'{"role":"agent","name":"\\u0000"}', {}, REFUSED),
    ("POST", "/v1/keys/zzzzzzzzzz/rotate", b'{"keep_seconds":4294967295}', {}, [404]),
    ("POST", "/v1/runs", b"", {}, REFUSED),
    ("POST", "/v1/runs", b"\xff\x00\xfe" * 1000, {}, REFUSED),
    ("POST", "/v1/runs?name=" + "n" * 2000, b"{}", {}, REFUSED),
    ("POST", "/v1/writ", b'{"text":"/lesson \\u0000"}', {}, [200, 400]),
    # Headers.
    ("GET", "/v1/lessons", b"", {"x-large": "x" * 60_000}, [200, 431]),
    ("GET", "/v1/lessons", b"", {"accept": "\xff\xfe", "accept-encoding": "gzip;q=x, *;q=-1"}, [200]),
    ("GET", "/v1/lessons", b"", {"x-request-id": "x" * 5000}, [200]),
    # MCP, whose errors have a form of their own.
    ("POST", "/mcp", b"", MCP, [400, 415]),
    ("POST", "/mcp", b"[]", MCP, [400, 415]),
    ("POST", "/mcp", b"[" * 50_000, MCP, [400, 415]),
    ("POST", "/mcp", b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', MCP, [400, 415]),
    ("POST", "/mcp", b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}', {}, [406]),
    ("POST", "/mcp", b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}', {**MCP, "mcp-protocol-version": "1999-01-01"}, [400]),
    ("POST", "/mcp", b'{"jsonrpc":"2.0","id":1,"method":"nothing"}', MCP, [200]),
    ("POST", "/mcp", b'{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"lesson://x/99999999999999999999"}}', MCP, [200]),
    ("POST", "/mcp", b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get","arguments":{"id":-1}}}', MCP, [200]),
    ("POST", "/mcp", b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list","arguments":{"before":1e99}}}', MCP, [200]),
    ("GET", "/mcp", b"", MCP, [405]),
    # The page.
    ("GET", "/lessons/%FF", b"", {}, REFUSED),
    ("POST", "/login", b"\xff" * 70_000, {}, [403, 413]),
    # Methods.
    ("PUT", "/v1/lessons", b"", {}, [405]),
    ("TRACE", "/v1/lessons", b"", {}, [405]),
    ("FOO", "/v1/lessons", b"", {}, [405]),
]
# What is no HTTP, and the beginning of the right answer; an answer may also be none.
RAW = [
    b"GET /v1/lessons HTTP/1.1\r\n" + b"".join(b"x-%d: y\r\n" % n for n in range(1000)) + b"\r\n",
    b"GET /v1/lessons HTTP/1.1\r\nhost: x\r\nx: " + b"y" * 1_000_000 + b"\r\n\r\n",
    b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nhost: x\r\n\r\n",
    b"POST /v1/recall HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n",
    b"POST /v1/recall HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999999999999999\r\n\r\n",
    b"POST /v1/recall HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello",
    b"POST /v1/recall HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
    b"GET /v1/lessons\xff HTTP/1.1\r\nhost: x\r\n\r\n",
    b"GET /v1/lessons HTTP/9.9\r\nhost: x\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"\0" * 100,
]


def ask(url, method, path, key, body=b"", headers=()):
    """Sends a request as it is, and returns its status, the type of its answer and the answer."""
    place = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(place.hostname, place.port, timeout=20)
    # What is sent here is not to be made right on the way.
    connection._validate_method = connection._validate_path = lambda it: None
    connection.request(method, path, body, {"Authorization": f"Bearer {key}", **dict(headers)})
    answer = connection.getresponse()
    told = answer.status, answer.getheader("content-type", ""), answer.read()
    connection.close()
    return told


def send_raw(url, data):
    """Returns the status of the answer to these bytes, or none."""
    place = urllib.parse.urlsplit(url)
    with socket.create_connection((place.hostname, place.port), timeout=20) as stream:
        try:
            stream.sendall(data)
            stream.shutdown(socket.SHUT_WR)
            answer = stream.recv(4096)
        except OSError:
            return None
    return int(answer.split()[1]) if answer.startswith(b"HTTP/1.") else None


def is_in_form(status, kind, answer):
    """Whether an error of the API has the form of all."""
    if status < 400 or status == 431:
        return True
    problem = json.loads(answer) if kind == "application/problem+json" else {}
    return problem.get("status") == status and bool(problem.get("error"))


def check(server):
    """Sends all of it, prints what was answered wrongly, and returns whether nothing was."""
    wrong = 0
    for method, path, body, headers, right in REQUESTS:
        key = server.operator if path.startswith(("/v1/tenants", "/v1/audit")) else server.owner
        status, kind, answer = ask(server.url, method, path, key, body, headers.items())
        if status not in right or not (path in ("/mcp", "/login") or is_in_form(status, kind, answer)):
            wrong += 1
            print(f"{method} {path[:80]} {body[:80]}: {status} {kind} {answer[:200]}, expected {right}")
    for data in RAW:
        status = send_raw(server.url, data)
        if status is not None and not 400 <= status < 500 and status != 505:
            wrong += 1
            print(f"{data[:60]}: {status}")
    if ask(server.url, "GET", "/v1/lessons", server.owner)[0] != 200:
        wrong += 1
        print("the server does not answer any more")
    print(f"{len(REQUESTS) + len(RAW)} malformed requests, {wrong} answered wrongly")
    return wrong == 0
