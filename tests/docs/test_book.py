"""The documents as a site: it is built, no link of it is dead, each document is in it and in the index, and its search finds
words."""
import html.parser
import json
import pathlib
import re
import subprocess
import sys
import urllib.parse

import pytest

ROOT = pathlib.Path(__file__).parents[2]
BUILD = [sys.executable, ROOT / "scripts/lib/book.py"]


class Links(html.parser.HTMLParser):
    """What a page links to and shows, and the anchors that it has."""

    def __init__(self, file):
        super().__init__()
        self.links, self.anchors = set(), set()
        self.feed(file.read_text())

    def handle_starttag(self, tag, attributes):
        held = dict(attributes)
        self.anchors |= {held[name] for name in ("id", "name") if held.get(name)}
        self.links |= {held[name] for name in ("href", "src") if held.get(name)}


def dead_links(site):
    """The links of a site's pages to files or anchors that are not there, as `page -> link`."""
    pages = {file: Links(file) for file in site.rglob("*.html")}
    # These are at any depth of addresses, or no page of their own.
    apart = {site / "404.html", site / "toc.html"}
    for file in sorted(pages.keys() - apart):
        for link in sorted(pages[file].links):
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (file.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else file
            if not target.is_file():
                yield f"{file.relative_to(site)} -> {link}"
            elif parts.fragment and target in pages and urllib.parse.unquote(parts.fragment) not in pages[target].anchors:
                yield f"{file.relative_to(site)} -> {link}"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("book")
    subprocess.run([*BUILD, folder], check=True, timeout=60)
    return folder.resolve()


def documents():
    """All documents but the list of chapters, as paths from the root."""
    patterns = ("*.md", "docs/**/*.md", "examples/*.md", "examples/*/*.md", "deploy/*.md", "clients/*.md", "clients/*/*.md")
    found = [file for pattern in patterns for file in ROOT.glob(pattern)]
    return sorted(str(file.relative_to(ROOT)) for file in found if file.name != "SUMMARY.md")


def linked(page):
    """The documents that a page of docs/ links to."""
    links = re.findall(r"\]\(([^)\s#]+\.(?:md|txt))(?:#[^)]*)?\)", (ROOT / "docs" / page).read_text())
    return {str((ROOT / "docs" / path).resolve().relative_to(ROOT)) for path in links}


def test_no_link_is_dead(site):
    dead = list(dead_links(site))
    assert not dead, "\n".join(dead)


def test_every_document_is_a_chapter_and_in_the_index():
    assert sorted(linked("SUMMARY.md")) == documents()
    # The pages about decisions have an index of their own.
    wanted = {path for path in documents() if not path.startswith("docs/decisions/") or path.endswith("README.md")}
    assert wanted - linked("README.md") == {"README.md", "docs/README.md"}


def test_the_search_finds_words(site):
    [file] = site.glob("searchindex-*.js")
    text = re.fullmatch(r"window\.search = Object\.assign\(window\.search, JSON\.parse\('(.*)'\)\);?", file.read_text(), re.S)[1]
    index = json.loads(text.replace("\\'", "'").replace("\\\\", "\\"))
    pages = {index["doc_urls"][int(number)] for number in index["index"]["documentStore"]["docs"]}
    assert {"docs/replicas.html#pgbouncer", "docs/quick-start.html#start", "docs/actions.html#platform_create_agent"} <= pages


def test_a_dead_link_is_found(tmp_path):
    (tmp_path / "one.html").write_text('<h1 id="top">One</h1><a href="two.html#here">a</a><a href="two.html#gone">b</a>'
                                       '<a href="#top">c</a><a href="gone.html">d</a><img src="gone.png">'
                                       '<a href="https://e.example">e</a>')
    (tmp_path / "two.html").write_text('<h2 id="here">Two</h2><a href="one.html">f</a>')
    assert list(dead_links(tmp_path)) == ["one.html -> gone.html", "one.html -> gone.png", "one.html -> two.html#gone"]


def test_documents_have_one_shell_helper():
    """`ask`, `as` and `field` are those of examples/demo-env: no document has another one, or a credential of its own."""
    own = re.compile(r"^(ask|as|field)\(\)|curl\b.*Authorization: Bearer \$(?!CRIB_TOKEN)", re.M)
    # The README shows what the demo prints.
    assert [path for path in documents() if own.search((ROOT / path).read_text())] == ["README.md"]
