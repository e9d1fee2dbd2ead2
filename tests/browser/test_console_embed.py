"""`<toolcrib-approvals>` on pages of another origin, with a strict policy and Trusted Types."""
import http.server
import json
import pathlib
import re
import threading

import pytest
from cards import card
from conftest import Toolcrib
from test_console_element import INNER, deep, part, press, says

ROOT = pathlib.Path(__file__).parents[2]
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
STRICT = "default-src 'none'; script-src 'self' {base}; connect-src 'self' {base}; require-trusted-types-for 'script'; trusted-types lit-html"
POLICIES = {"/plain": "", "/strict": STRICT, "/closed": "default-src 'none'; script-src 'self'"}


class Site:
    """A web server with pages that show the element, on an origin of its own."""

    def __init__(self):
        self.service = None
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
        filled = PAGE.format(base=self.service.base, version=VERSION, workspace=self.service.workspace["id"])
        return filled, "text/html; charset=utf-8"


@pytest.fixture(scope="module")
def sites():
    """A service, a site that may show its confirmations, and one that may not."""
    known, unknown = Site(), Site()
    service = Toolcrib("--embed-origins", known.origin)
    known.service = unknown.service = service
    yield service, known, unknown
    for site in (known, unknown):
        site.server.shutdown()
    service.close()


def asked(service, title):
    return service.asked("create_task", {"title": title, "description": "As it says"}, "editor", **{"X-Session-Id": "talk-embed"})


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
