"""Prints every JavaScript file above 400 lines, every function above 40, every line above 120 characters, and a circle of
modules that load each other.

The modules are laid out with two spaces, and a function ends with the first line that is indented like its head and
begins with a closing bracket. So no parser is needed."""
import graphlib
import pathlib
import re
import sys

FILE, FUNCTION, LINE = 400, 40, 120
NO_FUNCTION = r"(?!.*\b(if|for|while|switch|catch|with)\b ?\()"
HEAD = re.compile(rf"^(\s*){NO_FUNCTION}(.*\bfunction\b.*\{{|(?:(?:static|async|get|set) )*[\w#$]+\(.*\) \{{|.*=> (?:\{{|\(\{{|html`[^`]*))$")
IMPORT = re.compile(r"""^(?:import|export) (?:[^;]*? from )?"(\.[^"]+)";""", re.M)
LAZY_IMPORT = re.compile(r"""\bimport\(["`](\.[^"`]+)["`]\)""")
# A comment imports types, which no browser loads.
COMMENT = re.compile(r"/\*\*.*?\*/", re.S)


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


def imports(module):
    """The modules that load with a module."""
    return [(module.parent / name).resolve() for name in IMPORT.findall(module.read_text())]


def lazy_imports(module):
    """The modules that a module loads later. `${…}` in a name stands for every name."""
    for name in LAZY_IMPORT.findall(COMMENT.sub("", module.read_text())):
        folder, _, file = re.sub(r"\$\{.*?\}", "*", name).rpartition("/")
        yield from (module.parent / folder).resolve().glob(file)


def circle(modules):
    """The first circle of modules in which each loads the next, at once or later; empty if there is none."""
    graph = {module.resolve(): [*imports(module), *lazy_imports(module)] for module in modules}
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return error.args[1][::-1]
    return []


def main(modules):
    for module in modules:
        for breach in breaches(module, module.read_text().splitlines()):
            print(breach)
    if found := circle(modules):
        print("a circle of modules: " + " → ".join(module.name for module in found))


if __name__ == "__main__":
    main([pathlib.Path(name) for name in sys.argv[1:]])
