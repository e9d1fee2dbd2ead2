"""Starts the product once; what the tests send is built with the providers' own SDK types."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

import pytest
import requests


class Toolcrib:
    """One `serve --demo` process and its owner."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="toolcrib-sdk-"))
        env = {key: value for key, value in os.environ.items() if not key.startswith("TOOLCRIB_")}
        self.process = subprocess.Popen(
            [os.environ["TEST_BIN"], "serve", "--demo", "--data-dir", str(self.folder), "--bind", "127.0.0.1:0"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env)
        for line in self.process.stdout:
            found = re.search(r"listening on (http://\S+)", line)
            if found:
                self.base = found.group(1)
                break
        # The rest of its output is read away, so that a full pipe never stops it.
        subprocess.Popen(["cat"], stdin=self.process.stdout, stdout=subprocess.DEVNULL)
        workspace = json.loads((self.folder / "demo.json").read_text())["workspaces"][0]
        self.headers = {"Authorization": f"Bearer {workspace['owner']['token']}", "X-Workspace-Id": workspace["id"]}

    def get(self, path, **query):
        answer = requests.get(self.base + path, params=query, headers=self.headers, timeout=20)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path, body, status=200):
        answer = requests.post(self.base + path, json=body, headers=self.headers, timeout=20)
        assert answer.status_code == status, answer.text
        return answer.json()

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)
        shutil.rmtree(self.folder, ignore_errors=True)


@pytest.fixture(scope="session")
def toolcrib():
    running = Toolcrib()
    yield running
    running.close()
