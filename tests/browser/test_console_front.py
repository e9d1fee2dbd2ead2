"""The first steps: what waits in a demo, where a viewer begins, addresses and links that lead nowhere, the page of a system
admin, and feedback beside the button that caused it."""
import json

import pytest
from conftest import Toolcrib
from console import at, choose, click, main_text, one_time_link, open_page, sign_in
from demo import Demo

SEEN = """(() => {{ const r = document.querySelector('{0}')?.getBoundingClientRect();
    return r && r.top >= 0 && r.bottom <= innerHeight; }})()"""


@pytest.fixture(scope="module")
def demo():
    running = Demo()
    yield running
    running.close()


def test_a_demo_begins_with_two_calls_to_decide(browser, demo):
    page = browser.open(one_time_link(demo))
    page.until("document.querySelectorAll('main .confirmation').length === 2")
    assert page.run("document.title").startswith("(2) Inbox")
    assert "Release Writer" in main_text(page) and "Cancel scheduled task" in main_text(page)
    assert page.run("document.querySelector('.badge').getAttribute('aria-label')") == "2 waiting for you"
    assert "23 h" in main_text(page)
    Toolcrib.deny_open(demo)
    page.go(page.run("location.href"))
    page.until("document.querySelector('main .empty')")
    assert "curl" not in main_text(page)
    click(page, "Make a call that waits")
    page.until("document.querySelectorAll('main .confirmation').length === 1")
    Toolcrib.deny_open(demo)


def test_a_viewer_begins_with_their_own_calls(browser, toolcrib):
    page = open_page(browser, toolcrib, "inbox", "viewer", shown="document.querySelector('main .empty')")
    assert page.run("document.querySelector('h1').innerText") == "My calls"
    assert page.run("document.querySelector('.side a').innerText") == "My calls"
    tabs = page.run("[...document.querySelectorAll('.tabs a')].map((e) => e.innerText.trim())")
    assert tabs == ["My calls", "Decided"]
    assert "curl" not in main_text(page) and not page.run("document.querySelector('main .empty button')")


def test_a_used_link_says_so(browser, demo):
    link = one_time_link(demo)
    page = browser.open(link)
    page.until("document.querySelector('[role=alert]')")
    said = page.run("document.querySelector('[role=alert]').innerText")
    assert "This link no longer works" in said and "toolcrib console link --user USER" in said


@pytest.mark.parametrize("path, shown", [
    ("/console/login/", "Sign in"), ("/approve/", "There is no such page"), ("/nothing", "There is no such page"),
])
def test_an_address_is_a_page(browser, toolcrib, path, shown):
    page = browser.open(f"{toolcrib.base}{path}")
    page.until(f"document.querySelector('h1')?.innerText === {json.dumps(shown)}")


def test_a_system_admin_sees_the_workspaces_and_their_limits(browser, toolcrib):
    page = sign_in(browser, toolcrib, toolcrib.demo["system_admin"]["token"])
    page.until("location.pathname === '/console/system' && document.querySelectorAll('main .rows > li').length >= 2")
    second = toolcrib.demo["workspaces"][1]
    row = f"[...document.querySelectorAll('main .rows > li')].find((e) => e.innerText.includes({json.dumps(second['name'])}))"
    page.run(f"{row}.querySelector('summary').click()")
    page.until(f"{row}.querySelector('[name=read_per_minute]')")
    page.run(f"{row}.querySelector('[name=read_per_minute]').value = 777")
    page.run(f"{row}.querySelector('form button').click()")
    page.until(f"{row}.innerText.includes('The limits are saved.')")
    found = toolcrib.ask("GET", "/v1/settings", who="system_admin", headers={"X-Workspace-Id": second["id"]})
    assert found["limits"]["read_per_minute"] == 777
    choose(page, "name", "Made on the page")
    choose(page, "subject", "owner")
    click(page, "Make")
    page.until("document.querySelector('main .rows')?.innerText.includes('Made on the page')")
    assert page.run(SEEN.format("main section .feedback")), "beside its button"


def test_feedback_stands_beside_its_button(browser, toolcrib):
    page = open_page(browser, toolcrib, "settings", shown="document.querySelector('main form')")
    choose(page, "approve_url_template", "https://elsewhere.example/{id}")
    click(page, "Save")
    page.until("document.querySelector('main .feedback .wrong')")
    field = "document.querySelector('[name=approve_url_template]')"
    assert page.run(f"{field}.getAttribute('aria-invalid')") == "true" and page.run(f"document.activeElement === {field}")
    assert page.run(SEEN.format("[name=approve_url_template]")) and page.run("document.querySelector('.field-error').innerText")
    choose(page, "approve_url_template", "")
    click(page, "Save")
    page.until("document.querySelector('main .feedback .good')")
    assert page.run(SEEN.format("main .feedback")) and not page.run("document.querySelector('[aria-invalid]')")
    page = open_page(browser, toolcrib, "keys/new", shown="document.querySelector('main form')")
    choose(page, "name", "")
    click(page, "Make the key")
    page.until("document.querySelector('main .feedback .wrong, main [aria-invalid]')")
    assert page.run(SEEN.format("main [aria-invalid]")) or page.run(SEEN.format("main .feedback"))


def test_keys_have_names_and_refusals_no_requests(browser, toolcrib):
    page = open_page(browser, toolcrib, "keys", shown="document.querySelector('main .rows')")
    page.run("document.querySelectorAll('main details').forEach((e) => { e.open = true; })")
    # Other files that share this service make keys too.
    demo = "[...document.querySelectorAll('main .rows > li')].filter((e) => /^demo (agent|chat)/.test(e.innerText))"
    texts = page.run(f"{demo}.map((e) => e.innerText)")
    assert len(texts) == 2 and not any("never used" in text for text in texts), texts
    assert any("Support Desk, runs as Demo editor" in text for text in texts)
    assert not page.run(f"{demo}.some((e) => e.querySelector('.tag.failed'))")
    page.go(f"{toolcrib.base}{at(toolcrib, 'people/0190')}")
    page.until("document.querySelector('main [role=alert]')")
    assert "GET /v1" not in main_text(page) and "Try again" not in main_text(page)
