"""The pictures in README.md are of the console as it is: the texts beside them are what it shows."""
import re
import struct
import sys

import pytest
from conftest import Toolcrib
from host_project import ROOT

sys.path.append(str(ROOT / "scripts/lib"))
import screenshots  # noqa: E402

IMAGES = ROOT / "docs/images"


@pytest.fixture(scope="module")
def fresh():
    """A service of its own: the pictures show everything that waits."""
    running = Toolcrib()
    screenshots.prepare(running)
    yield running
    running.close()


def test_the_pictures_show_what_the_console_says(browser, fresh):
    page = screenshots.open_page(browser, fresh)
    for name in screenshots.PICTURES:
        screenshots.show(page, fresh, name)
        assert screenshots.text(page) == (IMAGES / f"{name}.txt").read_text(), "run scripts/screenshots"


def test_the_pictures_are_small_and_in_the_readme():
    readme = (ROOT / "README.md").read_text()
    shown = re.findall(r"!\[[^\]]+\]\(docs/images/(\w+)\.png\)", readme)
    assert sorted(shown) == sorted(screenshots.PICTURES)
    for name in shown:
        picture = (IMAGES / f"{name}.png").read_bytes()
        assert picture[:8] == b"\x89PNG\r\n\x1a\n" and len(picture) < 160_000, len(picture)
        assert struct.unpack(">I", picture[16:20])[0] == screenshots.WIDTH * screenshots.SCALE
