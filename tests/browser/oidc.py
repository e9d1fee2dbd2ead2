"""A provider of OpenID Connect, the product as its client, and people who sign in there with a browser."""
import json
import os
import pathlib
import socket
import subprocess
import tempfile

import requests
from console import settled
from demo import Demo

HERE = pathlib.Path(__file__).parent
CLIENT_SECRET = "of-the-console-0123456789"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Provider:
    """`oidc_provider.mjs`, with the client `console` whose redirect address is that of the product at `base`."""

    def __init__(self, base, *more):
        self.process = subprocess.Popen(["node", HERE / "oidc_provider.mjs", f"{base}/console/login/done", *more],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.issuer = next(line for line in self.process.stdout if line.startswith("issuer ")).split()[1]

    def flags(self, base):
        """The settings of the product that is its client."""
        return ["--jwks-url", f"{self.issuer}/jwks", "--issuer", self.issuer, "--audience", "api", "--public-url", base,
                "--console-client-id", "console", "--console-client-secret", CLIENT_SECRET]

    def close(self):
        self.process.terminate()
        self.process.wait(20)


class Served:
    """A provider, and the product as its client: one workspace, whose owner is `alma` at the provider, if there is an `owner`.
    `provider` has more arguments of the provider, and `changed` settings of the product by flag."""

    def __init__(self, *provider, owner="alma", changed=None):
        self.folder = tempfile.TemporaryDirectory()
        self.data = ["--data-dir", self.folder.name]
        self.base = f"http://127.0.0.1:{free_port()}"
        self.provider = Provider(self.base, *provider)
        self.issuer = self.provider.issuer
        flags = self.provider.flags(self.base)
        for flag, value in (changed or {}).items():
            flags[flags.index(flag) + 1] = value
        self.flags = flags
        owned = ["--owner", owner] if owner else []
        subprocess.run([os.environ["TEST_BIN"], "migrate", *self.data, *flags], check=True, capture_output=True)
        self.workspace = self.command("workspace", "create", "Shop", *owned)["id"]
        self.log = pathlib.Path(self.folder.name) / "log.txt"
        with self.log.open("w") as log:
            self.product = subprocess.Popen(
                [os.environ["TEST_BIN"], "serve", "--bind", self.base.removeprefix("http://"), *self.data, *flags],
                stdout=log, stderr=subprocess.STDOUT)
        assert Demo.wait(self.listens, 60), self.log.read_text()

    def command(self, *arguments):
        """The JSON that a command of the product prints."""
        made = subprocess.run([os.environ["TEST_BIN"], *arguments, *self.data, *self.flags], check=True,
                              capture_output=True, text=True)
        return json.loads(made.stdout)

    def listens(self):
        return is_ready(self.base)

    def close(self):
        self.product.terminate()
        self.product.wait(20)
        self.provider.close()
        self.folder.cleanup()


def is_ready(base):
    try:
        return requests.get(f"{base}/readyz", timeout=5).ok
    except requests.ConnectionError:
        return False


def sign_in_at_provider(page, issuer, who):
    """Signs in on the provider's page, and consents on its next one."""
    page.until(f"location.origin === '{issuer}' && document.querySelector('[name=login]')")
    page.run(f"document.querySelector('[name=login]').value = '{who}'; "
             "document.querySelector('[name=password]').value = 'any'; document.querySelector('form').submit()")
    page.until("location.pathname.includes('/interaction/') && !document.querySelector('[name=login]') && "
               "document.querySelector('form')")
    page.run("document.querySelector('form').submit()")


def sign_in(page, served, who):
    """From the console's sign-in page to the provider, through its two pages, and back."""
    page.until("document.querySelector('a[href^=\"/console/login/start\"]')")
    page.run("document.querySelector('a[href^=\"/console/login/start\"]').click()")
    sign_in_at_provider(page, served.issuer, who)
    is_back(page, served)


def is_back(page, served):
    page.until(f"location.origin === '{served.base}' && !location.pathname.startsWith('/console/login')")
    settled(page)


def accept(browser, served, url, who):
    """Opens the link of an invitation and signs in at the provider. Returns the page, wherever it came to."""
    page = browser.open(url)
    page.until("document.querySelector('#accept:enabled')")
    page.run("document.querySelector('#accept').click()")
    sign_in_at_provider(page, served.issuer, who)
    page.until(f"location.origin === '{served.base}' && document.querySelector('main h1')")
    return page
