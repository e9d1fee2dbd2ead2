"""Fakes of the REST services that `examples/toolsets` calls. They speak what the services' references document,
refuse what the services refuse, and keep the requests that they got."""
import json
import re
import urllib.parse
from http.server import BaseHTTPRequestHandler

from local_server import LocalServer

SHA = ["a1" * 20, "b2" * 20, "c3" * 20]


class Request:
    """A request as it was received. `query` has each value once; `body` is None without one."""

    def __init__(self, handler):
        url = urllib.parse.urlsplit(handler.path)
        self.method, self.path = handler.command, url.path
        pairs = urllib.parse.parse_qsl(url.query, keep_blank_values=True)
        self.query = dict(pairs)
        assert len(self.query) == len(pairs), "a key is repeated"
        self.headers = {name.lower(): value for name, value in handler.headers.items()}
        raw = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        self.body = json.loads(raw) if raw else None

    def number(self, key, default, most):
        return max(1, min(most, int(self.query.get(key, default))))


class Service(LocalServer):
    """A service on a port of this machine. `answer(request)` returns status and body; `requests` are all
    that were received since `took()`. While `broken` is set, every answer is that one."""

    def __init__(self, secret):
        self.secret, self.requests, self.broken = secret, [], None
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self):
                request = Request(self)
                service.requests.append(request)
                status, body = service.broken or service.answer(request)
                raw = b"" if body is None else json.dumps(body).encode()
                self.send_response(status)
                if raw:
                    self.send_header("Content-Type", "application/json; charset=utf-8")
                if status != 204:
                    self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = handle_any

            def log_message(self, *_):
                pass

        super().__init__(Handler)
        self.host = self.url.removeprefix("http://")

    def took(self):
        """The requests since the last call of this."""
        taken, self.requests = self.requests, []
        return taken


class Brave(Service):
    """`GET /res/v1/web/search`. Like the service, it leaves `web` out if nothing is found."""

    def answer(self, request):
        if request.headers.get("x-subscription-token") != self.secret:
            return 401, {"type": "ErrorResponse", "error": {"status": 401, "code": "SUBSCRIPTION_TOKEN_INVALID"}}
        if (request.method, request.path) != ("GET", "/res/v1/web/search"):
            return 404, {"type": "ErrorResponse", "error": {"status": 404, "code": "RESOURCE_NOT_FOUND"}}
        words, count = request.query.get("q", ""), int(request.query.get("count", 20))
        if not words or len(words) > 400 or len(words.split()) > 50 or not 1 <= count <= 20:
            return 422, {"type": "ErrorResponse", "error": {"status": 422, "code": "VALIDATION"}}
        found = {"type": "search", "query": {"original": words, "more_results_available": True}}
        if words != "nothing at all":
            results = [self.result(words, position) for position in range(count)]
            found["web"] = {"type": "search", "results": results, "family_friendly": True}
        return 200, found

    @staticmethod
    def result(words, position):
        host = f"www{position}.example"
        return {"type": "search_result", "subtype": "generic", "title": f"{words} {position}", "url": f"https://{host}/",
                "description": f"About {words}", "age": "2 days ago", "page_age": "2026-01-02T00:00:00", "language": "en",
                "family_friendly": True, "is_source_local": False, "is_source_both": False,
                "profile": {"name": host, "url": f"https://{host}/", "long_name": host, "img": f"https://{host}/i.png"},
                "meta_url": {"scheme": "https", "netloc": host, "hostname": host, "favicon": "", "path": ""}}


class GitHub(Service):
    """Issues, comments, pull requests and refs of `octo/website`."""

    def __init__(self, secret):
        super().__init__(secret)
        self.clock, self.issues, self.comments, self.pulls = 0, {}, {}, {}
        self.refs = {"heads/main": SHA[0], "heads/old": SHA[1]}
        for number in range(1, 26):
            self.add_issue({"title": f"Bug {number}", "body": "It breaks. " * 20})
        for number in (26, 27, 28):
            self.add_pull(number)

    def time(self):
        self.clock += 1
        return f"2026-01-{1 + self.clock // 3600:02}T{self.clock // 60 % 60:02}:{self.clock % 60:02}:00Z"

    @staticmethod
    def user(login):
        return {"login": login, "id": 1, "node_id": "U_1", "type": "User", "site_admin": False}

    def add_issue(self, body):
        number = len(self.issues) + len(self.pulls) + 1
        now = self.time()
        assignees = [self.user(login) for login in body.get("assignees", [])]
        self.issues[number] = {
            "id": 1000 + number, "node_id": "I_1", "number": number, "title": body["title"], "body": body.get("body"),
            "state": "open", "state_reason": None, "user": self.user("mona"), "assignees": assignees,
            "assignee": assignees[0] if assignees else None, "milestone": None, "locked": False, "comments": 0,
            "labels": [{"id": 1, "name": name} for name in body.get("labels", [])],
            "created_at": now, "updated_at": now, "closed_at": None,
            "html_url": f"https://github.com/octo/website/issues/{number}"}
        self.comments[number] = []
        return self.issues[number]

    def add_pull(self, number):
        now = self.time()
        branch = {"label": "octo:login", "ref": "login", "sha": SHA[2], "repo": {"full_name": "octo/website"}}
        self.pulls[number] = {
            "id": 2000 + number, "number": number, "title": f"Change {number}", "body": "Please review", "state": "open",
            "draft": False, "merged": False, "mergeable": True, "mergeable_state": "clean", "user": self.user("mona"),
            "head": branch, "base": {**branch, "label": "octo:main", "ref": "main", "sha": SHA[0]}, "commits": 1,
            "additions": 5, "deletions": 2, "changed_files": 1, "comments": 0, "created_at": now, "updated_at": now,
            "merged_at": None, "html_url": f"https://github.com/octo/website/pull/{number}"}

    def answer(self, request):
        if request.headers.get("authorization") != f"Bearer {self.secret}":
            return 401, {"message": "Bad credentials", "documentation_url": "https://docs.github.com/rest", "status": "401"}
        if not request.headers.get("user-agent"):
            return 403, {"message": "Request forbidden by administrative rules."}
        path = urllib.parse.unquote(request.path)
        for method, pattern, handle in ROUTES:
            found = re.fullmatch("/repos/octo/website/" + pattern, path)
            if found and method == request.method:
                return handle(self, request, *found.groups())
        return missing()

    def page(self, request, items):
        size, page = request.number("per_page", 30, 100), request.number("page", 1, 10_000)
        return 200, items[(page - 1) * size:page * size]

    def list_issues(self, request):
        wanted = request.query.get("state", "open")
        items = [item for item in self.issues.values() if wanted in ("all", item["state"])]
        labels = set(filter(None, request.query.get("labels", "").split(",")))
        items = [item for item in items if labels <= {label["name"] for label in item["labels"]}]
        as_issue = {"pull_request": {"html_url": "https://github.com/octo/website/pull/26"}}
        if not labels:
            items += [{**pull, **as_issue, "assignee": None} for pull in self.pulls.values() if pull["state"] == wanted]
        return self.page(request, items[::-1])

    def get_issue(self, _, number):
        found = self.issues.get(int(number))
        return (200, found) if found else missing()

    def create_issue(self, request):
        if not isinstance(request.body.get("title"), str):
            return invalid("Issue", "title", "missing_field")
        if "nobody" in request.body.get("assignees", []):
            return invalid("Issue", "assignees", "invalid")
        return 201, self.add_issue(request.body)

    def update_issue(self, request, number):
        issue = self.issues.get(int(number))
        if not issue:
            return missing()
        known = {"title", "body", "state", "state_reason", "labels", "assignees", "milestone"}
        assert request.body.keys() <= known, request.body
        change = dict(request.body)
        if "labels" in change:
            change["labels"] = [{"id": 1, "name": name} for name in change["labels"]]
        if "assignees" in change:
            change["assignees"] = [self.user(login) for login in change["assignees"]]
        issue.update(change, updated_at=self.time())
        return 200, issue

    def list_comments(self, request, number):
        return self.page(request, self.comments[int(number)]) if int(number) in self.comments else missing()

    def add_comment(self, request, number):
        if int(number) not in self.comments:
            return missing()
        identity = 1 + sum(map(len, self.comments.values()))
        url = f"https://github.com/octo/website/issues/{number}#issuecomment-{identity}"
        comment = {"id": identity, "body": request.body["body"], "user": self.user("mona"), "html_url": url,
                   "created_at": self.time(), "author_association": "OWNER"}
        self.comments[int(number)].append(comment)
        return 201, comment

    def list_pulls(self, request):
        wanted, base = request.query.get("state", "open"), request.query.get("base")
        pulls = [pull for pull in self.pulls.values() if wanted in ("all", pull["state"])]
        return self.page(request, [pull for pull in pulls if base in (None, pull["base"]["ref"])][::-1])

    def get_pull(self, _, number):
        found = self.pulls.get(int(number))
        return (200, found) if found else missing()

    def merge(self, request, number):
        pull = self.pulls.get(int(number))
        if not pull:
            return missing()
        if not pull["mergeable"] or pull["merged"]:
            return 405, {"message": "Pull Request is not mergeable", "status": "405"}
        if request.body.get("sha", pull["head"]["sha"]) != pull["head"]["sha"]:
            return 409, {"message": "Head branch was modified. Review and try the merge again.", "status": "409"}
        pull.update(merged=True, state="closed", updated_at=self.time())
        return 200, {"sha": SHA[1], "merged": True, "message": "Pull Request successfully merged"}

    def create_ref(self, request):
        ref, sha = request.body["ref"], request.body["sha"]
        if not ref.startswith("refs/") or ref.count("/") < 2:
            return invalid("Reference", "ref", "invalid")
        if sha not in SHA:
            return 422, {"message": "Object does not exist", "status": "422"}
        if ref.removeprefix("refs/") in self.refs:
            return 422, {"message": "Reference already exists", "status": "422"}
        self.refs[ref.removeprefix("refs/")] = sha
        return 201, self.ref(ref.removeprefix("refs/"))

    def ref(self, name):
        return {"ref": f"refs/{name}", "node_id": "R_1", "object": {"type": "commit", "sha": self.refs[name], "url": ""}}

    def get_ref(self, _, name):
        return (200, self.ref(name)) if name in self.refs else missing()

    def delete_ref(self, _, name):
        if self.refs.pop(name, None) is None:
            return 422, {"message": "Reference does not exist", "status": "422"}
        return 204, None


ROUTES = [
    ("GET", "issues", GitHub.list_issues), ("POST", "issues", GitHub.create_issue),
    ("GET", r"issues/(\d+)", GitHub.get_issue), ("PATCH", r"issues/(\d+)", GitHub.update_issue),
    ("GET", r"issues/(\d+)/comments", GitHub.list_comments), ("POST", r"issues/(\d+)/comments", GitHub.add_comment),
    ("GET", "pulls", GitHub.list_pulls), ("GET", r"pulls/(\d+)", GitHub.get_pull),
    ("PUT", r"pulls/(\d+)/merge", GitHub.merge), ("POST", "git/refs", GitHub.create_ref),
    ("GET", "git/ref/(.+)", GitHub.get_ref), ("DELETE", "git/refs/(.+)", GitHub.delete_ref),
]


def missing():
    return 404, {"message": "Not Found", "documentation_url": "https://docs.github.com/rest", "status": "404"}


def invalid(resource, field, code):
    return 422, {"message": "Validation Failed", "status": "422",
                 "errors": [{"resource": resource, "field": field, "code": code}]}
