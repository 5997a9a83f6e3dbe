#!/usr/bin/env python3
"""Measures what a server costs a hook: beside the local path, 100 ms away, and dead.

    scripts/remote_latency.py target/release/hardwon [hooks]

Each hook is a process of its own, as a client starts it; its time is from start to exit. The server is real, and a
proxy in front of it holds every piece of data back for 50 ms in each direction.
"""

import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

PROGRAM = os.path.abspath(sys.argv[1])
HOOKS = int(sys.argv[2]) if len(sys.argv) > 2 else 300
ONE_WAY = 0.05
PROJECT = "shop"
PROMPT = "Please fetch the price list through the proxy and run step 17 of the build"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Home:
    def __init__(self, root, name):
        self.path = os.path.join(root, name)
        os.makedirs(os.path.join(self.path, "repo"))
        os.makedirs(os.path.join(self.path, ".claude"))
        self.env = {"HOME": self.path, "PATH": "/usr/bin:/bin", "HARDWON_PROJECT": PROJECT, "HARDWON_HOLDOUT": "off"}

    def run(self, *args, stdin=""):
        done = subprocess.run([PROGRAM, *args], input=stdin, text=True, capture_output=True, env=self.env,
                              cwd=os.path.join(self.path, "repo"), check=False)
        if done.returncode != 0:
            raise SystemExit(f"{args}: {done.stderr}")
        return done.stdout

    def hook(self, number):
        payload = {"session_id": f"s{number}", "cwd": os.path.join(self.path, "repo"),
                   "hook_event_name": "UserPromptSubmit", "prompt": PROMPT}
        began = time.perf_counter()
        said = self.run("hook", "--client", "claude-code", stdin=json.dumps(payload))
        return time.perf_counter() - began, "PITFALLS" in said


def report(name, home, first):
    times = [home.hook(first + it) for it in range(HOOKS)]
    shown = sum(it[1] for it in times)
    sorted_times = sorted(1000 * it[0] for it in times)
    at = lambda share: sorted_times[min(len(sorted_times) - 1, int(share * len(sorted_times)))]
    print(f"{name:<44} p50 {at(0.5):7.2f} ms   p99 {at(0.99):7.2f} ms   {shown} of {HOOKS} with lessons", flush=True)


class Proxy:
    """Passes data on, late."""

    def __init__(self, target):
        self.target = target
        self.port = free_port()
        self.loop = asyncio.new_event_loop()
        self.open = set()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        asyncio.set_event_loop(self.loop)
        self.server = self.loop.run_until_complete(asyncio.start_server(self.accept, "127.0.0.1", self.port))
        self.loop.run_forever()

    async def accept(self, reader, writer):
        far = await asyncio.open_connection("127.0.0.1", self.target)
        self.open |= {writer, far[1]}
        await asyncio.gather(self.pass_on(reader, far[1]), self.pass_on(far[0], writer))

    async def pass_on(self, reader, writer):
        try:
            while data := await reader.read(65536):
                await asyncio.sleep(ONE_WAY)
                writer.write(data)
                await writer.drain()
        except (ConnectionError, asyncio.CancelledError):
            pass
        writer.close()

    def stop(self):
        def close():
            self.server.close()
            for writer in self.open:
                writer.transport.abort()
        self.loop.call_soon_threadsafe(close)


def main():
    with tempfile.TemporaryDirectory() as root:
        served, port = Home(root, "served"), free_port()
        key = served.run("key", "add", "--role", "owner").strip()
        server = subprocess.Popen([PROGRAM, "serve", "--listen", f"127.0.0.1:{port}", "--ops-listen", "127.0.0.1:0"],
                                  env=served.env, cwd=served.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        proxy = Proxy(port)
        homes = {name: Home(root, name) for name in ("local", "far", "new")}
        time.sleep(1)
        try:
            measure(key, port, proxy, server, homes)
        finally:
            server.kill()
            for home in homes.values():
                subprocess.run([PROGRAM, "uninstall", "--yes"], env=home.env, cwd=home.path, capture_output=True, check=False)
            time.sleep(6)


def measure(key, port, proxy, server, homes):
    for number in range(200):
        signature, text = f"build step {number}", f"Run step {number} through the proxy {number % 7}, not directly."
        body = json.dumps({"project": PROJECT, "signature": signature, "lesson_text": text}).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{port}/v1/lessons", body, {"authorization": f"Bearer {key}"})
        urllib.request.urlopen(request).close()
        homes["local"].run("lesson", "add", signature, text)
    for name in ("far", "new"):
        homes[name].run("init", "--yes", "--no-learn", "--client", "claude-code", "--server",
                        f"http://127.0.0.1:{proxy.port}", stdin=key)
    report("no server", homes["local"], 0)
    print(f"{'server 100 ms away, first hook':<44}     {1000 * homes['far'].hook(0)[0]:7.2f} ms", flush=True)
    time.sleep(2)
    report("server 100 ms away", homes["far"], 1)
    server.kill()
    proxy.stop()
    time.sleep(1)
    report("server dead, with a copy", homes["far"], 10_000)
    print(f"{'server dead, no copy, first hook':<44}     {1000 * homes['new'].hook(0)[0]:7.2f} ms", flush=True)
    report("server dead, no copy", homes["new"], 1)
    report("no server, again", homes["local"], 10_000)


main()
