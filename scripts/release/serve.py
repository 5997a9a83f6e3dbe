#!/usr/bin/env -S python3 -B
"""Serves a folder of packages on loopback as the three places do where people get them: a registry of npm, an index of Python
packages, and the releases of a repository. Prints its port, and goes on until it is ended.

usage: serve.py FOLDER
       npm:    --registry http://127.0.0.1:PORT/npm/
       pip:    --index-url http://127.0.0.1:PORT/simple
       script: http://127.0.0.1:PORT/releases/latest/download/install.sh, with HARDWON_BASE_URL=http://127.0.0.1:PORT/releases/download
"""
import base64, hashlib, http.server, json, pathlib, sys, tarfile, urllib.parse


def read_package(path, address):
    """What a registry tells of a package for npm: its package.json, and where its bytes are."""
    with tarfile.open(path) as packed:
        about = json.load(packed.extractfile("package/package.json"))
    data = path.read_bytes()
    about["dist"] = {"tarball": f"{address}/files/{path.name}", "shasum": hashlib.sha1(data).hexdigest(),
                     "integrity": "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode()}
    return about


class Packages(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    log_message = lambda *_: None

    def do_GET(self):
        path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
        address = f"http://{self.headers['Host']}"
        if path.startswith("/npm/"):
            self.answer(self.tell_npm(path[5:], address), "application/json")
        elif path.rstrip("/") == "/simple/hardwon":
            self.answer(self.tell_pip(address), "text/html")
        elif path.startswith(("/files/", "/releases/")):
            file = self.server.folder / pathlib.PurePosixPath(path).name
            self.answer(file.read_bytes() if file.is_file() else None, "application/octet-stream")
        else:
            self.answer(None, "")

    do_HEAD = do_GET

    def tell_npm(self, name, address):
        found = [read_package(it, address) for it in sorted(self.server.folder.glob("*.tgz"))]
        versions = {it["version"]: it for it in found if it["name"] == name}
        if versions:
            return json.dumps({"name": name, "dist-tags": {"latest": max(versions)}, "versions": versions}).encode()

    def tell_pip(self, address):
        wheels = sorted(self.server.folder.glob("*.whl"))
        link = lambda it: f'<a href="{address}/files/{it.name}#sha256={hashlib.sha256(it.read_bytes()).hexdigest()}">{it.name}</a>'
        return "\n".join(map(link, wheels)).encode()

    def answer(self, data, kind):
        self.send_response(404 if data is None else 200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data or b"")))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data or b"")


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Packages)
    server.folder = pathlib.Path(sys.argv[1])
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
