"""The pages about people and keys: what they show is what the API says, and what they change, the API has."""
import functools
import json

import pytest
from console import (HIDDEN, NARROW, at, choose, click, controls_are_reached, main_text, open_page, own_calls, reports, settled,
                     sideways, size)

HOSTILE = f'<b id="pwn">Eve</b>{HIDDEN}'

opened = functools.partial(open_page, shown="document.querySelector('main .rows, main form')")


def member(toolcrib, subject):
    return next(one for one in toolcrib.get("/v1/members", limit=100)["items"] if one["subject"] == subject)


def added(toolcrib, subject, role="editor", **more):
    return toolcrib.post("/v1/members", {"subject": subject, "role": role, **more}, 201)


def key(toolcrib, name, who="admin", **more):
    body = {"kind": "service", "name": name, "role": "editor", "scopes": ["*:read", "tasks:use"], **more}
    return toolcrib.post("/v1/keys", body, 201, who)


def test_the_members_are_those_of_the_api(browser, toolcrib):
    added(toolcrib, "eve-<i>", display_name=HOSTILE)
    page = opened(browser, toolcrib, "people", "viewer")
    rows = page.run("[...document.querySelectorAll('.row')].map((e) => e.innerText)")
    members = toolcrib.get("/v1/members", limit=100)["items"]
    assert len(rows) == len(members)
    for row, one in zip(rows, members):
        assert one["subject"] in row and one["issuer"] in row and one["role"] in row.lower(), (row, one)
    assert '<b id="pwn">Eve</b>\\u{202e}' in page.text() and not page.run("Boolean(document.getElementById('pwn'))")
    assert "Add a member" not in page.text(), "a viewer has no form"
    size(page, NARROW)
    assert sideways(page) == 0 and reports(page) == []


def test_a_member_is_added(browser, toolcrib):
    page = opened(browser, toolcrib, "people")
    for field, value in (("subject", "newcomer"), ("display_name", "New Comer"), ("role", "viewer")):
        choose(page, field, value, "#add")
    click(page, "Add")
    page.until("document.querySelector('main').innerText.includes('newcomer at')")
    one = member(toolcrib, "newcomer")
    assert (one["role"], one["display_name"], one["issuer"]) == ("viewer", "New Comer", member(toolcrib, "owner")["issuer"])
    choose(page, "subject", "newcomer")
    click(page, "Add")
    page.until("document.querySelector('[role=alert]')")
    assert page.run("document.querySelector('[name=subject]').value") == "newcomer", "what was typed stays"


def test_a_change_tells_first_what_it_takes_away(browser, toolcrib):
    person = added(toolcrib, "to-demote", "admin")
    page = opened(browser, toolcrib, f"people/{person['user_id']}")
    choose(page, "change", "viewer")
    click(page, "Preview")
    page.until("document.querySelector('#change')")
    page.until("location.search === '?change=viewer'")
    matrix = toolcrib.get("/v1/access/matrix")["items"]
    lost = [one["action"] for one in matrix if one["roles"]["admin"] and not one["roles"]["viewer"]]
    page.until("document.querySelector('.names')")
    assert page.run("[...document.querySelectorAll('.names code')].map((e) => e.textContent)") == lost
    assert member(toolcrib, "to-demote")["role"] == "admin", "nothing is changed yet"
    page.go(page.run("location.href"))
    click(page, "Make Viewer")
    page.until("document.querySelector('main').innerText.includes('It is changed')")
    assert member(toolcrib, "to-demote")["role"] == "viewer" and page.run("location.search") == ""
    assert "Viewer: reads" in main_text(page)
    choose(page, "change", "off")
    click(page, "Preview")
    click(page, "Switch off")
    page.until("document.querySelector('main').innerText.includes('Switched off')")
    assert not member(toolcrib, "to-demote")["active"]


def test_keys_of_a_removed_member_are_adopted_in_the_same_step(browser, toolcrib):
    mine = key(toolcrib, "made by an admin", "admin")
    admin = member(toolcrib, "admin")
    page = opened(browser, toolcrib, f"people/{admin['user_id']}?change=remove")
    page.until("document.querySelector('[name=adopt]')")
    assert "made by an admin" in page.run("document.querySelector('section.card').innerText")
    page.run("document.querySelector('[name=adopt]').click()")
    click(page, "Remove")
    page.until("location.pathname.endsWith('/people')")
    found = next(one for one in toolcrib.get("/v1/keys", limit=100)["items"] if one["id"] == mine["id"])
    try:
        assert found["minters"] == [member(toolcrib, "owner")["user_id"]] and found["role_now"] == "editor"
        assert not [one for one in toolcrib.get("/v1/members", limit=100)["items"] if one["subject"] == "admin"]
    finally:
        added(toolcrib, "admin", "admin")


def test_those_who_may_not_change_members_have_no_controls(browser, toolcrib):
    page = opened(browser, toolcrib, f"people/{member(toolcrib, 'owner')['user_id']}?change=remove", "editor",
                  shown="document.querySelector('.facts')")
    assert page.run("document.querySelectorAll('main form, main button').length") == 0
    assert "Admins and owners change members" in main_text(page)
    page.go(f"{toolcrib.base}{at(toolcrib, 'keys')}")
    settled(page)
    assert "keys:manage" in main_text(page) and "admins and owners" in main_text(page)


def test_keys_are_shown_with_what_limits_them(browser, toolcrib):
    person = added(toolcrib, "minter", "admin")
    made = key(toolcrib, HOSTILE, "owner", scopes=["*:read", "act_as", "events:read"], caller_types=["chat", "api"])
    toolcrib.ask("DELETE", f"/v1/members/{person['user_id']}")
    page = opened(browser, toolcrib, "keys")
    page.run("document.querySelectorAll('main details').forEach((e) => { e.open = true; })")
    texts = page.run("[...document.querySelectorAll('.rows > li')].map((e) => e.innerText)")
    keys = toolcrib.get("/v1/keys", limit=100)["items"]
    assert len(texts) == len(keys)
    for text, one in zip(texts, keys):
        assert one["id"] in text and all(scope in text for scope in one["scopes"] + one["caller_types"]), (text, one)
        assert all(why.replace("`", "") in text for why in one["limited_by"])
    row = texts[[one["id"] for one in keys].index(made["id"])]
    words = {one["scope"]: one["description"] for one in toolcrib.get("/v1/access/scopes")["items"]}
    assert all(words[scope] in row for scope in made["scopes"]), row
    assert made["secret"] not in page.run("document.documentElement.outerHTML")
    assert page.run("document.querySelectorAll('#pwn').length") == 0 and reports(page) == []


def test_a_secret_is_shown_once(browser, toolcrib):
    page = opened(browser, toolcrib, "keys/new")
    choose(page, "name", "made here")
    choose(page, "role", "member")
    choose(page, "more_scopes", "tasks:use memory:read")
    click(page, "Make the key")
    page.until("document.querySelector('.secret')")
    secret = page.run("document.querySelector('.secret code').textContent")
    made = next(one for one in toolcrib.get("/v1/keys", limit=100)["items"] if one["name"] == "made here")
    assert made["scopes"] == ["*:read", "tasks:use", "memory:read"] and made["role"] == "member"
    used = toolcrib.answer("GET", "/v1/me", headers={"Authorization": f"Bearer {secret}"})
    assert used.status_code == 200 and used.json()["principal"]["credential_id"] == made["id"]
    assert page.run("document.activeElement.innerText") == "The secret, shown once"
    browser.events.clear()
    click(page, "I stored it")
    page.until("location.pathname.endsWith('/keys')")
    page.until("document.querySelector('main .rows')")
    page.run("document.querySelectorAll('main details').forEach((e) => { e.open = true; })")
    kept = page.run("""JSON.stringify([location.href, document.documentElement.outerHTML, {...localStorage}, {...sessionStorage},
        [...document.querySelectorAll('*')].flatMap((e) => [e.value, e.data]).filter((v) => typeof v === 'string')])""")
    assert secret not in kept
    sent = [json.dumps(event) for event in browser.events if event.get("method") == "Network.requestWillBeSent"]
    assert sent and not [one for one in sent if secret in one]


def test_the_scopes_of_a_new_key_are_those_of_the_api(browser, toolcrib):
    page = opened(browser, toolcrib, "keys/new")
    page.run("document.querySelectorAll('main details').forEach((e) => { e.open = true; })")
    boxes = dict(page.run("[...document.querySelectorAll('[name=scopes]')].map((e) => [e.value, e.parentElement.innerText])"))
    scopes = {one["scope"]: one for one in toolcrib.get("/v1/access/scopes")["items"]}
    assert {one for one in scopes if scopes[one]["special"] and scopes[one]["allowed"]} < boxes.keys()
    for scope, text in boxes.items():
        assert scopes[scope]["allowed"] and text.startswith(scopes[scope]["description"]) and text.endswith(scope)


@pytest.mark.parametrize("preset", ["chatbot", "relay", "agent"])
def test_a_preset_fills_the_form(browser, toolcrib, preset):
    page = opened(browser, toolcrib, f"keys/new?preset={preset}")
    if preset == "agent":
        choose(page, "agent", toolcrib.post("/v1/actions/platform_list_agents", {})["data"]["items"][0]["id"])
    choose(page, "name", f"preset {preset}")
    click(page, "Make the key")
    page.until("document.querySelector('.secret')")
    made = next(one for one in toolcrib.get("/v1/keys", limit=100)["items"] if one["name"] == f"preset {preset}")
    wanted = {"chatbot": ["*:read", "*:use", "act_as"], "relay": ["approvals:relay"],
              "agent": ["*:read", "memory:use", "reports:use", "tasks:use"]}
    assert sorted(made["scopes"]) == sorted(wanted[preset]) and made["kind"] == ("agent" if preset == "agent" else "service")


def test_an_admin_is_told_that_an_owner_makes_the_relaying_key(browser, toolcrib):
    page = opened(browser, toolcrib, "keys/new?preset=relay", "admin")
    assert "An owner has to make this key" in main_text(page)
    assert not page.run("Boolean(document.querySelector('[value=\"approvals:relay\"]'))")


def test_a_key_is_adopted_and_revoked(browser, toolcrib):
    made = key(toolcrib, "a key to end", "admin")
    page = opened(browser, toolcrib, "keys")
    row = "[...document.querySelectorAll('.rows > li')].find((e) => e.innerText.includes('a key to end'))"
    look = lambda: next(one for one in toolcrib.get("/v1/keys", limit=100)["items"] if one["id"] == made["id"])

    def press(text):
        page.until(row)
        page.run(f"{row}.querySelector('details').open = true")
        button = f"[...{row}.querySelectorAll('button')].find((e) => e.innerText.replace(/\\s+/g, ' ') === {text!r})"
        page.until(f"{button} && !{button}.disabled")
        page.run(f"{button}.click()")
    press("Adopt")
    page.until("document.getElementById('announcer').textContent === 'The key is adopted.'")
    assert look()["minters"] == [member(toolcrib, "owner")["user_id"]]
    press("Adopt with a new secret")
    page.until("document.querySelector('.secret')")
    secret = page.run("document.querySelector('.secret code').textContent")
    assert secret.startswith("tc_") and secret != made["secret"]
    click(page, "I stored it")
    page.until("!document.querySelector('.secret')")
    press("Revoke…")
    assert look()["revoked_at"] is None, "the first press only asks"
    press("Revoke for good")
    page.until(f"{row}?.innerText.includes('revoked')")
    assert look()["revoked_at"]
    assert toolcrib.answer("GET", "/v1/me", headers={"Authorization": f"Bearer {secret}"}).status_code == 401


def test_every_control_is_reached(browser, toolcrib):
    page = opened(browser, toolcrib, "keys/new?preset=chatbot")
    controls_are_reached(page)
    page.go(f"{toolcrib.base}{at(toolcrib, 'people')}")
    page.until("document.querySelector('main form')")
    controls_are_reached(page)
    for path in ("people", "keys", f"people/{member(toolcrib, 'owner')['user_id']}?change=viewer"):
        browser.events.clear()
        page.go(f"{toolcrib.base}{at(toolcrib, path)}")
        page.until("document.querySelector('main .rows, main .facts')")
        assert len(own_calls(page)) <= 2, path
        size(page, NARROW)
        assert sideways(page) == 0, path
