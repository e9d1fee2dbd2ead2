"""Every page with 300 hostile texts in every field that the service may answer: they are shown as text, and do nothing."""
import packs
import pytest
from console import reports, settled, sign_in
from hostile import ANSWERS, INVISIBLE
from test_console_sweep import addresses

# Further views of the pages.
VIEWS = ["inbox?tab=others", "inbox?tab=decided", "actions?tab=matrix", "actions?tab=as&role=viewer", "actions?q=agent",
         "actions/platform_delete_agent?tab=why", "actions/platform_create_task?tab=try", "actions/platform_create_task?tab=code",
         "actions/platform_list_agents?tab=calls", "lists?view=json", "lists?view=prompt", "connect?stack=typescript"]
MADE = "main :is(img, script, iframe, style, link, object, form[action], template, base, meta, #pwn, a[href^='javascript:'])"
INVISIBLE_CLASS = "".join(f"\\u{{{ord(one):x}}}" for one in INVISIBLE)
# Attributes that a person may be shown with characters that nobody sees, and handlers.
ATTRIBUTES = f"""[...document.querySelectorAll('*')].flatMap((one) => [...one.attributes]).filter(({{ name, value }}) =>
    name.startsWith('on') || (/^(title|alt|placeholder|aria-)/.test(name) && /[{INVISIBLE_CLASS}]/u.test(value)))
    .map(({{ name, value }}) => `${{name}}=${{value.slice(0, 80)}}`)"""
# Texts with such characters: the elements around them.
SEEN = f"""(() => {{
    const [walker, found] = [document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT), []];
    while (walker.nextNode()) {{
        const {{ data, parentElement }} = walker.currentNode;
        if (/[{INVISIBLE_CLASS}]/u.test(data)) found.push(`${{parentElement.outerHTML.slice(0, 60)}} in ${{parentElement.parentElement?.localName}}`);
    }}
    return found; }})()"""


@pytest.fixture(scope="module", autouse=True)
def packs_on(toolcrib):
    yield from packs.on(toolcrib)


@pytest.fixture(scope="module")
def waiting(toolcrib):
    talk = {"X-Session-Id": "talk-hostile"}
    denied = toolcrib.asked("create_task", {"title": "Denied", "description": "x"}, "editor", **talk)
    toolcrib.post(f"/v1/confirmations/{denied['id']}/deny", {"reason": "not now"}, who="editor")
    toolcrib.asked("create_task", {"title": "Of the agent", "description": "x"}, "agent", **talk)
    of_owner = toolcrib.asked("delete_agent", {"agent": "Release Writer"}, "owner", **talk)
    return of_owner


def shows_text_alone(page, name):
    settled(page)
    page.until("fields > 0")
    # What is folded is shown too.
    page.run("document.querySelectorAll('.unfold[aria-expanded=false]').forEach((one) => one.click())")
    page.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    page.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
    page.until("document.body.innerText.includes('<img src=x onerror=window.pwned=1>')")
    assert page.run(SEEN) == [], name
    assert page.run(f"[...document.querySelectorAll({MADE!r})].map((one) => one.outerHTML)") == [], name
    assert page.run(ATTRIBUTES) == [], name
    assert page.run("globalThis.pwned") is None, name


def test_no_text_is_more_than_text(browser, toolcrib, waiting):
    page = sign_in(browser, toolcrib, toolcrib.token("owner"), "/console/account")
    page.send("Page.addScriptToEvaluateOnNewDocument", source=ANSWERS)
    base = f"/console/w/{toolcrib.workspace['id']}/"
    project = packs.project(toolcrib)
    pages = {view: f"{base}game/{project}?{view}" for view in ("system=tide", "tab=plans", "tab=exports")}
    pages |= addresses(toolcrib, waiting) | {view: base + view for view in VIEWS} | {"approve": f"/approve/{waiting['id']}"}
    for name, address in pages.items():
        page.go(toolcrib.base + address)
        shows_text_alone(page, name)
    assert reports(page) == []
