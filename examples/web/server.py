"""A chat page that shows what waits for a person: serves the page, and runs the chatbot of `examples/python`."""
import html
import http.server
import json
import os
import pathlib
import sys
import threading

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "python"))
import openai_chatbot as chatbot  # noqa: E402
from toolcrib import Toolcrib  # noqa: E402

FILES = {"/chat.js": "text/javascript", "/chat.css": "text/css", "/permission-dialog.css": "text/css"}
CRIB = os.environ["CRIB_URL"]
# The files of the element have the service's version in their address.
VERSION = chatbot.crib.request("GET", "/openapi.json")["info"]["version"]
POLICY = (f"default-src 'none'; script-src 'self' {CRIB}; connect-src 'self' {CRIB}; style-src 'self'; base-uri 'none'; "
          "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types lit-html")

# A service key with the scope `approvals:relay`, if the page gets client tokens.
RELAY_KEY = os.environ.get("CRIB_RELAY_KEY")
# Seconds after which a call that nobody has decided has expired.
PATIENCE = 20 * 60
conversation = [{"role": "system", "content": chatbot.SYSTEM}]
one_at_a_time = threading.Lock()
# Results of the calls that ended, by the ID of the confirmation.
ended, news = {}, threading.Condition()


def wait_for_the_person(waiting):
    """Waits until the page tells how a call ended; returns its final answer as messages."""
    confirmation = waiting["confirmation"]["id"]
    with news:
        news.wait_for(lambda: confirmation in ended, PATIENCE)
        return ended.pop(confirmation, [])


chatbot.decide = wait_for_the_person


def token():
    """What the page shows and decides confirmations with. A client token is good for this user in this conversation."""
    if not RELAY_KEY:
        return os.environ["CRIB_TOKEN"]
    user = chatbot.crib.request("GET", "/v1/me")["user"]["user_id"]
    body = {"user": user, "session": chatbot.crib.session}
    with Toolcrib(CRIB, RELAY_KEY) as relay:
        return relay.request("POST", "/v1/client-tokens", body)["token"]


def page():
    values = {"base": CRIB, "version": VERSION, "workspace": os.environ["CRIB_WORKSPACE"],
              "session": chatbot.crib.session}
    text = (HERE / "index.html").read_text()
    for name, value in values.items():
        text = text.replace("{{" + name + "}}", html.escape(value))
    return text


def answer(path, body):
    if path == "/messages":
        with one_at_a_time:
            return {"answer": chatbot.reply(conversation, body["text"])}
    # The conversation is this person's own, and so is the browser that tells this. Elsewhere take the messages from
    # `GET /v1/confirmations/{id}`.
    with news:
        ended[body["id"]] = body["messages"]
        news.notify_all()
    return {}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/":
            self.send("text/html; charset=utf-8", page())
        elif self.path in FILES:
            self.send(FILES[self.path], (HERE / self.path[1:]).read_text())
        elif self.path == "/toolcrib-token" and self.is_own():
            # Whoever is signed in to the chat gets a token of their own, and nobody else's.
            self.send("text/plain", token())
        else:
            self.send_error(404)

    def do_POST(self):
        if self.path not in ("/messages", "/ended") or not self.is_own():
            return self.send_error(404)
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send("application/json", json.dumps(answer(self.path, body)))

    def is_own(self):
        """Whether a page of this server sent the request. A browser says so, and no page can change it."""
        return self.headers.get("Sec-Fetch-Site") == "same-origin"

    def send(self, kind, text):
        self.send_response(200)
        for name, value in {"Content-Type": kind, "Cache-Control": "no-store", "Content-Security-Policy": POLICY}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Handler)
    print(f"the chat is at http://127.0.0.1:{server.server_address[1]}/", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
