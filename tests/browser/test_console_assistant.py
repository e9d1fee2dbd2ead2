"""The chat of the console: with the commands of a demo, with a model, and without either."""
import pytest
from cards import press, write
from conftest import Toolcrib
from console import LAPTOP, accessible_everywhere, key, main_text, one_time_link, open_page, reports, settled, size
from llm import FakeModel

DELETE = ("platform_delete_agent", {"agent": "Release Writer"})
HOSTILE = ("# Title\n<img src=x onerror=alert(1)> **bold** `code`\n\n- one\n- two\n\n```\n<b>\n```\n[link](javascript:alert(1)) "
           "\u202eright to left")
READY = "document.getElementById('send')"


@pytest.fixture(scope="module")
def demo():
    running = Toolcrib()
    running.ask("PATCH", "/v1/settings", {"approval_mode": "standard"})
    yield running
    running.close()


@pytest.fixture(scope="module")
def model():
    running = FakeModel("gpt-4o-mini", {"Delete": DELETE})
    yield running
    running.close()


@pytest.fixture(scope="module")
def product(model):
    running = Toolcrib.with_model(model)
    yield running
    running.close()


def say(page, words):
    page.until(READY)
    page.type("words", words)
    key(page, "Enter")


def opened(browser, product, query="", who="owner"):
    return open_page(browser, product, f"chat{query}", who, "document.querySelector('main :is(.chat, .empty, [role=alert])')")


def agent(product):
    product.answer("POST", "/v1/actions/platform_create_agent", {"name": "Release Writer", "role": "worker"})


def decide(page, phrase):
    """Approves the typed call that the page shows."""
    press(page, phrase)
    write(page, phrase, "confirm-input", phrase)
    press(page, phrase)


def test_from_the_printed_link_to_an_answer_and_a_deletion(browser, demo):
    agent(demo)
    page = browser.open(one_time_link(demo))
    size(page, LAPTOP)
    page.until("document.querySelector('nav a[href$=\"/chat\"]')")
    page.run("document.querySelector('nav a[href$=\"/chat\"]').click()")
    page.until(READY)
    assert "No language model. Commands only" in main_text(page)
    say(page, "list_agents limit=3")
    page.until("/Found 3/.test(document.querySelector('.chat')?.innerText ?? '')")
    say(page, 'delete_agent {"agent": "Release Writer"}')
    decide(page, "Release Writer")
    page.until("/Deleted agent/.test([...document.querySelectorAll('.answer')].at(-1)?.innerText ?? '')")
    page.until(READY)
    shown = page.run("document.querySelector('.chat').innerText.replace(/\\s+/g, ' ')")
    page.go(page.run("location.href"))
    page.until("document.querySelectorAll('.message').length === 4")
    assert page.run("document.querySelector('.chat').innerText.replace(/\\s+/g, ' ')") == shown
    assert reports(page) == []


def test_other_words_get_no_invented_answer(browser, demo):
    page = opened(browser, demo)
    say(page, "How many agents are there?")
    page.until("/list_agents/.test(document.querySelector('.answer:last-of-type')?.innerText ?? '')")
    page.until(READY)
    assert "I am no language model" in page.run("document.querySelector('.chat').innerText")
    accessible_everywhere(page)
    page.run("document.querySelector('.head a').click()")
    page.until("document.querySelector('main .rows')")
    assert "How many agents are there?" in main_text(page)
    accessible_everywhere(page)


def test_a_decision_elsewhere_goes_on(browser, product, model):
    agent(product)
    page = opened(browser, product, "?thread=elsewhere")
    assert "No language model" not in main_text(page)
    say(page, "Delete it")
    page.until("document.querySelector('[data-testid=permission-dialog]')")
    [waits] = product.get("/v1/confirmations", status="open", session="elsewhere")["items"]
    product.post(f"/v1/confirmations/{waits['id']}/deny", {"reason": "in the inbox"})
    page.until("/denied the call: in the inbox/.test([...document.querySelectorAll('.answer')].at(-1)?.innerText ?? '')")
    assert reports(page) == []


def test_a_stop_and_a_reload(browser, product, model):
    page = opened(browser, product, "?thread=stopped")
    model.pace = 0.5
    say(page, "Say something")
    page.until("/I call/.test(document.querySelector('.chat')?.innerText ?? '')")
    page.go(page.run("location.href"))
    page.until("/I call/.test(document.querySelector('.chat')?.innerText ?? '') && document.getElementById('stop')")
    page.run("document.getElementById('stop').click()")
    page.until(READY)
    model.pace = 0
    assert "It was stopped." in main_text(page) and "for that" not in main_text(page)


def test_hostile_texts_are_texts(browser, product, model):
    model.delta, usual = lambda body: {"content": HOSTILE}, model.delta
    page = opened(browser, product, "?thread=hostile")
    say(page, "<b>Hello</b>")
    page.until("document.querySelector('.answer ul')")
    page.until(READY)
    model.delta = usual
    text = main_text(page)
    assert "<img src=x onerror=alert(1)>" in text and "[link](javascript:alert(1))" in text and "<b>Hello</b>" in text
    assert "\\u{202e}" in text
    assert "gpt-4o-mini · 920 tokens · $0.0001" in text
    assert page.run("document.querySelectorAll('.message :is(img, b, a)').length") == 0
    assert page.run("[...document.querySelectorAll('.answer :is(strong, code, li)')].map((one) => one.innerText)") == [
        "Title", "bold", "code", "one", "two", "<b>"]
    accessible_everywhere(page)
    assert reports(page) == []


def test_the_address_of_another_persons_thread_is_an_empty_one(browser, product):
    product.post("/v1/assistant/threads/private/runs", {"message": "Secret words", "wait": 20})
    page = opened(browser, product, "?thread=private", "editor")
    assert "Secret words" not in main_text(page)
    page = open_page(browser, product, "chat", "viewer")
    settled(page)
    assert "It needs the permission assistant:use" in main_text(page)
