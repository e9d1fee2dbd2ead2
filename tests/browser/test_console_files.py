"""The files of the console's pages: those that are made from others, the types, and what each document preloads."""
import pathlib
import re
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
WEB = ROOT / "crates/console/web"
sys.path.append(str(ROOT / "scripts/lib"))
import lint_web  # noqa: E402


def imported(module, found=None):
    """The modules that load with a module, and those that load with them."""
    found = {} if found is None else found
    for target in lint_web.imports(module):
        if target not in found:
            found[target] = True
            imported(target, found)
    return list(found)


@pytest.mark.parametrize(("page", "circle"), [
    ('import { home } from "../routes.js";', {"app.js", "inbox.js", "routes.js"}),
    ('const open = () => import("../app.js");', {"app.js", "inbox.js"}),
    ('/** @type {import("../app.js").App} */', set()),
])
def test_a_circle_of_modules_is_found(tmp_path, page, circle):
    """`app.js` loads each page later; `routes.js` imports it."""
    modules = [tmp_path / name for name in ("app.js", "routes.js", "pages/inbox.js")]
    (tmp_path / "pages").mkdir()
    for module, text in zip(modules, ["await import(`./pages/${name}.js`);", 'import { go } from "./app.js";', page]):
        module.write_text(text + "\n")
    assert {module.name for module in lint_web.circle(modules)} == circle


def test_made_files_are_what_the_command_makes(tmp_path):
    subprocess.run(["node", HERE / "web_files.mjs", tmp_path], check=True, cwd=HERE)
    made = [path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()]
    assert sorted(map(str, made)) == ["LICENSE", "elements/style.js", "types.d.ts", "vendor/LICENSE", "vendor/lit.js"]
    for path in made:
        assert (tmp_path / path).read_bytes() == (WEB / path).read_bytes(), f"{path}: run scripts/gen-web"


def test_the_modules_have_the_types_of_the_api():
    """One module with a mistake is checked with the others: the mistake is found, and nothing else."""
    wrong = WEB / "wrong.js"
    try:
        wrong.write_text('import { call } from "./lib/api.js";\ncall(3);\n')
        done = subprocess.run([HERE / "node_modules/.bin/tsc", "-p", HERE / "tsconfig.json"], capture_output=True, text=True)
    finally:
        wrong.unlink(missing_ok=True)
    assert re.findall(r"(\w+\.js)\((\d+)", done.stdout) == [("wrong.js", "2")], done.stdout


@pytest.mark.parametrize(("document", "entry"), [("index.html", "app.js"), ("login.html", "pages/login.js"),
                                                ("approve.html", "pages/approve.js")])
def test_a_document_preloads_what_it_imports(document, entry):
    text = (WEB / document).read_text()
    preloaded = re.findall(r'<link rel="modulepreload" href="{{assets}}/([^"]+)">', text)
    assert sorted(preloaded) == sorted(str(path.relative_to(WEB)) for path in imported(WEB / entry))
    named = re.findall(r'(?:href|src)="([^"#]+)"', text)
    assert all(name.startswith("{{assets}}/") for name in named), named
    assert all((WEB / name.removeprefix("{{assets}}/")).is_file() for name in named), named
    assert f'<script type="module" src="{{{{assets}}}}/{entry}"></script>' in text
