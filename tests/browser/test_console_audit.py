"""The pages about the audit log: calls and filters, one row, the chain, and a file verified in the browser."""
import json
import os
import pathlib
import re
import subprocess

import pytest
from console import (HIDDEN, NARROW, at, calls_of, choose, click, controls_are_reached, main_text, open_page, own_calls, reports,
                     settled, sideways, sign_in, size)

ROOT = pathlib.Path(__file__).parents[2]
ROWS = "[...document.querySelectorAll('.audit')]"
IDS = f"{ROWS}.map((e) => [...e.querySelectorAll('dt')].find((t) => t.innerText === 'id').nextElementSibling.innerText)"
HOSTILE = f'<img src=x onerror="window.pwned=1">{HIDDEN}'


def audit(toolcrib, more=""):
    return at(toolcrib, f"audit{more}")


def opened(browser, toolcrib, more="", who="owner", shown="document.querySelector('main .figures')"):
    return open_page(browser, toolcrib, f"audit{more}", who, shown)


def shown_ids(page):
    page.run(f"{ROWS}.forEach((e) => {{ e.open = true; }})")
    return page.run(IDS)


def choose_file(page, file):
    root = page.send("DOM.getDocument")["root"]["nodeId"]
    field = page.send("DOM.querySelector", nodeId=root, selector="#export")["nodeId"]
    page.send("DOM.setFileInputFiles", files=[str(file)], nodeId=field)


@pytest.fixture(scope="module")
def export(toolcrib):
    """What `toolcrib audit export` prints, and the key that signed it."""
    command = [os.environ["TEST_BIN"], "audit"]
    folder = ["--data-dir", str(toolcrib.folder)]
    run = lambda *words: subprocess.run([*command, *words, *folder], capture_output=True, text=True, check=True).stdout
    return run("export", "--workspace", toolcrib.workspace["id"]), run("key").strip()


@pytest.mark.parametrize("filters", [
    {}, {"decision": "denied"}, {"action": "platform_list_agents"}, {"outcome": "failed"}, {"level": "destructive"},
    {"kind": "admin"}, {"surface": "cli", "via": "direct"}, {"role": "owner", "caller_type": "api"},
    {"from": "2026-11-10T00:00:00.000Z", "to": "2026-11-12T00:00:00.000Z"}, {"reason": "permission_denied"},
])
def test_the_calls_are_those_of_the_api(browser, toolcrib, filters):
    toolcrib.answer("POST", "/v1/actions/platform_delete_agent", {"agent": "x"}, who="viewer")
    # What the console itself calls is in the log too: calls before now are the same for both.
    fixed = filters if "to" in filters else filters | {"to": toolcrib.get("/v1/audit", limit=1)["items"][0]["occurred_at"]}
    query = "&".join(f"{name}={value}" for name, value in fixed.items())
    page = opened(browser, toolcrib, f"?{query}")
    calls = {"group": "call", "console_reads": "false"} | fixed
    wanted = toolcrib.get("/v1/audit", limit=50, **calls)["items"]
    assert wanted or "outcome" in filters or "reason" in filters
    assert shown_ids(page) == [one["id"] for one in wanted] if wanted else "No call is like that" in main_text(page)
    stats = toolcrib.get("/v1/audit/stats", by="decision", **calls)
    assert page.run("document.querySelector('.figures strong').innerText").split()[0] == f"{stats['total']:,}"
    counts = page.run("[...document.querySelectorAll('.figures a strong')].map((e) => e.innerText)")
    assert counts == [f"{one['count']:,}" for one in stats["items"]]


def test_filters_and_pages_survive_a_reload(browser, toolcrib):
    page = opened(browser, toolcrib)
    choose(page, "action", "platform_list_tasks")
    choose(page, "outcome", "succeeded")
    choose(page, "from", "2026-11-01T00:00:00")
    click(page, "Show")
    page.until("location.search.includes('action=platform_list_tasks')")
    page.until("document.querySelector('.figures')")
    before = shown_ids(page)
    page.go(page.run("location.href"))
    page.until("document.querySelector('.figures')")
    assert shown_ids(page) == before
    assert page.run("document.querySelector('[name=from]').value").startswith("2026-11-01T00:00")
    assert [page.run(f"document.querySelector('[name={n}]').value") for n in ("action", "outcome")] == ["platform_list_tasks", "succeeded"]
    page.go(f"{toolcrib.base}{audit(toolcrib)}")
    page.until("document.querySelector('.figures')")
    first = shown_ids(page)
    click(page, "Older")
    page.until("location.search.includes('cursor=')")
    page.until("document.querySelector('.figures')")
    second = shown_ids(page)
    assert first and second and not set(first) & set(second)
    page.go(page.run("location.href"))
    page.until("document.querySelector('.figures')")
    assert shown_ids(page) == second
    page.run("history.back()")
    page.until("location.search === ''")
    click(page, "Show")
    page.until("document.querySelector('.figures')")


def test_a_page_without_rows_may_have_older_ones(browser, toolcrib):
    page = opened(browser, toolcrib)
    # The page of a log with more than 10,000 rows, of which the newest 10,000 do not match.
    page.run("""{ const real = fetch; globalThis.fetch = (path, init) => (String(path).includes('/v1/audit?')
        ? Promise.resolve(Response.json({ items: [], next_cursor: 'older' }))
        : real(path, init)); }""")
    choose(page, "action", "platform_list_tasks")
    click(page, "Show")
    page.until("document.querySelector('.empty')?.innerText.includes('None of the newest calls is like that')")
    click(page, "Older")
    page.until("location.search.includes('cursor=older')")


def test_a_deletion_is_one_line_with_its_life(browser, toolcrib):
    toolcrib.asked("create_agent", {"name": "Short life"}, "owner")
    made = toolcrib.get("/v1/confirmations", status="open", limit=1)["items"][0]
    toolcrib.post(f"/v1/confirmations/{made['id']}/approve", {})
    asked = toolcrib.asked("delete_agent", {"agent": "Short life"}, "owner")
    page = opened(browser, toolcrib, f"?confirmation_id={asked['id']}")
    line = "document.querySelector('.audit summary').innerText"
    assert page.run(f"{ROWS}.length") == 1 and "waits for a person" in page.run(line)
    assert page.run("document.querySelector('.figures').innerText").startswith("1 call")
    toolcrib.post(f"/v1/confirmations/{asked['id']}/approve", {}, 202)
    toolcrib.post(f"/v1/confirmations/{asked['id']}/approve", {"phrase": "Short life"})
    page.go(page.run("location.href"))
    page.until("document.querySelector('main .figures')")
    assert page.run(f"{ROWS}.length") == 1 and "succeeded" in page.run(line) and "waits" not in page.run(line)
    page.run(f"{ROWS}[0].open = true")
    steps = page.run("[...document.querySelectorAll('.life > li')].map((e) => e.innerText.replace(/\\s+/g, ' ').trim())")
    who = toolcrib.get("/v1/me")["user"]["display_name"]
    assert [re.sub(r"^\S*?(\d\d:\d\d:\d\d) | by .*|[\d,]+ ms", "", one).strip() for one in steps] == [
        "asked", "step 1 of 2", "approved", "ran"], steps
    assert f"approved by {who}" in steps[2] and all(re.match(r"\d\d:\d\d:\d\d ", one) for one in steps), steps
    # A row of the log, at its own address, says what happened then.
    row = toolcrib.get("/v1/audit", confirmation_id=asked["id"], decision="confirmation_required", kind="call")["items"][0]
    page.go(f"{toolcrib.base}{audit(toolcrib, '/' + row['id'])}")
    page.until("document.querySelector('.audit[open] .life')")
    assert "waited" in page.run(line)


def test_the_reads_of_the_console_are_behind_a_switch(browser, toolcrib):
    page = opened(browser, toolcrib, "?surface=console")
    first = page.run("document.querySelector('main .figures').innerText")
    assert "me.get" not in main_text(page) and not page.run("document.querySelector('[name=console_reads]').checked")
    page.run("document.querySelector('[name=console_reads]').click()")
    page.until("location.search.includes('console_reads=true')")
    page.until("document.querySelector('main .figures') && document.querySelector('main').innerText.includes('me.get')")
    assert page.run("document.querySelector('main .figures').innerText") != first
    page.go(page.run("location.href"))
    page.until("document.querySelector('[name=console_reads]')?.checked")


def test_a_row_opens_with_everything_it_has(browser, toolcrib):
    talk = {"X-Session-Id": "talk <b>1</b>"}
    asked = toolcrib.asked("create_task", {"title": HOSTILE, "description": "x"}, "agent", **talk)
    row = toolcrib.get("/v1/audit", confirmation_id=asked["id"], decision="confirmation_required")["items"][0]
    page = opened(browser, toolcrib, f"?confirmation_id={asked['id']}")
    page.run(f"{ROWS}.forEach((e) => {{ e.open = true; }})")
    click(page, row["id"], "main .audit a")
    page.until(f"location.pathname.endsWith('/audit/{row['id']}')")
    page.until("document.querySelector('main').innerText.includes('The calls of this conversation')")
    page.until("document.querySelector('.audit[open]')")
    shown = page.run("Object.fromEntries([...document.querySelectorAll('.audit dt')].map((e) => "
                     "[e.innerText, e.nextElementSibling.innerText]))")
    for field in ("id", "kind", "via", "surface", "caller_type", "session", "decision", "outcome", "request_id", "confirmation_id"):
        assert shown[field] == row[field], field
    assert row["principal"]["id"] in shown["principal"] and row["principal"]["credential_id"] in shown["principal"]
    assert "\\u{202e}" in page.run("document.querySelector('.audit pre').textContent")
    assert page.run("document.querySelectorAll('main img, main b').length") == 0 and page.run("window.pwned") is None
    assert not any(c in page.text() for c in HIDDEN)
    page.until(f"{ROWS}.length === 1")
    click(page, "The calls of this conversation")
    page.until("new URLSearchParams(location.search).get('session') === 'talk <b>1</b>'")
    page.until("document.querySelector('.figures')")
    assert row["id"] in shown_ids(page)
    size(page, NARROW)
    assert sideways(page) == 0 and reports(page) == []


def test_the_chain_is_verified_now(browser, toolcrib):
    page = opened(browser, toolcrib, "/chain", shown="document.querySelector('main .facts')")
    found = toolcrib.get("/v1/audit/verify")
    text = main_text(page)
    assert "The chain holds." in text and found["ok"]
    head = page.run("document.querySelector('.facts copy-text').value")
    assert len(head) == 64 and head in text
    toolcrib.post("/v1/actions/platform_list_agents", {})
    sealed = f"Number(document.querySelectorAll('.facts dd')[1].innerText.replace(/\\D/g, ''))"
    before = page.run(sealed)

    def grown():
        click(page, "Verify now")
        page.until("document.querySelector('main .facts')")
        return page.run(sealed) > before
    assert toolcrib.wait(grown, 20)


@pytest.mark.parametrize("change", ["none", "row", "place", "removed", "order", "signature", "key", "nonsense"])
def test_a_file_is_verified_without_the_network(browser, toolcrib, export, change, tmp_path):
    text, key = export
    # A text may have separators of lines that are no line feeds.
    lines = text.rstrip("\n").split("\n")
    at, problem = 30, None
    trusted = key
    if change == "row":
        lines[at] = lines[at].replace('"outcome":"succeeded"', '"outcome":"failed"')
        problem = f"place {at + 1}: the row was changed"
    elif change == "place":
        lines[at] = lines[at].replace('"sealed_at":"2', '"sealed_at":"1')
        problem = f"place {at + 1}: the place was changed"
    elif change == "removed":
        del lines[at]
        problem = f"place {at + 2}: does not follow the place before it"
    elif change == "order":
        lines[at], lines[at + 1] = lines[at + 1], lines[at]
        problem = f"place {at + 2}: does not follow the place before it"
    elif change == "signature":
        last = json.loads(lines[-1])
        last["checkpoint"]["made_at"] = "2020-01-01T00:00:00.000000Z"
        lines[-1] = json.dumps(last)
        problem = f"place {last['checkpoint']['seq']}: the checkpoint has a signature that is wrong"
    elif change == "key":
        trusted = "A" * 43 + "="
        problem = "the checkpoint is signed with a key that is not trusted"
    elif change == "nonsense":
        lines[at] = "<script>window.pwned=1</script>"
        problem = f"line {at + 1}: is no line of an export"
    file = tmp_path / "audit.jsonl"
    file.write_text("\n".join(lines) + "\n")
    page = opened(browser, toolcrib, "/chain", shown="document.querySelector('main .facts')")
    page.send("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
    browser.events.clear()
    page.run(f"document.querySelector('[name=key]').value = {json.dumps(trusted)}")
    choose_file(page, file)
    page.until("document.querySelector('verify-file .notice')")
    said = page.run("document.querySelector('verify-file .notice').innerText")
    assert page.asked_for() == []
    rows = sum('"checkpoint"' not in line for line in text.split("\n") if line)
    if problem is None:
        assert said.startswith(f"Intact: {rows} rows, {len(lines) - rows} checkpoint"), said
    else:
        assert said.startswith("Broken at ") and problem in said, said
    # The verifier in Python judges alike.
    if change != "nonsense":
        script = ["scripts/verify-audit", "--public-key", trusted, str(file)]
        assert subprocess.run(script, cwd=ROOT, capture_output=True).returncode == (problem is not None)


def test_the_page_exports_the_log_and_verifies_the_file(browser, toolcrib, tmp_path):
    page = opened(browser, toolcrib, "/chain", who="admin", shown="document.querySelector('main .facts')")
    browser.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path), browserContextId=page.context)
    browser.events.clear()
    click(page, "Export")
    file = tmp_path / f"audit-{toolcrib.workspace['id']}.jsonl"
    assert toolcrib.wait(file.exists, 20), list(tmp_path.iterdir())
    assert len(calls_of(page, "/v1/audit/export")) == 1 and reports(page) == []
    text = file.read_text()
    rows = [line for line in text.split("\n") if '"row_hash"' in line]
    later = toolcrib.answer("GET", "/v1/audit/export").text.split("\n")
    assert rows and rows == later[:len(rows)]
    choose_file(page, file)
    page.until("document.querySelector('verify-file .notice')")
    said = page.run("document.querySelector('verify-file .notice').innerText")
    assert said.startswith(f"Intact: {len(rows)} rows, "), said
    key = json.loads(text.rstrip("\n").split("\n")[-1])["checkpoint"]["public_key"]
    script = ["scripts/verify-audit", "--public-key", key, str(file)]
    assert subprocess.run(script, cwd=ROOT, capture_output=True).returncode == 0
    # The command finds in the log what the file says.
    command = [os.environ["TEST_BIN"], "audit", "verify", "--workspace", toolcrib.workspace["id"], "--against", str(file),
               "--data-dir", str(toolcrib.folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and "intact" in done.stdout, done
    # A row that was changed in the file is found at its place.
    changed = tmp_path / "changed.jsonl"
    changed.write_text(text.replace('"outcome":"succeeded"', '"outcome":"failed"', 1))
    choose_file(page, changed)
    page.until("document.querySelector('verify-file .notice')?.innerText.startsWith('Broken at place')")


def test_an_export_that_fails_says_why(browser, toolcrib, tmp_path):
    page = opened(browser, toolcrib, "/chain", shown="document.querySelector('main .facts')")
    browser.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path), browserContextId=page.context)
    # An answer whose connection ends before its last line.
    page.run("""{ const real = fetch; globalThis.fetch = (path, init) => (String(path).includes('/v1/audit/export')
        ? Promise.resolve(new Response(new ReadableStream({ pull: (c) => c.error(new TypeError('network')) })))
        : real(path, init)); }""")
    click(page, "Export")
    page.until("document.querySelector('main [role=alert]')?.innerText.includes('broke off before its end')")
    assert list(tmp_path.iterdir()) == []


def test_a_part_of_the_log_is_verified_as_a_part(browser, toolcrib, export, tmp_path):
    file = tmp_path / "part.jsonl"
    file.write_text("\n".join(export[0].split("\n")[40:]))
    page = opened(browser, toolcrib, "/chain", shown="document.querySelector('main .facts')")
    choose_file(page, file)
    page.until("document.querySelector('verify-file .notice')?.innerText.startsWith('Broken at place 41')")
    page.run("document.querySelector('[name=partial]').click()")
    click(page, "Verify again")
    page.until("document.querySelector('verify-file .notice')?.innerText.startsWith('Intact')")
    assert "compare it with" in main_text(page)


def test_only_those_who_may_read_the_log_open_it(browser, toolcrib):
    page = sign_in(browser, toolcrib, toolcrib.token("editor"), audit(toolcrib))
    for more in ("", "/chain", "/0190"):
        browser.events.clear()
        page.go(f"{toolcrib.base}{audit(toolcrib, more)}")
        settled(page)
        assert "audit:read" in main_text(page) and "admins and owners" in main_text(page)
        assert not [url for url in page.asked_for() if "/v1/audit" in url]
    assert "Audit" not in page.run("document.querySelector('.side').innerText")


def test_controls_are_reached_and_a_view_makes_few_calls(browser, toolcrib):
    page = opened(browser, toolcrib, "?action=me.get&kind=admin")
    controls_are_reached(page)
    for more in ("", "/chain"):
        browser.events.clear()
        page.go(f"{toolcrib.base}{audit(toolcrib, more)}")
        page.until("document.querySelector('main .figures, main .facts')")
        assert len(own_calls(page)) <= 2, more
