"""Prints every link of a document to a file or a heading that does not exist, and every name of a document
(`docs/….md`) that no document has."""
import pathlib
import re
import sys

CODE = re.compile(r"```.*?```", re.DOTALL)
LINK = re.compile(r"\]\(([^)\s#:]*)(?:#([^)\s]+))?\)")
NAME = re.compile(r"\bdocs/[\w/.-]+\.md\b")


def anchors(text):
    return [re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in re.findall(r"^#+ (.*)", text, re.M)]


def dead_links(path, text):
    for target, anchor in LINK.findall(CODE.sub("", text)):
        file = path.parent / target if target else path
        if target.startswith("/"):
            continue
        if not file.exists():
            yield f"no such file: {target}"
        elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text()):
            yield f"no such heading: {target}#{anchor}"


def dead_names(path, text):
    for name in sorted(set(NAME.findall(text))):
        if not pathlib.Path(name).exists() and not (path.parent / name).exists():
            yield f"no such document: {name}"


for path in map(pathlib.Path, sys.argv[1:]):
    text = path.read_text()
    for breach in [*(dead_links(path, text) if path.suffix == ".md" else []), *dead_names(path, text)]:
        print(f"{breach}: {path}")
