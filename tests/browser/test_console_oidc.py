"""Signing in to the console through a real provider of OpenID Connect."""
import pytest
from oidc import Served, sign_in, sign_in_at_provider


@pytest.fixture(scope="module")
def served():
    running = Served()
    yield running
    running.close()


def test_the_provider_signs_in_and_the_browser_comes_back(browser, served):
    wanted = f"/console/w/{served.workspace}/inbox?tab=decided"
    page = browser.open(served.base + wanted)
    sign_in(page, served, "alma")
    assert page.run("location.pathname + location.search") == wanted
    session = page.run("fetch('/console/session').then((answer) => answer.json())")
    assert session["user"]["issuer"] == served.issuer
    assert (session["user"]["subject"], session["user"]["name"]) == ("alma", "alma by name")
    assert page.run("document.cookie") == "", "scripts see no cookie"
    assert page.run("localStorage.length + sessionStorage.length") == 0


def test_somebody_whom_no_workspace_knows_sees_what_an_admin_needs(browser, served):
    page = browser.open(f"{served.base}/console/")
    sign_in(page, served, "zoe")
    page.until("document.body.innerText.includes('No workspace has you as a member')")
    text = page.text()
    assert served.issuer in text and "zoe" in text


def test_a_refusal_of_the_provider_is_told(browser, served):
    page = browser.open(f"{served.base}/console/login/done?error=access_denied&state=x")
    page.until("document.querySelector('[role=alert]')")
    assert page.run("location.pathname") == "/console/login"
    assert "The sign-in was not finished." in page.text()


@pytest.mark.parametrize("flag, value, setting", [
    ("--console-client-secret", "another-0123456789-another", "console_client_secret"),
    ("--console-client-id", "nobody", "console_client_id"),
    ("--public-url", "http://127.0.0.1:9", "public_url"),
])
def test_a_wrong_setting_is_named(browser, flag, value, setting):
    running = Served(changed={flag: value})
    try:
        page = browser.open(f"{running.base}/console/login")
        page.until("document.querySelector('a[href^=\"/console/login/start\"]')")
        if flag == "--public-url":
            # The provider would send the browser there.
            assert value in page.run("document.querySelector('#elsewhere').innerText")
        page.run("document.querySelector('a[href^=\"/console/login/start\"]').click()")
        if flag == "--console-client-secret":
            sign_in_at_provider(page, running.issuer, "alma")
        page.until("document.querySelector('[role=alert]')")
        assert setting in page.run("document.querySelector('[role=alert]').innerText")
        assert value not in running.log.read_text() or setting != "console_client_secret", "no secret is logged"
    finally:
        running.close()
