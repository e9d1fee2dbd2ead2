"""The chat page of `examples/web` in a browser, started with the README's own commands, with a scripted provider."""
import os
import pathlib
import re
import select
import signal
import socket
import subprocess
import sys

import pytest
import requests
from cards import card
from conftest import Toolcrib
from console import LAPTOP, PHONE, axe, size
from host_project import ROOT
from test_console_element import INNER, deep, part, press

# What the chatbots' tests have.
sys.path.append(str(ROOT / "tests/examples"))
from provider import Provider  # noqa: E402

README = (ROOT / "examples/README.md").read_text()
THEME = (ROOT / "examples/web/permission-dialog.css").read_text()


def commands(name):
    """A block of the README without the commands that install packages."""
    block = re.search(rf"^```sh {name}\n(.*?)^```", README, re.M | re.S).group(1)
    return [re.sub(r" +# and .*", "", line) for line in block.splitlines() if not line.startswith("pip ")]


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


@pytest.fixture(scope="module")
def service():
    """The demo as the README starts it, but at a free port."""
    port = free_port()
    flags = re.search(r"serve --demo (--embed-origins .*)", README).group(1).replace("8080", str(port)).split()
    running = Toolcrib(*flags)
    running.ask("PATCH", "/v1/settings", {"approval_mode": "standard"})
    running.port = port
    yield running
    running.close()


@pytest.fixture
def chat(browser, service, tmp_path):
    """Opens the chat with a script for its model."""
    started = []

    def open_chat(script, **more):
        provider = Provider(script)
        (tmp_path / "examples").symlink_to(ROOT / "examples")
        (tmp_path / ".toolcrib").symlink_to(service.folder)
        lines = "\n".join(["set -eu", *commands("credentials"), *commands("web")]).replace("PORT=8080 ", "exec ")
        lines = lines.replace("…", "fake-key", 1).replace("…", "fake-model", 1)
        env = {"PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(tmp_path),
               "PORT": str(service.port), "OPENAI_BASE_URL": f"{provider.url}/v1", "NO_PROXY": "127.0.0.1"} | more
        server = subprocess.Popen(["bash", "-c", lines], cwd=tmp_path, env=env, stdout=subprocess.PIPE, text=True)
        started.append((server, provider))
        assert select.select([server.stdout], [], [], 60)[0], "the chat does not start"
        page = browser.open(re.search(r"http://\S+", server.stdout.readline()).group(0))
        page.until(f"{INNER}?.querySelector('.cards')")
        return page, provider

    yield open_chat
    for server, provider in started:
        server.send_signal(signal.SIGTERM)
        server.wait(10)
        server.stdout.close()
        provider.close()
        assert not provider.faults, provider.faults[0]
        assert not provider.script, "the model was asked too few times"
    for name in ("examples", ".toolcrib"):
        (tmp_path / name).unlink(missing_ok=True)


def say(page, text):
    page.type("text", text)
    page.run("document.querySelector('form').requestSubmit()")


def test_a_person_approves_in_the_chat(browser, service, chat):
    service.post("/v1/actions/platform_create_agent", {"name": "Doomed in a chat"})

    def deletes(model):
        return [model.call("platform_delete_agent", agent="Doomed in a chat")]

    def tells(model):
        [(_, done)] = model.answers
        assert done["status"] == "completed" and done["data"]["deleted"], done
        return ["It is gone."]

    page, _ = chat([deletes, tells])
    for screen in (PHONE, LAPTOP):
        size(page, screen)
        assert axe(page) == []
    say(page, "Delete the agent Doomed in a chat")
    page.until(deep(card("Doomed in a chat")))
    page.until("document.title === '(1) Chat'")
    for screen in (PHONE, LAPTOP):
        size(page, screen)
        assert axe(page) == []
    press(page, "Doomed in a chat")
    page.until(part("Doomed in a chat", "confirm-input"))
    page.send("Input.insertText", text="Doomed in a chat")
    press(page, "Doomed in a chat")
    page.until("document.getElementById('messages').innerText.includes('It is gone.')")
    [row] = service.get("/v1/audit", kind="call", action="platform_delete_agent", outcome="succeeded", limit=1)["items"]
    assert (row["via"], row["granted_by"], row["caller_type"]) == ("confirmation", "user", "chat")
    assert page.complaints() == []


def test_a_person_denies_in_the_chat(browser, service, chat):
    service.post("/v1/actions/platform_create_agent", {"name": "Kept in a chat"})

    def deletes(model):
        return [model.call("platform_delete_agent", agent="Kept in a chat")]

    def tells(model):
        [(_, denied)] = model.answers
        assert denied["status"] == "refused" and "not that one" in denied["message"], denied
        return ["I leave it."]

    page, _ = chat([deletes, tells])
    say(page, "Delete the agent Kept in a chat")
    press(page, "Kept in a chat", "deny-button")
    page.until(part("Kept in a chat", "reason-input"))
    page.send("Input.insertText", text="not that one")
    press(page, "Kept in a chat", "deny-button")
    page.until("document.getElementById('messages').innerText.includes('I leave it.')")


def test_the_theme_is_made_of_custom_properties(browser, service, chat):
    rules = re.sub(r"/\*.*?\*/", "", THEME, flags=re.S)
    [(selector, body)] = re.findall(r"([^{}]+)\{([^{}]*)\}", rules)
    names = re.findall(r"([\w-]+):", body)
    assert selector.strip() == "toolcrib-approvals" and names and all(name.startswith("--toolcrib-") for name in names)
    service.post("/v1/actions/platform_create_agent", {"name": "Shown in gold"})
    page, _ = chat([lambda model: [model.call("platform_delete_agent", agent="Shown in gold")]])
    say(page, "Delete the agent Shown in gold")
    page.until(part("Shown in gold", "approve-button"))
    looks = page.run(f"""(() => {{ const [article, approve] = [{deep(card("Shown in gold"))}, {part("Shown in gold", "approve-button")}];
        const [card, button] = [getComputedStyle(article), getComputedStyle(approve)];
        return [card.backgroundColor, card.borderTopColor, card.borderTopLeftRadius, card.fontFamily.split(',')[0],
            button.backgroundColor, button.borderTopLeftRadius]; }})()""")
    cream, gold, red = "rgb(253, 246, 227)", "rgb(184, 137, 43)", "rgb(155, 28, 28)"
    assert looks == [cream, gold, "0px", "Georgia", red, "0px"]


def told_token(page):
    return page.run("fetch('/toolcrib-token').then((answer) => answer.text())")


def test_with_a_relaying_key_the_page_has_a_client_token(browser, service, chat):
    key = service.post("/v1/keys", {"kind": "service", "name": "chat", "role": "viewer", "scopes": ["approvals:relay"]}, 201)
    service.ask("PATCH", "/v1/settings", {"approval_mode": "confirm_writes"})

    def creates(model):
        return [model.call("platform_create_agent", name="Relayed in a chat")]

    def tells(model):
        [(_, done)] = model.answers
        assert done["status"] == "completed", done
        return ["It is there."]

    page, _ = chat([creates, tells], CRIB_RELAY_KEY=key["secret"])
    client = told_token(page)
    assert client != service.token("owner")
    of_client = {"Authorization": f"Bearer {client}"}
    assert requests.get(f"{service.base}/v1/me", headers=of_client, timeout=30).status_code == 401
    say(page, "Create the agent Relayed in a chat")
    press(page, "Relayed in a chat")
    page.until("document.getElementById('messages').innerText.includes('It is there.')")
    found = service.get("/v1/confirmations", status="executed")["items"]
    [confirmation] = [service.look(one["id"]) for one in found if "Relayed in a chat" in one["description"]]
    assert confirmation["decided_by"] == service.workspace["owner"]["user_id"]
    assert confirmation["history"][-1]["relayed_by"] == key["id"]
    service.ask("PATCH", "/v1/settings", {"approval_mode": "standard"})


def test_another_site_gets_no_token(browser, service, chat):
    page, _ = chat([])
    origin = page.run("location.origin")
    assert told_token(page) == service.token("owner")
    for site in (None, "cross-site", "same-site", "none"):
        headers = {"Sec-Fetch-Site": site} if site else {}
        answer = requests.get(f"{origin}/toolcrib-token", headers=headers, timeout=30)
        assert answer.status_code == 404 and service.token("owner") not in answer.text
