"""docs/first-workspace.md from top to bottom, on both databases: the owner signs in with a browser, the first agent calls."""
import json
import os
import subprocess

import pytest
from conftest import Page as Tab
from console import settled
from demo import Demo
from oidc import CLIENT_SECRET, Provider, accept, free_port, is_ready
from pages import Page, shell

PAGE = Page("docs/first-workspace.md")
BLOCKS = {block.name for block in PAGE.blocks if block.kind == "sh"}
LOGINS = ["toolcrib_first_serve", "toolcrib_first_log", "toolcrib_first_work"]


class LocalReader:
    """Somebody who follows step 6 without a provider."""

    def __init__(self, folder):
        self.folder, base = folder, f"http://127.0.0.1:{free_port()}"
        self.env = {"TOOLCRIB_DATA_DIR": str(folder / "data"), "PUBLIC_URL": base}
        shell(None, 'toolcrib migrate && toolcrib workspace create "Harbour Goods" --owner ann > workspace.json', folder, **self.env)
        self.product = subprocess.Popen([os.environ["TEST_BIN"], "serve", "--bind", base.removeprefix("http://")],
                                        env=os.environ | self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert Demo.wait(lambda: is_ready(base), 60)

    def run(self, *names):
        return PAGE.run(None, self.folder, BLOCKS - {*names}, **self.env)

    def close(self):
        self.product.terminate()
        self.product.wait(20)


class Reader:
    """Somebody who follows the page, with a provider. `but` are the blocks that they leave out."""

    def __init__(self, folder, but):
        self.folder, self.base = folder, f"http://127.0.0.1:{free_port()}"
        self.provider = Provider(self.base, "userinfo")
        self.issuer, self.product = self.provider.issuer, None
        env = {"ISSUER": self.issuer, "CLIENT_SECRET": CLIENT_SECRET, "PUBLIC_URL": self.base,
               "BIND": self.base.removeprefix("http://"), "EMAIL": "ann@example.com", "PG_OWNER": owner_url()}
        self.env = env
        self.printed = self.run("", *({"postgresql"} - but))

    def run(self, *names):
        """Runs the blocks with these names, in a new shell."""
        return PAGE.run(None, self.folder, BLOCKS - {*names}, **self.env)

    def serve(self):
        self.log = (self.folder / "log.txt").open("w")
        self.product = subprocess.Popen(["bash", "-euc", f"PATH={self.folder}:$PATH\n" + PAGE.commands("serve").replace(
            "toolcrib serve", "exec toolcrib serve")], cwd=self.folder, stdout=self.log, stderr=subprocess.STDOUT)
        assert Demo.wait(lambda: is_ready(self.base), 60), (self.folder / "log.txt").read_text()

    def close(self):
        if self.product:
            self.product.terminate()
            self.product.wait(20)
        self.provider.close()


def owner_url():
    return os.environ["TEST_PG_URL"].rsplit("/", 1)[0]


def drop_database():
    drops = ["DROP DATABASE IF EXISTS toolcrib_first WITH (FORCE)", *(f"DROP ROLE IF EXISTS {login}" for login in LOGINS)]
    for sql in drops:
        subprocess.run(["psql", "-q", os.environ["TEST_PG_URL"], "-c", sql], check=True, capture_output=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def reader(request, tmp_path):
    if request.param == "postgresql":
        drop_database()
    running = Reader(tmp_path, {"postgresql"} if request.param == "sqlite" else set())
    running.database = request.param
    yield running
    running.close()
    if request.param == "postgresql":
        drop_database()


def test_the_owner_signs_in(browser, reader):
    workspace = json.loads((reader.folder / "workspace.json").read_text())["id"]
    invitation = json.loads((reader.folder / "invitation.json").read_text())
    doctor = reader.printed[-1]
    assert invitation["id"] in doctor and "FAIL" not in doctor, doctor
    assert (reader.folder / "toolcrib.env").stat().st_mode & 0o077 == 0
    assert (reader.folder / "data/toolcrib.db").exists() == (reader.database == "sqlite")
    reader.serve()
    page = accept(browser, reader, invitation["url"], "ann")
    page.until(f"location.pathname === '/console/w/{workspace}/inbox'")
    settled(page)
    me = page.run("fetch('/v1/me').then((answer) => answer.json())")
    assert [(one["id"], one["role"]) for one in me["workspaces"]] == [(workspace, "owner")]
    for name in ("workspace.json", "invitation.json"):
        assert (reader.folder / name).stat().st_mode & 0o077 == 0, name
    with_token_of_the_provider(browser, page, reader)
    told = (reader.folder / "log.txt").read_text()
    assert CLIENT_SECRET not in told and invitation["url"].rsplit("_", 1)[1] not in told


def with_token_of_the_provider(browser, signed_in, reader):
    """Step 6: the owner confirms the address that the page prints, where they are signed in already."""
    address = reader.run("call", "device")[-1]
    page = Tab(browser, address.strip(), signed_in.context)
    # The code, then the consent.
    for shown in ("document.getElementById('op.deviceConfirmForm')", "document.querySelector('[name=prompt]')"):
        page.until(f"document.readyState === 'complete' && {shown}")
        page.run("document.forms[0].submit()")
    page.until("!document.forms.length && document.body?.innerText.includes('Sign-in Success')")
    reader.run("call", "token")
    first_agent(reader)


def test_without_a_provider(tmp_path):
    reader = LocalReader(tmp_path)
    try:
        reader.run("call", "local")
        first_agent(reader)
    finally:
        reader.close()


def first_agent(reader):
    """The rest of step 6: the page shows the answers."""
    reader.run("call", "agent")
    for name in ("owner.header", "agent.header"):
        assert (reader.folder / name).stat().st_mode & 0o077 == 0, name


def test_the_link_of_the_page_can_be_revoked(reader):
    invitation = json.loads((reader.folder / "invitation.json").read_text())
    revoke = f"set -a; . ./toolcrib.env; toolcrib invite --workspace $(jq -r .id workspace.json) --revoke {invitation['id']}"
    assert json.loads(shell(None, revoke, reader.folder)) == {"id": invitation["id"], "revoked": True}
    assert invitation["id"] not in shell(None, "set -a; . ./toolcrib.env; toolcrib doctor", reader.folder)
