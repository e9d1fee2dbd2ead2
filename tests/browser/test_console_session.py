"""Signing in to the console, its session in several tabs, and its end."""
import json

import pytest
from conftest import Page, Toolcrib
from console import key, one_time_link, reports, settled, sign_in, tab_to


@pytest.fixture(scope="module")
def toolcrib():
    """A demo of its own: its one-time link works for ten minutes after the start."""
    running = Toolcrib()
    yield running
    running.close()


@pytest.fixture(scope="module")
def linked(browser, toolcrib):
    """A page that was signed in by the demo's one-time link, and that link."""
    link = one_time_link(toolcrib)
    page = browser.open(link)
    page.until("!location.pathname.startsWith('/console/login')")
    settled(page)
    return page, link


def nothing_is_kept(page, secret):
    """No secret is in the address, the page, its fields, its cookies that scripts see, or its storage."""
    kept = page.run("""JSON.stringify([location.href, document.documentElement.outerHTML, document.cookie, {...localStorage},
        {...sessionStorage}, [...document.querySelectorAll('input')].map((i) => i.value)])""")
    assert secret not in kept
    assert json.loads(kept)[2] == ""


def modules(page):
    """The folder of the page's modules."""
    return page.run("new URL('.', document.querySelector('script[type=module]').src).pathname.replace(/pages\\/$/, '')")


def test_a_token_signs_in(browser, toolcrib):
    wanted = f"/console/w/{toolcrib.workspace['id']}/inbox?tab=decided"
    page = browser.open(f"{toolcrib.base}{wanted}")
    page.until("document.getElementById('token')")
    assert page.run("location.pathname") == "/console/login"
    assert page.run("document.getElementById('token').type") == "password"
    for refused in ("rubbish", toolcrib.workspace["agent"]["key"]):
        page.type("token", refused)
        key(page, "Enter")
        page.until("document.querySelector('[role=alert]')")
        page.until("!document.querySelector('form button').disabled")
        assert page.run("document.querySelector('[role=alert] a').getAttribute('href')").startswith("/docs/errors/")
        nothing_is_kept(page, refused)
    page.type("token", toolcrib.token("owner"))
    key(page, "Enter")
    page.until("!location.pathname.startsWith('/console/login')")
    settled(page)
    assert page.run("location.pathname + location.search") == wanted
    nothing_is_kept(page, toolcrib.token("owner"))
    assert reports(page) == []


def test_the_one_time_link_signs_in_once(browser, toolcrib, linked):
    page, link = linked
    secret = link.split("code=")[1]
    assert page.run("location.pathname") == f"/console/w/{toolcrib.workspace['id']}/inbox"
    nothing_is_kept(page, secret)
    history = page.send("Page.getNavigationHistory")["entries"]
    assert all(secret not in entry["url"] for entry in history), history
    again = browser.open(link)
    again.until("document.querySelector('[role=alert]')")
    assert again.run("location.href") == f"{toolcrib.base}/console/login"
    again.until("document.getElementById('token')")
    nothing_is_kept(again, secret)
    printed = [line for line in toolcrib.lines if secret in line]
    assert len(printed) == 1 and "open http" in printed[0], "the code is in the log"


def test_in_a_demo_one_may_be_somebody_else(browser, toolcrib, linked):
    page, _ = linked
    page.go(f"{toolcrib.base}/console/account")
    page.until("document.body.innerText.includes('Be somebody else')")
    page.run("""[...document.querySelectorAll('.rows li')].find((li) => li.innerText.includes('Viewer of')
        && li.innerText.includes(%s)).querySelector('button').click()""" % json.dumps(toolcrib.workspace["name"]))
    page.until("location.pathname.endsWith('/inbox')")
    settled(page)
    page.go(f"{toolcrib.base}/console/account")
    settled(page)
    assert "Viewer" in page.run("[...document.querySelectorAll('.card')][1].innerText")
    assert toolcrib.workspace["viewer"]["user_id"] in page.text()
    # Whoever came with a token has nobody else to be.
    alone = sign_in(browser, toolcrib, toolcrib.token("owner"), "/console/account")
    assert "Be somebody else" not in alone.text()


def test_after_signing_in_only_own_addresses_are_opened(browser, toolcrib):
    page = browser.open(f"{toolcrib.base}/console/login")
    wanted = {
        "/console/account": "/console/account", "/approve/1?x=1": "/approve/1?x=1", "/console/w/1/inbox?tab=others": "/console/w/1/inbox?tab=others",
        "//evil.example/console/": "/console/", "/console//evil.example": "/console/", "/\\evil.example": "/console/",
        "/console/\\evil": "/console/", "https://evil.example/console/": "/console/", "javascript:alert(1)//console/": "/console/",
        "/console/../v1/me": "/console/", "/console/%2e%2e/v1/me": "/console/", "/approve/../../console/x/../../v1": "/console/",
        "/console/\n//evil": "/console/", "/v1/me": "/console/", "/console/login": "/console/", "": "/console/", "/console": "/console/",
    }
    found = page.run(f"import('{modules(page)}lib/session.js').then((m) => {json.dumps(list(wanted))}.map(m.destination))")
    assert dict(zip(wanted, found)) == wanted


def test_signing_out_here_ends_this_session_alone(browser, toolcrib):
    stays = sign_in(browser, toolcrib, toolcrib.token("member"))
    page = sign_in(browser, toolcrib, toolcrib.token("member"))
    tab_to(page, "Signed in as")
    key(page, "Enter")
    tab_to(page, "Sign out")
    key(page, "Enter")
    page.until("location.pathname === '/console/login'")
    page.go(f"{toolcrib.base}/console/")
    page.until("document.getElementById('token')")
    stays.go(f"{toolcrib.base}/console/account")
    settled(stays)
    assert "Sign out everywhere" in stays.text()


def test_signing_out_everywhere_ends_all(browser, toolcrib):
    elsewhere = sign_in(browser, toolcrib, toolcrib.token("admin"))
    page = sign_in(browser, toolcrib, toolcrib.token("admin"), "/console/account")
    page.run("[...document.querySelectorAll('button')].find((b) => b.innerText === 'Sign out everywhere').click()")
    page.until("location.pathname === '/console/login'")
    asked = len(elsewhere.asked_for())
    elsewhere.run("document.querySelector('.head button').click()")
    one_notice(elsewhere)
    # The two lists of what waits were asked for, and nothing again.
    assert len(elsewhere.asked_for()) - asked <= 2 + len(page.asked_for())
    elsewhere.run("document.querySelector('main a').click()")
    elsewhere.until("document.getElementById('token')")


def one_notice(page):
    page.until("document.querySelector('h1')?.innerText === 'You are signed out'")
    assert page.run("document.querySelectorAll('h1').length") == 1
    assert page.run("document.querySelectorAll('.confirmation, .badge, .side').length") == 0, "data stay in the page"
    assert page.run("document.activeElement.localName") == "h1"


def test_every_tab_notices_the_end(browser, toolcrib):
    first = sign_in(browser, toolcrib, toolcrib.token("editor"))
    second = Page(browser, f"{toolcrib.base}/console/account", first.context)
    settled(second)
    first.send("Network.clearBrowserCookies")
    first.run("document.querySelector('.head button').click()")
    one_notice(first)
    one_notice(second)


def test_the_refused_session_is_not_asked_with_again(browser, toolcrib):
    page = sign_in(browser, toolcrib, toolcrib.token("editor"))
    page.send("Network.clearBrowserCookies")
    browser.events.clear()
    page.run("document.querySelector('.head button').click()")
    one_notice(page)
    asked = [url for url in page.asked_for() if "/v1/" in url]
    # Two lists and the stream may have been under way.
    assert len(asked) == len(set(asked)) <= 3, asked
