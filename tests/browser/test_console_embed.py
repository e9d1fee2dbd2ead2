"""`<toolcrib-approvals>` on pages of another origin, with a strict policy and Trusted Types."""
import contextlib
import http.server
import json
import re
import threading

import pytest
import requests
from cards import card
from conftest import Toolcrib
from console import axe
from host_project import ROOT
from test_console_element import INNER, deep, part, press, says
from test_console_events import TIMERS, Restarted

VERSION = re.search(r'^version = "([^"]+)"', (ROOT / "Cargo.toml").read_text(), re.M).group(1)
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A chat</title>
<script src="/host.js"></script><script type="module" src="{base}/elements/{version}/approvals.js"></script></head>
<body><main><h1>A chat</h1><toolcrib-approvals base="{base}" workspace="{workspace}" session="talk-embed">
<a href="{base}/console/">Open what waits in Toolcrib</a></toolcrib-approvals></main></body></html>"""
HOST = """document.addEventListener("DOMContentLoaded", () => {
  document.querySelector("toolcrib-approvals").token = async () => (await fetch("/token")).text();
});
globalThis.told = [];
document.addEventListener("toolcrib-ended", (event) => told.push(event.detail));"""
# A page that is made by the script of a framework, with the package in it.
FRAMEWORK = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A chat</title></head>
<body><div id="app" data-base="{base}" data-workspace="{workspace}"></div>
<script type="module" src="{path}.js"></script></body></html>"""
STRICT = ("default-src 'none'; script-src 'self' {base}; connect-src 'self' {base}; require-trusted-types-for 'script'; "
          "trusted-types lit-html")
# Vue and Svelte make their markup by policies of their own.
BUNDLED = STRICT.replace("'self' {base}; connect", "'self'; connect")
FRAMEWORKS = {"/react": BUNDLED, "/vue": f"{BUNDLED} vue", "/svelte": f"{BUNDLED} svelte-trusted-html"}
POLICIES = {"/plain": "", "/strict": STRICT, "/closed": "default-src 'none'; script-src 'self'"} | FRAMEWORKS


class Site:
    """A web server with pages that show the element, on an origin of its own."""

    def __init__(self, scripts):
        self.service, self.scripts = None, scripts
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                body, kind = site.answer(self.path)
                self.send_header("Content-Type", kind)
                if POLICIES.get(self.path):
                    self.send_header("Content-Security-Policy", POLICIES[self.path].format(base=site.service.base))
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, path):
        if path == "/token":
            return self.service.token("editor"), "text/plain"
        if path == "/host.js":
            return HOST, "text/javascript"
        if path.endswith(".js"):
            return (self.scripts / path[1:]).read_text(), "text/javascript"
        page = FRAMEWORK if path in FRAMEWORKS else PAGE
        filled = page.format(base=self.service.base, version=VERSION, workspace=self.service.workspace["id"], path=path)
        return filled, "text/html; charset=utf-8"


@pytest.fixture(scope="module")
def sites(host_project):
    """A service, a site that may show its confirmations, and one that may not."""
    scripts = host_project.bundle()
    known, unknown = Site(scripts), Site(scripts)
    service = Toolcrib("--embed-origins", known.origin)
    known.service = unknown.service = service
    yield service, known, unknown
    for site in (known, unknown):
        site.server.shutdown()
    service.close()


TALK = {"X-Session-Id": "talk-embed"}


def asked(service, title):
    return service.asked("create_task", {"title": title, "description": "As it says"}, "editor", **TALK)


def asked_by_model(service, title):
    """A call as a model makes it. Returns the ID of the confirmation."""
    function = {"name": "platform_create_task", "arguments": json.dumps({"title": title, "description": "x"})}
    answer = service.ask("POST", "/v1/tools/calls", {"format": "openai", "tool_calls": [
        {"id": "call_1", "type": "function", "function": function}]}, who="editor", headers=TALK)
    return answer["results"][0]["confirmation"]["id"]


def streams(page):
    """The requests for a stream that a page sent. The browser asks first whether it may, with OPTIONS."""
    sent = [event["params"] for event in page.events() if event["method"] == "Network.requestWillBeSent"]
    return {one["requestId"] for one in sent if "/v1/events" in one["request"]["url"] and one["request"]["method"] == "GET"}


@pytest.fixture
def nothing_waits(sites):
    """What other tests left is denied before and after."""
    service = sites[0]
    def deny():
        for one in service.get("/v1/confirmations", "editor", status="open", session="talk-embed", limit=100)["items"]:
            service.post(f"/v1/confirmations/{one['id']}/deny", {}, who="editor")
    deny()
    yield
    deny()


@pytest.mark.parametrize("path", ["/plain", "/strict"])
def test_it_shows_and_decides_on_another_origin(browser, sites, path):
    service, site, _ = sites
    before = asked(service, f"Before {path}")
    page = browser.open(site.origin + path)
    page.until(f"{INNER} && {deep(card(f'Before {path}'))}")
    later = asked(service, f"Later {path}")
    page.until(deep(card(f"Later {path}")))
    press(page, f"Before {path}")
    says(page, f"Before {path}", "It ran.")
    press(page, f"Later {path}", "deny-button")
    page.until(part(f"Later {path}", "reason-input"))
    page.send("Input.insertText", text="not now")
    press(page, f"Later {path}", "deny-button")
    says(page, f"Later {path}", "It was denied")
    assert [service.look(one["id"])["status"] for one in (before, later)] == ["executed", "denied"]
    page.until("told.length === 2")
    assert page.complaints() == []
    assert all(url.startswith((site.origin, service.base)) for url in page.asked_for()), page.asked_for()
    assert page.run(f"getComputedStyle({INNER}.querySelector('article')).display") == "grid", "it is styled"
    # It can't read the action, so that there is nothing to make a form of.
    assert not page.run(f"Boolean({part(f'Later {path}', 'edit-button')})")


def test_a_page_that_stops_the_script_shows_its_own_content(browser, sites):
    service, site, _ = sites
    page = browser.open(f"{site.origin}/closed")
    page.until("document.querySelector('toolcrib-approvals a')")
    assert page.run("document.querySelector('toolcrib-approvals a').checkVisibility()")
    assert page.run("document.querySelector('toolcrib-approvals').shadowRoot") is None


def test_an_origin_that_is_not_listed_is_told_so(browser, sites):
    service, _, unknown = sites
    asked(service, "Not for this site")
    page = browser.open(f"{unknown.origin}/plain")
    page.until(f"{INNER}?.querySelector('[role=alert]')")
    said = page.run(f"{INNER}.querySelector('[role=alert]').innerText")
    assert "can't be reached" in said and unknown.origin in said and "embed_origins" in said, said
    assert "Not for this site" not in json.dumps(page.run(f"{INNER}.textContent"))


@pytest.mark.parametrize("path", FRAMEWORKS)
def test_a_page_of_a_framework_shows_and_decides(browser, sites, nothing_waits, path):
    """The package in a bundle, without a script of the service. The page follows the element's events."""
    service, site, _ = sites
    confirmation = asked_by_model(service, f"By {path}")
    page = browser.open(site.origin + path)
    page.until(f"document.querySelector('toolcrib-approvals') && {INNER} && {deep(card(f'By {path}'))}")
    page.until("document.getElementById('count').textContent === '1 waiting'")
    assert page.run(f"{part(f'By {path}', 'deny-button')}.innerText") == "Say no", "`strings` is set as a property"
    assert page.run("getComputedStyle(document.querySelector('toolcrib-approvals')).colorScheme") == "dark"
    assert page.run(f"{INNER}.querySelector('[role=heading]').ariaLevel") == "3"
    assert axe(page) == []
    press(page, f"By {path}")
    page.until("document.getElementById('ended').textContent.startsWith('executed: ')")
    [message] = json.loads(page.run("document.getElementById('ended').textContent").removeprefix("executed: "))
    assert message["tool_call_id"] == "call_1" and f"By {path}" in message["content"]
    assert service.look(confirmation)["status"] == "executed"
    page.until("document.getElementById('count').textContent === '0 waiting'")
    # React made the function of the token anew at each rendering.
    assert len(streams(page)) == 1
    assert page.complaints() == []


@pytest.mark.parametrize("path", FRAMEWORKS)
def test_a_page_of_a_framework_is_told_of_an_error(browser, sites, path):
    _, _, unknown = sites
    page = browser.open(unknown.origin + path)
    page.until("document.getElementById('problem')?.textContent.includes('can\\'t be reached')")
    page.until(f"{INNER}.querySelector('[role=alert]')?.innerText.includes('embed_origins')")


def test_a_policy_without_the_element_is_not_enough(browser, sites):
    """The policies of these pages are enforced: markup that a script makes of text is refused."""
    service, site, _ = sites
    page = browser.open(f"{site.origin}/react")
    page.until("document.querySelector('toolcrib-approvals')")
    assert page.run("""(() => { try { document.body.innerHTML = '<b>x</b>'; return 'made'; }
        catch (error) { return error.name; } })()""") == "TypeError"
    assert page.run("""(() => { document.body.setAttribute('style', 'color: red');
        return getComputedStyle(document.body).color; })()""") != "rgb(255, 0, 0)"


@contextlib.contextmanager
def all_streams(service, who):
    """Holds as many streams as a person may have. The next one is refused."""
    held = []
    headers = service.headers(who) | {"Accept": "text/event-stream"}
    while (answer := requests.get(f"{service.base}/v1/events", headers=headers, stream=True, timeout=30)).ok:
        held.append(answer)
        assert len(held) < 100
    assert answer.status_code == 429 and held
    yield
    for one in held:
        one.close()


def test_without_a_stream_it_still_shows_and_decides(browser, sites, nothing_waits):
    service, site, _ = sites
    asked(service, "Before no stream")
    with all_streams(service, "editor"):
        page = browser.open("about:blank#")
        page.send("Page.addScriptToEvaluateOnNewDocument", source=TIMERS % 15000)
        page.go(f"{site.origin}/strict")
        page.until(f"{INNER} && {deep(card('Before no stream'))}")
        later = asked(service, "Seen without a stream")
        page.until(deep(card("Seen without a stream")))
        press(page, "Seen without a stream")
        says(page, "Seen without a stream", "It ran.")
        page.until("told.length === 1")
        asked_for = streams(page)
        statuses = {event["params"]["response"]["status"] for event in page.events()
                    if event["method"] == "Network.responseReceived" and event["params"]["requestId"] in asked_for}
    assert service.look(later["id"])["status"] == "executed" and statuses == {429}, statuses
    assert not page.run(f"Boolean({INNER}.querySelector('[role=alert]'))")


def test_after_a_restart_it_tells_what_happened_once(browser, host_project):
    site = Site(host_project.bundle())
    service = site.service = Restarted("--embed-origins", site.origin)
    before = asked(service, "Before the end")
    page = browser.open(f"{site.origin}/strict")
    page.run("globalThis.errors = 0; document.addEventListener('toolcrib-error', () => { errors += 1; })")
    page.until(f"{INNER} && {deep(card('Before the end'))}")
    service.kill()
    page.until(f"errors && {INNER}.querySelector('[role=alert]')")
    assert page.run(f"Boolean({deep(card('Before the end'))})"), "what is known stays"
    service.start()
    asked(service, "After the end")
    service.post(f"/v1/confirmations/{before['id']}/deny", {"reason": "not now"}, who="editor")
    page.until(deep(card("After the end")))
    says(page, "Before the end", "not now")
    page.until(f"!{INNER}.querySelector('[role=alert]')")
    cards = page.run(f"[...{INNER}.querySelectorAll('article')].map((one) => one.querySelector('[role=heading]').innerText)")
    assert len(cards) == 2, cards
    assert page.run("told.map(({ id, status }) => [id, status])") == [[before["id"], "denied"]]
    service.close()
    site.server.shutdown()
