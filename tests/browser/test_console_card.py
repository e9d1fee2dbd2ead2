"""The card of a confirmation: who decides what by keyboard and mouse, what is refused, and what presses do not count."""
import json

import pytest
from cards import CTRL, SHIFT, card, inbox, open_by_keyboard, part, press, ready, says, unfold, write
from conftest import Page
from console import axe, focused, key, reports, settled, sign_in, tab_to

FROZEN = "{ const real = performance.now.bind(performance); let at = null; performance.now = () => at ?? real(); " \
         "globalThis.clock = { stop: () => { at = real(); }, on: (ms) => { at += ms; } }; }"


@pytest.fixture
def page(browser, toolcrib):
    return sign_in(browser, toolcrib, toolcrib.token("owner"), inbox(toolcrib))


def task(toolcrib, title, who="owner", **headers):
    return toolcrib.asked("create_task", {"title": title, "description": "As it says"}, who, **headers)


def status(toolcrib, asked):
    return toolcrib.look(asked["id"])["status"]


def test_a_simple_one_is_approved_by_keyboard(browser, toolcrib, page):
    asked = task(toolcrib, "By keys alone")
    page.until(card("By keys alone"))
    open_by_keyboard(page, "By keys alone")
    assert focused(page).startswith("button Create task By keys alone") or "By keys alone" in focused(page)
    order = []
    while "Approve" not in (order or [""])[-1]:
        key(page, "Tab")
        order.append(focused(page))
        assert len(order) < 8, order
    assert [one.split()[1] for one in order if "button" in one] == ["Edit…", "Deny…", "Approve"], order
    assert order[0].startswith("summary All arguments"), order
    ready(page, "By keys alone")
    key(page, "Enter")
    says(page, "By keys alone", "It ran.")
    view = toolcrib.look(asked["id"])
    assert (view["status"], view["decided_by"]) == ("executed", toolcrib.workspace["owner"]["user_id"])
    rows = toolcrib.get("/v1/audit", confirmation_id=asked["id"])["items"]
    decided = next(row for row in rows if row["kind"] == "confirmation" and row["decision"] == "approved")
    assert decided["surface"] == "console"
    text = page.run(f"{card('By keys alone')}.innerText")
    assert "Approved by you" in text and "executed" in text
    # The button that was pressed is gone: the focus is on the heading, and no button decides any more.
    assert page.run("document.activeElement.getAttribute('role')") == "heading"
    assert not page.run(f"Boolean({part('By keys alone', 'approve-button')})")
    page.until("document.getElementById('announcer').textContent.includes('executed')")


def test_a_denial_says_why(browser, toolcrib, page):
    asked = task(toolcrib, "Buy a kayak")
    page.until(card("Buy a kayak"))
    open_by_keyboard(page, "Buy a kayak")
    tab_to(page, "Deny")
    key(page, "Enter")
    page.until("document.activeElement.dataset.testid === 'reason-input'")
    page.send("Input.insertText", text="we have <b>one</b>")
    # Here this key sends a form, which would be the denial: it approves nothing and denies nothing.
    key(page, "Enter", CTRL)
    assert status(toolcrib, asked) == "pending"
    key(page, "Enter")
    says(page, "Buy a kayak", "It was denied")
    view = toolcrib.look(asked["id"])
    assert (view["status"], view["reason"]) == ("denied", "we have <b>one</b>")
    assert "“we have <b>one</b>”" in page.run(f"{card('Buy a kayak')}.innerText")


def test_shortcuts_count_inside_of_the_card_alone(browser, toolcrib, page):
    one, other = task(toolcrib, "Short way"), task(toolcrib, "No way")
    for text in ("Short way", "No way"):
        page.until(card(text))
        unfold(page, text)
    page.run("document.querySelector('main').focus()")
    ready(page, "Short way")
    key(page, "Enter", CTRL)
    for letter in "ady":
        page.send("Input.insertText", text=letter)
    assert status(toolcrib, one) == status(toolcrib, other) == "pending"
    page.run(f"{card('Short way')}.querySelector('.unfold').focus()")
    ready(page, "Short way")
    key(page, "Enter", CTRL)
    says(page, "Short way", "It ran.")
    page.run(f"{card('No way')}.querySelector('.unfold').focus()")
    key(page, "Enter", CTRL | SHIFT)
    says(page, "No way", "It was denied")
    assert (status(toolcrib, one), status(toolcrib, other)) == ("executed", "denied")


def test_a_typed_one_takes_two_steps(browser, toolcrib, page):
    asked = toolcrib.asked("delete_agent", {"agent": "Researcher"}, "owner")
    page.until(card("Researcher"))
    open_by_keyboard(page, "Researcher")
    assert page.run(f"{card('Researcher')}.querySelector('.warning').innerText") == asked["warning"]
    tab_to(page, "Continue")
    ready(page, "Researcher")
    key(page, "Enter")
    page.until("document.activeElement.dataset.testid === 'confirm-input'")
    assert status(toolcrib, asked) == "awaiting_phrase"
    assert page.run(f"{card('Researcher')}.querySelector('details').open"), "the arguments as they will run"
    assert "Type Researcher to go on" in page.run(f"{card('Researcher')}.innerText")
    # A space too many costs no attempt: the button is enabled once the phrase is there.
    enabled = f"{part('Researcher', 'approve-button')}.ariaDisabled === 'false'"
    page.send("Input.insertText", text="Researcher ")
    key(page, "Enter")
    assert not page.run(enabled) and page.run("document.activeElement.dataset.testid") == "confirm-input"
    assert len(toolcrib.look(asked["id"])["history"]) == 2
    write(page, "Researcher", "confirm-input", "Researcher")
    page.until(enabled)
    key(page, "Enter")
    says(page, "Researcher", "It ran.")
    assert status(toolcrib, asked) == "executed"


def test_the_fifth_wrong_phrase_voids_it(browser, toolcrib, page):
    asked = toolcrib.asked("delete_agent", {"agent": "Release Writer"}, "owner")
    unfold(page, "Release Writer")
    press(page, "Release Writer")
    page.until(part("Release Writer", "confirm-input"))
    # The console sends no wrong one; another program may.
    for _ in range(5):
        toolcrib.post(f"/v1/confirmations/{asked['id']}/approve", {"phrase": "platform_delete_agent"}, 422)
    says(page, "Release Writer", "It no longer applies")
    assert status(toolcrib, asked) == "void"


def test_it_may_count_for_the_conversation(browser, toolcrib, page):
    task(toolcrib, "Once and always", "owner", **{"X-Session-Id": "talk-card"})
    task(toolcrib, "Only once", "owner")
    unfold(page, "Only once")
    assert not page.run(f"Boolean({part('Only once', 'always-allow-checkbox')})"), "there is no conversation"
    unfold(page, "Once and always")
    text = page.run(f"{card('Once and always')}.innerText")
    assert "Do not ask again for create task in this conversation" in text and "eight hours" in text
    assert page.run(f"{card('Once and always')}.querySelector('a[href$=\"/inbox/grants\"]').innerText") == "Revoke it here"
    page.run(f"{part('Once and always', 'always-allow-checkbox')}.click()")
    press(page, "Once and always")
    says(page, "Once and always", "It ran.")
    grants = toolcrib.get("/v1/sessions/talk-card/grants")["items"]
    assert [grant["action"] for grant in grants] == ["platform_create_task"]


def test_presses_before_600_ms_in_view_decide_nothing(browser, toolcrib, page):
    asked = task(toolcrib, "Too early")
    page.send("Page.addScriptToEvaluateOnNewDocument", source=FROZEN)
    page.go(f"{toolcrib.base}{inbox(toolcrib)}")
    page.until(card("Too early"))
    page.run("clock.stop()")
    unfold(page, "Too early")
    page.until(f"{part('Too early', 'approve-button')}.closest('toolcrib-confirmation').guard.since !== null")
    for passed in (0, 599):
        page.run(f"clock.on({passed})")
        press(page, "Too early", wait=False)
        page.run(f"{part('Too early', 'approve-button')}.focus()")
        key(page, "Enter")
        key(page, "Enter", CTRL)
        assert page.run(f"{card('Too early')}.getAttribute('aria-busy')") == "false"
        assert status(toolcrib, asked) == "pending"
    page.run("clock.on(1)")
    press(page, "Too early", wait=False)
    says(page, "Too early", "It ran.")


def test_presses_in_a_window_without_focus_decide_nothing(browser, toolcrib, page):
    asked = task(toolcrib, "Elsewhere")
    unfold(page, "Elsewhere")
    ready(page, "Elsewhere")
    page.run("document.hasFocus = () => false")
    press(page, "Elsewhere", wait=False)
    assert page.run(f"{card('Elsewhere')}.getAttribute('aria-busy')") == "false"
    # The click that gives the focus to the window is not one that approves.
    page.run("delete document.hasFocus; dispatchEvent(new Event('focus'))")
    press(page, "Elsewhere", wait=False)
    assert status(toolcrib, asked) == "pending"
    press(page, "Elsewhere")
    says(page, "Elsewhere", "It ran.")


def test_a_key_that_is_held_down_decides_nothing(browser, toolcrib, page):
    asked = task(toolcrib, "Held down")
    unfold(page, "Held down")
    ready(page, "Held down")
    page.run(f"{part('Held down', 'approve-button')}.focus()")
    for modifiers in (0, CTRL, CTRL | SHIFT):
        page.send("Input.dispatchKeyEvent", type="keyDown", key="Enter", code="Enter", windowsVirtualKeyCode=13, text="\r",
                  modifiers=modifiers, autoRepeat=True)
    assert page.run(f"{card('Held down')}.getAttribute('aria-busy')") == "false"
    assert status(toolcrib, asked) == "pending"
    key(page, "Enter")
    says(page, "Held down", "It ran.")


def test_of_two_who_decide_one_wins(browser, toolcrib, page):
    asked = task(toolcrib, "Two at once", "editor")
    other = sign_in(browser, toolcrib, toolcrib.token("editor"), inbox(toolcrib))
    page.go(f"{toolcrib.base}{inbox(toolcrib)}")
    for one in (page, other):
        unfold(one, "Two at once")
        ready(one, "Two at once")
    # The first browser does not hear of the second's decision before it sends its own.
    page.run("document.querySelector('console-app').state.hub.stop()")
    press(other, "Two at once")
    says(other, "Two at once", "It ran.")
    press(page, "Two at once")
    says(page, "Two at once", "It ran.")
    text = page.run(f"{card('Two at once')}.innerText")
    assert "Approved by" in text and "by you" not in text, text
    assert toolcrib.look(asked["id"])["decided_by"] == toolcrib.workspace["editor"]["user_id"]
    page.go(f"{toolcrib.base}{inbox(toolcrib, '/' + asked['id'])}")
    settled(page)
    says(page, "Two at once", "It ran.")
    assert not page.run(f"Boolean({part('Two at once', 'approve-button')})")


@pytest.mark.parametrize("sent", [True, False])
def test_without_an_answer_it_asks_again(browser, toolcrib, page, sent):
    text = f"Lost {sent}"
    asked = task(toolcrib, text)
    unfold(page, text)
    ready(page, text)
    page.run("""{ const real = fetch; let lost = 3; globalThis.fetch = async (path, init) => {
        if (!String(path).includes('%s') || lost-- <= 0) return real(path, init);
        if (init.method === 'POST' && %s) await real(path, init);
        throw new TypeError('no network'); }; }""" % (asked["id"], json.dumps(sent)))
    # An event may bring the end before this is read, so that each text that was shown is kept.
    page.run("globalThis.shown = []; new MutationObserver(() => shown.push(document.body.innerText))"
             ".observe(document.body, { subtree: true, childList: true, characterData: true })")
    press(page, text)
    page.until("shown.some((text) => text.includes('The result is not known'))")
    if sent:
        says(page, text, "It ran.")
    else:
        says(page, text, "It still waits")
        ready(page, text)
    assert status(toolcrib, asked) == ("executed" if sent else "pending")


VIEWS = {
    "unknown status": ({"status": "paused_for_review"}, "paused_for_review"),
    "running": ({"status": "running"}, "running"),
    "not allowed": ({"can_decide": {"allowed": False, "reason": "another person must decide this"}}, "Another person must decide this."),
    "time is over": ({"expires_at": "2020-01-01T00:00:00Z"}, "The time is over"),
    "failed": ({"status": "failed", "result": {"detail": "the agent `X` is gone"}}, "The agent X is gone."),
    "superseded": ({"status": "superseded"}, "Another call took its place"),
}


@pytest.mark.parametrize("name", VIEWS)
def test_what_cannot_be_decided_has_no_buttons(browser, toolcrib, page, name):
    changes, said = VIEWS[name]
    view = toolcrib.look(task(toolcrib, f"View {name}")["id"])
    page.run("import(document.querySelector('script[type=module]').src.replace('app.js', 'elements/confirmation.js'))")
    page.run(f"""{{ const card = document.createElement('toolcrib-confirmation'); card.confirmation = {json.dumps(view | changes)};
        card.service = {{ call: async () => card.confirmation }}; document.querySelector('main > inbox-page').replaceChildren(
        document.querySelector('h1'), card); }}""")
    says(page, f"View {name}", said)
    shown = page.run("[...document.querySelectorAll('main button, main [data-testid]')].map((e) => e.dataset.testid)")
    assert shown == ["permission-dialog"]
    assert axe(page) == []


def test_repaired_and_hidden_text_is_seen(browser, toolcrib, page):
    view = toolcrib.look(task(toolcrib, "Mended")["id"])
    view |= {"repaired": ["/tags/1"], "arguments": {"tags": ["a\u202e", "<img src=x onerror=alert(1)>"], "n": {"x": 1}}}
    page.run("import(document.querySelector('script[type=module]').src.replace('app.js', 'elements/confirmation.js'))")
    page.run(f"""{{ const card = document.createElement('toolcrib-confirmation'); card.confirmation = {json.dumps(view)};
        document.querySelector('main').replaceChildren(card); }}""")
    says(page, "Mended", "/tags/1")
    page.run("document.querySelector('main details').open = true")
    lines = page.run("document.querySelector('.json').innerText").splitlines()
    assert [line.strip() for line in lines] == ["{", '"tags": [', '"a\\u{202e}",',
                                                '"<img src=x onerror=alert(1)>" read differently from what the model wrote',
                                                "],", '"n": {', '"x": 1', "}", "}"]
    assert reports(page) == []


def test_what_was_repaired_in_a_models_call_is_seen(browser, toolcrib, page):
    given = {"title": "Read otherwise", "description": "x", "tags": '["a", "b"]'}
    call = {"id": "c1", "type": "function", "function": {"name": "platform_create_task", "arguments": json.dumps(given)}}
    asked = toolcrib.post("/v1/tools/calls", {"tool_calls": [call]})["results"][0]["confirmation"]
    assert toolcrib.look(asked["id"])["repaired"] == ["/tags"]
    unfold(page, "Read otherwise")
    says(page, "Read otherwise", "The model's call had mistakes of form, which were repaired: /tags")
    page.run(f"{card('Read otherwise')}.querySelector('details').open = true")
    lines = page.run(f"{card('Read otherwise')}.querySelector('.json').innerText").splitlines()
    assert [line for line in lines if "read differently from what the model wrote" in line]


def test_a_second_tab_shows_the_same(browser, toolcrib, page):
    task(toolcrib, "In both tabs")
    second = Page(browser, f"{toolcrib.base}{inbox(toolcrib)}", page.context)
    for tab in (page, second):
        unfold(tab, "In both tabs")
    press(second, "In both tabs")
    for tab in (second, page):
        says(tab, "In both tabs", "It ran.")
