"""A project of somebody who installed the package `toolcrib-elements`, with a page for each framework."""
import json
import os
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
WEB = ROOT / "crates/console/web"


class HostProject:
    """`folder` has the sources of `hosts` and the packed package; frameworks are those of this folder."""

    def __init__(self, folder):
        self.folder = folder / "project"
        shutil.copytree(HERE / "hosts", self.folder)
        (folder / "node_modules").symlink_to(HERE / "node_modules")
        packed = npm("pack", "--json", "--pack-destination", folder, cwd=WEB)
        [self.package] = json.loads(packed)
        (self.folder / "package.json").write_text(json.dumps({"name": "host", "private": True, "type": "module"}))
        npm("install", "--offline", "--no-audit", "--no-fund", folder / self.package["filename"], cwd=self.folder)

    def check(self, program, *files, arguments=("-p",)):
        """Runs a type checker about some files. Returns what it printed."""
        config = self.folder / "tsconfig.files.json"
        config.write_text(json.dumps({"extends": "./tsconfig.json", "files": files}))
        # With `CI` set, svelte-check prints colour codes, which separate a file name from its line number.
        done = subprocess.run([HERE / "node_modules/.bin" / program, *arguments, config], cwd=self.folder,
                              env={**os.environ, "NO_COLOR": "1"}, capture_output=True, text=True, timeout=120)
        return done.stdout + done.stderr

    def bundle(self):
        """Makes a script of each page. Returns the folder with them."""
        scripts = self.folder.parent / "scripts"
        if not scripts.exists():
            subprocess.run(["node", HERE / "host_pages.mjs", self.folder, scripts], cwd=HERE, check=True, timeout=120)
        return scripts


def npm(*command, cwd):
    return subprocess.run(["npm", *command], cwd=cwd, check=True, capture_output=True, text=True, timeout=120).stdout
