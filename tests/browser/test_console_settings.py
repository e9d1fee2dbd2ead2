"""The pages about settings, promotions and connecting a chatbot, and the notifications."""
import functools
import json
import os
import subprocess
import sys

import pytest
from console import (HIDDEN, NARROW, at, choose, click, controls_are_reached, main_text, open_page, reports, settled, sideways,
                     sign_in, size)

SETTLED = {"approval_mode": "confirm_writes", "four_eyes": False, "agents_inherit_admin": False,
           "default_model": "gpt-4o-mini", "runner": "external"}

opened = functools.partial(open_page, shown="document.querySelector('main form')")


@pytest.fixture
def restored(toolcrib):
    """The settings are those of before afterwards: the other tests rely on them."""
    yield
    toolcrib.ask("PATCH", "/v1/settings", SETTLED)


def checked(page, field):
    return page.run(f"document.querySelector('[name={field}]:checked')?.value ?? null")


def test_the_settings_are_those_of_the_api(browser, toolcrib):
    found = toolcrib.get("/v1/settings")
    page = opened(browser, toolcrib, "settings")
    assert checked(page, "approval_mode") == found["approval_mode"]
    assert page.run("document.querySelector('[name=four_eyes]').checked") == found["four_eyes"]
    assert page.run("document.querySelector('[name=default_model]').value") == (found["default_model"] or "")
    numbers = page.run("[...document.querySelectorAll('.facts dd')].map((e) => Number(e.innerText.replace(/[^0-9]/g, '')))")
    limits, most = found["limits"], found["open_confirmations"]
    assert numbers == [limits[f"{one}_per_minute"] for one in ("write", "read", "external", "client")] + [
        limits["write_share_percent"], most["per_workspace"], most["per_caller"]]
    assert "Only an owner can switch it off." in main_text(page)


def test_only_what_differs_is_saved(browser, toolcrib, restored):
    page = opened(browser, toolcrib, "settings")
    page.run("document.querySelector('[name=four_eyes]').click()")
    page.run("document.querySelector('[name=runner]').click()")
    choose(page, "default_model", "gpt-4o")
    browser.events.clear()
    click(page, "Save")
    page.until("document.querySelector('.notice.good')")
    sent = next(event["params"]["request"] for event in browser.events
                if event.get("method") == "Network.requestWillBeSent" and event["params"]["request"]["method"] == "PATCH")
    assert json.loads(sent["postData"]) == {"four_eyes": True, "runner": "internal", "default_model": "gpt-4o"}
    assert sent["headers"]["If-Match"].strip('"')
    found = toolcrib.get("/v1/settings")
    assert found["four_eyes"] and found["default_model"] == "gpt-4o"
    assert "four_eyes" in page.run("document.querySelector('.notice').innerText")


def test_a_change_of_somebody_else_is_not_overwritten(browser, toolcrib, restored):
    page = opened(browser, toolcrib, "settings")
    toolcrib.ask("PATCH", "/v1/settings", {"default_model": "gpt-4o"})
    page.run("document.querySelector('[name=four_eyes]').click()")
    click(page, "Save")
    page.until("document.querySelector('[role=alert]')")
    assert "precondition_failed" in main_text(page) and not toolcrib.get("/v1/settings")["four_eyes"]
    click(page, "Try again")
    page.until("document.querySelector('[name=default_model]')?.value === 'gpt-4o'")
    assert not page.run("Boolean(document.querySelector('[role=alert]'))")


def test_an_admin_may_not_weaken(browser, toolcrib, restored):
    page = opened(browser, toolcrib, "settings", "admin")
    page.run("document.querySelector('[value=standard]').click()")
    click(page, "Save")
    page.until("document.querySelector('[role=alert]')")
    assert toolcrib.get("/v1/settings")["approval_mode"] == "confirm_writes"


def test_promotions_are_chosen_and_restored(browser, toolcrib):
    page = opened(browser, toolcrib, "settings/promotions", "editor")
    found = toolcrib.get("/v1/promotions")
    page.run("document.querySelectorAll('main details').forEach((e) => { e.open = true; })")
    shown = page.run("[...document.querySelectorAll('.rows > li')].map((e) => [...e.querySelectorAll('code')].map((c) => c.innerText))")
    assert shown == [one["actions"] for one in found["items"]] + [found["usual"]]
    choose(page, "caller", "channel")
    page.type("actions", "platform_list_tasks\nplatform_create_task")
    click(page, "Save")
    page.until("[...document.querySelectorAll('.rows strong')].some((e) => e.innerText === 'channel')")
    made = next(one for one in toolcrib.get("/v1/promotions")["items"] if one["caller"] == "channel")
    assert sorted(made["actions"]) == ["platform_create_task", "platform_list_tasks"]
    page.type("actions", "platform_nothing")
    click(page, "Save")
    page.until("document.querySelector('[role=alert]')")
    page.run("[...document.querySelectorAll('.rows button')].find((e) => e.innerText.includes('channel')).click()")
    page.until("![...document.querySelectorAll('.rows strong')].some((e) => e.innerText === 'channel')")
    assert not [one for one in toolcrib.get("/v1/promotions")["items"] if one["caller"] == "channel"]


def test_those_who_may_not_are_told_who_may(browser, toolcrib):
    page = sign_in(browser, toolcrib, toolcrib.token("editor"), at(toolcrib, "settings"))
    assert "settings:manage" in main_text(page) and "admins and owners" in main_text(page)
    page = sign_in(browser, toolcrib, toolcrib.token("member"), at(toolcrib, "settings/promotions"))
    assert "agents:manage" in main_text(page) and "editors, admins and owners" in main_text(page)


def test_from_nothing_to_the_first_call(browser, toolcrib):
    page = opened(browser, toolcrib, "connect", shown="document.querySelector('main .steps')")
    click(page, "Make the key")
    page.until("document.querySelector('.secret')")
    secret = page.run("document.querySelector('.secret code').textContent")
    text = page.run("document.querySelectorAll('.steps > li')[1].querySelector('code:not(p code)').textContent")
    ran = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=os.environ | {"CRIB_KEY": secret})
    assert ran.returncode == 0 and "call_1" in ran.stdout, ran
    click(page, "I stored it")
    click(page, "Look for the call")
    page.until("document.querySelector('.steps .audit')?.innerText.includes('platform_list_agents')")
    newest = toolcrib.get("/v1/audit", caller_type="chat", kind="call", limit=1)["items"][0]
    assert newest["id"] in page.run("document.querySelector('.steps .audit').textContent")
    assert newest["principal"]["kind"] == "service" and newest["outcome"] == "succeeded"
    assert secret not in page.run("document.documentElement.outerHTML")
    for stack, sign in (("TypeScript", "await fetch("), ("MCP", "mcpServers"), ("curl", "curl ")):
        click(page, stack)
        page.until(f"document.querySelector('.steps .command').innerText.includes({sign!r})")
        assert toolcrib.workspace["id"] in page.run("document.querySelector('.steps .command').innerText")
    page.go(page.run("location.href"))
    page.until("document.querySelector('main .steps .command')?.innerText.includes('curl ')")
    controls_are_reached(page)
    size(page, NARROW)
    assert sideways(page) == 0 and reports(page) == []


def test_a_viewer_is_told_who_makes_the_key(browser, toolcrib):
    page = opened(browser, toolcrib, "connect", "viewer", shown="document.querySelector('main .steps')")
    assert "keys:manage" in main_text(page) and page.run("document.querySelectorAll('main .steps button.primary').length") == 0


def test_notifications_are_shown_and_marked(browser, toolcrib):
    hostile = f"<img src=x onerror=window.pwned=1>{HIDDEN}"
    toolcrib.asked("create_task", {"title": hostile, "description": "x"}, "agent")
    page = sign_in(browser, toolcrib, toolcrib.token("editor"), at(toolcrib, "inbox"))
    page.until("document.querySelector('.bell .count')")
    page.run("document.querySelector('.bell').click()")
    rows = "[...document.querySelectorAll('notification-list .rows > li')]"
    page.until(f"{rows}.length")
    found = toolcrib.get("/v1/notifications", "editor", limit=10)
    titles = page.run(f"{rows}.map((e) => e.querySelector('strong').innerText)")
    assert len(titles) == len(found["items"]) and titles[0].startswith("Waiting for approval"), titles
    page.run(f"{rows}[0].querySelector('button').click()")
    page.until(f"!{rows}[0].querySelector('button')")
    after = toolcrib.get("/v1/notifications", "editor", limit=10)["items"]
    assert after[0]["read_at"] and [one["id"] for one in after] == [one["id"] for one in found["items"]]
    assert page.run("document.querySelectorAll('main img').length") == 0 and page.run("window.pwned") is None
    assert not any(c in page.text() for c in HIDDEN)
    page.go(page.run("location.href"))
    settled(page)
    page.until(f"{rows}.length && !{rows}[0].querySelector('button')")
    size(page, NARROW)
    assert sideways(page) == 0


def test_a_notification_ends_with_its_confirmation(browser, toolcrib):
    asked = toolcrib.asked("create_task", {"title": "Decided elsewhere", "description": "x"}, "agent")
    toolcrib.asked("create_task", {"title": "Still waits", "description": "x"}, "agent")
    page = opened(browser, toolcrib, "notifications", "editor", shown="document.querySelector('notification-list .rows')")
    row = "[...document.querySelectorAll('notification-list .rows > li')].find((e) => e.innerText.includes('Decided elsewhere'))"
    assert page.run(f"{row}.querySelector('button').innerText").startswith("Mark as read")
    before = toolcrib.get("/v1/me", "editor")["unread_notifications"]
    toolcrib.post(f"/v1/confirmations/{asked['id']}/approve", {})
    assert toolcrib.get("/v1/me", "editor")["unread_notifications"] == before - 1
    page.until(f"document.querySelector('.bell .count')?.innerText === '{before - 1}'")
    page.go(page.run("location.href"))
    page.until(row)
    assert page.run(f"{row}.innerText").endswith("ended") and not page.run(f"Boolean({row}.querySelector('button'))")
    click(page, "Mark all as read")
    page.until("!document.querySelector('.bell .count')")
    assert toolcrib.get("/v1/me", "editor")["unread_notifications"] == 0
    # A list that goes on has another button.
    assert page.run("[...document.querySelectorAll('main button')].every((e) => e.disabled || !e.innerText.startsWith('Mark'))")


def test_a_pack_is_switched_and_set(browser, toolcrib):
    page = open_page(browser, toolcrib, "settings/packs", shown="document.getElementById('pack-game')")
    card = "document.getElementById('pack-media').closest('section')"
    shown = page.run(f"{card}.innerText")
    assert "radarr" in shown and "not set" in shown
    page.run(f"{card}.querySelector('.head button').click()")
    page.until(f"{card}.querySelector('.notice.good')")
    found = next(pack for pack in toolcrib.get("/v1/packs")["items"] if pack["slug"] == "media")
    assert found["enabled"] and "on" in page.run("document.getElementById('pack-media').innerText")
    page.run(f"{card}.querySelector('#media-time_zone').value = 'Europe/Berlin'")
    page.run(f"{card}.querySelector('#media-time_zone').dispatchEvent(new Event('input'))")
    page.run(f"{card}.querySelector('form').requestSubmit()")
    page.until(f"{card}.querySelector('.notice.good')?.innerText.includes('Saved')")
    found = next(pack for pack in toolcrib.get("/v1/packs")["items"] if pack["slug"] == "media")
    assert found["settings"]["time_zone"] == "Europe/Berlin"
    toolcrib.ask("PATCH", "/v1/packs/media", {"enabled": False})


def test_a_webhook_is_added_tested_and_removed(browser, toolcrib):
    """The secret of a service is on no page, and the secret of signatures once."""
    page = opened(browser, toolcrib, "settings/webhooks")
    choose(page, "secret", "http://10.0.0.7/services/canary")
    click(page, "Add it")
    page.until("document.querySelector('.field-error')")
    assert "https" in page.run("document.querySelector('[name=secret]').nextElementSibling.innerText")
    choose(page, "secret", "https://hooks.slack.invalid/services/T0/B0/canary")
    click(page, "Add it")
    page.until("document.querySelector('.notice.good')")
    [made] = toolcrib.get("/v1/webhooks")["items"]
    assert (made["format"], made["types"]) == ("slack", ["notification.created"])
    assert "https://hooks.slack.invalid/" in main_text(page) and "canary" not in page.run("document.body.innerHTML")
    click(page, "Send a test")
    page.until("document.querySelector('.notice.wrong')")
    assert "The receiver" in page.run("document.querySelector('.notice.wrong').innerText")
    click(page, "Switch off")
    page.until("[...document.querySelectorAll('main button')].some((one) => one.innerText.trim() === 'Switch on')")
    assert not toolcrib.get("/v1/webhooks")["items"][0]["enabled"]
    click(page, "Remove…")
    click(page, "Remove for good")
    page.until("!document.querySelector('main button.danger')")
    assert toolcrib.get("/v1/webhooks")["items"] == []


def test_a_field_of_a_receiver_says_what_is_wrong(browser, toolcrib):
    page = opened(browser, toolcrib, "settings/webhooks?format=telegram")
    choose(page, "secret", "123456:canary")
    click(page, "Add it")
    page.until("document.querySelector('.field-error')")
    assert "needs it" in page.run("document.querySelector('[name=chat_id]').nextElementSibling.innerText")
    assert toolcrib.get("/v1/webhooks")["items"] == []
