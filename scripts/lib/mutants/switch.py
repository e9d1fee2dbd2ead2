"""Puts every mutant that `cargo mutants --list --json` names into the sources, switched on by its number in MUTANT.

One build then serves them all. A mutant keeps its number (its place in the list, from 1) and is marked by a comment, so that
a compiler's error is traced back to it.
"""
import collections
import json
import pathlib

import tree_sitter
import tree_sitter_rust

PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_rust.language()))
# Where each kind of mutant is put, and what cargo-mutants calls it.
PLACES = {
    "FnValue": ("function_item",),
    "BinaryOperator": ("binary_expression", "compound_assignment_expr"),
    "UnaryOperator": ("unary_expression",),
    "MatchArm": ("match_arm",),
    "MatchArmGuard": ("match_arm",),
    "StructField": ("struct_expression",),
}
SWITCH = """
#[doc(hidden)]
pub(crate) fn __mutant() -> u32 {
    static NUMBER: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    *NUMBER.get_or_init(|| std::env::var("MUTANT").ok().and_then(|text| text.parse().ok()).unwrap_or(0))
}
"""


def above(node, kinds):
    """The nearest node of one of these kinds that `node` is or is in."""
    while node is not None and node.type not in kinds:
        node = node.parent
    return node


def place_of(root, offset, mutant):
    """The node that a mutant changes; None where nothing can be switched: in a constant, or of another kind."""
    start, end = offset(mutant["span"]["start"]), offset(mutant["span"]["end"])
    node = root.descendant_for_byte_range(start, max(start, end - 1))
    place = above(node, PLACES.get(mutant["genre"], ()))
    if place is None:
        return None, node
    if place.type == "function_item":
        constant = any(child.type == "function_modifiers" and b"const" in child.text for child in place.children)
        return (None if constant else place.child_by_field_name("body")), node
    return (None if above(place, ("const_item", "static_item")) else place), node


class Source:
    """One file with its mutants."""

    def __init__(self, data, mutants):
        self.data = data
        lines = data.splitlines(keepends=True)

        def offset(position):
            line = lines[position["line"] - 1].decode()
            return sum(map(len, lines[:position["line"] - 1])) + len(line[:position["column"] - 1].encode())

        self.root = PARSER.parse(data).root_node
        self.at = collections.defaultdict(list)
        self.left_out = []
        for mutant in mutants:
            place, node = place_of(self.root, offset, mutant)
            if place is None:
                self.left_out.append(mutant["number"])
            else:
                self.at[place.id].append((mutant, node))

    def switched(self):
        return self.render(self.root)

    def text(self, start, end):
        return self.data[start:end].decode()

    def render(self, node):
        mutants = self.at.get(node.id)
        if not mutants:
            return self.inside(node)
        if node.type == "block":
            return self.function(node, mutants)
        if node.type == "match_arm":
            return self.arm(node, mutants)
        arms = "".join(f"\n/*M{m['number']}*/ {m['number']} => {self.other(node, m, at)}, /*M{m['number']}*/\n"
                       for m, at in mutants)
        return f"(match crate::__mutant() {{{arms}_ => {self.inside(node)},\n}})"

    def inside(self, node):
        if not node.children:
            return self.text(node.start_byte, node.end_byte)
        parts, at = [], node.start_byte
        for child in node.children:
            parts += [self.text(at, child.start_byte), self.render(child)]
            at = child.end_byte
        return "".join(parts) + self.text(at, node.end_byte)

    def function(self, block, mutants):
        arms = "".join(f"\n/*M{m['number']}*/ {m['number']} => return {m['replacement']},\n" for m, _ in mutants)
        return f"{{\nmatch crate::__mutant() {{{arms}_ => {{}} }}\n{self.inside(block)[1:]}"

    def other(self, node, mutant, at):
        """The expression as the mutant has it."""
        if mutant["genre"] == "StructField":
            field = above(at, ("field_initializer", "shorthand_field_initializer"))
            rest = self.text(field.end_byte, node.end_byte).lstrip()
            return self.text(node.start_byte, field.start_byte) + rest.removeprefix(",")
        if mutant["genre"] == "UnaryOperator":
            operand = node.children[-1]
            return self.text(operand.start_byte, operand.end_byte)
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        return f"{self.text(left.start_byte, left.end_byte)} {mutant['replacement']} {self.text(right.start_byte, right.end_byte)}"

    def arm(self, node, mutants):
        pattern, value = node.child_by_field_name("pattern"), node.child_by_field_name("value")
        condition = pattern.child_by_field_name("condition")
        head, guard = self.text(node.start_byte, pattern.end_byte), "true"
        if condition is not None:
            head = self.text(node.start_byte, condition.start_byte)
            head, guard = head[:head.rindex("if")], self.render(condition)
        for mutant, _ in mutants:
            number = mutant["number"]
            always = mutant["genre"] == "MatchArmGuard" and mutant["replacement"] == "true"
            guard = f"(crate::__mutant() == {number} || {guard})" if always else f"(crate::__mutant() != {number} && {guard})"
        marks = ",".join(str(mutant["number"]) for mutant, _ in mutants)
        tail = self.text(value.end_byte, node.end_byte)
        return f"{head}\n/*M{marks}*/ if {guard} /*M{marks}*/\n => {self.render(value)}{tail}"


def switch(listed, crate, original, copy, without):
    """Writes the switched sources of a crate into `copy`; returns the numbers of the mutants that can't be switched."""
    files, left_out = collections.defaultdict(list), []
    for mutant in listed:
        files[mutant["file"]].append(mutant)
    for file, mutants in files.items():
        source = Source((original / file).read_bytes(), [m for m in mutants if m["number"] not in without])
        left_out += source.left_out
        write(copy / file, source.switched())
    lib = copy / f"crates/{crate}/src/lib.rs"
    if "fn __mutant" not in lib.read_text():
        write(lib, lib.read_text() + SWITCH)
    return left_out


def write(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def listed(path):
    """The list with each mutant's number."""
    mutants = json.loads(pathlib.Path(path).read_text())
    return [{**mutant, "number": number} for number, mutant in enumerate(mutants, 1)]
