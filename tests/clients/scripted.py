"""Stand-ins between a client and the product: a service with scripted answers, and a relay whose connections can be cut."""
import json
import socket
import threading
from http.server import BaseHTTPRequestHandler

from local_server import LocalServer


class Scripted(LocalServer):
    """Answers each request with the next of `answers`: a status, headers, and a body, as text or as JSON. With the body
    None it answers with the headers that it got. `requests` are those that came."""

    def __init__(self, *answers):
        self.answers, self.requests = list(answers), []
        super().__init__(self._handler())

    def _handler(service):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                length = int(self.headers.get("Content-Length") or 0)
                headers = {name.lower(): value for name, value in self.headers.items()}
                body = self.rfile.read(length)
                service.requests.append({"method": self.command, "path": self.path, "headers": headers,
                                         "body": json.loads(body) if body else None})
                status, more, body = service.answers.pop(0)
                body = {"headers": headers} if body is None else body
                self.send_response(status)
                for name, value in ({"Content-Type": "application/json"} | more).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write((body if isinstance(body, str) else json.dumps(body)).encode())

            do_POST = do_GET

            def log_message(self, *_):
                pass

        return Handler


class Relay:
    """Passes connections on to a port of this machine. `cut` closes those that are open."""

    def __init__(self, port):
        self.port, self.open, self.lock = port, [], threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self.port))
            with self.lock:
                self.open += [near, far]
            for source, target in ((near, far), (far, near)):
                threading.Thread(target=self._pass_on, args=(source, target), daemon=True).start()

    @staticmethod
    def _pass_on(source, target):
        try:
            while piece := source.recv(65536):
                target.sendall(piece)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def cut(self):
        with self.lock:
            for one in self.open:
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
                one.close()
            self.open = []

    def close(self):
        self.listener.close()
        self.cut()
