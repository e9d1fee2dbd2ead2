"""A workspace that has the tools of real MCP servers."""
from demo import Demo
from upstream_servers import RecordingServer, everything, filesystem

SECRET = "notes-4kd93QmZ"
# What a person sets in the drafts, by slug and the tool's name at the server.
FIELDS = {
    "everything": {
        "echo": {"permission_level": "read", "promoted": True},
        "get-sum": {"permission_level": "read"},
        "get-structured-content": {"permission_level": "read"},
        "get-tiny-image": {"permission_level": "read"},
        "get-resource-links": {"permission_level": "read"},
    },
    "files": {
        "read_text_file": {"permission_level": "read"},
        "list_directory": {"permission_level": "read"},
        "write_file": {"permission_level": "write", "confirmation": "simple", "confirm_text": "Write {path}",
                       "warning": "The file is overwritten."},
    },
    "notes": {
        "get_note": {"permission_level": "read", "promoted": True,
                     "accessible_by": {"types": ["mission", "api"]}},
        "picture": {"permission_level": "read"},
        "add_note": {"permission_level": "write"},
        "delete_note": {"permission_level": "destructive", "confirmation": "typed",
                        "warning": "The note is gone.", "confirm_text": "Delete note {number}"},
        "print_notes": {"permission_level": "write", "timeout_seconds": 1},
    },
}


class Workspace:
    """The first workspace of a demo of its own, which calls MCP servers."""

    def __init__(self):
        self.product = Demo("--upstream-hosts", "127.0.0.1")
        self.get, self.post, self.ask = self.product.get, self.product.post, self.product.ask
        # The tests make more calls in a minute than a person does.
        limits = {"write_per_minute": 1000, "external_per_minute": 1000}
        self.ask("PATCH", "/v1/settings", {"limits": limits}, who="system_admin")

    def add(self, name, server, secret):
        """Adds an upstream with the secret, and asks it for its tools."""
        upstream = {"name": name, "kind": "mcp", "base_url": server.url, "auth": {"kind": "bearer"}}
        self.post("/v1/upstreams", upstream, 201)
        self.ask("PUT", f"/v1/upstreams/{name}/secret", {"secret": secret})
        return self.discover(name)

    def discover(self, name):
        return self.post(f"/v1/upstreams/{name}/discover", {})

    def tools(self, name):
        """The upstream's tools by name, as they are stored."""
        return {view["tool"]: view for view in self.get(f"/v1/upstreams/{name}/tools")["tools"]}

    def drafts(self, slug, upstream, **more):
        return self.post("/v1/toolsets/import", {"slug": slug, "upstream": upstream, **more})

    def accept(self, slug, upstream, fields, status=200):
        """Imports the tools in `fields`, sets these fields of each, and stores the document."""
        document = self.drafts(slug, upstream, include=list(fields))["document"]
        for tool in document["tools"]:
            del tool["draft"]
            tool.update({"accessible_by": "everyone", **fields[tool["mcp"]["tool"]]})
        return self.ask("PUT", f"/v1/toolsets/{slug}", document, status=status)

    def call(self, action, arguments, status=200, who="owner", headers=None):
        return self.post(f"/v1/actions/{action}", arguments, status, who, headers)

    def approve(self, waiting, status=200):
        """Approves the call that this answer says is waiting. Gives the phrase where one is asked for."""
        path = f"/v1/confirmations/{waiting['confirmation']['id']}/approve"
        if waiting["confirmation"]["level"] == "typed":
            phrase = self.post(path, {}, 202)["phrase"]
            return self.post(path, {"phrase": phrase}, status)
        return self.post(path, {}, status)

    def rows(self, call_id):
        """The outcome of the call's row, the executor, and the outcomes of its outcome rows."""
        row = self.get(f"/v1/audit/{call_id}")
        return row["outcome"], row["executor"], [outcome["outcome"] for outcome in row.get("outcomes", [])]

    def close(self):
        self.product.close()


class World:
    """The three servers, and a workspace that has accepted the tools in `FIELDS`."""

    def __init__(self, folder):
        self.folder = folder
        self.servers = {"everything": everything(), "files": filesystem(folder),
                        "notes": RecordingServer("notes.py")}
        self.space = Workspace()
        self.discovered = {}
        for name, server in self.servers.items():
            self.discovered[name] = self.space.add(name, server, SECRET)
        for name, fields in FIELDS.items():
            self.space.accept(name, name, fields)

    def close(self):
        self.space.close()
        for server in self.servers.values():
            server.close()


def names(listed):
    """The tools of a list, with those that the dispatcher runs."""
    functions = [tool["function"] for tool in listed["tools"]]
    run = [function["parameters"]["properties"]["action"]["enum"] for function in functions
           if function["name"] == "tools_execute"]
    return {function["name"] for function in functions}.union(*run)
