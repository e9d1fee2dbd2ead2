"""What happens while the inbox is open: what arrives and what others decide is shown by one stream of events."""
import os
import signal
import subprocess
import threading
import time

import pytest
from cards import card, inbox, part, press, says, unfold
from conftest import Page, Toolcrib
from console import key, reports, sign_in

TIMERS = "{ const real = setTimeout; globalThis.setTimeout = (work, ms, ...rest) => real(work, ms === %d ? 20 : ms, ...rest); }"
HIDE = "Object.defineProperty(document, 'hidden', { get: () => %s, configurable: true }); " \
       "document.dispatchEvent(new Event('visibilitychange'))"


def streams(*tabs):
    """The tabs that read a stream of events, and how many streams were asked for, since the browser's events were
    cleared."""
    tabs[0].run("0")
    asked, over = {}, set()
    for event in tabs[0].browser.events:
        params, session = event.get("params", {}), event.get("sessionId")
        if event.get("method") == "Network.requestWillBeSent" and "/v1/events?" in params["request"]["url"]:
            asked[session, params["requestId"]] = session
        if event.get("method") in ("Network.loadingFinished", "Network.loadingFailed"):
            over.add((session, params["requestId"]))
    mine = {one: next((tab for tab in tabs if tab.session == session), None) for one, session in asked.items()}
    return [tab for one, tab in mine.items() if tab and one not in over], len([tab for tab in mine.values() if tab])


def until(page, done):
    deadline = time.monotonic() + 20
    while not done():
        assert time.monotonic() < deadline, page.text()
        time.sleep(0.05)


def task(toolcrib, title, who="owner", **headers):
    return toolcrib.asked("create_task", {"title": title, "description": "x"}, who, **headers)


def test_a_call_arrives_and_moves_nothing(browser, toolcrib):
    task(toolcrib, "Was here before")
    page = sign_in(browser, toolcrib, toolcrib.token("owner"), inbox(toolcrib))
    page.until(card("Was here before"))
    unfold(page, "Was here before")
    page.run("document.querySelector('main summary').focus()")
    focus = "[document.activeElement.localName, scrollY, document.activeElement.getBoundingClientRect().top]"
    before = page.run(f"[document.title, document.querySelector('.badge').innerText, ...{focus}]")
    task(toolcrib, "Just arrived")
    arrived = time.monotonic()
    page.until(card("Just arrived"))
    # The page does not look by itself before 15 seconds: it heard of it.
    assert time.monotonic() - arrived < 10
    after = page.run(f"[document.title, document.querySelector('.badge').innerText, ...{focus}]")
    count = int(before[0][1:].split(")")[0])
    assert after[0].startswith(f"({count + 1}) Inbox") and after[1].endswith(str(count + 1)), after
    assert after[2:] == before[2:]
    page.until(f"document.getElementById('announcer').textContent === 'New: Create task Just arrived. {count + 1} waiting for you.'")
    assert page.run("[...document.querySelectorAll('.confirmation')].at(-1).innerText").count("Just arrived") == 1
    assert not page.run(f"Boolean({part('Just arrived', 'approve-button')})"), "it opens only when somebody opens it"
    assert reports(page) == []


def test_a_card_keeps_its_place_when_another_decides(browser, toolcrib):
    asked = [task(toolcrib, f"Place {n}", "editor", **{"X-Session-Id": "talk-place"}) for n in range(3)]
    page = sign_in(browser, toolcrib, toolcrib.token("editor"), inbox(toolcrib))
    unfold(page, "Place 1")
    unfold(page, "Place 2")
    page.run(f"{part('Place 1', 'deny-button')}.focus()")
    toolcrib.post(f"/v1/confirmations/{asked[1]['id']}/deny", {"reason": "not this one"}, who="owner")
    says(page, "Place 1", "It was denied")
    assert "not this one" in page.run(f"{card('Place 1')}.innerText")
    shown = page.run("[...document.querySelectorAll('.confirmation')].map((e) => /Place \\d/.exec(e.innerText)?.[0]).filter(Boolean)")
    assert shown == ["Place 0", "Place 1", "Place 2"]
    # The button that had the focus is gone.
    assert page.run("document.activeElement.getAttribute('role')") == "heading"
    page.run("document.querySelector('.tabs li:nth-child(3) a').click()")
    page.until("document.querySelector('.row')")
    page.run("document.querySelector('.tabs a').click()")
    page.until(card("Place 0"))
    assert not page.run(f"Boolean({card('Place 1')})"), "what has ended is not shown again"


def test_all_of_a_conversation_are_denied_with_one_reason(browser, toolcrib):
    talk = {"X-Session-Id": "talk <all>"}
    asked = [task(toolcrib, f"Together {n}", "editor", **talk) for n in range(3)]
    alone = task(toolcrib, "In no conversation", "editor")
    page = sign_in(browser, toolcrib, toolcrib.token("editor"), inbox(toolcrib))
    page.until(card("Together 2"))
    button = "[...document.querySelectorAll('main .group button')].find((e) => e.innerText.includes('talk <all>'))"
    page.until(button)
    page.run(f"{button}.click()")
    page.until("document.activeElement.name === 'reason'")
    page.send("Input.insertText", text="too many")
    key(page, "Enter")
    page.until("document.getElementById('announcer').textContent === '3 denied.'")
    for one in asked:
        view = toolcrib.look(one["id"])
        assert (view["status"], view["reason"]) == ("denied", "too many")
    assert toolcrib.look(alone["id"])["status"] == "pending"
    assert page.run("document.activeElement.localName") == "h2"


def test_ten_tabs_read_one_stream(browser, toolcrib):
    page = sign_in(browser, toolcrib, toolcrib.token("admin"), inbox(toolcrib))
    tabs = [page] + [Page(browser, f"{toolcrib.base}{inbox(toolcrib)}", page.context) for _ in range(9)]
    for tab in tabs:
        tab.until("document.querySelector('main h1')?.innerText === 'Inbox'")
    until(page, lambda: len(streams(*tabs)[0]) == 1)
    task(toolcrib, "For ten tabs", "admin")
    for tab in tabs:
        tab.until(card("For ten tabs"))
    [leader], asked = streams(*tabs)
    assert asked == 1, "the other tabs did not ask"
    rest = [tab for tab in tabs if tab is not leader]
    browser.send("Target.closeTarget", targetId=leader.target)
    task(toolcrib, "While none read", "admin")
    for tab in rest:
        tab.until(card("While none read"))
    until(rest[0], lambda: len(streams(*rest)[0]) == 1)
    for tab in rest:
        assert tab.run("[...document.querySelectorAll('.confirmation')].filter((e) => e.innerText.includes('While none read')).length") == 1
        browser.send("Target.closeTarget", targetId=tab.target)


def test_a_refused_stream_is_replaced_by_looking(browser, toolcrib):
    page = sign_in(browser, toolcrib, toolcrib.token("owner"), inbox(toolcrib))
    page.send("Page.addScriptToEvaluateOnNewDocument", source=TIMERS % 15000 + """{ const real = fetch;
        globalThis.fetch = (path, init) => String(path).startsWith('/v1/events') ? Promise.resolve(new Response(JSON.stringify(
        { code: 'rate_limited', detail: 'too many streams' }), { status: 429 })) : real(path, init); }""")
    page.go(f"{toolcrib.base}{inbox(toolcrib)}")
    page.until("document.querySelector('main h1')?.innerText === 'Inbox'")
    asked = task(toolcrib, "Seen by looking")
    page.until(card("Seen by looking"))
    unfold(page, "Seen by looking")
    press(page, "Seen by looking")
    says(page, "Seen by looking", "It ran.")
    assert toolcrib.look(asked["id"])["status"] == "executed"


def test_a_hidden_page_stops_to_listen_and_catches_up(browser, toolcrib):
    page = sign_in(browser, toolcrib, toolcrib.token("owner"), inbox(toolcrib))
    page.send("Page.addScriptToEvaluateOnNewDocument", source=TIMERS % 60000)
    browser.events.clear()
    page.go(f"{toolcrib.base}{inbox(toolcrib)}")
    page.until("document.querySelector('main h1')?.innerText === 'Inbox'")
    until(page, lambda: len(streams(page)[0]) == 1)
    task(toolcrib, "Before it was hidden")
    page.until(card("Before it was hidden"))
    page.run(HIDE % "true")
    until(page, lambda: streams(page)[0] == [])
    task(toolcrib, "While it was hidden")
    page.run(HIDE % "false")
    page.until(card("While it was hidden"))
    until(page, lambda: len(streams(page)[0]) == 1)


class Restarted(Toolcrib):
    """A service that is killed and started at the same address with the same data."""

    def __init__(self, *flags):
        self.flags = flags
        super().__init__(*flags)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(20)

    def start(self):
        env = {name: value for name, value in os.environ.items() if not name.startswith("TOOLCRIB_")}
        self.process = subprocess.Popen(
            [os.environ["TEST_BIN"], "serve", "--demo", "--data-dir", str(self.folder), "--bind", self.base.removeprefix("http://"),
             *self.flags],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env)
        seen = len(self.lines)
        threading.Thread(target=self._read, daemon=True).start()
        assert self.wait(lambda: any("listening on" in line for line in self.lines[seen:]), 60), "".join(self.lines[seen:])


@pytest.fixture
def own():
    running = Restarted()
    yield running
    running.close()


def test_the_stream_returns_after_a_restart(browser, own):
    task(own, "Before the end")
    page = sign_in(browser, own, own.token("owner"), inbox(own))
    page.until(card("Before the end"))
    own.kill()
    page.until("document.querySelector('main [role=alert]')?.innerText.includes('can\\'t be reached')")
    assert page.run(f"Boolean({card('Before the end')})"), "what is known stays"
    own.start()
    task(own, "After the end")
    page.until(card("After the end"))
    assert page.run("[...document.querySelectorAll('.confirmation')].filter((e) => e.innerText.includes('After the end')).length") == 1
    page.until("!document.querySelector('main [role=alert]')")
