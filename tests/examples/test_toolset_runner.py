"""The README of examples/toolsets, from top to bottom: its commands run as they are, beside the runner."""
import json
import os
import pathlib
import subprocess
import sys

import pytest
from demo import Demo
from pages import Page, shell

ROOT = pathlib.Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "toolsets"
PAGE = Page("examples/toolsets/README.md")


@pytest.fixture(scope="module")
def product():
    flags = PAGE.serve_flags("demo")
    assert flags == ["--toolset", "examples/toolsets/orion.toml"]
    running = Demo("--toolset", str(ROOT / flags[1]))
    yield running
    running.close()


@pytest.fixture(params=[[sys.executable, FOLDER / "runner.py"], ["node", ROOT / "examples/typescript/runner.ts"]],
                ids=["python", "typescript"])
def runner(product, request):
    env = {**os.environ, "CRIB_URL": product.base, "CRIB_WORKSPACE": product.workspace["id"],
           "CRIB_TOKEN": product.workspace["owner"]["token"], "CRIB_POLL_SECONDS": "0.1"}
    process = subprocess.Popen(request.param, env=env, text=True, stdout=subprocess.PIPE)
    assert process.stdout.readline() == "waiting for calls\n"
    yield process
    process.kill()
    process.wait()


def test_the_readme_runs(product, runner, tmp_path):
    product.ask("PATCH", "/v1/toolsets/orion", {"enabled": False})
    assert "orion__" not in json.dumps(product.get("/v1/tools", detail="names"))
    listed = shell(product, PAGE.commands("on"), tmp_path)
    assert "orion__delete_email" in listed and "orion__get_emails" in listed
    told = shell(product, PAGE.commands("on") + PAGE.commands("call"), tmp_path)
    assert '"state":"succeeded"' in told and '"outcome":"started"' in told and '"outcome":"succeeded"' in told, told
    assert runner.stdout.readline() == "orion__create_task: succeeded\n"


def approved(product, action, arguments, **approval):
    confirmation = product.post(f"/v1/actions/{action}", arguments, status=202)["confirmation"]["id"]
    for body in ({}, approval) if approval else ({},):
        started = product.post(f"/v1/confirmations/{confirmation}/approve", body, status=202)
    return confirmation, started["call_id"]


def test_a_typed_phrase_and_a_failure(product, runner):
    product.ask("PATCH", "/v1/toolsets/orion", {"enabled": True})
    confirmation, call = approved(product, "orion__delete_email", {"email_id": "m-9"}, phrase="orion__delete_email")
    ended = product.get(f"/v1/calls/{call}", wait=10)
    assert (ended["state"], ended["result"]["error"]) == ("failed", "there is no e-mail m-9")
    assert product.get(f"/v1/confirmations/{confirmation}")["status"] == "failed"
    outcome = product.get(f"/v1/audit/{call}")["outcomes"][0]
    assert (outcome["outcome"], outcome["kind"]) == ("failed", "outcome")


def test_a_read_is_run_by_whoever_called(product):
    product.ask("PATCH", "/v1/toolsets/orion", {"enabled": True})
    read = product.post("/v1/actions/orion__get_emails", {"query": "budget"}, status=202)
    assert (read["claim"], read["arguments"]) == (False, {"query": "budget", "limit": 10})
    assert product.get(f"/v1/audit/{read['call_id']}")["outcome"] == "handed_out"
