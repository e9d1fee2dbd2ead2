"""`<toolcrib-approvals>` in a page of another front end."""
import json

import pytest
import requests
from cards import card
from console import LAPTOP, NARROW, accessible_everywhere, key, reports, sideways, size, theme
from test_console_files import WEB, imported

ENTRY = "document.querySelector('script[type=module]').src.replace(/pages.login.js$/, 'approvals.js')"
TALK = {"X-Session-Id": "talk-element"}
# Inside of the element.
INNER = "document.querySelector('toolcrib-approvals').shadowRoot"


def deep(expression):
    """The same expression about the inside of the element."""
    return expression.replace("document.querySelectorAll", f"{INNER}.querySelectorAll")


def part(text, name):
    return f"{deep(card(text))}?.querySelector('[data-testid={name}]')"


def says(page, text, said):
    page.until(f"{deep(card(text))}?.innerText.includes({json.dumps(said)})")


def press(page, text, name="approve-button"):
    page.until(part(text, name))
    page.run(f"{part(text, name)}.scrollIntoView({{ block: 'center' }})")
    page.until(f"{part(text, name)}.getAttribute('aria-disabled') === 'false'")
    x, y = page.run(f"(() => {{ const r = {part(text, name)}.getBoundingClientRect(); "
                    "return [r.x + r.width / 2, r.y + r.height / 2]; })()")
    for kind in ("mousePressed", "mouseReleased"):
        page.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)


def host(browser, toolcrib, who="editor", session="talk-element", before="", token=None):
    """A page with a text field and the element, which was there before it was defined. It notes its events."""
    page = browser.open(f"{toolcrib.base}/console/login")
    page.until("document.getElementById('token')")
    page.run(f"""{{
        const field = Object.assign(document.createElement('textarea'), {{ id: 'chat', ariaLabel: 'Message' }});
        const heading = Object.assign(document.createElement('h1'), {{ textContent: 'A chat' }});
        const main = document.createElement('main');
        const element = document.createElement('toolcrib-approvals');
        element.setAttribute('base', location.origin);
        element.setAttribute('workspace', {json.dumps(toolcrib.workspace["id"])});
        if ({json.dumps(session)}) element.setAttribute('session', {json.dumps(session)});
        element.append(Object.assign(document.createElement('a'), {{ href: '/console/', textContent: 'Open what waits' }}));
        globalThis.asked = [];
        element.token = (again) => {{ asked.push(again); return {json.dumps(token or toolcrib.token(who))}; }};
        globalThis.told = [];
        for (const type of ['count', 'ended', 'error']) {{
            document.addEventListener('toolcrib-' + type, (event) => told.push([type, event.detail]));
        }}
        main.append(heading, field, element);
        document.body.replaceChildren(main);
        document.title = 'A chat';
        {before}
    }}""")
    assert page.run("document.querySelector('toolcrib-approvals a').checkVisibility()"), "the light content is seen"
    page.run(f"import({ENTRY.replace('document.querySelector', 'document.head.querySelector')}).then(() => true)")
    page.until(f"{INNER}?.querySelector('.cards')")
    return page


def task(toolcrib, title, who="editor", headers=TALK):
    return toolcrib.asked("create_task", {"title": title, "description": "As it says"}, who, **headers)


def test_it_shows_and_decides_what_waits_in_its_conversation(browser, toolcrib):
    one, other = task(toolcrib, "In this talk"), task(toolcrib, "In another talk", headers={"X-Session-Id": "talk-other"})
    page = host(browser, toolcrib)
    page.until(deep(card("In this talk")))
    assert not page.run(f"Boolean({deep(card('In another talk'))})")
    assert page.run("told[0]") == ["count", {"count": 1}]
    press(page, "In this talk")
    says(page, "In this talk", "It ran.")
    assert toolcrib.look(one["id"])["decided_by"] == toolcrib.workspace["editor"]["user_id"]
    assert toolcrib.look(other["id"])["status"] == "pending"
    page.until("told.length >= 3")
    told = {name: detail for name, detail in page.run("told")}
    assert told == {"count": {"count": 0}, "ended": {"id": one["id"], "status": "executed", "messages": []}}
    page.run("document.querySelector('toolcrib-approvals').refresh()")
    page.until(f"!{deep(card('In this talk'))}")
    assert page.run("document.cookie + localStorage.length + sessionStorage.length") == "00"
    assert reports(page) == []


def test_the_messages_of_a_models_call_are_told(browser, toolcrib):
    answer = toolcrib.ask("POST", "/v1/tools/calls", {"format": "openai", "tool_calls": [
        {"id": "call_1", "type": "function", "function": {"name": "platform_create_task",
         "arguments": json.dumps({"title": "Asked by a model", "description": "x"})}}]}, who="editor", headers=TALK)
    assert "Asked by a model" in json.dumps(toolcrib.get("/v1/confirmations", "editor")), answer
    page = host(browser, toolcrib)
    page.until(deep(card("Asked by a model")))
    press(page, "Asked by a model")
    page.until("told.some(([type]) => type === 'ended')")
    [message] = page.run("told.find(([type]) => type === 'ended')[1].messages")
    assert message["tool_call_id"] == "call_1" and "Asked by a model" in message["content"]


def test_cards_that_arrive_take_no_key_that_is_typed(browser, toolcrib):
    page = host(browser, toolcrib)
    page.until("told.length")
    page.run("document.getElementById('chat').focus()")
    asked = []
    for n in range(3):
        asked.append(task(toolcrib, f"While typing {n}"))
        for name in ("Enter", " ", "Enter"):
            key(page, name)
        page.until(deep(card(f"While typing {n}")))
        for name in ("Enter", " ", "a"):
            key(page, name)
    assert page.run("document.activeElement.id") == "chat"
    assert page.run("document.getElementById('chat').value").count("a") == 3
    page.until("told.filter(([type]) => type === 'count').length >= 4")
    assert [toolcrib.look(one["id"])["status"] for one in asked] == ["pending"] * 3
    for one in asked:
        toolcrib.post(f"/v1/confirmations/{one['id']}/deny", {}, who="editor")


def test_what_others_decide_is_told(browser, toolcrib):
    asked = task(toolcrib, "Decided by another")
    page = host(browser, toolcrib)
    page.until(deep(card("Decided by another")))
    toolcrib.post(f"/v1/confirmations/{asked['id']}/deny", {"reason": "not now"}, who="owner")
    says(page, "Decided by another", "not now")
    page.until(f"told.some(([type, detail]) => type === 'ended' && detail.id === '{asked['id']}' && detail.status === 'denied')")


def test_a_refused_token_is_asked_for_once_more(browser, toolcrib):
    page = browser.open(f"{toolcrib.base}/console/login")
    page.until("document.getElementById('token')")
    page.run(f"""{{ const element = document.createElement('toolcrib-approvals');
        Object.assign(element, {{ base: location.origin, workspace: {json.dumps(toolcrib.workspace["id"])} }});
        globalThis.asked = []; element.token = (again) => {{ asked.push(again); return 'rubbish'; }};
        element.append(Object.assign(document.createElement('b'), {{ slot: 'signed-out', textContent: 'Sign in to the chat' }}));
        document.querySelector('main').replaceChildren(element); }}""")
    page.run(f"import({ENTRY}).then(() => true)")
    page.until("document.querySelector('toolcrib-approvals b').checkVisibility()")
    assert page.run("asked") == [False, True]
    # Another token makes it look again.
    task(toolcrib, "After the sign-in")
    page.run(f"document.querySelector('toolcrib-approvals').token = {json.dumps(toolcrib.token('editor'))}")
    page.until(deep(card("After the sign-in")))


def test_two_elements_share_one_stream(browser, toolcrib):
    page = host(browser, toolcrib, before="""const twin = element.cloneNode(true);
        Object.assign(twin, { token: element.token }); main.append(twin);""")
    task(toolcrib, "Seen twice")
    page.until("[...document.querySelectorAll('toolcrib-approvals')].every((e) => e.shadowRoot.textContent.includes('Seen twice'))")
    assert len([url for url in page.asked_for() if "/v1/events" in url]) == 1


def test_it_is_accessible_and_is_styled_by_its_page(browser, toolcrib):
    asked = toolcrib.asked("delete_agent", {"agent": "Release Writer"}, "owner", **{"X-Session-Id": "talk-style"})
    page = host(browser, toolcrib, "owner", "talk-style", before="element.setAttribute('heading-level', 3);")
    page.until(deep(card("Release Writer")))
    assert page.run(f"{INNER}.querySelector('[role=heading]').ariaLevel") == "3"
    page.run("document.querySelector('toolcrib-approvals').removeAttribute('heading-level')")
    colours = f"[{deep(card('Release Writer'))}, document.querySelector('h1')].map((e) => getComputedStyle(e).backgroundColor)"
    before = page.run(colours)
    page.run("document.body.classList.add('themed'); document.querySelector('toolcrib-approvals').style.setProperty("
             "'--toolcrib-surface', 'rgb(1, 2, 3)')")
    assert page.run(colours) == ["rgb(1, 2, 3)", before[1]]
    page.run("document.querySelector('toolcrib-approvals').style.removeProperty('--toolcrib-surface')")
    for attribute in ("light", "dark"):
        page.run(f"document.querySelector('toolcrib-approvals').setAttribute('theme', '{attribute}')")
        assert page.run(f"getComputedStyle(document.querySelector('toolcrib-approvals')).colorScheme") == attribute
    page.run("document.querySelector('toolcrib-approvals').setAttribute('theme', 'auto')")
    parts = page.run(f"[...{INNER}.querySelectorAll('[part]')].map((e) => e.getAttribute('part'))")
    assert parts == ["card", "warning", "arguments", "deny", "approve"]
    accessible_everywhere(page)
    toolcrib.post(f"/v1/confirmations/{asked['id']}/deny", {})


# A custom property, a value, and what it changes of which part of the element.
PROPERTIES = {
    "font": ("Courier", "fontFamily", ":host"), "background": ("rgb(1, 2, 3)", "backgroundColor", ":host"),
    "surface": ("rgb(1, 2, 3)", "backgroundColor", "article"), "text": ("rgb(1, 2, 3)", "color", "article"),
    "muted": ("rgb(1, 2, 3)", "color", ".meta"), "border": ("rgb(1, 2, 3)", "borderTopColor", "article"),
    "accent": ("rgb(1, 2, 3)", "color", "a[href]"), "danger": ("rgb(1, 2, 3)", "borderLeftColor", ".warning"),
    "radius": ("17px", "borderTopLeftRadius", "article"),
}


def test_custom_properties_change_the_element_alone(browser, toolcrib):
    talk = {"X-Session-Id": "talk-properties"}
    asked = toolcrib.asked("delete_agent", {"agent": "Release Writer"}, "owner", **talk)
    page = host(browser, toolcrib, "owner", "talk-properties")
    page.until(deep(card("Release Writer")))
    page.run(f"{INNER}.append(Object.assign(document.createElement('a'), {{ href: '/', textContent: 'A link' }}))")
    looks = """JSON.stringify([...document.querySelectorAll('html, body, main, h1, textarea')].map((one) =>
        ['fontFamily', 'color', 'backgroundColor', 'borderTopColor', 'borderTopLeftRadius'].map((name) => getComputedStyle(one)[name])))"""
    outside = page.run(looks)
    for name, (value, changed, selector) in PROPERTIES.items():
        place = "document.querySelector('toolcrib-approvals')" if selector == ":host" else f"{INNER}.querySelector('{selector}')"
        set_property = f"document.querySelector('toolcrib-approvals').style.setProperty('--toolcrib-{name}', %s)"
        before = page.run(f"getComputedStyle({place}).{changed}")
        page.run(set_property % json.dumps(value))
        assert page.run(f"getComputedStyle({place}).{changed}") == value != before, name
        assert page.run(looks) == outside
        page.run(set_property % "''")
    toolcrib.post(f"/v1/confirmations/{asked['id']}/deny", {})


TWICE = """import(document.head.querySelector('script[type=module]').src.replace(/pages.login.js$/, 'lib/text.js')).then(({ TEXTS }) => {
    element.strings = Object.fromEntries(Object.entries(TEXTS).map(([key, text]) => [key, `${text} ${text}`])); });"""


@pytest.mark.parametrize("direction", ["ltr", "rtl"])
def test_texts_twice_as_long_are_not_cut(browser, toolcrib, direction):
    """In every state of a card, in either direction."""
    talk = {"X-Session-Id": f"talk-{direction}"}
    typed = toolcrib.asked("delete_agent", {"agent": "Release Writer"}, "owner", **talk)
    simple = task(toolcrib, "In other words", "owner", talk)
    page = host(browser, toolcrib, "owner", f"talk-{direction}", before=f"document.documentElement.dir = {direction!r}; {TWICE}")
    says(page, "In other words", "Approve Approve")
    says(page, "In other words", "create task in this conversation Do not ask again for create task")

    def nothing_is_cut():
        for screen in (NARROW, LAPTOP):
            size(page, screen)
            assert sideways(page) == 0
            cut = page.run(f"[...{INNER}.querySelectorAll('button, label, p, a, dt, dd, summary, time, [role=heading]')].filter((e) => "
                           "(e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1) && e.clientWidth > 0 && "
                           "getComputedStyle(e).position !== 'absolute' && getComputedStyle(e).display !== 'inline').map((e) => e.innerText)")
            assert cut == []

    nothing_is_cut()
    press(page, "Release Writer")
    page.until(part("Release Writer", "confirm-input"))
    press(page, "In other words", "deny-button")
    page.until(part("In other words", "reason-input"))
    nothing_is_cut()
    for one in (typed, simple):
        toolcrib.post(f"/v1/confirmations/{one['id']}/deny", {"reason": "not now"})
    says(page, "In other words", "It was denied: nothing ran. It was denied")
    nothing_is_cut()


def test_a_click_in_the_first_moments_decides_nothing(browser, toolcrib):
    """Clicks at every frame, from when the button is there until shortly before it counts."""
    page = host(browser, toolcrib, session="talk-quick")
    page.run(f"""{{ globalThis.clicks = 0;
        let first = null;
        const click = () => {{
            const button = {part("Clicked at once", "approve-button")};
            if (button) {{
                first ??= performance.now();
                if (performance.now() - first > 550) return void (globalThis.over = true);
                button.scrollIntoView({{ block: 'center' }});
                button.click();
                clicks += 1;
            }}
            requestAnimationFrame(click);
        }};
        click(); }}""")
    asked = task(toolcrib, "Clicked at once", headers={"X-Session-Id": "talk-quick"})
    page.until("globalThis.over")
    assert page.run("clicks") > 2 and toolcrib.look(asked["id"])["status"] == "pending"
    assert not [url for url in page.asked_for() if url.endswith("/approve")]
    press(page, "Clicked at once")
    says(page, "Clicked at once", "It ran.")


def test_its_style_is_the_part_of_the_console_that_it_needs(browser, toolcrib):
    """Every part of the element looks the same with the console's whole style sheet."""
    asked = toolcrib.asked("delete_agent", {"agent": "Release Writer"}, "owner", **{"X-Session-Id": "talk-sheet"})
    denied = task(toolcrib, "Denied before", "owner", {"X-Session-Id": "talk-sheet"})
    page = host(browser, toolcrib, "owner", "talk-sheet")
    page.until(deep(card("Denied before")))
    toolcrib.post(f"/v1/confirmations/{denied['id']}/deny", {"reason": "not now"})
    says(page, "Denied before", "not now")
    page.run(f"[...{INNER}.querySelectorAll('details')].forEach((one) => {{ one.open = true; }})")
    compared = f"""fetch(document.head.querySelector('link[rel=stylesheet]').href).then((answer) => answer.text()).then((text) => {{
        const [root, sheet] = [{INNER}, new CSSStyleSheet()];
        const own = root.adoptedStyleSheets;
        sheet.replaceSync(text);
        const looks = () => [...root.querySelectorAll('*')].map((one) => [one.outerHTML.slice(0, 80), [...getComputedStyle(one)]
            .filter((name) => !name.startsWith('--')).map((name) => `${{name}}: ${{getComputedStyle(one).getPropertyValue(name)}}`)]);
        const before = looks();
        root.adoptedStyleSheets = [sheet];
        const after = looks();
        root.adoptedStyleSheets = own;
        return [before, after]; }})"""
    for step in (lambda: None, lambda: press(page, "Release Writer", "deny-button")):
        step()
        page.until(f"{part('Release Writer', 'reason-input')} || {part('Release Writer', 'approve-button')}")
        before, after = page.run(compared)
        different = [(one, set(now) ^ set(then)) for (one, now), (_, then) in zip(before, after, strict=True) if now != then]
        assert not different and len(before) > 30, different
    toolcrib.post(f"/v1/confirmations/{asked['id']}/deny", {})


def test_it_is_small(browser, toolcrib):
    """What the service sends of the element's modules."""
    page = browser.open(f"{toolcrib.base}/console/login")
    folder = page.run("new URL('.', document.querySelector('link[rel=modulepreload]').href).pathname.replace(/vendor\\/$/, '')")
    names = [str(path.relative_to(WEB)) for path in (WEB / "approvals.js", *imported(WEB / "approvals.js"))]
    answers = {name: requests.get(f"{toolcrib.base}{folder}{name}", headers={"Accept-Encoding": "gzip"}, timeout=30, stream=True)
               for name in names}
    sizes = {name: len(answer.raw.read(decode_content=False)) for name, answer in answers.items()}
    assert "elements/style.js" in sizes and sum(sizes.values()) <= 26_000, sizes
