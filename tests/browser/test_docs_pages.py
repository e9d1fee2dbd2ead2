"""The reference of the API in a browser: narrow, dark, by keyboard, on paper, and searched without a script."""
import pytest
from console import LAPTOP, NARROW, PHONE, axe, controls_are_reached, open_page, reports, sideways, size, theme

# A large operation, one of a pack, one with a body in several forms, and a page of each other kind.
PAGES = ["/docs", "/docs?q=agent", "/docs/operations/audit_list", "/docs/operations/game_list_projects",
         "/docs/operations/list_actions", "/docs/operations/platform_update_playbook_step", "/docs/guides/toolsets",
         "/docs/guides/audit", "/docs/errors", "/docs/errors/timeout"]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_readable_everywhere(browser, toolcrib, path):
    page = browser.open(toolcrib.base + path)
    for screen in (PHONE, LAPTOP, NARROW):
        size(page, screen)
        assert sideways(page) == 0, screen
    for shade in ("light", "dark"):
        theme(page, shade)
        assert axe(page) == [], shade
    assert page.run("document.querySelectorAll('h1').length") == 1
    assert page.run("document.querySelectorAll('main').length") == 1
    assert page.run("[...document.querySelectorAll('th')].every((e) => e.scope)")
    assert reports(page) == []


def test_what_is_wide_scrolls_inside(browser, toolcrib):
    page = browser.open(toolcrib.base + "/docs/guides/surfaces")
    size(page, PHONE)
    assert sideways(page) == 0
    assert page.run("[...document.querySelectorAll('pre')].some((e) => e.scrollWidth > e.clientWidth)")


def test_the_search_works_without_a_script(browser, toolcrib):
    page = browser.open(toolcrib.base + "/docs")
    page.send("Emulation.setScriptExecutionDisabled", value=True)
    size(page, PHONE)
    page.run("document.querySelector('input[name=q]').focus()")
    page.send("Input.insertText", text="rename workspace <b>")
    page.send("Input.dispatchKeyEvent", type="keyDown", key="Enter", code="Enter", windowsVirtualKeyCode=13, text="\r")
    page.until("location.search && document.readyState === 'complete'")
    assert "0 operations and 0 guides have all words of rename workspace <b>" in page.text()
    assert page.run("document.querySelector('input[name=q]').value") == "rename workspace <b>"
    page.go(toolcrib.base + "/docs?q=delete+agent")
    link = page.run("document.querySelector('main td, main th a').getAttribute('href')")
    assert link == "/docs/operations/platform_delete_agent"
    page.run("document.querySelector('main th a').click()")
    page.until("location.pathname.startsWith('/docs/operations/') && document.readyState === 'complete'")
    assert "by typing a phrase" in page.text()
    assert reports(page) == []


def test_the_keyboard_reaches_every_link(browser, toolcrib):
    page = browser.open(toolcrib.base + "/docs/operations/platform_delete_agent")
    controls_are_reached(page)


def test_the_console_links_the_reference(browser, toolcrib):
    page = open_page(browser, toolcrib, "actions/platform_delete_agent?tab=code")
    page.until("document.querySelector('main a[href=\"/docs/operations/platform_delete_agent\"]')")
    assert page.run("document.querySelector('#person a[href=\"/docs\"]').textContent") == "API reference"
    page.run("document.querySelector('main a[href^=\"/docs/\"]').click()")
    page.until("location.pathname === '/docs/operations/platform_delete_agent' && document.querySelector('h1')")
    assert page.run("document.querySelector('h1').innerText") == "Permanently delete an agent"
