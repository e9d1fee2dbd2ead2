"""A team's own backend with a chat: it serves the page, and passes `/v1` on with its person's credential."""
import http.client
import http.server
import urllib.parse

from local_server import LocalServer

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>A chat</title>
<div id="app"></div><script type="module" src="/page.js"></script></html>"""


class ChatHost(LocalServer):
    """Serves `script` at `url`. `posts` counts the messages and decisions that the page sent."""

    def __init__(self, toolcrib, script):
        self.toolcrib, self.script, self.posts = toolcrib, script, 0
        super().__init__(self._handler())

    def _handler(host):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                if self.path.startswith("/v1/"):
                    return self._pass_on(None)
                kind, body = ("text/javascript", host.script) if self.path == "/page.js" else ("text/html", PAGE.encode())
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self):
                host.posts += self.path == "/v1/assistant/chat"
                self._pass_on(self.rfile.read(int(self.headers.get("Content-Length", 0))))

            def _pass_on(self, body):
                target = urllib.parse.urlsplit(host.toolcrib.base)
                connection = http.client.HTTPConnection(target.hostname, target.port, timeout=60)
                headers = host.toolcrib.headers() | ({"Content-Type": "application/json"} if body else {})
                connection.request(self.command, self.path, body, headers)
                answer = connection.getresponse()
                self.send_response(answer.status)
                for name in ("Content-Type", "X-Vercel-AI-UI-Message-Stream"):
                    if answer.headers[name]:
                        self.send_header(name, answer.headers[name])
                self.end_headers()
                try:
                    while piece := answer.read1():
                        self.wfile.write(piece)
                except ConnectionError:
                    pass  # The page hung up.
                finally:
                    connection.close()

            def log_message(self, *_):
                pass

        return Handler
