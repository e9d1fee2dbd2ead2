"""The package `toolcrib-elements`: its files, and its types in projects of several frameworks."""
import json
import os
import re
import subprocess

import pytest
from host_project import HERE, ROOT, WEB
from test_console_files import imported

LAZY = re.compile(r"""\bimport\("(\.[^"]+)"\)\.then""")

# How each checker is told of its files, the files, and in them what is right and what must be found in its place.
CHECKED = {
    "tsc": (["-p"], [], {
        "plain.ts": {'approve: "Do it"': "approve: 3", "{detail.count} waiting": "{detail.waiting} waiting",
                     'querySelector("toolcrib-approvals")': 'querySelector("toolcrib-approval")'},
        "react.tsx": {"setCount(detail.count)": "setCount(detail.id)", "key={one.id}": "key={one.ident}"}}),
    "vue-tsc": (["-p"], ["vue.ts"], {
        "Chat.vue": {'theme="dark"': 'theme="blue"', "detail.problem": "detail.problems"}}),
    "svelte-check": (["--workspace", ".", "--tsconfig"], ["svelte.ts"], {
        "Chat.svelte": {'theme="dark"': 'theme="blue"', "problem = detail.problem": "problem = detail.problems"}}),
}
# What the modules say of the element, and what the package says.
AGREE = """import type * as said from "%s/approvals.js";
import { ToolcribApprovals } from "%s/elements/approvals.js";
import type { components } from "%s/types.js";
export const element: Omit<said.ToolcribApprovals, "addEventListener"> = new ToolcribApprovals();
export const properties: Required<said.ToolcribApprovalsProperties> = new ToolcribApprovals();
export const problem = (one: components["schemas"]["Problem"]): said.Problem => one;
"""


def test_the_package_has_the_version_of_the_crates(host_project):
    version = re.search(r'^version = "([^"]+)"', (ROOT / "Cargo.toml").read_text(), re.M).group(1)
    assert host_project.package["version"] == version


def test_the_package_has_the_element_and_nothing_else(host_project):
    entry = WEB / "approvals.js"
    modules = {entry, *imported(entry)}
    # Bundlers follow these too.
    for module in list(modules):
        for name in LAZY.findall(module.read_text()):
            lazy = (module.parent / name).resolve()
            modules |= {lazy, *imported(lazy)}
    modules = {str(path.relative_to(WEB)) for path in modules}
    packed = {one["path"] for one in host_project.package["files"]}
    others = {"LICENSE", "README.md", "package.json", "vendor/LICENSE",
              "approvals.d.ts", "react.d.ts", "vue.d.ts", "svelte.d.ts"}
    assert packed == modules | others
    described = json.loads((WEB / "package.json").read_text())
    assert not {"dependencies", "peerDependencies", "scripts", "private"} & described.keys()


def test_every_export_exists(host_project):
    installed = host_project.folder / "node_modules/toolcrib-elements"
    described = json.loads((installed / "package.json").read_text())
    for one in described["exports"].values():
        for path in one.values() if isinstance(one, dict) else [one]:
            assert (installed / path).is_file(), path


# The compiler alone; with SOAK=1 also the checkers of the frameworks, which take half a minute each.
@pytest.mark.parametrize("program", CHECKED if os.environ.get("SOAK") else ["tsc"])
def test_the_types_fit_a_strict_project(host_project, program):
    """A copy of each file with mistakes is checked with it: the mistakes are found, and nothing else."""
    arguments, files, mistakes = CHECKED[program]
    wanted = set()
    for name, wrong in mistakes.items():
        text = (host_project.folder / name).read_text()
        for right, mistake in wrong.items():
            assert text.count(right) == 1
            wanted.add((f"Wrong{name}", text[:text.index(right)].count("\n") + 1))
            text = text.replace(right, mistake)
        (host_project.folder / f"Wrong{name}").write_text(text)
    said = host_project.check(program, *files, *mistakes, *(f"Wrong{name}" for name in mistakes), arguments=arguments)
    found = {(name, int(line)) for name, line in re.findall(r"(\w+\.(?:tsx?|vue|svelte))[(:](\d+)", said)}
    assert found == wanted, said


def test_the_types_are_those_of_the_modules(host_project):
    """The declarations are written by hand; the modules' types come from their comments."""
    (HERE / "agree.ts").write_text(AGREE % (("../../crates/console/web",) * 3))
    config = HERE / "tsconfig.agree.json"
    config.write_text(json.dumps({"extends": "./tsconfig.json", "include": ["agree.ts"]}))
    try:
        done = subprocess.run([HERE / "node_modules/.bin/tsc", "-p", config], capture_output=True, text=True, timeout=120)
    finally:
        (HERE / "agree.ts").unlink()
        config.unlink()
    assert done.returncode == 0, done.stdout
