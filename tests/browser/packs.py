"""The packs of a service: switching them on, a project to look at, and a server that media are asked of."""
import http.server
import json
import threading
import urllib.parse

SLUGS = ("game", "media")
DESIGN = "# Tide\n\n## System ID\ntide\n\n# Boat\n\n## System ID\nboat\n\n## Dependencies\n- tide\n"


def on(toolcrib):
    """Switches the packs on, and off again: other files count the actions without them."""
    switch(toolcrib, True)
    yield
    switch(toolcrib, False)


def switch(toolcrib, enabled):
    for slug in SLUGS:
        toolcrib.ask("PATCH", f"/v1/packs/{slug}", {"enabled": enabled})


def call(toolcrib, action, arguments, who="owner"):
    """The data of a call, which is approved where it waits."""
    answer = toolcrib.answer("POST", f"/v1/actions/{action}", arguments, who).json()
    if answer.get("confirmation"):
        answer = toolcrib.post(f"/v1/confirmations/{answer['confirmation']['id']}/approve", {})
    return answer["data"]


def project(toolcrib):
    """The ID of a project with two systems, a plan and an export."""
    for one in call(toolcrib, "game_list_projects", {})["items"]:
        if one["name"] == "Two Systems":
            return one["id"]
    found = call(toolcrib, "game_create_project", {"name": "Two Systems"})["id"]
    call(toolcrib, "game_import_system_from_markdown", {"project": found, "markdown": DESIGN})
    plan = {"project": found, "version_label": "v1", "title": "Both", "systems": ["tide", "boat"]}
    call(toolcrib, "game_create_version_plan", plan)
    call(toolcrib, "game_generate_export", {"project": found, "type": "gdd"})
    return found


class Radarr(http.server.ThreadingHTTPServer):
    """Radarr's API v3, as far as an add, the queue and the status go."""

    MOVIES = [{"title": "Arrival", "year": 2016, "tmdbId": 329865}, {"title": "Dune", "year": 2021, "tmdbId": 438631},
              {"title": "The Matrix", "year": 1999, "tmdbId": 603}]

    def __init__(self, key):
        super().__init__(("127.0.0.1", 0), Answer)
        self.key, self.library = key, []
        self.base = f"http://127.0.0.1:{self.server_address[1]}/"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def answer(self, method, path, query, body):
        """The status and the body of an answer."""
        wanted = query.get("term", "").removeprefix("tmdb:")
        if (method, path) == ("POST", "/api/v3/movie"):
            movie = body | {"id": len(self.library) + 1, "added": "2026-01-01T00:00:00Z"}
            self.library.append(movie)
            return 201, movie
        answers = {
            "/api/v3/system/status": {"appName": "Radarr", "version": "5.14.0.9383"},
            "/api/v3/rootfolder": [{"id": 1, "path": "/movies", "accessible": True, "freeSpace": 9000}],
            "/api/v3/qualityprofile": [{"id": 4, "name": "HD-1080p"}],
            "/api/v3/movie": [one for one in self.library if str(one["tmdbId"]) == query.get("tmdbId")],
            "/api/v3/movie/lookup": [one for one in self.MOVIES if str(one["tmdbId"]) == wanted],
            "/api/v3/queue": {"page": 1, "pageSize": 50, "totalRecords": 2, "records": [
                {"id": 1, "title": "Arrival.2016", "movie": self.MOVIES[0], "size": 8000, "sizeleft": 2000, "timeleft": "01:30:00",
                 "status": "downloading", "trackedDownloadStatus": "ok", "trackedDownloadState": "downloading", "downloadId": "A"},
                {"id": 2, "title": "<b>Dune</b>", "size": 0, "sizeleft": 0, "status": "completed", "downloadId": "B",
                 "trackedDownloadState": "importBlocked", "statusMessages": [{"messages": ["Not an upgrade."]}]},
            ]},
        }
        return (200, answers[path]) if path in answers else (404, {"message": "NotFound"})

    def close(self):
        self.shutdown()
        self.server_close()


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        address = urllib.parse.urlsplit(self.path)
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or "null")
        query = dict(urllib.parse.parse_qsl(address.query))
        right = self.headers.get("X-Api-Key") == self.server.key
        status, found = self.server.answer(self.command, address.path, query, body) if right else (401, {})
        content = json.dumps(found).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_POST = do_GET

    def log_message(self, *_):
        """The output of the tests stays their own."""
