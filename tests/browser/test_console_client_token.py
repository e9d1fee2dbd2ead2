"""`<toolcrib-approvals>` on a page of another origin, whose users have no token of the service."""
import time

import pytest
from cards import card
from conftest import Toolcrib
from console import LAPTOP, NARROW, axe, sideways, size
from test_console_element import INNER, deep, part, press, says
from test_console_embed import TALK, Site


class Chat(Site):
    """A chat backend: it makes a client token for whoever is signed in, in the conversation of its page."""

    def __init__(self):
        super().__init__(scripts=None)
        self.who, self.relay = "editor", None

    def token(self):
        body = {"user": self.service.workspace[self.who]["user_id"], "session": "talk-embed"}
        key = {"Authorization": f"Bearer {self.relay['secret']}"}
        return self.service.post("/v1/client-tokens", body, 201, headers=key)["token"]

    def answer(self, path):
        return (self.token(), "text/plain") if path == "/token" else super().answer(path)


def relaying_key(service):
    return service.post("/v1/keys", {"kind": "service", "name": "relay", "role": "viewer", "scopes": ["approvals:relay"]}, 201)


@pytest.fixture(scope="module")
def chat():
    site = Chat()
    site.service = Toolcrib("--embed-origins", site.origin)
    site.relay = relaying_key(site.service)
    yield site
    site.server.shutdown()
    site.service.close()


def task(chat, title):
    return chat.service.asked("create_task", {"title": title, "description": "As it says"}, "editor", **TALK)


def opened(chat, browser, who):
    chat.who = who
    page = browser.open(f"{chat.origin}/strict")
    page.until(f"{INNER}?.querySelector('.cards')")
    return page


def test_a_simple_confirmation_is_decided(chat, browser):
    one, two = task(chat, "With a client token"), task(chat, "Not this one")
    other = chat.service.asked("create_task", {"title": "Of another user", "description": "x"}, "owner", **TALK)
    page = opened(chat, browser, "editor")
    page.until(deep(card("With a client token")))
    assert not page.run(f"Boolean({deep(card('Of another user'))})")
    assert not page.run(f"Boolean({link('With a client token')})")
    for absent in ("edit-button", "always-allow-checkbox"):
        assert not page.run(f"Boolean({part('With a client token', absent)})"), absent
    press(page, "With a client token")
    says(page, "With a client token", "It ran.")
    press(page, "Not this one", "deny-button")
    page.until(part("Not this one", "reason-input"))
    press(page, "Not this one", "deny-button")
    says(page, "Not this one", "It was denied")
    for asked, status in ((one, "executed"), (two, "denied")):
        seen = chat.service.look(asked["id"])
        assert (seen["status"], seen["decided_by"]) == (status, chat.service.workspace["editor"]["user_id"])
        assert seen["history"][-1]["relayed_by"] == chat.relay["id"]
    later = task(chat, "By the stream")
    page.until(deep(card("By the stream")))
    chat.service.post(f"/v1/confirmations/{later['id']}/deny", {"reason": "by the owner"})
    says(page, "By the stream", "by the owner")
    assert page.complaints() == []
    assert chat.service.look(other["id"])["status"] == "pending"


def link(text):
    """The expression of the link of a card to where it is decided."""
    return f"{deep(card(text))}?.querySelector('a[target=_blank][href*=\"/approve/\"]')"


def windows(page):
    """Every address that the other windows of the page have had since `follow`, oldest first."""
    # A message to the browser also reads the events that wait.
    page.browser.send("Target.getTargets")
    infos = [event["params"]["targetInfo"] for event in page.browser.events
             if event["method"] in ("Target.targetCreated", "Target.targetInfoChanged")]
    return [info["url"] for info in infos if info.get("browserContextId") == page.context and info["targetId"] != page.target]


def follow(page, text):
    """Clicks the link of a card, and returns the address of the window that it opens."""
    # The window leaves for the sign-in at once: its address is to be had from the events alone.
    page.browser.send("Target.setDiscoverTargets", discover=True)
    x, y = page.run(f"(() => {{ const a = {link(text)}; a.scrollIntoView({{ block: 'center' }}); "
                    "const r = a.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()")
    for kind in ("mousePressed", "mouseReleased"):
        page.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
    deadline = time.monotonic() + 20
    while not (found := [url for url in windows(page) if "/approve/" in url]):
        assert time.monotonic() < deadline, windows(page)
        time.sleep(0.05)
    page.browser.send("Target.setDiscoverTargets", discover=False)
    return found[0]


def test_a_typed_one_is_decided_in_a_window(chat, browser):
    asked = chat.service.asked("delete_agent", {"agent": "Release Writer"}, "owner", **TALK)
    page = opened(chat, browser, "owner")
    says(page, "Release Writer", "A typed confirmation needs the person's own token")
    assert not page.run(f"{deep(card('Release Writer'))}.innerText.includes(\"You can't decide this.\")")
    assert page.run(f"{link('Release Writer')}.innerText") == "Decide it in Toolcrib"
    for absent in ("approve-button", "deny-button", "confirm-input"):
        assert not page.run(f"Boolean({part('Release Writer', absent)})"), absent
    for screen in (NARROW, LAPTOP):
        size(page, screen)
        assert sideways(page) == 0
        assert axe(page) == []
    assert follow(page, "Release Writer") == f"{chat.service.base}/approve/{asked['id']}"
    approve = f"/v1/confirmations/{asked['id']}/approve"
    phrase = chat.service.post(approve, {}, 202)["phrase"]
    chat.service.post(approve, {"phrase": phrase})
    says(page, "Release Writer", "It ran.")
    assert page.complaints() == []


def test_with_four_eyes_somebody_else_decides(chat, browser):
    chat.service.ask("PATCH", "/v1/settings", {"four_eyes": True})
    asked = task(chat, "For four eyes")
    page = opened(chat, browser, "editor")
    says(page, "For four eyes", "You can't decide this. With four eyes somebody else decides")
    assert not page.run(f"Boolean({part('For four eyes', 'approve-button')})")
    assert follow(page, "For four eyes") == f"{chat.service.base}/approve/{asked['id']}"
    chat.service.post(f"/v1/confirmations/{asked['id']}/approve", {})
    says(page, "For four eyes", "It ran.")
    chat.service.ask("PATCH", "/v1/settings", {"four_eyes": False})


def test_a_token_whose_key_is_revoked_signs_out(chat, browser, monkeypatch):
    monkeypatch.setattr(chat, "relay", relaying_key(chat.service))
    token = chat.token()
    monkeypatch.setattr(chat, "token", lambda: token)
    page = opened(chat, browser, "editor")
    task(chat, "Before the end")
    page.until(deep(card("Before the end")))
    chat.service.ask("DELETE", f"/v1/keys/{chat.relay['id']}")
    page.until(f"{INNER}.querySelector('slot[name=signed-out]')")
