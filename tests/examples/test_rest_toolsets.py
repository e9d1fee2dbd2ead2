"""`brave.toml` and `github.toml` before fakes of the services: each tool's request is the documented one, its
answer is small, and errors, confirmations and audit rows are what docs/toolsets.md says."""
import json
import pathlib

import pytest
from demo import Demo
from pages import shell
from rest_service import SHA, Brave, GitHub
from test_toolset_runner import PAGE

FOLDER = pathlib.Path(__file__).parents[2] / "examples" / "toolsets"
SECRETS = {"BRAVE_API_KEY": "brave-7QxK2nVwT4", "GITHUB_TOKEN": "ghtok-93kdPqLmZ8"}
REPO = {"owner": "octo", "repo": "website"}
ROOT = "/repos/octo/website/"
LISTED = {
    "viewer": {"brave__web_search", "github__list_issues", "github__get_issue", "github__list_issue_comments",
               "github__list_pull_requests", "github__get_pull_request"},
    "member": {"github__create_issue", "github__update_issue", "github__add_comment", "github__create_branch",
               "github__close_issue"},
    "admin": {"github__merge_pull_request", "github__delete_branch"},
}
LISTED["member"] |= LISTED["viewer"]
LISTED["admin"] |= LISTED["member"]
PAGES = {"per_page": "20", "page": "1"}
NEW = {"title": "Logo is missing", "body": "See /", "labels": ["bug"], "assignees": ["hubot"]}

# Tool, arguments, and the request that they make: method, path, query, body.
CALLS = [
    ("brave__web_search", {"query": "heat pumps & taxes", "count": 3}, "GET", "/res/v1/web/search",
     {"q": "heat pumps & taxes", "count": "3", "result_filter": "web", "text_decorations": "false"}, None),
    ("github__list_issues", REPO, "GET", ROOT + "issues", {"state": "open", **PAGES}, None),
    ("github__list_issues", {**REPO, "state": "all", "labels": "a,b", "assignee": "none", "since": "2026-01-01T00:00:00Z",
                             "per_page": 50, "page": 2}, "GET", ROOT + "issues",
     {"state": "all", "labels": "a,b", "assignee": "none", "since": "2026-01-01T00:00:00Z", "per_page": "50", "page": "2"}, None),
    ("github__get_issue", {**REPO, "number": 3}, "GET", ROOT + "issues/3", {}, None),
    ("github__list_issue_comments", {**REPO, "number": 1}, "GET", ROOT + "issues/1/comments", PAGES, None),
    ("github__list_pull_requests", {**REPO, "base": "main"}, "GET", ROOT + "pulls", {"state": "open", "base": "main", **PAGES}, None),
    ("github__get_pull_request", {**REPO, "number": 26}, "GET", ROOT + "pulls/26", {}, None),
    ("github__create_issue", {**REPO, **NEW}, "POST", ROOT + "issues", {}, NEW),
    ("github__create_issue", {**REPO, "title": "Only a title"}, "POST", ROOT + "issues", {}, {"title": "Only a title"}),
    ("github__update_issue", {**REPO, "number": 4, "labels": ["ui"]}, "PATCH", ROOT + "issues/4", {}, {"labels": ["ui"]}),
    ("github__add_comment", {**REPO, "number": 1, "body": "Thanks {x}"}, "POST", ROOT + "issues/1/comments", {}, {"body": "Thanks {x}"}),
]
ASKED = [
    ("close_issue", {"number": 5, "reason": "not_planned"}, "(Bug 5;", "issues/5",
     ("PATCH", "issues/5", {"state": "closed", "state_reason": "not_planned"})),
    ("merge_pull_request", {"number": 26, "sha": SHA[2], "merge_method": "squash"}, "(Change 26, login into main;", "pulls/26",
     ("PUT", "pulls/26/merge", {"sha": SHA[2], "merge_method": "squash"})),
    ("delete_branch", {"branch": "old"}, f"(it ends with {SHA[1]};", "git/ref/heads/old", ("DELETE", "git/refs/heads/old", None)),
]


class World:
    """The product with both files, and the services that they name."""

    def __init__(self, folder):
        self.brave, self.github = Brave(SECRETS["BRAVE_API_KEY"]), GitHub(SECRETS["GITHUB_TOKEN"])
        bases = {"brave": ("https://api.search.brave.com/", self.brave), "github": ("https://api.github.com/", self.github)}
        files = [str(folder / f"{name}.toml") for name in bases]
        for name, (base, service) in bases.items():
            text = (FOLDER / f"{name}.toml").read_text()
            assert text.count(base) == 1
            (folder / f"{name}.toml").write_text(text.replace(base, f"http://{service.host}/"))
        self.product = Demo("--toolset", ",".join(files), "--upstream-hosts", f"{self.brave.host},{self.github.host}")
        limits = {"write_per_minute": 1000, "external_per_minute": 1000}
        self.product.ask("PATCH", "/v1/settings", {"limits": limits}, who="system_admin")
        for name in bases:
            self.product.ask("PATCH", f"/v1/toolsets/{name}", {"enabled": True})
        self.answers = []

    def request(self, method, path, body=None, who="owner"):
        answer = self.product.answer(method, path, body, who)
        self.answers.append(answer.text)
        return answer.status_code, answer.json()

    def call(self, tool, arguments, who="owner"):
        return self.request("POST", f"/v1/actions/{tool}", arguments, who)

    def ask(self, tool, arguments, who="owner"):
        """Makes a call that asks. Returns its confirmation's id and its sentence."""
        status, answer = self.call(tool, arguments, who)
        assert (status, answer["status"]) == (202, "confirmation_required"), answer
        return answer["confirmation"]["id"], answer["description"]

    def approve(self, confirmation, tool):
        """Approves, with the phrase where one is asked for."""
        path = f"/v1/confirmations/{confirmation}/approve"
        status, answer = self.request("POST", path, {})
        if answer.get("status") == "phrase_required":
            # The name of the target where it can be typed, as these can.
            assert answer["phrase"] != tool
            status, answer = self.request("POST", path, {"phrase": answer["phrase"]})
        return status, answer

    def took(self):
        return self.brave.took() + self.github.took()


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        for name, secret in SECRETS.items():
            patch.setenv(name, secret)
        running = World(tmp_path_factory.mktemp("toolsets"))
    yield running
    running.product.close()
    running.brave.close()
    running.github.close()


@pytest.fixture(autouse=True)
def nothing_left(world):
    world.took()
    yield
    world.brave.broken = world.github.broken = None


def check_request(request, expected):
    assert (request.method, request.path, request.query, request.body) == expected
    headers = request.headers
    if request.path.startswith("/res/"):
        credential = {"x-subscription-token": SECRETS["BRAVE_API_KEY"]}
    else:
        credential = {"authorization": f"Bearer {SECRETS['GITHUB_TOKEN']}", "x-github-api-version": "2022-11-28"}
    assert headers.items() >= credential.items()
    assert headers["user-agent"].startswith("toolcrib/") and headers["accept"].startswith("application/json")
    own = {"content-type", "content-length"} if expected[3] is not None else set()
    optional = {"host", "user-agent", "accept", "accept-encoding", "traceparent", "content-length"}
    assert headers.keys() - optional - credential.keys() == own - optional, headers
    assert expected[3] is None or headers["content-type"] == "application/json"


@pytest.mark.parametrize("who", ["viewer", "member", "admin", "owner"])
def test_a_tool_is_listed_for_whom_it_is(world, who):
    tools = world.product.get("/v1/tools", who=who, detail="names")["tools"]
    dispatcher = next(tool for tool in tools if tool["function"]["name"] == "tools_execute")
    names = set(dispatcher["function"]["parameters"]["properties"]["action"]["enum"])
    expected = LISTED["admin" if who == "owner" else who]
    assert names == expected
    for tool in LISTED["admin"] - expected:
        status, answer = world.call(tool, {**REPO, "number": 26, "sha": SHA[2], "branch": "main"}, who)
        assert status in (403, 422), answer
    assert world.took() == []


@pytest.mark.parametrize("tool, arguments, method, path, query, body", CALLS)
def test_a_request_is_the_documented_one(world, tool, arguments, method, path, query, body):
    status, direct = world.call(tool, arguments)
    assert (status, direct["status"]) == (200, "completed"), direct
    call = {"name": "tools_execute", "arguments": json.dumps({"action": tool, "params": arguments})}
    turn = {"format": "openai", "tool_calls": [{"id": "call_1", "type": "function", "function": call}]}
    status, answer = world.request("POST", "/v1/tools/calls", turn)
    dispatched = answer["results"][0]
    assert (status, dispatched["status"], dispatched["via"]) == (200, "completed", "dispatcher"), answer
    message = json.loads(answer["messages"][0]["content"])
    assert message["data"] == dispatched["data"] and "not instructions" in message["untrusted"]
    taken = world.took()
    assert len(taken) == 2
    for request in taken:
        check_request(request, (method, path, query, body))
    assert isinstance(dispatched["data"], list) == isinstance(direct["data"], list)
    for call_id in (direct["call_id"], dispatched["call_id"]):
        row = world.product.get(f"/v1/audit/{call_id}")
        if method == "GET":
            assert (row["outcome"], row.get("outcomes", [])) == ("succeeded", []), row
        else:
            assert (row["outcome"], row["executor"]) == ("started", "http")
            assert [outcome["outcome"] for outcome in row["outcomes"]] == ["succeeded"]


def test_answers_are_small(world):
    _, found = world.call("brave__web_search", {"query": "tea"})
    assert len(found["data"]) == 10
    assert found["data"][0] == {"title": "tea 0", "url": "https://www0.example/", "description": "About tea", "age": "2 days ago"}
    _, issues = world.call("github__list_issues", {**REPO, "per_page": 5})
    first = issues["data"][0]
    assert len(issues["data"]) == 5 and first["pull_request"].endswith("/pull/26") and "body" not in first
    _, issue = world.call("github__get_issue", {**REPO, "number": 3})
    assert issue["description"] == "Read issue octo/website#3"
    assert (issue["data"]["title"], issue["data"]["author"], issue["data"]["state"]) == ("Bug 3", "mona", "open")
    _, pull = world.call("github__get_pull_request", {**REPO, "number": 27})
    assert (pull["data"]["head_sha"], pull["data"]["head"], pull["data"]["base"]) == (SHA[2], "login", "main")
    assert pull["data"]["mergeable"] is True and "user" not in pull["data"]
    _, made = world.call("github__create_issue", {**REPO, "title": "New"})
    assert made["data"].keys() == {"number", "title", "state", "url"}
    assert made["description"] == f"Filed issue octo/website#{made['data']['number']}"


def test_pages_follow_each_other(world):
    pages = [world.call("github__list_issues", {**REPO, "per_page": 20, "page": page})[1]["data"] for page in (1, 2, 3)]
    numbers = [issue["number"] for page in pages for issue in page]
    assert len(pages[0]) == 20 and pages[2] == [] and len(set(numbers)) == len(numbers) > 20


def test_a_branch_is_created_once(world):
    arguments = {**REPO, "branch": "fix/login", "sha": SHA[0]}
    status, made = world.call("github__create_branch", arguments)
    assert (status, made["data"]) == (200, {"ref": "refs/heads/fix/login", "sha": SHA[0]})
    check_request(world.took()[0], ("POST", ROOT + "git/refs", {}, {"ref": "refs/heads/fix/login", "sha": SHA[0]}))
    status, answer = world.call("github__create_branch", arguments)
    assert (status, answer["code"]) == (422, "invalid_arguments") and "Reference already exists" in answer["upstream_message"]
    turn = {"action": "github__create_branch", "params": {**arguments, "branch": "fix-2"}}
    call = {"id": "c", "type": "function", "function": {"name": "tools_execute", "arguments": json.dumps(turn)}}
    _, answer = world.request("POST", "/v1/tools/calls", {"format": "openai", "tool_calls": [call]})
    assert answer["results"][0]["data"]["ref"] == "refs/heads/fix-2"


def test_what_leaves_its_path_is_not_sent(world):
    for arguments in ({"branch": "a/b"}, {"branch": ".."}, {"branch": "%2e%2e"}, {"branch": "x", "repo": ".."}):
        status, answer = world.call("github__delete_branch", {**REPO, **arguments})
        assert (status, answer["code"]) == (422, "invalid_arguments"), answer
    status, _ = world.call("github__get_issue", {"owner": "a/b", "repo": "c", "number": 1})
    assert (status, world.took()) == (422, [])


def test_errors_of_the_service(world):
    status, answer = world.call("github__get_issue", {**REPO, "number": 999})
    assert (status, answer["code"]) == (404, "not_found") and "Not Found" in answer["upstream_message"]
    status, answer = world.call("github__create_issue", {**REPO, "title": "x", "assignees": ["nobody"]})
    assert (status, answer["code"]) == (422, "invalid_arguments") and "Validation Failed" in answer["upstream_message"]
    assert world.product.get(f"/v1/audit/{answer['call_id']}")["outcomes"][0]["outcome"] == "failed"
    status, answer = world.call("brave__web_search", {"query": "a " * 60})
    assert (status, answer["code"]) == (422, "invalid_arguments")
    status, answer = world.call("brave__web_search", {"query": "nothing at all"})
    assert (status, answer["data"]) == (200, [])
    world.github.broken = (500, {"message": "private words"})
    status, answer = world.call("github__get_issue", {**REPO, "number": 1})
    assert (status, answer["code"]) == (502, "upstream_error") and "private words" not in json.dumps(answer)
    world.github.broken = (502, {})
    status, answer = world.call("github__add_comment", {**REPO, "number": 1, "body": "Hello"})
    assert (status, answer["code"]) == (503, "outcome_unknown")
    assert world.product.get(f"/v1/audit/{answer['call_id']}")["outcomes"][0]["outcome"] == "unknown"


@pytest.mark.parametrize("service, tool, arguments", [
    ("github", "github__get_issue", {**REPO, "number": 1}), ("github", "github__add_comment", {**REPO, "number": 1, "body": "x"}),
    ("brave", "brave__web_search", {"query": "tea"})])
def test_a_refused_credential_is_not_the_callers(world, service, tool, arguments):
    held = getattr(world, service)
    held.secret, kept = "another", held.secret
    try:
        status, answer = world.call(tool, arguments)
    finally:
        held.secret = kept
    assert (status, answer["code"]) == (502, "upstream_error"), answer
    assert "credential" in answer["detail"]


@pytest.mark.parametrize("tool, more, label, target, sent", ASKED)
def test_a_person_is_asked_about_the_target(world, tool, more, label, target, sent):
    tool, (method, path, body) = "github__" + tool, sent
    confirmation, sentence = world.ask(tool, {**REPO, **more})
    assert label in sentence and world.github.host in sentence
    [looked] = world.took()
    assert (looked.method, looked.path, looked.body) == ("GET", ROOT + target, None)
    if "close" not in tool:
        _, wrong = world.request("POST", f"/v1/confirmations/{confirmation}/approve", {})
        assert wrong["status"] == "phrase_required" and wrong["phrase"] in sentence
        status, _ = world.request("POST", f"/v1/confirmations/{confirmation}/approve", {"phrase": "yes"})
        assert status == 422 and all(request.method == "GET" for request in world.took())
    status, done = world.approve(confirmation, tool)
    assert (status, done["status"]) == (200, "completed"), done
    taken = world.took()
    assert all(request.method == "GET" for request in taken[:-1]) and len(taken) >= 2
    check_request(taken[-1], (method, ROOT + path, {}, body))
    assert world.product.get(f"/v1/confirmations/{confirmation}")["status"] == "executed"
    row = world.product.get(f"/v1/audit/{done['call_id']}")
    assert (row["outcome"], row["kind"]) == ("started", "call")
    assert [(end["kind"], end["outcome"]) for end in row["outcomes"]] == [("outcome", "succeeded")]


def change(github, tool):
    if tool == "delete_branch":
        github.refs["heads/shared"] = SHA[2]
    else:
        (github.issues if tool == "close_issue" else github.pulls)[number_of(tool)]["updated_at"] = github.time()


def remove(github, tool):
    if tool == "delete_branch":
        del github.refs["heads/shared"]
    else:
        del (github.issues if tool == "close_issue" else github.pulls)[number_of(tool)]


def number_of(tool):
    return 6 if tool == "close_issue" else 27


@pytest.mark.parametrize("tool", ["close_issue", "merge_pull_request", "delete_branch"])
def test_a_target_that_changed_or_is_gone_is_not_touched(world, tool):
    world.github.refs["heads/shared"] = SHA[0]
    arguments = {"close_issue": {"number": 6}, "merge_pull_request": {"number": 27, "sha": SHA[2]},
                 "delete_branch": {"branch": "shared"}}[tool]
    name = "github__" + tool
    confirmation, _ = world.ask(name, {**REPO, **arguments})
    change(world.github, tool)
    status, answer = world.approve(confirmation, name)
    assert (status, answer["code"]) == (410, "void"), answer
    assert world.product.get(f"/v1/confirmations/{confirmation}")["status"] == "void"
    confirmation, _ = world.ask(name, {**REPO, **arguments})
    remove(world.github, tool)
    status, answer = world.approve(confirmation, name)
    assert (status, answer["code"]) == (404, "not_found"), answer
    assert all(request.method == "GET" for request in world.took())
    status, answer = world.call(name, {**REPO, **arguments})
    assert (status, answer["code"]) == (404, "not_found"), answer


def test_a_merge_that_the_service_refuses(world):
    confirmation, _ = world.ask("github__merge_pull_request", {**REPO, "number": 28, "sha": SHA[0]})
    status, answer = world.approve(confirmation, "github__merge_pull_request")
    assert (status, answer["code"]) == (409, "conflict") and "Head branch was modified" in answer["upstream_message"]
    assert world.product.get(f"/v1/confirmations/{confirmation}")["status"] == "failed"
    assert world.product.get(f"/v1/audit/{answer['call_id']}")["outcomes"][0]["outcome"] == "failed"
    world.github.pulls[28]["mergeable"] = False
    confirmation, _ = world.ask("github__merge_pull_request", {**REPO, "number": 28, "sha": SHA[2]})
    status, answer = world.approve(confirmation, "github__merge_pull_request")
    assert (status, answer["code"]) == (502, "upstream_error") and "not mergeable" in answer["upstream_message"]


def test_the_readme_runs(world, tmp_path):
    text = PAGE.commands("services")
    assert all(f"{name}=" in text for name in SECRETS) and "examples/toolsets/brave.toml,examples/toolsets/github.toml" in text
    told = shell(world.product, PAGE.commands("services-on") + PAGE.commands("services-call"), tmp_path)
    assert '"title":"heat pumps 2"' in told and '"title":"Bug 12"' in told, told
    assert '"description":"Closed issue octo/website#12"' in told and world.github.issues[12]["state"] == "closed", told
    assert [request.method for request in world.github.took()] == ["GET", "GET", "GET", "PATCH"]
    world.answers.append(told)


def test_no_secret_is_anywhere(world):
    world.github.broken = (422, {"message": f"bad token {SECRETS['GITHUB_TOKEN']}"})
    status, answer = world.call("github__get_issue", {**REPO, "number": 1})
    assert status == 422 and "bad token •••" in answer["upstream_message"], answer
    world.github.broken = (200, {"number": 1, "title": SECRETS["GITHUB_TOKEN"]})
    assert world.call("github__get_issue", {**REPO, "number": 1})[1]["data"]["title"] == "•••"
    world.github.broken = (500, {"message": SECRETS["GITHUB_TOKEN"]})
    world.call("github__get_issue", {**REPO, "number": 1})
    world.request("GET", "/v1/toolsets/github")
    world.request("GET", "/v1/audit?limit=100")
    files = [path for path in world.product.folder.rglob("*") if path.is_file()]
    assert any(path.suffix.startswith(".db") or "sqlite" in path.name for path in files), files
    written = {str(path): path.read_bytes() for path in files}
    written |= {"log": "".join(world.product.lines).encode(), "answers": "".join(world.answers).encode()}
    assert len(written["log"]) > 1000 and len(written["answers"]) > 1000
    for secret in SECRETS.values():
        assert [name for name, content in written.items() if secret.encode() in content] == []
