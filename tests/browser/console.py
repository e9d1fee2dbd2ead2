"""What the tests of the console do with a page: sizes, themes, keys, axe, and what the browser complains of."""
import json
import pathlib
import re

AXE = (pathlib.Path(__file__).parent / "node_modules/axe-core/axe.min.js").read_text()
# WCAG 2.2 AA and what axe calls best practice.
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# Width and height of a phone, a laptop, and the narrowest window of WCAG's reflow criterion.
PHONE, LAPTOP, NARROW = (375, 812), (1280, 800), (320, 640)
# Key: code of the key, and the text that it types.
KEYS = {"Tab": (9, ""), "Enter": (13, "\r"), "Escape": (27, ""), " ": (32, " "), "ArrowDown": (40, ""), "ArrowRight": (39, ""),
        "ArrowLeft": (37, ""), "a": (65, "a")}
SHIFT = 8
# Characters that hide text or change its direction; a person must see their code points.
HIDDEN = "\u202e\u2066\u200b\u0007\u009b\u2028"


def one_time_link(toolcrib):
    """The link that `serve --demo` printed. It works once."""
    return re.search(r"open (http://\S+#code=\S+)", "".join(toolcrib.lines)).group(1)


def size(page, wanted):
    page.send("Emulation.setDeviceMetricsOverride", width=wanted[0], height=wanted[1], deviceScaleFactor=1, mobile=False)


def theme(page, wanted):
    """The theme of the system: `light` or `dark`."""
    page.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": wanted}])


def key(page, name, modifiers=0):
    """Presses and releases a key where the focus is."""
    code, text = KEYS[name]
    for kind in ("keyDown", "keyUp"):
        typed = {"text": text} if text and kind == "keyDown" else {}
        page.send("Input.dispatchKeyEvent", type=kind, key=name, code="Space" if name == " " else name,
                  windowsVirtualKeyCode=code, modifiers=modifiers, **typed)


def focused(page):
    """The name and text of the element that has the focus."""
    return page.run("(() => { const e = document.activeElement; return `${e.localName} "
                    "${e.getAttribute('aria-label') ?? e.innerText ?? ''}`.replace(/\\s+/g, ' ').trim(); })()")


def tab_to(page, text, most=40):
    """Presses Tab until the focused element's name or text contains `text`."""
    seen = []
    for _ in range(most):
        key(page, "Tab")
        seen.append(focused(page))
        if text in seen[-1]:
            return
    raise AssertionError(f"Tab does not reach `{text}`: {seen}")


def focus_is_visible(page):
    """Whether the focused element, or the row that it fills, has an outline."""
    return page.run("""(() => {
        const shown = (e) => e && getComputedStyle(e).outlineStyle !== 'none' && parseFloat(getComputedStyle(e).outlineWidth) >= 2;
        const e = document.activeElement;
        return shown(e) || shown(e.closest('.row'));
    })()""")


def axe(page):
    """The violations that axe finds, also inside shadow roots: rule and elements."""
    if not page.run("Boolean(globalThis.axe)"):
        page.run(AXE + "; undefined")
    # Colours that are still changing have no contrast to measure.
    page.run("""new Promise(requestAnimationFrame).then(() => Promise.all([...document.querySelectorAll('*')]
        .flatMap((e) => [e, e.shadowRoot]).flatMap((e) => e?.getAnimations() ?? []).map((one) => one.finished))).then(() => true)""")
    options = json.dumps({"runOnly": TAGS, "resultTypes": ["violations"]})
    found = page.run(f"axe.run(document, {options}).then(({{ violations, passes }}) => "
                     "({ passes: passes.length, violations: violations.map((v) => [v.id, v.nodes.map((n) => n.html + ' ' + n.failureSummary)]) }))")
    assert found["passes"] > 5, found
    return found["violations"]


def sideways(page):
    """By how many pixels the page is wider than its window."""
    return page.run("document.documentElement.scrollWidth - document.documentElement.clientWidth")


def reports(page):
    """What the browser wrote on its console, and requests to other hosts."""
    origin = page.run("location.origin") + "/"
    return page.complaints() + [url for url in page.asked_for() if not url.startswith((origin, "data:", "about:"))]


def sign_in(browser, toolcrib, token, path="/console/", screen=LAPTOP):
    """A page that is signed in with a pasted token, at an address of the console."""
    page = browser.open(f"{toolcrib.base}{path}")
    size(page, screen)
    page.until("document.getElementById('token')")
    page.type("token", token)
    page.run("document.querySelector('form button').click()")
    page.until("!location.pathname.startsWith('/console/login')")
    settled(page)
    return page


def at(toolcrib, path):
    """The path of a page of the first workspace."""
    return f"/console/w/{toolcrib.workspace['id']}/{path}"


def open_page(browser, toolcrib, path, who="owner", shown="document.querySelector('main h1')"):
    """A page of the first workspace that a member opened, when the expression `shown` is true."""
    page = sign_in(browser, toolcrib, toolcrib.token(who), at(toolcrib, path))
    page.until(shown)
    return page


def accessible_everywhere(page):
    """Asserts that axe finds nothing in both themes and at each size, and that nothing scrolls sideways."""
    for screen in (PHONE, LAPTOP, NARROW):
        size(page, screen)
        assert sideways(page) == 0
        for shade in ("light", "dark"):
            theme(page, shade)
            assert axe(page) == []


def settled(page):
    """Waits until the page shows what it asked for."""
    page.until("document.querySelector('main h1') && !/Loading…|One moment…/.test(document.querySelector('main').innerText)")


def controls_are_reached(page):
    """Presses Tab through the page. Each control that is shown gets the focus once, and the focus is seen."""
    page.run("document.activeElement.blur()")
    shown = page.run("""[...document.querySelectorAll(
        'a[href], button, input, select, textarea, summary, [tabindex="0"]')].filter((e) => !e.disabled &&
        e.checkVisibility({ visibilityProperty: true }) && !(e.type === 'radio' && !e.checked)).length""")
    page.run("globalThis.reached = new Set()")
    # The field of a time has a stop for each of its parts.
    for _ in range(2 * shown + 20):
        key(page, "Tab")
        assert focus_is_visible(page), focused(page)
        if page.run("reached.add(document.activeElement).size") == shown:
            return
    raise AssertionError("a control has no place in the order")


def choose(page, field, value, within="main"):
    """Sets a field of a form by its name."""
    page.run(f"""(() => {{ const e = document.querySelector('{within} [name="{field}"]'); e.value = {json.dumps(value)};
        for (const kind of ['input', 'change']) e.dispatchEvent(new Event(kind, {{ bubbles: true }})); }})()""")


def click(page, text, selector="main button, main a, main summary"):
    """Clicks the first control with this text."""
    found = f"[...document.querySelectorAll({selector!r})].find((e) => e.innerText.trim() === {json.dumps(text)})"
    page.until(f"{found} && !{found}.disabled")
    page.run(f"{found}.click()")


def main_text(page):
    return page.run("document.querySelector('main').innerText")


def own_calls(page):
    """The calls of a page itself since the events were cleared, without those of the frame around it: rights, what
    waits, and events."""
    frame = re.compile(r"/v1/(me|confirmations\?|events)")
    return [url for url in page.asked_for() if "/v1/" in url and not frame.search(url)]


def calls_of(page, path):
    """The requests to a route of the API since the events were cleared."""
    origin = page.run("location.origin")
    return [url for url in page.asked_for() if url.removeprefix(origin).split("?")[0] == path]
