"""`/approve/{id}` in a real browser: signing in and coming back, the card, and what others wrote shown as text."""
import pytest
from cards import card, part, press, says, write
from console import HIDDEN, LAPTOP, NARROW, accessible_everywhere, key, reports, sideways, size, tab_to

HOSTILE = {
    "title": 'Ship <b id="pwn">it</b>\u202e"\'',
    "description": '</pre><script>window.pwned = 1</script><img src=x onerror="window.pwned = 1"> \u2066\u200b\u0007\u009b{{7*7}} ${window.pwned = 1}',
    "tags": ["<svg onload=window.pwned=1>", "a\u2028javascript:window.pwned=1"],
}


def opened(browser, toolcrib, confirmation, who="owner"):
    """The page after a person signed in by it."""
    page = browser.open(f"{toolcrib.base}/approve/{confirmation}")
    return signed(page, toolcrib.token(who))


def signed(page, token):
    page.until("document.querySelector('main a[href^=\"/console/login\"]')")
    page.run("document.querySelector('main a[href^=\"/console/login\"]').click()")
    page.until("document.getElementById('token')")
    page.type("token", token)
    page.run("document.querySelector('form button').click()")
    page.until("location.pathname.startsWith('/approve/')")
    page.until("document.querySelector('main h1') && !document.querySelector('main').innerText.includes('One moment')")
    return page


def unharmed(page, toolcrib):
    """No argument ran as code, nothing was loaded from other hosts, and the token is nowhere in the page."""
    assert page.run("window.pwned") is None
    assert page.run("document.querySelectorAll('main img, main svg, main script, #pwn').length") == 0
    assert not any(c in page.text() for c in HIDDEN)
    assert reports(page) == []
    kept = page.run("[localStorage.length, sessionStorage.length, document.cookie, document.documentElement.outerHTML, "
                    "[...document.querySelectorAll('input')].map((i) => i.value).join(' ')]")
    assert kept[:3] == [0, 0, ""]
    for who in ("owner", "admin", "editor"):
        assert toolcrib.token(who) not in kept[3] + kept[4]


def test_hostile_arguments_are_shown_and_not_run(browser, toolcrib):
    confirmation = toolcrib.asked("create_task", HOSTILE)
    page = opened(browser, toolcrib, confirmation["id"])
    page.until("document.querySelector('main details')")
    page.run("document.querySelector('main details').open = true")
    text = page.text()
    for shown in ('Ship <b id="pwn">it</b>\\u{202e}', "</pre><script>window.pwned = 1</script>", "<img src=x onerror=", "\\u{2066}\\u{200b}",
                  "\\u0007", "\\u{9b}", "<svg onload=window.pwned=1>", "\\u{2028}javascript:", "${window.pwned = 1}"):
        assert shown in text, (shown, text)
    for screen in (LAPTOP, NARROW):
        size(page, screen)
        assert sideways(page) == 0
    unharmed(page, toolcrib)
    press(page, "Ship", "deny-button")
    key(page, "Enter")
    says(page, "Ship", "It was denied")
    assert toolcrib.look(confirmation["id"])["status"] == "denied"
    unharmed(page, toolcrib)


def test_a_simple_one_takes_one_step(browser, toolcrib):
    confirmation = toolcrib.asked("create_task", {"title": "Count <em>boxes</em>", "description": "As it says"})
    page = opened(browser, toolcrib, confirmation["id"], "editor")
    page.until(card("Count"))
    assert not page.run(f"Boolean({part('Count', 'always-allow-checkbox')})"), "there is no conversation to remember it for"
    press(page, "Count")
    says(page, "Count", "It ran.")
    page.run("[...document.querySelectorAll('details')].at(-1).open = true")
    assert '"title": "Count <em>boxes</em>"' in page.text() and "You may close this page" in page.text()
    view = toolcrib.look(confirmation["id"])
    assert (view["status"], view["decided_by"]) == ("executed", toolcrib.workspace["editor"]["user_id"])
    unharmed(page, toolcrib)
    # A person who comes later sees the decision, and has nothing to press.
    late = opened(browser, toolcrib, confirmation["id"])
    says(late, "Count", "It ran.")
    assert "This call waits no longer" in late.text()
    assert late.run("document.querySelectorAll('main button').length") == 0


def test_it_may_count_for_the_conversation(browser, toolcrib):
    confirmation = toolcrib.asked("create_task", {"title": "Once and always", "description": "As it says"}, **{"X-Session-Id": "talk-2"})
    page = opened(browser, toolcrib, confirmation["id"], "editor")
    says(page, "Once and always", "Do not ask again")
    page.run(f"{part('Once and always', 'always-allow-checkbox')}.click()")
    press(page, "Once and always")
    says(page, "Once and always", "It ran.")
    grants = toolcrib.get("/v1/sessions/talk-2/grants", "editor")["items"]
    assert [grant["action"] for grant in grants] == ["platform_create_task"]


def test_a_typed_one_takes_two(browser, toolcrib):
    confirmation = toolcrib.asked("delete_agent", {"agent": "Invoice Checker"}, "owner")
    page = opened(browser, toolcrib, confirmation["id"])
    page.until(card("Delete agent Invoice Checker"))
    assert page.run("document.querySelector('.warning').textContent") == confirmation["warning"]
    press(page, "Delete agent")
    page.until(part("Delete agent", "confirm-input"))
    assert toolcrib.look(confirmation["id"])["status"] == "awaiting_phrase"
    write(page, "Delete agent", "confirm-input", "Invoice checker")
    assert page.run(f"{part('Delete agent', 'approve-button')}.ariaDisabled") == "true"
    write(page, "Delete agent", "confirm-input", "Invoice Checker")
    press(page, "Delete agent")
    says(page, "Delete agent", "It ran.")
    assert toolcrib.look(confirmation["id"])["status"] == "executed"
    unharmed(page, toolcrib)


def test_a_denial_says_why_by_keyboard(browser, toolcrib):
    confirmation = toolcrib.asked("create_task", {"title": "Buy a boat", "description": "As it says"})
    page = opened(browser, toolcrib, confirmation["id"])
    page.until(card("Buy a boat"))
    tab_to(page, "Deny")
    key(page, "Enter")
    page.until("document.activeElement.dataset.testid === 'reason-input'")
    page.send("Input.insertText", text="we have <b>one</b>")
    key(page, "Enter")
    says(page, "Buy a boat", "nothing ran")
    view = toolcrib.look(confirmation["id"])
    assert (view["status"], view["reason"]) == ("denied", "we have <b>one</b>")
    unharmed(page, toolcrib)


def test_what_others_decide_is_shown(browser, toolcrib):
    confirmation = toolcrib.asked("create_task", {"title": "Decided elsewhere", "description": "As it says"})
    page = opened(browser, toolcrib, confirmation["id"])
    page.until(card("Decided elsewhere"))
    toolcrib.post(f"/v1/confirmations/{confirmation['id']}/deny", {"reason": "on the phone"}, who="editor")
    says(page, "Decided elsewhere", "on the phone")
    assert "This call waits no longer" in page.text()


@pytest.mark.parametrize("who", ["viewer", "stranger"])
def test_whom_it_is_not_for_sees_what_an_unknown_id_shows(browser, toolcrib, who):
    confirmation = toolcrib.asked("create_task", {"title": "Not yours", "description": "As it says"})
    token = toolcrib.stranger if who == "stranger" else toolcrib.token(who)
    page = signed(browser.open(f"{toolcrib.base}/approve/{confirmation['id']}"), token)
    assert page.run("document.querySelector('h1').innerText") == "There is no such confirmation"
    assert "Not yours" not in page.text()
    seen = page.text()
    page.go(f"{toolcrib.base}/approve/0197a000-0000-7000-8000-000000000000")
    page.until("document.querySelector('h1').innerText === 'There is no such confirmation'")
    assert page.text() == seen
    page.go(f"{toolcrib.base}/approve/%3Cscript%3Ewindow.pwned=1%3C%2Fscript%3E")
    page.until("document.querySelector('h1').innerText === 'There is no such confirmation'")
    unharmed(page, toolcrib)


def test_it_is_accessible_in_each_state(browser, toolcrib):
    confirmation = toolcrib.asked("delete_agent", {"agent": "Release Writer"}, "owner")
    page = browser.open(f"{toolcrib.base}/approve/{confirmation['id']}")
    page.until("document.querySelector('main a.primary')")
    states = [lambda: None, lambda: signed(page, toolcrib.token("owner")),
              lambda: press(page, "Delete agent") or page.until(part("Delete agent", "confirm-input")),
              lambda: press(page, "Delete agent", "deny-button") or page.until(part("Delete agent", "reason-input"))]
    for state in states:
        state()
        accessible_everywhere(page)
    assert reports(page) == []
    toolcrib.post(f"/v1/confirmations/{confirmation['id']}/deny", {})


def test_its_policy_holds_in_a_browser(browser, toolcrib):
    """Markup in the page would have no effect."""
    page = browser.open(f"{toolcrib.base}/approve/0197a000-0000-7000-8000-000000000000")
    refused = page.run("""(async () => {
        const out = [];
        const tried = (name, work) => { try { work(); out.push(name); } catch { } };
        tried("innerHTML", () => { document.body.innerHTML = "<img src=x onerror='window.pwned=1'>"; });
        tried("eval", () => (0, eval)("window.pwned = 1"));
        tried("script text", () => { const s = document.createElement("script"); s.textContent = "window.pwned=1"; document.body.append(s); });
        tried("handler", () => { const b = document.createElement("b"); b.setAttribute("onclick", "window.pwned=1"); document.body.append(b); b.click(); });
        await fetch("https://example.com/").then(() => out.push("fetch elsewhere"), () => {});
        return out.concat(window.pwned ? ["pwned"] : []);
    })()""")
    assert set(refused) <= {"handler", "script text"}, refused
    assert page.run("window.pwned") is None
