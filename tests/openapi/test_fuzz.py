"""schemathesis calls everything that the document describes: as two tenants, as a service, as the system's admin.

FUZZ_SECONDS is the time of all runs together (default: 20).
"""
import copy
import json
import os

import pytest

from conftest import ALERTMANAGER_TOKEN, HERE, Toolcrib, tool

SECONDS = int(os.environ.get("FUZZ_SECONDS", 20))
# All operations share these headers, which are read in one place before anything else. These operations stand
# for all.
WITH_HEADERS = {"me_get", "list_tools", "platform_create_agent", "call_tools", "settings_update"}
# A stream does not end. test_walls.py tests its 401, and the product's own tests the rest.
STREAM = "stream_events"
# Operations that the owner of a workspace may not call.
OF_THE_SYSTEM = ["workspaces_create", "marketplace_add_item", "marketplace_update_item", "settings_update"]


@pytest.fixture(scope="module")
def product():
    """A product for these tests alone, because the runs change everything."""
    running = Toolcrib()
    yield running
    running.close()


class Run:
    """One run of schemathesis."""

    def __init__(self, product, folder, *, tenant, token=None, share=1.0, asked=(), only=()):
        self.product, self.folder, self.tenant = product, folder, product.tenants[tenant]
        self.token, self.only = token or self.tenant.token, only
        # The words are tried in headers too, which allow no other characters.
        self.asked = sorted(word for word in asked if word.isascii() and word.isprintable())
        # Runs as the other tenant repeat its calls as this one, so that this one's log has some of its words.
        log = self.tenant.send("get", "/v1/audit/export").text
        self.foreign = sorted(word for word in product.words[1 - tenant] if word not in log)
        self.people = product.people[1 - tenant]
        # On a slow machine, a shorter run would end before its first call.
        self.seconds = max(20, int(SECONDS * share))

    def go(self):
        self.write()
        narrowed = [part for name in self.only for part in ("--include-operation-id", name)]
        said = tool("schemathesis", "--config-file", self.folder / "run.toml", "run", self.folder / "openapi.json",
                    "--url", self.product.base, "--max-time", self.seconds, "--checks", "all",
                    "--exclude-operation-id", STREAM, *narrowed, ok=False, timeout=self.seconds * 2 + 120,
                    FUZZ_RUN=str(self.folder / "run.json"), FUZZ_HOOKS=str(HERE / "hooks.py"))
        summary = said[said.rfind("= SUMMARY ="):]
        print(summary)
        assert "No issues found" in summary, said[-30_000:]
        return Answers(self.folder / "answers.ndjson")

    def write(self):
        (self.folder / "openapi.json").write_text(json.dumps(few_headers(self.product.document)))
        run = {"foreign": self.foreign, "people": self.people, "workspace": self.tenant.id, "owner": self.tenant.owner}
        (self.folder / "run.json").write_text(json.dumps(run))
        lines = [(HERE / "schemathesis.toml").read_text().replace("[warnings]", self.reports() + "\n[warnings]", 1)]
        if self.asked:
            lines.append(f"[dictionaries.asked]\nvalues = {json.dumps(self.asked)}\n")
            lines.append('[generation.dictionaries]\nstring = { dictionary = "asked", probability = 0.5 }\n')
        lines.append(self.credentials())
        (self.folder / "run.toml").write_text("\n".join(lines))

    def reports(self):
        return f'[reports.ndjson]\npath = "{self.folder / "answers.ndjson"}"\n'

    def credentials(self):
        """Credentials of both tenants, so that what one reads is requested again as the other."""
        peers = [{"name": "self", "fixedHeaders": fixed(self.tenant.headers(self.token))}]
        other = next(tenant for tenant in self.product.tenants if tenant is not self.tenant)
        peers.append({"name": "other", "fixedHeaders": fixed(other.headers())})
        (self.folder / "auth.json").write_text(json.dumps({"auth": peers}))
        return (f'[auth.wfc]\npath = "{self.folder / "auth.json"}"\nuser = "self"\npeers = ["self", "other"]\n\n'
                f'[[operations]]\ninclude-operation-id = "deliver_alerts"\n'
                f'headers = {{ Authorization = "Bearer {ALERTMANAGER_TOKEN}" }}\n')


class Answers:
    """The responses of a run, read from its report."""

    def __init__(self, report):
        self.statuses = {}
        for line in report.open():
            scenario = json.loads(line).get("ScenarioFinished")
            for id, exchange in ((scenario or {}).get("recorder", {}).get("interactions") or {}).items():
                case = scenario["recorder"]["cases"][id]["value"]
                self.statuses.setdefault(f"{case['method']} {case['path']}", []).append(
                    (exchange.get("response") or {}).get("status_code"))

    def share(self, *statuses):
        all = [status for answers in self.statuses.values() for status in answers]
        return sum(status in statuses for status in all) / len(all)


def fixed(headers):
    return [{"name": name, "value": value} for name, value in headers.items()]


def few_headers(document):
    document = copy.deepcopy(document)
    for methods in document["paths"].values():
        for operation in methods.values():
            if operation["operationId"] not in WITH_HEADERS:
                operation["parameters"] = [each for each in operation.get("parameters", []) if "$ref" not in each]
    return document


def still_there(product, tenant):
    me = product.tenants[tenant].send("get", "/v1/me").json()
    assert me.get("role") == "owner", me


def test_as_a_runtime_that_reports(product, tmp_path):
    # This test is first: keys are looked up for each request, but not once the address has failed to
    # authenticate too often.
    tenant = product.tenants[0]
    records = [operation["operationId"] for path, _, operation in product.operations() if path.startswith("/v1/records/")]
    answers = Run(product, tmp_path, tenant=0, token=tenant.service, share=0.1, only=records).go()
    # The limit of 600 a minute can't be raised, and a long run reaches it.
    assert answers.share(200) > 0.05, "hardly anything was accepted"


def test_as_the_owner_of_a_tenant(product, tmp_path):
    # Half of the names in the requests exist.
    answers = Run(product, tmp_path, tenant=0, share=0.5, asked=product.words[0]).go()
    still_there(product, 0)
    assert answers.share(200, 201, 202) > 0.05, "hardly anything was accepted"
    assert answers.share(429) < 0.5, "limits hid too much"


def test_asking_for_what_another_tenant_has(product, tmp_path):
    # Most words are never sent, so a response that contains one can't have it from the request.
    answers = Run(product, tmp_path, tenant=1, share=0.3, asked=sorted(product.words[0])[::4]).go()
    still_there(product, 1)
    assert answers.share(429) < 0.5, "limits hid too much"


def test_as_the_systems_admin(product, tmp_path):
    answers = Run(product, tmp_path, tenant=0, token=product.system, share=0.1, only=OF_THE_SYSTEM).go()
    assert answers.share(200, 201) > 0, "nothing was accepted"
