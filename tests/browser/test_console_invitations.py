"""Invitations in the console: made, listed and revoked on one page, and accepted through a real provider."""
import json

import pytest
from console import LAPTOP, accessible_everywhere, choose, click, controls_are_reached, main_text, open_page, settled, size
from oidc import Served, accept, sign_in


@pytest.fixture(scope="module")
def served():
    running = Served()
    yield running
    running.close()


def people(browser, served, who="alma"):
    """The page of the members, as a person sees it who has signed in."""
    page = browser.open(f"{served.base}/console/w/{served.workspace}/people")
    sign_in(page, served, who)
    page.until("document.querySelector('main .rows')")
    return page


def invite(page, role, email=""):
    """Makes an invitation. Returns its link, which the page shows once."""
    choose(page, "email", email)
    choose(page, "role", role, "#invite")
    click(page, "Invite")
    page.until("document.querySelector('secret-once code')")
    link = page.run("document.querySelector('secret-once code').innerText.trim()")
    click(page, "I sent it")
    page.until("!document.querySelector('secret-once code')")
    settled(page)
    return link


def rows(page):
    return page.run("[...document.querySelectorAll('main .rows > li')].map((e) => e.innerText.replaceAll('\\n', ' '))")


def called(page, served, path):
    asked = {"headers": {"X-Workspace-Id": served.workspace}}
    return page.run(f"fetch({json.dumps(path)}, {json.dumps(asked)}).then((answer) => answer.json())")


def test_who_is_invited_becomes_a_member(browser, served):
    owner = people(browser, served)
    link = invite(owner, "editor", "Bob@example.com")
    assert link.startswith(f"{served.base}/console/login#invitation=tci_")
    code = link.split("=")[1]
    [row] = [row for row in rows(owner) if "Bob@example.com" in row]
    assert "Invited" in row and "Editor" in row and "alma by name" in row, row

    # Another person does not get in with the link, and does not use it up.
    mallory = accept(browser, served, link, "mallory")
    mallory.until("document.querySelector('[role=alert]')")
    assert "another e-mail address" in main_text(mallory)
    assert mallory.run("fetch('/console/session').then((a) => a.json())")["signed_in"] is False

    page = browser.open(link)
    page.until("document.querySelector('#accept:enabled')")
    assert page.run("location.href") == f"{served.base}/console/login", "the code leaves the address"
    page = accept(browser, served, link, "bob")
    page.until(f"location.pathname === '/console/w/{served.workspace}/inbox'")
    settled(page)
    asked = [url for url in page.asked_for() if code in url.split("#")[0]]
    assert asked == [], "no request has the code in its address"
    [member] = [one for one in called(page, served, "/v1/members?limit=100")["items"] if one["subject"] == "bob"]
    assert (member["role"], member["display_name"]) == ("editor", "bob by name")
    assert code.rsplit("_", 1)[1] not in served.log.read_text()

    again = accept(browser, served, link, "carol")
    again.until("document.querySelector('[role=alert]')")
    assert "was used, has ended, or was withdrawn" in main_text(again)
    owner.go(owner.run("location.href"))
    owner.until("document.querySelector('main .rows')")
    texts = rows(owner)
    assert any("bob by name" in text for text in texts) and not any("Invited" in text for text in texts), texts


def test_an_invitation_is_revoked(browser, served):
    owner = people(browser, served)
    link = invite(owner, "viewer")
    click(owner, "Revoke…")
    click(owner, "Revoke for good")
    owner.until("document.querySelector('main').innerText.includes('The invitation is revoked.')")
    owner.until("document.querySelector('main .rows')")
    assert not any("Invited" in text for text in rows(owner))
    page = accept(browser, served, link, "dora")
    page.until("document.querySelector('[role=alert]')")
    assert "was used, has ended, or was withdrawn" in main_text(page)


def test_a_wrong_address_is_told_beside_its_field(browser, served):
    owner = people(browser, served)
    choose(owner, "email", "nobody")
    click(owner, "Invite")
    owner.until("document.querySelector('#invite [aria-invalid]')")
    assert "e-mail address" in owner.run("document.querySelector('#invite .field-error').innerText")
    assert owner.run("document.querySelector('#invite [name=email]').value") == "nobody"


def test_the_pages_are_accessible(browser, served):
    owner = people(browser, served)
    link = invite(owner, "viewer")
    accessible_everywhere(owner)
    size(owner, LAPTOP)
    owner.go(owner.run("location.href"))
    owner.until("document.querySelector('main .rows')")
    controls_are_reached(owner)
    page = browser.open(link)
    page.until("document.querySelector('#accept:enabled')")
    accessible_everywhere(page)


def test_the_operator_invites_the_first_owner(browser):
    running = Served("userinfo", owner=None)
    try:
        made = running.command("invite", "--workspace", running.workspace, "--email", "ann@example.com")
        late = running.command("invite", "--workspace", running.workspace)
        unverified = running.command("invite", "--workspace", running.workspace, "--email", "new-ann@example.com")
        page = accept(browser, running, unverified["url"], "new-ann")
        page.until("document.querySelector('[role=alert]')")
        assert "another e-mail address" in main_text(page), "the provider has not verified it"
        page = accept(browser, running, made["url"], "ann")
        page.until(f"location.pathname === '/console/w/{running.workspace}/inbox'")
        [member] = called(page, running, "/v1/members")["items"]
        assert (member["subject"], member["role"], member["issuer"]) == ("ann", "owner", running.issuer)
        page = accept(browser, running, late["url"], "eve")
        page.until("document.querySelector('[role=alert]')")
        assert "was used, has ended, or was withdrawn" in main_text(page)
    finally:
        running.close()


def test_without_a_provider_the_page_says_that_nobody_could_use_one(browser, toolcrib):
    page = open_page(browser, toolcrib, "people", shown="document.querySelector('#invite form')")
    click(page, "Invite")
    page.until("document.querySelector('#invite [role=alert]')")
    assert "console_client_id" in page.run("document.querySelector('#invite').innerText")
    viewer = open_page(browser, toolcrib, "people", "viewer", shown="document.querySelector('main .rows')")
    assert not viewer.run("Boolean(document.querySelector('#invite'))")
