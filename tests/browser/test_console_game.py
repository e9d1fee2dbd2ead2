"""The pages of the pack `game`: what they draw is what the actions say, also for the keyboard and in the table."""
import json
import pathlib
import re
import subprocess

import packs
import pytest
from conftest import Toolcrib
from console import (accessible_everywhere, at, calls_of, choose, click, controls_are_reached, focused, key, main_text, one_time_link,
                     open_page, own_calls, reports, settled, sideways, size, tab_to, NARROW)

TYPES = ("requires", "enhances", "optional")
# The lines of the picture: each style, and for each line the systems at whose sides it begins and ends.
LINES = """(() => {
    const boxes = [...document.querySelectorAll('.layers a')].map((e) => ({ key: e.dataset.key, left: e.offsetLeft, top: e.offsetTop,
        right: e.offsetLeft + e.offsetWidth, bottom: e.offsetTop + e.offsetHeight }));
    const at = ([x, y]) => boxes.find((b) => (x === b.left || x === b.right) && y >= b.top && y <= b.bottom)?.key;
    return [...document.querySelectorAll('.layers path.line')].flatMap((path) => path.getAttribute('d').split('M').slice(1).map((line) => {
        const numbers = line.match(/-?[\\d.]+/g).map(Number);
        return [path.classList[1], at(numbers.slice(0, 2)), at(numbers.slice(-2))];
    })); })()"""
# The rows of the table: the name of the system, its layer, and the names that each type leads to.
TABLE = """[...document.querySelectorAll('main table tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent.trim()))"""
MODULE = pathlib.Path(__file__).parents[2] / "crates/console/web/pages/game-layers.js"
# A chain of 150 layers with more lines, of all lengths: the places where lines pass, and how long lines with and without such are.
CROWDED = f"""
    import {{ arrange }} from {json.dumps(MODULE.as_uri())};
    const nodes = [...Array(150).keys()].map((n) => ({{ id: `${{n}}`, slug: `s${{n}}`, name: `S${{n}}`, layer: n }}));
    const edges = [...Array(5000).keys()].map((n) => [1 + (n * 7) % 149, (n * 11) % 149]).filter(([from, to]) => from > to)
        .map(([from, to]) => ({{ source: `s${{from}}`, target: `s${{to}}`, type: "requires" }}));
    const {{ columns, chains }} = arrange({{ nodes, edges }});
    const lengths = edges.map(({{ source, target }}) => source.slice(1) - target.slice(1));
    const passing = lengths.filter((_, n) => chains[n].length > 2);
    const straight = lengths.filter((length, n) => length > 1 && chains[n].length === 2);
    console.log(JSON.stringify({{
        places: columns.flatMap(({{ keys }}) => keys).length - nodes.length,
        longest: Math.max(...passing), shortest: Math.min(...straight), chains: chains.length, edges: edges.length,
    }}));"""
DRAWN = "document.querySelector('.layers path.line')?.getAttribute('d')"


@pytest.fixture(scope="module")
def lantern():
    """A service of its own. Its second workspace, where the pack is on, is the one that the tests ask."""
    running = Toolcrib()
    running.workspace = running.demo["workspaces"][1]
    yield running
    running.close()


@pytest.fixture(scope="module")
def project(lantern):
    return ask(lantern, "list_projects")["items"][0]["id"]


def ask(lantern, action, **arguments):
    return packs.call(lantern, f"game_{action}", arguments)


def opened(browser, lantern, project, more="", who="viewer", shown=DRAWN):
    return open_page(browser, lantern, f"game/{project}{more}", who, shown)


def marked(page, kind):
    """The slugs of the systems that the picture shows as `affected`, `required` or `chosen`."""
    return set(page.run(f"[...document.querySelectorAll('.layers a.{kind}')].map((e) => e.dataset.key)"))


def test_a_project_is_opened_from_the_navigation(browser, lantern, project):
    page = open_page(browser, lantern, "inbox", "viewer")
    click(page, "Game", ".side a")
    page.until("document.querySelector('main .rows a')")
    accessible_everywhere(page)
    assert "Lantern Shore" in main_text(page) and "Pre-production" in main_text(page)
    choose(page, "status", "archived")
    page.until("document.querySelector('main').innerText.includes('No project has this status.')")
    choose(page, "status", "")
    click(page, "Lantern Shore")
    page.until(DRAWN)
    assert page.run("document.querySelector('h1').innerText") == "Lantern Shore"
    assert page.run("document.querySelector('.side [aria-current]').textContent.trim()") == "Game"
    assert reports(page) == []


def test_the_picture_and_the_table_are_the_graph(browser, lantern, project):
    graph = ask(lantern, "get_dependency_graph", project=project)
    page = opened(browser, lantern, project)
    columns = page.run("[...document.querySelectorAll('.layer')].map((e) => [...e.querySelectorAll('a')].map((a) => a.dataset.key))")
    layers = [{node["slug"] for node in graph["nodes"] if node["layer"] == n} for n in range(len(graph["layers"]))]
    assert [set(column) for column in columns] == layers
    edges = sorted([edge["type"], edge["source"], edge["target"]] for edge in graph["edges"])
    assert sorted(page.run(LINES)) == edges
    names = {node["name"]: node["slug"] for node in graph["nodes"]}
    rows = page.run(TABLE)
    assert [(names[row[0]], int(row[1]) - 1) for row in rows] == [(node["slug"], node["layer"]) for node in graph["nodes"]]
    assert sorted([kind, names[row[0]], names[target]] for row in rows for kind, cell in zip(TYPES, row[2:])
                  for target in cell.split(", ") if target) == edges
    # Every style of line is another one, and the legend has each.
    styles = page.run(f"""{json.dumps(TYPES)}.map((type) => [...document.querySelectorAll(`path.line.${{type}}`)].map((e) =>
        getComputedStyle(e).strokeDasharray))""")
    assert len({style[0] for style in styles}) == 3 and all(len(set(style)) == 1 and len(style) == 2 for style in styles), styles
    page.browser.events.clear()
    page.go(page.run("location.href"))
    page.until(DRAWN)
    assert len(own_calls(page)) == 2


def test_a_chosen_system_shows_its_impact(browser, lantern, project):
    impact = ask(lantern, "get_impact_analysis", project=project, system="lantern")
    page = opened(browser, lantern, project, "?system=lantern", shown="document.querySelector('.layers a.chosen')")
    affected = {one["slug"] for one in impact["direct"] + impact["transitive"]}
    assert affected and marked(page, "affected") == affected
    assert marked(page, "required") == {one["slug"] for one in impact["requirements"]}
    page.until("document.querySelector('path.line.affected').getAttribute('d')")
    bold = {(source, target) for kind, source, target in page.run(LINES) if kind == "affected"}
    assert bold == {(edge["source"], edge["target"]) for edge in ask(lantern, "get_dependency_graph", project=project)["edges"]
                    if edge["type"] == "requires" and {edge["source"], edge["target"]} <= affected | {"lantern"}}
    # Without colours: the words in the picture, the card, and the column of the table.
    assert "affected, 1 step" in main_text(page) and "A change of Lantern" in main_text(page) and "v0.1" in main_text(page)
    words = {row[0]: row[-1] for row in page.run(TABLE)}
    assert words["Lantern"] == "chosen" and words["Trading"] == "affected, 3 steps" and words["Movement"] == "required by it"
    assert len(own_calls(page)) <= 4
    page.run("document.querySelector('main details').open = true")
    accessible_everywhere(page)
    click(page, "Photo Mode", ".layers a")
    page.until("document.querySelector('.layers a.chosen')?.dataset.key === 'photo-mode'")
    assert len(calls_of(page, "/v1/actions/game_get_dependency_graph")) == 1, "another choice reads its impact alone"
    assert marked(page, "affected") == set() and page.run("location.search") == "?system=photo-mode"
    page.go(re.sub(r"\?.*", "?system=nothing", page.run("location.href")))
    page.until("document.querySelector('main [role=alert]')")
    assert reports(page) == []


def test_the_keyboard_goes_through_the_picture(browser, lantern, project):
    page = opened(browser, lantern, project)
    controls_are_reached(page)
    page.run("document.querySelector('.layers a[data-key=movement]').focus()")
    key(page, "ArrowRight")
    first = page.run("document.activeElement.dataset.key")
    assert first in page.run("[...document.querySelectorAll('.layer')[1].querySelectorAll('a')].map((e) => e.dataset.key)")
    key(page, "ArrowLeft")
    assert page.run("document.activeElement.closest('.layer').getAttribute('aria-label')") == "Layer 1"
    page.run("document.querySelector('.layers a').focus()")
    key(page, "ArrowDown")
    assert page.run("document.activeElement === document.querySelectorAll('.layer a')[1]")
    tab_to(page, "Lantern")
    key(page, "Enter")
    page.until("document.querySelector('.layers a.chosen')")
    assert focused(page).startswith("a Lantern") and page.run("document.activeElement.getAttribute('aria-current')") == "true"
    assert "Lantern: a change affects 4 systems." in page.run("document.getElementById('announcer').textContent")
    key(page, "Enter")
    page.until("!document.querySelector('.layers a.chosen')")
    assert page.run("location.search") == "" and reports(page) == []


def test_plans_show_their_phases(browser, lantern, project):
    page = opened(browser, lantern, project, "?tab=plans", shown="document.querySelector('main .rows')")
    assert "finalized" in main_text(page) and "draft" in main_text(page)
    page.run("document.querySelectorAll('main details').forEach((e) => { e.open = true; })")
    page.until("document.querySelectorAll('main .phases').length === 2")
    shown = page.run("[...document.querySelectorAll('main .rows > li')].map((e) => [e.querySelector('code').innerText, "
                     "[...e.querySelectorAll('.phases > li')].map((p) => [...p.querySelectorAll('li')].map((s) => s.innerText))])")
    for label, phases in shown:
        plan = ask(lantern, "get_version_plan", project=project, plan=label)
        names = {one["slug"]: one["name"] for one in plan["systems"]}
        assert phases == [[names[slug] for slug in phase] for phase in plan["phases"]]
    accessible_everywhere(page)
    assert reports(page) == []


def test_an_export_is_downloaded(browser, lantern, project, tmp_path):
    page = opened(browser, lantern, project, "?tab=exports", shown="document.querySelector('main .rows button')")
    page.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path), browserContextId=page.context)
    accessible_everywhere(page)
    listed = ask(lantern, "list_exports", project=project)["items"]
    page.run("document.querySelectorAll('main .rows button')[1].click()")
    page.until("document.querySelector('main .feedback')")
    lantern.wait(lambda: list(tmp_path.glob("*.md")))
    [file] = tmp_path.iterdir()
    assert file.name == "Game-design-document-Lantern-Shore.md"
    assert file.read_text() == ask(lantern, "list_exports", project=project, export=listed[1]["id"])["content"]
    assert reports(page) == []


def test_a_large_project_is_drawn_around_a_system(browser, lantern):
    found = ask(lantern, "create_project", name="Large")["id"]
    for part in range(4):
        systems = [f"# S{n}\n\n## System ID\ns{n}\n" + (f"\n## Dependencies\n- s{n - 1}\n" if n else "")
                   for n in range(part * 40, part * 40 + 40)]
        ask(lantern, "import_system_from_markdown", project=found, markdown="\n".join(systems))
    page = opened(browser, lantern, found, shown="document.querySelector('main .names')")
    assert not page.run("Boolean(document.querySelector('.layers'))") and "160 systems are too many" in main_text(page)
    assert page.run("document.querySelectorAll('main .names a').length") == 50 and "the newest 50" in main_text(page)
    choose(page, "q", "S77")
    click(page, "Find")
    page.until("document.querySelectorAll('main .names a').length === 1")
    click(page, "S77")
    page.until(DRAWN)
    around = ask(lantern, "get_dependency_graph", project=found, system="s77", depth=1)
    assert set(page.run("[...document.querySelectorAll('.layers a')].map((e) => e.dataset.key)")) == {n["slug"] for n in around["nodes"]}
    assert len(page.run(LINES)) == len(around["edges"])
    choose(page, "depth", "3")
    click(page, "Show")
    page.until("document.querySelectorAll('.layers a').length === 7")
    page.browser.events.clear()
    page.go(page.run("location.href"))
    page.until(DRAWN)
    assert len(own_calls(page)) <= 4
    size(page, NARROW)
    assert sideways(page) == 0 and reports(page) == []


def test_the_longest_lines_of_a_crowded_picture_are_straight():
    done = subprocess.run(["node", "--input-type=module", "-e", CROWDED], capture_output=True, text=True, check=True, timeout=60)
    drawn = json.loads(done.stdout)
    assert drawn["chains"] == drawn["edges"] > 1000
    assert 900 < drawn["places"] <= 1000
    assert 2 <= drawn["longest"] <= drawn["shortest"]


def test_a_page_of_a_pack_that_is_off_says_so(browser, toolcrib):
    page = open_page(browser, toolcrib, "game")
    assert "“Game” is off" in main_text(page) and not page.run(
        "[...document.querySelectorAll('.side a')].some((e) => /Game|Media/.test(e.innerText))")
    click(page, "Switch packs on")
    page.until("location.pathname.endsWith('/settings/packs') && document.getElementById('pack-game')")
    page.run("document.getElementById('pack-game').closest('section').querySelector('.head button').click()")
    page.until("[...document.querySelectorAll('.side a')].some((e) => e.innerText === 'Game')")
    packs.switch(toolcrib, False)
    page = open_page(browser, toolcrib, "media", "viewer")
    assert "Ask an admin" in main_text(page) and reports(page) == []


def test_the_first_page_of_a_demo_says_where_the_pack_is(browser, lantern):
    page = browser.open(one_time_link(lantern))
    page.until("document.querySelector('main .notice')")
    assert "Lantern Labs" in main_text(page) and "Game design" in main_text(page)
    click(page, "Switch to its owner")
    page.until("[...document.querySelectorAll('.side a')].some((e) => e.innerText === 'Game')")
    settled(page)
    assert at(lantern, "inbox") in page.run("location.pathname") and not page.run("Boolean(document.querySelector('main .notice'))")
