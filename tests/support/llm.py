"""A provider of Chat Completions for tests of the assistant: its model calls tools as the person's words say."""
import http.server
import json
import time

from local_server import LocalServer

DISPATCHER = "platform_execute"


class FakeModel(LocalServer):
    """Serves the model `name` at `url`, and answers as a stream. `script` says which action it calls for a message that has
    certain words, such as `{"Delete the agent": ("platform_delete_agent", {"agent": "Release Writer"})}`. For any other message,
    and when its calls are answered, it says something. `requests` are the bodies that came."""

    def __init__(self, name, script):
        self.name, self.script, self.requests = name, script, []
        # Seconds before each piece of an answer.
        self.pace = 0
        super().__init__(self._handler())
        self.url += "/v1"

    def delta(self, body):
        """What the model says to a request: the text or the call of a message, without the role."""
        last = body["messages"][-1]
        if last["role"] == "tool":
            answer = json.loads(last["content"])
            return {"content": f"The tool answered: {answer.get('description') or answer.get('message') or answer['status']}"}
        called = next((call for words, call in self.script.items() if words in last["content"]), None)
        if called is None or body.get("tool_choice") == "none":
            return {"content": "I call no tool for that."}
        action, arguments = called
        names = [tool["function"]["name"] for tool in body["tools"]]
        if action not in names:
            assert DISPATCHER in names, f"neither `{action}` nor the dispatcher is among {names}"
            action, arguments = DISPATCHER, {"action": action, "params": arguments}
        function = {"name": action, "arguments": json.dumps(arguments)}
        return {"tool_calls": [{"index": 0, "id": "call_0", "type": "function", "function": function}]}

    def _handler(model):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                assert self.path == "/v1/models", self.path
                self._send(200, {"object": "list", "data": [{"id": model.name, "object": "model"}]})

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                try:
                    assert self.path == "/v1/chat/completions" and body["stream"] and body["model"] == model.name
                    check_history(body["messages"])
                    model.requests.append(body)
                    chunks = list(stream(model.delta(body), body))
                except Exception as fault:
                    message = f"{type(fault).__name__}: {fault}"[:4000]
                    return self._send(400, {"error": {"type": "invalid_request_error", "message": message}})
                self.close_connection = True
                try:
                    self._stream(chunks)
                except ConnectionError:
                    pass  # A run that is stopped hangs up.

            def _stream(self, chunks):
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Connection", "close")
                self.end_headers()
                for chunk in chunks:
                    time.sleep(model.pace)
                    self.wfile.write(f"data: {chunk}\n\n".encode())
                    self.wfile.flush()

            def _send(self, status, answer):
                text = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        return Handler


def check_history(messages):
    """Refuses what providers refuse: a call without an answer right after its message, or an answer without a call."""
    waiting = []
    for message in messages:
        if message["role"] == "tool":
            assert waiting and waiting.pop(0) == message["tool_call_id"], f"no call has the id {message['tool_call_id']}"
            continue
        assert not waiting, f"calls have no answer: {waiting}"
        waiting = [call["id"] for call in message.get("tool_calls") or []]
    assert not waiting, f"calls have no answer: {waiting}"


def stream(delta, body):
    """A message in pieces: words of a text, a call's name and then its arguments in two parts."""
    pieces = [{"role": "assistant", "content": ""}]
    for word in delta.get("content", "").split(" "):
        pieces.append({"content": word + " "} if word else {"content": ""})
    for call in delta.get("tool_calls", []):
        function = call["function"]
        arguments, half = function["arguments"], len(function["arguments"]) // 2
        pieces.append({"tool_calls": [call | {"function": function | {"arguments": ""}}]})
        pieces += [{"tool_calls": [{"index": call["index"], "function": {"arguments": part}}]}
                   for part in (arguments[:half], arguments[half:])]
    why = "tool_calls" if "tool_calls" in delta else "stop"
    for piece, reason in [*((piece, None) for piece in pieces), ({}, why)]:
        yield json.dumps(chunk(body, [{"index": 0, "delta": piece, "finish_reason": reason}]))
    if body.get("stream_options", {}).get("include_usage"):
        usage = {"prompt_tokens": 900, "completion_tokens": 20, "total_tokens": 920}
        yield json.dumps(chunk(body, []) | {"usage": usage})
    yield "[DONE]"


def chunk(body, choices):
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": body["model"], "choices": choices}
