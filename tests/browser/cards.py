"""What the tests of confirmations do with a card: find it, unfold it, and press its buttons as a person would."""
import json

from console import key, tab_to

CTRL, SHIFT = 2, 8


def card(text):
    """The expression of the card or row whose text contains `text`."""
    return f"[...document.querySelectorAll('article.confirmation')].find((e) => e.innerText.includes({json.dumps(text)}))"


def part(text, name):
    """The expression of a part of a card, by its test ID."""
    return f"{card(text)}?.querySelector('[data-testid={name}]')"


def unfold(page, text):
    """Unfolds a row of the inbox."""
    page.until(card(text))
    page.run(f"{card(text)}.querySelector('.unfold[aria-expanded=false]').click()")
    page.until(f"{card(text)}?.querySelector('.unfold[aria-expanded=true]')")


def ready(page, text, name="approve-button"):
    """Waits until a press of the button counts."""
    page.run(f"{part(text, name)}.scrollIntoView({{ block: 'center' }})")
    page.until(f"{part(text, name)}.getAttribute('aria-disabled') === 'false'")


def press(page, text, name="approve-button", wait=True):
    """Clicks the middle of a button with the mouse."""
    page.until(part(text, name))
    if wait:
        ready(page, text, name)
    x, y = page.run(f"(() => {{ const r = {part(text, name)}.getBoundingClientRect(); "
                    "return [r.x + r.width / 2, r.y + r.height / 2]; })()")
    for kind in ("mousePressed", "mouseReleased"):
        page.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)


def write(page, text, name, value):
    """Types into a field of a card, in place of what stands there."""
    page.until(part(text, name))
    page.run(f"{part(text, name)}.focus(), {part(text, name)}.select()")
    page.send("Input.insertText", text=value)


def says(page, text, said):
    """Waits until a card says something."""
    page.until(f"{card(text)}?.innerText.includes({json.dumps(said)})")


def open_by_keyboard(page, text):
    """Goes to a row with Tab, and unfolds it with Enter."""
    tab_to(page, text)
    key(page, "Enter")
    page.until(f"{card(text)}?.querySelector('.unfold[aria-expanded=true]')")


def inbox(toolcrib, part=""):
    return f"/console/w/{toolcrib.workspace['id']}/inbox{part}"
