"""`docs/surfaces.md` shows what the binary answers. UPDATE_GOLDEN=1 rewrites the payloads that differ."""
import json
import os
import pathlib

import pytest
from demo import Demo
from shapes import MESSAGES, check_tools, exact
from surfaces_page import MARK, payloads, text, unlike

PAGE = pathlib.Path(__file__).parents[2] / "docs/surfaces.md"


@pytest.fixture(scope="module")
def made():
    """The payloads of a new demo, with its address replaced."""
    fresh = Demo()
    shown = {name: text(value, fresh.base) for name, value in payloads(fresh).items()}
    fresh.close()
    return shown


def difference(name, held, made):
    try:
        return unlike(name, json.loads(held), json.loads(made))
    except json.JSONDecodeError as fault:
        return f"{name} is not JSON: {fault}"


def test_every_payload_of_the_page_is_one_that_is_answered(made):
    page = PAGE.read_text()
    held = {found["name"]: found["text"] for found in MARK.finditer(page)}
    assert held.keys() == made.keys(), held.keys() ^ made.keys()
    differences = {name: why for name in made if (why := difference(name, held[name], made[name]))}
    if differences and os.environ.get("UPDATE_GOLDEN"):
        def block(found):
            name = found["name"]
            shown = made[name] if name in differences else found["text"]
            return f"<!-- payload {name} -->\n```json\n{shown}\n```\n"
        PAGE.write_text(MARK.sub(block, page))
    else:
        assert not differences, f"`docs/surfaces.md` differs; UPDATE_GOLDEN=1 rewrites it: {differences}"


def test_what_the_page_shows_is_of_the_providers_own_types():
    shown = {found["name"]: json.loads(found["text"]) for found in MARK.finditer(PAGE.read_text())}
    for form in ("openai", "openai_responses", "anthropic", "gemini", "mcp"):
        assert len(check_tools(form, shown[f"{form}/tools"]["tools"])) == 2
    for form, adapter in MESSAGES.items():
        exact(adapter, shown[f"{form}/messages"])
        exact(adapter, shown[f"{form}/decided"])


@pytest.mark.parametrize("held, made", [
    ('{"status": "completed"}', '{"status": "refused"}'),
    ('{"a": 1}', '{"a": "1"}'),
    ('{"a": 1}', '{"a": 1, "b": 2}'),
    ('{"items": [1]}', '{"items": [1, 2]}'),
    ('{"content": "{\\"status\\":\\"completed\\"}"}', '{"content": "{\\"status\\":\\"refused\\"}"}'),
    ('{"role": "tool"}', "{}"),
])
def test_a_difference_is_seen(held, made):
    assert difference("x", held, made)


def test_ids_times_and_figures_may_differ():
    held = '{"id": "01a1e8c0-6d80-7000-b747-6d1841353e0c", "at": "2026-11-22T09:07:49.160711Z", "n": 1, "d": "one text"}'
    made = '{"id": "01a1e8c0-6d80-7000-b747-6d1841353e0d", "at": "2027-11-22T09:07:49.160711Z", "n": 2.5, "d": "another"}'
    assert difference("x", held, made) is None
