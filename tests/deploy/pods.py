"""Containers of the chart as processes of this machine: their arguments and variables, with free ports and folders of a test."""
import base64
import os
import re
import secrets
import shlex
import signal
import socket
import subprocess
import threading

from chart import container, environment
from demo import Demo


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def key():
    return base64.b64encode(secrets.token_bytes(32)).decode()


class Cluster:
    """What the operator of the chart has: PostgreSQL with an empty database, Redis, and two Secrets."""

    def __init__(self, folder):
        self.folder, self.name = folder, f"chart_{secrets.token_hex(4)}"
        server = os.environ["TEST_PG_URL"].rsplit("/", 1)[0]
        self.logins = [f"{self.name}_{one}" for one in ("app", "log", "work")]
        self.psql(f"CREATE DATABASE {self.name}")
        at = f"{server.rsplit('@', 1)[1]}/{self.name}"
        urls = [f"postgres://{login}:{secrets.token_hex(16)}@{at}" for login in self.logins]
        names = ["TOOLCRIB_DATABASE", "TOOLCRIB_AUDIT_DATABASE", "TOOLCRIB_WORKER_DATABASE"]
        self.secrets = {
            "toolcrib": dict(zip(names, urls)) | {
                "TOOLCRIB_SECRET_KEY": key(), "TOOLCRIB_AUDIT_KEY": key(), "TOOLCRIB_REDIS": os.environ["TEST_REDIS_URL"],
                "TOOLCRIB_METRICS_TOKEN": secrets.token_hex(16), "TOOLCRIB_CONSOLE_CLIENT_SECRET": secrets.token_hex(16)},
            "toolcrib-owner": {"TOOLCRIB_OWNER_DATABASE": f"{server}/{self.name}"},
        }

    @staticmethod
    def psql(*statements):
        for sql in statements:
            subprocess.run(["psql", "-q", os.environ["TEST_PG_URL"], "-c", sql], check=True, capture_output=True)

    def env(self, manifest, name="pod"):
        """The variables of a pod with a volume of its own."""
        found = environment(manifest, self.secrets)
        volume = self.folder / name
        volume.mkdir(exist_ok=True)
        mounts = {one["mountPath"] for one in container(manifest)["volumeMounts"]}
        assert any(found["TOOLCRIB_DATA_DIR"].startswith(f"{mount}/") for mount in mounts), "the data would be in the container"
        return found | {"TOOLCRIB_DATA_DIR": str(volume / "data"),
                        "TOOLCRIB_BIND": "127.0.0.1:0", "TOOLCRIB_METRICS_BIND": f"127.0.0.1:{free_port()}"}

    def run(self, manifest, args):
        """Runs the container of a manifest, or another command in it, to its end. Returns what it printed."""
        said = subprocess.run([os.environ["TEST_BIN"], *args], env=self.env(manifest), capture_output=True, text=True, timeout=60)
        assert said.returncode == 0, f"{shlex.join(args)}: {said.stdout}{said.stderr}"
        return said.stdout

    def close(self):
        self.psql(f"DROP DATABASE {self.name} WITH (FORCE)", *(f"DROP ROLE IF EXISTS {login}" for login in self.logins))


class Pod:
    """A process with the arguments and variables of the Deployment. `ports` are those of the container, by their names."""

    def __init__(self, cluster, deployment, name):
        env = cluster.env(deployment, name)
        # Only the address of the API is printed.
        self.lines, self.ports = [], {"metrics": env["TOOLCRIB_METRICS_BIND"].rsplit(":", 1)[1]}
        self.process = subprocess.Popen([os.environ["TEST_BIN"], *container(deployment)["args"]], env=env,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        threading.Thread(target=self._read, daemon=True).start()
        Demo.wait(lambda: "http" in self.ports or self.process.poll() is not None, 60)
        assert "http" in self.ports, "".join(self.lines)

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line)
            if found := re.search(r"listening on http://127\.0\.0\.1:(\d+)", line):
                self.ports["http"] = found[1]

    def url(self, port, path):
        return f"http://127.0.0.1:{self.ports[port]}{path}"

    def stop(self):
        """Ends it as Kubernetes does. Returns its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)
