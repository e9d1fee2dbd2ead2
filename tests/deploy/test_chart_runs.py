"""The chart's job and pods as processes, on PostgreSQL with Redis, up to the invitation of a first owner."""
import http.server
import json
import re
import shlex

import pytest
import requests
from chart import VARIANTS, container
from local_server import LocalServer
from pods import Cluster, Pod

# The kubelet asks at the address of the pod.
KUBELET = {"Host": "10.1.2.3:8787", "User-Agent": "kube-probe/1.35"}


class Keys(http.server.BaseHTTPRequestHandler):
    """The metadata and the keys of an identity provider."""

    def do_GET(self):
        url = f"http://{self.headers['Host']}"
        keys = [{"kty": "OKP", "crv": "Ed25519", "kid": "1", "x": 43 * "A"}]
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps({"issuer": url, "jwks_uri": f"{url}/keys", "keys": keys}).encode())

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def values():
    provider = LocalServer(Keys)
    variant = VARIANTS["postgresql"]
    yield variant | {"settings": variant["settings"] | {"jwks_url": f"{provider.url}/keys", "issuer": provider.url}}
    provider.close()


@pytest.fixture(scope="module")
def manifests(chart, values):
    return chart.manifests(values)


@pytest.fixture(scope="module")
def cluster(manifests, tmp_path_factory):
    running = Cluster(tmp_path_factory.mktemp("cluster"))
    running.run(manifests["Job"], container(manifests["Job"])["args"])
    yield running
    running.close()


@pytest.fixture(scope="module")
def pods(cluster, manifests):
    running = [Pod(cluster, manifests["Deployment"], f"pod-{n}") for n in range(2)]
    yield running
    for pod in running:
        pod.stop()


def test_probes_find_the_pods_ready(pods, manifests):
    probes = {name: probe["httpGet"] for name, probe in container(manifests["Deployment"]).items() if name.endswith("Probe")}
    assert {name: probe["path"] for name, probe in probes.items()} == {
        "startupProbe": "/healthz", "livenessProbe": "/healthz", "readinessProbe": "/readyz"}
    for pod in pods:
        for probe in probes.values():
            answer = requests.get(pod.url(probe["port"], probe["path"]), headers=KUBELET, timeout=3)
            assert answer.status_code == 200, answer.text


def test_prometheus_reads_metrics_with_the_token(pods, manifests, cluster):
    [endpoint] = manifests["ServiceMonitor"]["spec"]["endpoints"]
    held = endpoint["authorization"]["credentials"]
    token = cluster.secrets[held["name"]][held["key"]]
    url = pods[0].url(endpoint["port"], endpoint["path"])

    def status(**sent):
        return requests.get(url, headers={"Host": "10.1.2.3:8788"} | sent, timeout=3).status_code

    assert status() == 404
    assert status(Authorization="Bearer of-somebody-else") == 401
    assert status(Authorization=f"Bearer {token}") == 200


def test_nobody_who_serves_may_become_the_owner(pods):
    said = "".join(line for pod in pods for line in pod.lines)
    assert "the owner's login" not in said and "one login for requests" not in said and "others may use" not in said, said


def test_the_notes_lead_to_a_first_owner(chart, pods, manifests, cluster, values):
    """Each command of the notes runs in a pod."""
    commands = re.findall(r"exec deployment/toolcrib -- toolcrib (.*)", chart.notes(values))
    doctor, create, invite = map(shlex.split, commands)
    deployment = manifests["Deployment"]
    assert "FAIL" not in cluster.run(deployment, doctor)
    workspace = json.loads(cluster.run(deployment, create))["id"]
    invitation = json.loads(cluster.run(deployment, [workspace if part == "ID" else part for part in invite]))
    assert invitation["role"] == "owner" and invitation["url"].startswith("https://tools.example.com/console/login#invitation=")


def test_pods_end_in_time(pods):
    assert [pod.stop() for pod in pods] == [0, 0]
