"""Every page as every role: accessible, silent, from one host, and cheap."""
import datetime
import itertools
import os
import re

import packs
import pytest
from console import LAPTOP, NARROW, PHONE, axe, reports, settled, sideways, sign_in, size, theme
from host_project import WEB

ROLES = ["owner", "admin", "member", "viewer"]
# Sizes and themes. Each role's pages are checked in one of the four, and with SOAK=1 in all.
LOOKS = list(itertools.product((PHONE, LAPTOP), ("light", "dark")))
# Name of a page in `routes.js`, and an address of it in a workspace.
PAGES = {
    "inbox": "inbox", "chat": "chat", "grants": "inbox/grants", "confirmation": "inbox/{confirmation}",
    "actions": "actions", "action": "actions/platform_delete_agent", "lists": "lists", "connect": "connect",
    "audit": "audit?limit=20", "chain": "audit/chain", "audit-row": "audit/{call}",
    "media": "media", "game": "game", "game-project": "game/{project}",
    "people": "people", "person": "people/{user}", "keys": "keys", "new-key": "keys/new",
    "settings": "settings", "promotions": "settings/promotions", "packs": "settings/packs", "webhooks": "settings/webhooks",
    "notifications": "notifications",
    "account": "/console/account", "system": "/console/system",
}
# Name of a page, and the permission that it needs.
ROUTES = {name: re.search(r'permission: "([^"]+)"', rest) for name, rest in
          re.findall(r'name: "([^"]+)", title(.*?)path: ', (WEB / "routes.js").read_text(), re.S)}


@pytest.fixture(scope="module", autouse=True)
def packs_on(toolcrib):
    yield from packs.on(toolcrib)


def addresses(toolcrib, waiting):
    """The address of each page. The packs must be on."""
    row = toolcrib.get("/v1/audit", kind="call", limit=1)["items"][0]
    values = {"confirmation": waiting["id"], "call": row["id"], "user": toolcrib.workspace["editor"]["user_id"],
              "project": packs.project(toolcrib)}
    base = f"/console/w/{toolcrib.workspace['id']}/"
    return {name: path if path.startswith("/") else base + path.format(**values) for name, path in PAGES.items()}


def rows_left(toolcrib, role, moments):
    """How many audit rows the console's calls of a person left after each moment, until the next."""
    person = toolcrib.workspace[role]["user_id"]
    found, query = [], {"surface": "console", "principal": person, "from": moments[0].isoformat(), "limit": 100}
    while True:
        page = toolcrib.get("/v1/audit", **query)
        found += [datetime.datetime.fromisoformat(row["occurred_at"]) for row in page["items"]]
        if not page.get("next_cursor"):
            break
        query["cursor"] = page["next_cursor"]
    ends = [*moments[1:], datetime.datetime.max.replace(tzinfo=datetime.UTC)]
    return [sum(start <= at < end for at in found) for start, end in zip(moments, ends)]


def test_the_sweep_opens_every_page():
    assert PAGES.keys() == ROUTES.keys()


@pytest.mark.parametrize("role", ROLES)
def test_every_page_as_a_role(browser, toolcrib, role):
    waiting = toolcrib.asked("delete_agent", {"agent": "Release Writer"}, "owner", **{"X-Session-Id": "talk-sweep"})
    held = toolcrib.get("/v1/me", role)["permissions"]
    page = sign_in(browser, toolcrib, toolcrib.token(role), "/console/account")
    moments = []
    for name, address in addresses(toolcrib, waiting).items():
        moments.append(datetime.datetime.now(datetime.UTC))
        page.go(toolcrib.base + address)
        settled(page)
        needed = ROUTES[name] and ROUTES[name].group(1)
        text = page.run("document.querySelector('main').innerText")
        assert (f"It needs the permission {needed}" in text) == (needed is not None and needed not in held), (name, text)
        assert "There is no such page" not in text
        for screen, shade in LOOKS if os.environ.get("SOAK") else [LOOKS[ROLES.index(role)]]:
            size(page, screen)
            theme(page, shade)
            assert axe(page) == [], (name, screen, shade)
        size(page, NARROW)
        assert sideways(page) == 0, name
        assert page.run("document.querySelectorAll('h1').length") == 1, name
    assert reports(page) == []
    left = dict(zip(PAGES, rows_left(toolcrib, role, moments)))
    assert max(left.values()) <= 4 and sum(left.values()) >= len(PAGES), left
    toolcrib.post(f"/v1/confirmations/{waiting['id']}/deny", {})
