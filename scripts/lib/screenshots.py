#!/usr/bin/env python3
"""Takes the pictures of the console that README.md shows, and writes the texts in them beside each.

usage: screenshots.py BINARY FOLDER

A test compares the texts with what the console shows, so that the pictures do not grow old unseen. The times in them are
replaced: they differ at each run.
"""
import base64
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests/browser"), str(ROOT / "tests/support")]
# Picture, its page, its height, what the page shows when it has loaded, what is clicked then (if anything), and what it shows at last.
PICTURES = {
    "inbox": ("inbox", 852, "document.querySelectorAll('.confirmation').length === 3", ".confirmation .unfold",
              "document.querySelector('[data-testid=approve-button]')?.getAttribute('aria-disabled') === 'false'"),
    "lists": ("lists?strategy=filtered&query=delete+an+agent+that+nobody+needs", 838, "document.querySelector('main table')",
              None, "!document.querySelector('main table').innerText.includes('–')"),
}
WIDTH, SCALE = 1080, 1.25


def prepare(toolcrib):
    """Calls that wait for the owner."""
    talk = {"X-Session-Id": "talk-9"}
    toolcrib.asked("delete_agent", {"agent": "Release Writer"}, "owner", **talk)
    toolcrib.asked("create_task", {"title": "Order more cartons", "description": "Forty of the large ones"}, "owner", **talk)
    toolcrib.asked("create_agent", {"name": "Delivery Checker", "description": "Compares invoices with deliveries"}, "owner")


def show(page, toolcrib, name):
    """Opens the page of a picture, and waits until it is complete."""
    path, height, loaded, button, complete = PICTURES[name]
    page.send("Emulation.setDeviceMetricsOverride", width=WIDTH, height=height, deviceScaleFactor=SCALE, mobile=False)
    page.go(f"{toolcrib.base}/console/w/{toolcrib.workspace['id']}/{path}")
    page.until(loaded)
    if button:
        page.run(f"document.querySelector('{button}').click()")
    page.until(complete)
    page.run("document.activeElement.blur()")


def text(page):
    """What the page says, without what differs at each run."""
    said = page.run("document.body.innerText")
    said = re.sub(r"\b\d{1,2}:\d\d(?= left|\b)", "00:00", said)
    return re.sub(r"[ \t]*\n\s*", "\n", said).strip() + "\n"


def open_page(browser, toolcrib):
    from console import sign_in
    page = sign_in(browser, toolcrib, toolcrib.token("owner"), "/console/account")
    page.send("Emulation.setScrollbarsHidden", hidden=True)
    return page


def main():
    os.environ["TEST_BIN"] = sys.argv[1]
    folder = pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    from conftest import Browser, Toolcrib
    toolcrib, browser = Toolcrib(), Browser()
    try:
        prepare(toolcrib)
        page = open_page(browser, toolcrib)
        for name in PICTURES:
            show(page, toolcrib, name)
            picture = page.send("Page.captureScreenshot", format="png")["data"]
            (folder / f"{name}.png").write_bytes(base64.b64decode(picture))
            (folder / f"{name}.txt").write_text(text(page))
    finally:
        browser.close()
        toolcrib.close()


if __name__ == "__main__":
    main()
