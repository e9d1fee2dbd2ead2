"""The chat of `docs/assistant.md` in a browser, with the oldest and the newest `ai` 6 and 7: nothing stands between `useChat` and
the service but a backend that passes requests on."""
import subprocess

import pytest
from chat_host import ChatHost
from conftest import Toolcrib
from host_project import HERE
from llm import FakeModel
from pages import Page as Document

VERSIONS = ["6-oldest", "6-newest", "7-oldest", "7-newest"]
DELETE = ("platform_delete_agent", {"agent": "Release Writer"})
SCRIPT = {"Delete": DELETE, "Remove": DELETE, "Discard": DELETE, "Agents": ("platform_list_agents", {})}
# What a page does around the chat of the document: it reads the thread first.
START = """import { createRoot } from "react-dom/client";
import { Chat } from "./Chat";
const thread = location.hash.slice(1);
const read = await fetch(`/v1/assistant/threads/${thread}`);
const earlier = read.ok ? (await read.json()).messages : [];
createRoot(document.getElementById("app")!).render(<Chat thread={thread} earlier={earlier} />);
"""


@pytest.fixture(scope="module")
def model():
    running = FakeModel("qwen3:8b", SCRIPT)
    yield running
    running.close()


@pytest.fixture(scope="module")
def product(model):
    running = Toolcrib.with_model(model)
    yield running
    running.close()


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    folder = tmp_path_factory.mktemp("chat")
    Document("docs/assistant.md").save_files(folder)
    (folder / "page.tsx").write_text(START)
    return folder


@pytest.fixture(params=VERSIONS)
def host(request, product, sources):
    subprocess.run(["node", "chat_page.mjs", sources, request.param], cwd=HERE, check=True, timeout=120)
    running = ChatHost(product, (sources / f"{request.param}.js").read_bytes())
    running.version = request.param
    yield running
    running.close()


class Chat:
    """A page with the chat, in a thread."""

    def __init__(self, browser, host, thread):
        self.host, self.thread = host, f"{thread}-{host.version}"
        self.page = browser.open(f"{host.url}/#{self.thread}")
        self.page.until("document.getElementById('text')")

    def say(self, text):
        self.page.type("text", text)
        self.click("send")

    def click(self, button):
        self.page.run(f"document.getElementById('{button}').click()")

    def reload(self):
        self.page.send("Page.reload")
        self.page.until("document.getElementById('text')")

    def ready(self):
        self.page.until("document.getElementById('status').value === 'ready'")

    def shows(self, text, times=1):
        self.page.until(f"document.body.innerText.split({text!r}).length > {times}")

    def at_rest(self):
        """Waits until nothing is streamed. Nothing is sent any more."""
        self.ready()
        posts = self.host.posts
        self.page.run("new Promise((done) => setTimeout(done, 300))")
        assert self.host.posts == posts, "the page sends by itself"
        assert self.page.run("document.getElementById('status').value") == "ready"

    def messages(self):
        return self.page.run("[...document.querySelectorAll('section')].map((one) => one.className)")


def agent(product):
    """Makes the agent that the model deletes, if it is not there."""
    product.answer("POST", "/v1/actions/platform_create_agent", {"name": "Release Writer", "role": "worker"})


def test_a_chat(browser, host, product):
    agent(product)
    chat = Chat(browser, host, "talk")
    chat.say("Agents, please")
    chat.shows("The tool answered: Found")
    chat.at_rest()
    # A typed call: the phrase is asked for, wrong once.
    chat.say("Delete it")
    chat.page.until("document.getElementById('approve')")
    chat.click("approve")
    chat.page.until("document.getElementById('phrase')")
    chat.page.type("phrase", "Writer")
    chat.click("approve")
    chat.shows("attempts left: 4")
    chat.page.type("phrase", "Release Writer")
    chat.click("approve")
    chat.shows("The tool answered: Deleted")
    chat.at_rest()
    assert chat.messages() == ["user", "assistant", "user", "assistant"]
    shown = chat.page.text()
    chat.reload()
    chat.shows("The tool answered: Deleted")
    chat.ready()
    assert chat.page.text() == shown, "the list shows what the stream showed"
    assert chat.page.complaints() == []


def test_a_denial_after_a_reload(browser, host, product):
    agent(product)
    chat = Chat(browser, host, "denial")
    chat.say("Remove it")
    chat.page.until("document.getElementById('deny')")
    chat.reload()
    chat.page.until("document.getElementById('deny')")
    chat.ready()
    chat.click("deny")
    chat.shows("a person denied the call: `not now`", times=2)
    chat.at_rest()
    assert chat.messages() == ["user", "assistant"]


def test_a_decision_elsewhere(browser, host, product):
    agent(product)
    chat = Chat(browser, host, "elsewhere")
    chat.say("Discard it")
    chat.page.until("document.getElementById('approve')")
    chat.ready()
    [waits] = product.get("/v1/confirmations", status="open", session=chat.thread)["items"]
    product.post(f"/v1/confirmations/{waits['id']}/deny", {"reason": "in the console"})
    chat.click("approve")
    # The approval comes too late, and says so once.
    chat.shows("already_decided")
    # A run that ends between the list and the stream is in neither.
    ended = lambda: product.get(f"/v1/assistant/threads/{chat.thread}")["last_run"].get("ended_at")
    assert product.wait(ended, 20)
    chat.reload()
    chat.shows("denied the call: `in the console`")
    assert host.posts == 2


def test_a_reload_while_the_model_writes(browser, host, product, model):
    chat = Chat(browser, host, "slow")
    model.pace = 0.4
    chat.say("Say something long")
    chat.shows("I call")
    chat.reload()
    chat.shows("I call no tool for that.")
    model.pace = 0
    chat.at_rest()
    assert chat.messages() == ["user", "assistant"]


def test_a_stop(browser, host, product, model):
    chat = Chat(browser, host, "stop")
    model.pace = 0.5
    chat.say("Say something longer")
    chat.shows("I call")
    chat.click("stop")
    chat.ready()
    model.pace = 0
    said = chat.page.text()
    assert "for that" not in said
    chat.reload()
    chat.shows("I call")
    assert chat.messages() == ["user", "assistant"]
