"""The page of the pack `media`: what was added and by whom, the downloads, and the state of each service."""
import packs
import pytest
from conftest import Toolcrib
from console import accessible_everywhere, calls_of, choose, click, controls_are_reached, main_text, open_page, own_calls, reports

KEY = "a" * 32
ROWS = "[...document.querySelectorAll('main table tbody tr')].map((row) => [...row.cells].map((cell) => cell.innerText.trim()))"


@pytest.fixture(scope="module")
def house():
    """A service of its own with a Radarr, to which a member and an owner add a film each."""
    radarr = packs.Radarr(KEY)
    running = Toolcrib("--upstream-hosts", "127.0.0.1")
    packs.switch(running, True)
    running.ask("PATCH", "/v1/settings", {"approval_mode": "standard"})
    auth = {"kind": "header", "name": "X-Api-Key"}
    running.post("/v1/upstreams", {"name": "radarr", "kind": "http", "base_url": radarr.base, "auth": auth}, 201)
    running.ask("PUT", "/v1/upstreams/radarr/secret", {"secret": KEY})
    for who, film in (("member", 329865), ("owner", 438631)):
        assert packs.call(running, "media_add_movie", {"tmdb_id": film}, who)
    yield running
    running.close()
    radarr.close()


def opened(browser, house, tab="", who="owner"):
    return open_page(browser, house, f"media{tab}", who, "document.querySelector('main :is(table, .rows, .empty, [role=alert])')")


def test_additions_are_listed_by_person(browser, house):
    page = opened(browser, house)
    assert [(row[0], row[1], row[2]) for row in page.run(ROWS)] == [
        ("Dune (2021)", "Film", "Demo owner"), ("Arrival (2016)", "Film", "Demo member")]
    assert "2 additions" in main_text(page) and "2 in the last 7 days" in main_text(page)
    assert len(own_calls(page)) == 1 and len(calls_of(page, "/v1/members")) == 1
    controls_are_reached(page)
    accessible_everywhere(page)
    choose(page, "user", house.workspace["member"]["user_id"])
    page.until(f"{ROWS}.length === 1")
    assert page.run(ROWS)[0][0] == "Arrival (2016)" and house.workspace["member"]["user_id"] in page.run("location.search")
    choose(page, "type", "series")
    page.until("document.querySelector('main .empty')")
    assert "not endorsed or certified by TMDB" in main_text(page) and reports(page) == []


def test_a_service_is_checked_where_its_pack_is_set(browser, house):
    page = open_page(browser, house, "settings/packs", shown="document.getElementById('pack-media')")
    card = "document.getElementById('pack-media').closest('section')"
    checks = f"[...{card}.querySelectorAll('dd button')]"
    assert page.run(f"{checks}.map((one) => one.textContent.trim())") == ["Check radarr"], "the others are not set"
    page.run(f"{checks}[0].click()")
    page.until(f"{card}.querySelector('.notice.good')?.innerText === 'radarr answers.'")
    house.ask("PUT", "/v1/upstreams/radarr/secret", {"secret": "b" * 32})
    page.run(f"{checks}[0].click()")
    page.until(f"{card}.querySelector('.notice.wrong')?.innerText === 'radarr: it refused the secret.'")
    assert not page.run(f"Boolean({card}.querySelector('.notice.good'))")
    accessible_everywhere(page)
    house.ask("PUT", "/v1/upstreams/radarr/secret", {"secret": KEY})
    assert reports(page) == []


def test_a_member_sees_their_own(browser, house):
    page = opened(browser, house, who="member")
    assert [row[0] for row in page.run(ROWS)] == ["Arrival (2016)"]
    assert not page.run("Boolean(document.querySelector('[name=user]'))") and len(own_calls(page)) == 1
    page = opened(browser, house, who="viewer")
    assert "Nothing was added." in main_text(page) and reports(page) == []


def test_the_queue_is_that_of_the_server(browser, house):
    page = opened(browser, house, "?tab=queue", "viewer")
    assert page.run(ROWS) == [["Arrival", "75 %", "90 min", "downloading"],
                              ["<b>Dune</b>", "", "", "import blocked Not an upgrade"]]
    assert page.run("document.querySelector('progress').value") == 75 and len(own_calls(page)) == 1
    accessible_everywhere(page)
    page.browser.events.clear()
    click(page, "Refresh")
    page.until("document.querySelector('main table')")
    assert len(own_calls(page)) == 1 and reports(page) == []


def test_the_status_names_what_is_missing(browser, house):
    page = opened(browser, house, "?tab=status", "viewer")
    rows = page.run("[...document.querySelectorAll('main .rows > li')].map((e) => [e.querySelector('strong').innerText, "
                    "e.querySelector('.tag').innerText])")
    assert rows == [["Radarr 5.14.0.9383", "connected"], ["Sonarr", "not set"], ["TMDB", "not set"], ["Brave", "not set"]]
    assert "/v1/" not in main_text(page), "requests are for programs"
    accessible_everywhere(page)
    assert reports(page) == []


def test_without_servers_the_queue_says_what_to_set(browser, toolcrib):
    packs.switch(toolcrib, True)
    try:
        page = opened(browser, toolcrib, "?tab=queue")
        assert "radarr" in main_text(page) and "connector_not_configured" in main_text(page)
        assert reports(page) == []
    finally:
        packs.switch(toolcrib, False)
