"""Starts the product and a headless Chromium once. The tests drive it with the DevTools protocol through a
pipe."""
import fcntl
import itertools
import json
import os
import re
import select
import shutil
import subprocess
import tempfile
import time

import pytest

# Rewritten assertions print the values that they compare.
pytest.register_assert_rewrite("demo")
from demo import Demo  # noqa: E402
from host_project import HostProject  # noqa: E402


class Toolcrib(Demo):
    """The product. Every write in its first workspace needs a confirmation. `flags` are those of the process."""

    def __init__(self, *flags):
        super().__init__(*flags)
        self.stranger = self.demo["workspaces"][1]["owner"]["token"]
        self.ask("PATCH", "/v1/settings", {"limits": {"write_per_minute": 1000, "read_per_minute": 6000}}, who="system_admin")
        self.ask("PATCH", "/v1/settings", {"approval_mode": "confirm_writes",
                                           "open_confirmations": {"per_caller": 1000, "per_workspace": 1000}})
        # The two calls that wait in a demo from its start.
        self.deny_open()

    @classmethod
    def with_model(cls, model):
        """The product with a model for its assistant, once it has listed it. Only what is destructive needs a confirmation."""
        running = cls("--assistant-provider", model.url)
        running.ask("PATCH", "/v1/settings", {"approval_mode": "standard"})
        assert running.wait(lambda: running.answer("GET", "/v1/assistant/models").json().get("items"), 20)
        return running

    def deny_open(self):
        """Denies what waits in the first workspace."""
        while left := self.get("/v1/confirmations", status="open", limit=100)["items"]:
            for one in left:
                self.post(f"/v1/confirmations/{one['id']}/deny", {"reason": "not now"})

    def token(self, who):
        return self.workspace[who]["token"]

    def asked(self, action, arguments, who="editor", **headers):
        """Makes a call that waits for a confirmation. Returns the confirmation."""
        return self.post(f"/v1/actions/platform_{action}", arguments, 202, who, headers)["confirmation"]

    def look(self, confirmation, who="owner"):
        return self.get(f"/v1/confirmations/{confirmation}", who)


class Browser:
    """Chromium, driven through a pipe: file descriptors 3 and 4, with messages that end with a NUL."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="toolcrib-chromium-")
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        # Descriptors above 10, so that copying them to 3 and 4 overwrites neither.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (theirs_in, theirs_out)]
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$0" "$@" 3<&{ends[0]} 4>&{ends[1]}', shutil.which("chromium-headless-shell"), "--no-sandbox",
             "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking", "--disable-component-update",
             f"--user-data-dir={self.profile}", "--remote-debugging-pipe", "about:blank"],
            pass_fds=ends, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for end in (*ends, theirs_in, theirs_out):
            os.close(end)
        self.out, self.inward, self.buffer = ours_out, ours_in, b""
        self.ids, self.events, self.contexts = itertools.count(1), [], []

    def _message(self, deadline):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.inward], [], [], max(0, deadline - time.monotonic()))
            assert ready, "the browser does not answer"
            more = os.read(self.inward, 1 << 16)
            assert more, "the browser is gone"
            self.buffer += more
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def send(self, method, session=None, **params):
        number = next(self.ids)
        message = {"id": number, "method": method, "params": params} | ({"sessionId": session} if session else {})
        os.write(self.out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + 30
        while True:
            answer = self._message(deadline)
            if answer.get("id") == number:
                if "navigated" in answer.get("error", {}).get("message", ""):
                    raise Navigated(answer)
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def open(self, url):
        return Page(self, url)

    def close(self):
        os.close(self.out)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)
        os.close(self.inward)
        shutil.rmtree(self.profile, ignore_errors=True)


class Navigated(Exception):
    """The page went to another document before it answered."""


class Page:
    """A page in a browser context of its own, or in that of another page, as a second tab."""

    def __init__(self, browser, url, context=None):
        self.browser = browser
        if context is None:
            browser.events.clear()
        self.context = context or browser.send("Target.createBrowserContext")["browserContextId"]
        if context is None:
            browser.contexts.append(self.context)
        self.target = browser.send("Target.createTarget", url="about:blank", browserContextId=self.context)["targetId"]
        self.session = browser.send("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        # Several tabs have the focus of their window at a time, as in several windows.
        self.send("Emulation.setFocusEmulationEnabled", enabled=True)
        self.go(url)

    def go(self, url):
        """Opens an address as a new document."""
        self.send("Page.navigate", url=url)
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'")

    def send(self, method, **params):
        return self.browser.send(method, self.session, **params)

    def run(self, expression):
        answer = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True,
                           allowUnsafeEvalBlockedByCSP=False)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def until(self, expression):
        deadline = time.monotonic() + 20
        while not self._is_true(expression):
            assert time.monotonic() < deadline, (expression, self.text())
            time.sleep(0.05)

    def _is_true(self, expression):
        try:
            return self.run(f"Boolean({expression})")
        except Navigated:
            return False

    def text(self):
        """The text that a person sees."""
        return self.run("document.body.innerText")

    def type(self, field, text):
        """Replaces the text of a field, as if typed."""
        self.run(f"document.getElementById('{field}').focus(), document.getElementById('{field}').select()")
        self.send("Input.insertText", text=text)

    def press(self, button):
        """Clicks the middle of a button, and waits until the button is enabled again."""
        self.until(f"!document.getElementById('{button}').disabled")
        where = self.run(f"(() => {{ const b = document.getElementById('{button}'); b.scrollIntoView(); "
                         "const r = b.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()")
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=where[0], y=where[1], button="left", clickCount=1)
        self.until(f"!document.getElementById('{button}').disabled")

    def asked_for(self):
        """The address of every request that the page sent."""
        return [event["params"]["request"]["url"] for event in self.events() if event["method"] == "Network.requestWillBeSent"]

    def events(self):
        """What the browser told of this page."""
        return [event for event in self.browser.events if event.get("sessionId") == self.session]

    def complaints(self):
        """The messages on the browser's console, except those about response statuses."""
        found = []
        for event in self.events():
            if event["method"] == "Log.entryAdded" and event["params"]["entry"]["source"] != "network":
                found.append(event["params"]["entry"]["text"])
            if event["method"] in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled"):
                found.append(json.dumps(event["params"]))
        return found


@pytest.fixture(scope="session")
def toolcrib():
    running = Toolcrib()
    yield running
    running.close()


@pytest.fixture(scope="session")
def browser():
    running = Browser()
    yield running
    running.close()


@pytest.fixture(scope="session")
def host_project(tmp_path_factory):
    return HostProject(tmp_path_factory.mktemp("host"))


@pytest.fixture(scope="module", autouse=True)
def nothing_waits(toolcrib):
    """Denies what still waits at the end of a file: the same call in another file would join it, in its conversation."""
    yield
    toolcrib.deny_open()


@pytest.fixture(autouse=True)
def within_limits(request):
    """Lets a test begin when half of the limit of administration is free: it is fixed, and all tests share it."""
    if "toolcrib" in request.fixturenames:
        toolcrib = request.getfixturevalue("toolcrib")
        left = lambda: int(re.search(r"r=(\d+)", toolcrib.answer("GET", "/v1/members?limit=1").headers.get("RateLimit", "r=0")).group(1))
        deadline = time.monotonic() + 120
        while left() < 60:
            assert time.monotonic() < deadline, "the limit is never free"
            time.sleep(1)


@pytest.fixture(autouse=True)
def closed(browser):
    """Closes the pages that a test opened: each may hold a stream of events, and a person may have eight."""
    before = len(browser.contexts)
    yield
    for context in browser.contexts[before:]:
        browser.send("Target.disposeBrowserContext", browserContextId=context)
    del browser.contexts[before:]
