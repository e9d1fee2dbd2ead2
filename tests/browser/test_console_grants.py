"""Grants of conversations: where they are listed, and how they are revoked."""
from cards import card, inbox, part, press, says, unfold
from console import axe, key, reports, settled, sign_in, tab_to


def test_a_grant_is_given_listed_and_revoked(browser, toolcrib):
    talk = {"X-Session-Id": "talk <grant>"}
    for left in toolcrib.get("/v1/grants", "editor")["items"]:
        toolcrib.ask("DELETE", f"/v1/sessions/{left['session']}/grants/{left['id']}", who="editor")
    toolcrib.asked("create_task", {"title": "Allowed from now on", "description": "x"}, "agent", **talk)
    page = sign_in(browser, toolcrib, toolcrib.token("editor"), inbox(toolcrib))
    unfold(page, "Allowed from now on")
    page.run(f"{part('Allowed from now on', 'always-allow-checkbox')}.click()")
    press(page, "Allowed from now on")
    says(page, "Allowed from now on", "It ran.")
    page.run("[...document.querySelectorAll('.head a')].find((a) => a.innerText === 'Grants').click()")
    page.until("document.querySelector('.rows')?.innerText.includes('talk <grant>')")
    settled(page)
    row = page.run("document.querySelector('.rows li').innerText")
    [grant] = toolcrib.get("/v1/grants", "editor", session="talk <grant>")["items"]
    assert "create task" in row and grant["principal_name"] in row and "given by you" in row, row
    assert axe(page) == []
    assert toolcrib.post("/v1/actions/platform_create_task", {"title": "Not asked for", "description": "x"}, 200, "agent", talk)["ok"]
    tab_to(page, "Revoke create task in the conversation talk <grant>")
    key(page, "Enter")
    page.until("document.querySelector('main').innerText.includes('No grant is in force.')")
    assert page.run("document.activeElement.localName") == "h1"
    assert toolcrib.get("/v1/grants", "editor")["items"] == []
    toolcrib.asked("create_task", {"title": "Asked again", "description": "x"}, "agent", **talk)
    assert reports(page) == []


def test_who_may_not_decide_sees_why(browser, toolcrib):
    toolcrib.ask("PATCH", "/v1/settings", {"four_eyes": True})
    try:
        asked = toolcrib.asked("create_task", {"title": "Not by myself", "description": "x"}, "editor")
        page = sign_in(browser, toolcrib, toolcrib.token("editor"), inbox(toolcrib, "?tab=mine"))
        unfold(page, "Not by myself")
        reason = toolcrib.look(asked["id"], "editor")["can_decide"]["reason"]
        says(page, "Not by myself", "You can't decide this.")
        shown = page.run(f"{card('Not by myself')}.innerText")
        assert reason and reason[1:] in shown, (reason, shown)
        assert not page.run(f"Boolean({part('Not by myself', 'approve-button')} ?? {part('Not by myself', 'deny-button')})")
        other = sign_in(browser, toolcrib, toolcrib.token("owner"), inbox(toolcrib))
        unfold(other, "Not by myself")
        press(other, "Not by myself")
        says(other, "Not by myself", "It ran.")
        says(page, "Not by myself", "Approved by Demo owner")
    finally:
        toolcrib.ask("PATCH", "/v1/settings", {"four_eyes": False})
