"""A scripted provider of Chat Completions and Messages, plain and streamed, and of Responses, which checks every request.

It answers a wrong request with a 400, as the real ones do, and keeps the mistake for the test.
"""
import http.server
import json
import traceback

from anthropic_side import Anthropic
from conversation import Slip
from local_server import LocalServer
from openai_side import OpenAI
from responses_side import Responses

SIDES = {"/v1/chat/completions": OpenAI, "/v1/responses": Responses, "/v1/messages": Anthropic}


class Provider(LocalServer):
    """Answers requests with the lines of a script, in order. A line is a function from what the model is
    given to what the model says: a list of texts and of calls `(name, arguments)`."""

    def __init__(self, script):
        self.script, self.requests, self.faults = list(script), [], []
        super().__init__(self._handler())

    def answer(self, side, headers, body):
        """Checks a request. Returns what the model says."""
        try:
            conversation = side.check(headers, body)
            assert self.script, "the script has no more lines: the model was asked too often"
            said = self.script.pop(0)(conversation)
            for part in said:
                if isinstance(part, tuple) and not isinstance(part, Slip):
                    conversation.check_call(*part)
            self.requests.append(conversation)
            return said
        except Exception:
            self.faults.append(traceback.format_exc())
            raise

    def _handler(provider):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                raw = self.rfile.read(int(self.headers["Content-Length"]))
                side = SIDES.get(self.path.split("?")[0])
                try:
                    assert side, f"{self.path} is no path of a provider"
                    body = json.loads(raw)
                    pieces = side.say(provider.answer(side, self.headers, body), body)
                    if body.get("stream"):
                        self._stream(pieces)
                    else:
                        self._send(200, "application/json", json.dumps(pieces))
                except Exception as fault:
                    message = f"{type(fault).__name__}: {fault}"[:4000]
                    error = {"error": {"type": "invalid_request_error", "message": message}}
                    self._send(400, "application/json", json.dumps({"type": "error", **error}))

            def _send(self, status, kind, text):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(text.encode())))
                self.end_headers()
                self.wfile.write(text.encode())

            def _stream(self, events):
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Connection", "close")
                self.end_headers()
                for event in events:
                    self.wfile.write(event.encode())
                    self.wfile.flush()
                self.close_connection = True

            def log_message(self, *_):
                pass

        return Handler
