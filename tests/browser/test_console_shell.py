"""The console in a real browser: signing in and out, the frame around the pages, and what every page must keep to."""
import re

import pytest
from console import LAPTOP, NARROW, PHONE, axe, reports, settled, sideways, sign_in, size, theme

CLEAN = "a page without messages on the console and without requests to other hosts"


@pytest.fixture(scope="module")
def waiting(toolcrib):
    """Calls that wait: of the owner, of an agent for the editor, typed and simple, and one that was denied."""
    talk = {"X-Session-Id": "talk-9"}
    denied = toolcrib.asked("create_task", {"title": "Buy a boat", "description": "A red one"})
    toolcrib.post(f"/v1/confirmations/{denied['id']}/deny", {"reason": "we have one"}, who="editor")
    return {
        "denied": denied,
        "typed": toolcrib.asked("delete_agent", {"agent": "Release Writer"}, "owner", **talk),
        "mine": toolcrib.asked("create_task", {"title": "Count the boxes", "description": "All"}, "owner"),
        "agents": toolcrib.asked("create_task", {"title": "Order cartons", "description": "Ten"}, "agent", **talk),
    }


def inbox(toolcrib, query=""):
    return f"/console/w/{toolcrib.workspace['id']}/inbox{query}"


def at(path):
    return lambda toolcrib: f"/console/w/{toolcrib.workspace['id']}/{path}"


def other(toolcrib):
    return f"/console/w/{toolcrib.demo['workspaces'][1]['id']}/inbox"


def somebody(toolcrib):
    """The id of the member who is an editor."""
    return next(one["user_id"] for one in toolcrib.get("/v1/members")["items"] if one["role"] == "editor")


def first(toolcrib):
    """The confirmation that was denied."""
    return toolcrib.get("/v1/confirmations", status="denied")["items"][0]["id"]


# Name: who opens it, its address, and what it says.
PAGES = {
    "inbox": ("owner", inbox, "Conversation talk-9"),
    "inbox, my calls": ("owner", lambda toolcrib: inbox(toolcrib, "?tab=mine"), "Release Writer"),
    "inbox of others": ("owner", lambda toolcrib: inbox(toolcrib, "?tab=others"), "Nothing waits for others."),
    "inbox, decided": ("owner", lambda toolcrib: inbox(toolcrib, "?tab=decided"), "we have one"),
    "inbox, one": ("owner", lambda toolcrib: inbox(toolcrib, f"/{first(toolcrib)}"), "we have one"),
    "inbox, grants": ("owner", lambda toolcrib: inbox(toolcrib, "/grants"), "Grants of conversations"),
    "inbox, nothing in it": ("viewer", inbox, "None of your calls waits."),
    "lists": ("owner", at("lists?format=anthropic&strict=auto&max_tokens=2000"), "Left out by the budget"),
    "lists, of a viewer": ("viewer", at("lists"), "Strategies side by side"),
    "lists, JSON": ("editor", at("lists?view=json"), "catalog_version"),
    "lists, prompt": ("editor", at("lists?view=prompt"), "platform_execute"),
    "actions": ("owner", at("actions"), "platform_list_agents"),
    "actions, search": ("member", at("actions?q=stop+an+agent"), "best first"),
    "actions, matrix": ("owner", at("actions?tab=matrix"), "agents:delete"),
    "actions, as somebody": ("admin", at("actions?tab=as&role=viewer"), "may not"),
    "action": ("viewer", at("actions/platform_list_agents"), "agents:read"),
    "action, why": ("owner", at("actions/platform_delete_agent?tab=why&user=viewer"), "What would change it"),
    "action, try": ("editor", at("actions/platform_create_task?tab=try"), "makes the call in your name"),
    "action, code": ("editor", at("actions/platform_create_task?tab=code"), "TypeScript"),
    "action, calls": ("owner", at("actions/platform_list_agents?tab=calls"), "succeeded"),
    "action, forbidden": ("viewer", at("actions/platform_delete_agent"), "agents:delete"),
    "audit": ("owner", at("audit?surface=rest"), "calls"),
    "audit, nothing found": ("admin", at("audit?action=nothing"), "No call is like that"),
    "audit, chain": ("owner", at("audit/chain"), "The chain holds"),
    "people": ("owner", at("people"), "Add a member"),
    "people, of a viewer": ("viewer", at("people"), "Admins and owners add members"),
    "member": ("owner", lambda toolcrib: at(f"people/{somebody(toolcrib)}?change=viewer")(toolcrib), "No longer"),
    "keys": ("admin", at("keys"), "demo chat backend"),
    "keys, new": ("owner", at("keys/new?preset=chatbot"), "act for a member whom the request names"),
    "keys, new, of an admin": ("admin", at("keys/new?preset=relay"), "An owner has to make this key"),
    "settings": ("owner", at("settings"), "Only a system admin changes limits"),
    "packs": ("owner", at("settings/packs"), "Game"),
    "webhooks": ("owner", at("settings/webhooks"), "URL of the incoming webhook"),
    "webhooks, of Twilio": ("owner", at("settings/webhooks?format=twilio"), "Account SID"),
    "promotions": ("editor", at("settings/promotions?caller=mission"), "Everybody else"),
    "connect": ("owner", at("connect?stack=typescript"), "All calls of chatbots"),
    "connect, of a viewer": ("viewer", at("connect"), "keys:manage"),
    "notifications": ("owner", at("notifications"), "Mark all as read"),
    "account": ("owner", lambda _: "/console/account", "Sign out everywhere"),
    "not found": ("owner", lambda _: "/console/nothing/here", "There is no such page"),
    "another workspace": ("owner", other, "You may not open this workspace"),
    "forbidden": ("system_admin", inbox, "confirmations:read"),
    "system": ("system_admin", lambda _: "/console/", "Make a workspace"),
}


def token(toolcrib, who):
    return toolcrib.demo["system_admin"]["token"] if who == "system_admin" else toolcrib.token(who)


def accessible(page):
    """No violation on a phone in the dark and on a laptop in the light, no sideways scroll, one heading, nothing on the
    console. `test_console_sweep` tries each page in all four, as four roles."""
    for screen, shade in ((PHONE, "dark"), (LAPTOP, "light")):
        size(page, screen)
        theme(page, shade)
        assert axe(page) == [], (screen, shade)
    size(page, NARROW)
    assert sideways(page) == 0
    assert page.run("document.querySelectorAll('h1').length") == 1
    assert reports(page) == [], CLEAN


@pytest.mark.parametrize("name", PAGES)
def test_every_page_is_accessible(browser, toolcrib, waiting, name):
    who, address, said = PAGES[name]
    page = sign_in(browser, toolcrib, token(toolcrib, who), address(toolcrib))
    page.until(f"document.body.innerText.includes({said!r})")
    accessible(page)


def test_the_sign_in_page_is_accessible(browser, toolcrib):
    page = browser.open(f"{toolcrib.base}/console/login")
    page.until("document.getElementById('token')")
    accessible(page)
    page.type("token", "rubbish")
    page.run("document.querySelector('form button').click()")
    page.until("document.querySelector('[role=alert]')")
    # The browser itself logs a status of 401; `complaints` leaves those out.
    accessible(page)


def test_open_menus_are_accessible(browser, toolcrib, waiting):
    page = sign_in(browser, toolcrib, toolcrib.token("owner"), inbox(toolcrib))
    for screen, openers in ((LAPTOP, ("workspaces-opener", "person-opener")), (PHONE, ("workspaces-opener", "person-opener", "fold"))):
        size(page, screen)
        for opener in openers:
            page.run(f"document.querySelector('#{opener}, .{opener}').click()")
            page.until("document.querySelector(':popover-open')")
            assert axe(page) == [], (screen, opener)
            page.run("document.querySelector(':popover-open').hidePopover()")


def test_the_inbox_tells_who_asked_and_how_long_there_is(browser, toolcrib, waiting):
    page = sign_in(browser, toolcrib, toolcrib.token("owner"), inbox(toolcrib))
    page.until("document.querySelectorAll('.confirmation').length >= 2")
    row = "[...document.querySelectorAll('.confirmation')].find((row) => row.innerText.includes('Release Writer'))"
    text = page.run(f"{row}.innerText")
    assert "▲" in text and "typed, two steps" in text and "You asked" in text, text
    assert re.search(r"\d?\d:\d\d left", text), text
    assert page.run(f"{row}.querySelector('.unfold code').textContent") == "Release Writer"
    page.run(f"{row}.querySelector('.unfold').click()")
    page.until(f"{row}.querySelector('a')")
    assert page.run(f"{row}.querySelector('a').getAttribute('href')") == inbox(toolcrib, f"/{waiting['typed']['id']}")
    mine = page.run("document.querySelectorAll('.confirmation').length")
    assert page.run("document.title").startswith(f"({mine}) Inbox · {toolcrib.workspace['name']}")
    assert page.run("document.querySelector('.badge').getAttribute('aria-label')") == f"{mine} waiting for you"
    page.run("document.querySelector('.tabs li:nth-child(2) a').click()")
    # What others asked for and the owner may decide is in the first tab alone.
    page.until("location.search === '?tab=mine' && !document.querySelector('main').innerText.includes('Order cartons')")
    assert "Release Writer" in page.run("document.querySelector('main').innerText")
    page.run("history.back()")
    page.until("document.querySelector('main').innerText.includes('Order cartons')")
    assert "Support Desk, for Demo editor" in page.text()


def test_a_call_that_is_decided_leaves_the_inbox(browser, toolcrib):
    asked = toolcrib.asked("create_task", {"title": "Leave soon", "description": "x"}, "editor")
    page = sign_in(browser, toolcrib, toolcrib.token("editor"), inbox(toolcrib))
    page.until("document.body.innerText.includes('Leave soon')")
    toolcrib.post(f"/v1/confirmations/{asked['id']}/deny", {"reason": "not now"}, who="editor")
    page.run("document.querySelector('.head button').click()")
    page.until("!document.querySelector('main').innerText.includes('Leave soon')")
    page.until("document.getElementById('announcer').textContent.includes('up to date')")
    page.run("document.querySelector('.tabs li:nth-child(3) a').click()")
    page.until("document.querySelector('main').innerText.includes('not now')")
    row = page.run("[...document.querySelectorAll('.row')].find((row) => row.innerText.includes('Leave soon')).innerText")
    assert "denied" in row and "by you" in row, row


def test_the_time_left_goes_by_the_servers_clock(browser, toolcrib, waiting):
    page = sign_in(browser, toolcrib, toolcrib.token("owner"), inbox(toolcrib))
    page.send("Page.addScriptToEvaluateOnNewDocument", source="{ const real = Date.now; Date.now = () => real() + 7200e3; }")
    page.go(f"{toolcrib.base}{inbox(toolcrib)}")
    page.until("document.querySelector('toolcrib-time-left')?.innerText")
    assert re.search(r"\d?\d:\d\d left", page.run("document.querySelector('toolcrib-time-left').innerText"))


def test_the_first_view_is_small(browser, toolcrib, waiting):
    page = sign_in(browser, toolcrib, toolcrib.token("owner"), inbox(toolcrib))
    page.send("Network.setCacheDisabled", cacheDisabled=True)
    page.send("Page.navigate", url="about:blank")
    page.until("location.href === 'about:blank'")
    browser.events.clear()
    page.go(f"{toolcrib.base}/console/")
    page.until("document.querySelectorAll('.confirmation').length >= 2")
    asked = page.asked_for()
    # The icon is asked for by the browser, and without its cache again and again.
    assert len([url for url in asked if not url.endswith("/icon.svg")]) <= 24, asked
    assert len([url for url in asked if "/v1/" in url]) <= 4, asked
    assert assets(page) <= 60_000
    browser.events.clear()
    page.run("document.querySelector('#person a').click()")
    page.until("document.querySelector('h1').innerText === 'Account'")
    assert assets(page) <= 15_000 and len([url for url in page.asked_for() if "/v1/" in url]) <= 4


def assets(page):
    """The bytes of everything that was loaded and is no answer of the API."""
    asked = {event["params"]["requestId"]: event["params"]["request"]["url"] for event in page.events()
             if event["method"] == "Network.requestWillBeSent"}
    return sum(event["params"]["encodedDataLength"] for event in page.events()
               if event["method"] == "Network.loadingFinished" and "/v1/" not in asked.get(event["params"]["requestId"], "/v1/"))


def test_whoever_prefers_no_motion_sees_none(browser, toolcrib, waiting):
    page = sign_in(browser, toolcrib, toolcrib.token("owner"), inbox(toolcrib))
    page.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"},
                                                       {"name": "forced-colors", "value": "active"}])
    assert page.run("getComputedStyle(document.querySelector('.head button')).transitionProperty") in ("none", "all")
    assert page.run("getComputedStyle(document.querySelector('.head button')).transitionDuration") == "0s"
    # Where the system's colours replace ours, the page in view still differs from the others.
    current, plain = (page.run(f"getComputedStyle(document.querySelector('.tabs a{which}')).outlineStyle")
                      for which in ("[aria-current]", ":not([aria-current])"))
    assert (current, plain) == ("solid", "none")


def test_a_theme_is_kept(browser, toolcrib):
    page = sign_in(browser, toolcrib, toolcrib.token("owner"), "/console/account")
    colour = "getComputedStyle(document.documentElement).backgroundColor"
    theme(page, "light")
    light = page.run(colour)
    page.run("document.querySelector('input[value=dark]').click()")
    dark = page.run(colour)
    assert dark != light
    page.go(f"{toolcrib.base}/console/account")
    settled(page)
    assert page.run(colour) == dark
    page.run("document.querySelector('input[value=auto]').click()")
    assert page.run(f"{colour} + localStorage.length") == f"{light}0"


@pytest.mark.parametrize("path", ["actions", "actions/platform_create_task?tab=try", "lists", "connect", "audit",
                                  "audit/chain", "people", "keys", "keys/new", "settings", "settings/promotions", "settings/packs",
                                  "settings/webhooks"])
def test_each_further_page_is_small(browser, toolcrib, path):
    """What a page loads besides what the first view has loaded."""
    page = sign_in(browser, toolcrib, toolcrib.token("owner"), inbox(toolcrib))
    browser.events.clear()
    page.run(f"document.querySelector('console-app').go({at(path)(toolcrib)!r}, false)")
    page.until("document.querySelector('main h1').innerText !== 'Inbox'")
    settled(page)
    assets = {event["params"]["requestId"] for event in browser.events if event.get("method") ==
              "Network.requestWillBeSent" and "/console/assets/" in event["params"]["request"]["url"]}
    size = sum(event["params"]["encodedDataLength"] for event in browser.events
               if event.get("method") == "Network.loadingFinished" and event["params"]["requestId"] in assets)
    assert assets and size <= 15_000, size
