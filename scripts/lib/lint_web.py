"""Prints every JavaScript file above 400 lines, every function above 40, and every line above 120 characters.

The modules are laid out with two spaces, and a function ends with the first line that is indented like its head and
begins with a closing bracket. So no parser is needed."""
import pathlib
import re
import sys

FILE, FUNCTION, LINE = 400, 40, 120
NO_FUNCTION = r"(?!.*\b(if|for|while|switch|catch|with)\b ?\()"
HEAD = re.compile(rf"^(\s*){NO_FUNCTION}(.*\bfunction\b.*\{{|(?:(?:static|async|get|set) )*[\w#$]+\(.*\) \{{|.*=> (?:\{{|\(\{{|html`[^`]*))$")


def breaches(path, lines):
    if len(lines) > FILE:
        yield f"{len(lines)} lines, split it: {path}"
    for number, line in enumerate(lines):
        if len(line) > LINE:
            yield f"a line of {len(line)} characters: {path}:{number + 1}"
        head = HEAD.match(line)
        if not head:
            continue
        end = next((n for n in range(number + 1, len(lines)) if ends(lines[n], head[1], line.endswith("{"))), len(lines))
        if end - number + 1 > FUNCTION:
            yield f"a function of {end - number + 1} lines: {path}:{number + 1}"


def ends(line, indent, block):
    """A block ends with its bracket; an arrow function that is a template ends with its backtick."""
    return line.startswith((indent + "}", indent + ")")) if block else re.search(r"`\)*[;,]$", line)


for name in sys.argv[1:]:
    for one in breaches(name, pathlib.Path(name).read_text().splitlines()):
        print(one)
