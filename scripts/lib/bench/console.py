#!/usr/bin/env python3
"""How soon a page of the console is painted and can be used, with the processor slowed four times and nothing cached.

usage: console.py BINARY [ROUNDS]

Prints a table with the medians: requests, calls of the API among them, KB of assets as they are sent, milliseconds to the
first paint, and until the page shows what it asked for. It judges nothing: machines differ.
"""
import os
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).parents[3]
sys.path[:0] = [str(ROOT / "tests/browser"), str(ROOT / "tests/support")]
SLOWED = 4
# Page, and what it shows once it can be used.
PAGES = {
    "inbox": ("inbox", "document.querySelector('.confirmation')"),
    "actions": ("actions", "document.querySelector('main a[href*=\"actions/platform_\"]')"),
    "lists": ("lists", "document.querySelector('main table')"),
    "audit": ("audit", "document.querySelector('main .rows li')"),
    "approve": ("/approve/{confirmation}", "document.querySelector('.confirmation')"),
}
# Notes when the page shows what it asked for, as seldom as it is painted.
NOTE = """(() => { const look = () => { if (%s) globalThis.usable = performance.now(); else requestAnimationFrame(look); };
requestAnimationFrame(look); })()"""
READ = """({ paint: performance.getEntriesByName('first-contentful-paint')[0].startTime, usable: globalThis.usable })"""


def measure(browser, page, url, shown):
    """Loads a page once without the cache. Returns its figures."""
    page.send("Page.navigate", url="about:blank")
    page.until("location.href === 'about:blank'")
    note = page.send("Page.addScriptToEvaluateOnNewDocument", source=NOTE % shown)["identifier"]
    browser.events.clear()
    page.go(url)
    page.until("globalThis.usable && performance.getEntriesByName('first-contentful-paint').length")
    figures = page.run(READ)
    page.send("Page.removeScriptToEvaluateOnNewDocument", identifier=note)
    urls = {event["params"]["requestId"]: event["params"]["request"]["url"] for event in page.events()
            if event["method"] == "Network.requestWillBeSent"}
    asked = [url for url in urls.values() if not url.endswith("/icon.svg")]
    sent = sum(event["params"]["encodedDataLength"] for event in page.events()
               if event["method"] == "Network.loadingFinished" and "/v1/" not in urls.get(event["params"]["requestId"], "/v1/"))
    return [len(asked), sum("/v1/" in url for url in asked), sent / 1000, figures["paint"], figures["usable"]]


def rows(browser, toolcrib, rounds, pages=tuple(PAGES)):
    """The medians of some pages."""
    from console import sign_in
    asked = toolcrib.asked("create_task", {"title": "Count the boxes", "description": "All"}, "owner")
    page = sign_in(browser, toolcrib, toolcrib.token("owner"), "/console/account")
    page.send("Network.setCacheDisabled", cacheDisabled=True)
    page.send("Emulation.setCPUThrottlingRate", rate=SLOWED)
    for name, (path, shown) in ((name, PAGES[name]) for name in pages):
        path = path.format(confirmation=asked["id"])
        url = toolcrib.base + (path if path.startswith("/") else f"/console/w/{toolcrib.workspace['id']}/{path}")
        found = [measure(browser, page, url, shown) for _ in range(rounds)]
        yield name, [statistics.median(column) for column in zip(*found)]


def table(measured):
    yield f"| page, processor slowed {SLOWED} times | requests | of them API | assets, KB | first paint, ms | usable, ms |"
    yield "|---|---|---|---|---|---|"
    for name, (requests, calls, kilobytes, paint, usable) in measured:
        yield f"| `{name}` | {requests:.0f} | {calls:.0f} | {kilobytes:.0f} | {paint:.0f} | {usable:.0f} |"


def main():
    os.environ["TEST_BIN"] = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 7
    from conftest import Browser, Toolcrib
    toolcrib, browser = Toolcrib(), Browser()
    try:
        for line in table(rows(browser, toolcrib, rounds)):
            print(line, flush=True)
    finally:
        browser.close()
        toolcrib.close()


if __name__ == "__main__":
    main()
