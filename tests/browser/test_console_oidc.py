"""Signing in to the console through a real provider of OpenID Connect."""
import json
import os
import pathlib
import socket
import subprocess
import tempfile

import pytest
import requests
from console import settled
from demo import Demo

HERE = pathlib.Path(__file__).parent


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Served:
    """A provider, and the product as its client: one workspace, whose owner is `alma` at the provider."""

    def __init__(self, binary):
        self.folder = tempfile.TemporaryDirectory()
        self.base = f"http://127.0.0.1:{free_port()}"
        self.provider = subprocess.Popen(["node", HERE / "oidc_provider.mjs", f"{self.base}/console/login/done"],
                                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.issuer = next(line for line in self.provider.stdout if line.startswith("issuer ")).split()[1]
        folder = self.folder.name
        flags = ["--jwks-url", f"{self.issuer}/jwks", "--issuer", self.issuer,
                 "--audience", "api"]
        made = subprocess.run([binary, "workspace", "create", "Shop", "--owner", "alma", "--data-dir", folder, *flags],
                              check=True, capture_output=True, text=True)
        self.workspace = json.loads(made.stdout)["id"]
        self.product = subprocess.Popen(
            [binary, "serve", "--bind", self.base.removeprefix("http://"), "--data-dir", folder, *flags,
             "--public-url", self.base, "--console-client-id", "console", "--console-client-secret", "of-the-console-0123456789"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert Demo.wait(self.listens, 60)

    def listens(self):
        try:
            return requests.get(f"{self.base}/readyz", timeout=5).ok
        except requests.ConnectionError:
            return False

    def close(self):
        for process in (self.product, self.provider):
            process.terminate()
            process.wait(20)
        self.folder.cleanup()


@pytest.fixture(scope="module")
def served():
    running = Served(os.environ["TEST_BIN"])
    yield running
    running.close()


def sign_in_at_provider(page, served, who):
    """From the console's sign-in page to the provider, through its two pages, and back."""
    page.until("document.querySelector('a[href^=\"/console/login/start\"]')")
    page.run("document.querySelector('a[href^=\"/console/login/start\"]').click()")
    page.until(f"location.origin === '{served.issuer}' && document.querySelector('[name=login]')")
    page.run(f"document.querySelector('[name=login]').value = '{who}'; "
             "document.querySelector('[name=password]').value = 'any'; document.querySelector('form').submit()")
    page.until("location.pathname.includes('/interaction/') && !document.querySelector('[name=login]') && "
               "document.querySelector('form')")
    page.run("document.querySelector('form').submit()")
    page.until(f"location.origin === '{served.base}' && !location.pathname.startsWith('/console/login')")
    settled(page)


def test_the_provider_signs_in_and_the_browser_comes_back(browser, served):
    wanted = f"/console/w/{served.workspace}/inbox?tab=decided"
    page = browser.open(served.base + wanted)
    sign_in_at_provider(page, served, "alma")
    assert page.run("location.pathname + location.search") == wanted
    session = page.run("fetch('/console/session').then((answer) => answer.json())")
    assert session["user"]["issuer"] == served.issuer
    assert (session["user"]["subject"], session["user"]["name"]) == ("alma", "alma by name")
    assert page.run("document.cookie") == "", "scripts see no cookie"
    assert page.run("localStorage.length + sessionStorage.length") == 0


def test_somebody_whom_no_workspace_knows_sees_what_an_admin_needs(browser, served):
    page = browser.open(f"{served.base}/console/")
    sign_in_at_provider(page, served, "zoe")
    page.until("document.body.innerText.includes('No workspace has you as a member')")
    text = page.text()
    assert served.issuer in text and "zoe" in text


def test_a_refusal_of_the_provider_is_told(browser, served):
    page = browser.open(f"{served.base}/console/login/done?error=access_denied&state=x")
    page.until("document.querySelector('[role=alert]')")
    assert page.run("location.pathname") == "/console/login"
    assert "The sign-in was not finished." in page.text()
