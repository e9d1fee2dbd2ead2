"""Rules for the sentences that people and models read: the texts of the catalogue, the help of the command line, and the
pages of the console. A sentence begins with a capital or with code, and two short parts have no comma before their `and`.

usage: lint_sentences.py

Prints one line for each breach. Exit code 1 if there is one.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXTS = ROOT / "docs/golden/texts.txt"
PAGES = ROOT / "crates/console/web"

# The most words of a part that needs no comma before `and` or `or`.
SHORT = 2
# Elements whose text begins a sentence or is a title.
BLOCKS = ("p", "h1", "h2", "h3", "button", "label", "th", "dt", "option", "summary", "legend", "figcaption")


def breaches(text, begins=True):
    """Yields what is wrong with a text of whole sentences. `begins`: the first word begins one."""
    code = re.sub(r"`[^`]*`", "`x`", text.strip())
    if begins and re.match(r"[a-z]", code):
        yield "begins in lower case"
    if re.search(r"(?<!\be\.g)(?<!\bi\.e)[.!?] [a-z]", code):
        yield "lower case after a full stop"
    for sentence in re.split(r"(?<=[.!?;:]) ", code):
        found = re.fullmatch(r"([^,()]+), (?:and|or) ([^,()]+)", sentence.rstrip(".!?;:"))
        if found and min(len(part.split()) for part in found.groups()) <= SHORT:
            yield f"a comma before a short part: {sentence}"


def catalogue():
    for number, line in enumerate(TEXTS.read_text().splitlines(), 1):
        _, colon, text = line.partition(": ")
        if colon:
            yield f"{TEXTS.relative_to(ROOT)}:{number}", text, True


def help_texts():
    """The comments of the command line's arguments, which its help prints, and the texts of the settings."""
    for file in [ROOT / "crates/app/src/cli.rs", *sorted((ROOT / "crates/app/src/cli").glob("*.rs"))]:
        for found in re.finditer(r"(?:^ *///.*\n)+", file.read_text(), flags=re.M):
            text = " ".join(re.sub(r"^ *///", "", found.group(), flags=re.M).split())
            yield f"{file.relative_to(ROOT)}:{found.string.count(chr(10), 0, found.start()) + 1}", text, True
    file = ROOT / "crates/config/src/settings.toml"
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if found := re.search(r'help = "(.*?)(?: \[default.*)?" }', line):
            yield f"{file.relative_to(ROOT)}:{number}", found.group(1), True


def pages():
    """The texts of templates: what stands between tags. A value counts as code. The text of a block begins a sentence."""
    for file in sorted(PAGES.rglob("*.js")):
        if "vendor" in file.parts:
            continue
        source = re.sub(r"/\*.*?\*/", lambda found: "\n" * found.group().count("\n"), file.read_text(), flags=re.S)
        source = re.sub(r"^( *)//.*$", "", source, flags=re.M)
        for _ in range(3):
            source = re.sub(r"\$\{[^${}`]*\}", lambda found: "\x00" + "\n" * found.group().count("\n"), source)
        for found in re.finditer(r"(<(\w[\w-]*)\b(?:=>|[^<>])*>|</[\w-]+>)([^<>]*)", source):
            # A backtick ends the template.
            text = " ".join(found.group(3).split("`")[0].replace("\x00", "`x`").split())
            line = source.count("\n", 0, found.start()) + 1
            if " " in text and "${" not in text and "=>" not in text:
                yield f"{file.relative_to(ROOT)}:{line}", text, found.group(2) in BLOCKS


def main():
    wrong = [
        f"{place}: {what}: {text[:160]}"
        for texts in (catalogue(), help_texts(), pages())
        for place, text, begins in texts
        for what in breaches(text, begins)
    ]
    for breach in wrong:
        print(breach)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
