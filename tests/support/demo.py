"""The real binary with its demo data, for tests that drive it from outside."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

import requests


class Demo:
    """A `serve --demo` process with its credentials and its log lines. `flags` are passed to the process, which is another
    `binary` than the product's if that is given. It has a data directory of its own, unless a `folder` is given."""

    def __init__(self, *flags, binary=None, folder=None):
        self.folder = folder or pathlib.Path(tempfile.mkdtemp(prefix="toolcrib-demo-"))
        env = {key: value for key, value in os.environ.items() if not key.startswith("TOOLCRIB_")}
        self.process = subprocess.Popen(
            [binary or os.environ["TEST_BIN"], "serve", "--demo", "--data-dir", str(self.folder), "--bind", "127.0.0.1:0", *flags],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env)
        self.lines, self.base = [], None
        # The output is read to the end, so that a full pipe never blocks the process.
        threading.Thread(target=self._read, daemon=True).start()
        self.wait(lambda: self.base or self.process.poll() is not None, 60)
        assert self.base, "".join(self.lines)
        self.demo = json.loads((self.folder / "demo.json").read_text())
        self.workspace = self.demo["workspaces"][0]

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line)
            found = re.search(r"listening on (http://\S+)", line)
            if found:
                self.base = found.group(1)

    @staticmethod
    def wait(done, seconds=5):
        """Polls until `done` returns something true, or the time is over. Returns its last value."""
        end = time.monotonic() + seconds
        while not (came := done()) and time.monotonic() < end:
            time.sleep(0.02)
        return came

    def headers(self, who="owner"):
        """The credentials of a member, the agent or the service, or of the system admin in the first
        workspace."""
        held = self.demo["system_admin"] if who == "system_admin" else self.workspace[who]
        return {"Authorization": f"Bearer {held.get('token') or held['key']}", "X-Workspace-Id": self.workspace["id"]}

    def answer(self, method, path, body=None, who="owner", query=None, headers=None):
        """Sends a request and returns the response, whatever its status is."""
        return requests.request(method, self.base + path, params=query, json=body, timeout=30,
                                headers=self.headers(who) | (headers or {}))

    def ask(self, method, path, body=None, who="owner", status=200, query=None, headers=None):
        answer = self.answer(method, path, body, who, query, headers)
        assert answer.status_code == status, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json()

    def get(self, path, who="owner", **query):
        return self.ask("GET", path, who=who, query=query)

    def post(self, path, body, status=200, who="owner", headers=None):
        return self.ask("POST", path, body, who, status, headers=headers)

    def trace(self, call_id):
        """The log's text about a call, after `[tool-trace]`."""
        def found():
            return next((line for line in self.lines if f"call_id={call_id}" in line and "[tool-trace]" in line), None)
        line = self.wait(found)
        assert line, f"nothing was logged of the call {call_id}"
        return line.split("[tool-trace] ")[1]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)

    def close(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
