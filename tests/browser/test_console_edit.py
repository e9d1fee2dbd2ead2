"""Changing a call before it is approved: by a form that is made of the action's schema."""
import json

import jsonschema
import pytest
from cards import card, inbox, part, press, says, unfold
from console import accessible_everywhere, key, reports, sign_in, tab_to

CARTONS = {"title": "Order 1,000 cartons", "description": "As last time", "tags": ["paper", "big\u202e"], "priority": "high"}


@pytest.fixture
def page(browser, toolcrib):
    return sign_in(browser, toolcrib, toolcrib.token("owner"), inbox(toolcrib))


def field(name):
    return f"[...document.querySelectorAll('.edit [id^=\"edit-{name}-\"]')][0]"


def opened(page, text):
    unfold(page, text)
    page.run(f"{part(text, 'edit-button')}.click()")
    page.until("document.querySelector('.edit .field')")


def enter(page, name, value):
    page.run(f"""{{ const e = {field(name)}; e.value = {json.dumps(value)};
        for (const kind of ['input', 'change']) e.dispatchEvent(new Event(kind, {{ bubbles: true }})); }}""")


def changes(page):
    return page.run("[...document.querySelectorAll('.edit .changes > div')].map((e) => e.innerText.replace(/\\s+/g, ' '))")


def test_a_call_is_changed_and_approved_by_keyboard(browser, toolcrib, page):
    asked = toolcrib.asked("create_task", CARTONS, "owner")
    unfold(page, "1,000 cartons")
    tab_to(page, "Edit…")
    key(page, "Enter")
    page.until("document.activeElement.id.startsWith('edit-title-')")
    page.run("document.activeElement.select()")
    page.send("Input.insertText", text="Order 100 cartons")
    page.until("document.querySelector('.edit .changes')")
    assert changes(page) == ["/title Order 100 cartons was: Order 1,000 cartons"]
    # Enter in a field sends nothing.
    key(page, "Enter")
    assert toolcrib.look(asked["id"])["status"] == "pending"
    tab_to(page, "Approve as changed")
    page.until(f"{part('1,000 cartons', 'approve-button')}.getAttribute('aria-disabled') === 'false'")
    key(page, "Enter")
    says(page, "100 cartons", "It ran.")
    view = toolcrib.look(asked["id"])
    assert view["status"] == "executed" and view["arguments"]["title"] == "Order 100 cartons"
    assert view["arguments"]["tags"] == CARTONS["tags"] and view["history"][-1]["replaced_arguments"]["title"] == CARTONS["title"]
    page.go(f"{toolcrib.base}{inbox(toolcrib, '/' + asked['id'])}")
    page.until("document.querySelector('.confirmed .changes')")
    assert "was: Order 1,000 cartons" in page.run("document.querySelector('.confirmed .changes').innerText").replace("\n", " ")
    assert reports(page) == []


def test_errors_stand_at_their_field(browser, toolcrib, page):
    asked = toolcrib.asked("create_task", CARTONS | {"title": "Wrong in places"}, "owner")
    opened(page, "Wrong in places")
    assert page.run(f"{field('due_at')}.ariaInvalid") == "false"
    enter(page, "due_at", "tomorrow")
    press(page, "Wrong in places")
    page.until(f"{field('due_at')}.ariaInvalid === 'true'")
    said = page.run(f"document.getElementById('wrong-' + {field('due_at')}.id).innerText")
    assert said and page.run(f"document.activeElement === {field('due_at')}"), said
    assert toolcrib.look(asked["id"])["status"] == "pending"
    enter(page, "due_at", "")
    page.until("document.querySelector('.edit').innerText.includes('Nothing is changed.')")
    assert page.run(f"{part('Wrong in places', 'approve-button')}.ariaDisabled") == "true"


def test_with_four_eyes_a_change_is_a_question_for_another(browser, toolcrib, page):
    asked = toolcrib.asked("create_task", CARTONS | {"title": "Four eyes"}, "editor")
    toolcrib.ask("PATCH", "/v1/settings", {"four_eyes": True})
    try:
        page.go(f"{toolcrib.base}{inbox(toolcrib)}")
        opened(page, "Four eyes")
        page.until("document.querySelector('.edit').innerText.includes('Four eyes are on: the changed call does not run')")
        enter(page, "title", "Four eyes, changed")
        press(page, "Four eyes")
        says(page, "Four eyes", "Another call took its place")
        address = page.run(f"[...{card('took its place')}.querySelectorAll('a')].find((a) => a.innerText.includes('another person'))"
                           ".getAttribute('href')")
        view = toolcrib.look(address.split("/")[-1])
        assert (view["status"], view["arguments"]["title"]) == ("pending", "Four eyes, changed")
        assert toolcrib.look(asked["id"])["status"] == "superseded"
    finally:
        toolcrib.ask("PATCH", "/v1/settings", {"four_eyes": False})


def test_a_typed_one_is_changed_in_its_first_step(browser, toolcrib, page):
    agents = toolcrib.post("/v1/actions/platform_list_agents", {})["data"]["items"]
    other = next(one["name"] for one in agents if one["name"] != "Release Writer")
    asked = toolcrib.asked("delete_agent", {"agent": "Release Writer"}, "owner")
    opened(page, "Release Writer")
    enter(page, "agent", other)
    press(page, "Release Writer")
    says(page, other, f"Type {other} to go on")
    view = toolcrib.look(asked["id"])
    assert view["status"] == "awaiting_phrase" and view["summary"] == [{"label": "agent", "value": other}]
    assert json.loads(page.run(f"{card(other)}.querySelector('.json').innerText")) == view["arguments"]
    assert not page.run(f"Boolean({part(other, 'edit-button')})"), "the second step may not change them"
    toolcrib.post(f"/v1/confirmations/{asked['id']}/deny", {})


def test_the_form_is_accessible(browser, toolcrib, page):
    toolcrib.asked("create_task", CARTONS | {"title": "Look at the form"}, "owner")
    opened(page, "Look at the form")
    enter(page, "title", "Another title")
    enter(page, "description", "")
    accessible_everywhere(page)
    assert "\u202e" not in page.run("document.querySelector('.edit').innerText")


def test_what_is_hidden_can_not_be_changed(browser, toolcrib, page):
    view = toolcrib.look(toolcrib.asked("create_task", CARTONS | {"title": "Has a secret"}, "owner")["id"])
    view["arguments"]["tags"] = ["•••"]
    page.run(f"""{{ const module = (name) => import(document.querySelector('script[type=module]').src.replace('app.js', name));
        Promise.all([module('elements/console-parts.js'), module('elements/confirmation.js')]).then(([{{ edit }}]) => {{
            const card = document.createElement('toolcrib-confirmation');
            Object.assign(card, {{ confirmation: {json.dumps(view)}, service: {{}}, edit }});
            document.querySelector('main').replaceChildren(card); }}); }}""")
    says(page, "Has a secret", "some of its arguments are hidden")
    assert not page.run(f"Boolean({part('Has a secret', 'edit-button')})")


def sample(schema):
    """A value that a schema accepts."""
    if "enum" in schema:
        return schema["enum"][-1]
    kind = schema["type"][0] if isinstance(schema["type"], list) else schema["type"]
    if kind == "object":
        return {name: sample(part) for name, part in schema.get("properties", {}).items()}
    if kind == "array":
        return [sample(schema["items"])] * max(1, schema.get("minItems", 0))
    if kind in ("integer", "number"):
        return schema.get("minimum", 1)
    formats = {"uuid": "0197a000-0000-7000-8000-000000000000", "date-time": "2030-01-02T03:04:05Z"}
    if kind == "boolean":
        return True
    if "pattern" in schema:
        return "https://example.com/a" if "http" in schema["pattern"] else "08:30"
    return formats.get(schema.get("format"), "x" * max(3, schema.get("minLength", 0)))


def test_the_form_of_each_action_makes_arguments_that_its_schema_accepts(browser, toolcrib, page):
    """Each field is filled as a person would, and the result is what was meant."""
    actions = toolcrib.get("/v1/actions", limit=100)["items"]
    assert len(actions) == 91
    page.run("import(document.querySelector('script[type=module]').src.replace('app.js', 'lib/form.js')).then((m) => { globalThis.form = m; })")
    for action in actions:
        schema = action["input_schema"]
        wanted = sample(schema)
        made = page.run(f"""(() => {{ const all = form.fields({json.dumps(schema)}), wanted = {json.dumps(wanted)};
            const typed = Object.fromEntries(all.map((f) => [f.name, form.written(f, wanted[f.name])]));
            const first = form.read(all, {{}}, typed);
            return {{ names: all.map((f) => f.name), ...first, same: form.read(all, wanted, typed).values,
              none: form.read(all, wanted, {{}}).values }}; }})()""")
        assert made["errors"] == [], action["name"]
        assert made["values"] == wanted == made["same"], action["name"]
        assert made["none"] == {}, action["name"]
        assert sorted(made["names"]) == sorted(schema.get("properties", {})), action["name"]
        jsonschema.Draft202012Validator(schema).validate(made["values"])
        checked = toolcrib.ask("POST", f"/v1/actions/{action['name']}/check", made["values"])
        keywords = {"required", "type", "enum", "minimum", "maximum", "minLength", "maxLength", "pattern", "additionalProperties", "format"}
        assert not [error for error in checked["errors"] if error["code"] in keywords], (action["name"], checked)


def test_what_is_typed_wrong_is_told(browser, toolcrib, page):
    page.run("import(document.querySelector('script[type=module]').src.replace('app.js', 'lib/form.js')).then((m) => { globalThis.form = m; })")
    schema = {"properties": {"n": {"type": "integer"}, "f": {"type": "number"}, "o": {"type": "object"}, "s": {"type": "string"},
                             "l": {"type": "array", "items": {"type": "string"}}, "secret": {"type": "string", "x-sensitive": True}}}
    made = page.run(f"form.read(form.fields({json.dumps(schema)}), {{ l: ['a\\nb'], extra: 1 }}, "
                    "{ n: '1.5', f: 'x', o: '{', s: ' ', l: 'c\\nd' })")
    assert [error["pointer"] for error in made["errors"]] == ["/n", "/f", "/o"]
    assert made["values"] == {"l": ["c", "d"], "extra": 1, "s": " "}


def test_a_number_keeps_its_digits(toolcrib, page):
    """A double holds neither of these: what is shown, changed and run are the digits that were sent."""
    order, next_order = 9007199254740993, 123456789012345678901234567890
    playbook, steps = "Orders by number", [{"prompt": "Look it up", "agent": "Order Clerk"}]
    # Its own: other files that share this service delete agents.
    for action, made in (("create_agent", {"name": "Order Clerk"}),
                         ("create_playbook", {"name": playbook, "description": "By number", "steps": steps})):
        toolcrib.post(f"/v1/confirmations/{toolcrib.asked(action, made, 'owner')['id']}/approve", {})
    asked = toolcrib.asked("execute_playbook", {"playbook": playbook, "input": {"order": order}}, "owner")
    # The card of `create_playbook` names the playbook too, until the page hears of its approval.
    row = f"Execute playbook {playbook}"
    unfold(page, row)
    page.until(f"{card(row)}?.querySelector('details')")
    page.run(f"{card(row)}.querySelector('details').open = true")
    says(page, row, f'"order": {order}')
    page.run(f"{part(row, 'edit-button')}.click()")
    page.until("document.querySelector('.edit .field')")
    assert str(order) in page.run(f"{field('input')}.value")
    enter(page, "input", f'{{"order": {next_order}}}')
    page.until("document.querySelector('.edit .changes')")
    assert changes(page) == [f"/input/order {next_order} was: {order}"]
    press(page, row)
    says(page, row, "It ran.")
    assert toolcrib.look(asked["id"])["arguments"]["input"] == {"order": next_order}
    assert reports(page) == []
