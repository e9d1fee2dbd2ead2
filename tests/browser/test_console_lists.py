"""The page about tool lists: it shows what the API answers, for each role, format and strategy."""
import itertools
import json
import os
import re

import pytest
from console import (NARROW, at, calls_of, choose, click, controls_are_reached, main_text, open_page, own_calls, reports,
                     settled, sideways, size)

FORMATS = ["openai", "openai_responses", "anthropic", "gemini", "mcp"]
STRATEGIES = ["full", "filtered", "dispatcher_only", "all"]
ROLES = ["viewer", "member", "editor", "admin", "owner"]
ALL_LISTS = list(itertools.product(FORMATS, STRATEGIES))
# Each format and each strategy once.
SOME_LISTS = list(zip(FORMATS, itertools.cycle(STRATEGIES)))
SHOWN = "document.querySelector('main .figures')"
COMPARED = ("[...document.querySelectorAll('tbody tr')].map((row) => "
            "[...row.querySelectorAll('th, .count-cell')].map((e) => e.innerText))")


def lists(toolcrib, query=""):
    return at(toolcrib, f"lists{query}")


def answer(toolcrib, who="owner", **options):
    got = toolcrib.answer("POST", "/v1/tools", options, who)
    return got.json() | {"bytes": len(got.content)}


def opened(browser, toolcrib, query="", who="owner"):
    return open_page(browser, toolcrib, f"lists{query}", who, SHOWN)


def figures(page):
    """Tokens, tools, actions and bytes as the page shows them."""
    return [int(n.replace(",", "")) for n in re.findall(r"[\d,]+", page.run(f"{SHOWN}.innerText"))]


def expected(listed):
    flat = [one for tool in listed["tools"] for one in tool.get("functionDeclarations", [tool])]
    return [listed["tokens"], len(flat), listed["actions"], listed["bytes"]]


@pytest.mark.parametrize("who, seen_by", [("viewer", "viewer"), ("editor", "editor"), *((role, "owner") for role in ROLES)])
def test_each_role_sees_the_lists_that_it_gets(browser, toolcrib, who, seen_by):
    """All lists of an owner, and some of the others; with SOAK=1 all."""
    page = opened(browser, toolcrib, who=seen_by)
    whom = "" if who == seen_by else f"&role={who}"
    for shape, strategy in ALL_LISTS if who == "owner" or os.environ.get("SOAK") else SOME_LISTS:
        page.go(f"{toolcrib.base}{lists(toolcrib)}?format={shape}&strategy={strategy}{whom}")
        page.until(SHOWN)
        assert figures(page) == expected(answer(toolcrib, who, format=shape, strategy=strategy)), (shape, strategy)
        assert page.run("document.querySelectorAll('.rows summary code').length") == figures(page)[1]


def test_an_admin_sees_the_list_of_another_caller(browser, toolcrib):
    page = opened(browser, toolcrib, who="admin")
    types = "[...document.querySelectorAll('[name=caller_type] option')].map((e) => e.innerText)"
    assert sorted(page.run(types)) == sorted(toolcrib.get("/v1/access/tools")["caller_types"])
    for field, value in (("role", "member"), ("caller_type", "channel"), ("strategy", "all"), ("format", "anthropic")):
        choose(page, field, value)
    browser.events.clear()
    click(page, "Show")
    page.until("location.search.includes('role=member')")
    page.until(f"{SHOWN} && document.querySelector('tr.current th').innerText === 'all'")
    got = toolcrib.answer("POST", "/v1/tools", {"strategy": "all", "format": "anthropic"}, "member",
                          headers={"X-Caller-Type": "channel"})
    wanted = expected(got.json() | {"bytes": len(got.content)})
    assert figures(page) == wanted and "such a caller may call" in page.run(f"{SHOWN}.innerText")
    assert [url.split("?")[0].split("/v1/")[1] for url in own_calls(page)] == ["access/tools"]
    # It is in the address, and an agent's role has its limit.
    slug = toolcrib.get("/v1/me", "agent")["principal"]["name"]
    page.go(page.run("location.href").replace("role=member", "role=owner") + f"&caller_name={slug}")
    page.until(SHOWN)
    found = toolcrib.get("/v1/access/tools", role="owner", caller_type="channel", caller_name=slug,
                         strategy="all", format="anthropic")
    assert figures(page) == expected(found["list"] | {"bytes": found["bytes"]}) and found["role"] == "editor"
    assert "at most the role Editor" in main_text(page)
    fields = "['role', 'caller_type', 'caller_name'].map((name) => document.querySelector(`[name=${name}]`).value)"
    assert page.run(fields) == ["owner", "channel", slug]


def test_who_may_not_read_the_audit_log_sees_only_own_lists(browser, toolcrib):
    page = opened(browser, toolcrib, "?role=owner&strategy=all", "editor")
    assert figures(page) == expected(answer(toolcrib, "editor", strategy="all"))
    assert not page.run("Boolean(document.querySelector('[name=role]'))")
    assert calls_of(page, "/v1/access/tools") == []


def test_the_strategies_of_another_caller_need_no_button(browser, toolcrib):
    page = opened(browser, toolcrib, "?query=pause+an+agent&role=viewer&max_tokens=1300")
    shown = page.run(COMPARED)
    assert [row[0] for row in shown] == ["full", "full, names only", "filtered", "dispatcher_only", "all"]
    options = [{}, {"detail": "names"}, *({"strategy": one} for one in STRATEGIES[1:])]
    impossible = 0
    for row, one in zip(shown, options):
        got = toolcrib.answer("POST", "/v1/tools", one | {"query": "pause an agent", "max_tokens": 1300}, "viewer")
        impossible += got.status_code != 200
        listed = expected(got.json() | {"bytes": 0})[:2] if got.status_code == 200 else ["–", "–"]
        assert [int(n.replace(",", "")) if n != "–" else n for n in row[1:]] == listed, one
    assert main_text(page).count("Not possible: must be at least") == impossible
    assert not page.run("[...document.querySelectorAll('main button')].some((e) => e.innerText === 'Compare')")
    assert len(calls_of(page, "/v1/access/tools")) == 1


def test_strategies_are_compared_side_by_side(browser, toolcrib):
    page = opened(browser, toolcrib, "?query=pause+an+agent", "editor")
    rows = COMPARED
    before = page.run(rows)
    assert [row[0] for row in before] == ["full", "full, names only", "filtered", "dispatcher_only", "all"]
    assert [row[1] == "–" for row in before] == [False, True, True, True, True], "only the chosen list was asked for"
    browser.events.clear()
    click(page, "Compare")
    page.until("![...document.querySelectorAll('td')].some((cell) => cell.innerText === '–')")
    assert len(calls_of(page, "/v1/tools")) == 4
    options = [{}, {"detail": "names"}, *({"strategy": one} for one in STRATEGIES[1:])]
    wanted = [expected(answer(toolcrib, "editor", query="pause an agent", **one))[:2] for one in options]
    assert [[int(n.replace(",", "")) for n in row[1:]] for row in page.run(rows)] == wanted
    click(page, "all")
    page.until("new URLSearchParams(location.search).get('strategy') === 'all'")
    page.until(f"{SHOWN} && document.querySelector('tr.current th').innerText === 'all'")
    assert figures(page)[:2] == wanted[4]
    assert page.run("new URLSearchParams(location.search).get('query')") == "pause an agent"


def test_what_strict_mode_and_the_budget_left_out_is_told(browser, toolcrib):
    listed = answer(toolcrib, format="anthropic", strict="auto", max_tokens=2000)
    page = opened(browser, toolcrib, "?format=anthropic&strict=auto&max_tokens=2000")
    page.run("document.querySelectorAll('main details').forEach((e) => { e.open = true; })")
    text = main_text(page)
    budget, others = listed["strict_explained"]["budget"], listed["strict_explained"]["not_strict"]
    assert budget and others and listed["left_out"]
    for one in budget:
        assert re.search(rf"{one['what']}\s+{one['used']} of at most {one['most']}", text), one
    for one in others:
        assert re.search(rf"{one['name']}\s+{re.escape(one['reason'])}", text), one
    assert page.run("[...document.querySelectorAll('.names code')].map((e) => e.innerText)") == listed["left_out"]
    marked = page.run("[...document.querySelectorAll('.rows summary:has(.tag) code')].map((e) => e.innerText)")
    assert sorted(marked) == sorted(listed["strict"])
    page.go(f"{toolcrib.base}{lists(toolcrib)}?max_tokens=10")
    page.until("document.querySelector('[role=alert]')")
    assert "must be at least" in main_text(page)


def test_the_json_and_the_prompt_are_those_of_the_api(browser, toolcrib):
    page = opened(browser, toolcrib, "?view=json&format=gemini")
    shown = json.loads(page.run("[...document.querySelectorAll('pre.code')].at(-1).textContent"))
    assert shown == toolcrib.post("/v1/tools", {"format": "gemini"})
    assert '"format":"gemini"' in page.run("document.querySelector('.command').innerText")
    click(page, "Prompt")
    page.until("document.querySelector('pre.code')?.getAttribute('aria-label') === 'Prompt'")
    prompt = toolcrib.answer("GET", "/v1/tools/prompt", query={"include_promoted": "true"}).text
    assert page.run("document.querySelector('pre.code').textContent").strip() == prompt.strip()


def test_the_options_are_in_the_address(browser, toolcrib):
    page = opened(browser, toolcrib)
    words = 'delete "Scout" <img src=x onerror=pwned>\u202e'
    for field, value in (("format", "mcp"), ("strategy", "filtered"), ("strict", "auto"), ("query", words)):
        choose(page, field, value)
    click(page, "Show")
    page.until("location.search.includes('format=mcp')")
    page.until(SHOWN)
    wanted = expected(answer(toolcrib, format="mcp", strategy="filtered", strict="auto", query=words))
    assert figures(page) == wanted
    # What a person chose stays after a reload, and going back shows what was before.
    page.go(page.run("location.href"))
    page.until(SHOWN)
    assert figures(page) == wanted
    fields = "['format', 'strategy', 'strict', 'query'].map((name) => document.querySelector(`[name=${name}]`).value)"
    assert page.run(fields) == ["mcp", "filtered", "auto", words]
    size(page, NARROW)
    assert sideways(page) == 0
    page.run("history.back()")
    page.until("location.search === ''")
    page.until(f"{SHOWN} && document.querySelector('[name=format]').value === 'openai'")
    assert reports(page) == []


def test_every_control_of_the_page_is_reached(browser, toolcrib):
    page = opened(browser, toolcrib, "?format=anthropic&strict=auto&max_tokens=2000")
    controls_are_reached(page)


def test_a_page_view_makes_few_calls(browser, toolcrib):
    page = opened(browser, toolcrib)
    browser.events.clear()
    page.go(f"{toolcrib.base}{lists(toolcrib)}")
    page.until(SHOWN)
    settled(page)
    assert len(own_calls(page)) == 1
