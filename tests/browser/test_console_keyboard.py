"""The console by keyboard alone, texts that others wrote, and the policy of its pages."""
from console import HIDDEN, LAPTOP, PHONE, SHIFT, focus_is_visible, focused, key, reports, settled, sideways, sign_in, size, tab_to, NARROW

HOSTILE = 'Ship <b id="pwn">it</b>\u202e"\'<script>window.pwned=1</script><img src=x onerror="window.pwned=1">${1}{{1}}'


def test_every_control_is_reached_and_seen(browser, toolcrib):
    toolcrib.asked("create_task", {"title": "By keyboard", "description": "x"}, "owner")
    page = sign_in(browser, toolcrib, toolcrib.token("owner"))
    page.go(f"{toolcrib.base}/console/")
    page.until("document.querySelector('.confirmation')")
    key(page, "Tab")
    assert focused(page) == "a Skip to the page"
    assert page.run("document.activeElement.getBoundingClientRect().top >= 0") and focus_is_visible(page)
    key(page, "Enter")
    assert page.run("document.activeElement.id") == "main"
    page.go(f"{toolcrib.base}/console/")
    page.until("document.querySelector('.confirmation')")
    shown = page.run("[...document.querySelectorAll('a, button')].filter((e) => e.checkVisibility()).length")
    reached = []
    for _ in range(shown):
        key(page, "Tab")
        assert focus_is_visible(page), focused(page)
        reached.append(focused(page))
    assert len(reached) == shown == len(set(reached)), reached
    assert any("By keyboard" in one for one in reached) and any(one.startswith("button Workspace") for one in reached), reached


def test_pages_and_menus_open_by_keyboard(browser, toolcrib):
    page = sign_in(browser, toolcrib, toolcrib.token("owner"))
    tab_to(page, "Signed in as")
    key(page, "Enter")
    page.until("document.querySelector('#person:popover-open')")
    key(page, "Escape")
    page.until("!document.querySelector(':popover-open')")
    assert "Signed in as" in focused(page), "the focus is back where it was"
    key(page, "Enter")
    tab_to(page, "Account")
    key(page, "Enter")
    page.until("document.querySelector('h1').innerText === 'Account'")
    page.until("document.activeElement.localName === 'h1'")
    page.until("document.getElementById('announcer').textContent === 'Account'")
    assert not page.run("Boolean(document.querySelector(':popover-open'))")
    tab_to(page, "Copy the issuer")
    key(page, "Tab", SHIFT)
    assert "Copy the issuer" not in focused(page)
    size(page, PHONE)
    page.run("document.activeElement.blur()")
    tab_to(page, "Pages")
    key(page, "Enter")
    tab_to(page, "Inbox")
    key(page, "Enter")
    page.until("document.querySelector('h1').innerText === 'Inbox'")
    assert not page.run("document.querySelector('.side').checkVisibility()"), "the navigation is folded again"
    # A tab of the inbox is a part of the page: the focus stays on its link.
    tab_to(page, "My calls")
    key(page, "Enter")
    page.until("location.search === '?tab=mine'")
    assert focused(page).startswith("a My calls")


def test_workspaces_are_switched_and_named_as_text(browser, toolcrib):
    """A name that somebody wrote to be run is shown as it is, wherever it stands."""
    made = toolcrib.ask("POST", "/v1/workspaces", {"name": HOSTILE, "owner": {"subject": "owner"}}, who="system_admin", status=201)
    guest = toolcrib.demo["workspaces"][1]["viewer"]["token"]
    toolcrib.ask("POST", "/v1/members", {"subject": "second-viewer", "role": "viewer", "display_name": HOSTILE}, status=201,
                 headers={"X-Workspace-Id": made["id"]})
    toolcrib.asked("create_task", {"title": "Only here", "description": "x"}, "owner")
    page = sign_in(browser, toolcrib, toolcrib.token("owner"))
    page.until("document.querySelector('main').innerText.includes('Only here')")
    tab_to(page, "Workspace")
    key(page, "Enter")
    tab_to(page, "Ship")
    key(page, "Enter")
    page.until(f"location.pathname === '/console/w/{made['id']}/inbox'")
    page.until("document.querySelector('main').innerText.includes('Nothing waits for you')")
    assert page.run("document.querySelector('.side a').getAttribute('href')") == f"/console/w/{made['id']}/inbox"
    assert not page.run("Boolean(document.querySelector('.badge'))")
    other = sign_in(browser, toolcrib, guest, "/console/account")
    hostile = sign_in(browser, toolcrib, toolcrib.token("owner"), "/console/w/%3Cimg%20src=x%20onerror=alert(1)%3E/inbox")
    nothing = sign_in(browser, toolcrib, toolcrib.token("owner"), "/console/%3Cimg%20src=x%3E%E2%80%AE")
    for one in (page, other, hostile, nothing):
        unharmed(one)
    for one in (page, other):
        shown = one.run("[document.title, ...[...document.querySelectorAll('bdi, [aria-label]')].flatMap((e) => "
                        "[e.textContent, e.getAttribute('aria-label')])].join(' ')")
        assert 'Ship <b id="pwn">it</b>\\u{202e}' in shown and "onerror=" in shown, shown
    # Another tab may show another workspace: nothing but the address says which.
    page.go(f"{toolcrib.base}/console/w/{toolcrib.workspace['id']}/inbox")
    settled(page)
    assert toolcrib.workspace["name"] in page.run("document.title")


def test_calls_are_shown_as_text(browser, toolcrib):
    asked = toolcrib.asked("create_task", {"title": HOSTILE, "description": HOSTILE}, "editor", **{"X-Session-Id": "<img src=x onerror=pwned>"})
    page = sign_in(browser, toolcrib, toolcrib.token("editor"))
    page.until("document.querySelector('main').innerText.includes('Ship')")
    text = page.text()
    assert 'Ship <b id="pwn">it</b>\\u{202e}' in text and "Conversation <img src=x onerror=pwned>" in text, text
    unharmed(page)
    toolcrib.post(f"/v1/confirmations/{asked['id']}/deny", {"reason": HOSTILE}, who="editor")
    page.go(page.run("location.href") + "?tab=decided")
    page.until("document.querySelector('main').innerText.includes('denied')")
    assert page.text().count("\\u{202e}") >= 2
    unharmed(page)


def unharmed(page):
    for screen in (LAPTOP, NARROW):
        size(page, screen)
        assert sideways(page) == 0, page.text()
    assert page.run("window.pwned") is None
    assert page.run("document.querySelectorAll('main img, main script, #pwn, bdi *, code *').length") == 0
    assert not any(c in page.text() + page.run("document.title") for c in HIDDEN)
    assert reports(page) == []


def test_the_policy_of_its_pages_holds(browser, toolcrib):
    """Markup in the page would have no effect, and no other page may frame it."""
    for page in (browser.open(f"{toolcrib.base}/console/login"), sign_in(browser, toolcrib, toolcrib.token("viewer"))):
        done = page.run("""(async () => {
            const out = [];
            const tried = (name, work) => { try { work(); out.push(name); } catch { } };
            tried("innerHTML", () => { document.body.innerHTML = "<img src=x onerror='window.pwned=1'>"; });
            tried("eval", () => (0, eval)("window.pwned = 1"));
            tried("policy", () => trustedTypes.createPolicy("default", { createHTML: (t) => t }));
            tried("script text", () => { const s = document.createElement("script"); s.textContent = "window.pwned=1"; document.body.append(s); });
            const b = document.createElement("b");
            tried("handler", () => { b.setAttribute("onclick", "window.pwned=1"); document.body.append(b); b.click(); });
            b.setAttribute("style", "color: rgb(1, 2, 3)");
            if (getComputedStyle(b).color === "rgb(1, 2, 3)") out.push("style");
            await fetch("https://example.com/").then(() => out.push("fetch elsewhere"), () => {});
            return out.concat(window.pwned ? ["pwned"] : []);
        })()""")
        assert set(done) <= {"handler", "script text"}, done
        framed = page.run("""new Promise((done) => { const f = document.createElement("iframe"); f.onload = () => {
            try { done(f.contentDocument?.querySelector("console-app, login-page") ? "framed" : "empty"); } catch { done("refused"); } };
            f.src = "/console/login"; document.body.append(f); setTimeout(() => done("refused"), 3000); })""")
        assert framed != "framed"
