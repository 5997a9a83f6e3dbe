"""A fresh server for the scripts of this folder: a folder of its own, free ports, and a key for each role."""
import os, pathlib, re, subprocess, tempfile, time

START_SECONDS = 30


class Served:
    """A server that runs while its `with` block does.

    `options` go to `hardwon serve`, and those that name a store to the other commands as well.
    """

    def __init__(self, program, options=(), **settings):
        self.program, self.options = pathlib.Path(program).resolve(), list(options)
        self.folder = tempfile.TemporaryDirectory(prefix="hardwon-api-")
        self.home = pathlib.Path(self.folder.name)
        self.env = {"PATH": os.environ["PATH"], "HOME": str(self.home), "HARDWON_DB": str(self.home / "lessons.db"), **settings}

    def __enter__(self):
        # Told first, so that the server does not make one itself.
        self.owner = self.add_key("owner")
        self.operator = self.add_key("operator")
        self.log = self.home / "serve.log"
        command = [self.program, "serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0", *self.options]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(command, env=self.env, cwd=self.home, stdout=log, stderr=log)
        self.url, self.ops_url = self.wait_for_addresses()
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()

    def wait_for_addresses(self):
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end and self.process.poll() is None:
            found = re.findall(r"http://[\d.:]+", self.log.read_text())
            if len(found) >= 2:
                return found[:2]
            time.sleep(0.05)
        self.process.kill()
        raise SystemExit(f"the server did not start:\n{self.log.read_text()}")

    def add_key(self, role, *more):
        """Makes a key, as whoever owns the machine does."""
        return self.run("key", "add", "--role", role, *more)

    def run(self, *command):
        """Runs another command over the same lessons, and returns what it printed."""
        store = [it for n, it in enumerate(self.options) if "--store" in (it, self.options[n - 1] if n else "")]
        command = [self.program, *command, *store]
        return subprocess.run(command, env=self.env, cwd=self.home, check=True, capture_output=True, text=True).stdout.strip()

    def faults(self):
        """The lines in which the server named a cause for a 500."""
        return [line for line in self.log.read_text().splitlines() if "error:" in line or "panicked" in line]
