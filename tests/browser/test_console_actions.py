"""The pages about actions: the list, search, who may call what, and one action with its reasons and a call."""
import json
import os
import subprocess
import sys

import pytest
from console import (HIDDEN, NARROW, at, calls_of, choose, click, controls_are_reached, main_text, open_page, own_calls, reports,
                     settled, sideways, size)

NAMES = "[...document.querySelectorAll('.rows .what a')].map((e) => e.innerText)"
FORM = "document.querySelector('try-call form')"
ROLES = ["viewer", "member", "editor", "admin", "owner"]


def actions(toolcrib, more=""):
    return at(toolcrib, f"actions{more}")


def opened(browser, toolcrib, more="", who="owner", shown="document.querySelector('main .figures, main table')"):
    return open_page(browser, toolcrib, f"actions{more}", who, shown)


@pytest.mark.parametrize("who", ["viewer", "owner"])
def test_the_actions_are_those_of_the_api(browser, toolcrib, who):
    page = opened(browser, toolcrib, who=who)
    assert [url.split("?")[1] for url in calls_of(page, "/v1/actions")] == ["fields=summary&limit=100"]
    listed = toolcrib.get("/v1/actions", who, limit=100)["items"]
    assert sorted(page.run(NAMES)) == sorted(one["name"] for one in listed)
    rows = dict(page.run("[...document.querySelectorAll('.rows .row')].map((e) => [e.querySelector('a').innerText, e.innerText])"))
    signs = {"read": "○", "write": "◆", "destructive": "▲"}
    for one in listed:
        text = rows[one["name"]]
        assert signs[one["permission_level"]] in text and one["permission"] in text, one
        assert ("promoted" in text.split("\n")) == one["promoted"], one
        assert (f"confirmation: {one['confirmation']}" in text) == (one["confirmation"] != "none"), one


def test_filters_are_in_the_address_and_hold_for_all_actions(browser, toolcrib):
    page = opened(browser, toolcrib)
    listed = toolcrib.get("/v1/actions", limit=100)["items"]
    choose(page, "level", "destructive")
    click(page, "Show")
    page.until("location.search === '?level=destructive'")
    wanted = sorted(one["name"] for one in listed if one["permission_level"] == "destructive")
    page.until(f"({NAMES}).length === {len(wanted)}")
    assert sorted(page.run(NAMES)) == wanted
    page.go(f"{toolcrib.base}{actions(toolcrib)}?category=tasks&level=write")
    page.until("document.querySelector('.figures')")
    wanted = sorted(one["name"] for one in listed if one["permission_level"] == "write" and one["category"] == "tasks")
    assert sorted(page.run(NAMES)) == wanted
    assert page.run("document.querySelector('[name=category]').value") == "tasks"
    page.go(f"{toolcrib.base}{actions(toolcrib)}?category=nothing")
    page.until("document.querySelector('.empty')")
    click(page, f"Show all {len(listed)}")
    page.until(f"({NAMES}).length === {len(listed)}")


def test_search_finds_what_the_api_finds(browser, toolcrib):
    page = opened(browser, toolcrib)
    choose(page, "q", "how much did we spend on models")
    click(page, "Show")
    page.until("document.querySelector('.figures')?.innerText.includes('found')")
    found = toolcrib.post("/v1/tools/search", {"query": "how much did we spend on models", "limit": 10})["items"]
    assert page.run(NAMES) == [one["name"] for one in found]
    page.go(page.run("location.href"))
    page.until("document.querySelector('.figures')?.innerText.includes('found')")
    assert page.run("document.querySelector('[name=q]').value") == "how much did we spend on models"


def test_the_matrix_is_that_of_the_api(browser, toolcrib):
    page = opened(browser, toolcrib, "?tab=matrix")
    shown = page.run("[...document.querySelectorAll('tbody tr')].map((row) => [row.querySelector('a').innerText, "
                     "...[...row.querySelectorAll('.mark-cell')].map((cell) => cell.textContent.trim())])")
    found = toolcrib.get("/v1/access/matrix")["items"]
    assert shown == [[one["action"], *("✓may" if one["roles"][role] else "may not" for role in ROLES)] for one in found]


def test_what_a_role_may_call_and_why_not(browser, toolcrib):
    page = opened(browser, toolcrib, "?tab=as")
    types = "[...document.querySelectorAll('[name=caller_type] option')].map((e) => e.innerText)"
    assert sorted(page.run(types)) == sorted(toolcrib.get("/v1/access/report")["caller_types"])
    choose(page, "role", "member")
    choose(page, "caller_type", "mission")
    click(page, "Show")
    page.until("location.search.includes('role=member')")
    found = toolcrib.get("/v1/access/report", role="member", caller_type="mission")
    page.until(f"document.querySelector('.figures')?.innerText.includes('{found['accessible']} of')")
    rows = page.run("[...document.querySelectorAll('.rows .row')].map((e) => [e.querySelector('a').innerText, "
                    "e.querySelector('.tag').innerText, e.innerText])")
    assert [row[:2] for row in rows] == [[one["action"], "may" if one["allowed"] else "may not"] for one in found["items"]]
    for row, one in zip(rows, found["items"]):
        assert one["allowed"] or one["explanation"].replace("`", "")[:60] in row[2], row


def test_those_who_may_not_see_it_are_told_who_may(browser, toolcrib):
    page = opened(browser, toolcrib, who="editor")
    assert "By role" not in main_text(page)
    browser.events.clear()
    for more in ("?tab=matrix", "?tab=as", "/platform_list_agents?tab=why", "/platform_list_agents?tab=calls"):
        page.go(f"{toolcrib.base}{actions(toolcrib, more)}")
        page.until("document.querySelector('.empty')")
        assert "audit:read" in main_text(page) and "admins and owners" in main_text(page), more
    assert not [url for url in page.asked_for() if "/v1/access" in url or "/v1/audit" in url]
    page.go(f"{toolcrib.base}{actions(toolcrib, '/platform_delete_agent')}")
    page.until("document.querySelector('[role=alert]')")
    assert "agents:delete" in main_text(page)


@pytest.mark.parametrize("who", ROLES)
def test_the_reasons_are_those_of_the_api(browser, toolcrib, who):
    wanted = toolcrib.get("/v1/access/explain", action="platform_delete_agent", user=who)
    page = opened(browser, toolcrib, f"/platform_delete_agent?tab=why&user={who}")
    rules = page.run("[...document.querySelectorAll('.rule')].map((e) => [e.classList.contains('passed'), "
                     "e.querySelector('.sentence').textContent])")
    assert rules == [[one["passed"], one["explanation"].replace("`", "")] for one in wanted["factors"]]
    assert ("May call it" in main_text(page)) == wanted["allowed"]
    assert ("What would change it" in main_text(page)) == (not wanted["allowed"])
    if not wanted["allowed"]:
        assert page.run("document.querySelector('.rule.failed a').getAttribute('href')").endswith("/people")


def test_a_call_is_checked_and_run(browser, toolcrib):
    page = opened(browser, toolcrib, "/platform_create_task?tab=try", "editor", FORM)
    page.type("argument-title", "Tried")
    click(page, "Check")
    page.until("document.querySelector('.notice')?.innerText.includes('would not run')")
    page.until("document.activeElement.id === 'argument-description'")
    assert "required" in page.run("document.getElementById('wrong-argument-description').innerText")
    click(page, "As JSON")
    page.until("document.getElementById('arguments')")
    assert json.loads(page.run("document.getElementById('arguments').value")) == {"title": "Tried"}
    page.type("arguments", "{")
    click(page, "Check")
    page.until("document.activeElement.id === 'arguments' && document.activeElement.ariaInvalid === 'true'")
    assert "no JSON" in page.run("document.getElementById('wrong-arguments').innerText")
    title = f"Tried <b>{HIDDEN}</b>"
    page.type("arguments", json.dumps({"title": title, "description": "From the console", "priority": "high"}))
    click(page, "As a form")
    page.until("document.getElementById('argument-priority')?.value === '\"high\"'")
    click(page, "Check")
    page.until("document.querySelector('.notice')?.innerText.includes('wait for a person')")
    click(page, "Run")
    page.until("document.querySelector('section.group a')")
    link = page.run("document.querySelector('section.group a').getAttribute('href')")
    asked = toolcrib.look(link.split("/")[-1])
    wanted = {"description": "From the console", "priority": "high"}
    assert asked["arguments"].items() >= wanted.items()
    assert asked["arguments"]["title"].startswith("Tried <b>") and asked["requester"]["caller_type"] == "console"
    assert page.run("document.querySelectorAll('main b').length") == 0
    assert not any(c in page.text() for c in HIDDEN) and reports(page) == []


def test_a_read_shows_its_answer_and_stands_in_the_last_calls(browser, toolcrib):
    page = opened(browser, toolcrib, "/platform_list_agents?tab=try", shown=FORM)
    click(page, "Run")
    page.until("document.querySelector('pre.code')")
    answer = json.loads(page.run("document.querySelector('pre.code').textContent"))
    assert [one["name"] for one in answer["data"]["items"]] == [
        one["name"] for one in toolcrib.post("/v1/actions/platform_list_agents", {})["data"]["items"]]
    click(page, "Last calls")
    page.until("document.querySelector('.audit')")
    row = toolcrib.get(f"/v1/audit/{answer['call_id']}")
    assert row["surface"] == "console" and row["caller_type"] == "console"
    assert answer["call_id"] in page.run("[...document.querySelectorAll('.audit')].map((e) => e.textContent).join(' ')")
    assert page.run("document.querySelector('.after a').getAttribute('href')").endswith("/audit?action=platform_list_agents")


def test_the_code_makes_the_call(browser, toolcrib):
    """Each text names the address, the workspace and the arguments; the Python text is run."""
    page = opened(browser, toolcrib, "/platform_board_summary?tab=code", shown="document.querySelector('.command')")
    texts = page.run("[...document.querySelectorAll('.command code')].map((e) => e.textContent)")
    assert len(texts) == 4
    for text in texts[:3]:
        assert f"{toolcrib.base}/v1/actions/platform_board_summary" in text and toolcrib.workspace["id"] in text
    ran = subprocess.run([sys.executable, "-c", texts[1]], capture_output=True, text=True,
                         env=os.environ | {"CRIB_TOKEN": toolcrib.token("owner")})
    assert ran.stdout.startswith("200 "), ran
    call = json.loads(texts[3])["params"]
    assert call == {"name": "platform_execute", "arguments": {"action": "platform_board_summary", "params": {}}}


def test_controls_are_reached_and_nothing_runs_over(browser, toolcrib):
    page = opened(browser, toolcrib, "/platform_create_task?tab=try", shown=FORM)
    controls_are_reached(page)
    for more in ("", "?tab=matrix", "?tab=as", "/platform_create_task", "/platform_create_task?tab=why",
                 "/platform_create_task?tab=code"):
        browser.events.clear()
        page.go(f"{toolcrib.base}{actions(toolcrib, more)}")
        settled(page)
        page.until("document.querySelector('main .figures, main table, main pre')")
        assert len(own_calls(page)) == 1, more
        size(page, NARROW)
        assert sideways(page) == 0, more
        assert reports(page) == []
    assert calls_of(page, "/v1/actions/platform_create_task")
