"""deploy/compose.yaml: its settings, and its proxy with TLS before a real process."""
import os
import re
import subprocess
from ipaddress import ip_address, ip_network

import pytest
import requests
import yaml
from chart import DEPLOY
from demo import Demo
from pods import free_port, key

COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]


def filled():
    """deploy/.env, filled in as env.example asks for it."""
    lines = (DEPLOY / "env.example").read_text().splitlines()
    names = [line.rstrip("=") for line in lines if line and not line.startswith("#")]
    provider = {"PUBLIC_HOST": "tools.example.com", "JWKS_URL": "https://id.example.com/keys", "ISSUER": "https://id.example.com"}
    return {name: provider.get(name) or key().rstrip("=").translate(str.maketrans("", "", "+/")) for name in names}


def environment(service, held):
    """The variables of a container, with those of the file in their places."""
    return {name: re.sub(r"\$\{(\w+)(?::\?[^}]*)?\}", lambda found: held[found[1]], str(value))
            for name, value in SERVICES[service]["environment"].items()}


@pytest.mark.parametrize("service", ["toolcrib", "migrate"])
def test_variables_are_settings(service):
    """The product refuses a variable that is no setting, and a value that it can't read."""
    env = environment(service, filled())
    said = subprocess.run([os.environ["TEST_BIN"], "config", "show"], env=env, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    assert "https://tools.example.com" in said.stdout


def test_people_can_sign_in():
    env = environment("toolcrib", filled())
    assert {"TOOLCRIB_JWKS_URL", "TOOLCRIB_ISSUER", "TOOLCRIB_AUDIENCE", "TOOLCRIB_CONSOLE_CLIENT_ID", "TOOLCRIB_CONSOLE_CLIENT_SECRET"} <= env.keys()
    assert env["TOOLCRIB_PUBLIC_URL"] == f"https://{environment('proxy', filled())['PUBLIC_HOST']}"


def test_the_proxy_alone_is_published_and_trusted():
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]
    address = SERVICES["proxy"]["networks"]["front"]["ipv4_address"]
    assert environment("toolcrib", filled())["TOOLCRIB_TRUSTED_PROXIES"] == address
    [pool] = COMPOSE["networks"]["front"]["ipam"]["config"]
    address = ip_address(address)
    assert address in ip_network(pool["subnet"]) and address not in ip_network(pool["ip_range"])
    assert "front" in SERVICES["toolcrib"]["networks"] and SERVICES["proxy"]["networks"].keys() == {"front"}


def test_its_first_owner_is_the_chart_s(chart):
    said = re.findall(r"^# +docker compose .* exec toolcrib toolcrib (.*)", (DEPLOY / "compose.yaml").read_text(), re.M)
    assert said == re.findall(r"-- toolcrib ((?:workspace|invite) .*)", chart.notes({}))


class Proxy:
    """Caddy with deploy/Caddyfile on `localhost`, before a process instead of a container."""

    def __init__(self, folder, port, product):
        self.https, self.http = port, free_port()
        self.root = folder / "data/caddy/pki/authorities/local/root.crt"
        text = (DEPLOY / "Caddyfile").read_text()
        changes = {"dynamic a toolcrib 8787": f"dynamic a 127.0.0.1 {product}", "\tadmin off\n": f"\tadmin off\n\thttp_port {self.http}\n"}
        for old, new in changes.items():
            assert text.count(old) == 1
            text = text.replace(old, new)
        (folder / "Caddyfile").write_text(text)
        env = os.environ | {"PUBLIC_HOST": f"localhost:{self.https}", "XDG_DATA_HOME": str(folder / "data"), "XDG_CONFIG_HOME": str(folder / "config")}
        self.log = (folder / "log.txt").open("w")
        self.process = subprocess.Popen(["caddy", "run", "--adapter", "caddyfile", "--config", folder / "Caddyfile"],
                                        env=env, stdout=self.log, stderr=subprocess.STDOUT)
        assert Demo.wait(self.answers, 20), (folder / "log.txt").read_text()

    def answers(self):
        try:
            return self.root.exists() and self.get("/healthz").ok
        except requests.ConnectionError:
            return False

    def ask(self, method, path, **more):
        """Asks over TLS, with the authority of this Caddy alone."""
        return requests.request(method, f"https://localhost:{self.https}{path}", verify=self.root, timeout=10, **more)

    def get(self, path, **more):
        return self.ask("GET", path, **more)

    def close(self):
        self.process.terminate()
        self.process.wait(10)
        self.log.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    port = free_port()
    demo = Demo("--trusted-proxies", "127.0.0.1", "--public-url", f"https://localhost:{port}")
    running = Proxy(tmp_path_factory.mktemp("proxy"), port, demo.base.rsplit(":", 1)[1])
    yield demo, running
    running.close()
    demo.close()


def test_the_console_is_there_over_tls(served):
    _, proxy = served
    page = proxy.get("/console/login")
    assert page.status_code == 200 and page.text.startswith("<!doctype html>")
    plain = requests.get(f"http://localhost:{proxy.http}/console", allow_redirects=False, timeout=10)
    assert plain.status_code == 308 and plain.headers["Location"].startswith("https://localhost")


def test_a_session_goes_through_the_proxy(served):
    """The product speaks plain HTTP with the proxy, and knows from its public URL that people have TLS."""
    demo, proxy = served
    ours, theirs = {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "cross-site"}
    signed_in = proxy.ask("POST", "/console/session", headers=ours | {"Authorization": demo.headers()["Authorization"]})
    assert signed_in.status_code == 204, signed_in.text
    assert "; Secure" in signed_in.headers["Set-Cookie"]
    cookie = {"Cookie": signed_in.headers["Set-Cookie"].split(";")[0]}
    assert proxy.get("/v1/me", headers=cookie | ours).status_code == 200
    assert proxy.get("/v1/me", headers=cookie | theirs).status_code == 401
    assert proxy.ask("DELETE", "/console/session", headers=cookie | ours).status_code == 204
    assert proxy.get("/v1/me", headers=cookie | ours).status_code == 401


def test_metrics_are_not_there(served):
    demo, proxy = served
    assert requests.get(f"{demo.base}/metrics", timeout=10).status_code == 200
    assert proxy.get("/metrics").status_code == 404


def test_streams_are_not_held_back(served):
    demo, proxy = served
    with proxy.get("/v1/events", headers=demo.headers(), stream=True) as stream:
        assert stream.headers["Content-Type"].startswith("text/event-stream")
        assert next(stream.iter_lines()) == b"retry: 2000"


def test_a_client_can_t_report_its_address(served):
    """What a client says of its own address never reaches the product; failures count for the client's real one."""
    demo, proxy = served
    guesses = [{"Authorization": "Bearer nonsense", "X-Forwarded-For": f"203.0.113.{n}"} for n in range(80)]
    said = {proxy.get("/v1/me", headers=guess).status_code for guess in guesses}
    # Sixty a minute are refused with 401.
    assert said == {401, 429}
