"""Pages whose commands a test runs: their fenced blocks, and shells beside a demo that run them."""
import json
import os
import pathlib
import re
import shlex
import subprocess

from demo import Demo

ROOT = pathlib.Path(__file__).parents[2]
# The address that pages name, of the reader's own model server.
READERS_MODEL = "http://127.0.0.1:11434/v1"


class Block:
    """A fenced block: "```kind name". `name` is empty for most blocks. `answer` is the JSON that the page shows right
    below, or None."""

    def __init__(self, kind, name, text, answer):
        self.kind, self.name, self.text = kind, name, text
        self.answer = answer and json.loads(answer)


class Page:
    """A Markdown file of the repository."""

    def __init__(self, path):
        text = (ROOT / path).read_text()
        found = re.finditer(r"^```(\w*) ?(\S*)\n(.*?)^```\n(?:```json\n(.*?)^```$)?", text, re.S | re.M)
        self.blocks = [Block(*each.groups()) for each in found]

    def commands(self, name):
        """The text of the shell block with this name."""
        return next(block.text for block in self.blocks if (block.kind, block.name) == ("sh", name))

    def serve_flags(self, name):
        """The arguments after `serve --demo` of the shell block with this name, which is that one command."""
        _, flags = self.commands(name).split(" serve --demo ")
        return shlex.split(flags)

    def demo_with(self, model):
        """The demo of the shell block `start`, with a model in place of the reader's."""
        flags = self.serve_flags("start")
        assert READERS_MODEL in flags
        running = Demo(*(model.url if flag == READERS_MODEL else flag for flag in flags))
        # The models are listed after the start.
        running.wait(lambda: running.answer("GET", "/v1/assistant/models").ok, 20)
        return running

    def save_files(self, folder):
        """Writes the blocks whose name is a file's, as a reader does."""
        for block in self.blocks:
            if "." in block.name:
                (folder / block.name).write_text(block.text)

    def run(self, product, folder, but, **env):
        """Runs all shell blocks in one shell, but those with these names. Checks that none prints an error of the
        API, unless the page shows it, and that the last line that a block prints has what the page shows. Returns what each
        printed."""
        steps = [block for block in self.blocks if block.kind == "sh" and block.name not in but]
        line = "--- the next block ---"
        script = f"echo '{line}'\n".join(block.text for block in steps)
        printed = shell(product, script, folder, **env).split(line + "\n")
        for block, text in zip(steps, printed, strict=True):
            shows_error = block.answer and '"code":' in json.dumps(block.answer)
            assert shows_error or '"type":"/docs/errors/' not in text, f"{block.text}{text}"
            if block.answer:
                check_shown(block.answer, json.loads(text.splitlines()[-1]), block.text)
        return printed


def shell(product, text, folder, **env):
    """Runs commands in a folder with what a checkout has beside a demo: examples, data directory and binary."""
    for name, target in ((".toolcrib", product and product.folder), ("examples", ROOT / "examples"),
                         ("toolcrib", os.environ["TEST_BIN"])):
        if target and not (folder / name).exists():
            (folder / name).symlink_to(target)
    variables = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", **env}
    ran = subprocess.run(["bash", "-euc", text], cwd=folder, env=variables, text=True, capture_output=True,
                         timeout=60)
    assert ran.returncode == 0, f"{ran.stderr}\n{ran.stdout}"
    return ran.stdout


def check_shown(shown, printed, at):
    """Fails unless `printed` has everything that the page shows. `…` in a text stands for any text, and there
    may be more fields."""
    if isinstance(shown, str) and "…" in shown:
        assert re.fullmatch(".*".join(map(re.escape, shown.split("…"))), printed, re.S), f"{at}: {printed}"
    elif isinstance(shown, dict):
        for name, value in shown.items():
            check_shown(value, printed.get(name), f"{at}/{name}")
    elif isinstance(shown, list):
        assert len(shown) == len(printed), f"{at}: {printed}"
        for n, (one, other) in enumerate(zip(shown, printed)):
            check_shown(one, other, f"{at}/{n}")
    else:
        assert shown == printed, at
