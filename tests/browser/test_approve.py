"""`/approve/{id}` in a real browser: it shows the call as text, approves in both steps, denies, and runs
nothing else."""
HOSTILE = {
    "title": 'Ship <b id="pwn">it</b>\u202e"\'',
    "description": '</pre><script>window.pwned = 1</script><img src=x onerror="window.pwned = 1"> \u2066\u200b\u0007\u009b{{7*7}} ${window.pwned = 1}',
    "tags": ["<svg onload=window.pwned=1>", "a\u2028javascript:window.pwned=1"],
}
# A person must see none of these characters: they hide text or change its direction.
HIDDEN = "\u202e\u2066\u200b\u0007\u009b\u2028"


def signed(browser, toolcrib, confirmation, who="owner"):
    page = browser.open(f"{toolcrib.base}/approve/{confirmation['id']}")
    page.type("token", toolcrib.token(who))
    page.press("show")
    page.until("!document.getElementById('asked').hidden")
    return page


def unharmed(page, toolcrib):
    """No argument ran as code, nothing was loaded from other hosts, and the token is nowhere in the page."""
    assert page.run("window.pwned") is None
    assert page.run("document.querySelectorAll('main img, main svg, main script, #pwn').length") == 0
    assert not any(c in page.text() for c in HIDDEN)
    assert all(url.startswith(toolcrib.base + "/") for url in page.asked_for()), page.asked_for()
    assert page.complaints() == []
    kept = page.run("[localStorage.length, sessionStorage.length, document.cookie, document.documentElement.outerHTML, "
                    "[...document.querySelectorAll('input')].map((i) => i.value).join(' ')]")
    assert kept[:3] == [0, 0, ""]
    for who in ("owner", "admin", "editor"):
        assert toolcrib.token(who) not in kept[3] + kept[4]


def test_hostile_arguments_are_shown_and_not_run(browser, toolcrib):
    confirmation = toolcrib.asked("create_task", HOSTILE)
    page = signed(browser, toolcrib, confirmation)
    page.run("document.getElementById('all').open = true")
    text = page.text()
    for shown in ('Ship <b id="pwn">it</b>\\u{202e}', "</pre><script>window.pwned = 1</script>", "<img src=x onerror=", "\\u{2066}\\u{200b}",
                  "\\u0007", "\\u{9b}", "<svg onload=window.pwned=1>", "\\u{2028}javascript:", "${window.pwned = 1}"):
        assert shown in text, (shown, text)
    assert "Asked by user" in text
    unharmed(page, toolcrib)
    page.press("deny")
    page.until("!document.getElementById('ended').hidden")
    assert toolcrib.look(confirmation["id"])["status"] == "denied"
    unharmed(page, toolcrib)


def test_a_simple_one_takes_one_step(browser, toolcrib):
    confirmation = toolcrib.asked("create_task", {"title": "Count <em>boxes</em>", "description": "As it says"})
    page = signed(browser, toolcrib, confirmation, "editor")
    assert page.run("document.getElementById('remembering').hidden"), "there is no conversation to remember it for"
    page.press("approve")
    page.until("!document.getElementById('ended').hidden")
    assert "It ran:" in page.text() and '"title": "Count <em>boxes</em>"' in page.text()
    view = toolcrib.look(confirmation["id"])
    assert (view["status"], view["decided_by"]) == ("executed", toolcrib.workspace["editor"]["user_id"])
    unharmed(page, toolcrib)
    # A person who comes later sees the decision, and has nothing to press.
    late = signed(browser, toolcrib, confirmation)
    assert "It is decided: executed." in late.text()
    assert late.run("document.getElementById('decide').hidden && document.getElementById('refuse').hidden")


def test_it_may_count_for_the_conversation(browser, toolcrib):
    confirmation = toolcrib.asked("create_task", {"title": "Once and always", "description": "As it says"}, **{"X-Session-Id": "talk-2"})
    page = signed(browser, toolcrib, confirmation, "editor")
    assert "Do not ask again" in page.text()
    page.run("document.getElementById('remember').click()")
    page.press("approve")
    page.until("!document.getElementById('ended').hidden")
    grants = toolcrib.get("/v1/sessions/talk-2/grants", "editor")["items"]
    assert [grant["action"] for grant in grants] == ["platform_create_task"]


def test_a_typed_one_takes_two(browser, toolcrib):
    confirmation = toolcrib.asked("delete_agent", {"agent": "Invoice Checker"}, "owner")
    page = signed(browser, toolcrib, confirmation)
    assert "Delete agent `Invoice Checker`" in page.text()
    assert page.run("document.getElementById('warning').textContent") == confirmation["warning"]
    page.press("approve")
    page.until("!document.getElementById('typing').hidden")
    assert toolcrib.look(confirmation["id"])["status"] == "awaiting_phrase"
    page.type("phrase", "platform_delete_agents")
    page.press("approve")
    assert "the phrase must be the exact name of the action" in page.text()
    assert toolcrib.look(confirmation["id"])["status"] == "awaiting_phrase"
    page.type("phrase", "platform_delete_agent")
    page.press("approve")
    page.until("!document.getElementById('ended').hidden")
    assert toolcrib.look(confirmation["id"])["status"] == "executed"
    unharmed(page, toolcrib)


def test_a_denial_says_why(browser, toolcrib):
    confirmation = toolcrib.asked("create_task", {"title": "Buy a boat", "description": "As it says"})
    page = signed(browser, toolcrib, confirmation)
    page.type("reason", "we have <b>one</b>")
    page.press("deny")
    page.until("!document.getElementById('ended').hidden")
    view = toolcrib.look(confirmation["id"])
    assert (view["status"], view["reason"]) == ("denied", "we have <b>one</b>")
    assert "nothing ran" in page.text()
    unharmed(page, toolcrib)


def test_whose_token_is_of_no_use_is_told(browser, toolcrib):
    confirmation = toolcrib.asked("create_task", {"title": "Not yours", "description": "As it says"})
    page = browser.open(f"{toolcrib.base}/approve/{confirmation['id']}")
    for token in ("rubbish", toolcrib.stranger, toolcrib.token("viewer"), toolcrib.workspace["agent"]["key"]):
        page.type("token", token)
        page.press("show")
        page.until("document.getElementById('status').className === 'wrong'")
        assert page.run("document.getElementById('asked').hidden"), token
        assert "Not yours" not in page.text()
    nothing = browser.open(f"{toolcrib.base}/approve/%3Cscript%3Ewindow.pwned=1%3C%2Fscript%3E")
    nothing.type("token", toolcrib.token("owner"))
    nothing.press("show")
    nothing.until("document.getElementById('status').className === 'wrong'")
    unharmed(nothing, toolcrib)


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
        await new Promise((done) => { const i = new Image(); i.onload = () => { out.push("image"); done(); }; i.onerror = done; i.src = "/favicon.ico"; });
        return out.concat(window.pwned ? ["pwned"] : []);
    })()""")
    assert set(refused) <= {"handler", "script text"}, refused
    assert page.run("window.pwned") is None
